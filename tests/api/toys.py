"""Worlds that deep agents learn within seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ale_rs.deep.worlds import Turn

__all__ = ["Catch", "Chain"]


class Chain:
    """Ten states in a row; the right end pays 1 and ends, the left end pays 0.1 and ends."""

    actions, frame = 2, (1, 10)

    def __init__(self) -> None:
        self.place = 4

    def _seen(self) -> NDArray[np.uint8]:
        state = np.zeros((1, 1, 10), np.uint8)
        state[0, 0, self.place] = 255
        return state

    def reset(self, seed: int | None) -> NDArray[np.uint8]:
        self.place = 4
        return self._seen()

    def step(self, action: int) -> Turn:
        self.place += 1 if action else -1
        over = self.place in (0, 9)
        return Turn(self._seen(), 1.0 if self.place == 9 else 0.0, over, False, 1)

    def snapshot(self) -> bytes:
        return bytes([self.place])

    def restore(self, data: bytes) -> NDArray[np.uint8]:
        self.place = data[0]
        return self._seen()


class Catch:
    """Catch on 10 x 10 pixels: a ball falls, a paddle of three pixels moves along the floor."""

    actions, frame = 3, (10, 10)

    def __init__(self, seed: int = 0) -> None:
        self.chance = np.random.default_rng(seed)
        self.reset(None)

    def _seen(self) -> NDArray[np.uint8]:
        state = np.zeros((1, 10, 10), np.uint8)
        state[0, self.row, self.ball] = 255
        state[0, 9, max(self.paddle - 1, 0) : self.paddle + 2] = 255
        return state

    def reset(self, seed: int | None) -> NDArray[np.uint8]:
        self.row, self.ball, self.paddle = 0, int(self.chance.integers(10)), 5
        return self._seen()

    def step(self, action: int) -> Turn:
        self.paddle = min(max(self.paddle + action - 1, 0), 9)
        self.row += 1
        over = self.row == 9
        caught = abs(self.ball - self.paddle) <= 1
        return Turn(self._seen(), (1.0 if caught else -1.0) if over else 0.0, over, False, 1)

    def snapshot(self) -> bytes:
        raise NotImplementedError

    def restore(self, data: bytes) -> NDArray[np.uint8]:
        raise NotImplementedError
