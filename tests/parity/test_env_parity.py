"""`AtariEnv` beside that of ale-py: the same seeds and actions give the same everything, on every step."""

import collections
import random
from typing import Any

import numpy as np
import pytest

import ale_rs
from ale_rs import roms
from ale_rs.registration import SEVERAL_PLAYERS

ale_py = pytest.importorskip("ale_py", reason="the reference is not installed")

GAMES = [game for game in roms.get_all_rom_ids() if game not in SEVERAL_PLAYERS]
EPISODES = 3
SAMPLE_FRAMES = 450
"""Of the first environment of a game; `make parity` plays more."""
ACTING = ("adventure", "berzerk", "double_dunk", "video_cube")
"""Games whose mode steps act and draw from the generator."""


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    """Equal values of equal types, arrays and dictionaries included."""
    if isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, where
        np.testing.assert_array_equal(ours, theirs, where)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), where
        for key, value in theirs.items():
            assert_same(ours[key], value, f"{where} {key}")
    else:
        assert type(ours) is type(theirs), where
        assert ours == theirs, where


def play_both(game: str, seed: int, frames: int, **options: Any) -> int:
    """Episodes of random actions in both; the first seeded, the others not. Returns the number of steps."""
    ours, theirs = ale_rs.AtariEnv(game, **options), ale_py.AtariEnv(game, **options)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.get_action_meanings() == theirs.get_action_meanings()
    ours.action_space.seed(seed)
    steps = 0
    for episode in range(EPISODES):
        first = seed if episode == 0 else None
        where = f"{game} seed {seed} {options} episode {episode}"
        for a, b in zip(ours.reset(seed=first), theirs.reset(seed=first), strict=True):
            assert_same(a, b, f"{where} reset")
        over = False
        while not over and ours.ale.getEpisodeFrameNumber() < frames // EPISODES:
            action = ours.action_space.sample()
            results = ours.step(action), theirs.step(action)
            for a, b in zip(*results, strict=True):
                assert_same(a, b, f"{where} frame {ours.ale.getFrameNumber()}")
            over = results[0][2] or results[0][3]
            steps += 1
    return steps


@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_equal(
    game: str, frames: int, all_modes: bool, fresh_seed: int, compared: collections.Counter[str]
) -> None:
    chance = random.Random(f"{fresh_seed} {game}")
    frames = frames if all_modes else SAMPLE_FRAMES
    modes = ale_rs.AtariEnv(game).ale.getAvailableModes()
    # Where mode steps act, the reference can wait forever for one that a frame limit forbids.
    limit = None if game in ACTING else frames // EPISODES - 10
    plain: dict[str, Any] = {"max_num_frames_per_episode": limit}
    other = plain | {
        "mode": chance.choice(modes),
        "obs_type": chance.choice(["grayscale", "ram"]),
        "frameskip": chance.choice([1, 3, (2, 5)]),
    }
    plays = [(plain, 0.0, frames), (other, 0.25, frames // 2)]
    if all_modes:
        plays += [(plain, 0.25, frames), (other | {"mode": chance.choice(modes)}, 0.0, frames // 2)]
    for options, sticky, length in plays:
        compared["steps of AtariEnv compared"] += play_both(
            game, chance.getrandbits(31), length, repeat_action_probability=sticky, **options
        )


@pytest.mark.parametrize("game", ["pong", "breakout", "boxing", "skiing", "backgammon"])
@pytest.mark.parametrize("option", ["continuous", "full_action_space", "sound_obs"])
def test_every_step_is_equal_with_an_option(game: str, option: str, fresh_seed: int) -> None:
    play_both(game, fresh_seed, 900, **{option: True})


@pytest.mark.parametrize("game", ACTING)
def test_games_whose_mode_steps_draw_from_the_generator_are_equal(game: str, fresh_seed: int) -> None:
    for mode in ale_rs.AtariEnv(game).ale.getAvailableModes()[:6]:
        play_both(game, fresh_seed, 300, mode=mode)


def test_unseeded_resets_and_a_second_seed_are_equal(fresh_seed: int) -> None:
    ours, theirs = ale_rs.AtariEnv("seaquest"), ale_py.AtariEnv("seaquest")
    for seed in (fresh_seed, None, None, fresh_seed, 0, None):
        for a, b in zip(ours.reset(seed=seed), theirs.reset(seed=seed), strict=True):
            assert_same(a, b, f"seed {seed}")
        for action in (1, 2, 3, 4, 5) * 6:
            for a, b in zip(ours.step(action), theirs.step(action), strict=True):
                assert_same(a, b, f"seed {seed} action {action}")
