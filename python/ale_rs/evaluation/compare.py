"""Comparisons per game: Welch's test on trial scores, and how often an algorithm is the best."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.protocol import TrialScore
from ale_rs.evaluation.trials import mean_and_sd

__all__ = ["PairedTests", "Summary", "Welch", "paired_tests", "times_best", "welch"]


class Summary(NamedTuple):
    """A sample by its mean, sample standard deviation and size, as papers print it."""

    mean: float
    sd: float
    n: int


@dataclass(frozen=True)
class Welch:
    """Welch's two-sided t test.

    Attributes:
        t: (mean of a - mean of b) / standard error; positive if a is higher.
        dof: degrees of freedom.
        p: probability of a |t| this large if the means were equal; `nan` if there is no test.
    """

    t: float
    dof: float
    p: float

    def verdict(self, alpha: float) -> str:
        """`"better"` or `"worse"` (a against b) below the level, otherwise `"same"`, or `"unknown"`."""
        if math.isnan(self.p):
            return "unknown"
        if self.p >= alpha:
            return "same"
        return "better" if self.t > 0 else "worse"

    def to_dict(self) -> dict[str, Any]:
        """The test as a plain dict."""
        return dict(vars(self))


def welch(a: Sequence[float] | Summary, b: Sequence[float] | Summary) -> Welch:
    """Welch's two-sided t test of two samples (or their summaries).

    >>> test = welch([10.0, 12.0, 17.0], [20.0, 21.0, 25.0, 22.0])
    >>> round(test.t, 4), round(test.dof, 4), round(test.p, 6)
    (-3.8376, 3.0734, 0.029891)
    """
    first, second = _summary(a), _summary(b)
    if first.n < 2 or second.n < 2:
        return Welch(math.nan, math.nan, math.nan)
    v, w = first.sd**2 / first.n, second.sd**2 / second.n
    difference = first.mean - second.mean
    if v + w == 0:
        return Welch(
            0.0 if difference == 0 else math.copysign(math.inf, difference), math.nan, float(not difference)
        )
    t = difference / math.sqrt(v + w)
    dof = (v + w) ** 2 / (v**2 / (first.n - 1) + w**2 / (second.n - 1))
    return Welch(t, dof, incomplete_beta(dof / 2, 0.5, dof / (dof + t * t)))


def _summary(sample: Sequence[float] | Summary) -> Summary:
    if isinstance(sample, Summary):
        found = sample
    else:
        values = [float(value) for value in sample]
        mean, sd = mean_and_sd(values)
        found = Summary(math.nan if mean is None else mean, sd, len(values))
    if found.n >= 2 and not (math.isfinite(found.mean) and math.isfinite(found.sd) and found.sd >= 0):
        raise ValueError(f"a sample has the mean {found.mean} and the standard deviation {found.sd}")
    return found


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by the continued fraction of Lentz.

    >>> round(incomplete_beta(2.0, 3.0, 0.5), 12)
    0.6875
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + term * d, tiny)
            c = _away(1 + term / c, tiny)
            fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * fraction / a


def binomial_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of Clopper and Pearson for a share.

    >>> low, high = binomial_interval(52, 54)
    >>> f"{low:.3f} {high:.3f}"
    '0.873 0.995'
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} of {trials} is no share")
    tail = (1 - level) / 2
    low = _quantile(successes, trials - successes + 1, tail) if successes else 0.0
    high = _quantile(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return low, high


def _quantile(a: float, b: float, level: float) -> float:
    """Where the incomplete beta function reaches a level, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(a, b, middle) < level else (low, middle)
    return (low + high) / 2


def _away(value: float, tiny: float) -> float:
    """A divisor that is not zero."""
    return value if abs(value) > tiny else tiny


@dataclass(frozen=True)
class PairedTests:
    """Welch tests of all pairs of agents on every game.

    Attributes:
        agents: names of the agents.
        alpha: the level.
        verdicts: (first, second) -> game -> `"better"`, `"worse"`, `"same"` or `"unknown"`.
    """

    agents: tuple[str, ...]
    alpha: float
    verdicts: Mapping[tuple[str, str], Mapping[str, str]]

    def count(self, first: str, second: str) -> tuple[int, int]:
        """On how many games the first is significantly better, and on how many it is worse."""
        found = list(self.verdicts[first, second].values())
        return found.count("better"), found.count("worse")

    def to_dict(self) -> dict[str, Any]:
        """The tests as a plain dict."""
        pairs = [
            {"first": first, "second": second, "verdicts": dict(games)}
            for (first, second), games in self.verdicts.items()
        ]
        return {"agents": list(self.agents), "alpha": self.alpha, "pairs": pairs}


def paired_tests(trials: Iterable[TrialScore], alpha: float = 0.01) -> PairedTests:
    """Welch's test on the raw trial scores of every game, for all pairs of agents.

    Many tests are not corrected for, as in the papers.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}, accepted: between 0 and 1")
    scores: dict[str, dict[str, list[float]]] = {}
    for row in getattr(trials, "last", trials):
        if row.score is not None:
            scores.setdefault(row.agent, {}).setdefault(row.game, []).append(row.score)
    agents = tuple(sorted(scores))
    verdicts = {}
    for first in agents:
        for second in agents:
            if first != second:
                games = sorted(scores[first].keys() & scores[second].keys())
                verdicts[first, second] = {
                    game: welch(scores[first][game], scores[second][game]).verdict(alpha) for game in games
                }
    return PairedTests(agents, alpha, verdicts)


def times_best(scores: Mapping[str, Mapping[str, float | None]], *, ties: str = "first") -> dict[str, int]:
    """On how many games each algorithm has the highest score.

    Args:
        scores: algorithm -> game -> score; a missing score loses.
        ties: `"first"` counts a tie for the algorithm that comes first, `"all"` for each, `"none"` for none.

    >>> times_best({"a": {"pong": 1.0, "qbert": 5.0}, "b": {"pong": 1.0, "qbert": 7.0}})
    {'a': 1, 'b': 1}
    """
    if ties not in ("first", "all", "none"):
        raise unknown("ties", ties, ("first", "all", "none"))
    counts = dict.fromkeys(scores, 0)
    games = dict.fromkeys(game for row in scores.values() for game in row)
    for game in games:
        known = {name: row[game] for name, row in scores.items() if _known(row.get(game))}
        if not known:
            continue
        best = max(value for value in known.values() if value is not None)
        winners = [name for name, value in known.items() if value == best]
        if ties == "all" or len(winners) == 1 or ties == "first":
            for name in winners if ties == "all" else winners[:1]:
                counts[name] += 1
    return counts


def _known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)
