"""The search for the subset of games that predicts a target best (Algorithm 1 of the Atari-5 paper)."""

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ale_rs import _native
from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.dataset import FOLDS, SEED, Array, Dataset, Fit, fold_of_rows, read_dataset
from ale_rs.evaluation.subset import phi

__all__ = ["SubsetSearch", "atari5_searches", "search_subset"]

MOST_SUBSETS = 2_000_000_000
"""More subsets than this would take an hour."""


@dataclass(frozen=True)
class SubsetSearch:
    """The best subset of a search.

    Attributes:
        games: its games: those chosen, then those that were fixed.
        coefficients: one per game.
        cv_mse: cross-validated mean squared error.
        fit: the model with all its measures.
        subsets: how many subsets were searched.
        non_negative: how many of them have no negative coefficient.
        next_best: further subsets with their errors.
    """

    games: tuple[str, ...]
    coefficients: tuple[float, ...]
    cv_mse: float
    fit: Fit
    subsets: int
    non_negative: int
    next_best: tuple[tuple[tuple[str, ...], float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The result as a plain dict."""
        return {**vars(self), "games": list(self.games), "fit": dict(vars(self.fit))}


def search_subset(
    scores: Dataset | Mapping[str, Mapping[str, float]] | ArrayLike,
    size: int = 5,
    target: str | ArrayLike = "median",
    *,
    games: Sequence[str] | None = None,
    transform: str | Callable[[Array], Array] = "log",
    measure: str = "cv_mse",
    non_negative: bool = True,
    folds: int = FOLDS,
    seed: int = SEED,
    min_games: int = 0,
    min_algorithms: int = 0,
    always: Sequence[str] = (),
    pool: Sequence[str] | None = None,
    keep: int = 1,
    threads: int = 0,
) -> SubsetSearch:
    """The subset of games that predicts a target best: all subsets are tried, on all cores.

    Args:
        scores: human-normalised scores in percent: a `Dataset`, algorithm -> game -> score, or an array with
            one row per algorithm and one column per game; `nan` for a missing score.
        size: games of the subset, those in `always` included.
        target: `"median"` or `"mean"` over the games of an algorithm, or one value per algorithm.
        games: names of the columns of an array.
        transform: `"log"` for log10(1 + max(0, x)) of scores and target, `"none"`, or a function.
        measure: what ranks subsets: `"cv_mse"`, `"cv_mae"` or `"mse"` (in-sample).
        non_negative: subsets with a negative coefficient do not count.
        folds: folds of the cross-validation.
        seed: seed of the shuffle into folds.
        min_games: the least games of an algorithm.
        min_algorithms: the least algorithms of a game.
        always: games that every subset has.
        pool: games to choose from; by default all others.
        keep: how many of the best subsets to return.
        threads: 0 for one per core; the result does not depend on it.
    """
    data = _dataset(scores, games)
    if measure not in ("cv_mse", "cv_mae", "mse"):
        raise unknown("measure", measure, ("cv_mse", "cv_mae", "mse"))
    if not 2 <= folds <= 1000:
        raise ValueError(f"folds is {folds}, accepted: 2 to 1000")
    function = _transform(transform)
    wanted = _target(data, target, function)
    few = (~np.isnan(data.percent)).sum(axis=1) < min_games
    wanted, kept = wanted[~few], data.filtered(min_games, min_algorithms)
    fixed = [kept.column(game) for game in always]
    names = [game for game in kept.games if game not in always] if pool is None else list(pool)
    free = [kept.column(game) for game in names]
    choose = size - len(fixed)
    if choose < 0:
        raise ValueError(f"size is {size}, but {len(fixed)} games are always there")
    number = math.comb(len(free), choose)
    if number > MOST_SUBSETS:
        raise ValueError(
            f"{choose} of {len(free)} games are {number:,} subsets; up to {MOST_SUBSETS:,} are searched"
        )
    logs = function(kept.percent)
    count = len(wanted)
    least = max(folds, size)
    rows = [list(fold_of_rows(n, folds, seed)) if n >= least else [] for n in range(count + 1)]
    best, subsets, passed = _native.search_subsets(
        logs.T.tolist(), wanted.tolist(), rows, free, fixed, choose, non_negative, measure, keep, threads
    )
    if not best:
        raise ValueError("no subset has enough algorithms and coefficients of at least 0")
    found = [(tuple(kept.games[column] for column in columns), error) for columns, error in best]
    columns = [kept.column(game) for game in found[0][0]]
    fit = Fit.of(logs[:, columns], wanted, found[0][0], folds, seed)
    return SubsetSearch(fit.games, fit.coefficients, fit.cv_mse, fit, subsets, passed, tuple(found[1:]))


def _dataset(scores: Any, games: Sequence[str] | None) -> Dataset:
    if isinstance(scores, Dataset):
        return scores
    if isinstance(scores, Mapping):
        algorithms = tuple(sorted(scores, key=str.encode))
        names = (
            tuple(dict.fromkeys(game for row in scores.values() for game in row))
            if games is None
            else tuple(games)
        )
        return Dataset(
            algorithms, names, np.array([[scores[a].get(g, math.nan) for g in names] for a in algorithms])
        )
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"scores have the shape {values.shape}; expected algorithms x games")
    if games is not None and len(games) != values.shape[1]:
        raise ValueError(
            f"scores have {values.shape[0]} rows and {values.shape[1]} columns, but {len(games)} names; "
            "rows are algorithms and columns are games"
        )
    named = tuple(games) if games is not None else tuple(f"game {index}" for index in range(values.shape[1]))
    return Dataset(tuple(f"{index:06}" for index in range(len(values))), named, values)


def _transform(transform: str | Callable[[Array], Array]) -> Callable[[Array], Array]:
    if callable(transform):
        return transform
    if transform not in ("log", "none"):
        raise unknown("transform", transform, ("log", "none"))
    return phi if transform == "log" else lambda x: x


def _target(data: Dataset, target: Any, function: Callable[[Array], Array]) -> Array:
    if isinstance(target, str):
        if target not in ("median", "mean"):
            raise unknown("target", target, ("median", "mean"))
        summary = np.nanmedian if target == "median" else np.nanmean
        return np.asarray(function(summary(data.percent, axis=1)), dtype=np.float64)
    values = np.asarray(target, dtype=np.float64)
    if values.shape != (len(data.algorithms),):
        raise ValueError(
            f"target has the shape {values.shape}; expected one value per algorithm ({len(data.algorithms)})"
        )
    return np.asarray(function(values), dtype=np.float64)


def atari5_searches(
    dataset_csv: str | os.PathLike[str] | None = None, *, threads: int = 0
) -> dict[str, SubsetSearch]:
    """The seven searches of the Atari-5 paper, each using the results of those before it."""
    data = read_dataset(dataset_csv)
    search = functools.partial(search_subset, data, min_games=40, min_algorithms=40, threads=threads)
    games = data.filtered(40, 40).games
    five = search(5)
    three = search(3, pool=five.games)
    one = search(1, pool=three.games)
    rest = [game for game in games if game not in five.games]
    three_val = search(3, pool=rest)
    five_val = search(5, always=three_val.games, pool=[game for game in rest if game not in three_val.games])
    one_val = search(1, pool=three_val.games)
    ten = search(10, always=five.games, pool=[game for game in rest if game not in five_val.games])
    return {
        "atari5": five, "atari3": three, "atari1": one, "atari3val": three_val, "atari5val": five_val,
        "atari1val": one_val, "atari10": ten,
    }  # fmt: skip
