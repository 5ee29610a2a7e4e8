"""The figures of the papers, drawn from logs, from the published tables and from the Atari-5 data set.

Each function gives a `Picture`; `write_figures` writes all that the input suffices for.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ale_rs.evaluation import analysis, charts, scores
from ale_rs.evaluation.compare import times_best
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from ale_rs.evaluation.dataset import Dataset
from ale_rs.evaluation.drawing import Picture
from ale_rs.evaluation.protocol import protocol
from ale_rs.evaluation.robustness import Robustness
from ale_rs.evaluation.runlog import RunLog, RunSet
from ale_rs.evaluation.subset import model
from ale_rs.evaluation.tasks import CRAFTER, Task
from ale_rs.evaluation.trials import curve

__all__ = [
    "achievement_curves", "baseline_averages", "baseline_distributions", "baseline_scores",
    "correlation_graph", "crafter_rates", "crafter_rewards", "fairness_bars",
    "game_predictability", "game_ranking", "inter_averages", "inter_scores", "learning_curves",
    "robustness_curves", "score_distributions", "within_95_percent", "write_figures",
]  # fmt: skip

LEARNERS = ("basic", "bass", "disco", "lsh", "ram")
Baselines: TypeAlias = Mapping[str, Mapping[str, float]]
"""Reference policies -> game -> mean score."""
CURVE_BINS = 60
CRAFTER_BIN = 10_000


def _learners(baselines: Baselines | None = None) -> dict[str, dict[str, float]]:
    """Normalised scores of the learners of Table 4: among themselves, or by reference policies."""
    table = scores.published("bellemare2013_table4")
    learners = {name: table[name] for name in LEARNERS}
    if baselines is None:
        return scores.normalise_table(learners, "inter")
    return scores.normalise_table(learners, "baseline", baselines=baselines)


def _known(z: dict[str, dict[str, float]]) -> dict[str, list[float]]:
    return {name: [value for value in found.values() if not math.isnan(value)] for name, found in z.items()}


def inter_scores() -> Picture:
    """Bellemare et al. 2013, Figure 2: inter-algorithm scores of the learners, game by game."""
    return _scores(_learners(), "inter-algorithm scores", "score between worst and best")


def baseline_scores(baselines: Baselines) -> Picture:
    """Bellemare et al. 2013, Figure 2, its other half: 0 is the worst reference policy, 1 the best."""
    return _scores(_learners(baselines), "baseline scores, cut off at 10", "score among the baselines", 10.0)


def _scores(z: dict[str, dict[str, float]], title: str, label: str, cut: float = math.inf) -> Picture:
    games = sorted(game for game in next(iter(z.values())) if not math.isnan(z[LEARNERS[0]][game]))
    series: dict[str, list[float | None]] = {
        name: [max(min(z[name][game], cut), -cut) for game in games] for name in LEARNERS
    }
    return charts.bars(games, series, f"{title}, {len(games)} games", label)


def inter_averages() -> Picture:
    """Bellemare et al. 2013, Figure 3, its inter-algorithm half: means and medians over 55 games."""
    return _averages(_learners(), "averages of inter-algorithm scores")


def baseline_averages(baselines: Baselines) -> Picture:
    """Bellemare et al. 2013, Figure 3, its other half; the means are on a scale of powers of ten."""
    return _averages(_learners(baselines), "averages of baseline scores", log=True)


def _averages(z: dict[str, dict[str, float]], title: str, *, log: bool = False) -> Picture:
    values = _known(z)
    means: list[float | None] = [math.fsum(values[name]) / len(values[name]) for name in LEARNERS]
    medians: list[float | None] = [float(np.median(values[name])) for name in LEARNERS]
    title = f"{title}, {len(values[LEARNERS[0]])} games"
    return charts.bars(LEARNERS, {"mean": means, "median": medians}, title, "score", log_y=log)


def score_distributions() -> Picture:
    """Bellemare et al. 2013, Figure 4: share of games with a score of at least tau."""
    return _distributions(_learners(), "inter-algorithm score", 1.0)


def baseline_distributions(baselines: Baselines) -> Picture:
    """Bellemare et al. 2013, Figure 4, its other half."""
    return _distributions(_learners(baselines), "baseline score", 10.0)


def _distributions(z: dict[str, dict[str, float]], label: str, top: float) -> Picture:
    taus = [index * top / 100 for index in range(101)]
    lines = []
    for index, (name, known) in enumerate(_known(z).items()):
        shares = [sum(value >= tau for value in known) / len(known) for tau in taus]
        lines.append(charts.Curve(name, taus, shares, colour=charts.colour(index)))
    games = len(known)
    return charts.curve_chart(lines, f"score distributions, {games} games", label, "share of games", y=(0, 1))


def learning_curves(runs: RunSet | Sequence[RunLog], game: str, agent: str) -> Picture:
    """Machado et al. 2018, Figures 1 and 4: trials in gray, their mean in front."""
    logs = [log for log in runs if log.run.game == game and log.run.agent == agent and log.phase("train")]
    if not logs:
        raise ValueError(f"there is no training log of {agent} on {game}")
    longest = max(log.phase("train")[-1].total_frames for log in logs)
    fewest = min(len(log.phase("train")) for log in logs)
    size = max(longest // min(CURVE_BINS, fewest), 1)
    lines = [curve(log, size) for log in logs]
    count = min(map(len, lines))  # where all trials have come to
    lines = [line[:count] for line in lines]
    xs = [(index + 0.5) * size for index in range(count)]
    mean = [_mean([value for value in column if value is not None]) for column in zip(*lines, strict=True)]
    gray = [charts.Curve("", xs, line, colour="muted", width=0.8) for line in lines]
    title = f"{agent} on {game}, {len(logs)} trials"
    return charts.curve_chart([*gray, charts.Curve("", xs, mean, width=2.4)], title, "frames", "return")


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def robustness_curves(found: Robustness) -> Picture:
    """Machado et al. 2018, Figure 2: standardised scores of one policy under growing disturbance."""
    lines = []
    for index, (kind, levels) in enumerate(found.z.items()):
        steps = list(range(len(levels)))
        name = f"{kind} ({', '.join(f'{level:g}' for level in levels)})"
        lines.append(charts.Curve(name, steps, list(levels.values()), colour=charts.colour(index)))
    return charts.curve_chart(
        lines, f"disturbance, {found.episodes} episodes each", "level", "mean Z-score over games", width=900
    )


def game_ranking(data: Dataset) -> Picture:
    """Aitchison et al. 2023, Figure 2: how well each game alone tells the median."""
    ranked = analysis.rank_games(data)
    return charts.bars(
        [row.game for row in ranked],
        {"R²": [row.r2 for row in ranked]},
        "explained variance of one game",
        "R²",
    )


def fairness_bars(data: Dataset) -> Picture:
    """Aitchison et al. 2023, Figure 3: errors of Atari-5 for weak, middling and strong algorithms."""
    groups = analysis.fairness(data, model("atari5").games)["groups_low_mid_high"]
    names = [
        f"{name} (n {group['n']})" for name, group in zip(("low", "middle", "high"), groups, strict=True)
    ]
    series = {
        "mean relative error": [float(group["mean_relative_error"]) for group in groups],
        "root mean square": [float(group["rms_relative_error"]) for group in groups],
    }
    return charts.bars(names, series, "errors of Atari-5 by tertile", "relative error")


def game_predictability(data: Dataset) -> Picture:
    """Aitchison et al. 2023, Figure 4: how well Atari-5 and Atari-10 predict each game."""
    fits = {name: analysis.fit_games(data, model(name).games) for name in ("atari5", "atari10")}
    by_game = {name: {fit.game: fit.r2 for fit in fits[name].models} for name in fits}
    order = sorted(by_game["atari5"], key=lambda game: -by_game["atari5"][game])
    series = {name: [found[game] for game in order] for name, found in by_game.items()}
    return charts.bars(order, series, "explained variance of each game", "R²")


def correlation_graph(data: Dataset, least: float = 0.75) -> Picture:
    """Aitchison et al. 2023, Figure 5: games on a circle, joined where their log scores correlate."""
    pairs = analysis.correlations(data)
    picture = Picture(760, 760, f"correlations of log scores of {least} and more")
    picture.text(20, 26, picture.title, role="title")
    centre, radius = 385.0, 255.0
    angle = {game: 2 * math.pi * index / len(data.games) for index, game in enumerate(data.games)}
    for first, second, value in reversed(pairs):
        if value < least:
            continue
        ends = [
            (centre + radius * math.cos(angle[g]), centre + radius * math.sin(angle[g]))
            for g in (first, second)
        ]
        strong = (value - least) / (1 - least)
        picture.line(ends, "s0" if value >= 0.9 else "s7", 0.4 + 2.6 * strong)
    for game, turn in angle.items():
        x, y = centre + radius * math.cos(turn), centre + radius * math.sin(turn)
        picture.dot(x, y, "s1", 3)
        degrees, left = math.degrees(turn), math.cos(turn) < 0
        out = (centre + (radius + 8) * math.cos(turn), centre + (radius + 8) * math.sin(turn) + 3)
        picture.text(*out, game, "end" if left else "start", "small", degrees + 180 if left else degrees)
    return picture


def crafter_rates(runs: RunSet | None = None) -> Picture:
    """Crafter, Figures 5 to 7: success rates of the achievements; published ones and those of logs."""
    series: dict[str, list[float | None]] = {}
    for table in ("crafter_tableA1", "crafter_tableB1", "crafter_tableC1"):
        for name, column in scores.published(table).items():
            series[name] = [column.get(achievement) for achievement in ACHIEVEMENTS]
    if runs is not None and len(runs):
        series = {name: series[name] for name in ("random", "dreamer_v2", "human_experts")}
        for log in runs:
            rules = protocol("crafter")
            for row in rules.scores([log], force=True).rows:
                if row.rates:
                    name = f"{row.agent} s{row.seed} (log)"
                    series[name] = [row.rates[achievement] for achievement in ACHIEVEMENTS]
    names = [name.replace("_", " ") for name in ACHIEVEMENTS]
    return charts.bars(names, series, "Crafter: success rates", "share of episodes in %")


def crafter_rewards(runs: RunSet) -> Picture:
    """Crafter, Figure D.1: mean return over the steps of training, mean of the seeds with their range."""
    return _crafter_curves(
        runs, lambda log: curve(log, CRAFTER_BIN), "Crafter: return", "mean return of episodes"
    )


def achievement_curves(runs: RunSet, achievement: str) -> Picture:
    """Crafter, Figures G to L: success rate of an achievement in bins of 10,000 steps."""
    if achievement not in ACHIEVEMENTS:
        raise ValueError(f'"{achievement}" is no achievement; known: {", ".join(ACHIEVEMENTS)}')

    def rates(log: RunLog) -> list[float | None]:
        bins: list[list[bool]] = []
        for episode in log.phase("train"):
            index = (episode.total_frames - 1) // CRAFTER_BIN
            bins += [[] for _ in range(index + 1 - len(bins))]
            bins[index].append((episode.achievements or {}).get(achievement, 0) > 0)
        return [100 * sum(part) / len(part) if part else None for part in bins]

    title = f"Crafter: {achievement.replace('_', ' ')}"
    return _crafter_curves(runs, rates, title, "share of episodes in %")


def _crafter_curves(
    runs: RunSet, line: Callable[[RunLog], list[float | None]], title: str, y_label: str
) -> Picture:
    curves = []
    agents = sorted({log.run.agent for log in runs if log.run.game == CRAFTER})
    for index, agent in enumerate(agents):
        lines = [line(log) for log in runs.where(agent=agent, game=CRAFTER)]
        count = max(map(len, lines))
        columns = [[part[i] for part in lines if i < len(part) and part[i] is not None] for i in range(count)]
        known = [[value for value in column if value is not None] for column in columns]
        xs = [(i + 0.5) * CRAFTER_BIN for i in range(count)]
        low = [min(column) if column else None for column in known]
        high = [max(column) if column else None for column in known]
        mean = [_mean(column) for column in known]
        curves.append(charts.Curve(agent, xs, mean, low, high, charts.colour(index)))
    return charts.curve_chart(curves, title, "steps", y_label)


def within_95_percent(values: Sequence[float]) -> list[bool]:
    """Which values are printed bold in Crafter's Table A.1: those within 95 % of the best.

    >>> within_95_percent([10.0, 9.6, 9.4])
    [True, True, False]
    """
    return [value >= 0.95 * max(values) for value in values]


def times_best_2013() -> Picture:
    """Bellemare et al. 2013, Tables 4 and 5: on how many of 55 games each method is the best."""
    table = scores.published("bellemare2013_table4")
    counts = times_best({name: column for name, column in table.items() if name != "set"})
    names = list(counts)
    series: dict[str, list[float | None]] = {"games": [float(counts[name]) for name in names]}
    return charts.bars(names, series, "times best, 55 games", "games")


def write_figures(
    runs: RunSet | None, out: str | os.PathLike[str], *, data: Dataset | None = None, kind: str = "svg"
) -> list[Path]:
    """Write every figure that the input suffices for.

    Args:
        runs: logs, for learning curves and Crafter.
        out: the directory.
        data: the Atari-5 data set.
        kind: `"svg"` or `"png"`.
    """
    if kind not in ("svg", "png"):
        raise ValueError(f"kind is {kind!r}, accepted: svg, png")
    place = Path(out)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in _all(runs, data):
        path = place / f"{name}.{kind}"
        draw().save(path)
        written.append(path)
    return written


def _all(runs: RunSet | None, data: Dataset | None) -> Iterator[tuple[str, Callable[[], Picture]]]:
    yield "bellemare2013_figure2", inter_scores
    yield "bellemare2013_figure3", inter_averages
    yield "bellemare2013_figure4", score_distributions
    yield "bellemare2013_times_best", times_best_2013
    yield "crafter_success_rates", crafter_rates
    if data is not None:
        for name, draw in (
            ("figure2", game_ranking), ("figure3", fairness_bars), ("figure4", game_predictability),
            ("figure5", correlation_graph),
        ):  # fmt: skip
            yield f"atari5_{name}", lambda draw=draw: draw(data)  # type: ignore[misc]
    if runs is not None:
        yield from _of_logs(runs)


def _of_logs(runs: RunSet) -> Iterable[tuple[str, Callable[[], Picture]]]:
    pairs = sorted({(log.run.agent, log.run.game) for log in runs if log.phase("train")})
    for agent, game in pairs:
        if game != CRAFTER:
            name = "".join(c if c.isalnum() else "_" for c in f"{agent}_{Task(game).game}")
            yield f"learning_{name}", lambda a=agent, g=game: learning_curves(runs, g, a)  # type: ignore[misc]
    crafter = RunSet(tuple(log for log in runs if log.run.game == CRAFTER))
    if len(crafter):
        yield "crafter_spectrum", lambda: crafter_rates(crafter)
        yield "crafter_reward", lambda: crafter_rewards(crafter)
        for achievement in ACHIEVEMENTS:
            yield f"crafter_{achievement}", lambda a=achievement: achievement_curves(crafter, a)  # type: ignore[misc]
