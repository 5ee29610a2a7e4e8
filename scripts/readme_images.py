"""Draws the pictures of the README: our own games, and the speed as a chart.

    python scripts/readme_images.py             docs/images/games.png and docs/images/speed.svg
    python scripts/readme_images.py --speed     docs/images/speed.svg only

The games are our own, so that no third-party art enters the repository. The chart shows the table "Speed" of
the README, which `benches/python/compare.py` has measured; a test draws it again and compares.
"""

import argparse
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ale_rs import AtariVectorEnv, _png

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SEEDS = 6
STEPS = (60, 300, 700)
SCALE = 1

BAR = 26
LEFT, RIGHT = 280, 60
WIDTH = 760


def games() -> NDArray[np.uint8]:
    """Screens of both games after some random play, side by side."""
    rows: list[NDArray[np.uint8]] = []
    for game in ("glowdelve", "windfall"):
        env = AtariVectorEnv(game, SEEDS)
        env.action_space.seed(1)
        env.reset(seed=1)
        for step in range(max(STEPS) + 1):
            if step in STEPS:
                rows.append(env.screen(0))
            env.step(env.action_space.sample())
        env.close()
    wide = [np.repeat(np.repeat(row, SCALE, 0), 2 * SCALE, 1) for row in rows]
    return _png.tile(wide, len(STEPS))


class Bar(NamedTuple):
    """A row of the table: how many times faster than ale-py."""

    title: str
    mean: float
    worst: float
    best: float


def bars(readme: str) -> list[Bar]:
    """The rows of the table "Speed" that compare with ale-py."""
    table = readme.split("\n## Speed\n")[1].split("\n## ")[0]
    rows = re.findall(
        r"^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \([^|]*\| ([\d.]+) \([^|]*\|$", table, re.MULTILINE
    )
    return [
        Bar(re.split(r",| \(", title)[0].replace("`", ""), float(mean), float(worst), float(best))
        for title, mean, worst, best in rows
        if "beside one" not in title
    ]


def speed(rows: list[Bar]) -> str:
    """The rows as bars on a logarithmic axis, drawn as SVG for a light or dark page."""
    decades = math.log10(max(row.best for row in rows)) * 1.05

    def x(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(max(ratio, 1)) / decades

    parts = []
    for index, row in enumerate(rows):
        top = 10 + index * BAR
        middle = top + 8
        parts.append(
            f'<text x="{LEFT - 10}" y="{middle + 4}" text-anchor="end">{row.title}</text>'
            f'<rect x="{LEFT}" y="{top}" width="{x(row.mean) - LEFT:.1f}" height="16" rx="3" class="bar"/>'
            f'<line x1="{x(row.worst):.1f}" x2="{x(row.best):.1f}" y1="{middle}" y2="{middle}"'
            ' class="range"/>'
            f'<text x="{x(row.best) + 8:.1f}" y="{middle + 4}" class="value">{row.mean:g}x</text>'
        )
    height = 10 + len(rows) * BAR + 26
    caption = "times faster than ale-py 0.12.1: geometric mean, worst and best game"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}">'
        "<style>text{font:13px sans-serif;fill:#444}.value{font-weight:bold}.bar{fill:#4477aa}"
        ".range{stroke:#cc6644;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"
        f"{''.join(parts)}"
        f'<text x="{WIDTH / 2:g}" y="{height - 8}" text-anchor="middle" font-size="11">{caption}</text>'
        "</svg>\n"
    )


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speed", action="store_true", help="draw the chart of speed only")
    given = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    if not given.speed:
        _png.save(IMAGES / "games.png", games())
    (IMAGES / "speed.svg").write_text(speed(bars((ROOT / "README.md").read_text())))


if __name__ == "__main__":
    main()
