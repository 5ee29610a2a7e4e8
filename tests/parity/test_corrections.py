"""The corrected rules: each is proven on the reference, and does what the proof says.

What is corrected, and why, is in `docs/corrections.md`. Without the option every rule is the reference's.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ale_py = pytest.importorskip("ale_py", reason="the reference is not installed")

import ale_rs  # noqa: E402  (after the reference, whose import would register its ids over ours)
from ale_rs import games  # noqa: E402
from golden.record_corrections import Play, score, window  # noqa: E402

PROOFS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "corrections.json").read_text())
# Lives right after a reset, in the default mode and in another where it differs.
LIVES = {
    "alien": {0: 3, 2: 2},
    "amidar": {0: 3},
    "bank_heist": {0: 4},
    "demon_attack": {1: 4},
    "et": {0: 3},
    "galaxian": {1: 4},
    "gravitar": {0: 6, 1: 15},
    "mario_bros": {0: 5, 4: 3},
    "turmoil": {0: 3},
}


@pytest.fixture(autouse=True)
def quiet() -> None:
    for package in (ale_rs, ale_py):
        package.ALEInterface.setLoggerMode(package.LoggerMode.Error)


def wrapping() -> dict[str, int]:
    """The games whose corrected rules have `wraps_at`."""
    found = {}
    for game in games.list_games():
        rules = game.source.partition("[corrected]")[2]
        if match := re.search(r"^wraps_at = (\d+)$", rules, re.MULTILINE):
            found[game.name] = int(match[1])
    return found


def test_every_score_that_wraps_has_a_proof() -> None:
    assert wrapping() == {game: proof["wraps_at"] for game, proof in PROOFS.items()}


@pytest.mark.parametrize("game", PROOFS)
def test_points_count_where_the_score_starts_again(game: str) -> None:
    proof = PROOFS[game]
    points = window(ale_py, game, proof, write=False)[0]
    assert points == proof["reward"] > 0
    theirs, before, after, over = window(ale_py, game, proof, write=True)
    assert score(game, after) == score(game, before) + points - proof["wraps_at"]
    assert not over
    assert theirs != points
    assert window(ale_rs, game, proof, write=True) == (theirs, before, after, over)
    assert window(ale_rs, game, proof, write=True, corrected=True) == (points, before, after, over)


@pytest.mark.parametrize("game", LIVES)
def test_loss_of_life_is_measured_against_the_lives_of_the_start(game: str) -> None:
    for mode, lives in LIVES[game].items():
        play = Play(ale_rs, game, 1, truncate_on_loss_of_life=True, corrected=True)
        play.ale.setMode(mode)
        play.ale.reset_game()
        assert play.ale.lives() == lives
        assert not play.ale.game_over()
        frames = 0
        while not play.ale.game_over() and frames < 20_000:
            play.frame()
            frames += 1
            assert play.ale.game_truncated() == (play.ale.lives() < lives)
        assert play.ale.lives() < lives, f"{game} mode {mode}: no life was lost in {frames} frames"


@pytest.mark.parametrize("game", LIVES)
def test_the_reference_measures_it_otherwise(game: str) -> None:
    wrong = False
    for mode, lives in LIVES[game].items():
        play = Play(ale_py, game, 1, truncate_on_loss_of_life=True)
        play.ale.setMode(mode)
        play.ale.reset_game()
        frames = 0
        while not play.ale.game_over() and play.ale.lives() >= lives and frames < 20_000:
            play.frame()
            frames += 1
        wrong |= play.ale.game_truncated() != (frames > 0 and play.ale.lives() < lives)
    assert wrong


def test_demon_attack_can_be_played_in_all_its_modes() -> None:
    for mode in (3, 5, 7):
        theirs = Play(ale_py, "demon_attack", 1)
        theirs.ale.setMode(mode)
        theirs.ale.reset_game()
        assert theirs.ale.game_over(with_truncation=False)
        ours = Play(ale_rs, "demon_attack", 1, corrected=True)
        ours.ale.setMode(mode)
        ours.ale.reset_game()
        assert sum(ours.frame() for _ in range(3000) if not ours.ale.game_over()) > 0
