"""One game in both libraries at once, compared after every frame; runs in a process of its own."""

import random
from pathlib import Path
from typing import Any, NamedTuple

import ale_py
import numpy as np
from numpy.typing import NDArray

import ale_rs

LONGEST_HOLD = 20
RAM, SOUND = 128, 512


class Difference(NamedTuple):
    """Where the two parted."""

    what: str
    frame: int
    action: int

    def __str__(self) -> str:
        return f"{self.what} after frame {self.frame}, action {self.action}"


class Player:
    """One of the two interfaces, its RAM, sound and screen in one array."""

    def __init__(self, library: Any, path: Path, seed: int) -> None:
        library.ALEInterface.setLoggerMode(library.LoggerMode.Error)
        self.ale = library.ALEInterface()
        self.ale.setInt("random_seed", seed)
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setBool("sound_obs", True)
        self.ale.loadROM(path)
        height, width = self.ale.getScreenDims()
        self.bytes: NDArray[np.uint8] = np.zeros(RAM + SOUND + height * width, np.uint8)
        self.ram, self.sound = self.bytes[:RAM], self.bytes[RAM : RAM + SOUND]
        self.screen = self.bytes[RAM + SOUND :].reshape(height, width)

    def look(self) -> None:
        """Fill the array."""
        self.ale.getRAM(self.ram)
        self.ale.getAudio(self.sound)
        self.ale.getScreen(self.screen)

    def act(self, action: int) -> tuple[int, int, bool]:
        """Act for one frame and look; returns reward, lives and whether the game is over."""
        reward = self.ale.act(action)
        self.look()
        return reward, self.ale.lives(), self.ale.game_over()


def play(path: Path, seed: int, frames: int) -> Difference | None:
    """From power-on through `frames` frames of held random actions; a game that ends is started anew."""
    ours, theirs = Player(ale_rs, path, seed), Player(ale_py, path, seed)
    legal = [int(action.value) for action in theirs.ale.getLegalActionSet()]
    if [action.value for action in ours.ale.getLegalActionSet()] != legal:
        return Difference("legal actions", 0, 0)
    if ours.screen.shape != theirs.screen.shape:
        return Difference(f"screen of {ours.screen.shape} instead of {theirs.screen.shape}", 0, 0)
    ours.look()
    theirs.look()
    if not np.array_equal(ours.bytes, theirs.bytes):
        return Difference(describe(ours, theirs), 0, 0)
    chance = random.Random(seed)
    action = left = 0
    for frame in range(1, frames + 1):
        if left == 0:
            action, left = chance.choice(legal), chance.randint(1, LONGEST_HOLD)
        left -= 1
        outcome, expected = ours.act(action), theirs.act(action)
        if outcome != expected:
            what = f"(reward, lives, game over) = {outcome} instead of {expected}"
            return Difference(what, frame, action)
        if not np.array_equal(ours.bytes, theirs.bytes):
            return Difference(describe(ours, theirs), frame, action)
        if expected[2]:
            ours.ale.reset_game()
            theirs.ale.reset_game()
    return None


def describe(ours: Player, theirs: Player) -> str:
    """How many bytes of what differ, and the first of them."""
    parts = []
    for name in ("ram", "sound", "screen"):
        mine, reference = getattr(ours, name), getattr(theirs, name)
        where = np.argwhere(mine != reference)
        if len(where):
            first = tuple(where[0].tolist())
            parts.append(
                f"{name}: {len(where)} differ, first at {first}: {mine[first]} instead of {reference[first]}"
            )
    return "; ".join(parts)
