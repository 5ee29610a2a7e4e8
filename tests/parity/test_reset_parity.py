"""Resets without a seed against ale-py's: many in a row, of every game, after play of every length."""

import random
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv, roms
from ale_rs.registration import SEVERAL_PLAYERS

ale_py = pytest.importorskip("ale_py", reason="the comparison needs ale-py: pip install 'ale-rs[roms]'")

GAMES = [game for game in roms.get_all_rom_ids() if game not in SEVERAL_PLAYERS]
INFO = ("lives", "frame_number", "episode_frame_number")
FRAMES_A_ROUND = 500


def same(theirs: tuple[Any, ...], ours: tuple[Any, ...], when: str) -> None:
    for their_part, our_part in zip(theirs[:-1], ours[:-1], strict=True):
        assert np.array_equal(their_part, our_part), when
    for key in INFO:
        assert theirs[-1][key].tolist() == ours[-1][key].tolist(), f"{key} {when}"


@pytest.mark.parametrize("game", GAMES)
def test_resets_in_the_middle_of_play_are_the_same(game: str, fresh_seed: int, frames: int) -> None:
    rng = random.Random(f"{fresh_seed} {game} resets")
    options = {
        # Episodes of a few steps: most of the work are resets, each with another past.
        "max_num_frames_per_episode": rng.choice([4, 9, 40]),
        "noop_max": rng.choice([0, 2, 3, 30]),
        "repeat_action_probability": rng.choice([0.0, 0.25]),
        "stack_num": 1,
    }
    theirs, ours = ale_py.AtariVectorEnv(game, 2, **options), AtariVectorEnv(game, 2, **options)
    seed = rng.randrange(2**31 - 2)
    same(theirs.reset(seed=seed), ours.reset(seed=seed), "at the start")
    actions = int(ours.single_action_space.n)  # type: ignore[attr-defined]
    for number in range(max(1, frames // FRAMES_A_ROUND)):
        for step in range(rng.randrange(1, 12)):
            action = np.array([rng.randrange(actions) for _ in range(2)])
            same(theirs.step(action), ours.step(action), f"in step {step} of round {number}")
        same(theirs.reset(), ours.reset(), f"after reset {number}")
