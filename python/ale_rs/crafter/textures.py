"""The pictures that Crafter draws: our own, those of an installed `crafter`, or a directory of PNG files."""

import hashlib
import importlib.util
import os
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ale_rs import _native, _png

__all__ = ["NAMES", "TextureError", "TextureSource", "digest", "load"]

TextureSource: TypeAlias = "str | os.PathLike[str]"
NAMES: tuple[str, ...] = tuple(_native.crafter_names()[3])
"""The names of the 48 pictures; a directory has `<name>.png` for each."""


class TextureError(ValueError):
    """A picture is missing or cannot be read."""


def load(source: TextureSource) -> _native.CrafterTextures:
    """The pictures of a source.

    Args:
        source: `"own"`, `"crafter"` (the files of the installed package, which is not imported), or a
            directory of PNG files.

    Raises:
        TextureError: no such source, or a file is missing or broken; its name is in the message.
    """
    if source == "own":
        return _native.CrafterTextures.own()
    return from_directory(package_directory() if source == "crafter" else Path(source))


def package_directory() -> Path:
    """The directory of the pictures of an installed package `crafter`, found without importing it."""
    spec = importlib.util.find_spec("crafter")
    if spec is None or not spec.submodule_search_locations:
        raise TextureError(
            'textures="crafter": the package crafter is not installed; '
            'install it with "pip install crafter", or use textures="own"'
        )
    return Path(spec.submodule_search_locations[0]) / "assets"


def from_directory(directory: Path) -> _native.CrafterTextures:
    """The pictures in a directory."""
    if not directory.is_dir():
        raise TextureError(
            f'textures={str(directory)!r} is no directory; accepted: "own", "crafter", or a directory with '
            f"{NAMES[0]}.png to {NAMES[-1]}.png"
        )
    missing = [name for name in NAMES if not (directory / f"{name}.png").is_file()]
    if missing:
        raise TextureError(
            f"{directory} has no {missing[0]}.png ({len(missing)} of {len(NAMES)} are missing)"
        )
    images = []
    for name in NAMES:
        path = directory / f"{name}.png"
        try:
            picture = _png.decode(path.read_bytes())
        except (OSError, ValueError) as error:
            raise TextureError(f"{path}: {error}") from error
        images.append((picture.shape[1], picture.shape[0], picture.tobytes()))
    try:
        return _native.CrafterTextures(images)
    except ValueError as error:
        raise TextureError(f"{directory}: {error}") from error


def digest(textures: _native.CrafterTextures) -> str:
    """A short hash that tells sets of pictures apart: pixel scores are comparable only with the same one."""
    sha = hashlib.sha256()
    for width, height, data in textures.images():
        sha.update(np.array([width, height], "<u4").tobytes())
        sha.update(data)
    return sha.hexdigest()[:16]
