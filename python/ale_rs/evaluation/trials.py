"""The kinds of protocols: how the episodes of one trial become its score.

| kind                  | score                                                                |
|-----------------------|----------------------------------------------------------------------|
| `training`            | mean of the last k training episodes at checkpoints                   |
| `evaluation`          | mean of the first n evaluation episodes                               |
| `train_then_evaluate` | the same, after training                                              |
| `training_tertiles`   | mean of the last k training episodes after each third, and at the end |
| `achievements`        | Crafter's score of the episodes within the budget                     |
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ale_rs.evaluation._data import check_keys
from ale_rs.evaluation.crafter_score import crafter_score, success_rates
from ale_rs.evaluation.logfile import RunLog
from ale_rs.evaluation.records import Episode

__all__ = ["KINDS", "Kind", "Score", "area", "curve", "mean_and_sd"]

Checkpoint = int | str | None


class Score(NamedTuple):
    """A score of a trial; the fields are those of `TrialScore`."""

    checkpoint: Checkpoint
    score: float | None
    episodes: int
    sd: float | None = None
    rates: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of protocol.

    Attributes:
        keys: parameter -> whether it is needed.
        budgets: which budgets make sense; none if the agent does not learn.
        checkpoints: the checkpoints, in order, from the parameters.
        scores: the scores of a trial from (log, parameters, budget, partial).
    """

    keys: Mapping[str, bool]
    budgets: tuple[str, ...]
    checkpoints: Callable[[Mapping[str, Any]], list[Checkpoint]]
    scores: Callable[[RunLog, Mapping[str, Any], Mapping[str, int], bool], list[Score]]

    def check(self, where: str, score: Mapping[str, Any], budget: Mapping[str, Any]) -> None:
        """Refuse parameters that are missing, unknown, or no positive numbers."""
        check_keys(f"{where} [score]", score, self.keys)
        missing = [key for key, needed in self.keys.items() if needed and key not in score]
        if missing:
            raise ValueError(f"{where} [score]: the key {missing[0]!r} is missing")
        for key, value in score.items():
            values = value if isinstance(value, list) else [value]
            if not values or any(type(number) is not int or number < 1 for number in values):
                raise ValueError(f"{where} [score]: {key} is {value!r}, accepted: ints from 1 on")
        if "checkpoints" in score and sorted(set(score["checkpoints"])) != score["checkpoints"]:
            raise ValueError(f"{where} [score]: checkpoints must rise, not {score['checkpoints']}")
        if bool(self.budgets) != (len(budget) == 1) or any(key not in self.budgets for key in budget):
            accepted = " or ".join(self.budgets) or "nothing: the agent does not learn"
            raise ValueError(f"{where} [budget]: has {dict(budget)}, accepted: {accepted}")
        for key, value in budget.items():
            if type(value) is not int or value < 1:
                raise ValueError(f"{where} [budget]: {key} is {value!r}, accepted: an int from 1 on")


def mean_and_sd(values: Sequence[float], kind: str = "sample") -> tuple[float | None, float]:
    """Mean and standard deviation (divisor n - 1 for `sample`, n for `population`); 0 for one value.

    >>> mean_and_sd([10.0, 12.0, 17.0])
    (13.0, 3.605551275463989)
    """
    if not values:
        return None, 0.0
    mean = math.fsum(values) / len(values)
    divisor = len(values) - (kind == "sample")
    if divisor < 1:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / divisor)


def _mean(episodes: Sequence[Episode]) -> float:
    return math.fsum(episode.score for episode in episodes) / len(episodes)


def _training(log: RunLog, score: Mapping[str, Any], _: Mapping[str, int], __: bool) -> list[Score]:
    """Mean of the last `window` episodes up to the first one that reaches the checkpoint."""
    episodes = log.phase("train")
    result = []
    j = 0
    for checkpoint in score["checkpoints"]:
        while j < len(episodes) and episodes[j].total_frames < checkpoint:
            j += 1
        if j == len(episodes):
            result.append(Score(checkpoint, None, 0))
            continue
        last = episodes[max(0, j - score["window"] + 1) : j + 1]
        result.append(Score(checkpoint, _mean(last), len(last)))
    return result


def _evaluation(log: RunLog, score: Mapping[str, Any], _: Mapping[str, int], partial: bool) -> list[Score]:
    """Mean of the first `episodes` evaluation episodes."""
    episodes = log.phase("evaluate")[: score["episodes"]]
    enough = len(episodes) == score["episodes"] or (partial and episodes)
    return [Score(None, _mean(episodes) if enough else None, len(episodes))]


def _tertiles(log: RunLog, score: Mapping[str, Any], budget: Mapping[str, int], _: bool) -> list[Score]:
    """Windows after each third of the episodes, and a longer one at the end."""
    episodes = log.phase("train")
    count = len(episodes)
    if not count or episodes[-1].total_frames < budget["frames"]:
        return [Score(mark, None, 0) for mark in TERTILES]
    few, many, least = score["tertile_windows"]
    bounds = [max(1, third * count // 3) for third in (1, 2, 3)] if count >= 3 else [None] * 3
    windows = [many if count >= least else few] * 3
    few, many, least = score["end_windows"]
    result = []
    for mark, bound, window in zip(
        TERTILES, [*bounds, count], [*windows, many if count >= least else few], strict=True
    ):
        if bound is None:
            result.append(Score(mark, None, 0))
            continue
        last = [episode.score for episode in episodes[max(0, bound - window) : bound]]
        mean, sd = mean_and_sd(last)
        result.append(Score(mark, mean, len(last), sd))
    return result


TERTILES: tuple[Checkpoint, ...] = ("tertile 1", "tertile 2", "tertile 3", "end")
"""The windows of `training_tertiles`."""


def _achievements(log: RunLog, _: Mapping[str, Any], budget: Mapping[str, int], partial: bool) -> list[Score]:
    """Crafter's score. The episode that crosses the budget is left out."""
    episodes = log.phase("train") or log.phase("evaluate")
    counted = [episode for episode in episodes if episode.total_frames <= budget["frames"]]
    reached = log.complete or len(counted) < len(episodes)
    if not counted or not (reached or partial):
        return [Score(None, None, 0)]
    without = [episode.episode for episode in counted if episode.achievements is None]
    if without:
        raise ValueError(f"episode {without[0]} has no achievements")
    rates = success_rates(episode.achievements or {} for episode in counted)
    return [Score(None, crafter_score(rates.values()), len(counted), rates=rates)]


KINDS: Mapping[str, Kind] = {
    "training": Kind(
        {"window": True, "checkpoints": True},
        ("frames",),
        lambda score: list(score["checkpoints"]),
        _training,
    ),
    "evaluation": Kind({"episodes": True}, (), lambda _: [None], _evaluation),
    "train_then_evaluate": Kind({"episodes": True}, ("frames", "episodes"), lambda _: [None], _evaluation),
    "training_tertiles": Kind(
        {"tertile_windows": True, "end_windows": True}, ("frames",), lambda _: list(TERTILES), _tertiles
    ),
    "achievements": Kind({}, ("frames",), lambda _: [None], _achievements),
}
"""All kinds, by name."""


def curve(log: RunLog, bin_frames: int, phase: str = "train") -> list[float | None]:
    """Mean return of the episodes finishing in each bin of frames; an empty bin is `None`, not zero."""
    if bin_frames < 1:
        raise ValueError(f"bin_frames is {bin_frames}, accepted: an int from 1 on")
    bins: list[list[float]] = []
    for episode in log.phase(phase):
        index = (episode.total_frames - 1) // bin_frames
        bins += [[] for _ in range(index + 1 - len(bins))]
        bins[index].append(episode.score)
    return [math.fsum(scores) / len(scores) if scores else None for scores in bins]


def area(values: Sequence[float | None]) -> float | None:
    """Mean of the bins of a curve that have a value."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
