"""Speed of the statistics: the bootstrap beside rliable where it is installed, and the Atari-5 searches.

    python benches/python/stats.py [--data dataset.csv]

rliable (archived; it needs pandas below 3) is measured in the same process where it is installed.
"""

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

from ale_rs import evaluation as ev

ROUNDS = 5


def best(work: Callable[[], object], rounds: int = ROUNDS) -> str:
    """The fastest round: seconds on the clock, and of all cores together."""
    walls, cores = [], []
    for _ in range(rounds):
        wall, core = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cores.append(time.process_time() - core)
    return f"{min(walls):.3f} s ({min(cores):.3f} s of core time)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ALE_RS_ATARI5_DATA"), help="the Atari-5 data set")
    given = parser.parse_args()
    x = np.random.default_rng(0).normal(1, 1, (5, 57))
    assert ev.interval(x, "iqm", threads=1) == ev.interval(x, "iqm", threads=2)
    print(f"50,000 replicates of the IQM, 5 x 57: {best(lambda: ev.interval(x, 'iqm'))}")
    print(f"  the same on one thread:             {best(lambda: ev.interval(x, 'iqm', threads=1))}")
    try:
        from rliable import library, metrics
    except ImportError:
        print("  rliable is not installed")
    else:
        theirs = {
            "mean": metrics.aggregate_mean,
            "median": metrics.aggregate_median,
            "iqm": metrics.aggregate_iqm,
            "gap": metrics.aggregate_optimality_gap,
        }
        chance = np.random.default_rng(1)
        worst = 0.0
        for _ in range(200):
            y = chance.normal(1, 2, (int(chance.integers(1, 9)), int(chance.integers(9, 60))))
            z = chance.normal(1, 2, (int(chance.integers(1, 9)), y.shape[1]))
            for name, function in theirs.items():
                worst = max(worst, abs(ev.point(y, name) - function(y)))
            mine, other = ev.probability_of_improvement(y, z), metrics.probability_of_improvement(y, z)
            worst = max(worst, abs(mine - other))
            taus = np.linspace(0, 4, 41)
            shares = [library.run_score_deviation(y, tau) for tau in taus]
            worst = max(worst, np.abs(ev.profile(y, taus) - shares).max())
        print(f"  largest difference of point values on 200 random matrices: {worst:.1e}")
        seconds = best(
            lambda: library.get_interval_estimates(
                {"x": x}, lambda s: np.array([theirs["iqm"](s)]), reps=50_000
            ),
            1,
        )
        print(f"  rliable:                            {seconds}")
    if given.data:
        searches = best(lambda: ev.atari5_searches(given.data), 3)
        print(f"the seven Atari-5 searches:           {searches}")


if __name__ == "__main__":
    main()
