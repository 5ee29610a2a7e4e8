"""Factories of planners for evaluation.

`ale-rs evaluate ale_rs.planning.agents:uct --config simulations=100` plays one under a protocol.
Each takes the environment, a seed and a mapping of options, and gives an object with `plan()` and
`advance(action)`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ale_rs.planning.planners import Planner
from ale_rs.planning.playing import make

__all__ = ["full_tree", "iw", "rollout_iw", "uct"]


def _factory(name: str) -> Callable[..., Planner]:
    def factory(env: Any, *, seed: int = 0, config: Mapping[str, Any] | None = None) -> Planner:
        return make(name, env, **{"seed": seed, **(config or {})})

    factory.kind = "planner"  # type: ignore[attr-defined]
    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f'`planning.make("{name}", env, seed=seed, **config)`.'
    return factory


full_tree = _factory("full-tree")
uct = _factory("uct")
iw = _factory("iw")
rollout_iw = _factory("rollout-iw")
