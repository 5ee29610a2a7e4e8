"""How the property tests play: random actions from a seed, and a checksum of everything that is seen."""

import hashlib
import random
from typing import Any

import numpy as np

import ale_rs
from ale_rs import roms
from ale_rs.registration import SEVERAL_PLAYERS

ARRAYS = ("env_id", "lives", "frame_number", "episode_frame_number")


def games_of_this_machine() -> list[str]:
    """The games that can be played alone here: ours, and all whose ROM is found."""
    found = [name for name in roms.get_all_rom_ids() if name not in SEVERAL_PLAYERS and roms.locate(name)]
    return [*roms.embedded_ids(), *found]


class Sum:
    """A checksum of results in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, *results: Any) -> None:
        for result in results:
            if isinstance(result, dict):
                self.add(*(result[key] for key in ARRAYS if key in result))
            elif isinstance(result, tuple):
                self.add(*result)
            elif isinstance(result, np.ndarray):
                self._hash.update(np.ascontiguousarray(result).tobytes())
            else:
                self._hash.update(repr(result).encode())

    def text(self) -> str:
        return self._hash.hexdigest()


def actions(env: ale_rs.AtariVectorEnv, seed: int, step: int, first: int = 0) -> Any:
    """The actions of a step; that of `i` depends on the seed, the step and `first + i` only."""
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    draw = [random.Random(f"{seed} {step // 3} {first + index}") for index in range(env.num_envs)]
    return np.array([chance.randrange(count) for chance in draw])


def play(
    env: ale_rs.AtariVectorEnv, seed: int, steps: range, total: Sum | None = None, first: int = 0
) -> Sum:
    """Plays steps with the numbers of `steps`; returns the checksum of what was seen."""
    total = total or Sum()
    for step in steps:
        total.add(env.step(actions(env, seed, step, first)))
    return total
