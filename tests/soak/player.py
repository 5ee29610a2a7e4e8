"""A player of many games at once, whose every decision follows from a seed and the number of the step."""

import pickle
import time
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ale_rs
from ale_rs import roms
from ale_rs.registration import SEVERAL_PLAYERS

FRAMESKIP = 4
SLOTS = 4
"""Snapshots that wait to be restored."""
SLOT_ENVS = 8
"""Sub-environments in each of them."""

EVENTS = {
    "branch": 0.05,
    "restore": 0.05,
    "snapshot": 0.03,
    "reset": 0.05,
    "reset all": 0.001,
    "move": 0.0005,
}
"""What happens between two steps, with its probability."""


def games(count: int) -> list[str]:
    """Games in turn: ours and all whose ROM is found."""
    names = every_game()
    return [names[index % len(names)] for index in range(count)]


def every_game() -> list[str]:
    """Ours and all whose ROM is found."""
    found = [name for name in roms.get_all_rom_ids() if name not in SEVERAL_PLAYERS and roms.locate(name)]
    return [*roms.embedded_ids(), *found]


@dataclass
class Player:
    """A vector environment, some snapshots, the checksums of its steps and their processor seconds."""

    seed: int
    envs: int
    threads: int = 0
    step: int = 0
    busy: float = 0.0
    episodes: int = 0
    events: dict[str, int] = field(default_factory=lambda: dict.fromkeys(EVENTS, 0))
    sums: "array[int]" = field(default_factory=lambda: array("I"))

    def __post_init__(self) -> None:
        self.names = games(self.envs)
        self.env = ale_rs.AtariVectorEnv(
            self.names,
            frameskip=FRAMESKIP,
            num_threads=self.threads,
            repeat_action_probability=0.25,
            full_action_space=True,
        )
        self.env.reset(seed=self.seed)
        first = list(range(min(SLOT_ENVS, self.envs)))
        self.slots = [(first, self.env.snapshot(first).to_bytes()) for _ in range(SLOTS)]

    def play(self) -> None:
        """Perhaps events, then one step of all; every eighth checksum is that of the pictures, too."""
        rng = np.random.default_rng((self.seed, self.step))
        total = 0
        for (name, chance), drawn in zip(EVENTS.items(), rng.random(len(EVENTS)), strict=True):
            if drawn < chance:
                self.events[name] += 1
                observations, info = self._event(name, rng)
                total = zlib.crc32(observations, _sum(info, total))
        actions = rng.integers(18, size=self.envs)
        began = time.process_time()
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        self.busy += time.process_time() - began
        for part in (rewards, terminated, truncated):
            total = zlib.crc32(part, total)
        total = _sum(info, total)
        if self.step % 8 == 0:
            total = zlib.crc32(observations, total)
        self.sums.append(total)
        self.episodes += int((terminated | truncated).sum())
        self.step += 1

    def _event(self, name: str, rng: np.random.Generator) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """What happens between two steps; returns what is seen afterwards."""
        match name:
            case "branch":
                index = int(rng.integers(self.envs))
                alike = [other for other in self._alike(index) if rng.random() < 0.5]
                return self.env.branch(index, alike)
            case "restore":
                ids, data = self.slots[rng.integers(SLOTS)]
                # Into another sub-environment of the same game now and then, if there is one.
                places: list[int] = []
                for index in ids:
                    free = [other for other in self._alike(index) if other not in places]
                    places.append(int(rng.choice(free)))
                return self.env.restore(ale_rs.vector_env.VectorSnapshot.from_bytes(data), places)
            case "snapshot":
                ids = rng.choice(self.envs, min(SLOT_ENVS, self.envs), replace=False).tolist()
                self.slots[rng.integers(SLOTS)] = (ids, self.env.snapshot(ids).to_bytes())
            case "reset":
                mask = rng.random(self.envs) < 0.05
                seeds = rng.integers(2**31, size=int(mask.sum())) if rng.random() < 0.5 else None
                return self.env.reset(seed=seeds, options={"reset_mask": mask})
            case "reset all":
                return self.env.reset(
                    seed=int(rng.integers(2**31 - self.envs)) if rng.random() < 0.5 else None
                )
            case "move":
                self.move()
            case _:
                raise AssertionError(name)
        return self.env.observe()

    def move(self) -> None:
        """Into a new environment, by a pickle; the old one is given up."""
        moved = pickle.loads(pickle.dumps(self.env))
        self.env.close()
        self.env = moved

    def _alike(self, index: int) -> list[int]:
        """Sub-environments with the same game, itself included."""
        return [other for other, game in enumerate(self.names) if game == self.names[index]]

    def save(self) -> bytes:
        """All that the following steps depend on, the seed apart."""
        return pickle.dumps((self.step, self.slots, self.env.snapshot().to_bytes()))

    def load(self, data: bytes) -> None:
        """Go on where another player was."""
        self.step, self.slots, env = pickle.loads(data)
        self.env.restore(ale_rs.vector_env.VectorSnapshot.from_bytes(env))


def _sum(info: dict[str, Any], total: int) -> int:
    for key in ("lives", "frame_number", "episode_frame_number"):
        total = zlib.crc32(np.ascontiguousarray(info[key]), total)
    return total
