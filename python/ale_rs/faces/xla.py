"""Vector environments inside compiled functions of jax: XLA calls the native step itself.

The functions of `xla()` are calls of XLA's foreign-function interface. A compiled program hands its memory to
the native workers, which write observations, rewards and info straight into it; neither Python nor its lock
is involved in a step. The handle stands for the environment and **gives the order**: pass the one that a call
returns to the next call. Calls of one program that share an older handle run in any order.

Where jax has no such interface (before 0.5), refuses ours, or runs on an accelerator, the same functions call
back into Python (`jax.experimental.io_callback`); there, calls run in the order in which they stand.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from gymnasium import error

from ale_rs import _native

__all__ = ["continuous", "discrete", "functions"]

Handle: TypeAlias = Any
"""An array of jax: eight bytes."""
Functions: TypeAlias = tuple[Handle, Callable[..., tuple[Handle, Any]], Callable[..., tuple[Handle, Any]]]
Columns: TypeAlias = Sequence[tuple[str, str, Sequence[int]]]
"""Name, type and shape of each array of a result."""

RESET, STEP = "ale_rs_reset_1", "ale_rs_step_1"
"""Names of the handlers in XLA; the number goes up when the order of arguments or results changes."""

_INT32 = np.iinfo(np.int32)
_registered: bool | None = None
"""Whether XLA has taken the handlers; `None` before the first try."""


class Batch(Protocol):
    """A vector environment with a native side that XLA can call."""

    @property
    def num_envs(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def _native(self) -> Any: ...


def functions(env: Batch, arguments: Callable[[Any, Any, Any], tuple[Any, ...]]) -> Functions:
    """The handle, the reset and the step of a vector environment; see `AtariVectorEnv.xla`.

    Args:
        env: the vector environment.
        arguments: gives what the native step takes for `(jax, env, actions)`: `discrete` or `continuous`.

    Raises:
        gymnasium.error.DependencyNotInstalled: without jax.
    """
    try:
        jax = importlib.import_module("jax")
    except ImportError as problem:
        raise error.DependencyNotInstalled(
            "ale_rs is missing jax, necessary for using the vector XLA support, use `pip install jax`"
        ) from problem
    # Making the array starts the backend, so that a refusal is seen here and not in the user's next call.
    handle = jax.numpy.asarray(np.frombuffer(env._native.xla_handle(), np.uint8))
    call = _typed(jax) if jax.default_backend() == "cpu" and _register(jax) else _callbacks(jax, env)
    return handle, *_bound(jax, env, call, arguments)


def _register(jax: Any) -> bool:
    """Give our handlers to XLA, once in a process."""
    global _registered
    if _registered is None:
        try:
            ffi = importlib.import_module("jax.ffi")
            for name, address in zip((RESET, STEP), _native.xla_handlers(), strict=True):
                ffi.register_ffi_target(name, ffi.pycapsule(address), platform="cpu")
            jax.numpy.zeros(1).block_until_ready()
            _registered = True
        except (ImportError, AttributeError, RuntimeError, TypeError) as problem:
            warnings.warn(
                f"jax {jax.__version__} did not accept the native handlers of ale_rs; xla() calls back into "
                f"Python instead, which is slower: {problem}",
                RuntimeWarning,
                stacklevel=4,
            )
            _registered = False
    return _registered


Call: TypeAlias = Callable[[str, Columns, Handle, tuple[Any, ...]], tuple[Handle, Sequence[Any]]]
"""Name of the handler, columns of the result, handle, arguments -> handle, results."""


def _typed(jax: Any) -> Call:
    """Calls of XLA's foreign-function interface."""

    def call(name: str, columns: Columns, handle: Handle, arguments: tuple[Any, ...]) -> tuple[Handle, Any]:
        kinds = [jax.ShapeDtypeStruct(tuple(shape), np.dtype(dtype)) for _, dtype, shape in columns]
        run = jax.ffi.ffi_call(
            name,
            (jax.ShapeDtypeStruct((8,), np.uint8), *kinds),
            has_side_effect=True,
            vmap_method="sequential",
        )
        handle, *results = run(handle, *arguments)
        return handle, results

    return call


def _callbacks(jax: Any, env: Batch) -> Call:
    """The same calls through Python, in the order in which they stand."""
    io_callback = importlib.import_module("jax.experimental").io_callback

    def call(name: str, columns: Columns, handle: Handle, arguments: tuple[Any, ...]) -> tuple[Handle, Any]:
        kinds = [jax.ShapeDtypeStruct(tuple(shape), np.dtype(dtype)) for _, dtype, shape in columns]
        native = env._native.xla_reset if name == RESET else env._native.xla_step

        def run(*arguments: Any) -> list[Any]:
            results = native(*(np.asarray(argument, order="C") for argument in arguments))
            return [
                result.view(dtype).reshape(shape)
                for result, (_, dtype, shape) in zip(results, columns, strict=True)
            ]

        return handle, io_callback(run, kinds, *arguments, ordered=True)

    return call


def _bound(
    jax: Any, env: Batch, call: Call, arguments: Callable[[Any, Any, Any], tuple[Any, ...]]
) -> tuple[Callable[..., tuple[Handle, Any]], Callable[..., tuple[Handle, Any]]]:
    """The two functions of one environment, which they keep alive."""
    reset_columns, step_columns = env._native.xla_columns()

    def reset(handle: Handle, seed: Any = None, reset_mask: Any = None) -> tuple[Handle, Any]:
        """Start new episodes: `handle, (observations, info)`."""
        given = (_mask(jax, env, reset_mask), _seeds(jax, seed))
        handle, results = call(RESET, reset_columns, _handle(jax, handle), given)
        named = _named(reset_columns, results)
        return handle, (named.pop("obs"), named)

    def step(handle: Handle, actions: Any) -> tuple[Handle, Any]:
        """One step: `handle, (observations, rewards, terminations, truncations, info)`."""
        given = arguments(jax, env, actions)
        handle, results = call(STEP, step_columns, _handle(jax, handle), given)
        named = _named(step_columns, results)
        first = [named.pop(name) for name in ("obs", "rewards", "terminations", "truncations")]
        return handle, (*first, named)

    return reset, step


def _named(columns: Columns, results: Sequence[Any]) -> dict[str, Any]:
    """Results by name; those of `final_info/...` and of `obs/...` become dictionaries of their own."""
    named: dict[str, Any] = {}
    for (name, _, _), result in zip(columns, results, strict=True):
        group, _, key = name.rpartition("/")
        (named.setdefault(group, {}) if group else named)[key] = result
    return named


def _handle(jax: Any, handle: Handle) -> Any:
    handle = jax.numpy.asarray(handle)
    if handle.dtype != np.uint8 or handle.shape != (8,):
        shape = list(handle.shape)
        raise TypeError(f"the handle is {handle.dtype}{shape}; accepted: that of xla(), uint8[8]")
    return handle


def _mask(jax: Any, env: Batch, mask: Any) -> Any:
    if mask is None:
        return np.ones(env.num_envs, np.bool_)
    mask = jax.numpy.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"`reset_mask` must be a boolean array, got {mask.dtype}")
    if mask.shape != (env.num_envs,):
        raise ValueError(f"`reset_mask` must have shape ({env.num_envs},), got {mask.shape}")
    return mask


def _seeds(jax: Any, seed: Any) -> Any:
    """No numbers, one number to count from, or one for each sub-environment that is reset."""
    if seed is None:
        return np.zeros(0, np.int32)
    seeds = _integers(jax, "seeds", seed)
    if seeds.ndim > 1:
        raise ValueError(f"`seed` has the shape {seeds.shape}; accepted: a number or one for each reset")
    return seeds


def discrete(jax: Any, env: Batch, actions: Any) -> tuple[Any]:
    """Numbers of actions, one for each row."""
    if hasattr(actions, "dtype"):
        assert actions.dtype in (np.int64, np.int32), (
            f"actions have the dtype {actions.dtype}; accepted: int64 or int32"
        )
    actions = _integers(jax, "actions", actions)
    shape = (env.batch_size,)
    assert actions.shape == shape, f"actions have the shape {actions.shape}; accepted: {shape}"
    return (actions,)


def continuous(jax: Any, env: Any, actions: Any) -> tuple[Any, Any]:
    """Joystick positions and strengths of paddles, computed in the program."""
    actions = jax.lax.stop_gradient(jax.numpy.asarray(actions))
    shape = (env.batch_size, 3)
    assert actions.dtype == np.float32, f"actions have the dtype {actions.dtype}; accepted: float32"
    assert actions.shape == shape, f"actions have the shape {actions.shape}; accepted: {shape}"
    radius, angle, fire = actions.T
    threshold = np.float32(env.continuous_action_threshold)
    x, y = radius * jax.numpy.cos(angle), radius * jax.numpy.sin(angle)
    side = [1 + (z > threshold).astype(np.int32) - (z < -threshold).astype(np.int32) for z in (x, y)]
    table = jax.numpy.asarray(env.map_action_idx.astype(np.int32))
    return table[side[0], side[1], (fire > threshold).astype(np.int32)], radius


def _integers(jax: Any, what: str, numbers: Any) -> Any:
    """32-bit integers; numbers that are known now are checked now."""
    if not isinstance(numbers, jax.Array):
        numbers = np.asarray(numbers)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{what} have the dtype {numbers.dtype}; accepted: integers")
    known = isinstance(numbers, np.ndarray) and numbers.size > 0
    if known and not (_INT32.min <= numbers.min() and numbers.max() <= _INT32.max):
        raise TypeError(f"{what} reach from {numbers.min()} to {numbers.max()}; accepted: 32-bit integers")
    return numbers.astype(np.int32)
