"""`envpool.make` for Atari games, on top of `AtariVectorEnv`.

>>> from ale_rs.compat import envpool
>>> envs = envpool.make("Glowdelve-v5", env_type="gymnasium", num_envs=2)
>>> observations, info = envs.reset()
>>> observations.shape, sorted(info)[:3]
((2, 4, 84, 84), ['elapsed_step', 'env_id', 'lives'])

Options, shapes, dtypes and info are EnvPool's. Trajectories are those of this library, which are ale-py's.
A script that says `import envpool` runs unchanged by `python -m ale_rs.compat.envpool SCRIPT ARGUMENTS`.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ale_rs.faces.envpool.pool import EnvPool, GymnasiumEnvPool, dm_pool, gym_pool
from ale_rs.faces.envpool.spec import DEFAULTS, EnvSpec, tasks

__all__ = [
    "DEFAULTS",
    "EnvPool",
    "EnvSpec",
    "GymnasiumEnvPool",
    "list_all_envs",
    "main",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
]

__version__ = "0.6.4"
"""The release of EnvPool whose gym form this is."""

FORMS = {"gym": gym_pool, "gymnasium": GymnasiumEnvPool, "dm": dm_pool}


def list_all_envs() -> list[str]:
    """The ids that `make` accepts."""
    return list(tasks())


def make(task_id: str, env_type: str = "gym", *, render_mode: str | None = None, **options: Any) -> EnvPool:
    """The environments of a task such as `"Pong-v5"`.

    Args:
        task_id: one of `list_all_envs`.
        env_type: `"gymnasium"`, `"dm"`, or `"gym"`: before gym 0.26 with observations only from `reset` and
            four values from `step`.
        render_mode: `None` or `"rgb_array"`.
        options: those of `DEFAULTS`.

    Raises:
        ValueError: an unknown task, type or option, or one that cannot be had.
    """
    if env_type not in FORMS:
        raise ValueError(f'env_type is "{env_type}"; accepted: {", ".join(FORMS)}')
    return FORMS[env_type](make_spec(task_id, **options), render_mode)


def make_gym(task_id: str, **options: Any) -> EnvPool:
    """`make` with `env_type="gym"`."""
    return make(task_id, "gym", **options)


def make_gymnasium(task_id: str, **options: Any) -> EnvPool:
    """`make` with `env_type="gymnasium"`."""
    return make(task_id, "gymnasium", **options)


def make_dm(task_id: str, **options: Any) -> EnvPool:
    """`make` with `env_type="dm"`."""
    return make(task_id, "dm", **options)


def make_spec(task_id: str, **options: Any) -> EnvSpec:
    """Options and spaces of a task, without environments."""
    return EnvSpec(task_id, **options)


def main(arguments: Sequence[str]) -> int:
    """Run a script in which `import envpool` means this module."""
    if not arguments or not Path(arguments[0]).is_file():
        print("usage: python -m ale_rs.compat.envpool SCRIPT [ARGUMENTS]", file=sys.stderr)
        return 2
    sys.modules["envpool"] = sys.modules[__name__]
    sys.argv = list(arguments)
    sys.path[0] = str(Path(arguments[0]).resolve().parent)
    runpy.run_path(arguments[0], run_name="__main__")
    return 0
