"""`AtariEnv`: one game as a gymnasium environment."""

import functools
import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

import gymnasium
import numpy as np
from gymnasium import error, spaces
from numpy.typing import NDArray

from ale_rs import _arguments, _images, _pickles, registration, roms
from ale_rs._native import ALEInterface, ALEState, Snapshot
from ale_rs.enums import Action, LoggerMode

__all__ = ["AtariEnv", "AtariEnvStepMetadata"]

Observation: TypeAlias = NDArray[np.uint8] | dict[str, NDArray[np.uint8]]


class _Always(TypedDict):
    lives: int
    episode_frame_number: int
    frame_number: int


class AtariEnvStepMetadata(_Always, total=False):
    """The `info` of `AtariEnv`.

    Attributes:
        lives: lives left.
        episode_frame_number: frames since the last reset.
        frame_number: frames since the last seeded reset.
        seeds: after a seeded reset, the seeds of numpy's and of the machine's generator.
        executed_action: the number of the `Action` that the last frame executed, if asked for.
    """

    seeds: tuple[int, int]
    executed_action: int


class AtariEnv(gymnasium.Env[Observation, Any]):
    """An Atari 2600 game.

    >>> env = AtariEnv("pong", obs_type="ram")
    >>> observation, info = env.reset(seed=0)
    >>> observation.shape, info["lives"]
    ((128,), 0)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> info["frame_number"]
    4

    The arguments up to `sound_obs` are those of `ale_py.AtariEnv`, and with them both environments give the
    same numbers. The others are further ways to make a game stochastic (Machado et al. 2018, section 5.3),
    more of what happened, and rules without known mistakes:

    Args:
        game: id of a game such as `"pong"`, or the path of a ROM file.
        mode: a mode of the game; by default its first.
        difficulty: a difficulty of the game; by default 0.
        obs_type: `"rgb"`, `"grayscale"` or `"ram"`.
        frameskip: frames per step, or `(low, high)` for a number drawn from `low` to `high - 1`.
        repeat_action_probability: probability that a frame repeats the action before (sticky actions).
        full_action_space: all legal actions instead of those that make a difference.
        continuous: actions are (radius, angle, fire).
        continuous_action_threshold: how far a continuous action must go to count as a direction.
        max_num_frames_per_episode: frames after which an episode is truncated.
        render_mode: `"human"`, `"rgb_array"` or `"rgb_array_list"`.
        sound_obs: observations are `{"image": ..., "sound": ...}`.
        noop_max: each episode begins with a number of no-op frames drawn from 0 to this.
        action_noise: probability that a step takes a random action instead of the agent's.
        start_states: snapshots that episodes begin with, one drawn each time; `ale_rs.recording.start_states`
            takes them from an action log of `ale-rs play`.
        executed_action_info: `info["executed_action"]` says what the last frame of a step executed.
        corrected: play by the corrected rules of `docs/corrections.md` where there are some.
        jit: compile the cartridge's program to machine code, unless `ALE_RS_JIT=0`; the results are the same.
    """

    metadata = {  # noqa: RUF012  # as in gymnasium
        "render_modes": ["human", "rgb_array", "rgb_array_list"],
        "render_fps": 30,
    }

    @_arguments.known_keywords
    def __init__(
        self,
        game: str,
        mode: int | None = None,
        difficulty: int | None = None,
        obs_type: Literal["rgb", "grayscale", "ram"] = "rgb",
        frameskip: tuple[int, int] | int = 4,
        repeat_action_probability: float = 0.25,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        max_num_frames_per_episode: int | None = None,
        render_mode: Literal["human", "rgb_array", "rgb_array_list"] | None = None,
        sound_obs: bool = False,
        *,
        noop_max: int = 0,
        action_noise: float = 0.0,
        start_states: Sequence[Snapshot] | None = None,
        executed_action_info: bool = False,
        corrected: bool = False,
        jit: bool = True,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        _check(obs_type, frameskip, render_mode)
        _check_noise(noop_max, action_noise)
        _arguments.probability("repeat_action_probability", repeat_action_probability)
        registration.warn_if_taken()
        self._arguments = arguments

        self.ale = ALEInterface()
        ALEInterface.setLoggerMode(LoggerMode.Error)
        self._game = game
        self._game_mode = mode
        self._game_difficulty = difficulty
        self._frameskip = frameskip
        self._obs_type = obs_type
        self.render_mode = render_mode
        self.sound_obs = sound_obs
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self._noop_max = noop_max
        self._action_noise = action_noise
        self._executed_action_info = executed_action_info
        self._frames: list[NDArray[np.uint8]] = []
        self.closed = False

        self.ale.setFloat("repeat_action_probability", repeat_action_probability)
        if max_num_frames_per_episode is not None:
            self.ale.setInt("max_num_frames_per_episode", max_num_frames_per_episode)
        if render_mode == "human":
            self.ale.setBool("display_screen", True)
            self.ale.setBool("sound", True)
        self.ale.setBool("sound_obs", sound_obs)
        self.ale.setBool("corrected", corrected)
        self.ale.setBool("jit", jit)
        self.seed_game()
        self.load_game()
        self._start_states = _snapshots(start_states)
        self._set_spaces(full_action_space)

    def _set_spaces(self, full_action_space: bool) -> None:
        full = full_action_space or self.continuous
        self._action_set = self.ale.getLegalActionSet() if full else self.ale.getMinimalActionSet()
        self.action_space = (
            spaces.Box(
                np.array([0, -np.pi, 0], np.float32),
                np.array([1, np.pi, 1], np.float32),
                dtype=np.float32,
                shape=(3,),
            )
            if self.continuous
            else spaces.Discrete(len(self._action_set))
        )
        height, width = self.ale.getScreenDims()
        shape = {"rgb": (height, width, 3), "grayscale": (height, width), "ram": (self.ale.getRAMSize(),)}
        image = spaces.Box(0, 255, shape[self._obs_type], np.uint8)
        sound = spaces.Box(0, 255, (self.ale.getAudioSize(),), np.uint8)
        space: spaces.Space[Any] = spaces.Dict(image=image, sound=sound) if self.sound_obs else image
        self.observation_space = space

    def seed_game(self, seed: int | None = None) -> tuple[np.uint32, np.uint32]:
        """Seed numpy's generator and choose the seed of the next `load_game`.

        Returns:
            both seeds.
        """
        np_seed, ale_seed = np.random.SeedSequence(seed).generate_state(2)
        self._np_random, _ = gymnasium.utils.seeding.np_random(int(np_seed))
        self.ale.setInt("random_seed", int(ale_seed.astype(np.int32)))
        return np_seed, ale_seed

    def load_game(self) -> None:
        """Load the ROM with the chosen seed, mode and difficulty."""
        self.ale.loadROM(_rom_path(self._game))
        if self._game_mode is not None:
            self.ale.setMode(self._game_mode)
        if self._game_difficulty is not None:
            self.ale.setDifficulty(self._game_difficulty)

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, AtariEnvStepMetadata]:
        """Start an episode; with a seed, everything begins anew. `options` is not used."""
        _arguments.known_options(options)
        super().reset(seed=seed, options=options)
        seeds = None
        if seed is not None:
            seeds = self.seed_game(seed)
            self.load_game()
        self.ale.reset_game()
        self._randomize_start()
        self._frames.clear()
        observation, info = self._observation(), self._info()
        if seeds is not None:
            info["seeds"] = seeds  # type: ignore[typeddict-item]
        return observation, info

    def _randomize_start(self) -> None:
        if self._start_states:
            chosen = self._start_states[self.np_random.integers(len(self._start_states))]
            self.ale.restore(chosen, include_rng=False)
        if self._noop_max:
            for _ in range(self.np_random.integers(self._noop_max + 1)):
                self.ale.act(Action.NOOP)
                if self.ale.game_over():
                    self.ale.reset_game()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, AtariEnvStepMetadata]:  # type: ignore[override]
        """Take an action for `frameskip` frames."""
        skip = self._frameskip
        count = skip if isinstance(skip, int) else int(self.np_random.integers(*skip))
        if self._action_noise and self.np_random.random() < self._action_noise:
            action = self._random_action()
        if self.continuous:
            move, strength = self._continuous_action(action)
        else:
            try:
                move, strength = self._action_set[action], 1.0
            except (IndexError, TypeError) as problem:
                raise self._no_action(action, problem) from None
            if action < 0:
                self._warn_of_negative(action)
        reward = float(self.ale.act_many(move, count, strength))
        terminated = self.ale.game_over(with_truncation=False)
        return self._observation(), reward, terminated, self.ale.game_truncated(), self._info()

    def _random_action(self) -> Any:
        if isinstance(self.action_space, spaces.Box):
            low, high = self.action_space.low, self.action_space.high
            return self.np_random.uniform(low, high).astype(np.float32)
        return self.np_random.integers(len(self._action_set))

    def _no_action(self, action: Any, problem: Exception) -> Exception:
        meanings = ", ".join(f"{index} {name}" for index, name in enumerate(self.get_action_meanings()))
        return type(problem)(f"the action is {action!r}; accepted: {meanings}")

    def _warn_of_negative(self, action: Any) -> None:
        last = len(self._action_set) - 1
        warnings.warn(
            f"the action is {action} and counts from the end, as in ale_py; accepted: 0 to {last}",
            UserWarning,
            stacklevel=3,
        )

    def _continuous_action(self, action: Any) -> tuple[Action, float]:
        assert isinstance(action, np.ndarray)
        assert action.dtype == np.float32
        assert action.shape == (3,)
        radius, angle, fire = action
        threshold = self.continuous_action_threshold
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        horizontal = int(x > threshold) - int(x < -threshold)
        vertical = int(y > threshold) - int(y < -threshold)
        return self.map_action_idx(horizontal, vertical, bool(fire > threshold)), float(radius)

    @staticmethod
    @functools.lru_cache(18)
    def map_action_idx(left_center_right: int, down_center_up: int, fire: bool) -> Action:
        """The action of a direction: each of the first two is -1, 0 or 1.

        >>> AtariEnv.map_action_idx(1, -1, False)
        Action.DOWNRIGHT
        """
        try:
            vertical = {-1: "DOWN", 0: "", 1: "UP"}[down_center_up]
            horizontal = {-1: "LEFT", 0: "", 1: "RIGHT"}[left_center_right]
            trigger = {False: "", True: "FIRE"}[fire]
        except (KeyError, TypeError):
            raise LookupError(
                "Unexpected action mapping, expected `left_center_right` and `down_center_up` to be in "
                "{-1, 0, 1} and `fire` to only be `True` or `False`. "
                f"Received {left_center_right=}, {down_center_up=} and {fire=}."
            ) from None
        return Action[vertical + horizontal + trigger or "NOOP"]

    def render(self) -> Any:
        """The screen for `"rgb_array"`, the screens since the last call for `"rgb_array_list"`."""
        match self.render_mode:
            case "rgb_array":
                return self.ale.getScreenRGB()
            case "rgb_array_list":
                frames, self._frames = self._frames, []
                return frames
            case "human":
                return None  # the acts drive the window
            case mode:
                known = ", ".join(f"`{name}`" for name in self.metadata["render_modes"])
                raise error.Error(f"Invalid render mode `{mode}`. Supported modes: {known}.")

    def close(self) -> None:
        """Close the window, if there is one."""
        self.closed = True
        self.ale.close()

    def _observation(self) -> Observation:
        image: NDArray[np.uint8]
        match self._obs_type:
            case "rgb":
                image = self.ale.getScreenRGB()
            case "grayscale":
                image = self.ale.getScreenGrayscale()
            case _:
                image = self.ale.getRAM()
        if self.render_mode == "rgb_array_list":
            self._frames.append(self.ale.getScreenRGB())
        return {"image": image, "sound": self.ale.getAudio()} if self.sound_obs else image

    def _info(self) -> AtariEnvStepMetadata:
        info: AtariEnvStepMetadata = {
            "lives": self.ale.lives(),
            "episode_frame_number": self.ale.getEpisodeFrameNumber(),
            "frame_number": self.ale.getFrameNumber(),
        }
        if self._executed_action_info:
            info["executed_action"] = self.ale.executed_action().value
        return info

    @functools.lru_cache(1)  # noqa: B019
    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Which keys are which action of `step`: w, a, s, d, space, and e for nothing.

        >>> AtariEnv("pong").get_keys_to_action()[("d", " ")]
        4
        """
        if self.continuous:
            raise AttributeError(
                "`get_keys_to_action` can't be provided for this Atari environment as `continuous=True`."
            )
        return {_keys(action): index for index, action in enumerate(self._action_set)}

    def get_action_meanings(self) -> list[str]:
        """The names of the actions of `step`.

        >>> AtariEnv("pong").get_action_meanings()
        ['NOOP', 'FIRE', 'RIGHT', 'LEFT', 'RIGHTFIRE', 'LEFTFIRE']
        """
        return [action.name for action in self._action_set]

    def clone_state(self, include_rng: bool = False) -> ALEState:
        """The state of the game, without numpy's generator."""
        return self.ale.cloneState(include_rng=include_rng)

    def restore_state(self, state: ALEState) -> None:
        """Continue from a state of `clone_state`. The screen shows it after the next step."""
        self.ale.restoreState(state)

    def snapshot(self) -> Snapshot:
        """Everything of the game at this moment, screen and generator of sticky actions included.

        >>> env = AtariEnv("pong")
        >>> _ = env.reset(seed=3)
        >>> before = env.snapshot()
        >>> first = env.step(2)[0]
        >>> env.restore(before)
        >>> bool((env.step(2)[0] == first).all())
        True
        """
        return self.ale.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Continue exactly where the snapshot was taken."""
        self.ale.restore(snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments, the game as it is and the generators, under one checksum."""
        state = {
            "arguments": self._arguments,
            "spec": self.spec,
            "game": self.ale.snapshot().to_bytes(),
            "generator": self.np_random,
            "seed": getattr(self, "_np_random_seed", None),
            "action_space": _pickles.seeded(self.action_space),
            "frames": self._frames,
        }
        return _pickles.reduced(self, state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self.spec, self.action_space, self._frames = state["spec"], state["action_space"], state["frames"]
        self._np_random, self._np_random_seed = state["generator"], state["seed"]
        self.ale.restore(Snapshot.from_bytes(state["game"]))


def _rom_path(game: str) -> Path:
    if not isinstance(game, (str, os.PathLike)):
        raise TypeError(f"game is {game!r}; accepted: the id of a game or the path of a ROM")
    if isinstance(game, os.PathLike) or (("/" in game or "." in game) and not roms.is_id(game)):
        path = Path(game).expanduser()
        if path.is_file():
            _images.refuse_text(_images.read_image(path), str(path))
        return path
    if game in registration.SEVERAL_PLAYERS:
        raise RuntimeError(
            f'"{game}" is a game for several players; AtariEnv plays alone. '
            "ale_rs.games.list_games() shows the others"
        )
    path_or_none = roms.get_rom_path(game)
    if path_or_none is None:  # as in ale_py, a warning was given
        raise TypeError(roms.unknown_game(game))
    return path_or_none


def _keys(action: Action) -> tuple[str, ...]:
    parts = (("UP", "w"), ("DOWN", "s"), ("LEFT", "a"), ("RIGHT", "d"), ("FIRE", " "))
    return tuple(key for part, key in parts if part in action.name) or ("e",)


def _check(obs_type: Any, frameskip: Any, render_mode: Any) -> None:
    if obs_type not in ("rgb", "grayscale", "ram"):
        raise error.Error(f"Invalid observation type: {obs_type}. Expecting: rgb, grayscale, ram.")
    if type(frameskip) not in (int, tuple):
        raise error.Error(f"Invalid frameskip type: {type(frameskip)}.")
    if type(frameskip) is int and frameskip <= 0:
        raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")
    if type(frameskip) is tuple:
        if len(frameskip) != 2:
            raise error.Error(f"Invalid stochastic frameskip length of {len(frameskip)}, expected length 2.")
        if frameskip[0] >= frameskip[1]:
            raise error.Error(
                "Invalid stochastic frameskip, lower bound must be strictly less than upper bound."
            )
        if frameskip[0] <= 0:
            raise error.Error("Invalid stochastic frameskip, lower bound must be positive.")
    if render_mode not in (None, "rgb_array", "human", "rgb_array_list"):
        raise error.Error(f"Render mode {render_mode} not supported (rgb_array, human, rgb_array_list).")


def _check_noise(noop_max: Any, action_noise: Any) -> None:
    if type(noop_max) is not int or noop_max < 0:
        raise error.Error(f"Invalid noop_max of {noop_max!r}, accepted: an int from 0 on.")
    if isinstance(action_noise, bool) or not isinstance(action_noise, (int, float)):
        raise error.Error(f"Invalid action_noise of {action_noise!r}, accepted: a float from 0 to 1.")
    if math.isnan(action_noise) or not 0 <= action_noise <= 1:
        raise error.Error(f"Invalid action_noise of {action_noise}, accepted: from 0 to 1.")


def _snapshots(start_states: Sequence[Snapshot] | None) -> list[Snapshot]:
    if start_states is None:
        return []
    if not start_states:
        raise error.Error("start_states is empty; give at least one snapshot.")
    return list(start_states)
