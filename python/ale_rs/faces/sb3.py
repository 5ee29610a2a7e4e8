"""Stable-Baselines3's `VecEnv` on top of `AtariVectorEnv`, and its `make_atari_env`.

```python
from stable_baselines3 import PPO
from ale_rs.sb3 import make_atari_env

model = PPO("CnnPolicy", make_atari_env("BreakoutNoFrameskip-v4", 8, seed=0, frame_stack=4))
model.learn(1_000_000)
```

It needs `pip install stable-baselines3`, which is not a dependency of this package.
"""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ale_rs import _arguments, registration, roms
from ale_rs._gymnasium import AutoresetMode
from ale_rs._vector_arguments import Game
from ale_rs.env import AtariEnv
from ale_rs.faces.wrapped import WrappedAtariVectorEnv, Wrappers
from ale_rs.vector_env import AtariVectorEnv

try:
    from stable_baselines3.common import env_util, vec_env
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as problem:
    raise ImportError("ale_rs.sb3 needs Stable-Baselines3: pip install stable-baselines3") from problem

__all__ = ["AtariVecEnv", "WrappedVecEnv", "make_atari_env"]

_EXTRA = ("episode_return", "episode_length", "game_over")

WRAPPER = {
    "noop_max": 30,
    "frame_skip": 4,
    "screen_size": 84,
    "terminal_on_life_loss": True,
    "clip_reward": True,
    "action_repeat_probability": 0.0,
}
"""The options of Stable-Baselines3's `AtariWrapper` and their defaults."""

ENV = tuple(name for name in inspect.signature(AtariEnv).parameters if name != "game")
"""The options of `AtariEnv`."""

NATIVE = (
    "mode", "difficulty", "frameskip", "repeat_action_probability", "full_action_space", "corrected", "jit",
    "max_num_frames_per_episode", "render_mode",
)  # fmt: skip
"""Those of them that native steps have."""


def make_atari_env(
    env_id: str | Callable[..., gymnasium.Env[Any, Any]],
    n_envs: int = 1,
    seed: int | None = None,
    start_index: int = 0,
    monitor_dir: str | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    vec_env_cls: type[VecEnv] | None = None,
    vec_env_kwargs: Mapping[str, Any] | None = None,
    monitor_kwargs: Mapping[str, Any] | None = None,
    *,
    frame_stack: int = 1,
    **options: Any,
) -> VecEnv:
    """`make_atari_env` of Stable-Baselines3, with its arguments and defaults, stepped by native threads.

    With the same seeds and actions observations, rewards, ends and `episode` are those of
    Stable-Baselines3's own wrappers around `AtariEnv`, bit for bit: 1 to 30 no-ops, then FIRE at the start,
    4 frames a step, the brighter colours of the last two, 84x84 gray pixels, the loss of a life as the end,
    rewards of -1, 0 and 1.

    What native steps do not have builds those wrappers themselves, at their speed: files of monitors, another
    `vec_env_cls`, a callable as `env_id`, a window, and options of `AtariEnv` beyond `NATIVE`.

    Args:
        env_id: an id such as `"BreakoutNoFrameskip-v4"`, or the id of a game. As there, the frame skip of the
            id counts, too: 4 frames of `"ALE/Breakout-v5"` are 16.
        n_envs: number of sub-environments.
        seed: seed of the first one; the others have the next ones.
        start_index: added to the seed of the action space.
        monitor_dir: directory for files of episodes.
        wrapper_kwargs: those of `AtariWrapper`, see `WRAPPER`.
        env_kwargs: those of `AtariEnv`.
        vec_env_cls: another class of environments than the native one.
        vec_env_kwargs: its arguments.
        monitor_kwargs: those of `Monitor`.
        frame_stack: frames of an observation. One has the shape `(84, 84, 1)`; more come first,
            `(4, 84, 84)`, and make `VecFrameStack` needless.
        options: further ones of `AtariVectorEnv`, such as `num_threads`.
    """
    wrapper = _known("wrapper_kwargs", wrapper_kwargs, WRAPPER)
    env = _known("env_kwargs", env_kwargs, ENV)
    spec = _spec(env_id, env) if isinstance(env_id, str) else None
    theirs = {
        "monitor_dir": monitor_dir, "vec_env_cls": vec_env_cls, "vec_env_kwargs": vec_env_kwargs,
        "monitor_kwargs": monitor_kwargs,
    }  # fmt: skip
    beyond = [name for name, value in theirs.items() if value is not None]
    beyond += [name for name in env if name not in NATIVE]
    if spec is None or beyond or spec.kwargs.get("render_mode") not in (None, "rgb_array"):
        if options:
            raise ValueError(
                f"{', '.join(options)} cannot be had with {', '.join(beyond) or 'such an environment'}, "
                "for which Stable-Baselines3's wrappers are built"
            )
        made = env_util.make_atari_env(
            env_id if spec is None else spec.id,
            n_envs,
            seed,
            start_index,
            wrapper_kwargs=wrapper,
            env_kwargs=env,
            **theirs,
        )
        return (
            made if frame_stack == 1 else vec_env.VecTransposeImage(vec_env.VecFrameStack(made, frame_stack))
        )
    return WrappedVecEnv(spec, n_envs, seed, start_index, {**WRAPPER, **wrapper}, frame_stack, options)


def _known(name: str, given: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, Any]:
    for key in given or {}:
        _arguments.one_of(f"key of {name}", key, names)
    return dict(given or {})


def _spec(env_id: str, options: Mapping[str, Any]) -> Any:
    """Our specification of an id with these options, whoever owns it in gymnasium."""
    name = env_id.removeprefix("ale_rs:").removeprefix("ale_rs/").removeprefix("ALE/")
    if f"ale_rs/{name}" not in gymnasium.registry:
        name = f"{registration.rom_id_to_name(name)}NoFrameskip-v4"
    if f"ale_rs/{name}" not in gymnasium.registry:
        name = f"{name.removesuffix('NoFrameskip-v4')}-v5"
    if f"ale_rs/{name}" not in gymnasium.registry:
        raise ValueError(roms.unknown_game(env_id))
    spec = copy.deepcopy(gymnasium.registry[f"ale_rs/{name}"])
    spec.kwargs.update({"render_mode": "rgb_array", **options})
    return spec


class _Envs(AtariVectorEnv):
    _any_gymnasium = True


class AtariVecEnv(VecEnv):  # type: ignore[misc]
    """Atari games for Stable-Baselines3.

    Observations are stacked already, and episodes are recorded as by its `Monitor` below its other wrappers,
    so neither is to be wrapped around it: `episode` has the rewards before clipping and the frames
    of the whole game, not of one life. With colour, the channels of all frames come first:
    `(stack * 3, height, width)`.

    Args:
        game: as in `AtariVectorEnv`.
        n_envs: number of sub-environments.
        seed: seed of the first reset.
        channels_last: a single frame as `(height, width, 1)`, gray only.
        options: those of `AtariVectorEnv`, except `autoreset_mode`, `batch_size` and `obs_type`. With
            `episodic_life`, `continue_lives` is true unless given: an episode goes on with the next life.
    """

    def __init__(
        self,
        game: Game | Sequence[Game],
        n_envs: int | None = None,
        *,
        seed: int | None = None,
        channels_last: bool = False,
        **options: Any,
    ) -> None:
        if "wrappers" not in options:
            options.setdefault("continue_lives", bool(options.get("episodic_life")))
        extra = (*_EXTRA, *(name for name in options.pop("extra_info", ()) if name not in _EXTRA))
        options.setdefault("render_mode", "rgb_array")
        kind = WrappedAtariVectorEnv if "wrappers" in options else _Envs
        self.envs = kind(game, n_envs, autoreset_mode=AutoresetMode.SAME_STEP, extra_info=extra, **options)
        self._lives_go_on = self.envs._arguments["continue_lives"]
        shape = self.envs.single_observation_space.shape
        assert shape is not None
        self._color = len(shape) == 4
        if self._color:
            stack, height, width, channels = shape
            shape = (stack * channels, height, width)
        elif channels_last:
            if shape[0] != 1:
                raise ValueError(f"channels_last with a stack of {shape[0]} frames; accepted: a stack of 1")
            shape = (*shape[1:], 1)
        self._shape = shape
        self._returns = np.zeros(self.envs.num_envs)
        self._seed = seed
        self._started = time.time()
        self.render_mode = self.envs.render_mode
        super().__init__(
            self.envs.num_envs, spaces.Box(0, 255, shape, np.uint8), self.envs.single_action_space
        )

    def reset(self) -> NDArray[np.uint8]:
        """Start all episodes; takes the seed of the constructor or of `seed` once."""
        seed, self._seed = self._seed, None
        observations, info = self.envs.reset(seed=seed)
        self._returns[:] = 0
        self.reset_infos = _each(info, np.zeros(self.num_envs, np.bool_))
        return self._seen(observations)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Choose the seed of the next `reset`; returns the seeds of all sub-environments."""
        self._seed = seed
        return [None if seed is None else seed + index for index in range(self.num_envs)]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Start a step."""
        discrete = isinstance(self.action_space, spaces.Discrete)
        self.envs.send(np.asarray(actions, np.int64 if discrete else np.float32))

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Wait for the step."""
        observations, rewards, terminations, truncations, info = self.envs.recv()
        done = terminations | truncations
        infos = _each(info, truncations & ~terminations)
        for index in np.flatnonzero(done).tolist():
            last = {name: column[index] for name, column in info["final_info"].items()}
            infos[index].update({name: int(last[name]) for name in _NUMBERS})
            infos[index]["terminal_observation"] = self._seen(info["final_obs"][index : index + 1])[0]
            total, length = self._count(index, last)
            if last["game_over"] or truncations[index] or not self._lives_go_on:
                self._returns[index] = 0
                seconds = round(time.time() - self._started, 6)
                infos[index]["episode"] = {"r": round(total, 6), "l": length, "t": seconds}
        return self._seen(observations), rewards.astype(np.float32), done, infos

    def _count(self, index: int, last: Mapping[str, Any]) -> tuple[float, int]:
        """Return and frames of the game so far, when an episode of this sub-environment has ended."""
        self._returns[index] += last["episode_return"]
        return float(self._returns[index]), int(last["episode_frame_number"])

    def close(self) -> None:
        """Nothing is to be used after this."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, once for each sub-environment; `spec` is that of its game."""
        if attr_name == "spec":
            return [self._spec(index) for index in self._chosen(indices)]
        return [getattr(self.envs, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sub-environments share their attributes, so only all can be set at once."""
        if len(self._chosen(indices)) != self.num_envs:
            raise ValueError(f"{attr_name} belongs to all sub-environments; accepted: indices=None")
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        """Call a method, with the number of the sub-environment first if it wants one, as `"screen"` does."""
        method = getattr(self.envs, method_name)
        by_index = next(iter(inspect.signature(method).parameters), "") == "index"
        return [method(*((index,) if by_index else ()), *args, **options) for index in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Nothing is wrapped, but episodes are recorded as by `Monitor`."""
        return [wrapper_class.__name__ == "Monitor"] * len(self._chosen(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """The screens."""
        return [self.envs.screen(index) for index in range(self.num_envs)]

    def _chosen(self, indices: int | Iterable[int] | None) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)

    def _spec(self, index: int) -> Any:
        """The specification of one game with this frame skip; `None` for a game without an id."""
        spec = gymnasium.registry.get(f"ale_rs/{registration.rom_id_to_name(self.envs.games[index])}-v5")
        if spec is not None:
            spec = copy.deepcopy(spec)
            for name in ("frameskip", "repeat_action_probability", "full_action_space"):
                spec.kwargs[name] = self.envs.unwrapped._arguments[name]
        return spec

    def _seen(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if not self._color:
            return observations.reshape(len(observations), *self._shape)
        return np.moveaxis(observations, -1, 2).reshape(len(observations), *self._shape)


class WrappedVecEnv(AtariVecEnv):
    """What `make_atari_env` returns: native environments that play as Stable-Baselines3's wrappers do.

    Args:
        spec: of the environment below the wrappers.
        n_envs: number of sub-environments.
        seed: of the first sub-environment.
        start_index: added to the seed of the action space.
        wrapper: all options of `AtariWrapper`.
        frame_stack: frames of an observation.
        options: further ones of `AtariVectorEnv`.
    """

    def __init__(
        self,
        spec: Any,
        n_envs: int,
        seed: int | None,
        start_index: int,
        wrapper: Mapping[str, Any],
        frame_stack: int,
        options: Mapping[str, Any],
    ) -> None:
        kwargs = dict(spec.kwargs)
        frames = kwargs.pop("frameskip")
        sticky = max(wrapper["action_repeat_probability"], 0.0)  # as there, a negative one is none
        noop_max, lives_end = max(wrapper["noop_max"], 0), bool(wrapper["terminal_on_life_loss"])
        self._own = spec
        super().__init__(
            kwargs.pop("game"),
            n_envs,
            wrappers=Wrappers(frames, noop_max, lives_end, sticky),
            frameskip=max(wrapper["frame_skip"], 1),
            img_height=wrapper["screen_size"],
            img_width=wrapper["screen_size"],
            reward_clipping=wrapper["clip_reward"],
            stack_num=frame_stack,
            channels_last=frame_stack == 1,
            **kwargs,
            **options,
        )
        meanings = self.envs.get_action_meanings()
        if "FIRE" in meanings and (meanings[1] != "FIRE" or len(meanings) < 3):
            raise ValueError(
                f"the actions are {', '.join(meanings)}; accepted: NOOP, FIRE and at least one more"
            )
        if seed is not None:
            self.action_space.seed(seed + start_index)
        self.seed(seed)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Choose the seeds of the next `reset`, as Stable-Baselines3 does; returns them."""
        self._seed = list(VecEnv.seed(self, seed))  # type: ignore[assignment]
        return self._seed  # type: ignore[return-value]

    def _count(self, index: int, last: Mapping[str, Any]) -> tuple[float, int]:
        """As `Monitor` below the wrappers: with the steps of the start."""
        return float(last["episode_return"]), int(last["episode_length"])

    def _spec(self, index: int) -> Any:
        return copy.deepcopy(self._own)


_NUMBERS = ("lives", "episode_frame_number", "frame_number")


def _each(info: Mapping[str, Any], truncated: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The info of each sub-environment."""
    columns = [info[name].tolist() for name in _NUMBERS]
    keys = (*_NUMBERS, "TimeLimit.truncated")
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, truncated.tolist(), strict=True)]
