"""`AtariVectorEnv`: many games, one call, no copies."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import error, spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ale_rs import _arguments, _pickles, _png, _vector_arguments, registration
from ale_rs._batch import BatchEnv
from ale_rs._gymnasium import AutoresetMode, require_vector
from ale_rs._native import VectorEnv as NativeVectorEnv
from ale_rs._native import VectorSnapshot
from ale_rs._vector_arguments import Game
from ale_rs.enums import Action
from ale_rs.faces import xla
from ale_rs.vector_interface import ALEVectorInterface

__all__ = ["ALEVectorInterface", "AtariVectorEnv", "VectorSnapshot"]

Observations: TypeAlias = NDArray[np.uint8]
Info: TypeAlias = dict[str, Any]
Seed: TypeAlias = "int | np.integer[Any] | Sequence[int] | NDArray[np.integer[Any]] | None"
Step: TypeAlias = tuple[Observations, NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_], Info]

LARGEST = 4096
"""The most rows, columns and frames of an observation."""


class AtariVectorEnv(BatchEnv[Observations, NDArray[np.int32], VectorSnapshot]):
    """Many Atari 2600 games stepped by native threads in one call.

    >>> envs = AtariVectorEnv("pong", num_envs=3)
    >>> observations, info = envs.reset(seed=0)
    >>> observations.shape, observations.dtype
    ((3, 4, 84, 84), dtype('uint8'))
    >>> observations, rewards, terminations, truncations, info = envs.step(envs.action_space.sample())
    >>> info["env_id"]
    array([0, 1, 2], dtype=int32)

    The arguments up to `use_fire_reset` are those of `ale_py.AtariVectorEnv`, and with them both give the
    same bytes. Arrays are views of native memory, which is used again once all of them are gone.

    Args:
        game: id of a game such as `"pong"` or the path of a ROM; or one of them for each sub-environment.
        num_envs: number of sub-environments; not needed with a list of games.
        batch_size: results per `recv`; 0 for `num_envs`. Fewer make the environment asynchronous.
        num_threads: threads that work, mostly with the calling one among them; 0 for as many as the machine
            runs at once.
        thread_affinity_offset: binds worker `i` to core `offset + i`; -1 for no binding.
        max_num_frames_per_episode: frames of steps after which an episode is truncated.
        repeat_action_probability: probability that a frame repeats the action before (sticky actions).
        full_action_space: all legal actions instead of those that make a difference. Games with different
            minimal sets in one batch have the full one anyway.
        continuous: actions are (radius, angle, fire).
        continuous_action_threshold: how far a continuous action must go to count as a direction.
        autoreset_mode: `NEXT_STEP`, `SAME_STEP` or `DISABLED`.
        img_height: rows of an observed frame.
        img_width: columns of an observed frame.
        grayscale: one byte a pixel instead of three.
        stack_num: frames in an observation.
        frameskip: frames per step.
        maxpool: observe the maximum of the last two frames of a step.
        noop_max: a reset waits for 0 to `noop_max - 1` frames.
        episodic_life: the loss of a life ends the episode.
        life_loss_info: the loss of a life is reported as the end, but play goes on.
        reward_clipping: rewards are -1, 0 or 1.
        use_fire_reset: a reset presses FIRE where the game knows it.
        mode: a mode of the game, or one for each sub-environment.
        difficulty: a difficulty of the game, or one for each sub-environment.
        obs_type: `"frames"` as above; `"rgb"`, `"grayscale"` for the screen as it is (padded by black rows to
            the tallest of the batch), `"indices"` for its palette indices, as `features.batch` takes them, or
            `"ram"`.
        extra_info: further keys of `info`: `"raw_reward"`, `"episode_return"`, `"episode_length"`,
            `"executed_action"`, `"game_over"`, `"ram"`, `"sound"`.
        first_env_index: where the sub-environments stand in a larger whole: added to integer seeds, and
            `info["env_id"]` and `env_ids` count from it.
        shared_pool: use the threads that all such environments of the process share.
        continue_lives: with `episodic_life`, the next episode goes on with the next life.
        pad_stack: a reset fills the stack with copies of the first frame instead of zeros.
        render_mode: `None` or `"rgb_array"`.
        corrected: play by the corrected rules of `docs/corrections.md` where there are some.
        jit: compile the cartridges' programs to machine code, unless `ALE_RS_JIT=0`; results are the same.
    """

    _native: NativeVectorEnv
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    _any_gymnasium = False
    """Whether gymnasium before 1.1 does, which has no such vector environments."""
    _more_options: Mapping[str, Any] = {}
    """Options of the native side that only faces of other libraries have."""

    @_arguments.known_keywords
    def __init__(
        self,
        game: Game | Sequence[Game],
        num_envs: int | None = None,
        *,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        max_num_frames_per_episode: int = 108_000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        stack_num: int = 4,
        frameskip: int = 4,
        maxpool: bool = True,
        noop_max: int = 30,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        use_fire_reset: bool = True,
        mode: int | Sequence[int | None] | None = None,
        difficulty: int | Sequence[int | None] | None = None,
        obs_type: Literal["frames", "rgb", "grayscale", "indices", "ram"] = "frames",
        extra_info: Sequence[str] = (),
        first_env_index: int = 0,
        shared_pool: bool = False,
        continue_lives: bool = False,
        pad_stack: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
        corrected: bool = False,
        jit: bool = True,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        self._arguments = arguments
        if not self._any_gymnasium:
            require_vector(type(self).__name__)
        registration.warn_if_taken()
        if type(frameskip) is not int:
            raise error.Error(f"Invalid frameskip type: {type(frameskip)}, expected type `int`.")
        if frameskip <= 0:
            raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")
        if render_mode not in (None, "rgb_array"):
            raise error.Error(f"Render mode {render_mode} not supported (rgb_array).")
        sizes = {"img_height": img_height, "img_width": img_width, "stack_num": stack_num}
        for name, value in sizes.items():
            _arguments.integer(name, value, 1, LARGEST)
        _arguments.integer("batch_size", batch_size, 0)
        _arguments.integer("first_env_index", first_env_index, 0, 2**31 - 1)
        _arguments.probability("repeat_action_probability", repeat_action_probability)
        if noop_max < 0:
            warnings.warn(f"noop_max is {noop_max} and means 0; accepted: 0 and more", stacklevel=3)
        _arguments.thread_offset(thread_affinity_offset)
        if not isinstance(autoreset_mode, AutoresetMode):
            _arguments.one_of("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
        _vector_arguments.check_extra_info(extra_info)
        pixels = img_height * img_width * stack_num * (1 if grayscale else 3)
        games = _vector_arguments.games(game, num_envs, pixels if obs_type == "frames" else 0)
        modes, difficulties = (
            _vector_arguments.each("mode", mode, len(games)),
            _vector_arguments.each("difficulty", difficulty, len(games)),
        )
        images = {name: _vector_arguments.load(name) for name in dict.fromkeys(games)}
        specs = [
            (images[name].data, images[name].name, chosen_mode, chosen_difficulty)
            for name, chosen_mode, chosen_difficulty in zip(games, modes, difficulties, strict=True)
        ]
        mode_name = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        changed = {
            "full_action_space": full_action_space or continuous,
            "autoreset_mode": mode_name,
            "entropy": secrets.randbits(64),
        }
        native = NativeVectorEnv(specs, {**arguments, **changed, **self._more_options})
        self._native = native
        self.games = tuple(images[name].name for name in games)
        self.ale = ALEVectorInterface._around(native)
        self.num_envs = native.num_envs
        self.batch_size = native.batch_size
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.grayscale = grayscale
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self.first_env_index = self._first_id = first_env_index
        self.is_xla_registered = False
        self.map_action_idx = _vector_arguments.action_map()

        self.single_observation_space = spaces.Box(0, 255, native.obs_shape, np.uint8)
        self.single_action_space = (
            spaces.Box(
                np.array([0, -np.pi, 0], np.float32), np.array([1, np.pi, 1], np.float32), dtype=np.float32
            )
            if continuous
            else spaces.Discrete(len(native.action_set))
        )
        self.action_space = batch_space(self.single_action_space, self.batch_size)

    def reset(self, *, seed: Seed = None, options: dict[str, Any] | None = None) -> tuple[Observations, Info]:
        """Start new episodes.

        Args:
            seed: `None` goes on with the generators; an integer `s` gives `s`, `s + 1`, ... to the
                sub-environments; a list or an array has one seed each. Negative seeds do not seed.
            options: `{"reset_mask": mask}` resets only where the bool array `mask` is true.
        """
        self._check_open()
        _arguments.known_options(options, ("reset_mask",))
        return self._native.reset(self._seeds(seed, (options or {}).get("reset_mask")))

    def step(self, actions: NDArray[Any]) -> Step:  # type: ignore[override]
        """One step of all sub-environments (of the last received batch in asynchronous mode)."""
        self._check_open()
        if self.continuous:
            return self._native.step(*self._continuous(actions), by_number=True)
        return self._native.step(self._discrete(actions, self.batch_size))

    def send(self, actions: NDArray[Any], env_ids: Sequence[int] | None = None) -> None:
        """Start a step without waiting for its results.

        Args:
            actions: row `i` is for the sub-environment of row `i` of the last received batch.
            env_ids: sub-environments that the rows are for instead.
        """
        self._check_open()
        ids = self._rows(env_ids)
        rows = self.batch_size if ids is None else len(ids)
        if self.continuous:
            self._native.send(*self._continuous(actions, rows), ids, by_number=True)
        else:
            self._native.send(self._discrete(actions, rows), None, ids)

    def async_reset(self, seed: Seed = None) -> None:
        """Start new episodes everywhere without waiting; the observations come with `recv`."""
        self._check_open()
        self._native.send_reset(self._seeds(seed, None))

    def xla(self) -> tuple[Any, Callable[..., tuple[Any, Any]], Callable[..., tuple[Any, Any]]]:
        """A handle, a reset and a step for functions that jax compiles.

        `handle, (observations, info) = reset(handle, seed=None, reset_mask=None)` and
        `handle, (observations, rewards, terminations, truncations, info) = step(handle, actions)` do what the
        methods of these names do, in `jit`, `lax.scan` and `while_loop`, too. On a CPU the workers write
        into the memory of the compiled program. Info has `env_id`, `lives`, `frame_number` and
        `episode_frame_number`; with SAME_STEP also `final_obs`, `final_info` and their masks, zeros where no
        episode ended.

        **Order comes from the handle**: pass the one that a call returns to the next call. The functions keep
        the environment alive; after `close()` they raise.

        Raises:
            gymnasium.error.DependencyNotInstalled: without jax.
        """
        self._check_open()
        functions = xla.functions(self, xla.continuous if self.continuous else xla.discrete)
        self.is_xla_registered = True
        return functions

    def close_extras(self, **kwargs: Any) -> None:
        """End the handle that compiled programs have."""
        self._native.xla_close()

    def use_buffers(
        self,
        observations: NDArray[np.uint8] | None = None,
        rewards: NDArray[np.int32] | None = None,
        terminations: NDArray[np.bool_] | None = None,
        truncations: NDArray[np.bool_] | None = None,
    ) -> None:
        """Write results into these arrays from now on, instead of into memory of our own.

        Every call writes and returns them. They may share the memory of pinned tensors.
        """
        self._native.use_buffers(observations, rewards, terminations, truncations)

    def _parse(self, data: bytes) -> VectorSnapshot:
        return VectorSnapshot.from_bytes(data)

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments and, after a reset, the state of every sub-environment, under one checksum."""
        kept = {"arguments": self._arguments, "state": self._state(), "closed": self.closed}
        return _pickles.reduced(self, {**kept, "action_space": _pickles.seeded(self.action_space)})

    def __setstate__(self, state: dict[str, Any]) -> None:
        arguments = dict(state["arguments"])
        self.__init__(arguments.pop("game"), **arguments)  # type: ignore[misc]
        self.closed, self.action_space = state["closed"], state["action_space"]
        if state["state"] is not None:
            self._native.restore(VectorSnapshot.from_bytes(state["state"]))

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """The screens, one for each sub-environment; `None` without `render_mode`."""
        if self.render_mode is None:
            return None
        return tuple(self.screen(index) for index in range(self.num_envs))

    def render_tiled(self, names: bool = False) -> NDArray[np.uint8]:
        """All screens as one picture, in rows; with the names of the games if asked for."""
        columns = int(np.ceil(np.sqrt(self.num_envs)))
        titles = [game.replace("_", " ") for game in self.games] if names else None
        return _png.tile([self.screen(index) for index in range(self.num_envs)], columns, 0, titles)

    def get_action_meanings(self) -> list[str]:
        """The names of the actions of `step`.

        >>> AtariVectorEnv("pong", 2).get_action_meanings()
        ['NOOP', 'FIRE', 'RIGHT', 'LEFT', 'RIGHTFIRE', 'LEFTFIRE']
        """
        return [Action(number).name for number in self._native.action_set]

    def __len__(self) -> int:
        return self.num_envs

    def screen(self, index: int) -> NDArray[np.uint8]:
        """The screen of one sub-environment: `(height, 160, 3)`."""
        height, data = self._native.screen(index)
        return np.frombuffer(data, np.uint8).reshape(height, -1, 3)

    def _seeds(self, seed: Any, mask: Any) -> NDArray[np.int64]:
        return _vector_arguments.seeds(seed, mask, self.num_envs, self.first_env_index)

    def _discrete(self, actions: NDArray[Any], rows: int) -> NDArray[np.int64]:
        assert isinstance(actions, np.ndarray), f"actions are {type(actions)}; accepted: a numpy array"
        assert actions.dtype in (np.int64, np.int32), (
            f"actions have the dtype {actions.dtype}; accepted: int64 or int32"
        )
        assert actions.shape == (rows,), f"actions have the shape {actions.shape}; accepted: ({rows},)"
        return actions.astype(np.int64, copy=False)

    def _continuous(
        self, actions: NDArray[Any], rows: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        rows = self.batch_size if rows is None else rows
        assert isinstance(actions, np.ndarray), f"actions are {type(actions)}; accepted: a numpy array"
        assert actions.dtype == np.float32, f"actions have the dtype {actions.dtype}; accepted: float32"
        assert actions.shape == (rows, 3), f"actions have the shape {actions.shape}; accepted: ({rows}, 3)"
        if not np.isfinite(actions).all():
            row = int(np.argmin(np.isfinite(actions).all(axis=1)))
            raise ValueError(f"the action of row {row} is {actions[row]}; accepted: finite numbers")
        radius, angle, fire = actions.T
        threshold = self.continuous_action_threshold
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        horizontal = 1 + (x > threshold).astype(int) - (x < -threshold)
        vertical = 1 + (y > threshold).astype(int) - (y < -threshold)
        numbers = self.map_action_idx[horizontal, vertical, (fire > threshold).astype(int)]
        return numbers.astype(np.int64), np.ascontiguousarray(radius)
