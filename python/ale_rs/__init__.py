"""The Arcade Learning Environment, rebuilt in Rust: equal to `ale_py`, several times faster."""

import importlib.util
import warnings
from pathlib import Path

from ale_rs import _ale_py as _ale_py
from ale_rs import _native, _neighbour, games, roms
from ale_rs._native import ALEInterface, ALEState, Snapshot
from ale_rs.enums import Action, LoggerMode
from ale_rs.env import AtariEnv, AtariEnvStepMetadata
from ale_rs.registration import register, register_v0_v4_envs, register_v5_envs
from ale_rs.vector_env import ALEVectorInterface, AtariVectorEnv

__version__ = _native.__version__
packagedir = str(Path(__file__).parent)
SDL_SUPPORT = importlib.util.find_spec("pygame") is not None
"""Whether games can be shown in a window and heard."""

if not _native.OPTIMISED:
    warnings.warn(
        "ale_rs was built without optimisation and is many times slower than it could be; "
        "build it with `make build` or `maturin develop --release`",
        RuntimeWarning,
        stacklevel=2,
    )

register()
_neighbour.watch()

__all__ = [
    "SDL_SUPPORT",
    "ALEInterface",
    "ALEState",
    "ALEVectorInterface",
    "Action",
    "AtariEnv",
    "AtariEnvStepMetadata",
    "AtariVectorEnv",
    "LoggerMode",
    "Snapshot",
    "__version__",
    "games",
    "packagedir",
    "register",
    "register_v0_v4_envs",
    "register_v5_envs",
    "roms",
]
