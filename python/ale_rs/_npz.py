"""Arrays from npz files of strangers: whatever the bytes are, arrays or one kind of exception."""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read"]

_DAMAGE = (
    AttributeError, EOFError, KeyError, MemoryError, NotImplementedError, OSError, OverflowError,
    RuntimeError, SyntaxError, TypeError, ValueError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What numpy, zipfile and zlib raise where bytes are damaged."""


def read(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file by their names; nothing in it is unpickled.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no npz file, or damaged.
    """
    with path.open("rb") as opened:
        try:
            with np.load(opened, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file}
        except _DAMAGE as problem:
            raise ValueError(f"{path}: damaged or no npz file: {problem}") from problem
    for name, array in arrays.items():
        # Bytes of a member whose name has changed.
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{path}: damaged: {name!r} is no array")
    return arrays
