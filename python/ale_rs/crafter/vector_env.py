"""`CrafterVectorEnv`: many worlds, one call, no copies."""

from __future__ import annotations

import operator
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ale_rs import _arguments, _native, _png, _vector_arguments
from ale_rs._batch import BatchEnv
from ale_rs._gymnasium import AutoresetMode
from ale_rs._native import CrafterVectorEnv as NativeVectorEnv
from ale_rs._native import CrafterVectorSnapshot
from ale_rs.crafter import textures as _textures
from ale_rs.crafter.env import (
    ACTIONS,
    FRAMES_PER_SECOND,
    MAX_SEED,
    Pair,
    kinds,
    limit,
    pair,
    space_of,
)
from ale_rs.faces import xla

__all__ = ["CrafterVectorEnv", "CrafterVectorSnapshot"]

Info: TypeAlias = dict[str, Any]
Flags: TypeAlias = NDArray[np.bool_]
Step: TypeAlias = tuple[Any, NDArray[np.float64], Flags, Flags, Info]
Seeds: TypeAlias = "int | Sequence[int | None] | NDArray[np.integer[Any]] | None"

_LEAVE, _RESET, _SEED = range(3)


class CrafterVectorEnv(BatchEnv[Any, NDArray[np.float64], CrafterVectorSnapshot]):
    """Many Crafter worlds stepped by native threads in one call.

    >>> envs = CrafterVectorEnv(3)
    >>> observations, info = envs.reset(seed=0)
    >>> observations.shape, info["inventory"].shape
    ((3, 64, 64, 3), (3, 16))
    >>> observations, rewards, terminations, truncations, info = envs.step(envs.action_space.sample())
    >>> info["episode_length"]
    array([1, 1, 1])

    Sub-environment `i` is the `CrafterEnv` of its base seed: the same observations, rewards and ends,
    however many threads there are. Arrays are views of native memory, which is used again once all of
    them are gone.

    `info` has arrays with a row for each sub-environment: `inventory`, `achievements` and `unlocked` in the
    order of `ITEMS` and `ACHIEVEMENTS`, `player_pos`, `discount`, `reward`, `episode_return`,
    `episode_length`. When episodes end, `info["episodes"]` has their `env_id`, `length`, `reward` and
    `achievements`, a row for each that ended; `ale_rs.crafter.score` takes a list of them.

    Args:
        num_envs: number of worlds.
        seed: base seed `s`: the worlds have `s`, `s + 1`, ...; or a list of one for each. `None` takes them
            from entropy.
        area: columns and rows of a world.
        view: columns and rows of the view, those of the inventory included.
        size: width and height of a picture in pixels.
        reward: `False` returns 0.0; the rewards stay in `info`.
        length: steps after which an episode is truncated; `None` or 0 is never.
        textures: `"own"`, `"crafter"`, or a directory of PNG files.
        observation: `"pixels"`, `"semantic"`, `"symbolic"`, or several of them for a dictionary.
        noise: `"world"` or `"own"`, as for `CrafterEnv`.
        semantic: put the whole maps into `info`.
        batch_size: results per `recv`; 0 for `num_envs`. Fewer make the environment asynchronous.
        num_threads: threads that work, the calling one among them; 0 for as many as the machine runs at once.
        thread_affinity_offset: binds worker `i` to core `offset + i`; -1 for no binding.
        autoreset_mode: `NEXT_STEP`, `SAME_STEP` or `DISABLED`.
        first_env_index: where the worlds stand in a larger whole; added to integer seeds.
        shared_pool: use the threads that all such environments of the process share.
        render_mode: `None` or `"rgb_array"`.
    """

    _native: NativeVectorEnv
    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium declares it so)
        "render_modes": ["rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
    }

    @_arguments.known_keywords
    def __init__(
        self,
        num_envs: int,
        *,
        seed: Seeds = None,
        area: Pair = (64, 64),
        view: Pair = (9, 9),
        size: Pair = (64, 64),
        reward: bool = True,
        length: int | None = 10_000,
        textures: str | os.PathLike[str] = "own",
        observation: str | Sequence[str] = "pixels",
        noise: str = "world",
        semantic: bool = False,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        first_env_index: int = 0,
        shared_pool: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
    ) -> None:
        self._arguments = {
            name: value for name, value in locals().items() if name not in ("self", "__class__", "num_envs")
        }
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode={render_mode!r}; accepted: None, 'rgb_array'")
        num_envs = _arguments.integer("num_envs", num_envs, 1)
        for name, value in {"batch_size": batch_size, "first_env_index": first_env_index}.items():
            _arguments.integer(name, value, 0)
        _arguments.integer("num_threads", num_threads, 0)
        _arguments.thread_offset(thread_affinity_offset)
        if not isinstance(autoreset_mode, AutoresetMode):
            _arguments.one_of("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._kinds = kinds(observation)
        self._dictionary = not isinstance(observation, str)
        self.size = pair("size", size)
        self.num_envs = num_envs
        self.first_env_index = first_env_index
        pictures = _textures.load(textures)
        self._digest = _textures.digest(pictures)
        options: dict[str, Any] = {
            "area": pair("area", area),
            "view": pair("view", view),
            "size": self.size,
            "length": limit(length),
            "noise": noise,
        }
        spaces_of = _native.CrafterGame(0, pictures, **options)
        pixels = 3 * self.size[0] * self.size[1] if "pixels" in self._kinds else 0
        _arguments.memory(num_envs, pixels)
        all_of_them = np.ones(num_envs, np.bool_)
        if seed is None:
            seed = secrets.randbelow(MAX_SEED + 1)
        self._native = NativeVectorEnv(
            self._seeds(seed, all_of_them)[1].tolist(),
            pictures,
            **options,
            reward=bool(reward),
            observation=list(self._kinds),
            dictionary=self._dictionary,
            semantic=bool(semantic),
            batch_size=batch_size,
            num_threads=num_threads,
            thread_affinity_offset=thread_affinity_offset if thread_affinity_offset >= 0 else None,
            shared_pool=bool(shared_pool),
            autoreset_mode=self.autoreset_mode.value,
            first_env_index=min(first_env_index, MAX_SEED),
        )
        self.batch_size = self._native.batch_size
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        found: dict[str, spaces.Space[Any]] = {
            kind: space_of(kind, spaces_of, self.size) for kind in self._kinds
        }
        self.single_observation_space = spaces.Dict(found) if self._dictionary else found[self._kinds[0]]
        self.single_action_space = spaces.Discrete(len(ACTIONS))
        self.action_space = batch_space(self.single_action_space, self.batch_size)

    @property
    def num_threads(self) -> int:
        """Threads that work."""
        return self._native.num_threads

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the actions."""
        return ACTIONS

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start episodes.

        Args:
            seed: `None` starts the next episodes; an integer `s` starts the first ones of `s`, `s + 1`, ...;
                a list or an integer array has one seed for each that is reset (`None` does not seed).
            options: `{"reset_mask": mask}` resets only where the bool array `mask` is true.

        Returns:
            observations and `info`, which also has `textures`, the hash of the pictures.
        """
        self._check_open()
        _arguments.known_options(options, ("reset_mask",))
        observations, info = self._native.reset(*self._seeds(seed, self._mask(options)))
        return observations, {**info, "textures": self._digest}

    def step(self, actions: NDArray[Any]) -> Step:  # type: ignore[override]
        """One step of all worlds (of the last received batch in asynchronous mode)."""
        self._check_open()
        return self._native.step(_actions(actions, self.batch_size))

    def send(self, actions: NDArray[Any], env_ids: Sequence[int] | None = None) -> None:
        """Start a step without waiting for its results.

        Args:
            actions: row `i` is for the world of row `i` of the last received batch.
            env_ids: worlds that the rows are for instead.
        """
        self._check_open()
        ids = self._rows(env_ids)
        self._native.send(_actions(actions, self.batch_size if ids is None else len(ids)), ids)

    def async_reset(self, seed: Seeds = None) -> None:
        """Start episodes everywhere without waiting; the observations come with `recv`."""
        self._check_open()
        self._native.send_reset(*self._seeds(seed, self._mask(None)))

    def xla(self) -> tuple[Any, Callable[..., tuple[Any, Any]], Callable[..., tuple[Any, Any]]]:
        """A handle, a reset and a step for functions that jax compiles; see `AtariVectorEnv.xla`.

        Observations and info are those of the methods, without `episodes` and `textures`. Numbers of 64 bits
        have 32: rewards, `reward`, `discount` and `episode_return` are float32, `player_pos` and
        `episode_length` int32.

        Raises:
            gymnasium.error.DependencyNotInstalled: without jax.
        """
        self._check_open()
        return xla.functions(self, xla.discrete)

    def close_extras(self, **kwargs: Any) -> None:
        """End the handle that compiled programs have."""
        self._native.xla_close()

    def use_buffers(
        self,
        observations: NDArray[Any] | Mapping[str, NDArray[Any]] | None = None,
        rewards: NDArray[np.float64] | None = None,
        terminations: Flags | None = None,
        truncations: Flags | None = None,
    ) -> None:
        """Write results into these arrays from now on, instead of into memory of our own.

        Every call writes and returns them. Observations in a dictionary take a dictionary of arrays; what it
        leaves out stays in our memory.
        """
        if observations is None:
            given: Mapping[str, NDArray[Any]] = {}
        elif self._dictionary and isinstance(observations, Mapping):
            given = observations
        elif not self._dictionary and isinstance(observations, np.ndarray):
            given = {self._kinds[0]: observations}
        else:
            wanted = "a dictionary of arrays" if self._dictionary else "an array"
            raise TypeError(f"observations are of type {type(observations).__name__}; accepted: {wanted}")
        for name in given:
            _arguments.one_of("observation", name, self._kinds)
        buffers = [
            _as_bytes(kind, given[kind], self._space(kind), self.batch_size) if kind in given else None
            for kind in self._kinds
        ]
        self._native.use_buffers(buffers, rewards, terminations, truncations)

    def _parse(self, data: bytes) -> CrafterVectorSnapshot:
        return self._native.parse_snapshot(data)

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """All pictures as one, in rows; `None` without `render_mode`. Never changes the games."""
        if self.render_mode is None:
            return None
        columns = int(np.ceil(np.sqrt(self.num_envs)))
        return _png.tile([self.screen(index) for index in range(self.num_envs)], columns, gap=0)

    def screen(self, index: int) -> NDArray[np.uint8]:
        """The picture of one world: `(height, width, 3)`."""
        return self._native.screen(*_vector_arguments.numbers([index]))

    def __getstate__(self) -> dict[str, Any]:
        """The arguments and, after a reset, the state of every world."""
        return {
            "num_envs": self.num_envs,
            "arguments": self._arguments,
            "state": self._state(),
            "closed": self.closed,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["num_envs"], **state["arguments"])  # type: ignore[misc]
        self.closed = state["closed"]
        if state["state"] is not None:
            self._native.restore(self._native.parse_snapshot(state["state"]))

    def _space(self, kind: str) -> spaces.Space[Any]:
        space = self.single_observation_space
        return space[kind] if isinstance(space, spaces.Dict) else space

    def _mask(self, options: dict[str, Any] | None) -> Flags:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask)
            raise TypeError(f"`reset_mask` must be a boolean numpy array, got {kind}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"`reset_mask` must have shape ({self.num_envs},), got {mask.shape}")
        return mask

    def _seeds(self, seed: Seeds, mask: Flags) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """What the native side does with each world, and the hash of its base seed."""
        chosen = np.flatnonzero(mask)
        choices = np.full(self.num_envs, _LEAVE, np.uint8)
        hashes = np.zeros(self.num_envs, np.int64)
        choices[chosen] = _RESET
        if seed is None:
            return choices, hashes
        if isinstance(seed, (int, np.integer)) and not isinstance(seed, (bool, np.bool_)):
            first = int(seed) + self.first_env_index
            seeds: list[int | None] = list(range(first, first + len(chosen)))
        elif isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim == 1):
            seeds = [None if one is None else operator.index(one) for one in seed]
        else:
            raise TypeError(
                f"Unsupported seed type: {type(seed)}; accepted: None, int, a list or an array of ints"
            )
        if len(seeds) != len(chosen):
            raise ValueError(
                f"`seed` must have one entry per world being reset: {len(chosen)}, got {len(seeds)}"
            )
        for index, one in zip(chosen, seeds, strict=True):
            if one is not None:
                choices[index], hashes[index] = _SEED, hash(one)
        return choices, hashes


def _actions(actions: Any, rows: int) -> NDArray[np.int64]:
    array = np.asarray(actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions have the dtype {array.dtype}; accepted: integers")
    if array.shape != (rows,):
        raise ValueError(f"actions have the shape {array.shape}; accepted: ({rows},)")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise IndexError(f"the action {array.max()} does not exist; accepted: 0 to {len(ACTIONS) - 1}")
    return np.ascontiguousarray(array, np.int64)


def _as_bytes(name: str, array: NDArray[Any], space: spaces.Space[Any], rows: int) -> NDArray[np.uint8]:
    """The caller's array as the native side writes it: numbers of 32 bits are four bytes each."""
    shape = (rows, *(space.shape or ()))
    if (
        not isinstance(array, np.ndarray)
        or array.dtype != space.dtype
        or array.shape != shape
        or not (array.flags.c_contiguous and array.flags.writeable)
    ):
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(
            f"the buffer for {name} is {found}; accepted: {space.dtype} {shape}, C-contiguous and writeable"
        )
    return array.view(np.uint8)
