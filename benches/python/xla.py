"""Steps inside a compiled program of jax, beside ale_py's `xla()` (which needs chex), in turns in one run.

64 environments of a game, a `lax.scan` that keeps rewards only. Rewards are compared before anything is
timed.
"""

import argparse
import statistics
import time
from typing import Any

import numpy as np


def contestant(cls: Any, game: str, envs: int, steps: int) -> Any:
    import jax

    env = cls(game, num_envs=envs)
    handle, reset, step = env.xla()
    count = int(env.single_action_space.n)
    actions = np.random.default_rng(0).integers(0, count, (steps, envs)).astype(np.int32)

    def body(handle: Any, row: Any) -> Any:
        handle, results = step(handle, row)
        return handle, results[1]

    run = jax.jit(lambda handle, actions: jax.lax.scan(body, handle, actions))

    def round_() -> tuple[float, Any]:
        first, _ = reset(handle, seed=0)
        jax.block_until_ready(first)
        start = time.perf_counter()
        rewards = jax.block_until_ready(run(first, actions))[1]
        return time.perf_counter() - start, np.asarray(rewards)

    return env, round_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["pong"])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    from ale_py.vector_env import AtariVectorEnv as Theirs

    from ale_rs import AtariVectorEnv as Ours

    for game in given.games:
        (_, ours), (_, theirs) = (contestant(cls, game, given.envs, given.steps) for cls in (Ours, Theirs))
        np.testing.assert_array_equal(ours()[1], theirs()[1])
        ratios, speeds = [], []
        for _ in range(given.rounds):
            mine, other = ours()[0], theirs()[0]
            ratios.append(other / mine)
            speeds.append(given.steps * given.envs / mine)
        print(
            f"{game}: {statistics.median(speeds):,.0f} environment steps/s, "
            f"{statistics.median(ratios):.2f} times ale_py ({min(ratios):.2f} to {max(ratios):.2f})"
        )


if __name__ == "__main__":
    main()
