"""Reading recorded episodes: npz files of `Recorder`, of the package `crafter`, of the human data set."""

import os
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ale_rs import _npz

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
        found = _npz.read(path)
    except ValueError as error:
        raise ValueError(f"{path} is no recorded episode: {error}") from error
    arrays = {
        name.removeprefix("a") if name.startswith("ainventory_") else name: array
        for name, array in found.items()
    }
    missing = [name for name in REQUIRED if name not in arrays]
    if missing:
        raise ValueError(f"{path} has no array {missing[0]!r}; found: {', '.join(sorted(arrays)) or 'none'}")
    lengths = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(f"{path}: arrays of different lengths: {lengths}")
    return arrays
