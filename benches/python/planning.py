"""The speed of the planners: frames per second beside the bare emulator, deadlines, threads, memory.

    python benches/python/planning.py                   all sections, ten games
    python benches/python/planning.py --games pong --rounds 1 --section throughput

"Bare" is random rollouts of 300 frames from the same state, without pictures: a snapshot every 300 frames.
The contestants of a game take turns in each round. `throughput` measures processor time; `deadline` and
`threads` need idle cores.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from ale_rs import AtariEnv, planning, roms

GAMES = (
    "pong", "boxing", "freeway", "breakout", "space_invaders", "seaquest", "ms_pacman", "qbert", "asterix",
    "beam_rider",
)  # fmt: skip
FRAMES = 40_000
"""Emulated frames of a search in `throughput`."""
WARM_UP = 200
"""Random decisions before the state that is searched from."""
DECISIONS = 100
SECONDS, LATEST = 0.25, 0.27
SECTIONS = ("throughput", "deadline", "threads", "memory")


def start(game: str, frameskip: int = 5) -> AtariEnv:
    env = AtariEnv(
        game,
        frameskip=frameskip,
        repeat_action_probability=0.0,
        full_action_space=True,
        obs_type="ram",
    )
    env.reset(seed=0)
    # In the first seconds of some games nothing can be controlled: a tree there is a single path.
    for action in np.random.default_rng(0).integers(18, size=WARM_UP).tolist():
        if env.step(action)[2]:
            env.reset()
    return env


def speed(planner: planning.Planner) -> float:
    """Frames of one search per second of processor time."""
    began = time.process_time()
    planner.plan()
    return planner.stats.frames / (time.process_time() - began)


def throughput(games: list[str], rounds: int) -> None:
    contestants: dict[str, Callable[[AtariEnv], planning.Planner]] = {
        "bare": lambda env: planning.UCT(env, simulations=FRAMES // 300, duplicates=False),
        "full-tree": lambda env: planning.FullTree(env, frames=FRAMES),
        "uct": lambda env: planning.UCT(env, simulations=FRAMES // 300),
        "iw": lambda env: planning.IW(env, frames=FRAMES),
    }
    print(f"{'frames/s':16}" + "".join(f"{name:>20}" for name in contestants))
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    for game in games:
        env = start(game)
        speeds: dict[str, list[float]] = {name: [] for name in contestants}
        for turn in range(rounds + 1):
            for name, make in contestants.items():
                measured = speed(make(env))
                if turn:  # the first warms up
                    speeds[name].append(measured)
        medians = {name: statistics.median(values) for name, values in speeds.items()}
        for name, value in medians.items():
            ratios[name].append(value / medians["bare"])
        cells = (f"{value:>11,.0f} ({value / medians['bare']:5.1%})" for value in medians.values())
        print(f"{game:16}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
    means = (f"{statistics.geometric_mean(values):.1%}" for values in ratios.values())
    print(f"{'geometric mean':16}" + "".join(f"{mean:>20}" for mean in means))


def deadline(games: list[str], rounds: int) -> None:
    del rounds
    env = start(games[0], 15)
    planner = planning.RolloutIW(env, seconds=SECONDS)
    late, longest = 0, 0.0
    for _ in range(DECISIONS):
        began = time.perf_counter()
        action = planner.plan()
        seconds = time.perf_counter() - began
        late, longest = late + (seconds > LATEST), max(longest, seconds)
        if env.step(action)[2]:
            env.reset()
        else:
            planner.advance(action)
    print(
        f"RolloutIW(seconds={SECONDS}) on {games[0]}: {DECISIONS - late} of {DECISIONS} decisions "
        f"within {LATEST} s, the longest {longest:.3f} s"
    )


def threads(games: list[str], rounds: int) -> None:
    """One tree of 500 simulations beside two of 500 and beside two of 250.

    Trees of one size do the same work. Two small ones do more than a large one: where actions are duplicates
    for a while, many simulations of a large tree end at its horizon and emulate nothing. The fastest round
    counts, since this is wall-clock time.
    """
    contestants = {"one": (500, 1), "two": (1000, 2), "divided": (500, 2)}
    gains: list[tuple[float, float]] = []
    for game in games:
        env = start(game)
        speeds: dict[str, list[float]] = {name: [] for name in contestants}
        for turn in range(rounds + 1):
            for name, (simulations, count) in contestants.items():
                planner = planning.UCT(env, simulations=simulations, threads=count, seed=turn)
                began = time.perf_counter()
                planner.plan()
                if turn:
                    speeds[name].append(simulations / (time.perf_counter() - began))
        best = {name: max(values) for name, values in speeds.items()}
        gains.append((best["two"] / best["one"], best["divided"] / best["one"]))
        print(f"{game:16} {gains[-1][0]:5.2f} {gains[-1][1]:5.2f}", flush=True)
    means = [statistics.geometric_mean(column) for column in zip(*gains, strict=True)]
    print(
        f"{'geometric mean':16} {means[0]:5.2f} {means[1]:5.2f} times the simulations per second in two "
        "threads: two trees of 500 simulations, 500 simulations divided"
    )


def memory(games: list[str], rounds: int) -> None:
    del rounds
    code = f"""
import resource
import sys
sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
from planning import start
from ale_rs import planning
env = start({games[0]!r})
planning.FullTree(env, frames=2_000).plan()
with open("/proc/self/statm") as file:
    before = int(file.read().split()[1]) * resource.getpagesize() // 1024
planner = planning.FullTree(env)
planner.plan()
print(len(planner.tree()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    nodes, grown = map(int, done.stdout.split())
    print(
        f"FullTree on {games[0]}: {nodes:,} nodes, at most {grown / 1024:.1f} MB more at the peak than before"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--section", choices=SECTIONS, action="append")
    given = parser.parse_args()
    games = [game for game in given.games if roms.locate(game) is not None]
    if not games:
        sys.exit("no ROM of these games was found")
    sections = {"throughput": throughput, "deadline": deadline, "threads": threads, "memory": memory}
    for name in given.section or SECTIONS:
        print(f"\n{name}")
        sections[name](games, max(given.rounds, 1))


if __name__ == "__main__":
    main()
