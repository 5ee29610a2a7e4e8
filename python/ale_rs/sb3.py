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
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ale_rs import _arguments, registration, roms
from ale_rs._gymnasium import AutoresetMode
from ale_rs._vector_arguments import Game
from ale_rs.vector_env import AtariVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as problem:
    raise ImportError("ale_rs.sb3 needs Stable-Baselines3: pip install stable-baselines3") from problem

__all__ = ["AtariVecEnv", "make_atari_env"]

_EXTRA = ("episode_return", "game_over")

WRAPPER = {
    "noop_max": 30,
    "frame_skip": 4,
    "screen_size": 84,
    "terminal_on_life_loss": True,
    "clip_reward": True,
    "action_repeat_probability": 0.0,
}
"""The options of Stable-Baselines3's `AtariWrapper` and their defaults."""

ENV = ("mode", "difficulty", "repeat_action_probability", "full_action_space", "max_num_frames_per_episode",
       "render_mode", "continuous", "corrected")  # fmt: skip
"""The options of `AtariEnv` that `make_atari_env` accepts."""


def make_atari_env(
    env_id: str,
    n_envs: int = 1,
    seed: int | None = None,
    start_index: int = 0,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    *,
    frame_stack: int = 1,
    exact: bool = False,
    **options: Any,
) -> VecEnv:
    """`make_atari_env` of Stable-Baselines3, with its arguments and defaults.

    These are: 0 to 30 no-ops and FIRE at the start, 4 frames a step, 84x84 gray pixels, the loss of a life as
    the end, rewards of -1, 0 and 1, and `episode` with return and frames of the whole game.

    Args:
        env_id: an id such as `"BreakoutNoFrameskip-v4"`, or the id of a game.
        n_envs: number of sub-environments.
        seed: seed of the first one; the others have the next ones.
        start_index: added to the seeds.
        wrapper_kwargs: those of `AtariWrapper`, see `WRAPPER`.
        env_kwargs: those of `AtariEnv`, see `ENV`.
        frame_stack: frames of an observation. One has the shape `(84, 84, 1)`; more come first,
            `(4, 84, 84)`, and make `VecFrameStack` needless.
        exact: build Stable-Baselines3's own wrappers around `AtariEnv`, at their speed: its observations, bit
            for bit. Otherwise no-ops come from another generator, FIRE is pressed as in `AtariVectorEnv`,
            and two frames are pooled as gray and not as coloured pictures.
        options: further ones of `AtariVectorEnv`, such as `num_threads`.
    """
    wrapper = _known("wrapper_kwargs", wrapper_kwargs, WRAPPER)
    env = _known("env_kwargs", env_kwargs, ENV)
    spec = _spec(env_id)
    if exact:
        return _stack_of_sb3(spec, n_envs, seed, start_index, wrapper, env, frame_stack, options)
    wrapper = {**WRAPPER, **wrapper}
    kwargs = {**spec.kwargs, **env}
    sticky = kwargs.pop("repeat_action_probability")
    if wrapper["action_repeat_probability"] > 0:
        sticky = wrapper["action_repeat_probability"]
    skip = kwargs.pop("frameskip")
    if not isinstance(skip, int):
        raise ValueError(f'"{env_id}" draws its frame skip from {skip}; accepted: an id such as '
                         f'"{registration.rom_id_to_name(kwargs["game"])}NoFrameskip-v4"')  # fmt: skip
    return AtariVecEnv(
        kwargs.pop("game"),
        n_envs,
        seed=seed if seed is None else seed + start_index,
        noop_max=wrapper["noop_max"] + 1,
        frameskip=skip * wrapper["frame_skip"],
        img_height=wrapper["screen_size"],
        img_width=wrapper["screen_size"],
        episodic_life=wrapper["terminal_on_life_loss"],
        reward_clipping=wrapper["clip_reward"],
        repeat_action_probability=sticky,
        stack_num=frame_stack,
        channels_last=frame_stack == 1,
        **kwargs,
        **options,
    )


def _known(name: str, given: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, Any]:
    for key in given or {}:
        _arguments.one_of(f"key of {name}", key, names)
    return dict(given or {})


def _spec(env_id: str) -> Any:
    """Our specification of an id, whoever owns it in gymnasium."""
    name = env_id.removeprefix("ale_rs:").removeprefix("ale_rs/").removeprefix("ALE/")
    if f"ale_rs/{name}" not in gymnasium.registry:
        name = f"{registration.rom_id_to_name(name)}NoFrameskip-v4"
    if f"ale_rs/{name}" not in gymnasium.registry:
        name = f"{name.removesuffix('NoFrameskip-v4')}-v5"
    if f"ale_rs/{name}" not in gymnasium.registry:
        raise ValueError(roms.unknown_game(env_id))
    return copy.deepcopy(gymnasium.registry[f"ale_rs/{name}"])


def _stack_of_sb3(
    spec: Any,
    n_envs: int,
    seed: int | None,
    start_index: int,
    wrapper: dict[str, Any],
    env: dict[str, Any],
    frame_stack: int,
    options: dict[str, Any],
) -> VecEnv:
    from stable_baselines3.common import env_util, vec_env

    if options:
        raise ValueError(
            f"{', '.join(options)} cannot be had with exact=True; accepted: wrapper_kwargs, env_kwargs"
        )
    made = env_util.make_atari_env(spec.id, n_envs, seed, start_index, wrapper_kwargs=wrapper, env_kwargs=env)
    return made if frame_stack == 1 else vec_env.VecTransposeImage(vec_env.VecFrameStack(made, frame_stack))


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
        self._lives_go_on = options.setdefault("continue_lives", bool(options.get("episodic_life")))
        extra = (*_EXTRA, *(name for name in options.pop("extra_info", ()) if name not in _EXTRA))
        options.setdefault("render_mode", "rgb_array")
        self.envs = _Envs(game, n_envs, autoreset_mode=AutoresetMode.SAME_STEP, extra_info=extra, **options)
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
        lives = info["lives"].tolist()
        self.reset_infos = [{"lives": count} for count in lives]
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
        infos: list[dict[str, Any]] = [{"lives": count} for count in info["lives"].tolist()]
        done = terminations | truncations
        for index in np.flatnonzero(done):
            infos[index]["TimeLimit.truncated"] = bool(truncations[index])
            infos[index]["terminal_observation"] = self._seen(info["final_obs"][index : index + 1])[0]
            last = info["final_info"]
            self._returns[index] += last["episode_return"][index]
            if last["game_over"][index] or truncations[index] or not self._lives_go_on:
                infos[index]["episode"] = {
                    "r": float(self._returns[index]),
                    "l": int(last["episode_frame_number"][index]),
                    "t": round(time.time() - self._started, 6),
                }
                self._returns[index] = 0
        return self._seen(observations), rewards.astype(np.float32), done, infos

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
