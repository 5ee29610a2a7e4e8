"""`ale-rs features`: what a set of features sees in a game, as a table and a picture."""

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs import _png, features
from ale_rs.cli.demo import positive
from ale_rs.env import AtariEnv

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FRAMESKIP = 5


def add_cli(commands: "Commands") -> None:
    """Add `features` to the command line."""
    top = commands.add_parser(
        "features",
        help="draw what a set of features sees in a game",
        description="Play a game with random actions for a while, then print which features of a set are on "
        "and draw them over the screen: tiles, blobs, objects.",
    )
    top.add_argument("game", help="id of the game, such as glowdelve or pong")
    top.add_argument(
        "--set",
        dest="name",
        default="blob-prost",
        metavar="SET",
        help=f"one of {', '.join(features.SETS)} (default: %(default)s)",
    )
    top.add_argument("--out", type=Path, help="the picture (default: GAME-SET.png)")
    top.add_argument(
        "--steps",
        type=positive,
        default=60,
        help="steps of 5 frames before the picture (default: %(default)s)",
    )
    top.add_argument(
        "--seed", type=int, default=0, help="seed of the game, the actions and the set (default: %(default)s)"
    )
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Play, print, draw."""
    features.check(given.name)
    out = given.out or Path(f"{given.game}-{given.name}.png")
    env = AtariEnv(given.game, frameskip=FRAMESKIP)
    fs = features.make(given.name, given.game, seed=given.seed)
    read = env.ale.getRAM if given.name == "ram" else env.ale.getScreen
    env.reset(seed=given.seed)
    env.action_space.seed(given.seed)
    for _ in range(given.steps):
        fs(read())
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
            fs.reset()
    picture, indices = features.picture(fs, read())
    print(f"{given.name}: {len(fs):,} features, {len(indices):,} on")
    kinds = Counter(fs.describe(int(index))[0] for index in indices)
    for kind, count in kinds.most_common():
        print(f"  {kind:10} {count:8,}")
    _png.save(out, picture)
    print(f"picture: {out.resolve()}")
    return 0
