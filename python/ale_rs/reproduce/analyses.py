"""Entries that need no play of ours: tables that follow from published data, and counts of the games."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs import evaluation as ev
from ale_rs import games
from ale_rs.evaluation.dataset import Fit
from ale_rs.reproduce.bands import Row, judge, width

if TYPE_CHECKING:
    from ale_rs.reproduce.catalogue import Entry

__all__ = ["ANALYSES"]

CRAFTER_DATA = "ALE_RS_CRAFTER_DATA"
"""The variable that names the directory of Crafter's public per-episode data."""
CUT_OFF = 1.0
"""Table 3 of the Atari-5 paper cuts decimals off instead of rounding."""


def _compared(entry: "Entry", name: str, printed: float, ours: float | None, n: int, why: str = "") -> Row:
    verdict, reason = judge(
        "equal", printed, ours, None, reference=entry.reference.get(name),
        explained=entry.explained.get(name, ""),
    )  # fmt: skip
    return Row(name, printed, ours, n, None, verdict, why or reason, entry.counts)


def _subsets(entry: "Entry") -> list[Row]:
    """Table 2 of Atari-5: how well each subset predicts the median."""
    data = ev.read_dataset()
    rows = []
    columns = ev.published("atari5_table2")
    for name, r2 in columns["r2"].items():
        chosen = ev.subset("dqn7") if name in ("dqn_7", "dqn7") else ev.model(name.replace("_", "")).games
        logs = data.logs()[:, [data.column(game) for game in chosen]]
        fit = Fit.of(logs, data.target(), chosen)
        rows.append(_compared(entry, f"{name} R2", r2, round(fit.r2, 3), fit.n))
        error = columns["relative_error_percent"][name]
        rows.append(_compared(entry, f"{name} error %", error, round(fit.relative_error, 1), fit.n))
    return rows


def _algorithms(entry: "Entry") -> list[Row]:
    """Table 8 of Atari-5: the median of every algorithm."""
    medians = {_plain(name): value for name, value in ev.read_dataset().medians().items()}
    printed = ev.published("atari5_table8")["median_score"]
    found = {name: medians.get(_plain(name)) for name in printed}
    return [
        _compared(entry, name, number, None if found[name] is None else round(found[name] or 0.0, 1), 1)
        for name, number in printed.items()
    ]


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _coefficients(entry: "Entry") -> list[Row]:
    """Table 9 of Atari-5: coefficients, found by our own searches."""
    data = ev.read_dataset()
    rows = []
    for search in ev.atari5_searches().values():
        name = search.name if hasattr(search, "name") else ""
        fit = Fit.of(
            data.logs()[:, [data.column(game) for game in search.games]], data.target(), search.games
        )
        printed = _printed_coefficients(search.games)
        for game, number in zip(search.games, fit.coefficients, strict=True):
            if game in printed:
                label = f"{name or 'atari' + str(len(search.games))} {game}"
                rows.append(_compared(entry, label, printed[game], round(float(number), 4), fit.n))
    return rows


def _printed_coefficients(chosen: tuple[str, ...]) -> Mapping[str, float]:
    for name in ("atari1", "atari3", "atari5", "atari10", "atari3val", "atari5val"):
        model = ev.model(name)
        if set(model.games) == set(chosen):
            return dict(zip(model.games, model.coefficients, strict=True))
    return {}


def _modes(entry: "Entry") -> list[Row]:
    """Table 10 of Machado et al.: modes and difficulties of each game."""
    columns = ev.published("machado2018_table10")
    rows = []
    for game, modes in columns["modes"].items():
        facts = games.get(game)
        ours, levels = len(facts.modes), len(facts.difficulties)
        wanted = int(columns["difficulties"][game])
        verdict = "equal" if (ours, levels) == (modes, wanted) else "outside"
        why = "" if verdict == "equal" else entry.explained.get(game, "")
        text = f"difficulties: {wanted} printed, {levels} here" + (f"; {why}" if why else "")
        rows.append(Row(game, modes, float(ours), 1, None, "explained" if why else verdict, text))
    return rows


def _crafter_human(entry: "Entry") -> list[Row]:
    """Table C.1 of Crafter: success rates and score of human experts, from their recorded episodes."""
    from ale_rs import crafter

    place = os.environ.get(CRAFTER_DATA)
    if not place:
        raise ValueError(f"set {CRAFTER_DATA} to the directory of the public data (human.json)")
    found = crafter.score(Path(place) / "human.json")
    printed = ev.published("crafter_tableC1")["human_experts"]
    runs = len(found.scores)
    rows = []
    for name, number in printed.items():
        ours = found.mean if name == "score" else found.success_rates[name]
        allowed = width("trials", number, published_sd=6.8 if name == "score" else 0.0)
        verdict, why = judge("equal", number, ours, allowed, explained=entry.explained.get(name, ""))
        if verdict == "outside" and abs(ours - number) <= 1.0:
            verdict, why = "inside", "the paper rounds shares of 100 episodes"
        rows.append(Row(name, number, round(ours, 3), runs, None, verdict, why))
    return rows


def _crafter_random(entry: "Entry") -> list[Row]:
    """Tables 1 and B.1 of Crafter: random play, 10 runs of a million steps."""
    from ale_rs.reproduce.crafter_random import rows

    return rows(entry)


ANALYSES: Mapping[str, Callable[["Entry"], list[Row]]] = {
    "subsets": _subsets,
    "algorithms": _algorithms,
    "coefficients": _coefficients,
    "modes": _modes,
    "crafter_human": _crafter_human,
    "crafter_random": _crafter_random,
}
"""What the catalogue may name as `function`."""
