"""Checks of arguments: what came, what is accepted, and the nearest name."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

__all__ = [
    "did_you_mean",
    "integer",
    "known_keywords",
    "known_options",
    "memory",
    "one_of",
    "probability",
    "thread_offset",
]

P = ParamSpec("P")
R = TypeVar("R")

MACHINE_BYTES = 8 * 1024
"""What an environment takes at least beside its observations."""


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """A hint at the nearest name, or nothing.

    >>> did_you_mean("frame_skip", ["frameskip", "mode"])
    ' (did you mean "frameskip"?)'
    """
    plain = {_plain(name): name for name in names}
    close = difflib.get_close_matches(_plain(given), plain, n=1)
    return f' (did you mean "{plain[close[0]]}"?)' if close else ""


def known_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function name the nearest keyword when it gets one that it does not have."""
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    known = frozenset(names)

    @functools.wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if not known.issuperset(options):
            wrong = next(name for name in options if name not in known)
            raise TypeError(
                f"{function.__qualname__}() got an unexpected keyword argument '{wrong}'"
                f"{did_you_mean(wrong, names)}; accepted: {', '.join(names)}"
            )
        return function(*args, **options)

    return checked


def known_options(options: Mapping[str, Any] | None, names: Iterable[str] = ()) -> None:
    """Warn of options of a reset that have no effect; the reference ignores them."""
    if not options:
        return
    known = list(names)
    accepted = ", ".join(f'"{name}"' for name in known) or "none"
    for name in options:
        if name not in known:
            warnings.warn(
                f'reset does not know the option "{name}"{did_you_mean(str(name), known)} and ignores it; '
                f"accepted: {accepted}",
                UserWarning,
                stacklevel=3,
            )


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range.

    >>> integer("num_envs", "4", 1)
    Traceback (most recent call last):
    TypeError: num_envs is '4', a str; accepted: a whole number of 1 and more
    """
    accepted = f"{least} and more" if most is None else f"{least} to {most}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        kind = type(value).__name__
        raise TypeError(f"{name} is {value!r}, a {kind}; accepted: a whole number of {accepted}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} is {value}; accepted: {accepted}")
    return int(value)


def probability(name: str, value: Any) -> None:
    """Refuse numbers that are no probability; other types are for the caller to refuse."""
    if isinstance(value, (int, float, np.number)) and (math.isnan(value) or not 0 <= value <= 1):
        raise ValueError(f"{name} is {value}; accepted: a number from 0 to 1")


def one_of(name: str, value: Any, names: Iterable[str]) -> None:
    """A text that is one of several.

    >>> one_of("autoreset_mode", "next_step", ["NextStep", "SameStep"])
    Traceback (most recent call last):
    ValueError: Invalid autoreset_mode: next_step (did you mean "NextStep"?); accepted: NextStep, SameStep
    """
    known = list(names)
    if value not in known:
        raise ValueError(
            f"Invalid {name}: {value}{did_you_mean(str(value), known)}; accepted: {', '.join(known)}"
        )


def thread_offset(offset: int) -> None:
    """Warn of workers that would be bound to cores that the machine does not have."""
    cores = os.cpu_count() or 1
    if offset >= cores:
        warnings.warn(
            f"thread_affinity_offset is {offset}, but the machine has {cores} cores: threads are not bound; "
            f"accepted: 0 to {cores - 1}, or -1 for no binding",
            UserWarning,
            stacklevel=4,
        )


def memory(num_envs: int, observation_bytes: int) -> None:
    """Refuse more environments than the memory could hold, before a list of them is built."""
    least = num_envs * (MACHINE_BYTES + observation_bytes)
    available = _memory_bytes()
    if least > available:
        most = available // (MACHINE_BYTES + observation_bytes)
        raise MemoryError(
            f"{num_envs} environments need about {least / 1e9:.1f} GB; accepted: what fits into "
            f"{available / 1e9:.1f} GB of memory, {most} at most"
        )


def _memory_bytes() -> int:
    """The memory of the machine, or what the process may have of it."""
    try:
        total = int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        total = 1 << 40
    try:
        import resource
    except ImportError:
        return total
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return total if limit == resource.RLIM_INFINITY else min(total, limit)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")
