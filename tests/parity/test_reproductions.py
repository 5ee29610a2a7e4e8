"""A small part of the reproductions, beside the verdicts that are kept: `make reproduce` plays more."""

from pathlib import Path

import pytest

from ale_rs import reproduce, roms
from ale_rs.reproduce.kept import worse

KEPT = Path(__file__).parents[2] / "docs" / "reproductions"
GAMES = ["asterix", "boxing", "breakout", "pong", "qbert", "space_invaders"]


def test_modes_are_what_was_kept() -> None:
    assert worse(reproduce.run("modes"), KEPT) == []


@pytest.mark.parametrize("game", GAMES)
def test_one_action_held_gives_the_published_number(game: str, tmp_path: Path) -> None:
    if roms.locate(game) is None:
        pytest.skip(f"the ROM of {game} is not installed")
    result = reproduce.run("const", games=[game], out=tmp_path)
    assert worse(result, KEPT) == []
    assert result.rows[0].verdict in ("equal", "explained")
