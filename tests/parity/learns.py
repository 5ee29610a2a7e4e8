"""Does it learn? SARSA above Random, the Brute with and without sticky actions, and a negative control.

`make learn` runs it, which takes hours. Every number is printed with what it is compared with, and the exit
code is 1 when a comparison fails. Logs and checkpoints are below --out, so an interrupted run goes on.
"""

import argparse
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

from ale_rs import learning
from ale_rs.evaluation import RunLog

LAST = 20
"""Episodes of a trial whose mean counts."""
ERRORS = 3
"""Standard errors that a difference must exceed."""


def scores(log: RunLog, last: int) -> list[float]:
    """Returns of the last episodes."""
    return [episode.score for episode in log.episodes[-last:]]


def above(learnt: Sequence[float], chance: Sequence[float]) -> tuple[bool, str]:
    """Whether the first mean exceeds the second, and the numbers as text."""
    parts = [statistics.variance(values) / len(values) for values in (learnt, chance)]
    difference, error = statistics.fmean(learnt) - statistics.fmean(chance), math.sqrt(sum(parts))
    means = f"{statistics.fmean(learnt):9.1f} against {statistics.fmean(chance):9.1f}"
    return difference > ERRORS * error, f"{means}, standard error {error:.2f}"


def show(what: str, results: Sequence[tuple[bool, str]]) -> None:
    """Print a comparison: how many trials are above Random, and the numbers of each."""
    print(f"{what}: {sum(better for better, _ in results)} of {len(results)} trials above Random")
    for _, text in results:
        print(f"  {text}", flush=True)


def main() -> int:
    """Run the four comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs-learn"))
    parser.add_argument("--frames", type=int, default=1_000_000, help="of SARSA; of the Brute 5 times")
    parser.add_argument("--games", nargs="*", default=["freeway", "pong", "space_invaders"], help="of SARSA")
    parser.add_argument("--agents", nargs="*", default=["sarsa", "brute"], choices=["sarsa", "brute"])
    given = parser.parse_args()
    failed = 0

    def train(
        agent: str, game: str, seeds: int, frames: int, *, sticky: bool = True, shuffled: bool = False
    ) -> list[RunLog]:
        features = None if agent != "sarsa" else "basic" if shuffled else "blob-prost"
        return learning.train(
            agent,
            game,
            features=features,
            protocol="machado2018" if sticky else "machado2018_deterministic",
            frames=frames,
            seeds=range(seeds),
            out=given.out / ("shuffled" if shuffled else "plain"),
            parameters={"shuffled": True} if shuffled else None,
        )

    for game in given.games if "sarsa" in given.agents else ():
        chance = scores(train("random", game, 1, given.frames)[0], 1000)
        results = [above(scores(log, LAST), chance) for log in train("sarsa", game, 3, given.frames)]
        good = sum(better for better, _ in results)
        failed += good < 2
        show(f"sarsa, blob-prost, {game}", results)
        control = train("sarsa", game, 3, given.frames // 5, shuffled=True)
        results = [above(scores(log, LAST), chance) for log in control]
        good = sum(better for better, _ in results)
        failed += good > 1
        show(f"sarsa, basic, shuffled, {game}", results)
    if "brute" in given.agents:
        chance = scores(train("random", "space_invaders", 1, given.frames)[0], 1000)
    for sticky in (False, True) if "brute" in given.agents else ():
        logs = train("brute", "space_invaders", 5, 5 * given.frames, sticky=sticky)
        results = [above(scores(log, 100), chance) for log in logs]
        good = sum(better for better, _ in results)
        failed += good > 1 if sticky else good < 4
        show(f"brute, space_invaders, sticky actions {'on' if sticky else 'off'}", results)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
