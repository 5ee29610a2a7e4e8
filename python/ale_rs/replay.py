"""`ReplayBuffer`: the replay memory of DQN, with every frame stored once.

States are stacks of frames. A buffer that stores states stores each frame eight times (four in the state,
four in the next one); this one stores it once and assembles states when they are sampled, never across the
start of an episode. It knows neither jax nor torch: samples are numpy arrays, which both take without a copy.

>>> import numpy as np
>>> buffer = ReplayBuffer(1000, (84, 84), stack=4, seed=0)
>>> buffer.begin(np.zeros((84, 84), np.uint8))
>>> for step in range(10):
...     buffer.append(action=1, reward=0.5, terminated=step == 9, frame=np.full((84, 84), step, np.uint8))
>>> batch = buffer.sample(32)
>>> batch.observations.shape, batch.next_observations.shape, batch.actions.dtype
((32, 4, 84, 84), (32, 4, 84, 84), dtype('int32'))
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ale_rs import _native

__all__ = ["ReplayBuffer", "Sample"]


class Sample(NamedTuple):
    """Transitions, a row each.

    `observations` and `next_observations` are views of `frames`, which has one frame more than a state:
    whoever wants one array on a device moves `frames` and cuts it there.
    """

    observations: NDArray[np.uint8]
    actions: NDArray[np.int32]
    rewards: NDArray[np.float32]
    next_observations: NDArray[np.uint8]
    terminations: NDArray[np.bool_]
    frames: NDArray[np.uint8]
    slots: NDArray[np.uint64]


class ReplayBuffer:
    """Transitions of one or many environments, sampled uniformly.

    Args:
        capacity: frames that are kept, of all environments together. 1,000,000 frames of 84 x 84 take 7.1 GB,
            100,000 take 0.71 GB; memory is taken as frames arrive.
        frame_shape: the shape of one frame; bytes.
        stack: frames of a state.
        num_envs: environments that play into the buffer; each has an equal part of it.
        padding: what stands before the first frame of an episode: `"zeros"` or `"first"`.
        seed: of the generator that draws samples.
    """

    def __init__(
        self,
        capacity: int,
        frame_shape: tuple[int, ...] = (84, 84),
        *,
        stack: int = 4,
        num_envs: int = 1,
        padding: Literal["zeros", "first"] = "zeros",
        seed: int = 0,
    ) -> None:
        if padding not in ("zeros", "first"):
            raise ValueError(f'padding is {padding!r}; accepted: "zeros", "first"')
        for name, value in (("capacity", capacity), ("stack", stack), ("num_envs", num_envs)):
            if value < 1:
                raise ValueError(f"{name} is {value}; accepted: 1 and more")
        self.frame_shape = tuple(int(side) for side in frame_shape)
        if not all(side > 0 for side in self.frame_shape):
            raise ValueError(f"frame_shape is {frame_shape}; accepted: sides of 1 and more")
        self._native = _native.Replay(
            capacity=capacity,
            frame=int(np.prod(self.frame_shape)),
            stack=stack,
            streams=num_envs,
            repeat_first=padding == "first",
            seed=seed % 2**64,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], frame_shape: tuple[int, ...] = (84, 84)) -> ReplayBuffer:
        """The buffer that `save` has written, its generator included.

        Raises:
            ValueError: the file is damaged, of another version, or has frames of another shape.
        """
        native = _native.Replay.load(Path(path))
        size = native.shape[1]
        if int(np.prod(frame_shape)) != size:
            raise ValueError(f"{path}: frames of {size} bytes; frame_shape {frame_shape} was asked for")
        buffer = cls.__new__(cls)
        buffer.frame_shape = tuple(frame_shape)
        buffer._native = native
        return buffer

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into a file; a killed process leaves the old file as it was."""
        self._native.save(Path(path))

    @property
    def capacity(self) -> int:
        """Frames that are kept at most."""
        return self._native.shape[0]

    @property
    def stack(self) -> int:
        """Frames of a state."""
        return self._native.shape[2]

    @property
    def num_envs(self) -> int:
        """Environments that play into the buffer."""
        return self._native.shape[3]

    @property
    def nbytes(self) -> int:
        """Memory that is used now."""
        return self._native.nbytes

    def __len__(self) -> int:
        """Transitions that are stored now."""
        return len(self._native)

    def begin(self, frame: ArrayLike, env: int = 0) -> None:
        """Start an episode of an environment with its first frame."""
        self._native.begin(env, self._flat(frame))

    def append(self, action: int, reward: float, terminated: bool, frame: ArrayLike, env: int = 0) -> None:
        """Add what an action led to: its reward, whether the game ended, and the next frame.

        A truncated episode is not terminated: append its last frame, then `begin` the next one.
        """
        self._native.append(env, int(action), float(reward), bool(terminated), self._flat(frame))

    def extend(
        self,
        frames: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike,
        terminations: ArrayLike,
        begins: ArrayLike,
    ) -> None:
        """Add one row for each environment: `begin` where `begins` is true, `append` elsewhere.

        With a vector environment that resets at the next step, `begins` are the ends of the step before.
        """
        rows = np.ascontiguousarray(frames, np.uint8)
        if rows.shape != (self.num_envs, *self.frame_shape):
            expected = (self.num_envs, *self.frame_shape)
            raise ValueError(f"frames of shape {rows.shape}; accepted: {expected}")
        self._native.extend(
            rows.reshape(self.num_envs, -1),
            np.ascontiguousarray(actions, np.int32),
            np.ascontiguousarray(rewards, np.float32),
            np.ascontiguousarray(terminations, np.bool_),
            np.ascontiguousarray(begins, np.bool_),
        )

    def sample(self, batch_size: int, out: Sample | None = None) -> Sample:
        """Draw transitions uniformly, with replacement.

        Args:
            batch_size: number of transitions.
            out: an earlier sample of this size, whose memory is written again.

        Raises:
            RuntimeError: nothing is stored yet.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; accepted: 1 and more")
        sample = self._room(batch_size) if out is None else out
        if len(sample.actions) != batch_size:
            raise ValueError(f"out has {len(sample.actions)} rows; batch_size is {batch_size}")
        flat = sample.frames.reshape(batch_size, -1)
        self._native.sample(flat, sample.actions, sample.rewards, sample.terminations, sample.slots)
        return sample

    def _room(self, rows: int) -> Sample:
        frames = np.empty((rows, self.stack + 1, *self.frame_shape), np.uint8)
        return Sample(
            observations=frames[:, :-1],
            actions=np.empty(rows, np.int32),
            rewards=np.empty(rows, np.float32),
            next_observations=frames[:, 1:],
            terminations=np.empty(rows, np.bool_),
            frames=frames,
            slots=np.empty(rows, np.uint64),
        )

    def _flat(self, frame: ArrayLike) -> NDArray[np.uint8]:
        array: NDArray[Any] = np.asarray(frame)
        if array.shape != self.frame_shape or array.dtype != np.uint8:
            raise ValueError(
                f"a frame of {array.dtype} {array.shape}; this buffer stores uint8 {self.frame_shape}"
            )
        return np.ascontiguousarray(array).reshape(-1)
