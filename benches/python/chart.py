"""The tables as bars, if matplotlib is there."""

import math
from pathlib import Path
from typing import Any

from measure import Table

WIDTH_OF_SECTION = 5.0
MOST_COLUMNS = 4
HEIGHT_OF_ROW = 0.22


def write(tables: list[Table], facts: dict[str, Any], path: Path) -> str:
    """Write one picture with a panel for each section; returns what to tell the user."""
    try:
        import matplotlib
    except ImportError:
        return "no picture: pip install 'ale-rs[plot]'"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = min(len(tables), MOST_COLUMNS)
    lines = math.ceil(len(tables) / columns)
    height = 1.2 + HEIGHT_OF_ROW * max(len(table.rows) for table in tables)
    size = (WIDTH_OF_SECTION * columns, 0.5 + height * lines)
    figure, panels = pyplot.subplots(lines, columns, figsize=size, squeeze=False)
    for panel in panels.flat[len(tables) :]:
        panel.axis("off")
    for table, panel in zip(tables, panels.flat, strict=False):
        draw(table, panel)
    title = f"{facts['processor']}, {facts['threads']} threads, {facts['clock']} time; {facts['versions']}"
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return f"wrote {path}"


def draw(table: Table, panel: Any) -> None:
    """How many times faster, game by game, the worst at the bottom."""
    section = table.section
    rows = sorted(table.rows, key=lambda row: row.ratio)
    bars = panel.barh([row.game for row in rows], [row.ratio for row in rows], color="#4477aa")
    panel.bar_label(bars, fmt="%.1f", fontsize=7, padding=2)
    panel.axvline(1.0, color="#444444", linewidth=0.8)
    panel.axvline(table.mean, color="#cc3311", linewidth=0.8, linestyle="--")
    panel.set_title(section.title, fontsize=8, wrap=True)
    label = f"speed of {section.subject} / {section.baseline}, geometric mean {table.mean:.1f}"
    panel.set_xlabel(label, fontsize=8)
    panel.tick_params(labelsize=7)
    panel.margins(x=0.12, y=0.01)
