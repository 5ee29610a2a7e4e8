"""Pickles under one checksum: a changed byte is refused before anything is built."""

from __future__ import annotations

import pickle
from typing import Any, TypeVar

from gymnasium.spaces import Space

from ale_rs import _native

__all__ = ["rebuilt", "reduced", "seeded"]

T = TypeVar("T")
S = TypeVar("S", bound="Space[Any]")


def seeded(space: S) -> S:
    """The space with its generator, which gymnasium makes only when it is first used."""
    _ = space.np_random
    return space


def reduced(thing: Any, state: dict[str, Any]) -> tuple[Any, ...]:
    """What `__reduce__` returns for an object that `__setstate__` builds from `state`."""
    name = f"{type(thing).__module__}.{type(thing).__qualname__}"
    content = pickle.dumps((name, state), protocol=5)
    return rebuilt, (type(thing), _native.seal(content))


def rebuilt(kind: type[T], data: bytes) -> T:
    """The object that `reduced` took apart.

    Raises:
        ValueError: the bytes are damaged, cut off, of another version, or those of another class.
    """
    name, state = pickle.loads(_native.unseal(data))
    if name != f"{kind.__module__}.{kind.__qualname__}":
        raise ValueError(f"the pickle is that of a {name}; expected: {kind.__module__}.{kind.__qualname__}")
    thing = object.__new__(kind)
    thing.__setstate__(state)  # type: ignore[attr-defined]
    return thing
