"""Environments with EnvPool's methods, in its gymnasium form, its old gym form, and that of dm_env."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ale_rs._gymnasium import AutoresetMode, VectorEnv
from ale_rs.faces.envpool.spec import EnvSpec
from ale_rs.vector_env import AtariVectorEnv

__all__ = ["EnvPool", "GymnasiumEnvPool", "dm_pool", "gym_pool"]

Array: TypeAlias = NDArray[Any]

_EXTRA = ("raw_reward", "episode_length", "game_over", "ram")
RENDER_MODES = ("rgb_array",)

Players = collections.namedtuple("Players", ["env_id"])
State = collections.namedtuple("State", ["env_id", "players", "obs", "lives", "reward", "terminated", "ram"])
"""An observation of the dm_env form."""


class _Envs(AtariVectorEnv):
    _any_gymnasium = True


class EnvPool:
    """Many environments; actions may name those that they are for. `spec.config` has all options."""

    def __init__(self, spec: EnvSpec, render_mode: str | None = None) -> None:
        config = dict(spec.config._asdict())
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f'render_mode is "{render_mode}"; accepted: None, "rgb_array"')
        self.spec = spec
        self.config = config
        self.task_id = spec.task_id
        self.render_mode = render_mode
        self._clip = bool(config["reward_clip"])
        self._envs = _Envs(
            spec.game,
            config["num_envs"],
            batch_size=config["batch_size"],
            num_threads=config["num_threads"],
            thread_affinity_offset=config["thread_affinity_offset"],
            max_num_frames_per_episode=config["max_episode_steps"] * config["frame_skip"],
            repeat_action_probability=config["repeat_action_probability"],
            full_action_space=config["full_action_space"],
            img_height=config["img_height"],
            img_width=config["img_width"],
            grayscale=config["gray_scale"],
            stack_num=config["stack_num"],
            frameskip=config["frame_skip"],
            noop_max=config["noop_max"],
            episodic_life=config["episodic_life"],
            continue_lives=True,
            reward_clipping=False,
            use_fire_reset=config["use_fire_reset"],
            mode=None if config["mode"] < 0 else config["mode"],
            difficulty=None if config["difficulty"] < 0 else config["difficulty"],
            extra_info=_EXTRA,
            pad_stack=True,
        )
        self.num_envs = config["num_envs"]
        self.all_env_ids = np.arange(self.num_envs, dtype=np.int32)
        self.is_async = config["batch_size"] < self.num_envs
        self.is_vector_env = True
        # Taken by the first reset; later ones go on with the generators.
        self._seeds: Array | None = np.array(spec.seeds(), np.int64)

    def __len__(self) -> int:
        return int(self.num_envs)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.config.items())
        return f"{type(self).__name__}({shown})"

    def reset(
        self, env_id: Any = None, *, seed: int | Sequence[int] | None = None, options: Any = None
    ) -> Any:
        """Start episodes: all of them, or those in `env_id`, whose rows are returned."""
        del options
        if seed is not None:
            self.seed(seed)
        seeds, self._seeds = self._seeds, None
        if env_id is None or seeds is not None:
            observations, info = self._envs.reset(seed=seeds)
            return self._started(self._seen(observations), self._info(info))
        mask = np.zeros(len(self), np.bool_)
        mask[list(env_id)] = True
        observations, info = self._envs.reset(options={"reset_mask": mask})
        chosen = {
            key: {name: part[mask] for name, part in value.items()}
            if isinstance(value, dict)
            else value[mask]
            for key, value in self._info(info).items()
        }
        return self._started(self._seen(observations[mask]), chosen)

    def seed(self, seed: int | Sequence[int] | None = None) -> None:
        """Choose the seeds of the next reset: one for each, or that of the first."""
        if seed is not None:
            self._seeds = np.array(self.spec.seeds(seed), np.int64)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """`send`, then `recv`."""
        self.send(action, env_id)
        return self.recv()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Start a step of the environments of the last batch, or of those in `env_id`."""
        if isinstance(action, dict):
            action, env_id = action["action"], action.get("env_id", env_id)
        self._envs.send(np.asarray(action).astype(np.int64), env_id)

    def recv(self) -> Any:
        """Wait for a batch: observations, rewards, ends, info."""
        observations, rewards, terminated, truncated, info = self._envs.recv()
        reward = rewards.astype(np.float32)
        if self._clip:
            reward = np.sign(reward)
        return self._stepped(self._seen(observations), reward, terminated, truncated, self._info(info))

    def async_reset(self) -> None:
        """Start all episodes without waiting; the observations come with `recv`."""
        seeds, self._seeds = self._seeds, None
        self._envs.async_reset(seed=seeds)

    def render(self, env_ids: int | Sequence[int] | None = None, camera_id: int | None = None) -> Array:
        """The screens of some environments, `(n, height, 160, 3)`; by default that of the first."""
        del camera_id
        if self.render_mode is None:
            raise RuntimeError("render_mode must be set to 'rgb_array' when creating this env")
        ids = [0] if env_ids is None else [env_ids] if isinstance(env_ids, int) else list(env_ids)
        return np.stack([self._envs.screen(int(index)) for index in ids])

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """A handle, and `recv`, `send` and `step` for functions that jax compiles.

        `handle, result = recv(handle)`, `handle = send(handle, action, env_id=None)` and
        `handle, result = step(handle, action, env_id=None)`; a result is what the method returns.
        They call back into this environment. Call `async_reset` or `reset` first.
        """
        from ale_rs.faces.envpool import xla

        return xla.functions(self)

    def close(self, **_: Any) -> None:
        """Nothing is to be used after this."""
        self._envs.close()

    def _started(self, observations: Array, info: dict[str, Any]) -> Any:
        return observations, info

    def _stepped(
        self, observations: Array, reward: Array, terminated: Array, truncated: Array, info: Any
    ) -> Any:
        return observations, reward, terminated, truncated, info

    def _seen(self, observations: Array) -> Array:
        if self.config["gray_scale"]:
            return observations
        rows, stack, height, width, channels = observations.shape
        return np.moveaxis(observations, -1, 2).reshape(rows, stack * channels, height, width)

    def _info(self, info: dict[str, Any]) -> dict[str, Any]:
        return {
            "env_id": info["env_id"],
            "players": {"env_id": info["env_id"]},
            "lives": info["lives"],
            "reward": info["raw_reward"].astype(np.float32),
            "terminated": info["game_over"].astype(np.int32),
            "ram": info["ram"],
            "elapsed_step": info["episode_length"],
        }


class GymnasiumEnvPool(EnvPool, VectorEnv[Any, Any, Any], gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """The gymnasium form. As in EnvPool, the spaces are those of one environment."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES)}  # noqa: RUF012  # as in gymnasium

    def __init__(self, spec: EnvSpec, render_mode: str | None = None) -> None:
        super().__init__(spec, render_mode)
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.observation_space = self.single_observation_space = spec.observation_space
        self.action_space = self.single_action_space = spec.action_space


def gym_pool(spec: EnvSpec, render_mode: str | None) -> EnvPool:
    """The gym form: that of gym's version, or the old one without gym.

    Before 0.26, `reset` returns observations only unless `gym_reset_return_info`, and `step` four values.
    Without gym the spaces are those of gymnasium.
    """
    try:
        gym = importlib.import_module("gym")
    except ImportError:
        gym = None
    old = gym is None or tuple(int(part) for part in gym.__version__.split(".")[:2]) < (0, 26)
    spaces = gym.spaces if gym is not None else gymnasium.spaces

    class GymEnvPool(EnvPool, *(() if gym is None else (gym.Env,))):  # type: ignore[misc]
        """The gym form."""

        metadata = {"render.modes": list(RENDER_MODES), "render_modes": list(RENDER_MODES)}  # noqa: RUF012
        unwrapped = property(lambda self: self)

        def __init__(self) -> None:
            super().__init__(spec, render_mode)
            self.observation_space = spaces.Box(0, 255, spec.observation_space.shape, np.uint8)
            self.action_space = spaces.Discrete(int(spec.action_space.n))
            self.single_observation_space = self.observation_space
            self.single_action_space = self.action_space

        def _started(self, observations: Array, info: dict[str, Any]) -> Any:
            return observations if old and not self.config["gym_reset_return_info"] else (observations, info)

        def _stepped(
            self, observations: Array, reward: Array, terminated: Array, truncated: Array, info: Any
        ) -> Any:
            if not old:
                return observations, reward, terminated, truncated, info
            info["TimeLimit.truncated"] = truncated
            return observations, reward, terminated | truncated, info

    return GymEnvPool()


def dm_pool(spec: EnvSpec, render_mode: str | None) -> EnvPool:
    """The form of dm_env: `reset` and `step` return a `TimeStep` of arrays.

    Raises:
        ImportError: dm_env is not installed.
    """
    try:
        dm_env = importlib.import_module("dm_env")
    except ImportError as problem:
        raise ImportError('env_type "dm" needs dm_env: pip install dm-env') from problem

    class DMEnvPool(EnvPool, dm_env.Environment):  # type: ignore[misc, name-defined]
        """The form of dm_env."""

        def __init__(self) -> None:
            super().__init__(spec, render_mode)

        def _started(self, observations: Array, info: dict[str, Any]) -> Any:
            rows = len(observations)
            first = np.full(rows, dm_env.StepType.FIRST, np.int32)
            state = _state(observations, info)
            return dm_env.TimeStep(first, np.zeros(rows, np.float32), np.ones(rows, np.float32), state)

        def _stepped(
            self, observations: Array, reward: Array, terminated: Array, truncated: Array, info: Any
        ) -> Any:
            done = terminated | truncated
            kind = np.where(done, dm_env.StepType.LAST, dm_env.StepType.MID).astype(np.int32)
            # The step after an end is the start of the next episode.
            kind[info["elapsed_step"] == 0] = dm_env.StepType.FIRST
            state = _state(observations, info)
            return dm_env.TimeStep(kind, reward, (~done).astype(np.float32), state)

        def observation_spec(self) -> Any:
            """The spec of one observation."""
            return spec.observation_spec()

        def action_spec(self) -> Any:
            """The spec of one action."""
            return spec.action_spec()

    return DMEnvPool()


def _state(observations: Array, info: dict[str, Any]) -> Any:
    """An observation of the dm_env form, with names."""
    facts = {key: value for key, value in info.items() if key not in ("players", "elapsed_step")}
    return State(obs=observations, players=Players(info["players"]["env_id"]), **facts)
