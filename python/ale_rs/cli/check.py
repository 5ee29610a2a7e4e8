"""`ale-rs check`, `ale-rs subset`, `ale-rs log`: problems of logs; a search; recorded games as logs."""

import argparse
import math
from typing import TYPE_CHECKING

from ale_rs.cli._table import table
from ale_rs.evaluation import runlog
from ale_rs.evaluation.dataset import read_dataset
from ale_rs.evaluation.recordings import log_recording
from ale_rs.evaluation.search import search_subset

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_cli(commands: "Commands") -> None:
    """Add `check`, `subset` and `log` to the command line."""
    checks = commands.add_parser(
        "check",
        help="check run logs: schema, gaps, duplicates, unfinished trials",
        description="Read run logs and print every problem with file and line. Exit codes: 0 nothing is "
        "wrong, 1 a log cannot be used, 3 a trial is unfinished.",
    )
    checks.add_argument("runs", metavar="RUNS", nargs="+", help="directories or files of run logs")
    checks.set_defaults(run=run_check)
    search = commands.add_parser(
        "subset",
        help="search the games that predict a target best",
        description="Try all subsets of games and print the one whose scores predict the target best "
        "(Algorithm 1 of the Atari-5 paper).",
    )
    search.add_argument("scores", metavar="SCORES.csv", help="columns Algorithm, Game, Normalized (percent)")
    search.add_argument("--size", type=int, default=5, help="games of the subset (default: %(default)s)")
    search.add_argument("--target", choices=("median", "mean"), default="median", help="what is predicted")
    search.add_argument(
        "--folds", type=int, default=10, help="of the cross-validation (default: %(default)s)"
    )
    search.add_argument("--min-games", type=int, default=40, help="least games of an algorithm (default: 40)")
    search.add_argument(
        "--min-algorithms", type=int, default=40, help="least algorithms of a game (default: 40)"
    )
    search.add_argument("--negative", action="store_true", help="allow negative coefficients")
    search.set_defaults(run=run_subset)
    recorded = commands.add_parser(
        "log",
        help="turn recorded games into a run log",
        description="Turn an action log of `ale-rs play --log`, or stats.jsonl of Crafter's recorder, into a "
        "run log, so that a person's play is scored like an agent's.",
    )
    recorded.add_argument("recording", metavar="FILE", help="the recording")
    recorded.add_argument("--out", default="runs", help="directory of the logs (default: %(default)s)")
    recorded.add_argument("--agent", default="human", help="name of the player (default: %(default)s)")
    recorded.add_argument("--seed", type=int, default=0, help="number of the trial (default: 0)")
    recorded.add_argument("--protocol", help="the protocol that the games were played under")
    recorded.set_defaults(run=run_log)


def run_check(given: argparse.Namespace) -> int:
    """Print every problem; 1 if a log cannot be used, 3 if one is unfinished."""
    problems = runlog.check(*given.runs)
    for problem in problems:
        print(f"{'!' if problem.severe else '-'} {problem}")
    count = sum(1 for _ in runlog.files(given.runs))
    severe = sum(problem.severe for problem in problems)
    print(f"{count} logs, {severe} problems, {len(problems) - severe} notes")
    return 1 if severe else 3 if problems else 0


def run_log(given: argparse.Namespace) -> int:
    """Write the run log of a recording."""
    path = log_recording(
        given.recording, given.out, agent=given.agent, seed=given.seed, protocol=given.protocol
    )
    log = runlog.read(path)
    print(
        f"{path}: {len(log.episodes)} games, returns {', '.join(f'{e.score:g}' for e in log.episodes[:10])}"
    )
    return 0


def run_subset(given: argparse.Namespace) -> int:
    """Search, and print the best subset."""
    data = read_dataset(given.scores)
    found = search_subset(
        data, given.size, given.target, non_negative=not given.negative, folds=given.folds,
        min_games=given.min_games, min_algorithms=given.min_algorithms, keep=5,
    )  # fmt: skip
    rows = [[game, f"{c:.4f}"] for game, c in zip(found.games, found.coefficients, strict=True)]
    print(table(["game", "coefficient"], rows))
    error = 100 * math.log(10) * found.fit.cv_mae
    print(f"cv_mse {found.cv_mse:.7f}, R² {found.fit.r2:.3f}, relative error {error:.1f} %")
    print(f"{found.subsets:,} subsets tried, {found.non_negative:,} pass the sign rule; the next best:")
    for games, value in found.next_best:
        print(f"  {value:.7f}  {', '.join(games)}")
    return 0
