"""Scores with named axes: rows are runs (trials), columns are games."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AxesWarning", "Matrix", "Scores", "as_matrix"]


class AxesWarning(UserWarning):
    """A matrix that looks as if its axes were exchanged."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Scores of one agent.

    Attributes:
        values: one row per run, one column per game; `nan` for a missing score.
        games: names of the columns.
        seeds: names of the rows.
        agent: name of the agent.
        missing: games without any score.
        undefined: games whose normalised score is undefined, because the range is empty.
    """

    values: NDArray[np.float64]
    games: tuple[str, ...]
    seeds: tuple[int, ...] = ()
    agent: str = ""
    missing: tuple[str, ...] = ()
    undefined: tuple[str, ...] = field(default=())

    def columns(self) -> list[list[float]]:
        """The scores of each game that has any."""
        return [column for column in map(_finite, self.values.T) if column]

    @property
    def scored(self) -> tuple[str, ...]:
        """The games that have a score."""
        return tuple(g for g, column in zip(self.games, self.values.T, strict=True) if _finite(column))

    def means(self) -> dict[str, float]:
        """Mean over runs of each game that has a score."""
        return {
            game: math.fsum(column) / len(column)
            for game, column in zip(self.scored, self.columns(), strict=True)
        }

    def select(self, games: Sequence[str]) -> "Matrix":
        """The columns of some games, in their order; those that are not there are `missing`."""
        found = [game for game in games if game in self.games]
        values = self.values[:, [self.games.index(game) for game in found]]
        missing = tuple(game for game in games if game not in found)
        return Matrix(values, tuple(found), self.seeds, self.agent, missing, self.undefined)

    def first_runs(self, count: int) -> "Matrix":
        """The first `count` runs of every game.

        Raises:
            ValueError: a game has fewer.
        """
        columns = self.columns()
        short = [game for game, column in zip(self.scored, columns, strict=True) if len(column) < count]
        if short:
            raise ValueError(
                f"{self.agent or 'the matrix'} has fewer than {count} runs of {', '.join(short)}"
            )
        values = np.array([column[:count] for column in columns]).T
        return Matrix(values, self.scored, self.seeds[:count], self.agent, self.missing, self.undefined)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists; a missing score is `None`."""
        rows = [[None if math.isnan(value) else float(value) for value in row] for row in self.values]
        return {"agent": self.agent, "games": list(self.games), "seeds": list(self.seeds), "values": rows}


Scores: TypeAlias = Matrix | ArrayLike | Mapping[str, Sequence[float]]
"""What functions take: a `Matrix`, an array runs x games, or game -> scores of its runs."""


def _finite(column: Any) -> list[float]:
    return [float(value) for value in column if not math.isnan(value)]


def as_matrix(x: Scores, games: Sequence[str] | None = None, name: str = "x") -> Matrix:
    """Scores with checked axes.

    Args:
        x: a `Matrix`, an array of runs x games, or a dict game -> scores of its runs.
        games: names of the columns.
        name: what messages call it.

    Raises:
        ValueError: the shape contradicts the names, or a score is infinite.

    Warns:
        AxesWarning: there are more rows than columns and no names.
    """
    if isinstance(x, Matrix):
        return x if games is None else x.select(games)
    if isinstance(x, Mapping):
        return _of_games(x, games, name)
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(
            f"{name} has the shape {values.shape}; expected a matrix of runs x games (one row per run, one "
            "column per game)"
        )
    rows, columns = values.shape
    if games is not None and len(games) != columns:
        hint = "; its rows are games: transpose it" if len(games) == rows else ""
        raise ValueError(
            f"{name} has {rows} rows and {columns} columns, but {len(games)} names of games{hint}. Rows are "
            "runs and columns are games; exchanged, intervals would redraw games instead of runs and be wrong"
        )
    if games is None and rows > columns:
        warnings.warn(
            f"{name} has {rows} rows and {columns} columns, that is more runs than games. Rows must be runs "
            "and columns games: exchanged, intervals would redraw games instead of runs and be wrong. Give "
            "games=[...] to name the columns, or transpose it",
            AxesWarning,
            stacklevel=3,
        )
    names = tuple(games) if games is not None else tuple(f"game {index}" for index in range(columns))
    return _checked(Matrix(values, names, tuple(range(rows))), name)


def _of_games(x: Mapping[str, Any], games: Sequence[str] | None, name: str) -> Matrix:
    names = list(x) if games is None else list(games)
    missing = [game for game in names if game not in x]
    if missing:
        raise ValueError(f"{name} has no scores of {', '.join(missing)}")
    columns = [[float(value) for value in x[game]] for game in names]
    rows = max((len(column) for column in columns), default=0)
    if not rows:
        raise ValueError(f"{name} has no scores")
    padded = [column + [math.nan] * (rows - len(column)) for column in columns]
    return _checked(Matrix(np.array(padded).T, tuple(names), tuple(range(rows))), name)


def _checked(matrix: Matrix, name: str) -> Matrix:
    twice = {game for game in matrix.games if matrix.games.count(game) > 1}
    if twice:
        raise ValueError(f"{name} has two columns with the name {', '.join(sorted(twice))}")
    for row, column in np.argwhere(np.isinf(matrix.values)):
        raise ValueError(f"{name} has an infinite score: run {row}, {matrix.games[column]}")
    if np.isnan(matrix.values).all():
        raise ValueError(f"{name} has no scores")
    return matrix
