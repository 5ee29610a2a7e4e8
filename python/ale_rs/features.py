"""Binary features of screens and RAM: what linear agents learn from and width-based planners count.

>>> import numpy as np
>>> from ale_rs import features
>>> screen = np.zeros((210, 160), np.uint8)
>>> screen[100:104, 50:54] = 30
>>> fs = features.BlobProst()
>>> sorted(fs.describe(int(i)) for i in fs(screen))[0]
('basic', 0, 14, 19)

A set is called with one screen of palette indices (`ALEInterface.getScreen()`, `obs_type="indices"`) or
with the 128 bytes of RAM, and gives the indices of the features that are on. Sets that compare with the
previous decision remember it until `reset`.

| set | features | input | facts of `describe` |
|---|---|---|---|
| `Basic` | 28,672 | screen, background | `("basic", colour, row, col)` |
| `Bass` | 1,606,528 | screen, background | and `("pair", colour, row, col, colour, row, col)` |
| `Ram` | 524,800 | RAM | `("bit", byte, bit)`, `("pair", byte, bit, byte, bit)` |
| `Lsh` | 100,000 | screen | `("lsh", hash, value)` |
| `Disco` | by its classes | screen | `("absent", class)`, `("position", class, tiling, row, col)` |
| `BPros` | 6,885,440 | screen | `("basic", ...)`, `("space", c1, c2, drow, dcol)`, `("bias",)` |
| `BProst` | 20,598,848 | screen | and `("time", c_before, c_now, drow, dcol)` |
| `BlobProst` | 114,702,400 | screen | the same, about blobs |

`Disco` also has `("relation", class, other class, approaching in x, in y, tiling, row, col)`.
"""

import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from ale_rs import _arguments, _native
from ale_rs._feature_pictures import draw, picture
from ale_rs._survey import MAX_SEED, Classes, background, discover

__all__ = [
    "SETS", "BPros", "BProst", "Basic", "Bass", "Batch", "BlobProst", "Classes", "Counted", "Disco",
    "FeatureSet", "Lsh", "Ram", "background", "batch", "discover", "draw", "make", "picture",
]  # fmt: skip

Bytes = NDArray[np.uint8]


class FeatureSet:
    """A set of binary features; the classes below are the sets."""

    name: Final[str]
    """How the command line calls it."""

    def __init__(
        self,
        name: str,
        background: Bytes | None = None,
        seed: int = 0,
        classes: _native.ObjectClasses | None = None,
    ) -> None:
        self.name = name
        if background is not None:
            background = _contiguous(background)
        seed = _arguments.integer("seed", seed, 0, MAX_SEED)
        self._native = _native.FeatureSets(name, background, seed, classes)

    def __call__(self, screen_or_ram: Bytes) -> NDArray[np.uint32]:
        """The indices of the features that are on, each once.

        Raises:
            TypeError: no numpy array of uint8.
            ValueError: an array of another shape than the set looks at.
        """
        return self._native.active(_contiguous(screen_or_ram))[0]

    def __len__(self) -> int:
        """Number of features, without the bias."""
        return len(self._native)

    @property
    def has_bias(self) -> bool:
        """Whether the feature with index `len(self)` is there and always on."""
        return self._native.has_bias

    def reset(self) -> None:
        """Forget the previous decision: an episode begins."""
        self._native.reset()

    def describe(self, index: int) -> tuple[Any, ...]:
        """What a feature says, such as `("space", 12, 40, -3, 2)`.

        Raises:
            IndexError: there is no such feature.
        """
        return self._native.describe(int(index))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} features{' and a bias' if self.has_bias else ''}>"


class Basic(FeatureSet):
    """Which of 128 colours each of 16 x 14 tiles shows in front of the background."""

    def __init__(self, background: Bytes) -> None:
        super().__init__("basic", background)


class Bass(FeatureSet):
    """Which of 8 colours each of 16 x 14 tiles shows in front of the background, and all pairs of these."""

    def __init__(self, background: Bytes) -> None:
        super().__init__("bass", background)


class Ram(FeatureSet):
    """The bits of RAM, and all pairs of them."""

    def __init__(self) -> None:
        super().__init__("ram")


class Lsh(FeatureSet):
    """2,000 locality-sensitive hashes of the screen, drawn with a seed."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__("lsh", seed=seed)


class Counted(np.ndarray[tuple[int], np.dtype[np.uint32]]):
    """Indices of features with `counts`: how often each is on."""

    counts: NDArray[np.uint32]

    def __array_finalize__(self, source: object) -> None:
        """Parts and copies have no counts: they would be those of other indices."""


class Disco(FeatureSet):
    """Where objects of each class are, and how those of two classes lie and move to each other."""

    def __init__(self, classes: Classes) -> None:
        if not isinstance(classes, Classes):
            given = type(classes).__name__  # type: ignore[unreachable]
            raise TypeError(
                f"Disco takes the classes of a game, not {given}; features.discover(game) gives them"
            )
        super().__init__("disco", classes=classes._native)
        self.classes = classes

    def __call__(self, screen_or_ram: Bytes) -> Counted:
        """The features that are on, each once, with how often each is in `.counts`."""
        indices, counts = self._native.active(_contiguous(screen_or_ram))
        counted = cast(Counted, indices.view(Counted))
        counted.counts = indices[:0] if counts is None else counts
        return counted


class BPros(FeatureSet):
    """Colours of tiles and their pairwise offsets in space."""

    def __init__(self, background: Bytes | None = None) -> None:
        super().__init__("b-pros", background)


class BProst(FeatureSet):
    """`BPros`, and pairwise offsets in time, to the screen of the previous call."""

    def __init__(self, background: Bytes | None = None) -> None:
        super().__init__("b-prost", background)


class BlobProst(FeatureSet):
    """Blobs of one colour and their pairwise offsets in space and time."""

    def __init__(self) -> None:
        super().__init__("blob-prost")


SETS: Final[dict[str, Callable[..., FeatureSet]]] = {
    "basic": Basic, "bass": Bass, "ram": Ram, "lsh": Lsh, "disco": Disco, "b-pros": BPros,
    "b-prost": BProst, "blob-prost": BlobProst,
}  # fmt: skip
"""All sets by the name that commands use."""


def make(name: str, game: str, *, seed: int = 0) -> FeatureSet:
    """The set with this name for a game; background and classes are taken from the cache or gathered.

    Raises:
        ValueError: no set has this name; the text names the nearest one.
    """
    check(name)
    if name == "disco":
        return Disco(discover(game, seed=seed))
    if name in ("basic", "bass"):
        return SETS[name](background(game, seed=seed))
    return SETS[name](seed=seed) if name == "lsh" else SETS[name]()


def check(name: str) -> None:
    """Refuse the name of a set that there is not.

    Raises:
        ValueError: no set has this name; the text names the nearest one.
    """
    if name not in SETS:
        near = difflib.get_close_matches(name, SETS, 1, 0.4)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"unknown feature set {name!r}; accepted: {', '.join(SETS)}{hint}")


@dataclass(frozen=True)
class Batch:
    """Features of many inputs: those of input `i` are `indices[offsets[i]:offsets[i + 1]]`.

    Attributes:
        indices: the features of all inputs, one after the other.
        offsets: where the features of each input begin, and one more at the end.
        counts: how often each is on; `None` for sets that do not count.
    """

    indices: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    counts: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> NDArray[np.uint32]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no input {index}; accepted: 0 to {len(self) - 1}")
        index %= len(self)
        return self.indices[self.offsets[index] : self.offsets[index + 1]]


def batch(fs: FeatureSet | Sequence[FeatureSet], screens: Bytes, threads: int = 0) -> Batch:
    """The features of many screens (or of many RAMs) in one native call.

    Args:
        fs: one set: the screens follow each other in one episode, and the set itself stays as it is. A
            sequence of sets, one for each screen: the screens of a vector environment, where each set
            remembers its own environment's previous screen.
        screens: an array of shape `(n, 210, 160)` or taller screens; `(n, 128)` for RAM.
        threads: worker threads; 0 for one for each core. The result does not depend on it.
    """
    threads = _arguments.integer("threads", threads, 0) or os.cpu_count() or 1
    stack = _contiguous(screens)
    if isinstance(fs, FeatureSet):
        return Batch(*fs._native.batch(stack, threads))
    sets = [one._native for one in fs]
    if len(set(map(id, sets))) < len(sets):
        raise ValueError("the same set twice; accepted: one set for each screen, each with its own memory")
    return Batch(*_native.features_of_each(sets, stack, threads))


def _contiguous(array: Bytes) -> Bytes:
    """Arrays in C order, anything else as it is: the native side says what is wrong with it."""
    return np.ascontiguousarray(array) if isinstance(array, np.ndarray) else array
