"""`ale-rs report`: one HTML page of run logs."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs.cli import score
from ale_rs.evaluation.page_data import BASELINES, baseline
from ale_rs.evaluation.report import report

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_cli(commands: "Commands") -> None:
    """Add `report` to the command line."""
    top = commands.add_parser(
        "report",
        help="one HTML page of run logs",
        description="Write a page with aggregates and their intervals, profiles, comparisons, Atari-k "
        "estimates, scores per game, what was run, and warnings. It needs no network and embeds its numbers.",
        epilog=f"Published results: {', '.join(BASELINES)}, or TABLE/COLUMN of the tables in references/.",
    )
    score.add_runs(top)
    top.add_argument("--out", default="report.html", help="the page (default: %(default)s)")
    top.add_argument(
        "--baseline", action="append", default=[], metavar="NAME", help="a published result to compare with"
    )
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the page."""
    for name in given.baseline:
        baseline(name)
    settings = replace(score.settings(given), baselines_shown=tuple(given.baseline))
    before = Path(given.out).exists()
    data = report(given.runs, given.out, settings=settings)
    agents = {agent for section in data["protocols"] for agent in section["agents"]}
    games = {game["game"] for section in data["protocols"] for game in section["games"]}
    counts = f"{len(data['protocols'])} protocols, {len(agents)} agents, {len(games)} games"
    print(f"{given.out}: {counts}{'; replaces the report that was there' if before else ''}")
    for section in data["protocols"]:
        for line in section["warnings"]:
            print(f"! {section['name']}: {line}")
    return 0
