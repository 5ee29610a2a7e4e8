"""What EnvPool calls a spec: the options of a task and its spaces, without environments."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ale_rs import _arguments, games, roms
from ale_rs.registration import SEVERAL_PLAYERS, rom_id_to_name

__all__ = ["DEFAULTS", "EnvSpec", "tasks"]

DEFAULTS: dict[str, Any] = {
    "num_envs": 1,
    "batch_size": None,
    "num_threads": 0,
    "max_num_players": 1,
    "thread_affinity_offset": -1,
    "base_path": "",
    "seed": 42,
    "env_seed": (),
    "gym_reset_return_info": False,
    "max_episode_steps": 27_000,
    "stack_num": 4,
    "frame_skip": 4,
    "noop_max": 30,
    "zero_discount_on_life_loss": False,
    "episodic_life": False,
    "reward_clip": False,
    "use_fire_reset": True,
    "img_height": 84,
    "img_width": 84,
    "task": "",
    "mode": -1,
    "difficulty": -1,
    "full_action_space": False,
    "repeat_action_probability": 0.0,
    "use_inter_area_resize": True,
    "gray_scale": True,
}
"""EnvPool's options and their defaults. `base_path` and `task` have no effect."""

Config = collections.namedtuple("Config", DEFAULTS)  # type: ignore[misc]


def tasks() -> dict[str, str]:
    """Task → game."""
    known = (*roms.get_all_rom_ids(), *roms.embedded_ids())
    return {f"{rom_id_to_name(game)}-v5": game for game in known if game not in SEVERAL_PLAYERS}


class EnvSpec:
    """Options and spaces of a task.

    Raises:
        ValueError: an unknown task or option, or one that cannot be had.
    """

    reward_threshold = None

    def __init__(self, task_id: str, **options: Any) -> None:
        known = tasks()
        if task_id not in known:
            hint = _arguments.did_you_mean(task_id, known)
            raise ValueError(
                f'no task is known as "{task_id}"{hint}; accepted: {", ".join(list(known)[:3])}, ...'
            )
        unknown = sorted(set(options) - set(DEFAULTS))
        if unknown:
            hint = _arguments.did_you_mean(unknown[0], DEFAULTS)
            raise ValueError(f"unknown options {', '.join(unknown)}{hint}; accepted: {', '.join(DEFAULTS)}")
        self.task_id = self.id = task_id
        self.game = known[task_id]
        self.config: Any = self.gen_config(**{**options, "task": self.game})
        config = self.config
        if not config.use_inter_area_resize:
            raise ValueError("use_inter_area_resize is False; accepted: True, the resize of this library")
        self.seeds()
        shape = (config.stack_num * (1 if config.gray_scale else 3), config.img_height, config.img_width)
        facts = games.get(self.game)
        actions = facts.legal_actions if config.full_action_space else facts.minimal_actions
        self.observation_space = self.gymnasium_observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.action_space = self.gymnasium_action_space = spaces.Discrete(len(actions))

    @staticmethod
    def gen_config(**options: Any) -> Any:
        """All options as a named tuple."""
        config = {**DEFAULTS, **options}
        config["batch_size"] = config["batch_size"] or config["num_envs"]
        return Config(**config)

    def seeds(self, seed: int | Sequence[int] | None = None) -> list[int]:
        """One seed for each environment, of the options unless given."""
        config = self.config
        if seed is None:
            seed = list(config.env_seed) or config.seed
        seeds = [seed + index for index in range(config.num_envs)] if isinstance(seed, int) else list(seed)
        if len(seeds) != config.num_envs:
            raise ValueError(f"env_seed has {len(seeds)} seeds for {config.num_envs} environments")
        return seeds

    def observation_spec(self) -> Any:
        """The spec of dm_env for one observation (needs dm_env)."""
        return _dm_specs().BoundedArray(self.observation_space.shape, np.uint8, 0, 255, "obs")

    def action_spec(self) -> Any:
        """The spec of dm_env for one action (needs dm_env)."""
        return _dm_specs().DiscreteArray(int(self.action_space.n), np.int32, "action")

    def __repr__(self) -> str:
        return f"EnvSpec({self.task_id!r}, {self.config})"


def _dm_specs() -> Any:
    try:
        return importlib.import_module("dm_env").specs
    except ImportError as problem:
        raise ImportError("specs of dm_env need it: pip install dm-env") from problem
