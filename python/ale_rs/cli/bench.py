"""`ale-rs bench`: frames per second of the vector environment on this machine."""

import argparse
import statistics
import time
from typing import TYPE_CHECKING

from ale_rs import roms
from ale_rs.cli.demo import FAMOUS, FRAMESKIP, positive
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
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Measure game after game and print a line for each."""
    found = [game for game in (*roms.embedded_ids(), *FAMOUS) if roms.locate(game) is not None]
    games = given.games or found
    for game in games:
        roms.load(game)  # a mistake in the last name is told before the first game is measured
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
