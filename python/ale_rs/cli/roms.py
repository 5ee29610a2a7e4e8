"""`ale-rs roms`: list, install, import and find ROMs."""

import argparse
import sys
from typing import TYPE_CHECKING

from ale_rs import _fetch, roms

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SHOWN = 20
"""How many unknown files are listed unless all are asked for."""

LONGEST = 400
"""Characters of a name that are printed at most."""


def add_cli(commands: "Commands") -> None:
    """Add `roms` to the command line."""
    top = commands.add_parser(
        "roms", help="list, install, import and find ROMs", description="List, install, import and find ROMs."
    )
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    listing = verbs.add_parser(
        "list",
        help="a table of all games and where each was found",
        description="Print a table of all games and where the ROM of each was found.",
    )
    listing.add_argument("--missing", action="store_true", help="only the games without a ROM")
    listing.set_defaults(run=run_list)

    installing = verbs.add_parser(
        "install",
        help="fetch the ROMs that ale-py brings",
        description=f"Download the wheel of {_fetch.REQUIREMENT} with pip, copy the ROMs in it into the "
        "directory of the user's ROMs, and delete the wheel. No package is installed.",
    )
    installing.set_defaults(run=run_install)

    importing = verbs.add_parser(
        "import",
        help="copy known ROMs from a directory or zip file",
        description="Look through a directory (with all below it), a zip file or a ROM file, and copy every "
        "ROM that is known by its checksum into the directory of the user's ROMs.",
    )
    importing.add_argument("source", metavar="DIR", help="a directory, a zip file or a ROM file")
    importing.add_argument("--verbose", action="store_true", help=f"list all unknown files, not only {SHOWN}")
    importing.set_defaults(run=run_import)

    where = verbs.add_parser(
        "where",
        help="print the path of a game's ROM",
        description="Print the path of a game's ROM.",
    )
    where.add_argument("game", metavar="GAME", help='the id of a game, for example "pong"')
    where.set_defaults(run=run_where)


def run_list(given: argparse.Namespace) -> int:
    """Print the table of games."""
    games = sorted({*roms.get_all_rom_ids(), *roms.embedded_ids()})
    places = {game: roms.locate(game) for game in games}
    width = max(map(len, games))
    for game, place in places.items():
        if place is None or not given.missing:
            print(f"{game:{width}}  {place or 'missing'}")
    missing = sum(place is None for place in places.values())
    print(f"\n{len(games) - missing} of {len(games)} games found, {missing} missing.", file=sys.stderr)
    if missing:
        print(roms.how_to_get("What is missing"), file=sys.stderr)
    return 0


def run_install(_: argparse.Namespace) -> int:
    """Fetch the ROMs of ale-py."""
    print(f"downloading {_fetch.REQUIREMENT} (about 5 MB) ...", file=sys.stderr)
    report = _fetch.install()
    print(
        f"{len(report.copied)} ROMs copied to {roms.user_directory()}, "
        f"{len(report.present)} present before; nothing was installed."
    )
    return 0


def run_import(given: argparse.Namespace) -> int:
    """Import ROMs and say what was done."""
    report = roms.import_roms(given.source)
    for game, where in sorted(report.copied.items()):
        print(f"copied   {game}  from {printable(where)}")
    if report.present:
        print(f"present  {len(report.present)} games were imported before")
    listed = list(report.unknown.items())
    for where, reason in listed if given.verbose else listed[:SHOWN]:
        print(f"unknown  {printable(where)}: {printable(reason)}")
    if len(listed) > SHOWN and not given.verbose:
        print(f"unknown  ... and {len(listed) - SHOWN} more (--verbose lists them)")
    print(
        f"\n{len(report.copied)} copied to {roms.user_directory()}, "
        f"{len(report.present)} present before, {len(listed)} unknown."
    )
    return 0 if report.copied or report.present else 1


def printable(text: str) -> str:
    r"""A text from a stranger as a terminal may have it, with escapes for all that is no letter.

    >>> printable("a" + chr(27) + "[2J.bin")
    'a\\x1b[2J.bin'
    """
    escaped = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )
    return escaped if len(escaped) <= LONGEST else f"{escaped[: LONGEST // 2]}...{escaped[-LONGEST // 2 :]}"


def run_where(given: argparse.Namespace) -> int:
    """Print where the ROM of a game is."""
    print(roms.load(given.game).where)
    return 0
