"""The figures of the page's sections; each is drawn when an entry is kept.

A figure gets the rows of its entry, and the scores of the 37 reference policies where these are kept.
"""

from collections.abc import Callable, Mapping, Sequence

from ale_rs import evaluation as ev
from ale_rs.evaluation import charts, figures
from ale_rs.evaluation.drawing import Picture
from ale_rs.reproduce.bands import Row

__all__ = ["PICTURES", "Scores", "beside_published"]

Scores = Mapping[str, Mapping[str, float]]
"""Agent -> game -> mean score."""


def beside_published(title: str, rows: Sequence[Row]) -> Picture | None:
    """Ours over published, both on a scale of powers of ten; too few positive numbers make no picture."""
    points = [(row.game, float(row.published), float(row.ours)) for row in rows if row.published and row.ours]
    if sum(x > 0 and y > 0 for _, x, y in points) <= 5:
        return None
    return charts.scatter(
        points,
        title,
        "published",
        "ours",
        line=lambda x: x,
        labels=False,
        log=True,
    )


CONTROL = "random"
"""The policy of `robust` that nothing disturbs."""


def _printed(draw: Callable[[], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw()


def _of_data(draw: Callable[[ev.Dataset], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw(ev.read_dataset())


def _by_baselines(draw: Callable[[Scores], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw(scores) if scores else None


def _disturbed(rows: Sequence[Row], scores: Scores) -> Picture | None:
    """Rows of `robust` as curves: one per policy and disturbance, against the level's number."""
    lines: dict[str, list[float | None]] = {}
    levels: dict[str, list[str]] = {}
    for row in rows:
        name, _, level = row.game.rpartition(" ")
        lines.setdefault(name, []).append(row.ours)
        levels.setdefault(name, []).append(level)
    curves = []
    for index, (name, line) in enumerate(lines.items()):
        policy, _, kind = name.partition(": ")
        known = policy != CONTROL
        label = f"{kind} ({', '.join(levels[name])})" if known else CONTROL if index == len(lines) - 1 else ""
        hue, wide = (charts.colour(index), 2.4) if known else ("muted", 1.0)
        curves.append(charts.Curve(label, list(range(len(line))), line, colour=hue, width=wide))
    return charts.curve_chart(curves, "a plan played blindly", "level", "mean Z-score over games", width=860)


PICTURES: Mapping[str, tuple[str, Callable[[Sequence[Row], Scores], Picture | None]]] = {
    "figure2": ("Figure 2: inter-algorithm scores", _printed(figures.inter_scores)),
    "figure3": ("Figure 3: means and medians of inter-algorithm scores", _printed(figures.inter_averages)),
    "figure4": ("Figure 4: distributions of inter-algorithm scores", _printed(figures.score_distributions)),
    "times_best": ("times best", _printed(figures.times_best_2013)),
    "baseline_figure2": ("Figure 2: scores by the 37 policies", _by_baselines(figures.baseline_scores)),
    "baseline_figure3": (
        "Figure 3: means and medians by the 37 policies",
        _by_baselines(figures.baseline_averages),
    ),
    "baseline_figure4": (
        "Figure 4: distributions by the 37 policies",
        _by_baselines(figures.baseline_distributions),
    ),
    "disturbed": ("Z-scores under growing disturbance", _disturbed),
    "game_ranking": ("Figure 2: games by R²", _of_data(figures.game_ranking)),
    "fairness": ("Figure 3: errors by tertile", _of_data(figures.fairness_bars)),
    "predictability": ("Figure 4: how well each game is predicted", _of_data(figures.game_predictability)),
    "correlations": ("Figure 5: correlated games", _of_data(figures.correlation_graph)),
    "crafter_rates": ("Figures 5 to 7: success rates", _printed(figures.crafter_rates)),
}
"""Name -> its title and how it is drawn."""
