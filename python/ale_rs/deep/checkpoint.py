"""Checkpoints: a directory that appears as a whole or not at all.

A checkpoint is written beside its place and renamed. A process that is killed in between leaves the one
before.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ale_rs import _npz

__all__ = ["VERSION", "read", "write"]

VERSION = 1


def write(
    directory: Path,
    state: dict[str, Any],
    numbers: dict[str, Any],
    world: bytes,
    memory: Callable[[Path], None],
) -> None:
    """Write a checkpoint in the place of the one before."""
    new, old = directory.with_name(directory.name + ".new"), directory.with_name(directory.name + ".old")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    leaves = jax.tree.leaves(state)
    arrays: dict[str, Any] = {f"leaf{index}": np.asarray(leaf) for index, leaf in enumerate(leaves)}
    np.savez(new / "state.npz", **arrays)
    (new / "world.bin").write_bytes(world)
    memory(new)
    (new / "numbers.json").write_text(json.dumps({"version": VERSION, **numbers}))
    if directory.exists():
        shutil.rmtree(old, ignore_errors=True)
        directory.rename(old)
    new.rename(directory)
    shutil.rmtree(old, ignore_errors=True)


def find(directory: Path) -> Path | None:
    """The newest complete checkpoint at a place."""
    for path in (directory, directory.with_name(directory.name + ".old")):
        if (path / "numbers.json").exists():
            return path
    return None


def numbers_of(directory: Path) -> dict[str, Any]:
    """The numbers of a checkpoint.

    Raises:
        ValueError: not a checkpoint, or of another version.
    """
    path = directory / "numbers.json"
    try:
        numbers: dict[str, Any] = json.loads(path.read_text())
        version = numbers["version"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{directory}: not a checkpoint of ale_rs.deep ({problem})") from problem
    if version != VERSION:
        raise ValueError(f"{directory}: a checkpoint of version {version}; accepted: {VERSION}")
    return numbers


def read(directory: Path, like: dict[str, Any]) -> dict[str, Any]:
    """The state of a checkpoint, which must have the shapes of `like`.

    Raises:
        ValueError: it belongs to another network.
    """
    leaves, tree = jax.tree.flatten(like)
    try:
        data = _npz.read(directory / "state.npz")
        found = [data[f"leaf{index}"] for index in range(len(data))]
    except (OSError, ValueError, KeyError) as problem:
        raise ValueError(f"{directory}: damaged: {problem}") from problem
    shapes, wanted = [leaf.shape for leaf in found], [np.shape(leaf) for leaf in leaves]
    if shapes != wanted:
        different = next(
            (f"{one} instead of {other}" for one, other in zip(shapes, wanted, strict=False) if one != other),
            f"{len(shapes)} arrays instead of {len(wanted)}",
        )
        raise ValueError(f"{directory}: a checkpoint of another network: {different}")
    state: dict[str, Any] = jax.tree.unflatten(tree, [jax.numpy.asarray(leaf) for leaf in found])
    return state
