"""The corrected rules: each is proven on the reference, and does what the proof says.

What is corrected, and why, is in `docs/corrections.md`. Without the option every rule is the reference's.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ale_py = pytest.importorskip("ale_py", reason="the reference is not installed")

import ale_rs  # noqa: E402  (after the reference, whose import would register its ids over ours)
from ale_rs import games  # noqa: E402
from golden.record_corrections import Play, score, window  # noqa: E402

PROOFS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "corrections.json").read_text())
# The lives that a game begins with, by mode and difficulty.
LIVES = {
    "alien": {(0, 0): 3, (1, 0): 2, (3, 0): 6},
    "amidar": {(0, 0): 3, (0, 3): 3},
    "bank_heist": {(0, 0): 4},
    "demon_attack": {(1, 0): 4},
    "et": {(0, 0): 3},
    "galaxian": {(1, 0): 3},
    "gravitar": {(0, 0): 6, (1, 0): 15, (3, 0): 100, (4, 0): 25},
    "mario_bros": {(0, 0): 5, (4, 0): 3},
    "turmoil": {(0, 0): 4},
    "up_n_down": {(0, 0): 5, (0, 2): 3},
}
ENERGY_OF_ET = 0x53
"""Two digits; without energy a life is lost."""
MAX_FRAMES = 30_000
SAMPLE_FRAMES = 1000


@pytest.fixture(autouse=True)
def quiet() -> None:
    for package in (ale_rs, ale_py):
        package.ALEInterface.setLoggerMode(package.LoggerMode.Error)


def test_every_corrected_rule_has_an_experiment() -> None:
    # The table [corrected] with those below it; the sheet may go on with other tables.
    sheets = {
        game.name: re.split(r"\n\[(?!corrected\.)", game.source.partition("[corrected]")[2])[0]
        for game in games.list_games()
    }
    rewards = {
        name
        for name, rules in sheets.items()
        if re.search(r"^(wraps_at|reward|score) = ", rules, re.MULTILINE)
    }
    assert rewards == set(PROOFS)
    others = {name for name, rules in sheets.items() if re.search(r"^(lives|terminal)", rules, re.MULTILINE)}
    assert others == set(LIVES)
    for name, rules in sheets.items():
        assert set(re.findall(r"^(\w+) = ", rules.partition("[corrected.")[0], re.MULTILINE)) <= {
            "wraps_at",
            "reward",
            "score",
            "lives",
            "lives_initial",
            "terminal",
            "notes",
        }, name


@pytest.mark.parametrize("game", PROOFS)
def test_points_count_where_the_score_starts_again(game: str, all_modes: bool) -> None:
    proof = PROOFS[game]
    if not all_modes and proof["frame"] > SAMPLE_FRAMES:
        pytest.skip(f"takes {proof['frame']} frames; make parity plays them")
    points = window(ale_py, game, proof, write=False)[0]
    assert points > 0
    theirs, before, after, over = window(ale_py, game, proof, write=True)
    assert theirs == proof["reference"] != proof["reward"]
    assert not over
    if "wraps_at" in proof:
        assert proof["reward"] == points
        assert score(game, after) == score(game, before) + points - proof["wraps_at"]
    else:
        assert proof["reward"] == 0
        assert score(game, after) not in range(proof["stops_at"] - points, proof["stops_at"] + points)
    assert window(ale_rs, game, proof, write=True) == (theirs, before, after, over)
    assert window(ale_rs, game, proof, write=True, corrected=True) == (proof["reward"], before, after, over)


def begin(package: Any, game: str, mode: int, difficulty: int, **flags: bool) -> Play:
    play = Play(package, game, 1, truncate_on_loss_of_life=True, **flags)
    play.ale.setMode(mode)
    play.ale.setDifficulty(difficulty)
    play.ale.reset_game()
    if game == "et":
        play.ale.setRAM(ENERGY_OF_ET, 0)
    return play


@pytest.mark.parametrize("game", LIVES)
def test_loss_of_life_is_measured_against_the_lives_of_the_start(game: str) -> None:
    for start, lives in LIVES[game].items():
        play = begin(ale_rs, game, *start, corrected=True)
        assert play.ale.lives() == lives
        for _ in range(MAX_FRAMES):
            if play.ale.game_over():
                break
            before = play.ale.lives()
            play.frame()
            assert play.ale.game_truncated() == (play.ale.lives() < lives)
        assert (before, play.ale.lives()) == (lives, lives - 1), f"{game} {start}"


@pytest.mark.parametrize("game", LIVES)
def test_the_reference_measures_it_otherwise(game: str) -> None:
    agrees = True
    for start, lives in LIVES[game].items():
        ours, theirs = begin(ale_rs, game, *start, corrected=True), begin(ale_py, game, *start)
        plain = begin(ale_rs, game, *start)
        for _ in range(MAX_FRAMES):
            seen = theirs.ale.lives(), theirs.ale.game_over(), theirs.ale.game_truncated()
            assert seen == (plain.ale.lives(), plain.ale.game_over(), plain.ale.game_truncated())
            agrees &= seen == (ours.ale.lives(), ours.ale.game_over(), ours.ale.game_truncated())
            if not agrees or ours.ale.lives() < lives:
                break
            for play in (ours, theirs, plain):
                play.frame()
    assert not agrees


def test_demon_attack_can_be_played_in_all_its_modes() -> None:
    for mode in (3, 5, 7):
        for package in (ale_py, ale_rs):
            theirs = Play(package, "demon_attack", 1)
            theirs.ale.setMode(mode)
            theirs.ale.reset_game()
            assert theirs.ale.game_over(with_truncation=False)
        ours = Play(ale_rs, "demon_attack", 1, corrected=True)
        ours.ale.setMode(mode)
        ours.ale.reset_game()
        points, lives = 0, [ours.ale.lives()]
        while not ours.ale.game_over():
            points += ours.frame()
            lives.append(ours.ale.lives())
        assert points > 0
        assert sorted(set(lives), reverse=True) == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("corrected", [False, True])
def test_the_option_of_the_gymnasium_environment(corrected: bool) -> None:
    env = ale_rs.AtariEnv("asterix", repeat_action_probability=0.0, corrected=corrected)
    env.reset(seed=1)
    env.action_space.seed(1)
    for cell, value in ((0x5E, 0x99), (0x5F, 0x99), (0x60, 0x50)):
        env.ale.setRAM(cell, value)
    env.step(0)
    rewards = []
    while not rewards or score("asterix", bytes(env.ale.getRAM())) > 900_000:
        rewards.append(env.step(env.action_space.sample())[1])
    points = score("asterix", bytes(env.ale.getRAM())) + 1_000_000 - 999_950
    assert 0 < points < 1_000
    assert sum(rewards) == (points if corrected else points - 1_000_000)


@pytest.mark.parametrize("corrected", [False, True])
def test_the_option_of_the_vector_environment(corrected: bool) -> None:
    envs = ale_rs.AtariVectorEnv("demon_attack", num_envs=2, mode=5, corrected=corrected)
    envs.reset(seed=1)
    assert envs.step(np.zeros(2, np.int64))[2].tolist() == [not corrected] * 2


def test_states_fit_only_the_rules_they_come_from() -> None:
    ours, corrected = Play(ale_rs, "asterix", 1), Play(ale_rs, "asterix", 1, corrected=True)
    with pytest.raises(RuntimeError, match="corrected"):
        corrected.ale.restoreState(ours.ale.cloneState())
    with pytest.raises(RuntimeError, match="corrected"):
        ours.ale.restore(corrected.ale.snapshot())
