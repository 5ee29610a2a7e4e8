"""Reading recorded episodes: npz files of `Recorder`, of the package `crafter`, of the human data set."""

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["load_episode"]

REQUIRED = ("image", "action", "reward", "done")


def load_episode(path: "str | os.PathLike[str]") -> dict[str, NDArray[Any]]:
    """The arrays of a recorded episode, one row per time step; row 0 is the reset.

    Inventory columns are named `inventory_<item>`, whether the file says so or `ainventory_<item>`.

    Raises:
        ValueError: the file is no npz file, lacks an array, or its arrays have different lengths.
    """
    path = Path(path)
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {
                name.removeprefix("a") if name.startswith("ainventory_") else name: file[name]
                for name in file
            }
    except (zipfile.BadZipFile, EOFError, ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"{path} is no recorded episode: {error}") from error
    missing = [name for name in REQUIRED if name not in arrays]
    if missing:
        raise ValueError(f"{path} has no array {missing[0]!r}; found: {', '.join(sorted(arrays)) or 'none'}")
    lengths = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"{path}: arrays of different lengths: {lengths}")
    return arrays
