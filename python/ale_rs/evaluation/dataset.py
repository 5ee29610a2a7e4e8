"""Tables of algorithms x games, and linear models of a target with their cross-validation.

The public Atari-5 data set is not part of the package; `ALE_RS_ATARI5_DATA` names its `dataset.csv`.
"""

import csv
import functools
import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.scores import reference
from ale_rs.evaluation.subset import phi

__all__ = ["ENVIRONMENT", "Dataset", "Fit", "fold_of_rows", "read_dataset"]

ENVIRONMENT = "ALE_RS_ATARI5_DATA"
"""The variable that names the file of the Atari-5 data set."""
FOLDS, SEED = 10, 1982

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Human-normalised scores of many algorithms.

    Attributes:
        algorithms: names of the rows, in byte order.
        games: names of the columns.
        percent: one row per algorithm; `nan` for a missing score.
    """

    algorithms: tuple[str, ...]
    games: tuple[str, ...]
    percent: Array

    def medians(self) -> dict[str, float]:
        """The median over the games that an algorithm has."""
        return {
            name: float(np.nanmedian(row)) for name, row in zip(self.algorithms, self.percent, strict=True)
        }

    def column(self, game: str) -> int:
        """The index of a game."""
        if game not in self.games:
            raise unknown("game", game, self.games)
        return self.games.index(game)

    def logs(self) -> Array:
        """The scores after `phi`."""
        return np.asarray(phi(self.percent), dtype=np.float64)

    def target(self) -> Array:
        """`phi` of the medians."""
        return np.asarray(phi(np.nanmedian(self.percent, axis=1)), dtype=np.float64)

    def filtered(self, min_games: int, min_algorithms: int) -> "Dataset":
        """Without algorithms that have too few games, and without games that have too few algorithms."""
        rows = (~np.isnan(self.percent)).sum(axis=1) >= min_games
        values = self.percent[rows]
        columns = (~np.isnan(values)).sum(axis=0) >= min_algorithms
        algorithms = tuple(itertools.compress(self.algorithms, rows))
        return Dataset(algorithms, tuple(itertools.compress(self.games, columns)), values[:, columns])


def read_dataset(path: str | os.PathLike[str] | None = None) -> Dataset:
    """Read the Atari-5 data set, or a CSV of your own with `agent,game,score`.

    Args:
        path: the file, or the directory of `dataset.csv`; by default what `ALE_RS_ATARI5_DATA` names.

    Raises:
        ValueError: there is no file, a column is missing, or a game has two different scores.
    """
    if path is None:
        path = os.environ.get(ENVIRONMENT)
        if not path:
            raise ValueError(
                f"give the path of the Atari-5 data set (dataset.csv), or set {ENVIRONMENT} to it"
            )
    file_name = Path(path).expanduser()
    if file_name.is_dir():
        file_name /= "dataset.csv"
    ranges = reference()
    names = {game.replace("_", ""): game for game in ranges}
    cells: dict[str, dict[str, float]] = {}
    with file_name.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header = {name.lower(): name for name in reader.fieldnames or ()}
        who = header.get("algorithm", header.get("agent"))
        if who is None or "game" not in header or "score" not in header:
            raise ValueError(f"{file_name}:1: needs the columns agent (or Algorithm), game and score")
        for row in reader:
            game = names.get(row[header["game"]].lower().replace("_", "").replace(" ", ""))
            where = f"{file_name}:{reader.line_num}"
            if game is None:
                raise ValueError(f"{where}: {unknown('game', row[header['game']], ranges)}")
            low, high = ranges[game]
            try:
                value = 100 * (float(row[header["score"]]) - low) / (high - low)
            except ValueError:
                raise ValueError(f"{where}: score is {row[header['score']]!r}, expected a number") from None
            before = cells.setdefault(row[who], {}).setdefault(game, value)
            if before != value:
                raise ValueError(f"{where}: {row[who]} has two different scores of {game}")
    algorithms = tuple(sorted(cells, key=str.encode))
    games = tuple(game for game in ranges if any(game in row for row in cells.values()))
    return Dataset(
        algorithms, games, np.array([[cells[a].get(g, math.nan) for g in games] for a in algorithms])
    )


@functools.cache
def fold_of_rows(n: int, folds: int = FOLDS, seed: int = SEED) -> tuple[int, ...]:
    """The fold of each of n rows: numpy's frozen legacy shuffle, cut into nearly equal parts."""
    order = np.arange(n)
    np.random.RandomState(seed).shuffle(order)
    result = [0] * n
    start = 0
    for fold in range(folds):
        size = n // folds + (fold < n % folds)
        for row in order[start : start + size]:
            result[row] = fold
        start += size
    return tuple(result)


@dataclass(frozen=True)
class Fit:
    """A linear model without intercept, fitted and cross-validated.

    Attributes:
        games: its games.
        coefficients: one per game.
        n: algorithms that have all its games.
        mse: mean squared error on these.
        cv_mse: mean over folds of the mean squared error on the fold left out.
        cv_mae: the same of the absolute error.
        r2: 1 - n * cv_mse / total sum of squares, as published.
        relative_error: 100 * ln(10) * cv_mae, as published, in percent.
    """

    games: tuple[str, ...]
    coefficients: tuple[float, ...]
    n: int
    mse: float
    cv_mse: float
    cv_mae: float
    r2: float
    relative_error: float

    @classmethod
    def of(
        cls, logs: Array, target: Array, games: Sequence[str], folds: int = FOLDS, seed: int = SEED
    ) -> "Fit":
        """Fit columns to a target; rows with a missing value are dropped."""
        rows = ~np.isnan(logs).any(axis=1)
        x, t = logs[rows], target[rows]
        n = len(t)
        if n < max(folds, len(games)):
            raise ValueError(f"only {n} algorithms have all of {', '.join(games)}")
        fold = np.array(fold_of_rows(n, folds, seed))
        squares, absolutes = [], []
        for index in range(folds):
            out = fold == index
            w = np.linalg.lstsq(x[~out], t[~out], rcond=None)[0]
            residual = t[out] - x[out] @ w
            squares.append(float(np.mean(residual**2)))
            absolutes.append(float(np.mean(np.abs(residual))))
        w = np.linalg.lstsq(x, t, rcond=None)[0]
        cv_mse, cv_mae = math.fsum(squares) / folds, math.fsum(absolutes) / folds
        total = float(((t - t.mean()) ** 2).sum())
        return cls(
            tuple(games), tuple(map(float, w)), n, float(np.mean((t - x @ w) ** 2)), cv_mse, cv_mae,
            1 - n * cv_mse / total, 100 * math.log(10) * cv_mae,
        )  # fmt: skip
