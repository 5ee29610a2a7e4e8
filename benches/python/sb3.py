"""`ale_rs.sb3.make_atari_env` beside Stable-Baselines3's own wrappers and `AtariVecEnv`, in turns in one run.

Needs Stable-Baselines3 and OpenCV; `make clients CLIENTS=stable-baselines3` installs both, then
`.venv/clients/torch/bin/python benches/python/sb3.py`. Observations are compared before anything is timed.
"""

import argparse
import statistics
import time
from typing import Any

import numpy as np
from stable_baselines3.common.env_util import make_atari_env as make_of_sb3

from ale_rs.registration import rom_id_to_name
from ale_rs.sb3 import AtariVecEnv, make_atari_env


def seconds(envs: Any, steps: int, actions: np.ndarray) -> float:
    """Of so many steps; the actions begin anew when they are used up."""
    start = time.perf_counter()
    for step in range(steps):
        envs.step(actions[step % len(actions)])
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["breakout", "pong", "seaquest"])
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument(
        "--steps", type=int, default=100, help="of the slowest; the others make ten times as many"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    for game in given.games:
        id_ = f"ale_rs/{rom_id_to_name(game)}NoFrameskip-v4"
        ours = make_atari_env(id_, given.envs, seed=0, num_threads=given.threads)
        theirs = make_of_sb3(id_, given.envs, seed=0)
        plain = AtariVecEnv(
            game, given.envs, seed=0, stack_num=1, episodic_life=True, num_threads=given.threads
        )
        plain.reset()
        chance = np.random.default_rng(0)
        actions = chance.integers(0, ours.action_space.n, (1000, given.envs))
        assert np.array_equal(ours.reset(), theirs.reset())
        for row in actions[: given.steps]:
            assert all(
                np.array_equal(a, b) for a, b in zip(ours.step(row)[:3], theirs.step(row)[:3], strict=True)
            )
        speeds, ratios, beside = [], [], []
        for _ in range(given.rounds):
            mine = seconds(ours, 10 * given.steps, actions) / 10
            other = seconds(theirs, given.steps, actions)
            fast = seconds(plain, 10 * given.steps, actions) / 10
            speeds.append(given.steps * given.envs / mine)
            ratios.append(other / mine)
            beside.append(fast / mine)
        print(
            f"{game}: {statistics.median(speeds):,.0f} environment steps/s, "
            f"{statistics.median(ratios):.1f} times Stable-Baselines3 "
            f"({min(ratios):.1f} to {max(ratios):.1f}), "
            f"{statistics.median(beside):.2f} times AtariVecEnv",
            flush=True,
        )


if __name__ == "__main__":
    main()
