"""The Crafter score: success rates of the 22 achievements, and their geometric mean."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs.crafter.env import ACHIEVEMENTS

__all__ = ["Score", "score"]

BUDGET = 1_000_000
KEYS = tuple(f"achievement_{name}" for name in ACHIEVEMENTS)


@dataclass(frozen=True)
class Score:
    """Success rates and scores of several runs, in percent.

    Attributes:
        rates: `(runs, 22)` shares of episodes in which an achievement was reached.
        scores: `(runs,)` scores: `exp(mean(log(1 + rate))) - 1`.
        episodes: `(runs,)` numbers of episodes.
    """

    rates: NDArray[np.float64]
    scores: NDArray[np.float64]
    episodes: NDArray[np.int64]

    @property
    def mean(self) -> float:
        """The mean score of the runs."""
        return float(self.scores.mean())

    @property
    def std(self) -> float:
        """The population standard deviation of the scores."""
        return float(self.scores.std())

    @property
    def success_rates(self) -> dict[str, float]:
        """Mean success rate of each achievement."""
        return dict(zip(ACHIEVEMENTS, map(float, self.rates.mean(0)), strict=True))

    def __str__(self) -> str:
        return (
            f"{self.mean:.3f} +- {self.std:.3f} % ({len(self.scores)} runs, {self.episodes.sum()} episodes)"
        )


def score(runs: "str | os.PathLike[str] | Iterable[Any]", *, budget: int | None = BUDGET) -> Score:
    """The score of runs.

    Args:
        runs: a file or a list of runs. A file is `stats.jsonl` of one run, or a JSON list of runs. A run is
            such a file, a list of episodes (as in `stats.jsonl`: `length`, `achievement_<name>`), a
            dictionary of columns (as in the published data), or a list of the dictionaries that
            `CrafterVectorEnv` puts into `info["episodes"]`.
        budget: steps of a run; episodes that end later are left out. `None` takes all.

    Raises:
        ValueError: a run has no episode, or an episode lacks a field, which is named.
    """
    parsed = [_rates(run, where, budget) for where, run in _runs(runs)]
    if not parsed:
        raise ValueError("no runs; accepted: a file, a list of files, or a list of lists of episodes")
    rates = np.array([rates for rates, _ in parsed])
    scores = np.exp(np.log1p(rates).mean(1)) - 1
    return Score(rates, scores, np.array([count for _, count in parsed]))


def _runs(runs: Any) -> list[tuple[str, Any]]:
    if isinstance(runs, str | os.PathLike):
        return _read(Path(runs))
    if isinstance(runs, Mapping):
        return [("the run", runs)]
    runs = list(runs)
    if runs and all(isinstance(run, Mapping) and not _is_columns(run) for run in runs):
        return [("the run", runs)]
    found: list[tuple[str, Any]] = []
    for number, run in enumerate(runs):
        found += _read(Path(run)) if isinstance(run, str | os.PathLike) else [(f"run {number}", run)]
    return found


def _read(path: Path) -> list[tuple[str, Any]]:
    text = path.read_text("utf-8")
    try:
        if text.lstrip().startswith("["):
            return [(f"{path}, run {number}", run) for number, run in enumerate(json.loads(text))]
        lines = [line for line in text.splitlines() if line.strip()]
        episodes = []
        for number, line in enumerate(lines):
            try:
                episodes.append(json.loads(line))
            except ValueError:
                # A run that was killed may leave half a line at the end.
                if number + 1 < len(lines):
                    raise
        return [(str(path), episodes)]
    except ValueError as error:
        raise ValueError(f"{path} is neither stats.jsonl nor a JSON list of runs: {error}") from error


def _is_columns(run: Any) -> bool:
    return isinstance(run, Mapping) and isinstance(run.get("length"), Sequence | np.ndarray)


def _columns(run: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lengths and counts of episodes, a row each."""
    if "achievements" in run:
        return np.asarray(run["length"]), np.asarray(run["achievements"]).reshape(-1, len(KEYS))
    return np.asarray(run["length"]), np.stack([np.asarray(run[key]) for key in KEYS], 1)


def _rates(run: Any, where: str, budget: int | None) -> tuple[NDArray[np.float64], int]:
    try:
        if _is_columns(run):
            lengths, counts = _columns(run)
        elif len(run) and all(_is_columns(part) for part in run):
            parts = [_columns(part) for part in run]
            lengths, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        else:
            lengths = np.array([episode["length"] for episode in run])
            counts = np.array([[episode[key] for key in KEYS] for episode in run])
    except KeyError as error:
        raise ValueError(f"{where}: an episode has no {error.args[0]!r}") from error
    except TypeError as error:
        raise ValueError(f"{where}: not a list of episodes: {error}") from error
    within = np.full(len(lengths), True) if budget is None else np.cumsum(lengths) <= budget
    if not within.any():
        raise ValueError(f"{where}: no episode ends within {budget} steps")
    return 100 * (counts[within] >= 1).mean(0), int(within.sum())
