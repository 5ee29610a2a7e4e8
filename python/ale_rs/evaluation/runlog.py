"""Run logs: one file of JSON lines per trial, written line by line, checked whenever they are read.

>>> import tempfile; root = tempfile.mkdtemp()
>>> run = Run("dqn", "pong", seed=3, protocol="machado2018")
>>> with Writer(root, run) as log:
...     log.episode("train", -19.0, frames=4260, steps=852, terminated=True, truncated=False)
...     log.end("budget")
>>> [episode.score for episode in load(root).logs[0].episodes]
[-19.0]

A log can be cut off at any byte (a process that was killed): `Writer` drops the half-written last line and
goes on behind the last whole one.
"""

import gzip
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ale_rs.evaluation.logfile import LogError, Problem, RunLog, parse
from ale_rs.evaluation.records import SCHEMA, End, Episode, Run
from ale_rs.evaluation.writer import Writer

__all__ = [
    "SCHEMA", "End", "Episode", "LogError", "Problem", "Run", "RunLog", "RunSet", "Table", "Writer", "check",
    "load", "read",
]  # fmt: skip

ERRORS = "errors.jsonl"
"""Beside the logs: the jobs that raised. Not a log."""

COLUMNS = (
    "agent", "game", "mode", "difficulty", "seed", "phase", "episode", "return", "frames", "total_frames",
    "steps", "terminated", "truncated",
)  # fmt: skip


def read(path: str | os.PathLike[str]) -> RunLog:
    """Read a log (`.jsonl` or `.jsonl.gz`).

    Raises:
        LogError: it is wrong; the text names file, line and reason.
    """

    def refuse(problem: Problem) -> None:
        if problem.severe:
            raise LogError(str(problem))

    log = parse(_bytes(Path(path)), str(path), refuse)
    assert log is not None, "a log without a first line is refused"
    return log


def check(*paths: str | os.PathLike[str]) -> list[Problem]:
    """Everything that is wrong with the logs below some paths: each problem with file and line."""
    problems: list[Problem] = []
    logs = []
    for path in files(paths):
        log = parse(_bytes(path), str(path), problems.append)
        if log is not None:
            logs.append(log)
            if not log.complete:
                problems.append(Problem(str(path), 0, "the trial is unfinished: no `end` record", False))
    return problems + _duplicates(logs)


def load(*paths: str | os.PathLike[str]) -> "RunSet":
    """Read all logs below some directories (or single files).

    Raises:
        LogError: a log is wrong, or two have the same identity.
        FileNotFoundError: a path does not exist.
    """
    logs, notes = [], []
    for path in files(paths):
        data = _bytes(path)
        if b"\n" not in data:
            notes.append(Problem(str(path), 1, "has no whole line yet and is left out", False))
            continue
        logs.append(read(path))
    for problem in _duplicates(logs):
        raise LogError(str(problem))
    return RunSet(tuple(sorted(logs, key=lambda log: log.run.identity)), tuple(notes))


def files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    """The logs below some paths, sorted by name."""
    for name in paths:
        path = Path(name).expanduser()
        if path.is_file():
            yield path
        elif path.is_dir():
            found = [*path.rglob("*.jsonl"), *path.rglob("*.jsonl.gz")]
            yield from sorted(file for file in found if file.name != ERRORS)
        else:
            raise FileNotFoundError(
                f"{path}: no such file or directory; expected a run log or a directory of them"
            )


def _bytes(path: Path) -> bytes:
    data = path.read_bytes()
    try:
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError) as error:
        raise LogError(f"{path}:0: is no gzip file: {error}") from None


def _duplicates(logs: Iterable[RunLog]) -> list[Problem]:
    seen: dict[tuple[Any, ...], str] = {}
    problems = []
    for log in logs:
        other = seen.setdefault(log.run.identity, log.path)
        if other != log.path:
            protocol, agent, game, mode, difficulty, seed = log.run.identity
            text = f"{protocol}, {agent}, {game}, mode {mode}, difficulty {difficulty}, seed {seed}"
            problems.append(Problem(log.path, 1, f"is the same trial as {other}: {text}"))
    return problems


@dataclass(frozen=True)
class RunSet:
    """Logs of many trials, sorted by identity; no two are the same trial.

    Attributes:
        logs: the logs.
        notes: files that were left out because nothing was in them yet.
    """

    logs: tuple[RunLog, ...]
    notes: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.logs)

    def __iter__(self) -> Iterator[RunLog]:
        return iter(self.logs)

    def where(self, **values: Any) -> "RunSet":
        """The logs whose run has these values: `runs.where(agent="dqn", game="pong")`."""
        kept = (log for log in self.logs if all(getattr(log.run, key) == v for key, v in values.items()))
        return RunSet(tuple(kept), self.notes)

    def merge(self, *others: "RunSet") -> "RunSet":
        """These and other logs together.

        Raises:
            LogError: a trial is in more than one of them.
        """
        logs = [log for runs in (self, *others) for log in runs.logs]
        for problem in _duplicates(logs):
            raise LogError(str(problem))
        notes = [note for runs in (self, *others) for note in runs.notes]
        return RunSet(tuple(sorted(logs, key=lambda log: log.run.identity)), tuple(notes))

    def table(self) -> "Table":
        """All episodes in columns."""
        rows = []
        for log in self.logs:
            run = log.run
            head = (run.agent, run.game, run.mode, run.difficulty, run.seed)
            for e in log.episodes:
                counts = (e.frames, e.total_frames, e.steps, e.terminated, e.truncated)
                rows.append((*head, e.phase, e.episode, e.score, *counts))
        rows.sort()
        return Table({name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)})


@dataclass(frozen=True)
class Table:
    """Episodes in columns, sorted by the columns from left to right: the order of finishing never shows."""

    columns: Mapping[str, list[Any]]

    def __len__(self) -> int:
        return len(self.columns[COLUMNS[0]])

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, for those who have pandas."""
        import pandas

        return pandas.DataFrame(dict(self.columns))
