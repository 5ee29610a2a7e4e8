"""The command `ale-rs`.

Each subcommand lives in the module it belongs to, which has a function `add_cli(commands)`: it adds its
parser and sets the default `run`, a function from the parsed arguments to the exit code.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from ale_rs import __version__, play
from ale_rs.cli import (
    bench,
    check,
    crafter,
    demo,
    doctor,
    evaluate,
    features,
    figures,
    games,
    plan,
    report,
    reproduce,
    roms,
    score,
    train,
)

__all__ = ["main"]

DESCRIPTION = "Atari 2600 games for reinforcement learning, equal to ale-py and several times faster."
EPILOG = """\
first steps:
  ale-rs demo                 play many games at once and draw a picture of them
  ale-rs roms list            which games are ready to play
  ale-rs roms install         fetch the ROMs of the other games
  ale-rs doctor               what is installed, used and missing
  ale-rs COMMAND --help       what a command can do
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="ale-rs",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"ale-rs {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    # In the order of the help.
    first, last = (
        (demo, roms, games, play, plan, train, features, crafter),
        (evaluate, score, report, figures, reproduce, check, bench, doctor),
    )
    for module in (*first, *last):
        module.add_cli(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Returns:
        0 for success (without a command the list of them is printed), 1 for a user's mistake, 2 for a wrong
        call, 130 for Ctrl-C.
    """
    top = parser()
    given = top.parse_args(arguments)
    if not hasattr(given, "run"):
        top.print_help()
        return 0
    try:
        code: int = given.run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe has seen enough (`ale-rs roms list | head`); nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError) as error:
        if os.environ.get("ALE_RS_TRACEBACK"):
            raise
        print(f"ale-rs: {error}", file=sys.stderr)
        return 1
    return code
