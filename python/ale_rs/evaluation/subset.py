"""Atari-k: an estimate of the median over 57 games from a few, predictions of single games, and the search.

>>> round(estimate([2429.870074, 1976.27907, 2690.549191, 14725.304573, 542.558641], model("atari5")), 3)
2091.457
"""

import csv
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native
from ale_rs.evaluation._data import HERE, read_toml, unknown
from ale_rs.evaluation.aggregate import REPLICATIONS, quantiles
from ale_rs.evaluation.matrix import Matrix, Scores, as_matrix
from ale_rs.evaluation.scores import reference

__all__ = [
    "Estimate", "Model", "Prediction", "atari_k", "estimate", "model", "models", "phi", "phi_inverse",
    "predict_games",
]  # fmt: skip

PERCENT = 100.0


def phi(x: Any) -> Any:
    """log10(1 + max(0, x)) of a score in percent."""
    return np.log10(1 + np.maximum(0, x))


def phi_inverse(y: Any) -> Any:
    """The score in percent of a value of `phi`."""
    return np.power(10.0, y) - 1


@dataclass(frozen=True)
class Model:
    """A linear model of the median over 57 games.

    Attributes:
        name: its name.
        games: the games it needs.
        coefficients: one per game.
        r2: published R squared, cross-validated.
        relative_error: published relative error in percent.
        source: where the coefficients come from: `"printed"` or `"fitted"`.
    """

    name: str
    games: tuple[str, ...]
    coefficients: tuple[float, ...]
    r2: float | None
    relative_error: float | None
    source: str


@functools.cache
def models() -> tuple[str, ...]:
    """Names of the models."""
    return tuple(read_toml(HERE / "models.toml"))


@functools.cache
def model(name: str, coefficients: str = "printed") -> Model:
    """A published model; `coefficients="fitted"` takes ours with ten digits instead of the printed four."""
    if name not in models():
        raise unknown("model", name, models())
    if coefficients not in ("printed", "fitted"):
        raise unknown("coefficients", coefficients, ("printed", "fitted"))
    table = read_toml(HERE / "models.toml")[name]
    source = coefficients if coefficients in table else "fitted"
    return Model(
        name,
        tuple(table["games"]),
        tuple(table[source]),
        table.get("r2"),
        table.get("relative_error"),
        source,
    )


def estimate(percent: Sequence[float], model: Model) -> float:
    """The estimated median over 57 games in percent, from scores in percent in the order of the model."""
    if len(percent) != len(model.games):
        raise ValueError(f"{model.name} needs {len(model.games)} scores: {', '.join(model.games)}")
    total = math.fsum(c * float(phi(z)) for c, z in zip(model.coefficients, percent, strict=True))
    return float(phi_inverse(total))


@dataclass(frozen=True)
class Estimate:
    """The score of an agent on Atari-k.

    Attributes:
        value: the estimated median over 57 games, in percent.
        model: name of the model.
        relative_error: the model's own error in percent; the interval does not contain it.
        games: the games it is made of.
        low: lower end of the interval over trials; `None` with one trial per game.
        high: upper end.
        median: the true median, if all 57 games were played.
    """

    value: float
    model: str
    relative_error: float | None
    games: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    median: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The estimate as a plain dict."""
        return dict(vars(self), games=list(self.games))


def atari_k(
    x: Scores,
    model: str = "atari5",
    *,
    coefficients: str = "printed",
    games: Sequence[str] | None = None,
    replications: int = REPLICATIONS,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the median over 57 games of an agent from a few.

    Args:
        x: human-normalised scores as fractions, as `normalise(trials, "human")` gives them.
        model: `"atari1"`, `"atari3"`, `"atari5"`, `"atari10"` or one of the validation sets.
        coefficients: `"printed"` or `"fitted"`.
        games: names of the columns.
        replications: replicates of the bootstrap over trials.
        level: the probability inside the interval.
        seed: the seed of the draws.

    Raises:
        ValueError: a game is missing; nothing is ever imputed.
    """
    matrix = as_matrix(x, games)
    chosen = _model(model, coefficients)
    missing = [game for game in chosen.games if game not in matrix.scored]
    if missing:
        who = matrix.agent or "the agent"
        raise ValueError(
            f"{who} has no score of {', '.join(missing)}, which {model} needs; nothing is imputed"
        )
    columns = [[PERCENT * z for z in column] for column in matrix.select(chosen.games).columns()]
    value = estimate([math.fsum(column) / len(column) for column in columns], chosen)
    low = high = None
    if min(map(len, columns)) >= 2:
        draws = _native.bootstrap_metric(
            columns, "estimate", chosen.coefficients, replications, seed, False, 0
        )
        low, high = quantiles(draws, level)
    return Estimate(value, model, chosen.relative_error, chosen.games, low, high, _median57(matrix))


_model = model  # `atari_k` has an argument of this name


def _median57(matrix: Matrix) -> float | None:
    means = matrix.means()
    if not set(reference()) <= set(means):
        return None
    return float(np.median([PERCENT * means[game] for game in reference()]))


@dataclass(frozen=True)
class Prediction:
    """A predicted score of a game.

    Attributes:
        game: the game.
        percent: human-normalised score in percent.
        score: the same as a raw score.
        r2: how well the model fits.
        measured: whether the game is one of the predictors and was played.
    """

    game: str
    percent: float
    score: float
    r2: float
    measured: bool


@functools.cache
def _game_models(name: str) -> tuple[tuple[str, ...], Mapping[str, tuple[float, float, tuple[float, ...]]]]:
    """The predictors, and per game R squared, intercept and coefficients."""
    if name not in ("atari5", "atari10"):
        raise unknown("model of single games", name, ("atari5", "atari10"))
    with (HERE / "references" / f"game_models_{name}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        predictors = tuple(reader.fieldnames or ())[4:]
        return predictors, {
            row["game"]: (float(row["r2"]), float(row["intercept"]), tuple(float(row[p]) for p in predictors))
            for row in reader
        }


def predict_games(
    x: Scores, model: str = "atari5", *, games: Sequence[str] | None = None
) -> list[Prediction]:
    """Predict all 57 games from the games of Atari-5 or Atari-10.

    Args:
        x: human-normalised scores as fractions.
        model: `"atari5"` or `"atari10"`.
        games: names of the columns.
    """
    matrix = as_matrix(x, games)
    predictors, table = _game_models(model)
    missing = [game for game in predictors if game not in matrix.scored]
    if missing:
        raise ValueError(f"no score of {', '.join(missing)}, which {model} needs; nothing is imputed")
    means = matrix.means()
    logs: NDArray[np.float64] = np.array([phi(PERCENT * means[game]) for game in predictors])
    result = []
    for game, (r2, intercept, coefficients) in table.items():
        measured = game in predictors
        percent = (
            PERCENT * means[game]
            if measured
            else float(phi_inverse(intercept + logs @ np.array(coefficients)))
        )
        low, high = reference()[game]
        result.append(Prediction(game, percent, low + percent / PERCENT * (high - low), r2, measured))
    return result
