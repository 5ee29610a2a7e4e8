"""Draws the pictures of the README: our own games, and the speed as a chart.

    python scripts/readme_images.py                          docs/images/games.png
    python scripts/readme_images.py --compare compare.json   docs/images/speed.svg too, from compare.py

The games are our own, so that no third-party art enters the repository. The chart shows the geometric means
and the range over all games of what `benches/python/compare.py` has measured.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import AtariVectorEnv, _png

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
SEEDS = 6
STEPS = (60, 300, 700)
SCALE = 1

BAR = 26
LEFT, RIGHT = 300, 60
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


def speed(results: dict[str, Any]) -> str:
    """The sections as bars on a logarithmic axis, drawn as SVG for a light or dark page."""
    sections = results["sections"]
    most = max(max(row["ratio"] for row in section["rows"]) for section in sections)
    decades = math.log10(most) * 1.05

    def x(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(max(ratio, 1)) / decades

    parts = []
    for index, section in enumerate(sections):
        ratios = [row["ratio"] for row in section["rows"]]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        top = 30 + index * BAR
        middle = top + 8
        parts.append(
            f'<text x="{LEFT - 10}" y="{middle + 4}" text-anchor="end">{section["title"]}</text>'
            f'<rect x="{LEFT}" y="{top}" width="{x(mean) - LEFT:.1f}" height="16" rx="3" class="bar"/>'
            f'<line x1="{x(min(ratios)):.1f}" x2="{x(max(ratios)):.1f}" y1="{middle}" y2="{middle}"'
            ' class="range"/>'
            f'<text x="{x(max(ratios)) + 8:.1f}" y="{middle + 4}" class="value">{mean:.3g}x</text>'
        )
    height = 30 + len(sections) * BAR + 26
    caption = f"ale_rs beside ale-py, geometric mean and range over games; {results['machine']['processor']}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}">'
        "<style>text{font:13px sans-serif;fill:#444}.value{font-weight:bold}.bar{fill:#4477aa}"
        ".range{stroke:#cc6644;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"
        f"{''.join(parts)}"
        f'<text x="{WIDTH / 2}" y="{height - 8}" text-anchor="middle" font-size="11">{caption}</text></svg>\n'
    )


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compare", type=Path, help="compare.json of benches/python/compare.py")
    given = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    _png.save(IMAGES / "games.png", games())
    if given.compare:
        (IMAGES / "speed.svg").write_text(speed(json.loads(given.compare.read_text())))


if __name__ == "__main__":
    main()
