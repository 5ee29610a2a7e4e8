"""Observations stand at multiples of 64 bytes, so that other libraries borrow them without a copy."""

from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv

KINDS: list[dict[str, Any]] = [
    {},
    {"stack_num": 1, "img_height": 33, "img_width": 31},
    {"grayscale": False},
    {"obs_type": "ram"},
    {"obs_type": "rgb"},
    {"autoreset_mode": "SameStep", "batch_size": 2},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_observations_are_aligned(options: dict[str, Any]) -> None:
    env = AtariVectorEnv("glowdelve", 3, **options)
    held = [env.reset(seed=0)[0]]
    # Some are held and some are let go of: new memory and used memory are aligned alike.
    for step in range(12):
        observations = env.step(np.zeros(env.batch_size, int))[0]
        assert observations.ctypes.data % 64 == 0
        if step % 3 == 0:
            held.append(observations)
    assert len({array.ctypes.data for array in held}) == len(held)


def test_jax_borrows_them() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    env = AtariVectorEnv("glowdelve", 4)
    observations, _ = env.reset(seed=0)
    assert jax.device_put(observations).unsafe_buffer_pointer() == observations.ctypes.data
    assert jax.dlpack.from_dlpack(observations).unsafe_buffer_pointer() == observations.ctypes.data


def test_torch_borrows_them() -> None:
    torch = pytest.importorskip("torch", reason="torch is optional")
    env = AtariVectorEnv("glowdelve", 4)
    observations, _ = env.reset(seed=0)
    assert torch.from_numpy(observations).data_ptr() == observations.ctypes.data
    assert torch.from_dlpack(observations).data_ptr() == observations.ctypes.data
