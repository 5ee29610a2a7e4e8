"""EnvPool's functions for programs that jax compiles, as callbacks into the environment."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from gymnasium import error

__all__ = ["functions"]


def functions(pool: Any) -> tuple[Any, Any, Any, Any]:
    """The handle, `recv`, `send` and `step`; see `EnvPool.xla`."""
    try:
        jax = importlib.import_module("jax")
        io_callback = importlib.import_module("jax.experimental").io_callback
    except ImportError as problem:
        raise error.DependencyNotInstalled("xla() needs jax: pip install jax") from problem

    rows = pool.config["batch_size"]
    flags, numbers = np.zeros(rows, np.bool_), np.zeros(rows, np.int32)
    info = {
        "env_id": numbers,
        "players": {"env_id": numbers},
        "lives": numbers,
        "reward": np.zeros(rows, np.float32),
        "terminated": numbers,
        "ram": np.zeros((rows, 128), np.uint8),
        "elapsed_step": numbers,
    }
    observations = np.zeros((rows, *pool.spec.observation_space.shape), np.uint8)
    example = pool._stepped(observations, np.zeros(rows, np.float32), flags, flags, info)
    result = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), example)

    def receive() -> Any:
        return jax.tree.map(np.asarray, pool.recv())

    def send(handle: Any, action: Any, env_id: Any = None) -> Any:
        """Start a step: the handle."""

        def call(action: Any, ids: Any) -> Any:
            pool.send(np.asarray(action), np.asarray(ids) if env_id is not None else None)
            return np.zeros((), np.int32)

        ids = np.zeros(0, np.int32) if env_id is None else env_id
        io_callback(call, jax.ShapeDtypeStruct((), np.int32), action, ids, ordered=True)
        return handle

    def recv(handle: Any) -> tuple[Any, Any]:
        """Wait for a batch: `handle, result`."""
        return handle, io_callback(receive, result, ordered=True)

    def step(handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        """`send`, then `recv`."""
        return recv(send(handle, action, env_id))

    return jax.numpy.asarray(np.frombuffer(id(pool).to_bytes(8, "little"), np.uint8)), recv, send, step
