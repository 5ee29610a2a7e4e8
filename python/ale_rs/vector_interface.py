"""`ALEVectorInterface`: the reference's native vector class, on top of ours."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import roms
from ale_rs._native import VectorEnv as NativeVectorEnv
from ale_rs.enums import Action

__all__ = ["ALEVectorInterface"]

_INT32 = np.iinfo(np.int32)


class ALEVectorInterface:
    """Sub-environments by number, seeds and actions as plain sequences.

    `AtariVectorEnv` is what most users want; this is the interface below it.
    """

    _native: NativeVectorEnv

    def __init__(
        self,
        rom_path: str | os.PathLike[str],
        num_envs: int,
        frame_skip: int = 4,
        stack_num: int = 4,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        maxpool: bool = True,
        noop_max: int = 30,
        use_fire_reset: bool = True,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        max_episode_steps: int = 108_000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        autoreset_mode: str = "NextStep",
    ) -> None:
        numbers = {
            "num_envs": (num_envs, 1),
            "frame_skip": (frame_skip, 1),
            "stack_num": (stack_num, 1),
            "img_height": (img_height, 1),
            "img_width": (img_width, 1),
            "batch_size": (batch_size, 0),
        }
        for name, (value, least) in numbers.items():
            if not isinstance(value, int):
                raise TypeError(
                    "incompatible function arguments. The following argument types are supported: "
                    f"{name}: int; got {type(value).__name__}"
                )
            if value < least:
                raise ValueError(f"{name} is {value}; accepted: {least} and more")
        if autoreset_mode not in ("NextStep", "SameStep"):
            raise ValueError(f"Invalid autoreset_mode: {autoreset_mode}")
        rom = roms.load(rom_path)
        self._native = NativeVectorEnv(
            [(rom.data, rom.name, None, None)] * num_envs,
            {
                "batch_size": batch_size,
                "num_threads": num_threads,
                "thread_affinity_offset": thread_affinity_offset,
                "img_height": img_height,
                "img_width": img_width,
                "grayscale": grayscale,
                "stack_num": stack_num,
                "frameskip": frame_skip,
                "maxpool": maxpool,
                "noop_max": noop_max,
                "use_fire_reset": use_fire_reset,
                "episodic_life": episodic_life,
                "life_loss_info": life_loss_info,
                "reward_clipping": reward_clipping,
                "max_num_frames_per_episode": max_episode_steps,
                "repeat_action_probability": repeat_action_probability,
                "full_action_space": full_action_space,
                "autoreset_mode": autoreset_mode,
                "entropy": secrets.randbits(64),
            },
        )

    @classmethod
    def _around(cls, native: NativeVectorEnv) -> ALEVectorInterface:
        interface = object.__new__(cls)
        interface._native = native
        return interface

    def reset(
        self, env_ids: Sequence[int], seeds: Sequence[int], /
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Start episodes of these sub-environments; a negative seed does not seed."""
        count = self._native.num_envs
        if len(env_ids) != len(seeds):
            raise ValueError(f"{len(env_ids)} env_ids and {len(seeds)} seeds; accepted: as many")
        chosen = np.full(count, -2, np.int64)
        for index, seed in zip(env_ids, seeds, strict=True):
            if not 0 <= index < count:
                raise IndexError(f"env_id {index} is out of range; accepted: 0 to {count - 1}")
            if chosen[index] != -2:
                raise ValueError(f"duplicate env_id {index}; accepted: each sub-environment once")
            if not _INT32.min <= seed <= _INT32.max:
                raise TypeError(f"the seed {seed} is too large; accepted: 32-bit integers")
            chosen[index] = max(int(seed), -1)
        return self._native.reset(chosen)

    def send(self, action_ids: Sequence[int], strengths: Sequence[float], /) -> None:
        """Start a step of the sub-environments that were the rows of the last batch."""
        if len(action_ids) != len(strengths):
            raise ValueError(
                f"{len(action_ids)} action_ids and {len(strengths)} strengths; accepted: as many"
            )
        self._native.send(np.asarray(action_ids, np.int64), np.asarray(strengths, np.float32))

    def recv(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Wait for a batch: observations, rewards, terminations, truncations, info."""
        return self._native.recv()

    def get_action_set(self) -> list[Action]:
        """The actions that an index stands for."""
        return [Action(number) for number in self._native.action_set]

    def get_num_envs(self) -> int:
        """Number of sub-environments."""
        return self._native.num_envs

    def get_observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation."""
        return self._native.obs_shape

    def handle(self) -> NDArray[np.uint8]:
        """Eight bytes that name this object while it lives; compiled programs know it by them."""
        return np.frombuffer(self._native.xla_handle(), np.uint8)
