"""Vector environments inside functions that jax compiles."""

import sys
from typing import Any

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from gymnasium.vector import AutoresetMode

from ale_rs import AtariVectorEnv

GAME = "glowdelve"
STEPS = 12


def test_without_jax_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(DependencyNotInstalled, match="missing jax"):
        AtariVectorEnv(GAME, num_envs=2).xla()


def test_only_the_next_step_resets() -> None:
    env = AtariVectorEnv(GAME, num_envs=2, autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(AssertionError, match="NEXT_STEP"):
        env.xla()


def test_the_handle_is_eight_bytes() -> None:
    handle = AtariVectorEnv(GAME, num_envs=2).ale.handle()
    assert (handle.dtype, handle.shape) == (np.uint8, (8,))


def test_compiled_functions_do_what_the_methods_do() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    ours, twin = (AtariVectorEnv(GAME, num_envs=3) for _ in range(2))
    handle, reset, step = ours.xla()
    handle, (observations, info) = reset(handle, seed=5)
    expected, expected_info = twin.reset(seed=5)
    same(observations, expected)
    same(info["lives"], expected_info["lives"])

    @jax.jit
    def play(handle: Any, actions: Any) -> Any:
        return jax.lax.scan(step, handle, actions)

    actions = np.arange(3 * STEPS, dtype=np.int32).reshape(STEPS, 3) % ours.single_action_space.n
    handle, (observations, rewards, terminations, truncations, info) = play(handle, actions)
    for row in range(STEPS):
        results = twin.step(actions[row])
        for ours_now, theirs in zip(
            (observations, rewards, terminations, truncations), results, strict=False
        ):
            same(ours_now[row], theirs)
        for name, column in info.items():
            same(column[row], results[4][name])

    mask = np.array([True, False, True])
    seeds = np.array([7, 8], np.int32)
    handle, (observations, _) = jax.jit(reset)(handle, seeds, mask)
    same(observations, twin.reset(seed=seeds, options={"reset_mask": mask})[0])


def same(ours: Any, theirs: Any) -> None:
    assert np.asarray(ours).dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
