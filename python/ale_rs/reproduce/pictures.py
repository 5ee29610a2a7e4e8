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
    """Ours over published, with the names of those that differ; too few numbers make no picture."""
    groups: dict[str, list[tuple[str, float, float]]] = {name: [] for name in SHOWN.values()}
    for row in rows:
        if row.published is not None and row.ours is not None and row.verdict in SHOWN:
            groups[SHOWN[row.verdict]].append((row.game, row.published, row.ours))
    groups = {name: found for name, found in groups.items() if found}
    if sum(map(len, groups.values())) < FEWEST:
        return None
    named = {SHOWN["explained"], SHOWN["outside"]}
    if sum(map(len, groups.values())) <= FEW:
        named = set(groups)
    return charts.scatter(groups, title, "published", "ours", named=named)


SHOWN = {
    "equal": "equal or inside", "inside": "equal or inside", "explained": "explained", "outside": "outside",
    "shortened": "shortened", "beside": "beside",
}  # fmt: skip
"""Verdict -> its group in the picture."""
FEWEST, FEW = 6, 20
"""Points that make a picture, and points that all have their names."""


CONTROL = "random"
"""The policy of `robust` that nothing disturbs."""


def _printed(draw: Callable[[], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw()


def _of_data(draw: Callable[[ev.Dataset], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw(ev.read_dataset())


def _by_baselines(draw: Callable[[Scores], Picture]) -> Callable[[Sequence[Row], Scores], Picture | None]:
    return lambda rows, scores: draw(scores) if scores else None


def _disturbed(rows: Sequence[Row], scores: Scores) -> Picture | None:
    """Rows of `robust`: a panel per disturbance, a curve per policy against the level."""
    panels: dict[str, dict[str, dict[float, float | None]]] = {}
    for row in rows:
        name, _, level = row.game.rpartition(" ")
        policy, _, kind = name.partition(": ")
        panels.setdefault(kind, {}).setdefault(policy, {})[float(level)] = row.ours
    values = [
        z for lines in panels.values() for line in lines.values() for z in line.values() if z is not None
    ]
    if not values:
        return None
    span = (min(values) - 0.1, max(values) + 0.1)
    picture = Picture(PANEL * len(panels), 360, "a plan played blindly")
    for index, (kind, lines) in enumerate(panels.items()):
        curves = []
        for policy, line in lines.items():
            name, hue, wide = (CONTROL, "muted", 1.2) if policy == CONTROL else ("plan", "s0", 2.4)
            curves.append(charts.Curve(name, list(line), list(line.values()), colour=hue, width=wide))
        chart = charts.curve_chart(
            curves, kind, UNITS.get(kind, "level"), "mean Z-score", width=PANEL, y=span
        )
        picture.add(chart, PANEL * index)
    return picture


def _rates(rows: Sequence[Row], scores: Scores) -> Picture | None:
    """Success rates of Crafter's achievements, published and ours."""
    found = [row for row in rows if row.game != "score"]
    series = {"published": [row.published for row in found], "ours": [row.ours for row in found]}
    names = [row.game.replace("_", " ") for row in found]
    return charts.bars(names, series, "Crafter: success rates", "share of episodes in %")


PANEL = 330.0
UNITS = {
    "no-ops": "no-ops at the start", "random actions": "share of random actions",
    "sticky actions": "share of sticky actions",
}  # fmt: skip
"""What the levels of a disturbance are."""


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
    "rates": ("success rates, published and ours", _rates),
    "crafter_rates": ("Figures 5 to 7: success rates", _printed(figures.crafter_rates)),
}
"""Name -> its title and how it is drawn."""
