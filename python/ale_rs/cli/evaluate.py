"""`ale-rs evaluate`: play all trials of an agent under a protocol; and `ale-rs protocols`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ale_rs.cli._table import table
from ale_rs.evaluation import agents, cost, jobs, runlog, sweep
from ale_rs.evaluation._data import toml_value
from ale_rs.evaluation.protocol import Protocol, protocol, protocols

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

UNFINISHED = 3
WRONG = 2
MEASURED_SECONDS = 10.0
GLANCE_SECONDS = 1.0


def add_cli(commands: "Commands") -> None:
    """Add `evaluate` and `protocols` to the command line."""
    top = commands.add_parser(
        "evaluate",
        help="play an agent under a paper's protocol and write run logs",
        description="Play all trials of an agent on games under a protocol and write one run log per trial. "
        "Starting again goes on where the last start ended; finished trials are left alone.",
        epilog=f"AGENT: {', '.join(agents.BUILT_IN)} (const:FIRE, perturb:FIRE, sarsa:blob-prost), "
        "baselines (all 37 reference policies), or module:factory of your own. Exit codes: 0 complete, "
        "3 some trials are unfinished, 2 wrong arguments.",
    )
    top.add_argument("agent", metavar="AGENT", help="a built-in name, or module:factory")
    top.add_argument(
        "--protocol", default="machado2018", metavar="P", help="name or TOML file (default: %(default)s)"
    )
    top.add_argument(
        "--games",
        nargs="+",
        metavar="GAME",
        help="subsets and games; --games=atari57,-pong leaves one out (default: what the protocol names)",
    )
    top.add_argument("--trials", type=int, help="trials per game (default: the protocol's)")
    top.add_argument("--out", default="runs", help="directory of the logs (default: %(default)s)")
    top.add_argument("--workers", type=int, default=1, help="processes that play at once (default: 1)")
    top.add_argument(
        "--ray", nargs="?", const=True, default=False, metavar="ADDRESS", help="play on a Ray cluster"
    )
    top.add_argument(
        "--config", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the agent"
    )
    top.add_argument("--name", help="what logs call the agent (default: its name)")
    top.add_argument(
        "--partial", action="store_true", help="also score trials with too few evaluation episodes"
    )
    top.add_argument("--estimate", action="store_true", help="say what it will take, play nothing")
    top.add_argument("--quiet", action="store_true", help="no progress")
    top.set_defaults(run=run)
    listed = commands.add_parser(
        "protocols",
        help="list the protocols, or show one",
        description="The protocols: how a trial is run and which number is made of it.",
    )
    listed.add_argument("name", nargs="?", help="show this one as TOML")
    listed.set_defaults(run=run_protocols)


def run(given: argparse.Namespace) -> int:
    """Play, and print the scores; 3 if a trial is unfinished."""
    try:
        rules = protocol(given.protocol)
        config = dict(map(_setting, given.config))
        if given.agent == "baselines":
            if given.name or config:
                raise ValueError("baselines are 37 agents: --name and --config do not apply")
            chosen: Any = agents.baselines()
        else:
            chosen = [agents.agent(given.agent, config, as_name=given.name)]
        listed = sweep.jobs_of(chosen, rules, given.games, trials=given.trials)
        if given.workers < 1:
            raise ValueError(f"--workers is {given.workers}, accepted: 1 and more")
    except ValueError as error:
        print(f"ale-rs: {error}", file=sys.stderr)
        return WRONG
    left = sweep.unfinished(listed, given.out)
    if given.estimate or (left and not given.quiet):
        _tell_cost(left, given)
    if given.estimate:
        return 0
    result = sweep.evaluate(
        chosen, rules, given.games, trials=given.trials, out=given.out, workers=given.workers, ray=given.ray,
        quiet=given.quiet,
    )  # fmt: skip
    for note in result.notes:
        print(f"note: {note}", file=sys.stderr)
    for failure in result.failed:
        print(f"failed: {failure.job}: {failure.error}", file=sys.stderr)
    print(f"{result.out}: {result.played} trials played, {result.skipped} finished before", end="")
    print(f", {len(result.failed)} failed (see errors.jsonl)" if result.failed else "")
    print_scores(rules, given.out, [spec.name for spec in chosen], given.partial)
    if given.agent == "baselines" and result.complete:
        path = sweep.write_baselines(rules, given.out)
        print(f"{path}: the reference set of --normalise baseline")
    return 0 if result.complete else UNFINISHED


def _tell_cost(left: list[jobs.Job], given: argparse.Namespace) -> None:
    if given.estimate:
        if not left:
            print("every trial is finished; nothing is left to play")
        else:
            print(cost.estimate_cost(left, given.workers, MEASURED_SECONDS))
        return
    print(cost.estimate_cost(left, given.workers, GLANCE_SECONDS), file=sys.stderr, flush=True)


def _setting(text: str) -> tuple[str, Any]:
    """`key=value`; the value is TOML, or else text.

    >>> _setting("frames=1_000"), _setting("planner=uct")
    (('frames', 1000), ('planner', 'uct'))
    """
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ValueError(f'--config is "{text}", accepted: KEY=VALUE')
    return key, toml_value(value)


def run_protocols(given: argparse.Namespace) -> int:
    """List the protocols, or print one."""
    if given.name is not None:
        print(protocol(given.name).text, end="")
        return 0
    for name in protocols():
        rules = protocol(name)
        budget = ", ".join(f"{value:,} {key}" for key, value in rules.budget.items()) or "no training"
        print(f"{name:26} {rules.kind:20} {budget:22} {rules.trials:2} trials  {rules.report_on or ''}")
    return 0


def print_scores(rules: Protocol, out: str | os.PathLike[str], agents: Sequence[str], partial: bool) -> None:
    """The scores of some agents under a protocol, for the end of a sweep."""
    place = Path(out).expanduser() / rules.name
    if not place.exists():
        return
    runs = runlog.load(place)
    logs = runlog.RunSet(tuple(log for log in runs if log.run.agent in agents))
    scored = rules.scores(logs, partial=partial)
    rows = [
        [
            row.agent, row.game, str("" if row.checkpoint is None else row.checkpoint),
            "-" if row.mean is None else f"{row.mean:,.2f}", f"{row.sd:,.2f}" if row.trials > 1 else "",
            f"{row.trials} of {row.of}", str(row.episodes),
        ]
        for row in scored.summary()
    ]  # fmt: skip
    if rows:
        print(table(["agent", "game", "checkpoint", "mean", "sd", "trials", "episodes"], rows, left=2))
