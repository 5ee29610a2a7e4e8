"""`ale-rs figures`: the papers' figures from logs, published tables and the Atari-5 data set."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs.evaluation.dataset import ENVIRONMENT, read_dataset
from ale_rs.evaluation.figures import write_figures
from ale_rs.evaluation.runlog import load

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_cli(commands: "Commands") -> None:
    """Add `figures` to the command line."""
    top = commands.add_parser(
        "figures",
        help="draw the papers' figures from logs and published tables",
        description="Write every figure that the input suffices for: from published tables always, learning "
        f"curves from logs, those of the Atari-5 paper where {ENVIRONMENT} names its data set.",
    )
    top.add_argument("runs", metavar="RUNS", nargs="*", help="directories of run logs")
    top.add_argument("--out", default="figures", help="directory of the pictures (default: %(default)s)")
    top.add_argument("--format", choices=("svg", "png"), default="svg", help="PNG needs matplotlib")
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write them, and say which."""
    data = read_dataset() if os.environ.get(ENVIRONMENT) else None
    runs = load(*given.runs) if given.runs else None
    before = set(Path(given.out).glob("*"))
    written = write_figures(runs, given.out, data=data, kind=given.format)
    for path in written:
        print(f"{path}{' (replaced)' if path in before else ''}")
    if data is None:
        print(f"(the figures of the Atari-5 paper need its data set: set {ENVIRONMENT} to dataset.csv)")
    return 0
