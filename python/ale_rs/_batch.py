"""What the vector environments of all worlds do in the same way."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from gymnasium import error, spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ale_rs import _arguments, _vector_arguments
from ale_rs._gymnasium import VectorEnv

__all__ = ["BatchEnv"]

O = TypeVar("O")  # noqa: E741 (observations)
R = TypeVar("R")
S = TypeVar("S")


class BatchEnv(VectorEnv[O, Any, R], Generic[O, R, S]):
    """Sub-environments stepped by native threads: observations `O`, rewards `R`, snapshots `S`."""

    _native: Any
    _first_id = 0
    """What ids of sub-environments count from."""
    num_envs: int
    batch_size: int
    closed: bool
    single_observation_space: spaces.Space[Any]

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The space of a batch; it is large (four numbers for each byte) and made when first asked for."""
        return batch_space(self.single_observation_space, self.batch_size)

    def recv(self) -> tuple[O, R, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Wait for the next `batch_size` results."""
        self._check_open()
        return self._native.recv()  # type: ignore[no-any-return]

    def snapshot(self, env_ids: Sequence[int] | None = None) -> S:
        """All sub-environments as they are now, or those in `env_ids`."""
        return self._native.snapshot(self._rows(env_ids))  # type: ignore[no-any-return]

    def restore(self, snapshot: S | bytes, env_ids: Sequence[int] | None = None) -> tuple[O, dict[str, Any]]:
        """Go back to a snapshot.

        Args:
            snapshot: of this environment or of one with the same worlds and options, or the bytes
                of one.
            env_ids: sub-environments to restore, one for each in the snapshot; by default the same ones.

        Returns:
            observations and info of all sub-environments, as `observe`.
        """
        self._check_synchronous()
        if isinstance(snapshot, bytes):
            snapshot = self._parse(snapshot)
        self._native.restore(snapshot, self._rows(env_ids))
        return self.observe()

    def _parse(self, data: bytes) -> S:
        """The snapshot with these bytes."""
        raise NotImplementedError

    def branch(self, index: int, targets: int | Sequence[int]) -> tuple[O, dict[str, Any]]:
        """Copy sub-environment `index` into others: `targets`, or the next `targets` ones if it is a number.

        Returns:
            observations and info of all sub-environments, as `observe`.
        """
        self._check_synchronous()
        if isinstance(targets, int):
            last = index + _arguments.integer("targets", targets, 0)
            if last >= self.num_envs:
                raise IndexError(f"there is no sub-environment {last}; accepted: 0 to {self.num_envs - 1}")
            targets = range(index + 1, last + 1)
        (row,) = _vector_arguments.numbers([index])
        self._native.branch(row, _vector_arguments.numbers(targets))
        return self.observe()

    def observe(self) -> tuple[O, dict[str, Any]]:
        """Observations and info of all sub-environments as they are now, without a step.

        Synchronous mode only, as `restore` and `branch`, which return them.
        """
        self._check_open()
        self._check_synchronous()
        return self._native.observe()  # type: ignore[no-any-return]

    def _rows(self, env_ids: Sequence[int] | None) -> list[int] | None:
        return None if env_ids is None else _vector_arguments.numbers(env_ids, self._first_id)

    def _state(self) -> bytes | None:
        """The state of every sub-environment; `None` before the first reset."""
        try:
            return self._native.snapshot().to_bytes()  # type: ignore[no-any-return]
        except RuntimeError:
            if self._native.in_flight:
                raise
            return None

    def _check_synchronous(self) -> None:
        if self.batch_size < self.num_envs:
            raise ValueError(
                f"batch_size is {self.batch_size} of {self.num_envs}; "
                "accepted: synchronous mode, where a batch shows all sub-environments"
            )

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the vector environment was closed; make a new one")
