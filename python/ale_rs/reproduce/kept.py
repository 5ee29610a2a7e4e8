"""Results that are kept in a directory: the rows of an entry, its run logs packed, its figures."""

import datetime
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ale_rs import __version__
from ale_rs.evaluation.runlog import read
from ale_rs.reproduce.archive import finished, pack, unpack
from ale_rs.reproduce.bands import GOOD, Row
from ale_rs.reproduce.catalogue import Entry, catalogue
from ale_rs.reproduce.pictures import PICTURES, Scores
from ale_rs.reproduce.run import Result, rows_of

__all__ = ["Record", "keep", "kept", "worse"]

BASELINES = ("baselines",), ("random", "const", "perturb")
"""Entries whose logs are those of the 37 reference policies; those with more games are taken."""


@dataclass(frozen=True)
class Record:
    """What is kept of an entry.

    Attributes:
        entry: what was reproduced.
        date: when it was kept.
        version: by which version.
        command: what was typed.
        rows: its rows.
    """

    entry: Entry
    date: str
    version: str
    command: str
    rows: Sequence[Row]

    @property
    def played(self) -> bool:
        """Whether its numbers come from plays, not from published data."""
        return self.entry.kind != "analysis" or self.entry.name == "crafter_random"

    @property
    def complete(self) -> bool:
        """Whether every game has a row with the paper's own budget."""
        if self.entry.kind == "analysis":
            return True
        whole = {row.game for row in self.rows if row.verdict not in ("shortened", "missing")}
        return whole >= set(self.entry.tasks())


def keep(
    result: Result, logs: str | os.PathLike[str], directory: str | os.PathLike[str], command: str
) -> Path:
    """Write the rows of a result and, packed, its run logs where the page finds them.

    What is kept already stays: logs of other games and trials, and their rows.

    Args:
        result: the rows.
        logs: directory of the run logs.
        directory: where to keep them.
        command: what plays this entry; the games are added unless there are rows of all.

    Returns:
        the file of the rows.
    """
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    item, rows = result.entry, result.rows
    if item.kind != "analysis":
        packed = place / f"{item.name}.jsonl.gz"
        with tempfile.TemporaryDirectory() as scratch:
            if packed.exists():
                unpack(packed, scratch)
            for log in finished(logs):
                target = Path(scratch) / log.relative_to(logs)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(log, target)
            pack(scratch, packed)
            played = {row.game: row for row in rows if row.verdict != "missing"}
            again = rows_of(item, scratch)
            rows = [
                played[row.game] if row.verdict == "missing" else row
                for row in again
                if row.verdict != "missing" or row.game in played
            ]
        games = [row.game for row in rows]
        if set(games) != set(item.tasks()):
            command = " ".join((command, "--games", *games))
    record = {
        "name": item.name,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "version": __version__,
        "command": command,
        "rows": [asdict(row) for row in rows],
    }
    path = place / f"{item.name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    scores = _baselines(place) if any("baseline" in name for name in item.pictures) else {}
    for name in item.pictures:
        drawn = PICTURES[name][1](rows, scores)
        if drawn is not None:
            (place / f"{item.name}_{name}.svg").write_text(drawn.svg(standalone=True), encoding="utf-8")
    return path


def _baselines(place: Path) -> Scores:
    """The mean scores of the 37 reference policies, on the games that all have, from their packed logs."""
    found = [_means([place / f"{name}.jsonl.gz" for name in names]) for names in BASELINES]
    return max(found, key=lambda scores: max(map(len, scores.values()), default=0))


def _means(files: Sequence[Path]) -> Scores:
    """Agent -> game -> mean, for the games that all agents have; empty where a file is missing."""
    if not all(path.exists() for path in files):
        return {}
    found: dict[str, dict[str, float]] = {}
    for path in files:
        with tempfile.TemporaryDirectory() as scratch:
            for log in map(read, unpack(path, scratch)):
                scores = [episode.score for episode in log.phase("evaluate")]
                found.setdefault(log.run.agent, {})[log.run.game] = statistics.fmean(scores)
    shared = set.intersection(*map(set, found.values()))
    return {agent: {game: scores[game] for game in shared} for agent, scores in found.items()}


def worse(result: Result, directory: str | os.PathLike[str]) -> list[str]:
    """Rows that were equal or inside in what is kept and are neither now; a sentence each."""
    path = Path(directory) / f"{result.entry.name}.json"
    if not path.exists():
        raise ValueError(f"{path}: nothing is kept of {result.entry.name}; --keep writes it")
    record = json.loads(path.read_text(encoding="utf-8"))
    before = {row["game"]: row["verdict"] for row in record["rows"]}
    return [
        f"{row.game} was {before[row.game]}, is {row.verdict}: {row.ours} beside {row.published}"
        for row in result.rows
        if before.get(row.game) in GOOD and row.verdict not in (*GOOD, "shortened")
    ]


def kept(directory: str | os.PathLike[str]) -> Mapping[str, Record]:
    """The records of a directory by entry; rows of plays are made again from their logs."""
    found = {}
    for name, item in catalogue().items():
        path = Path(directory) / f"{name}.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = [Row(**row) for row in record["rows"]]
        packed = path.with_suffix(".jsonl.gz")
        if packed.exists():
            with tempfile.TemporaryDirectory() as scratch:
                unpack(packed, scratch)
                again = rows_of(item, scratch, [row.game for row in rows])
            rows = [old if new.verdict == "missing" else new for old, new in zip(rows, again, strict=True)]
        found[name] = Record(item, record["date"], record["version"], record["command"], rows)
    return found
