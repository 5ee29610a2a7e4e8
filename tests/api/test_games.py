import subprocess
import sys
from pathlib import Path

import pytest

import ale_rs
from ale_rs import Action, games, roms
from ale_rs.cli import main

REPOSITORY = Path(__file__).parents[2]
ROM = REPOSITORY / "roms" / "glowdelve.bin"
SHEET = (REPOSITORY / "roms" / "glowdelve.toml").read_text()


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "my_mine.toml"
    path.write_text(SHEET)
    return path


def test_all_games_are_listed_in_the_order_of_the_reference() -> None:
    names = games.names()
    assert names[:3] == ["adventure", "air_raid", "alien"]
    assert names.index("turmoil") < names.index("trondead")
    assert {"glowdelve", "windfall"} <= set(names[104:])
    assert [game.name for game in games.list_games()] == names


def test_a_game_is_found_by_name_checksum_and_rom() -> None:
    breakout = games.get("breakout")
    assert breakout.title == "Breakout"
    assert breakout.uses_paddles
    assert breakout.minimal_actions == (Action.NOOP, Action.FIRE, Action.RIGHT, Action.LEFT)
    assert games.by_md5(breakout.md5.upper()) == breakout
    assert games.by_md5("0" * 32) is None
    mine = games.by_rom(ROM)
    assert mine is not None
    assert mine == games.get("glowdelve") == games.by_rom(ROM.read_bytes())


def test_facts_have_their_types_and_values() -> None:
    skiing = games.get("skiing")
    assert skiing.starting_actions == ("DOWN",) * 16
    assert len(skiing.legal_actions) == 9
    assert games.get("keystone_kapers").starting_actions == ("RESET",)
    assert dict(games.get("backgammon").settings_overrides) == {"paddle_max": 1000000}
    assert games.get("pong").controllers == ("paddles", "paddles")
    assert games.get("berzerk").modes == (*range(1, 10), 16, 17, 18)
    assert games.get("demon_attack").default_mode == 1
    assert "score" in games.get("alien").source


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(ValueError, match=r'no game is known as "brekout" \(did you mean "breakout"\?\)'):
        games.get("brekout")


def test_a_game_of_ones_own_is_played_by_name(sheet: Path) -> None:
    game = games.load(sheet, rom=ROM)
    assert game.name == "my_mine"
    assert "my_mine" in games.names()
    assert roms.load("my_mine").data == ROM.read_bytes()
    env = ale_rs.AtariEnv("my_mine")
    env.reset(seed=1)
    for _ in range(20):
        _, _, terminated, _, info = env.step(1)
        assert not terminated
    assert info["lives"] == 4


def test_a_sheet_is_read_without_making_it_known(tmp_path: Path) -> None:
    path = tmp_path / "only_read.toml"
    path.write_text(SHEET)
    assert games.read(path).title == "Glowdelve"
    assert "only_read" not in games.names()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ram[0x03]", "   ends", r"my_mine.toml: lives: unknown name 'ends' at column 4"),
        ("lives =", "live =", r"my_mine.toml: unknown key 'live' \(did you mean 'lives'\?\)"),
        ("title =", "title", r"my_mine.toml: line 1, column 7: "),
    ],
)
def test_a_wrong_sheet_is_refused_with_file_key_and_reason(
    sheet: Path, old: str, new: str, message: str
) -> None:
    sheet.write_text(SHEET.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        games.load(sheet)


def test_a_rom_that_is_not_the_sheets_is_refused(sheet: Path) -> None:
    with pytest.raises(ValueError, match=r"windfall.bin has the MD5 \w+, but my_mine.toml is for \w+"):
        games.load(sheet, rom=ROM.with_name("windfall.bin"))


def test_the_name_of_a_built_in_game_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "pong.toml"
    path.write_text(SHEET)
    with pytest.raises(ValueError, match=r'"pong" is an embedded game; choose another file name'):
        games.load(path)


def test_check_tells_what_a_sheet_sees(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "check", str(sheet), "--rom", str(ROM), "--frames", "5000"]) == 0
    out = capsys.readouterr().out
    for text in (
        "well formed",
        "played 5000 frames",
        "lives         4 to 3",
        "ends          frame",
        "greatest",
    ):
        assert text in out


def test_check_doubts_what_is_not_meant(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SHEET.replace("lives_initial = 4", "lives_initial = 9").replace("ram[0x01] == 2", "false")
    sheet.write_text(text.replace("ram[0x06], ram[0x05], ram[0x04]", "0, 0, 0"))
    assert main(["games", "check", str(sheet), "--rom", str(ROM), "--frames", "300"]) == 1
    out = capsys.readouterr().out
    for text in ("! reward: none", "! terminal: was never true", "! lives_initial: is 9"):
        assert text in out


def test_check_reports_a_mode_that_is_not_reached(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet.write_text(
        SHEET.replace("until ram[0x02] == m: select(1)", "until m < 2 or ram[0x02] == 99: select(1)")
    )
    assert main(["games", "check", str(sheet), "--rom", str(ROM), "--frames", "100"]) == 1
    out = capsys.readouterr().out
    assert '! set_mode: mode 2 of "my_mine" was not reached: gave up after 100000 frames' in out


def test_check_of_a_wrong_sheet_is_a_users_mistake(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet.write_text("title = 3")
    assert main(["games", "check", str(sheet)]) == 1
    assert capsys.readouterr().err == "ale-rs: my_mine.toml: md5: is missing\n"


def test_show_and_list_print_the_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "show", "video_cube"]) == 0
    assert "(153 of them)" in capsys.readouterr().out
    assert main(["games", "show", str(ROM)]) == 0
    assert "glowdelve (Glowdelve)" in capsys.readouterr().out
    assert main(["games", "list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(games.names())


@pytest.mark.parametrize("script", ["games_doc.py", "corrections_doc.py"])
def test_the_tables_of_games_are_up_to_date(script: str) -> None:
    result = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / script), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
