"""Checks of the arguments of `AtariVectorEnv`: games, numbers, seeds, masks, ids of sub-environments."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ale_rs import _arguments, _images, _native, roms
from ale_rs.registration import SEVERAL_PLAYERS

__all__ = ["action_map", "check_extra_info", "each", "games", "load", "numbers", "seeds"]

Game: TypeAlias = str | os.PathLike[str]

_INT32 = np.iinfo(np.int32)
_LEAVE, _RESET = -2, -1


def seeds(seed: Any, mask: Any, num_envs: int, first: int) -> NDArray[np.int64]:
    """One number for each sub-environment, as the native side wants it.

    Args:
        seed: `None`, an integer for the sub-environment `0`, or one seed for each that is reset.
        mask: which ones are reset; `None` for all.
        num_envs: number of sub-environments.
        first: added to an integer seed.
    """
    chosen = np.ones(num_envs, np.bool_) if mask is None else _mask(mask, num_envs)
    count = int(chosen.sum())
    if isinstance(seed, list | tuple):
        seed = np.array(seed, None if seed else np.int64)
    if seed is None:
        wanted = np.full(count, _RESET, np.int64)
    elif isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        # A huge seed stays exact; no seed at all has no type of its own.
        wanted = np.array([int(seed) + first + index for index in range(count)], None if count else np.int64)
    elif isinstance(seed, np.ndarray) and seed.ndim > 0:
        wanted = seed
    else:
        raise TypeError(
            f"Unsupported seed type: {type(seed)}; accepted: None, int, a list or an array of integers"
        )
    if wanted.dtype.kind not in "iuO":
        raise TypeError(f"seeds have the dtype {wanted.dtype}; accepted: integers")
    if wanted.shape != (count,):
        raise ValueError(
            "`seed` must have one entry per sub-environment being reset, "
            f"expected shape ({count},), got {wanted.shape}"
        )
    if count and not (_INT32.min <= wanted.min() and wanted.max() <= _INT32.max):
        raise TypeError(f"seeds reach from {wanted.min()} to {wanted.max()}; accepted: 32-bit integers")
    result = np.full(num_envs, _LEAVE, np.int64)
    result[chosen] = np.maximum(wanted.astype(np.int64), _RESET)
    return result


def _mask(mask: Any, num_envs: int) -> NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask)
        raise TypeError(f"`reset_mask` must be a boolean numpy array, got {kind}")
    if mask.shape != (num_envs,):
        raise ValueError(f"`reset_mask` must have shape ({num_envs},), got {mask.shape}")
    return mask


def check_extra_info(extra_info: Any) -> None:
    """Names of further keys of `info`, in a list."""
    if isinstance(extra_info, str):
        raise TypeError(f'extra_info is the text "{extra_info}"; accepted: a list such as ["{extra_info}"]')
    for name in extra_info:
        _arguments.one_of("extra_info", name, _native.EXTRA_INFO)


def games(game: Game | Sequence[Game], num_envs: int | None, observation_bytes: int) -> list[Game]:
    """The game of each sub-environment."""
    if isinstance(game, str | os.PathLike):
        if num_envs is None:
            raise TypeError("num_envs is missing; it is needed unless `game` is a list")
        num_envs = _arguments.integer("num_envs", num_envs, 1)
        _arguments.memory(num_envs, observation_bytes)
        return [game] * num_envs
    listed = list(game)
    _arguments.integer("num_envs", len(listed), 1)
    if num_envs is not None and num_envs != len(listed):
        raise ValueError(
            f"num_envs is {num_envs} and `game` lists {len(listed)}; accepted: as many, or no num_envs"
        )
    return listed


def numbers(ids: Sequence[int], first: int = 0) -> list[int]:
    """Rows of sub-environments that are counted from `first`."""
    rows = [int(index) - first for index in ids]
    if rows and min(rows) < 0:
        raise IndexError(f"there is no sub-environment {min(rows) + first}; they are counted from {first}")
    return rows


def each(name: str, value: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """One number of 32 bits for each sub-environment."""
    values = [value] * count if value is None or isinstance(value, int) else list(value)
    if len(values) != count:
        raise ValueError(
            f"{name} lists {len(values)} for {count} sub-environments; accepted: as many, or one"
        )
    for one in set(values) - {None, False, True}:
        _arguments.integer(name, one, 0, 2**32 - 1)
    return values


def load(game: Game) -> roms.Rom:
    """The image of a game that one player can play."""
    if isinstance(game, str) and game in SEVERAL_PLAYERS:
        raise ValueError(f'"{game}" is a game for several players; AtariVectorEnv plays alone')
    try:
        return roms.load(game)
    except (roms.RomNotFoundError, _images.ImageError):
        raise
    except ValueError as problem:
        if isinstance(game, str) and game not in roms.get_all_rom_ids():
            warnings.warn(f"Rom {game} not supported.", UserWarning, stacklevel=4)
            hint = "ids are written in snake_case, such as `space_invaders`"
            raise AssertionError(f"{problem}; {hint}") from None
        raise


def action_map() -> NDArray[np.int32]:
    """The number of the action for [horizontal + 1, vertical + 1, fire]."""
    idle = [[9, 4, 7], [5, 0, 2], [8, 3, 6]]
    fire = [[17, 12, 15], [13, 1, 10], [16, 11, 14]]
    return np.stack([np.array(idle, np.int32), np.array(fire, np.int32)], axis=-1)
