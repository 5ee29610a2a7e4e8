"""Reference scores, normalisations, and tables of published scores.

A range [lo, hi] per game makes z = (s - lo) / (hi - lo); only the range differs:

| name       | lo                       | hi                          |
|------------|--------------------------|-----------------------------|
| `human`    | random reference         | human reference             |
| `random`   | 0                        | |random reference|          |
| `baseline` | lowest of a set of agents | highest of it              |
| `inter`    | lowest of those compared | highest of those compared   |

hi = lo makes z undefined, and the game leaves the aggregates; with `inter` it is a tie and all get 1.
"""

import csv
import functools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ale_rs.evaluation._data import HERE, unknown
from ale_rs.evaluation.matrix import Matrix
from ale_rs.evaluation.protocol import TrialScore

__all__ = [
    "NORMALISATIONS", "Normalised", "Range", "normalise", "normalise_table", "published", "published_tables",
    "read_scores", "reference", "references",
]  # fmt: skip

NORMALISATIONS = ("human", "random", "baseline", "inter")
"""Names of the normalisations."""
DEFAULT = "atari57"
"""The reference table that is used unless another is named."""

Range = tuple[float, float]


def references() -> tuple[str, ...]:
    """Names of the tables of random and human scores."""
    return (DEFAULT, "dqn_zoo")


@functools.cache
def reference(name: str = DEFAULT) -> Mapping[str, Range]:
    """Random and human score of each game.

    >>> reference()["pong"]
    (-20.71, 14.6)
    """
    if name not in references():
        raise unknown("reference table", name, references())
    with (HERE / "references" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {row["game"]: (float(row["random"]), float(row["human"])) for row in csv.DictReader(file)}


@functools.cache
def published_tables() -> tuple[str, ...]:
    """Names of the tables of published scores."""
    names = sorted(path.stem for path in (HERE / "references").glob("*.csv"))
    return tuple(name for name in names if name not in references())


@functools.cache
def published(name: str) -> Mapping[str, Mapping[str, float]]:
    """A table of published scores: column -> game -> score. An empty cell is left out.

    >>> published("bellemare2013_table4")["bass"]["asterix"]
    859.8
    """
    if name not in published_tables():
        raise unknown("published table", name, published_tables())
    columns: dict[str, dict[str, float]] = {}
    with (HERE / "references" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = next(iter(row.values()))
            for column, text in list(row.items())[1:]:
                value = _float(text)
                if value is not None:
                    columns.setdefault(column, {})[key] = value
    return columns


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def read_scores(path: str | os.PathLike[str]) -> list[TrialScore]:
    """A CSV file with the columns `agent,game,score` and, if wanted, `seed,checkpoint`.

    Raises:
        ValueError: a column is missing or a cell is wrong; the text names file and line.
    """
    file_name = Path(path)
    rows = []
    with file_name.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in ("agent", "game", "score") if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(
                f"{file_name}:1: the column {missing[0]!r} is missing; needed: agent, game, score"
            )
        for row in reader:
            where = f"{file_name}:{reader.line_num}"
            score = _float(row["score"])
            if score is None or not math.isfinite(score):
                raise ValueError(f"{where}: score is {row['score']!r}, expected a number")
            seed, mark = row.get("seed") or "0", row.get("checkpoint") or ""
            if not seed.isdigit():
                raise ValueError(f"{where}: seed is {seed!r}, expected an int from 0 on")
            checkpoint = int(mark) if mark.isdigit() else mark or None
            rows.append(TrialScore(row["agent"], row["game"], int(seed), checkpoint, score, 0))
    identities = [(row.agent, row.game, row.seed, row.checkpoint) for row in rows]
    if len(set(identities)) != len(identities):
        twice = next(identity for identity in identities if identities.count(identity) > 1)
        raise ValueError(f"{file_name}: agent, game, seed and checkpoint {twice} stand there twice")
    return rows


@dataclass(frozen=True)
class Normalised(Mapping[str, Matrix]):
    """Normalised scores: agent -> matrix of runs x games.

    Attributes:
        matrices: the matrices.
        how: the normalisation.
        reference: the table that was used.
        ranges: game -> (lo, hi).
        undefined: games whose range is empty.
        missing: agent -> games asked for without a score.
    """

    matrices: Mapping[str, Matrix]
    how: str
    reference: str
    ranges: Mapping[str, Range]
    undefined: tuple[str, ...]
    missing: Mapping[str, tuple[str, ...]]

    def __getitem__(self, agent: str) -> Matrix:
        if agent not in self.matrices:
            raise unknown("agent", agent, self.matrices)
        return self.matrices[agent]

    def __iter__(self) -> Iterator[str]:
        return iter(self.matrices)

    def __len__(self) -> int:
        return len(self.matrices)


def normalise(
    trials: Iterable[TrialScore],
    how: str = "human",
    *,
    reference: str = DEFAULT,
    games: Sequence[str] | None = None,
    baselines: Mapping[str, Mapping[str, float]] | None = None,
    require_all: bool = False,
) -> Normalised:
    """Normalise trial scores; fractions, not percent.

    Args:
        trials: rows of `Protocol.scores` (of several checkpoints the last is taken) or of `read_scores`.
        how: `"human"`, `"random"`, `"baseline"` or `"inter"`.
        reference: the table of random and human scores.
        games: the games to report on; by default all that occur. Flavours such as `pong@m1d0` have no
            reference.
        baselines: for `"baseline"`: agent -> game -> score of the reference set.
        require_all: refuse when an agent lacks a score of one of `games`.
    """
    rows = [row for row in getattr(trials, "last", trials) if row.score is not None]
    raw: dict[str, dict[str, dict[int, float]]] = {}
    for row in rows:
        assert row.score is not None
        raw.setdefault(row.agent, {}).setdefault(row.game, {})[row.seed] = row.score
    names = list(games) if games is not None else sorted({row.game for row in rows})
    means = {
        agent: {game: math.fsum(s.values()) / len(s) for game, s in table.items()}
        for agent, table in raw.items()
    }
    ranges = _ranges(means, how, reference, baselines, names)
    undefined = tuple(game for game in names if game in ranges and _undefined(how, ranges[game]))
    missing = {agent: tuple(game for game in names if game not in table) for agent, table in raw.items()}
    if require_all:
        for agent, lacking in missing.items():
            if lacking:
                raise ValueError(f"{agent} has no score of {', '.join(lacking)}")
    matrices = {}
    for agent in sorted(raw):
        kept = [game for game in names if game in raw[agent] and game in ranges and game not in undefined]
        seeds = sorted({seed for game in kept for seed in raw[agent][game]})
        values = np.full((len(seeds), len(kept)), math.nan)
        for column, game in enumerate(kept):
            for seed, score in raw[agent][game].items():
                values[seeds.index(seed), column] = _z(score, ranges[game], how)
        lacking = tuple(game for game in names if game not in kept and game not in undefined)
        matrices[agent] = Matrix(values, tuple(kept), tuple(seeds), agent, lacking, undefined)
    return Normalised(matrices, how, reference, ranges, undefined, missing)


def normalise_table(
    scores: Mapping[str, Mapping[str, float]],
    how: str = "human",
    *,
    reference: str = DEFAULT,
    baselines: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, dict[str, float]]:
    """Normalise a table algorithm -> game -> score; an undefined value is `nan`."""
    names = list(dict.fromkeys(game for row in scores.values() for game in row))
    ranges = _ranges(scores, how, reference, baselines, names)
    return {
        agent: {game: _z(row[game], ranges[game], how) for game in names if game in row and game in ranges}
        for agent, row in scores.items()
    }


def _ranges(
    scores: Mapping[str, Mapping[str, float]],
    how: str,
    table: str,
    baselines: Mapping[str, Mapping[str, float]] | None,
    games: Sequence[str],
) -> dict[str, Range]:
    if how not in NORMALISATIONS:
        raise unknown("normalisation", how, NORMALISATIONS)
    known = reference(table)
    if how == "human":
        return {game: known[game] for game in games if game in known}
    if how == "random":
        lows = (baselines or {}).get("random") or {game: low for game, (low, _) in known.items()}
        return {game: (0.0, abs(lows[game])) for game in games if game in lows}
    if how == "baseline":
        if not baselines:
            raise ValueError(
                "the normalisation baseline needs the scores of the reference set: baselines={...}"
            )
        return {
            game: _span(found)
            for game in games
            if (found := [row[game] for row in baselines.values() if game in row])
        }
    shared = [game for game in games if all(game in row for row in scores.values())]
    return {game: _span([row[game] for row in scores.values()]) for game in shared}


def _span(values: Sequence[float]) -> Range:
    return min(values), max(values)


def _undefined(how: str, span: Range) -> bool:
    low, high = span
    if high < low:
        raise ValueError(f"the reference data has a range from {low} down to {high}")
    return high == low and how != "inter"


def _z(score: float, span: Range, how: str) -> float:
    low, high = span
    if high == low:
        return 1.0 if how == "inter" else math.nan
    return (score - low) / (high - low)
