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

from ale_rs import AtariEnv, planning, roms

GAMES = (
    "pong", "boxing", "freeway", "breakout", "space_invaders", "seaquest", "ms_pacman", "qbert", "asterix",
    "beam_rider",
)  # fmt: skip
FRAMES = 40_000
"""Emulated frames of a search in `throughput`."""
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
    for _ in range(40):
        env.step(1)
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
    gains, costs = [], []
    for game in games:
        env = start(game)
        seconds: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for turn in range(rounds + 1):
            for count, values in seconds.items():
                planner = planning.UCT(env, simulations=200, threads=count, seed=turn)
                began = time.perf_counter(), time.process_time()
                planner.plan()
                if turn:
                    values.append((time.perf_counter() - began[0], time.process_time() - began[1]))
        medians = {
            count: [statistics.median(part) for part in zip(*seconds[count], strict=True)]
            for count in seconds
        }
        gains.append(medians[1][0] / medians[2][0])
        costs.append(medians[2][1] / medians[1][1])
        print(
            f"{game:16} {gains[-1]:5.2f} times the simulations per second by two threads, "
            f"{costs[-1]:5.2f} times the processor time",
            flush=True,
        )
    means = statistics.geometric_mean(gains), statistics.geometric_mean(costs)
    print(f"{'geometric mean':16} {means[0]:5.2f} and {means[1]:.2f}")


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
