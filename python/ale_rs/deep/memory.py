"""The memories of COMPER: sets of similar transitions, and one representative of each.

A transition joins the set of the nearest stored one if that is near enough, else it opens a set. With
similarity 0 near means equal, and the index is a table of hashes; otherwise it is an exact search by L2
distance, by faiss.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ale_rs import _npz

__all__ = ["BruteForceIndex", "FaissIndex", "HashIndex", "ReducedMemory", "Transition", "TransitionMemory"]


@dataclass(frozen=True)
class Transition:
    """One transition with the Q value that was estimated when it was stored."""

    state: NDArray[np.uint8]
    action: int
    reward: float
    following: NDArray[np.uint8]
    value: float
    done: bool

    def vector(self) -> NDArray[np.float32]:
        """The numbers that similarity is measured on: both states in [0, 1], the action, the reward."""
        middle = np.array([self.action, self.reward], np.float32)
        parts = (self.state.ravel() / np.float32(255), middle, self.following.ravel() / np.float32(255))
        return np.concatenate(parts).astype(np.float32)

    def digest(self) -> bytes:
        """128 bits that stand for the transition's bytes; value and end left out."""
        hashed = hashlib.blake2b(digest_size=16)
        hashed.update(np.ascontiguousarray(self.state).data)
        hashed.update(np.array([self.action, self.reward], np.float64).tobytes())
        hashed.update(np.ascontiguousarray(self.following).data)
        return hashed.digest()


class Index(Protocol):
    """Finds the set that a transition belongs to."""

    def find(self, transition: Transition) -> int | None:
        """The number of the nearest set, if it is near enough."""

    def add(self, number: int, transition: Transition) -> None:
        """A new set, with its first member."""

    def remove(self, numbers: list[int]) -> None:
        """Sets that are gone."""


class HashIndex:
    """Equality of bytes: O(1) and exact."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._digests: dict[int, bytes] = {}

    def find(self, transition: Transition) -> int | None:
        """The set of transitions equal to this one."""
        return self._numbers.get(transition.digest())

    def add(self, number: int, transition: Transition) -> None:
        """A new set."""
        digest = transition.digest()
        self._numbers[digest] = number
        self._digests[number] = digest

    def remove(self, numbers: list[int]) -> None:
        """Sets that are gone."""
        for number in numbers:
            del self._numbers[self._digests.pop(number)]


class BruteForceIndex:
    """Distances to all vectors, one by one: the twin of `FaissIndex`."""

    def __init__(self, distance: float) -> None:
        self._distance = distance
        self._vectors: dict[int, NDArray[np.float32]] = {}

    def find(self, transition: Transition) -> int | None:
        """The nearest set within the distance."""
        if not self._vectors:
            return None
        vector = transition.vector()
        numbers = list(self._vectors)
        distances = [float(np.linalg.norm(vector - self._vectors[number])) for number in numbers]
        nearest = int(np.argmin(distances))
        return numbers[nearest] if distances[nearest] <= self._distance else None

    def add(self, number: int, transition: Transition) -> None:
        """A new set."""
        self._vectors[number] = transition.vector()

    def remove(self, numbers: list[int]) -> None:
        """Sets that are gone."""
        for number in numbers:
            del self._vectors[number]


class FaissIndex:
    """Exact search by faiss (`IndexFlatL2`).

    Raises:
        ImportError: faiss is missing.
    """

    def __init__(self, distance: float, length: int) -> None:
        try:
            faiss = importlib.import_module("faiss")
        except ImportError as problem:
            raise ImportError(
                f"similarity {distance} needs faiss; install with: pip install faiss-cpu, or use similarity=0"
            ) from problem
        self._distance = distance
        self._index: Any = faiss.IndexIDMap2(faiss.IndexFlatL2(length))

    def find(self, transition: Transition) -> int | None:
        """The nearest set within the distance."""
        if self._index.ntotal == 0:
            return None
        squares, numbers = self._index.search(transition.vector()[None], 1)
        near = float(squares[0, 0]) <= self._distance**2
        return int(numbers[0, 0]) if near else None

    def add(self, number: int, transition: Transition) -> None:
        """A new set."""
        self._index.add_with_ids(transition.vector()[None], np.array([number], np.int64))

    def remove(self, numbers: list[int]) -> None:
        """Sets that are gone."""
        self._index.remove_ids(np.array(numbers, np.int64))


@dataclass
class TransitionMemory:
    """TM: sets of similar transitions, the oldest sets first."""

    capacity: int
    index: Index
    sets: dict[int, list[Transition]] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)
    """How many sets of each size were taken so far."""
    _next: int = 0

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, transition: Transition) -> None:
        """Join the set of the nearest transition, or open a new one; the oldest goes at the limit."""
        number = self.index.find(transition)
        if number is not None:
            first = self.sets[number][0]
            if isinstance(self.index, HashIndex):  # equal states are stored once
                transition = Transition(
                    first.state,
                    transition.action,
                    transition.reward,
                    first.following,
                    transition.value,
                    transition.done,
                )
            self.sets[number].append(transition)
            return
        self.sets[self._next] = [transition]
        self.index.add(self._next, transition)
        self._next += 1
        if len(self.sets) > self.capacity:
            self.take(1)

    def restore(self, groups: list[list[Transition]]) -> None:
        """Hold exactly these sets."""
        for group in groups:
            self.sets[self._next] = group
            self.index.add(self._next, group[0])
            self._next += 1

    def take(self, count: int) -> list[list[Transition]]:
        """Remove the oldest sets and return them."""
        numbers = list(self.sets)[:count]
        self.index.remove(numbers)
        taken = [self.sets.pop(number) for number in numbers]
        self.sizes.update(map(len, taken))
        return taken

    def histogram(self) -> dict[int, int]:
        """Number of sets by their size, those that were taken included."""
        return dict(sorted((self.sizes + Counter(map(len, self.sets.values()))).items()))


class ReducedMemory:
    """RTM: one representative of each set, with the Q value that QT gives it."""

    def __init__(self, capacity: int) -> None:
        self.members: deque[Transition] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self.members)

    def sample(self, count: int, chance: np.random.Generator) -> list[Transition]:
        """Members drawn uniformly, with replacement."""
        return [self.members[int(index)] for index in chance.integers(len(self.members), size=count)]


def save(path: Path, groups: list[list[Transition]]) -> None:
    """Write groups of transitions into a file."""
    flat = [member for group in groups for member in group]
    blank: NDArray[np.uint8] = np.zeros(0, np.uint8)
    np.savez(
        path,
        sizes=np.array([len(group) for group in groups], np.int64),
        states=np.stack([member.state for member in flat]) if flat else blank,
        following=np.stack([member.following for member in flat]) if flat else blank,
        numbers=np.array([(m.action, m.reward, m.value, m.done) for m in flat], np.float64).reshape(-1, 4),
    )


def load(path: Path) -> list[list[Transition]]:
    """Read what `save` wrote.

    Raises:
        ValueError: the file is damaged.
    """
    data = _npz.read(path)
    try:
        states, following, numbers = data["states"], data["following"], data["numbers"]
        members = [
            Transition(state, int(action), float(reward), after, float(value), bool(done))
            for state, after, (action, reward, value, done) in zip(states, following, numbers, strict=False)
        ]
        ends = np.cumsum(data["sizes"], dtype=np.int64).tolist()
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"{path}: damaged: {problem!r}") from problem
    if [0, *ends] != sorted([0, *ends]) or [0, *ends][-1] != len(members):
        raise ValueError(f"{path}: damaged: groups that end at {ends} for {len(members)} transitions")
    return [members[first:last] for first, last in zip([0, *ends], ends, strict=False)]
