"""What the Atari-5 paper finds out about games: ranking, predictability, correlations, fairness."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ale_rs.evaluation.compare import welch
from ale_rs.evaluation.dataset import Dataset, Fit
from ale_rs.evaluation.subset import phi_inverse

__all__ = [
    "GameFit", "GameFits", "RankedGame", "correlations", "fairness", "fit_games", "inversions", "rank_games",
]  # fmt: skip


@dataclass(frozen=True)
class RankedGame:
    """How well one game alone tells the target: a line with intercept, in-sample.

    Attributes:
        game: the game.
        r2: explained variance.
        n: algorithms.
        intercept: of the line.
        slope: of the line.
    """

    game: str
    r2: float
    n: int
    intercept: float
    slope: float


def rank_games(data: Dataset) -> list[RankedGame]:
    """All games by how much of the target's variance they explain alone, the best first."""
    logs, target = data.logs(), data.target()
    result = []
    for column, game in enumerate(data.games):
        rows = ~np.isnan(logs[:, column])
        x, t = logs[rows, column], target[rows]
        slope, intercept = np.polyfit(x, t, 1)
        residual = t - slope * x - intercept
        r2 = 1 - float((residual**2).sum() / ((t - t.mean()) ** 2).sum())
        result.append(RankedGame(game, r2, int(rows.sum()), float(intercept), float(slope)))
    return sorted(result, key=lambda row: -row.r2)


@dataclass(frozen=True)
class GameFit:
    """A model of one game from the predictors.

    Attributes:
        game: the game.
        n: algorithms that have the predictors and the game.
        r2: explained variance.
        intercept: of the model.
        coefficients: one per predictor.
    """

    game: str
    n: int
    r2: float
    intercept: float
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class GameFits:
    """Models of all games.

    Attributes:
        predictors: the games that were played.
        models: one per game.
        explained_variance: of all games together, 1 - sum of errors / sum of squares.
    """

    predictors: tuple[str, ...]
    models: tuple[GameFit, ...]
    explained_variance: float


def fit_games(data: Dataset, predictors: Sequence[str]) -> GameFits:
    """Fit every game to some predictors; a predictor maps to itself."""
    logs = data.logs()
    columns = [data.column(game) for game in predictors]
    models, errors, totals = [], 0.0, 0.0
    for column, game in enumerate(data.games):
        rows = ~np.isnan(logs[:, [*columns, column]]).any(axis=1)
        x, t = logs[rows][:, columns], logs[rows, column]
        total = float(((t - t.mean()) ** 2).sum())
        totals += total
        if game in predictors:
            own = tuple(float(name == game) for name in predictors)
            models.append(GameFit(game, len(t), 1.0, 0.0, own))
            continue
        design = np.column_stack([np.ones(len(t)), x])
        w = np.linalg.lstsq(design, t, rcond=None)[0]
        error = float(((t - design @ w) ** 2).sum())
        errors += error
        models.append(GameFit(game, len(t), 1 - error / total, float(w[0]), tuple(map(float, w[1:]))))
    return GameFits(tuple(predictors), tuple(models), 1 - errors / totals)


def correlations(data: Dataset) -> list[tuple[str, str, float]]:
    """Correlations of the log scores of all pairs of games, over algorithms that have both, highest first."""
    logs = data.logs()
    result = []
    for i, j in itertools.combinations(range(len(data.games)), 2):
        both = ~np.isnan(logs[:, i]) & ~np.isnan(logs[:, j])
        a, b = logs[both, i], logs[both, j]
        if len(a) > 2 and a.std() > 0 and b.std() > 0:
            result.append((data.games[i], data.games[j], float(np.corrcoef(a, b)[0, 1])))
    return sorted(result, key=lambda row: -row[2])


def fairness(data: Dataset, games: Sequence[str]) -> dict[str, Any]:
    """Whether a model errs differently for weak and strong algorithms: relative errors by tertile."""
    logs = data.logs()[:, [data.column(game) for game in games]]
    rows = ~np.isnan(logs).any(axis=1)
    medians = np.nanmedian(data.percent, axis=1)[rows]
    fit = Fit.of(logs, data.target(), games)
    estimates = phi_inverse(logs[rows] @ np.array(fit.coefficients))
    errors = (estimates - medians) / medians
    order = np.argsort(medians, kind="stable")
    groups = [errors[part] for part in np.array_split(order, 3)]
    tests = {
        f"{i}{j}": {
            "squared_relative_error": welch(list(groups[i] ** 2), list(groups[j] ** 2)).p,
            "relative_error": welch(list(groups[i]), list(groups[j])).p,
        }
        for i, j in itertools.combinations(range(3), 2)
    }
    return {
        "groups_low_mid_high": [
            {
                "n": len(g),
                "rms_relative_error": float(np.sqrt(np.mean(g**2))),
                "mean_relative_error": float(g.mean()),
            }
            for g in groups
        ],
        "welch_p": tests,
        "share_within_10_percent": float(np.mean(np.abs(errors) < 0.1)),
    }


def inversions(order_a: Sequence[str], order_b: Sequence[str]) -> int:
    """How many pairs stand in one order in the first list and in the other order in the second.

    >>> inversions(["a", "b", "c"], ["c", "a", "b"])
    2
    """
    if set(order_a) != set(order_b) or len(set(order_a)) != len(order_a) or len(order_a) != len(order_b):
        raise ValueError("two orders of the same names are needed, each name once")
    place = {name: index for index, name in enumerate(order_b)}
    return sum(place[a] > place[b] for a, b in itertools.combinations(order_a, 2))
