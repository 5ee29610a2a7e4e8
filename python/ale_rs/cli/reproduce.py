"""`ale-rs reproduce`: the papers' tables, played again and compared cell by cell."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs.cli._table import table

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

UNFINISHED = 3
FAILED = 4
HEAD = ("game", "published", "ours", "n", "band", "verdict", "why")


def add_cli(commands: "Commands") -> None:
    """Add `reproduce` to the command line."""
    top = commands.add_parser(
        "reproduce",
        help="play a paper's table again and compare it with the printed one",
        description="Play or compute a table of a paper, compare it cell by cell, say which cells are equal, "
        "inside their band, outside, or differ for a known reason. Starting again goes on where the last "
        "start ended. Exit codes: 0 done, 3 not everything was played, 4 a row is worse (--against).",
    )
    top.add_argument("name", nargs="?", metavar="NAME", help="what to reproduce; --list names all")
    top.add_argument("--list", action="store_true", help="list what there is, one line each")
    top.add_argument("--games", nargs="+", metavar="GAME", help="only these games or subsets")
    top.add_argument(
        "--out", default="reproductions", metavar="DIR", help="directory of run logs (%(default)s)"
    )
    top.add_argument("--hours", type=float, metavar="H", help="start nothing new after so long")
    top.add_argument("--workers", type=int, default=1, metavar="N", help="processes that play at once (1)")
    top.add_argument("--ray", nargs="?", const=True, default=False, metavar="ADDRESS", help="play on Ray")
    top.add_argument("--episodes", type=int, metavar="N", help="episodes of a trial; marked as shortened")
    top.add_argument(
        "--trials", type=int, metavar="N", help="trials of a game; fewer are marked as shortened"
    )
    top.add_argument("--frames", type=int, metavar="N", help="frames of training; marked as shortened")
    top.add_argument("--estimate", action="store_true", help="say what it will take, play nothing")
    top.add_argument("--against", metavar="DIR", help="fail if a row that was equal or inside there is not")
    top.add_argument("--keep", metavar="DIR", help="keep rows and packed logs there, for --page")
    top.add_argument("--page", nargs=2, metavar=("DIR", "FILE"), help="write the page from what was kept")
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """List, play, or write the page."""
    from ale_rs import reproduce
    from ale_rs.reproduce import bands, page
    from ale_rs.reproduce.kept import keep, worse

    if given.list:
        width = max(map(len, reproduce.catalogue()))
        for name, item in reproduce.catalogue().items():
            print(f"{name:{width}}  {item.title} ({item.table})")
        return 0
    if given.page:
        reproduce.write_page(*given.page)
        print(f"{given.page[1]}: written from {given.page[0]}")
        return 0
    if given.name is None:
        raise ValueError("name what to reproduce; ale-rs reproduce --list names all")
    for name in ("workers", "episodes", "trials", "frames"):
        value = getattr(given, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name} is {value}; accepted: 1 and more")
    if given.hours is not None and not given.hours > 0:
        raise ValueError(f"--hours is {given.hours}; accepted: more than 0")
    item = reproduce.entry(given.name)
    print(f"{item.title} ({item.table})")
    found = len(reproduce.finished(Path(given.out) / item.name))
    done = f"; {found:,} trials are finished in {given.out}" if found else ""
    pace = reproduce.pace() if item.kind != "analysis" or item.frames else 1.0
    cost = reproduce.estimate(
        item, given.games, given.workers, pace=pace,
        episodes=given.episodes, trials=given.trials, frames=given.frames,
    )  # fmt: skip
    print(f"takes {cost}{done}", flush=True)
    if given.estimate:
        return 0
    result = reproduce.run(
        item, games=given.games, out=given.out, hours=given.hours, workers=given.workers, ray=given.ray,
        episodes=given.episodes, trials=given.trials, frames=given.frames, quiet=not sys.stderr.isatty(),
    )  # fmt: skip
    print(table(HEAD, [page.shown(row) for row in result.rows]))
    verdicts = [row.verdict for row in result.rows]
    print(", ".join(f"{verdicts.count(name)} {name}" for name in reproduce.VERDICTS if name in verdicts))
    good, of, percent = bands.share(result.rows)
    if of:
        print(f"equal or inside: {good} of {of}, {percent}")
    for note in result.notes:
        print(f"note: {note}", file=sys.stderr)
    if given.keep:
        print(f"kept: {keep(result, Path(given.out) / item.name, given.keep, _command(given))}")
    poorer = [] if given.against is None else worse(result, given.against)
    for text in poorer:
        print(f"worse: {text}", file=sys.stderr)
    if poorer:
        return FAILED
    return 0 if result.complete else UNFINISHED


def _command(given: argparse.Namespace) -> str:
    """The command without what has no influence on the numbers, and without its games."""
    words = ["ale-rs reproduce", given.name]
    words += [
        f"--{name} {value}" for name in ("episodes", "trials", "frames") if (value := getattr(given, name))
    ]
    return " ".join(words)
