"""The Arcade Learning Environment, rebuilt in Rust: equal to `ale_py`, several times faster."""

import warnings
from pathlib import Path

from ale_rs import _native, roms

__version__ = _native.__version__
packagedir = str(Path(__file__).parent)

if not _native.OPTIMISED:
    warnings.warn(
        "ale_rs was built without optimisation and is many times slower than it could be; "
        "build it with `make build` or `maturin develop --release`",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["__version__", "packagedir", "roms"]
