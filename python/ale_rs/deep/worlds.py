"""What a trial plays: one environment whose observations are stacks of frames."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ale_rs._gymnasium import AutoresetMode
from ale_rs.deep.presets import Preset
from ale_rs.vector_env import AtariVectorEnv, VectorSnapshot

__all__ = ["Atari", "Turn", "World"]


class Turn(NamedTuple):
    """What a decision led to; `life` is true where a life was lost and the game goes on."""

    states: NDArray[np.uint8]
    reward: float
    terminated: bool
    truncated: bool
    frames: int
    life: bool = False


class World(Protocol):
    """One environment; a toy in tests, a game of the Atari 2600 otherwise."""

    actions: int
    frame: tuple[int, ...]

    def reset(self, seed: int | None) -> NDArray[np.uint8]:
        """The first state of an episode: (stack, height, width)."""

    def step(self, action: int) -> Turn:
        """What an action leads to."""

    def snapshot(self) -> bytes:
        """The state of the world, its generators included."""

    def restore(self, data: bytes) -> NDArray[np.uint8]:
        """Go back to a snapshot; returns the observation there."""

    def close(self) -> None:
        """Give the memory back."""


class Atari:
    """A game with the settings of a preset and its protocol.

    A frame of a state shows the last two frames of a decision: their maximum, or their average (`pooling`),
    which is formed here, of frames that the environment gives one by one.
    """

    frame: tuple[int, ...] = (84, 84)

    def __init__(self, game: str, preset: Preset, env: dict[str, object]) -> None:
        averages = preset.pooling == "average" and preset.frameskip > 1
        self._repeats = preset.frameskip if averages else 1
        self._env = AtariVectorEnv(
            game,
            1,
            num_threads=1,
            frameskip=1 if averages else preset.frameskip,
            stack_num=2 if averages else preset.stack,
            noop_max=preset.noop_max,
            use_fire_reset=False,
            reward_clipping=False,
            episodic_life=preset.life_loss_ends_episode,
            continue_lives=preset.life_loss_ends_episode,
            full_action_space=bool(env.get("full_action_space", True)),
            repeat_action_probability=float(str(env.get("repeat_action_probability", 0.0))),
            max_num_frames_per_episode=int(str(env.get("max_num_frames_per_episode", 108_000))),
            autoreset_mode=AutoresetMode.DISABLED,
            extra_info=("game_over",),
        )
        self.actions = int(getattr(self._env.single_action_space, "n", 0))
        self._frame_number = 0
        self._last: NDArray[np.uint8] = np.zeros((preset.stack, *self.frame), np.uint8)

    def reset(self, seed: int | None) -> NDArray[np.uint8]:
        """The first state of an episode."""
        states, info = self._env.reset(seed=seed)
        self._frame_number = int(info["frame_number"][0])
        if self._repeats == 1:
            self._last = states[0]
        else:
            self._last = np.zeros_like(self._last)
            self._last[-1] = states[0, -1]
        return self._last

    def step(self, action: int) -> Turn:
        """What an action leads to."""
        reward = 0.0
        for _ in range(self._repeats):
            states, rewards, terminated, truncated, info = self._env.step(np.array([action]))
            reward += float(rewards[0])
            ended, cut = bool(terminated[0]), bool(truncated[0])
            if ended or cut:
                break
        frames = int(info["frame_number"][0]) - self._frame_number
        self._frame_number += frames
        if self._repeats == 1:
            self._last = states[0]
        else:
            shown = states[0].astype(np.uint16).sum(axis=0) // 2
            self._last = np.concatenate([self._last[1:], shown[None].astype(np.uint8)])
        life = ended and not cut and not info["game_over"][0]
        return Turn(self._last, reward, ended, cut, frames, life)

    def snapshot(self) -> bytes:
        """The state of the game."""
        header = self._frame_number.to_bytes(8, "little")
        return header + self._last.tobytes() + self._env.snapshot().to_bytes()

    def restore(self, data: bytes) -> NDArray[np.uint8]:
        """Go back to a snapshot."""
        self._env.reset(seed=0)
        self._frame_number = int.from_bytes(data[:8], "little")
        size = self._last.size
        self._last = np.frombuffer(data[8 : 8 + size], np.uint8).reshape(self._last.shape)
        self._env.restore(VectorSnapshot.from_bytes(data[8 + size :]))
        return self._last

    def close(self) -> None:
        """Give the memory back."""
        self._env.close()
