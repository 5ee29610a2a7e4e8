"""`ale-rs plan`: a planner plays a game."""

import argparse
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ale_rs import _png, planning, roms
from ale_rs._native import ALEInterface
from ale_rs._progress import Progress
from ale_rs.cli.demo import positive
from ale_rs.enums import LoggerMode
from ale_rs.env import AtariEnv
from ale_rs.video import open_video
from ale_rs.window import Window

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Viewer = Callable[[ALEInterface], None]

OPTIONS = {
    "full-tree": ("frames", "discount", "threads"),
    "uct": ("simulations", "depth_frames", "discount", "threads"),
    "iw": ("frames", "discount", "atoms", "threads"),
    "rollout-iw": ("frames", "seconds", "discount", "atoms", "risk_averse"),
}
"""Which flags a planner has."""

FRAMESKIP = {"full-tree": 5, "uct": 5, "iw": 5, "rollout-iw": 15}
"""Frames of a decision in the papers."""


def add_cli(commands: "Commands") -> None:
    """Add `plan` to the command line."""
    top = commands.add_parser(
        "plan",
        help="let a planner play a game",
        description="A planner searches in the emulator before each decision and plays. Print score, "
        "decisions and speed of each episode; show it in a window or record it. Without budget flags the "
        "planner has the budget of its paper.",
        epilog="example: ale-rs plan glowdelve --seconds 0.1 --max-frames 600 --record glowdelve.gif",
    )
    top.add_argument("game", help='id of a game such as "pong", or the path of a ROM file')
    top.add_argument(
        "--planner", choices=planning.PLANNERS, default="rollout-iw", help="default: %(default)s"
    )
    budget = top.add_argument_group("budget of a decision")
    budget.add_argument("--frames", type=int, help="emulated frames (full-tree, iw, rollout-iw)")
    budget.add_argument("--seconds", type=float, help="wall-clock time (rollout-iw)")
    budget.add_argument("--simulations", type=int, help="visits of the root (uct)")
    search = top.add_argument_group("search")
    search.add_argument("--depth-frames", type=int, help="frames to the horizon (uct)")
    search.add_argument("--discount", type=float, help="discount per decision")
    search.add_argument(
        "--atoms", choices=("ram", "bprost"), help="what novelty is measured on (iw, rollout-iw)"
    )
    search.add_argument(
        "--risk-averse", action="store_const", const=True, help="fear lost lives and points (rollout-iw)"
    )
    search.add_argument("--threads", type=int, help="threads (full-tree, uct, iw)")
    game = top.add_argument_group("game")
    game.add_argument("--seed", type=int, default=0, help="seed of game and planner (default: %(default)s)")
    game.add_argument("--episodes", type=positive, default=1, help="episodes (default: %(default)s)")
    game.add_argument(
        "--max-frames", type=positive, default=18_000, help="frames of an episode (default: %(default)s)"
    )
    game.add_argument(
        "--frameskip", type=positive, help="frames of a decision (default: 5, for rollout-iw 15)"
    )
    game.add_argument(
        "--sticky", type=float, default=0.0, help="probability of sticky actions (default: %(default)s)"
    )
    game.add_argument(
        "--minimal-actions", action="store_true", help="only the actions that the game uses, not all 18"
    )
    top.add_argument("--watch", action="store_true", help="show the game in a window (needs pygame)")
    top.add_argument("--scale", type=positive, default=2, help="size of the window (default: %(default)s)")
    top.add_argument("--record", type=Path, metavar="FILE", help="record the screen to a .gif or .mp4")
    top.add_argument("--tree", type=Path, metavar="FILE", help="draw the tree of the last search as PNG")
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Play the episodes."""
    ALEInterface.setLoggerMode(LoggerMode.Error)
    roms.find(given.game)  # a mistake in the name is told in one line
    env = AtariEnv(
        given.game,
        frameskip=given.frameskip or FRAMESKIP[given.planner],
        repeat_action_probability=given.sticky,
        full_action_space=not given.minimal_actions,
        max_num_frames_per_episode=given.max_frames,
        sound_obs=given.record is not None,
    )
    planner = planning.make(given.planner, env, seed=given.seed, **options(given))
    scores = []
    trees: list[planning.Tree] = []
    with contextlib.ExitStack() as stack:
        watch = _watch(given, env, stack)
        for episode in range(given.episodes):
            env.reset(seed=given.seed + episode)
            with Progress(given.max_frames, f"episode {episode + 1}") as bar:

                def report(so_far: planning.Episode, bar: Progress = bar) -> None:
                    bar.update(so_far.frames, text(so_far))
                    if given.tree is not None:
                        trees[:] = [planner.tree()]

                played = planning.play(env, planner, watch=watch, report=report)
            print(f"episode {episode + 1}: {text(played)}, {played.seconds:.1f} s", flush=True)
            scores.append(played.score)
    if len(scores) > 1:
        print(f"mean score of {len(scores)} episodes: {sum(scores) / len(scores):,.1f}")
    if given.tree is not None:
        _png.save(given.tree, planning.draw(trees[-1]))
    for path in (given.record, given.tree):
        if path is not None:
            print(f"wrote {path}")
    return 0


def options(given: argparse.Namespace) -> dict[str, Any]:
    """The flags that were given, as options of the planner.

    Raises:
        ValueError: the planner has no such flag.
    """
    names = sorted({name for names in OPTIONS.values() for name in names})
    found = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    own = OPTIONS[given.planner]
    for name in found:
        if name not in own:
            accepted = ", ".join(_flag(name) for name in own)
            raise ValueError(f"{given.planner} has no {_flag(name)}; accepted: {accepted}")
    return found


def text(played: planning.Episode) -> str:
    """A line about an episode."""
    each = played.emulated / max(played.decisions, 1)
    speed = played.emulated / max(played.seconds, 1e-9)
    return (
        f"score {played.score:,.0f}, {played.decisions:,} decisions, {played.frames:,} frames, "
        f"{each:,.0f} frames/decision, {speed:,.0f} frames/s"
    )


def _watch(given: argparse.Namespace, env: AtariEnv, stack: contextlib.ExitStack) -> Viewer | None:
    """What to do after each frame of the game; nothing without a window and a recording."""
    viewers: list[Viewer] = []
    if given.watch:
        height, _ = env.ale.getScreenDims()
        try:
            window = Window(height, 60, given.scale, f"{given.game}: {given.planner}")
        except RuntimeError as error:
            raise ValueError(error) from error
        stack.callback(window.close)
        viewers.append(lambda ale: window.show(ale.getScreenRGB()))
    if given.record is not None:
        video = open_video(given.record)
        stack.callback(video.close)
        viewers.append(video.add)
    if not viewers:
        return None

    def watch(ale: ALEInterface) -> None:
        for viewer in viewers:
            viewer(ale)

    return watch


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
