"""The fact sheets beside the reference: rewards, ends, lives, memory and picture are equal on every frame.

`make parity` plays every mode with every difficulty; without `--all-modes` a sample of them is played.
"""

import collections
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ale_py = pytest.importorskip("ale_py", reason="the reference is not installed")

import ale_rs  # noqa: E402  (after the reference, whose import would register its ids over ours)
from ale_rs import registration, roms  # noqa: E402
from golden.record_games import NOT_WRITTEN, SHEETS, cells_of, constants_of, rules_of  # noqa: E402

NO_RULES = registration.SEVERAL_PLAYERS
GAMES = [game for game in roms.get_all_rom_ids() if game not in NO_RULES]
SAMPLE_FRAMES = 200
SAMPLE_MODES = 3
ROUNDS = 60


class Both:
    """The reference and ours on the same actions."""

    def __init__(self, game: str, seed: int, sticky: float = 0.0, **flags: bool) -> None:
        self.random = random.Random(f"{game} {seed}")
        self.where = f"{game} seed {seed}"
        for package in (ale_rs, ale_py):
            package.ALEInterface.setLoggerMode(package.LoggerMode.Error)
        self.pair = [ale_rs.ALEInterface(), ale_py.ALEInterface()]
        for ale in self.pair:
            ale.setInt("random_seed", seed & 0x7FFFFFFF)
            ale.setFloat("repeat_action_probability", sticky)
            for key, value in flags.items():
                ale.setBool(key, value)
            path = roms.locate(game)
            assert isinstance(path, Path), f"the ROM of {game} is missing"
            ale.loadROM(str(path))
        self.ours, self.theirs = self.pair
        self.actions = [action.value for action in self.theirs.getMinimalActionSet()]
        self.action = self.held = 0

    def same(self, what: str, *arguments: Any, **named: Any) -> Any:
        ours, theirs = (getattr(ale, what)(*arguments, **named) for ale in self.pair)
        assert ours == theirs, f"{self.where} frame {self.theirs.getFrameNumber()}: {what}"
        return theirs

    def compare(self) -> None:
        self.same("lives")
        self.same("game_over", with_truncation=False)
        self.same("game_truncated")
        self.same("getEpisodeFrameNumber")
        ours, theirs = (ale.getRAM().tobytes() for ale in self.pair)
        assert ours == theirs, f"{self.where} frame {self.theirs.getFrameNumber()}: RAM"
        pictures = [ale.getScreen() for ale in self.pair]
        assert np.array_equal(*pictures), f"{self.where} frame {self.theirs.getFrameNumber()}: picture"

    def start(self, mode: int, difficulty: int) -> None:
        self.where = f"{self.where.split(' mode')[0]} mode {mode} difficulty {difficulty}"
        for ale in self.pair:
            ale.setMode(mode)
            ale.setDifficulty(difficulty)
        self.reset()

    def reset(self) -> None:
        for ale in self.pair:
            ale.reset_game()
        self.compare()

    def step(self) -> bool:
        if self.held == 0:
            pool: Any = self.actions if self.random.random() < 0.9 else range(18)
            self.action, self.held = self.random.choice(pool), self.random.randint(1, 16)
        self.held -= 1
        self.same("act", self.action)
        self.compare()
        return bool(self.theirs.game_over(with_truncation=False))

    def play(self, frames: int) -> int:
        """Play, less where a game is over right after its reset; returns the number of frames played."""
        for frame in range(frames):
            if self.theirs.game_over(with_truncation=False):
                self.reset()
            if self.theirs.game_over(with_truncation=False):
                return frame
            self.step()
        return frames

    def write(self, cell: int, value: int) -> None:
        for ale in self.pair:
            ale.setRAM(cell, value)


@pytest.mark.parametrize("game", GAMES)
def test_lists_are_equal(game: str) -> None:
    both = Both(game, 1)
    for what in ("getAvailableModes", "getAvailableDifficulties"):
        both.same(what)
    for what in ("getMinimalActionSet", "getLegalActionSet"):
        ours, theirs = ([action.name for action in getattr(ale, what)()] for ale in both.pair)
        assert ours == theirs, f"{game} {what}"
    ours, theirs = (ale.cloneState().getCurrentMode() for ale in both.pair)
    assert ours == theirs, f"{game}: default mode"
    for key in ("paddle_min", "paddle_max"):
        both.same("getInt", key)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("game", GAMES)
def test_every_mode_is_equal(
    game: str, frames: int, all_modes: bool, fresh_seed: int, compared: collections.Counter[str]
) -> None:
    both = Both(game, fresh_seed, sticky=0.25)
    modes, difficulties = both.ours.getAvailableModes(), both.ours.getAvailableDifficulties()
    pairs = [(mode, difficulty) for mode in modes for difficulty in difficulties]
    if not all_modes:
        pairs = [pairs[0], *both.random.sample(pairs[1:], min(SAMPLE_MODES - 1, len(pairs) - 1))]
    for mode, difficulty in pairs:
        both.start(mode, difficulty)
        wanted = max(frames, 1000) if all_modes else SAMPLE_FRAMES
        played = both.play(wanted)
        compared["pairs of mode and difficulty compared"] += 1
        compared["frames compared in them"] += played
        if played < wanted:
            compared["pairs that are over right after a reset"] += 1


@pytest.mark.timeout(0)
@pytest.mark.parametrize("game", GAMES)
def test_memory_of_chance_is_judged_equally(
    game: str, all_modes: bool, fresh_seed: int, compared: collections.Counter[str]
) -> None:
    rules = rules_of((SHEETS / f"{game}.toml").read_text())
    cells = [cell for cell in cells_of(rules) if cell < 128 and cell not in NOT_WRITTEN.get(game, set())]
    values = constants_of(rules)
    both = Both(game, fresh_seed)
    for _ in range(ROUNDS * (10 if all_modes else 1)):
        if both.theirs.game_over(with_truncation=False) or both.random.random() < 0.02:
            lists = both.same("getAvailableModes"), both.same("getAvailableDifficulties")
            both.start(*map(both.random.choice, lists))
        if both.theirs.game_over(with_truncation=False):
            continue
        chosen = both.random.sample(cells, both.random.randint(1, min(4, len(cells))))
        if both.random.random() < 0.1:
            chosen = cells
        same = both.random.choice(values)
        for cell in chosen:
            digits = both.random.randint(0, 9) * 16 + both.random.randint(0, 9)
            others = both.random.choice(values), digits, both.random.randrange(256)
            both.write(cell, same if chosen is cells else both.random.choice(others))
        compared["times that memory of chance was compared"] += 1
        for _ in range(both.random.randint(1, 4)):
            if both.step():
                break


@pytest.mark.parametrize("game", [game for game in GAMES if game != "atlantis2"])
def test_loss_of_life_is_measured_against_the_same_count(game: str, fresh_seed: int) -> None:
    rules = rules_of((SHEETS / f"{game}.toml").read_text())
    cells = [cell for cell in cells_of(rules) if cell < 128 and cell not in NOT_WRITTEN.get(game, set())]
    both = Both(game, fresh_seed, truncate_on_loss_of_life=True)
    both.compare()
    for _ in range(30):
        if both.same("game_over"):
            both.reset()
            if both.same("game_over"):
                return
        for cell in cells:
            if both.random.random() < 0.3:
                both.write(cell, both.random.choice([both.random.randint(0, 9), both.random.randrange(256)]))
        both.step()
