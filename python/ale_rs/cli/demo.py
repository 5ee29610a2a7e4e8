"""`ale-rs demo`: many games at once, the speed, and a picture of all of them."""

import argparse
import itertools
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ale_rs import __version__, _png, roms
from ale_rs._progress import progress
from ale_rs.vector_env import AtariVectorEnv

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FRAMESKIP = 4
COLUMNS = 8

FAMOUS = (
    "pong", "breakout", "space_invaders", "ms_pacman", "montezuma_revenge", "pitfall", "qbert", "seaquest",
    "asteroids", "beam_rider", "enduro", "freeway", "frostbite", "boxing", "riverraid", "kung_fu_master",
)  # fmt: skip
"""The games of the mixed batch, as far as their ROMs are found."""


def add_cli(commands: "Commands") -> None:
    """Add `demo` to the command line."""
    top = commands.add_parser(
        "demo",
        help="play many games at once and draw a picture of them",
        description="Play the games that are part of ale_rs with random actions, then (if their ROMs are "
        "found) a mixed batch of famous ones; print the speed and draw a contact sheet of all environments.",
    )
    top.add_argument(
        "--steps", type=positive, default=1000, help="steps of each environment (default: %(default)s)"
    )
    top.add_argument(
        "--envs", type=positive, default=16, help="environments of a batch (default: %(default)s)"
    )
    top.add_argument("--threads", type=int, default=0, help="worker threads (default: one for each core)")
    top.add_argument(
        "--seed", type=int, default=0, help="seed of the games and actions (default: %(default)s)"
    )
    top.add_argument(
        "--out", type=Path, default=Path("ale-rs-demo.png"), help="the picture (default: %(default)s)"
    )
    top.set_defaults(run=run)


def positive(text: str) -> int:
    """An argument that is a whole number above zero."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


def run(given: argparse.Namespace) -> int:
    """Play the batches and draw the sheet."""
    if given.out.suffix.lower() != ".png":
        raise ValueError(f"--out is {given.out}; accepted: a name that ends with .png")
    given.out.touch()  # a path that cannot be written is told now and not after the games
    print(f"ale_rs {__version__}")
    shown = play("games of our own", roms.embedded_ids(), given)
    famous = [game for game in FAMOUS if roms.locate(game) is not None]
    if famous:
        shown += play("famous games", famous, given)
    else:
        print("famous games: no ROMs found; `ale-rs roms install` brings them")
    names = [game.replace("_", " ") for game, _ in shown]
    _png.save(given.out, _png.tile([picture for _, picture in shown], COLUMNS, names=names))
    print(f"picture of all environments: {given.out.resolve()}")
    return 0


def play(title: str, games: list[str], given: argparse.Namespace) -> list[tuple[str, NDArray[np.uint8]]]:
    """Play one batch with random actions and return game and screen of its environments."""
    batch = list(itertools.islice(itertools.cycle(games), given.envs))
    print(f"{title}: {', '.join(dict.fromkeys(batch))}")
    env = AtariVectorEnv(batch, given.envs, num_threads=given.threads, frameskip=FRAMESKIP)
    env.action_space.seed(given.seed)
    env.reset(seed=given.seed)
    episodes = 0
    start = time.perf_counter()
    for _ in progress(given.steps, f"  {given.envs} environments"):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        episodes += int((terminated | truncated).sum())
    seconds = time.perf_counter() - start
    frames = given.steps * given.envs * FRAMESKIP
    print(f"  {frames:,} frames in {seconds:.2f} s: {frames / seconds:,.0f} frames per second", end="")
    print(f"; {episodes} {'episode' if episodes == 1 else 'episodes'} ended")
    shown = [(game, env.screen(index)) for index, game in enumerate(batch)]
    env.close()
    return shown
