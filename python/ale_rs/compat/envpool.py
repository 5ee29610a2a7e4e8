"""`envpool.make` for Atari games, on top of `AtariVectorEnv`.

>>> from ale_rs.compat import envpool
>>> envs = envpool.make("Glowdelve-v5", env_type="gymnasium", num_envs=2)
>>> observations, info = envs.reset()
>>> observations.shape, sorted(info)[:3]
((2, 4, 84, 84), ['elapsed_step', 'env_id', 'lives'])

Options, shapes, dtypes and info are EnvPool's. Trajectories are those of this library, which are ale-py's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ale_rs import registration, roms
from ale_rs.vector_env import AtariVectorEnv

__all__ = ["EnvPool", "list_all_envs", "make", "make_gym", "make_gymnasium"]

Array: TypeAlias = NDArray[Any]
Step: TypeAlias = tuple[Array, Array, Array, Array, dict[str, Any]]

DEFAULTS: dict[str, Any] = {
    "num_envs": 1,
    "batch_size": None,
    "num_threads": 0,
    "thread_affinity_offset": -1,
    "seed": 42,
    "env_seed": (),
    "max_episode_steps": 27_000,
    "stack_num": 4,
    "frame_skip": 4,
    "img_height": 84,
    "img_width": 84,
    "gray_scale": True,
    "noop_max": 30,
    "use_fire_reset": True,
    "episodic_life": False,
    "zero_discount_on_life_loss": False,
    "reward_clip": False,
    "repeat_action_probability": 0.0,
    "full_action_space": False,
    "mode": -1,
    "difficulty": -1,
    "use_inter_area_resize": True,
}
"""EnvPool's options and their defaults."""

_EXTRA = ("raw_reward", "episode_length", "game_over", "ram")


def list_all_envs() -> list[str]:
    """The ids that `make` accepts."""
    return [f"{_camel(game)}-v5" for game in _games()]


def make(task_id: str, env_type: str = "gym", **options: Any) -> EnvPool:
    """The environments of a task such as `"Pong-v5"`.

    Args:
        task_id: one of `list_all_envs`.
        env_type: `"gym"` or `"gymnasium"`, which are the same today.
        options: those of `DEFAULTS`.

    Raises:
        ValueError: an unknown task, type or option, or one that cannot be had.
    """
    if env_type not in ("gym", "gymnasium"):
        raise ValueError(f'env_type is "{env_type}"; accepted: "gym", "gymnasium"')
    games = {f"{_camel(game)}-v5": game for game in _games()}
    if task_id not in games:
        raise ValueError(f'no task is known as "{task_id}"; accepted: {", ".join(list(games)[:3])}, ...')
    unknown = sorted(set(options) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"unknown options {', '.join(unknown)}; accepted: {', '.join(DEFAULTS)}")
    return EnvPool(task_id, games[task_id], {**DEFAULTS, **options})


def make_gym(task_id: str, **options: Any) -> EnvPool:
    """`make` with `env_type="gym"`."""
    return make(task_id, "gym", **options)


def make_gymnasium(task_id: str, **options: Any) -> EnvPool:
    """`make` with `env_type="gymnasium"`."""
    return make(task_id, "gymnasium", **options)


class EnvPool:
    """Many environments; actions may name those that they are for."""

    def __init__(self, task_id: str, game: str, config: dict[str, Any]) -> None:
        if not config["use_inter_area_resize"]:
            raise ValueError("use_inter_area_resize is False; accepted: True, the resize of this library")
        self.task_id = task_id
        self.config = {**config, "batch_size": config["batch_size"] or config["num_envs"]}
        self._clip = bool(config["reward_clip"])
        self._color = not config["gray_scale"]
        self._envs = AtariVectorEnv(
            game,
            config["num_envs"],
            batch_size=self.config["batch_size"],
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
        channels = config["stack_num"] * (3 if self._color else 1)
        shape = (channels, config["img_height"], config["img_width"])
        self.observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.action_space = self._envs.single_action_space
        self.all_env_ids = np.arange(config["num_envs"], dtype=np.int32)
        self.is_async = self.config["batch_size"] < config["num_envs"]
        seeds = list(config["env_seed"]) or [config["seed"] + index for index in range(config["num_envs"])]
        if len(seeds) != config["num_envs"]:
            raise ValueError(f"env_seed has {len(seeds)} seeds for {config['num_envs']} environments")
        # Taken by the first reset; later ones go on with the generators.
        self._seeds: Array | None = np.array(seeds, np.int64)

    def __len__(self) -> int:
        return int(self.config["num_envs"])

    def reset(self, env_id: Sequence[int] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start episodes: all of them, or those in `env_id`, whose rows are returned."""
        seeds, self._seeds = self._seeds, None
        if env_id is None or seeds is not None:
            observations, info = self._envs.reset(seed=seeds)
            return self._seen(observations), self._info(info)
        mask = np.zeros(len(self), np.bool_)
        mask[list(env_id)] = True
        observations, info = self._envs.reset(options={"reset_mask": mask})
        return self._seen(observations[mask]), {
            key: (
                {name: part[mask] for name, part in value.items()} if isinstance(value, dict) else value[mask]
            )
            for key, value in self._info(info).items()
        }

    def step(self, action: Array, env_id: Sequence[int] | None = None) -> Step:
        """`send`, then `recv`."""
        self.send(action, env_id)
        return self.recv()

    def send(self, action: Array, env_id: Sequence[int] | None = None) -> None:
        """Start a step of the environments of the last batch, or of those in `env_id`."""
        self._envs.send(np.asarray(action).astype(np.int64), env_id)

    def recv(self) -> Step:
        """Wait for a batch: observations, rewards, terminated, truncated, info."""
        observations, rewards, terminated, truncated, info = self._envs.recv()
        reward = rewards.astype(np.float32)
        if self._clip:
            reward = np.sign(reward)
        return self._seen(observations), reward, terminated, truncated, self._info(info)

    def async_reset(self) -> None:
        """Start all episodes without waiting; the observations come with `recv`."""
        seeds, self._seeds = self._seeds, None
        self._envs.async_reset(seed=seeds)

    def close(self) -> None:
        """Nothing is to be used after this."""
        self._envs.close()

    def _seen(self, observations: Array) -> Array:
        if not self._color:
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


def _games() -> list[str]:
    games = (*roms.get_all_rom_ids(), *roms.embedded_ids())
    return [game for game in games if game not in registration.SEVERAL_PLAYERS]


def _camel(game: str) -> str:
    """`"space_invaders"` is `"SpaceInvaders"`."""
    return re.sub("_", "", game.title())
