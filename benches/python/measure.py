"""Rounds that alternate between contestants, their medians, and tables of them."""

import math
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

Clock = Callable[[], float]
"""Seconds, of the wall or of the processor."""
Run = Callable[[], float]
"""One round; returns what was measured, in the unit of its section."""


@dataclass(frozen=True)
class Options:
    """What the user chose."""

    games: Sequence[str]
    rounds: int
    envs: int
    threads: int
    clock: Clock
    scale: float
    """Less than 1 shortens the rounds."""

    def amount(self, usual: int, least: int = 1) -> int:
        """How much of something a round does."""
        return max(least, round(usual * self.scale))


@dataclass(frozen=True)
class Section:
    """One question: how much faster `subject` is than `baseline`."""

    name: str
    title: str
    unit: str
    start: Callable[[str, Options, ExitStack], dict[str, Run]]
    """Asserts that all sides do the same for a game, and gives one round of each."""

    subject: str = "ale_rs"
    baseline: str = "ale-py"
    more_is_better: bool = True
    most_games: int = 1000
    most_rounds: int = 1000


@dataclass
class Row:
    """The medians of a game, and how far apart its rounds lay."""

    game: str
    medians: dict[str, float]
    spreads: dict[str, float]
    ratio: float


@dataclass
class Table:
    """All games of a section."""

    section: Section
    rows: list[Row] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The geometric mean of the ratios."""
        return statistics.geometric_mean(row.ratio for row in self.rows)

    @property
    def worst(self) -> Row:
        """The game with the least ratio."""
        return min(self.rows, key=lambda row: row.ratio)

    def typical(self, name: str) -> float:
        """The geometric mean of one contestant's medians."""
        return statistics.geometric_mean(row.medians[name] for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """For a file."""
        section = self.section
        rows = [vars(row) for row in self.rows]
        summary = {"geometric_mean": self.mean, "worst": self.worst.game, "worst_ratio": self.worst.ratio}
        return {"name": section.name, "title": section.title, "unit": section.unit, **summary, "rows": rows}


def interleave(contestants: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """Each contestant warms up once; then all take turns, in the other order every second time."""
    results: dict[str, list[float]] = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for number in range(rounds):
        for name in list(contestants)[:: 1 if number % 2 == 0 else -1]:
            results[name].append(contestants[name]())
    return results


def measure(section: Section, options: Options) -> Table:
    """All games of a section; prints each row when it is ready."""
    table = Table(section)
    print(f"\n{section.title} ({section.unit}; {section.subject} against {section.baseline})", flush=True)
    width = max(map(len, options.games))
    for game in options.games[: section.most_games]:
        with ExitStack() as stack:
            contestants = section.start(game, options, stack)
            results = interleave(contestants, min(options.rounds, section.most_rounds))
        medians = {name: statistics.median(values) for name, values in results.items()}
        spreads = {name: (max(values) - min(values)) / medians[name] for name, values in results.items()}
        ratio = medians[section.subject] / medians[section.baseline]
        row = Row(game, medians, spreads, ratio if section.more_is_better else 1 / ratio)
        table.rows.append(row)
        cells = (f"{name} {number(medians[name]):>7} ±{spreads[name] / 2:4.0%}" for name in medians)
        print(f"  {game:{width}}  {'  '.join(cells)}  {row.ratio:6.2f}x", flush=True)
    print(f"  geometric mean {table.mean:.2f}x, worst {table.worst.ratio:.2f}x ({table.worst.game})")
    return table


def number(value: float) -> str:
    """Three digits that count, thousands separated."""
    decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{decimals}f}"


def summary(tables: Sequence[Table]) -> str:
    """All sections as one table of Markdown: the geometric means, and the game that gains least."""
    lines = ["| | games | before | ale_rs | times faster | worst game |", "|---|---|---|---|---|---|"]
    for table in tables:
        section = table.section
        sides = [
            f"{number(table.typical(name))} {section.unit}" for name in (section.baseline, section.subject)
        ]
        worst = f"{table.worst.ratio:.1f} ({table.worst.game})"
        cells = [section.title, str(len(table.rows)), *sides, f"{table.mean:.1f}", worst]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
