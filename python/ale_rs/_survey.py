"""What is gathered of a game by random play before anything is learnt, kept on disk."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ale_rs import _arguments, _native, roms
from ale_rs._progress import Progress

VERSION = 1
"""Changes whenever the same arguments would give something else."""
MAX_SEED = 2**64 - 1


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
    screens = _arguments.integer("screens", screens, 1, 65_535)
    seed = _arguments.integer("seed", seed, 0, MAX_SEED)
    actions = [
        _arguments.integer("an action of the trajectory", action, 0, 17) for action in trajectory or ()
    ]
    rom = roms.load(game)
    digest = hashlib.sha256(bytes(actions)).hexdigest()[:16] if actions else "random"
    key = f"background-{VERSION}-{rom.md5}-{screens}-{seed}-{digest}"

    def gather(report: Callable[[int], None]) -> bytes:
        return _native.background(rom.data, rom.name, screens, seed, actions, report)

    data = cached(key, 210 * 160, screens, f"background of {game}", gather, progress)
    return np.frombuffer(data, np.uint8).reshape(210, 160)


class Classes:
    """The classes of objects of a game, as `Disco` takes them.

    `len(classes)` is their number, `classes[i]` the shapes of one: boolean pictures, large ones first.
    """

    def __init__(self, native: _native.ObjectClasses) -> None:
        self._native = native

    @classmethod
    def from_bytes(cls, data: bytes) -> "Classes":
        """What `to_bytes` gave.

        Raises:
            ValueError: the bytes are damaged or something else.
        """
        return cls(_native.ObjectClasses(data))

    def to_bytes(self) -> bytes:
        """All classes and the background as bytes with a checksum."""
        return self._native.to_bytes()

    @property
    def background(self) -> NDArray[np.uint8]:
        """The background that objects stand out from, `(210, 160)`."""
        return np.frombuffer(self._native.background(), np.uint8).reshape(210, 160)

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, index: int) -> list[NDArray[np.bool_]]:
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there is no class {index}; there are {len(self)} classes, from 0 on")
        shapes = self._native.shapes(number)
        return [np.frombuffer(pixels, np.bool_).reshape(-1, width) for width, pixels in shapes]

    def __iter__(self) -> Iterator[list[NDArray[np.bool_]]]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Classes) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __reduce__(self) -> tuple[Callable[[bytes], "Classes"], tuple[bytes]]:
        return Classes.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<Classes: {len(self)} classes with {sum(map(len, self))} shapes>"


def discover(game: str, screens: int = 36_000, seed: int = 0, progress: bool = True) -> Classes:
    """The classes of objects of a game, from random play: what DISCO looks for on a screen.

    The background comes from the first half of the screens (at most 18,000), which are then played again.
    Discovery ends early when there are 200 classes. The rare ones and those that stay where they are go,
    the closest are merged until at most ten are left. The result depends on the ROM and the arguments alone
    and is kept on disk.

    Args:
        game: id of the game.
        screens: how many screens are looked at.
        seed: seed of the actions.
        progress: draw a progress bar when the output is a terminal.
    """
    screens = _arguments.integer("screens", screens, 2, 10_000_000)
    seed = _arguments.integer("seed", seed, 0, MAX_SEED)
    rom = roms.load(game)
    key = f"classes-{VERSION}-{rom.md5}-{screens}-{seed}"

    def gather(report: Callable[[int], None]) -> bytes:
        return _native.object_classes(rom.data, rom.name, screens, seed, report).to_bytes()

    total = screens + min(screens // 2, 18_000)
    text = f"classes of {game}"
    with contextlib.suppress(ValueError):
        return Classes.from_bytes(cached(key, None, total, text, gather, progress))
    # What was on disk is damaged.
    (directory() / key).unlink(missing_ok=True)
    return Classes.from_bytes(cached(key, None, total, text, gather, progress))


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
