"""The tables and figures of Atari-5, computed again from its public data set.

The data set is not part of the package; `ALE_RS_ATARI5_DATA` names its directory.
"""

import csv
import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ale_rs import evaluation as ev
from ale_rs.evaluation.dataset import ENVIRONMENT, Dataset, Fit
from ale_rs.evaluation.subset import estimate
from ale_rs.reproduce.bands import Row, compared, equal

if TYPE_CHECKING:
    from ale_rs.reproduce.catalogue import Entry

__all__ = ["ANALYSES"]

NAMES = {"Rainbow DQN": "Rainbow (noop)"}
"""Algorithms whose name in Table 3 is not that of the data set."""
FIRST = ("c", "amidar", "bowling", "frostbite")
"""The columns of Table 11 that can be read in most of its rows."""
SKIING = {"alien": -0.51, "frostbite": -0.55, "ms_pacman": -0.51, "riverraid": -0.50}
"""Correlations with Skiing that section 6 prints, cut off after two decimals."""
HIGH = 0.8


@functools.cache
def _data() -> Dataset:
    return ev.read_dataset()


def _fit(games: Sequence[str]) -> Fit:
    data = _data()
    return Fit.of(data.logs()[:, [data.column(game) for game in games]], data.target(), tuple(games))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _subsets(entry: "Entry") -> list[Row]:
    """Table 2: how well each subset predicts the median."""
    rows = []
    columns = ev.published("atari5_table2")
    for name, r2 in columns["r2"].items():
        fit = _fit(ev.subset("dqn7") if name == "dqn_7" else ev.model(name.replace("_", "")).games)
        rows.append(compared(entry, f"{name} R2", r2, round(fit.r2, 3), fit.n))
        error = columns["relative_error_percent"][name]
        rows.append(compared(entry, f"{name} error %", error, round(fit.relative_error, 1), fit.n))
    return rows


def _estimates(entry: "Entry") -> list[Row]:
    """Table 3: medians and their estimates, with decimals cut off; relative errors are rounded."""
    data, model = _data(), ev.model("atari5")
    columns = ev.published("atari5_table3")
    medians = data.medians()
    rows = []
    for name, median in columns["median"].items():
        known = NAMES.get(name, name)
        scores = data.percent[data.algorithms.index(known)]
        found = estimate([scores[data.column(game)] for game in model.games], model)
        error = 100 * abs(found - medians[known]) / medians[known]
        rows += [
            compared(entry, f"{name} median", median, float(int(medians[known])), 57),
            compared(entry, f"{name} Atari-5", columns["atari_5"][name], float(int(found)), 5),
            compared(entry, f"{name} error %", columns["relative_error_percent"][name], round(error, 1), 5),
        ]
    return rows


def _algorithms(entry: "Entry") -> list[Row]:
    """Table 8: the median of every algorithm, and how many games it has."""
    data = _data()
    columns = ev.published("atari5_table8")
    medians = {_plain(name): round(value, 1) for name, value in data.medians().items()}
    counts = (~np.isnan(data.percent)).sum(axis=1)
    games = {_plain(name): float(count) for name, count in zip(data.algorithms, counts, strict=True)}
    rows = [
        compared(entry, name, number, medians.get(_plain(name)), int(games.get(_plain(name), 0)))
        for name, number in columns["median_score"].items()
    ]
    return rows + [
        compared(entry, f"{name} games", number, games.get(_plain(name)), 1)
        for name, number in columns["games"].items()
    ]


def _coefficients(entry: "Entry") -> list[Row]:
    """Table 9: coefficients of the subsets that our own searches find."""
    rows = []
    printed = {model.games: model for model in map(ev.model, PRINTED)}
    for name, search in ev.atari5_searches().items():
        if search.games not in printed:
            if name in PRINTED:
                rows.append(compared(entry, f"{name} subset", 1.0, 0.0, 0, f"found {search.games}"))
            continue
        fit = _fit(search.games)
        model = printed[search.games]
        for game, number, ours in zip(model.games, model.coefficients, fit.coefficients, strict=True):
            rows.append(compared(entry, f"{name} {game}", number, round(ours, 4), fit.n))
    return rows


PRINTED = ("atari1", "atari3", "atari5", "atari10", "atari3val", "atari5val")
"""The models of Table 9."""


def _game_models(table: str, model: str, columns: Sequence[str] | None = None) -> Callable[..., list[Row]]:
    """Tables 10 and 11: a row per game, of how many of its printed numbers ours are equal."""

    def rows(entry: "Entry") -> list[Row]:
        printed = ev.published(table)
        predictors = ev.model(model).games
        fits = {fit.game: fit for fit in ev.fit_games(_data(), predictors).models}
        result = []
        for game in printed["c"]:
            fit = fits[game]
            ours = {"c": fit.intercept, **dict(zip(predictors, fit.coefficients, strict=True))}
            names = columns or tuple(ours)
            off = [name for name in names if not equal(printed[name][game], round(ours[name], 3))]
            why = f"other than printed: {', '.join(off)}" if off else ""
            label = f"{game}, {len(names)} numbers"
            result.append(
                compared(entry, label, float(len(names)), float(len(names) - len(off)), fit.n, why, key=game)
            )
        return result

    return rows


def _constants(entry: "Entry") -> list[Row]:
    """Table 12: random and human scores, beside those in the file of the data set."""
    place = Path(os.environ.get(ENVIRONMENT, ""))
    path = (place if place.is_dir() else place.parent) / "Atari-Human.csv"
    if not path.exists():
        raise ValueError(f"set {ENVIRONMENT} to the directory of the public data (Atari-Human.csv)")
    names = {_plain(game): game for game in ev.reference()}
    found: dict[str, tuple[float, float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            game = names.get(_plain(row["Game"]))
            if game is not None:
                found[game] = float(row["Random"]), float(row["Human"])
    rows = []
    for game, printed in ev.reference().items():
        for kind, number, ours in zip(
            ("random", "human"), printed, found.get(game, (None, None)), strict=True
        ):
            rows.append(compared(entry, f"{game} {kind}", number, ours, 1))
    return rows


def _findings(entry: "Entry") -> list[Row]:
    """What the text and the figures say in numbers."""
    data = _data()
    ranked = {row.game: row for row in ev.rank_games(data)}
    rows = [
        compared(entry, "zaxxon alone, R2", 0.903, round(ranked["zaxxon"].r2, 3), ranked["zaxxon"].n),
        compared(entry, "surround alone, R2", 0.002, round(ranked["surround"].r2, 3), ranked["surround"].n),
        compared(
            entry, "name_this_game, intercept", -0.03, round(ranked["name_this_game"].intercept, 2),
            ranked["name_this_game"].n,
        ),
        compared(
            entry, "name_this_game, slope", 1.01, round(ranked["name_this_game"].slope, 2),
            ranked["name_this_game"].n,
        ),
    ]  # fmt: skip
    for name, share in (("atari5", 71.5), ("atari10", 80.0)):
        fits = ev.fit_games(data, ev.model(name).games)
        found = round(100 * fits.explained_variance, 1)
        rows.append(compared(entry, f"{name}, variance of all games %", share, found, len(fits.models)))
        if name == "atari5":
            high = sum(fit.r2 > HIGH for fit in fits.models)
            rows.append(compared(entry, "games with R2 above 0.8", 17.0, float(high), len(fits.models)))
    pairs = ev.correlations(data)
    first = {"alien", "ms_pacman"} == set(pairs[0][:2])
    rows.append(
        compared(entry, "alien and ms_pacman most correlated", 1.0, float(first), 1, f"{pairs[0][2]:.3f}")
    )
    strong = {frozenset(pair[:2]): pair[2] for pair in pairs}
    for game, number in SKIING.items():
        ours = int(100 * strong[frozenset(("skiing", game))]) / 100
        rows.append(compared(entry, f"skiing and {game}", number, ours, 1, "decimals cut off"))
    tests = ev.fairness(data, ev.model("atari5").games)["welch_p"]
    levels = [p for pair in tests.values() for p in pair.values()]
    significant = float(sum(p < 0.05 for p in levels))
    rows.append(
        compared(
            entry, "tertiles that differ", 0.0, significant, len(levels), f"smallest p {min(levels):.2f}"
        )
    )
    return rows


ANALYSES: Mapping[str, Callable[["Entry"], list[Row]]] = {
    "subsets": _subsets,
    "estimates": _estimates,
    "algorithms": _algorithms,
    "coefficients": _coefficients,
    "game_models_atari5": _game_models("atari5_table10", "atari5"),
    "game_models_atari10": _game_models("atari5_table11", "atari10", FIRST),
    "constants": _constants,
    "findings": _findings,
}
"""What the catalogue may name as `function`."""
