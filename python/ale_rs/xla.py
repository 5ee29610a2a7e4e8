"""Vector environments inside compiled functions of jax: steps and resets as callbacks.

The handle stands for the environment and is passed from call to call. The environment itself stays where it
is, so a program must not use an older handle to go back.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from gymnasium import error
from gymnasium.vector import AutoresetMode

if TYPE_CHECKING:
    from ale_rs.vector_env import AtariVectorEnv

__all__ = ["INFO", "functions"]

Handle: TypeAlias = Any
"""An array of jax: eight bytes."""

INFO = ("env_id", "lives", "frame_number", "episode_frame_number")
"""What info has; all of it are 32-bit integers."""


def functions(
    env: AtariVectorEnv,
) -> tuple[Handle, Callable[..., tuple[Handle, Any]], Callable[..., tuple[Handle, Any]]]:
    """The handle, the reset and the step of a vector environment; see `AtariVectorEnv.xla`."""
    assert env.autoreset_mode == AutoresetMode.NEXT_STEP, (
        f"autoreset_mode is {env.autoreset_mode}; accepted with XLA: NEXT_STEP"
    )
    try:
        jax = importlib.import_module("jax")
        io_callback = importlib.import_module("jax.experimental").io_callback
    except ImportError as problem:
        raise error.DependencyNotInstalled(
            "ale_rs is missing jax, necessary for using the vector XLA support, use `pip install jax`"
        ) from problem

    rows = env.batch_size
    observations = jax.ShapeDtypeStruct((rows, *env._native.obs_shape), np.uint8)
    rewards = jax.ShapeDtypeStruct((rows,), np.int32)
    flags = jax.ShapeDtypeStruct((rows,), np.bool_)
    info = dict.fromkeys(INFO, jax.ShapeDtypeStruct((rows,), np.int32))

    def shown(info: dict[str, Any]) -> dict[str, Any]:
        return {name: info[name] for name in INFO}

    def reset(seed: Any, mask: Any) -> tuple[Any, Any]:
        options = None if mask is None else {"reset_mask": np.asarray(mask)}
        seed = seed if seed is None or isinstance(seed, int) else np.asarray(seed)
        first, facts = env.reset(seed=seed, options=options)
        return first, shown(facts)

    def step(actions: Any) -> tuple[Any, Any, Any, Any, Any]:
        first, rewards, terminations, truncations, facts = env.step(np.asarray(actions))
        return first, rewards, terminations, truncations, shown(facts)

    def xla_reset(handle: Handle, seed: Any = None, reset_mask: Any = None) -> tuple[Handle, Any]:
        """Start new episodes: `handle, (observations, info)`."""
        # A plain number is part of the program, an array is an argument of it.
        fixed = seed if seed is None or isinstance(seed, int) else None
        arrays = {} if fixed is not None or seed is None else {"seed": seed}
        if reset_mask is not None:
            arrays["mask"] = reset_mask

        def call(arrays: dict[str, Any]) -> tuple[Any, Any]:
            return reset(arrays.get("seed", fixed), arrays.get("mask"))

        return handle, io_callback(call, (observations, info), arrays, ordered=True)

    def xla_step(handle: Handle, actions: Any) -> tuple[Handle, Any]:
        """One step: `handle, (observations, rewards, terminations, truncations, info)`."""
        kinds = (observations, rewards, flags, flags, info)
        return handle, io_callback(step, kinds, actions, ordered=True)

    return jax.numpy.asarray(env.ale.handle()), xla_reset, xla_step
