"""Measurements of one environment: `ALEInterface` of both libraries."""

import random
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from measure import Clock, Options, Run
from numpy.typing import NDArray
from same import FRAMESKIP, LIBRARIES, SEED, same

from ale_rs import roms

CHECKED_ACTS = 200
LONGEST_HOLD = 20
CHUNK = 16


class Machine:
    """One interface with a game, sticky actions off."""

    def __init__(self, library: Any, game: str, frame_skip: int) -> None:
        library.ALEInterface.setLoggerMode(library.LoggerMode.Error)
        self.ale = library.ALEInterface()
        self.ale.setInt("random_seed", SEED)
        self.ale.setInt("frame_skip", frame_skip)
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.loadROM(roms.get_rom_path(game))
        self.buffer: NDArray[np.uint8] = np.zeros(self.ale.getScreenDims(), np.uint8)

    def actions(self, count: int) -> list[int]:
        """Random actions, each held for a while."""
        chance = random.Random(SEED)
        minimal = [int(action.value) for action in self.ale.getMinimalActionSet()]
        actions: list[int] = []
        while len(actions) < count:
            actions += [chance.choice(minimal)] * chance.randint(1, LONGEST_HOLD)
        return actions[:count]

    def play(
        self, actions: list[int], look: Callable[[NDArray[np.uint8]], None], clock: Clock
    ) -> tuple[float, int]:
        """Act and look; returns seconds and frames. A game that is over starts again off the clock."""
        act, buffer = self.ale.act, self.buffer
        seconds, frames = 0.0, 0
        for first in range(0, len(actions), CHUNK):
            if self.ale.game_over():
                self.ale.reset_game()
            before = self.ale.getFrameNumber()
            start = clock()
            for action in actions[first : first + CHUNK]:
                act(action)
                look(buffer)
            seconds += clock() - start
            frames += self.ale.getFrameNumber() - before
        return seconds, frames


def pair(game: str, frame_skip: int) -> dict[str, Machine]:
    """The game in both libraries, after a check of screens, RAM and rewards."""
    machines = {name: Machine(library, game, frame_skip) for name, library in LIBRARIES.items()}
    ours, theirs = machines.values()
    for frame, action in enumerate(ours.actions(CHECKED_ACTS)):
        same(ours.ale.act(action), theirs.ale.act(action), f"the reward of {game} in act {frame}")
        same(ours.ale.getScreenRGB(), theirs.ale.getScreenRGB(), f"the screen of {game} after act {frame}")
        same(ours.ale.getRAM(), theirs.ale.getRAM(), f"the RAM of {game} after act {frame}")
    return machines


def start_act(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    del stack

    def contestant(machine: Machine) -> Run:
        actions = machine.actions(options.amount(2000, CHUNK))

        def run() -> float:
            seconds, frames = machine.play(actions, machine.ale.getScreen, options.clock)
            return frames / seconds

        return run

    return {name: contestant(machine) for name, machine in pair(game, 1).items()}


def start_step(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    del stack

    def contestant(machine: Machine) -> Run:
        actions = machine.actions(options.amount(500, CHUNK))

        def run() -> float:
            seconds, frames = machine.play(actions, machine.ale.getScreenGrayscale, options.clock)
            return seconds / frames * FRAMESKIP * 1e6

        return run

    return {name: contestant(machine) for name, machine in pair(game, FRAMESKIP).items()}


def start_snapshot(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    del stack
    machines = pair(game, 1)
    count = options.amount(2000, 50)
    for machine in machines.values():
        check_restore(machine, machine.ale.cloneState, machine.ale.restoreState, game)
    ours = machines["ale_rs"].ale
    check_restore(machines["ale_rs"], ours.snapshot, ours.restore, game)

    def saving(save: Callable[[], Any], restore: Callable[[Any], None]) -> Run:
        def run() -> float:
            start = options.clock()
            for _ in range(count):
                restore(save())
            return (options.clock() - start) / count * 1e6

        return run

    states = {name: saving(m.ale.cloneState, m.ale.restoreState) for name, m in machines.items()}
    return {"exact": saving(ours.snapshot, ours.restore), **states}


def check_restore(
    machine: Machine, save: Callable[[], Any], restore: Callable[[Any], None], game: str
) -> None:
    """Play that goes on from a saved state is what it was."""
    state = save()
    ends = []
    for _ in range(2):
        for action in machine.actions(50):
            machine.ale.act(action)
        ends.append(machine.ale.getRAM())
        restore(state)
    if not np.array_equal(*ends):
        raise AssertionError(f"{game} goes on in another way after a restore")
