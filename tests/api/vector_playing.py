"""Small vector environments, and plays of them that tests compare."""

from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv, roms

OURS = "glowdelve"
OTHER = "windfall"


def make(game: Any = OURS, num_envs: int | None = 2, **options: Any) -> AtariVectorEnv:
    try:
        return AtariVectorEnv(game, num_envs, **options)
    except roms.RomNotFoundError as missing:
        pytest.skip(str(missing))


def actions(env: AtariVectorEnv, step: int) -> Any:
    """Any rule that depends on the sub-environment and the step only."""
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    first = env.first_env_index
    return np.array([(index * 5 + step // 2) % count for index in range(first, first + env.num_envs)])


def play(env: AtariVectorEnv, steps: int, seed: int | None = 0) -> list[tuple[Any, ...]]:
    """Copies of all results."""
    results: list[tuple[Any, ...]] = [env.reset(seed=seed)]
    results += [env.step(actions(env, step)) for step in range(steps)]
    return results


def same(one: tuple[Any, ...], other: tuple[Any, ...], rows: Any = slice(None)) -> bool:
    """Whether two results agree, the second in some rows of the first."""
    arrays = all(np.array_equal(a[rows], b) for a, b in zip(one[:-1], other[:-1], strict=True))
    keys = ("lives", "frame_number", "episode_frame_number")
    return arrays and all(np.array_equal(one[-1][key][rows], other[-1][key]) for key in keys)


def make_like(env: AtariVectorEnv, num_envs: int) -> Any:
    """The rule of actions for an environment with fewer rows."""
    return type("Like", (), {
        "single_action_space": env.single_action_space, "first_env_index": 0, "num_envs": num_envs,
    })  # fmt: skip
