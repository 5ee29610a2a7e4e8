"""What is gathered of a game by random play before anything is learnt, kept on disk."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native, roms
from ale_rs._progress import Progress

VERSION = 1
"""Changes whenever the same arguments would give something else."""


def background(
    game: str,
    screens: int = 18_000,
    seed: int = 0,
    trajectory: Sequence[int] | None = None,
    progress: bool = True,
) -> NDArray[np.uint8]:
    """The background of a game: for each pixel the palette index that it shows most often.

    Random play, every frame counted; with a trajectory (actions, one a frame) every episode follows it for a
    random number of frames first. The result depends on the ROM and the arguments alone and is kept on disk.

    Args:
        game: id of the game.
        screens: how many screens are counted, at most 65,535.
        seed: seed of the actions.
        trajectory: actions that episodes begin with.
        progress: draw a progress bar when the output is a terminal.

    Returns:
        an array of shape `(210, 160)`.
    """
    rom = roms.load(game)
    actions = [int(action) for action in trajectory or ()]
    digest = hashlib.sha256(bytes(actions)).hexdigest()[:16] if actions else "random"
    key = f"background-{VERSION}-{rom.md5}-{screens}-{seed}-{digest}"

    def gather(report: Callable[[int], None]) -> bytes:
        return _native.background(rom.data, rom.name, screens, seed, actions, report)

    data = cached(key, 210 * 160, screens, f"background of {game}", gather, progress)
    return np.frombuffer(data, np.uint8).reshape(210, 160)


def cached(
    key: str,
    size: int | None,
    steps: int,
    text: str,
    gather: Callable[[Callable[[int], None]], bytes],
    progress: bool,
) -> bytes:
    """Bytes from the cache, or gathered with a progress bar and put there."""
    path = directory() / key
    try:
        data = path.read_bytes()
        if size is None or len(data) == size:
            return data
    except OSError:
        pass
    with Progress(steps, text, enabled=progress) as bar:
        data = gather(bar.update)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        Path(file.name).replace(path)
    except OSError:
        pass  # a disk that is full or read-only costs time, not the result
    return data


def directory() -> Path:
    """Where backgrounds and classes are kept: `ALE_RS_CACHE`, or the user's cache directory."""
    given = os.environ.get("ALE_RS_CACHE")
    if given:
        return Path(given).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ale_rs"
