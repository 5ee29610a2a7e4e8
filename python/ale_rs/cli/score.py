"""`ale-rs score`: the tables of run logs on the terminal."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from ale_rs.cli._table import table
from ale_rs.evaluation.page_data import Settings, gather

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_cli(commands: "Commands") -> None:
    """Add `score` to the command line."""
    top = commands.add_parser(
        "score",
        help="the tables of run logs on the terminal",
        description="Scores per game and aggregates of run logs, each protocol by itself.",
    )
    add_runs(top)
    top.add_argument("--json", action="store_true", help="everything as JSON")
    top.set_defaults(run=run_score)


def add_runs(top: argparse.ArgumentParser) -> None:
    """The options that `score` and `report` share."""
    top.add_argument("runs", metavar="RUNS", nargs="*", help="run logs, or CSV: agent,game,score")
    top.add_argument("--normalise", default="human", help="human, random, baseline or inter (default: human)")
    top.add_argument("--reference", default="atari57", help="table of random and human scores")
    top.add_argument("--baselines", metavar="CSV", help="scores of the reference set of --normalise baseline")
    top.add_argument("--quick", action="store_true", help="2,000 replicates instead of 50,000")
    top.add_argument("--partial", action="store_true", help="score trials with too few evaluation episodes")
    top.add_argument(
        "--force", action="store_true", help="score logs with other settings than the protocol's; marked"
    )
    top.add_argument("--trials", type=int, help="take the first trials of each game only")
    top.add_argument(
        "--games", nargs="+", metavar="GAME", help="aggregate over these; every agent must have them all"
    )
    top.add_argument("--protocol", metavar="P", help="score logs that name no protocol under this one")


def settings(given: argparse.Namespace) -> Settings:
    """The options as settings of a report."""
    return Settings(
        normalise=given.normalise, reference=given.reference, quick=given.quick, partial=given.partial,
        force=given.force, trials=given.trials, baselines=given.baselines, protocol=given.protocol,
        games=None if given.games is None else tuple(given.games),
    )  # fmt: skip


def run_score(given: argparse.Namespace) -> int:
    """Print the tables."""
    data = gather(given.runs, settings(given))
    if given.json:
        print(json.dumps(data, indent=1, ensure_ascii=False))
        return 0
    for section in data["protocols"]:
        print(f"{section['name']} ({section['kind']})")
        print(_aggregates(section, data["settings"]["normalise"]))
        print(_games(section))
        for line in section["warnings"]:
            print(f"! {line}")
        print()
    return 0


def _aggregates(section: dict[str, Any], how: str) -> str:
    rows = []
    names = [entry["metric"] for entry in next(iter(section["aggregates"].values()), [])]
    for agent, found in section["aggregates"].items():
        cells = [agent]
        for entry in found:
            ends = f" [{entry['low']:.3f}, {entry['high']:.3f}]" if entry["low"] is not None else ""
            cells.append("-" if entry["value"] is None else f"{entry['value']:.3f}{ends}")
        rows.append(cells)
    return table([f"agent ({how})", *names], rows) + "\n" if rows else ""


def _games(section: dict[str, Any]) -> str:
    agents = section["agents"]
    rows = []
    for game in section["games"]:
        cells = [game["game"]]
        for agent in agents:
            found = game["scores"].get(agent)
            if found is None or found["mean"] is None:
                cells.append("-" if found is None else f"0 of {found['of']}")
                continue
            spread = f" ± {found['sd']:,.1f}" if found["trials"] > 1 else ""
            short = f" ({found['trials']} of {found['of']})" if found["trials"] < found["of"] else ""
            cells.append(f"{found['mean']:,.1f}{spread}{short}")
        rows.append(cells)
    return table(["game", *agents], rows) if rows else "no score yet"
