"""Random play of Crafter: 10 runs of a million steps each, as in the paper's tables 1 and B.1."""

from typing import Any

import numpy as np

from ale_rs import evaluation as ev
from ale_rs._progress import Progress
from ale_rs.reproduce.bands import Row, judge
from ale_rs.reproduce.catalogue import Entry

__all__ = ["play", "rows"]

RUNS, STEPS, CHUNK = 10, 1_000_000, 1_000
PUBLISHED_SD = 0.1
"""Of the score, over 10 runs (Table 1: 1.6 +- 0.1)."""


def play(runs: int = RUNS, steps: int = STEPS, seed: int = 0) -> list[list[dict[str, Any]]]:
    """The episodes of each run, in the order in which they ended."""
    from ale_rs.crafter import ACTIONS, CrafterVectorEnv

    envs = CrafterVectorEnv(runs, seed=seed, observation="semantic", autoreset_mode="SameStep")
    envs.reset()
    source = np.random.default_rng(seed)
    found: list[list[dict[str, Any]]] = [[] for _ in range(runs)]
    with Progress(steps, "random play") as bar:
        for step in range(steps):
            if step % CHUNK == 0:
                bar.update(step)
                chunk = source.integers(len(ACTIONS), size=(CHUNK, runs))
            ended = envs.step(chunk[step % CHUNK])[4].get("episodes")
            if ended is None:
                continue
            for row, run in enumerate(ended["env_id"]):
                one = slice(row, row + 1)
                found[run].append(
                    {"length": ended["length"][one], "achievements": ended["achievements"][one]}
                )
    envs.close()
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
