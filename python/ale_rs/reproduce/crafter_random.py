"""Random play of Crafter: 10 runs of a million steps each, as in the paper's tables 1 and B.1."""

import numpy as np

from ale_rs import evaluation as ev
from ale_rs._progress import Progress
from ale_rs.reproduce.bands import Row, judge
from ale_rs.reproduce.catalogue import Entry

__all__ = ["play", "rows"]

RUNS, STEPS = 10, 1_000_000
PUBLISHED_SD = 0.1
"""Of the score, over 10 runs (Table 1: 1.6 +- 0.1)."""


def play(runs: int = RUNS, steps: int = STEPS, seed: int = 0) -> list[list[dict[str, int]]]:
    """The achievements of all episodes that ended within so many steps, run by run."""
    from ale_rs.crafter import ACHIEVEMENTS, CrafterVectorEnv

    found: list[list[dict[str, int]]] = [[] for _ in range(runs)]
    env = CrafterVectorEnv(runs, observation="semantic", semantic=False)
    rngs = [np.random.default_rng([seed, run]) for run in range(runs)]
    env.reset(seed=[int(rng.integers(2**31 - 1)) for rng in rngs])
    block = 1_000
    counted = np.zeros(runs, np.int64)
    with Progress(steps, "crafter random") as bar:
        ended = np.zeros(runs, bool)
        while counted.min() < steps:
            actions = np.stack([rng.integers(0, 17, block) for rng in rngs], axis=1)
            for row in actions:
                _, _, terminated, truncated, info = env.step(row)
                counted += ~ended  # the step after an end only resets
                ended = terminated | truncated
                for run in np.flatnonzero(ended & (counted <= steps)):
                    counts = info["achievements"][run]
                    found[run].append(dict(zip(ACHIEVEMENTS, map(int, counts), strict=True)))
            bar.update(int(counted.min()))
    env.close()
    return found


def rows(entry: Entry) -> list[Row]:
    """Success rates and the score beside the Random column of the paper."""
    from ale_rs.crafter import score

    found = score(play())
    printed = ev.published("crafter_tableB1")["random"]
    result = []
    for name, number in printed.items():
        index = list(found.success_rates).index(name) if name != "score" else None
        values = found.scores if index is None else found.rates[:, index]
        ours, sd = float(np.mean(values)), float(np.std(values, ddof=1))
        # The published shares are rounded to 0.1; their deviation over 10 runs is about ours.
        allowed = 3 * np.sqrt(sd**2 / RUNS + max(sd, PUBLISHED_SD * (index is None)) ** 2 / RUNS) + 0.05
        verdict, why = judge("trials", number, ours, float(allowed))
        result.append(Row(name, number, round(ours, 3), RUNS, round(float(allowed), 3), verdict, why))
    return result
