"""Entries that need no play of ours: tables that follow from published data, and counts of the games."""

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs import evaluation as ev
from ale_rs import games
from ale_rs.reproduce import atari5
from ale_rs.reproduce.bands import Row, compared, equal, judge, width

if TYPE_CHECKING:
    from ale_rs.reproduce.catalogue import Entry

__all__ = ["ANALYSES"]

CRAFTER_DATA = "ALE_RS_CRAFTER_DATA"
"""The variable that names the directory of Crafter's public per-episode data."""
TIMES_BEST = {
    "bellemare2013_table4": (6, 17, 1, 8, 8, 2, 9, 4),
    "bellemare2013_table5": (4, 45, 3, 3),
}
"""The last row of Tables 4 and 5, in the order of their columns."""
TABLES_OF_2018 = {"SARSA": ("machado2018_table8", 24), "DQN": ("machado2018_table9", 5)}
"""Tables 8 and 9 of Machado et al., and the trials behind a cell."""


def _times_best(entry: "Entry") -> list[Row]:
    """The last row of Tables 4 and 5 of 2013: on how many games each column is the best."""
    rows = []
    for table, printed in TIMES_BEST.items():
        columns = {name: column for name, column in ev.published(table).items() if name != "set"}
        counts = ev.times_best(columns)
        rows += [
            compared(entry, f"{name} ({table[-6:]})", number, float(counts[name]), 55)
            for name, number in zip(counts, printed, strict=True)
        ]
    return rows


def _significance(entry: "Entry") -> list[Row]:
    """Section 6 of Machado et al.: what changes from 100 to 200 million frames, by Welch's test."""
    rows = []
    for agent, (table, trials) in TABLES_OF_2018.items():
        columns = ev.published(table)
        early, late = ("100m_mean", "100m_std"), ("200m_mean", "200m_std")
        verdicts, highest = [], 0
        for game, mean in columns[late[0]].items():
            first, last = (ev.Summary(columns[m][game], columns[sd][game], trials) for m, sd in (early, late))
            verdicts.append(ev.welch(last, first).verdict(0.05))
            marks = [columns[f"{mark}_mean"][game] for mark in ("10m", "50m", "100m", "200m")]
            highest += mean >= max(marks)
        found = {"worse": verdicts.count("worse"), "better": verdicts.count("better"), "highest": highest}
        rows += [
            compared(
                entry, f"{agent} {name} at 200M", PRINTED_OF_2018[agent][name], float(count), len(verdicts)
            )
            for name, count in found.items()
        ]
    return rows


def _episodes_2013(entry: "Entry") -> list[Row]:
    """How many episodes can give the digits of Table 4: a mean of n scores is a multiple of step / n."""
    columns = ev.published("bellemare2013_table4")
    rows = []

    def wrong(column: str, n: int) -> list[str]:
        printed = columns[column]
        return [
            game
            for game, step in entry.config.items()
            if not equal(printed[game], round(printed[game] * n / step) * step / n)
        ]

    for column in ("random", "perturb"):
        fewest = next(n for n in itertools.count(1) if not wrong(column, n))
        for n in (*EPISODES_2013, fewest):
            bad = wrong(column, n)
            text = ", ".join(bad[:3]) + (f" and {len(bad) - 3} others" if len(bad) > 3 else "")
            why = f"cannot be: {text}" if bad else "no smaller number of episodes fits all"
            name, of = f"{column}, {n:,} episodes", len(entry.config)
            rows.append(Row(name, None, float(of - len(bad)), of, None, "beside", why, counts=False))
    return rows


EPISODES_2013 = (10, 30, 100, 300, 500)
PRINTED_OF_2018 = {
    "SARSA": {"worse": 3, "better": 22, "highest": 50},
    "DQN": {"worse": 0, "better": 18, "highest": 35},
}


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


def _robustness(entry: "Entry") -> list[Row]:
    """Figure 2 of Machado et al., by policies of our own."""
    from ale_rs.reproduce.robust import rows

    return rows(entry)


ANALYSES: Mapping[str, Callable[["Entry"], list[Row]]] = {
    **atari5.ANALYSES,
    "times_best": _times_best,
    "episodes_2013": _episodes_2013,
    "significance": _significance,
    "modes": _modes,
    "crafter_human": _crafter_human,
    "crafter_random": _crafter_random,
    "robustness": _robustness,
}
"""What the catalogue may name as `function`."""
