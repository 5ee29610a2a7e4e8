"""Programs of jax that play a vector environment in different ways, from one seed, and give observations."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SEED = 3


def programs(reset: Any, step: Any, actions: Any) -> Iterator[Callable[[Any], Any]]:
    """Functions of the handle, compiled and not."""
    import jax

    def by_scan(handle: Any, unroll: int = 1) -> Any:
        handle, _ = reset(handle, seed=SEED)
        return jax.lax.scan(step, handle, actions, unroll=unroll)[1][0]

    def by_while(handle: Any) -> Any:
        first, (observations, _) = reset(handle, seed=SEED)
        shown = jax.numpy.zeros((len(actions), *observations.shape), observations.dtype)

        def body(carry: Any) -> Any:
            handle, row, shown = carry
            handle, results = step(handle, jax.numpy.asarray(actions)[row])
            return handle, row + 1, shown.at[row].set(results[0])

        return jax.lax.while_loop(lambda carry: carry[1] < len(actions), body, (first, 0, shown))[2]

    def by_cond(handle: Any) -> Any:
        return jax.lax.cond(True, by_scan, lambda handle: by_scan(handle, 2), handle)

    def eagerly(handle: Any) -> Any:
        handle, _ = reset(handle, seed=SEED)
        seen = []
        for row in actions:
            handle, results = step(handle, row.astype(np.int64))
            seen.append(np.asarray(results[0]))
        return np.stack(seen)

    yield from map(jax.jit, (by_scan, lambda handle: by_scan(handle, 3), by_while, by_cond))
    yield eagerly
