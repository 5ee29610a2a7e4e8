"""`ale-rs bench`: frames per second of the vector environment on this machine, or what the engine does."""

import argparse
import statistics
import time
from typing import TYPE_CHECKING

from ale_rs import _native, roms
from ale_rs.cli.demo import FAMOUS, FRAMESKIP, positive
from ale_rs.env import AtariEnv
from ale_rs.vector_env import AtariVectorEnv

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

WARM_UP_STEPS = 20


def add_cli(commands: "Commands") -> None:
    """Add `bench` to the command line."""
    top = commands.add_parser(
        "bench",
        help="measure the speed on this machine",
        description="Step a vector environment with its default preprocessing (84x84 gray, four frames "
        "stacked, frame skip 4) by random actions and print emulated frames per second: the median of "
        "several rounds, and the spread between the fastest and the slowest round. `make bench` in the "
        "repository compares with ale-py.",
    )
    top.add_argument(
        "games", metavar="GAME", nargs="*", help="games to measure (default: our own and famous ones)"
    )
    top.add_argument(
        "--envs", type=positive, default=64, help="environments of a batch (default: %(default)s)"
    )
    top.add_argument("--steps", type=positive, default=100, help="steps of a round (default: %(default)s)")
    top.add_argument("--rounds", type=positive, default=5, help="rounds of a game (default: %(default)s)")
    top.add_argument("--threads", type=int, default=0, help="worker threads (default: one for each core)")
    top.add_argument(
        "--counters",
        action="store_true",
        help="instead of a speed: JIT bail-outs, interpreted instructions, rolled-back frames and cache hits "
        "per frame of one environment that takes --steps random actions a round",
    )
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Measure game after game and print a line for each."""
    found = [game for game in (*roms.embedded_ids(), *FAMOUS) if roms.locate(game) is not None]
    games = given.games or found
    for game in games:
        roms.load(game)  # a mistake in the last name is told before the first game is measured
    if given.counters:
        return print_counters(games, given.rounds * given.steps)
    width = max(map(len, [*games, "geometric mean"]))
    print(f"{'game':{width}}  frames/s   spread")
    medians = []
    for game in games:
        speeds = measure(game, given)
        medians.append(statistics.median(speeds))
        spread = (max(speeds) - min(speeds)) / medians[-1]
        print(f"{game:{width}}  {medians[-1]:8,.0f}  {spread:6.1%}", flush=True)
    if len(games) > 1:
        print(f"{'geometric mean':{width}}  {statistics.geometric_mean(medians):8,.0f}")
    return 0


def print_counters(games: list[str], steps: int) -> int:
    """Print a table: a row for each counter, a column for each game, all per frame."""
    on, why = _native.jit_status()
    print(f"JIT {'on' if on else 'off'}: {why}; {steps} steps of {FRAMESKIP} frames; per frame:")
    columns = {game: count(game, steps) for game in games}
    width = max(12, *map(len, games))
    print(f"{'':25}", *(f"{game:>{width}}" for game in games))
    for name in next(iter(columns.values())):
        print(f"{name:25}", *(f"{columns[game][name]:{width}.6g}" for game in games))
    return 0


def count(game: str, steps: int) -> dict[str, float]:
    """What the engine does in random play, by name: the number of frames, everything else per frame."""
    env = AtariEnv(game, frameskip=FRAMESKIP)
    env.action_space.seed(0)
    env.reset(seed=0)
    before = dict(env.ale.counters())
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    counted = {name: number - before[name] for name, number in env.ale.counters()}
    frames = counted.pop("frames")
    return {"frames": float(frames)} | {name: number / frames for name, number in counted.items()}


def measure(game: str, given: argparse.Namespace) -> list[float]:
    """Frames per second of each round."""
    env = AtariVectorEnv(game, given.envs, num_threads=given.threads, frameskip=FRAMESKIP)
    env.action_space.seed(0)
    env.reset(seed=0)
    actions = [env.action_space.sample() for _ in range(given.steps)]
    for action in actions[:WARM_UP_STEPS]:
        env.step(action)
    speeds = []
    for _ in range(given.rounds):
        start = time.perf_counter()
        for action in actions:
            env.step(action)
        speeds.append(given.steps * given.envs * FRAMESKIP / (time.perf_counter() - start))
    env.close()
    return speeds
