"""Speed of the feature sets: microseconds for a screen, over the screens of 20 games.

    python benches/python/features.py [--games pong,...] [--screens 500] [--rounds 5]

Each game is played with random actions, 5 frames a decision; a set then looks at the screens of each game in
one native call (`features.batch`) by one thread, and by two. All sets take turns. A figure of one thread is
the mean over the games of the median of the rounds, in seconds of the processor; two threads are measured on
the wall. Before it is measured, every batch is compared with calls screen by screen.
"""

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ale_rs import features, roms
from ale_rs.env import AtariEnv

GAMES = (
    "alien", "asterix", "asteroids", "beam_rider", "bowling", "breakout", "enduro", "freeway", "frostbite",
    "hero", "journey_escape", "montezuma_revenge", "ms_pacman", "pitfall", "pong", "qbert", "riverraid",
    "seaquest", "space_invaders", "video_pinball",
)  # fmt: skip
COUNTED = 2_000
"""Screens of a background and of DISCO's classes: shortened, their number changes no speed."""

Bytes = NDArray[np.uint8]


@dataclass
class Figures:
    """What was measured of a set, one entry for each game."""

    one: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    two: list[float] = field(default_factory=list)
    active: list[float] = field(default_factory=list)


def played(game: str, count: int) -> tuple[Bytes, Bytes]:
    """Screens and RAM of consecutive decisions, after 20 decisions."""
    env = AtariEnv(game, frameskip=5)
    env.reset(seed=1)
    env.action_space.seed(1)
    screens, rams = [], []
    for number in range(count + 20):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        if number >= 20:
            screens.append(env.ale.getScreen().copy())
            rams.append(env.ale.getRAM().copy())
    return np.array(screens), np.array(rams)


def make(name: str, game: str) -> features.FeatureSet:
    """The set with this name, its background or classes from a short survey."""
    if name in ("basic", "bass"):
        return features.SETS[name](features.background(game, COUNTED, progress=False))
    if name == "disco":
        return features.Disco(features.discover(game, COUNTED, progress=False))
    return features.SETS[name]()


def clocked(fs: features.FeatureSet, data: Bytes, threads: int) -> tuple[float, float]:
    """Seconds of the calling thread's processor, and on the wall."""
    processor, wall = time.thread_time(), time.perf_counter()
    features.batch(fs, data, threads)
    return time.thread_time() - processor, time.perf_counter() - wall


def measure(game: str, screens: int, rounds: int, figures: dict[str, Figures]) -> None:
    """All sets on one game, in turns."""
    pictures, rams = played(game, screens)
    sets = {name: (make(name, game), rams if name == "ram" else pictures) for name in features.SETS}
    for name, (fs, data) in sets.items():
        found = features.batch(fs, data, 1)
        for index, screen in enumerate(data[:20]):
            assert np.array_equal(found[index], fs(screen)), f"{name} of {game} differs in a batch"
        fs.reset()
        figures[name].active.append(len(found.indices) / len(data))
    taken: dict[str, list[list[float]]] = {name: [[], [], []] for name in sets}
    for number in range(rounds):
        for name in list(sets)[:: 1 if number % 2 == 0 else -1]:
            processor, wall = clocked(*sets[name], 1)
            taken[name][0].append(processor)
            taken[name][1].append(wall)
            taken[name][2].append(clocked(*sets[name], 2)[1])
    for name, (one, wall_times, two) in taken.items():
        figures[name].one.append(statistics.median(one) / screens * 1e6)
        figures[name].wall.append(min(wall_times))
        figures[name].two.append(min(two))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", default=",".join(GAMES), help="ids, separated by commas")
    parser.add_argument("--screens", type=int, default=500, help="of each game (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    games = [game for game in given.games.split(",") if roms.locate(game) is not None]
    missing = sorted(set(given.games.split(",")) - set(games))
    if missing:
        print(f"no ROM of {', '.join(missing)}", file=sys.stderr)
    if not games:
        sys.exit("no game to measure; `ale-rs roms install` brings ROMs")
    figures = {name: Figures() for name in features.SETS}
    for game in games:
        measure(game, given.screens, given.rounds, figures)
    print(f"{len(games)} games, {given.screens} screens each, {given.rounds} rounds")
    print("| set | features on | µs a screen, one thread | slowest game | two threads |")
    print("|---|---|---|---|---|")
    for name, found in figures.items():
        slowest = max(range(len(games)), key=lambda index: found.one[index])
        worst = f"{found.one[slowest]:,.0f} ({games[slowest]})"
        ratio = sum(found.wall) / sum(found.two)
        mean, active = statistics.mean(found.one), statistics.mean(found.active)
        print(f"| {name} | {active:,.0f} | {mean:,.1f} | {worst} | {ratio:.2f}x |")


if __name__ == "__main__":
    main()
