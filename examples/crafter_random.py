"""Random play in Crafter: the success rates and the score of the Random column of the paper's tables.

    python examples/crafter_random.py                      # 10 runs of a million steps, about a minute
    python examples/crafter_random.py --runs 3 --steps 50000           # a taste
    python examples/crafter_random.py --published random.json          # beside the published episodes

A run is one world after the other for a number of steps; the episode that crosses the end is left out. With
`--published` the figures beside ours are computed from the published episodes of random play (a JSON list of
runs), otherwise they are those printed in the paper.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from ale_rs.crafter import ACHIEVEMENTS, Score, score
from ale_rs.reproduce.crafter_random import play

PAPER_SCORE = 1.6
PAPER = {
    "collect_drink": 9.3,
    "collect_sapling": 50.2,
    "collect_wood": 24.4,
    "defeat_zombie": 0.1,
    "eat_cow": 0.4,
    "make_wood_pickaxe": 0.3,
    "make_wood_sword": 0.3,
    "place_plant": 44.6,
    "place_table": 4.4,
    "wake_up": 93.6,
}
"""Success rates of random play in percent; those of all other achievements are 0.0."""


def table(ours: Score, published: Score | None) -> str:
    """All achievements, ours beside theirs, and how many standard errors they are apart."""
    lines = [f"{'success rate in %':20} {'ours':>16} {'published':>16}"]
    for number, name in enumerate(ACHIEVEMENTS):
        rates = ours.rates[:, number]
        cells = f"{name:20} {rates.mean():8.2f} +- {rates.std():4.2f}"
        if published is None:
            lines.append(f"{cells} {PAPER.get(name, 0.0):16.1f}")
            continue
        theirs = published.rates[:, number]
        error = np.sqrt(rates.var() / len(rates) + theirs.var() / len(theirs))
        apart = (rates.mean() - theirs.mean()) / error if error > 0 else 0.0
        lines.append(f"{cells} {theirs.mean():8.2f} +- {theirs.std():4.2f}   {apart:+5.1f} standard errors")
    theirs_text = f"{PAPER_SCORE:16.1f}" if published is None else f"{published!s:>16}"
    lines.append(f"{'score':20} {ours!s:>16} {theirs_text}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> Score:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="runs, each with a seed (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of a run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="first base seed (default: %(default)s)")
    parser.add_argument("--published", type=Path, help="the published episodes of random play")
    given = parser.parse_args(arguments)
    for name in ("runs", "steps"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} is {getattr(given, name)}; accepted: 1 and more")
    published = None if given.published is None else score(given.published)
    episodes = play(given.runs, given.steps, given.seed)
    ours = score(episodes, budget=given.steps)
    print(table(ours, published))
    print(f"{ours.episodes.sum():,} episodes in {given.runs} runs of {given.steps:,} steps")
    return ours


if __name__ == "__main__":
    main(sys.argv[1:])
