"""Aggregates of normalised scores: point values, intervals, profiles, probability of improvement.

Rows are runs, columns are games.

>>> x = [[0.1, 0.9, 2.0, -0.2], [0.2, 1.1, 1.0, 0.0], [0.4, 1.0, 5.0, 0.1]]
>>> round(point(x, "iqm"), 6)
0.6
>>> low, high = interval(x, "iqm", replications=2000, seed=7)
>>> round(low, 6), round(high, 6)
(0.533333, 0.683333)
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native
from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.matrix import Matrix, Scores, as_matrix

__all__ = [
    "METRICS", "Aggregate", "Improvement", "Profile", "aggregate", "improvement", "improvement_interval",
    "interval", "point", "probability_of_improvement", "profile", "profile_band", "quantiles",
]  # fmt: skip

METRICS = ("mean", "median", "iqm", "gap")
"""Names of the aggregates."""
REPLICATIONS = 50_000
"""Replicates behind the interval of an aggregate; profiles and improvement have 2,000."""
FEWER = 2_000
TAUS = np.linspace(0, 8, 81)
"""The default thresholds of a profile of human-normalised scores."""


def point(x: Scores, metric: str, *, games: Sequence[str] | None = None, gamma: float = 1.0) -> float:
    """An aggregate of scores.

    Args:
        x: runs x games.
        metric: `"mean"` or `"median"` over games of the mean over runs, `"iqm"` (mean of the middle half of
            all values), `"gap"` (how far below `gamma` on average, values above it cut).
        games: names of the columns.
        gamma: the level of the optimality gap.
    """
    _metric(metric)
    columns = as_matrix(x, games).columns()
    means = [math.fsum(column) / len(column) for column in columns]
    if metric == "mean":
        return math.fsum(means) / len(means)
    if metric == "median":
        return float(np.median(means))
    if metric == "gap":
        return gamma - math.fsum(math.fsum(min(z, gamma) for z in c) / len(c) for c in columns) / len(columns)
    _equal_runs(columns)
    values = sorted(value for column in columns for value in column)
    cut = len(values) // 4
    kept = values[cut : len(values) - cut]
    return math.fsum(kept) / len(kept)


def interval(
    x: Scores,
    metric: str,
    replications: int = REPLICATIONS,
    level: float = 0.95,
    seed: int = 0,
    *,
    games: Sequence[str] | None = None,
    gamma: float = 1.0,
    over: str = "trials",
    threads: int = 0,
) -> tuple[float, float]:
    """The percentile interval of an aggregate, by the stratified bootstrap.

    A replicate draws, for every game separately, as many runs as it has, with replacement.

    Args:
        x: runs x games; every game needs two runs or more.
        metric: as in `point`.
        replications: how many replicates.
        level: the probability inside the interval.
        seed: the seed of the draws; the same seed gives the same interval, for any number of threads.
        games: names of the columns.
        gamma: the level of the optimality gap.
        over: `"games"` redraws the games as well, which answers another question.
        threads: 0 for one per core.

    Raises:
        ValueError: a game has one run only.
    """
    _metric(metric)
    if over not in ("trials", "games"):
        raise unknown("over", over, ("trials", "games"))
    columns = as_matrix(x, games).columns()
    _several_runs(columns)
    if metric == "iqm":
        _equal_runs(columns)
    parameters = [gamma] if metric == "gap" else []
    count = int(replications)
    values = _native.bootstrap_metric(
        columns, metric, parameters, count, _seed(seed), over == "games", threads
    )
    return quantiles(values, level)


_interval = interval  # `aggregate` has an argument of this name


def quantiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The quantiles (1 - level) / 2 and (1 + level) / 2 with linear interpolation."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, accepted: between 0 and 1")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True)
class Aggregate:
    """An aggregate with its interval.

    Attributes:
        metric: its name.
        value: the point value.
        low: lower end of the interval; `None` where there is none.
        high: upper end.
        games: how many games it is made of.
        trials: the fewest runs of a game.
        note: why there is no interval, or what to know about it.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    games: int
    trials: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The aggregate as a plain dict."""
        return dict(vars(self))


def aggregate(
    x: Mapping[str, Matrix],
    metrics: Iterable[str] = METRICS,
    *,
    interval: float | None = 0.95,
    replications: int = REPLICATIONS,
    seed: int = 0,
) -> dict[str, dict[str, Aggregate]]:
    """Aggregates of several agents: agent -> metric -> `Aggregate`. One run per game gives no interval."""
    names = list(metrics)
    for name in names:
        _metric(name)
    return {
        agent: {name: _aggregate(matrix, name, interval, replications, seed) for name in names}
        for agent, matrix in x.items()
    }


def _aggregate(matrix: Matrix, metric: str, level: float | None, replications: int, seed: int) -> Aggregate:
    columns = matrix.columns()
    runs = min(map(len, columns), default=0)
    if not columns:
        return Aggregate(metric, None, None, None, 0, 0, "no game has a score")
    if metric == "iqm" and len({len(column) for column in columns}) > 1:
        return Aggregate(metric, None, None, None, len(columns), runs, "needs equal numbers of trials")
    value = point(matrix, metric)
    if level is None or runs < 2:
        note = "" if level is None else "one trial per game: no interval can be drawn"
        return Aggregate(metric, value, None, None, len(columns), runs, note)
    low, high = _interval(matrix, metric, replications, level, seed)
    return Aggregate(metric, value, low, high, len(columns), runs, "2 trials" if runs == 2 else "")


def profile(
    x: Scores,
    taus: Sequence[float] | NDArray[np.float64] | None = None,
    *,
    games: Sequence[str] | None = None,
    tie: str = "above",
    by: str = "runs",
) -> NDArray[np.float64]:
    """The performance profile: for each tau the share of scores above it, games weighing equally.

    Args:
        x: runs x games.
        taus: thresholds; by default 0 to 8 in 81 steps.
        games: names of the columns.
        tie: `"above"` counts scores greater than tau, `"at_least"` also those equal to it.
        by: `"runs"` counts single runs, `"means"` games by the mean of their runs.
    """
    columns = _profile_columns(x, games, tie, by)
    if by == "means":
        columns = [[math.fsum(column) / len(column)] for column in columns]
    thresholds = TAUS if taus is None else np.asarray(taus, dtype=np.float64)
    compare = np.greater if tie == "above" else np.greater_equal
    shares = [compare(np.array(column)[None, :], thresholds[:, None]).mean(axis=1) for column in columns]
    return np.asarray(np.mean(shares, axis=0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Profile:
    """A performance profile with its band.

    Attributes:
        taus: thresholds.
        shares: share of scores above each.
        low: lower end of the band; empty with one run per game.
        high: upper end.
    """

    taus: NDArray[np.float64]
    shares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {name: [float(value) for value in array] for name, array in vars(self).items()}


def profile_band(
    x: Scores,
    taus: Sequence[float] | NDArray[np.float64] | None = None,
    *,
    games: Sequence[str] | None = None,
    tie: str = "above",
    by: str = "runs",
    replications: int = FEWER,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
) -> Profile:
    """A profile with a pointwise band by the stratified bootstrap."""
    columns = _profile_columns(x, games, tie, by)
    thresholds = TAUS if taus is None else np.asarray(taus, dtype=np.float64)
    shares = profile(x, thresholds, games=games, tie=tie, by=by)
    if min(map(len, columns)) < 2:
        return Profile(thresholds, shares, np.empty(0), np.empty(0))
    at_least, by_game = tie == "at_least", by == "means"
    count = int(replications)
    rows = _native.bootstrap_profile(
        columns, thresholds.tolist(), at_least, by_game, count, _seed(seed), threads
    )
    low, high = np.quantile(rows, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Profile(thresholds, shares, low, high)


def _profile_columns(x: Scores, games: Sequence[str] | None, tie: str, by: str) -> list[list[float]]:
    if tie not in ("above", "at_least"):
        raise unknown("tie", tie, ("above", "at_least"))
    if by not in ("runs", "means"):
        raise unknown("by", by, ("runs", "means"))
    return as_matrix(x, games).columns()


def probability_of_improvement(x: Scores, y: Scores, *, games: Sequence[str] | None = None) -> float:
    """The probability that a run of X beats a run of Y on a game: mean over games, a tie counts one half.

    >>> probability_of_improvement([[1, 2]], [[1, 3]])
    0.25
    """
    left, right = _common(x, y, games)
    shares = []
    for a, b in zip(left, right, strict=True):
        wins = sum((v > w) + 0.5 * (v == w) for v in a for w in b)
        shares.append(wins / (len(a) * len(b)))
    return math.fsum(shares) / len(shares)


@dataclass(frozen=True)
class Improvement:
    """The probability of improvement with its interval.

    Attributes:
        value: the probability.
        low: lower end of the interval; `None` with one run per game.
        high: upper end.
        games: the games both have.
    """

    value: float
    low: float | None
    high: float | None
    games: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The improvement as a plain dict."""
        return dict(vars(self), games=list(self.games))


def improvement_interval(
    x: Scores,
    y: Scores,
    replications: int = FEWER,
    level: float = 0.95,
    seed: int = 0,
    *,
    games: Sequence[str] | None = None,
    threads: int = 0,
) -> tuple[float, float]:
    """The interval of the probability of improvement; both sides are drawn independently."""
    left, right = _common(x, y, games)
    _several_runs([*left, *right])
    values = _native.bootstrap_improvement(left, right, int(replications), _seed(seed), threads)
    return quantiles(values, level)


def improvement(
    x: Scores, y: Scores, *, replications: int = FEWER, level: float = 0.95, seed: int = 0
) -> Improvement:
    """The probability of improvement of X over Y with its interval, over the games both have."""
    left, right = _common(x, y, None)
    names = _common_games(as_matrix(x), as_matrix(y, name="y"))
    value = probability_of_improvement(x, y)
    if min(map(len, [*left, *right])) < 2:
        return Improvement(value, None, None, names)
    low, high = improvement_interval(x, y, replications, level, seed)
    return Improvement(value, low, high, names)


def _common_games(a: Matrix, b: Matrix) -> tuple[str, ...]:
    return tuple(game for game in a.scored if game in b.scored)


def _common(x: Scores, y: Scores, games: Sequence[str] | None) -> tuple[list[list[float]], list[list[float]]]:
    a, b = as_matrix(x, games), as_matrix(y, games, "y")
    named = isinstance(x, (Matrix, Mapping)) or games is not None
    if not named and len(a.games) != len(b.games):
        raise ValueError(
            f"x has {len(a.games)} games, y has {len(b.games)}; name the columns with games=[...]"
        )
    shared = _common_games(a, b)
    if not shared:
        raise ValueError("x and y have no game in common")
    return a.select(shared).columns(), b.select(shared).columns()


def _metric(name: str) -> None:
    if name not in METRICS:
        raise unknown("metric", name, METRICS)


def _equal_runs(columns: list[list[float]]) -> None:
    counts = {len(column) for column in columns}
    if len(counts) > 1:
        raise ValueError(
            f"the interquartile mean needs the same number of runs for every game, not {sorted(counts)}; "
            f"cut them with Matrix.first_runs({min(counts)})"
        )


def _several_runs(columns: list[list[float]]) -> None:
    if min(map(len, columns)) < 2:
        raise ValueError(
            "a game has one run only: an interval over runs cannot be drawn, only the point value"
        )


def _seed(seed: int) -> int:
    return int(seed) & (1 << 64) - 1
