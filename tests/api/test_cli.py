"""The command `ale-rs`: what it prints and its exit codes."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import ale_rs
from ale_rs import roms
from ale_rs.cli import main, parser


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ale_rs", *arguments], capture_output=True, text=True, check=False
    )


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"ale-rs {ale_rs.__version__}\n")


@pytest.mark.parametrize("arguments", [("nonsense",), ("roms",), ("roms", "where"), ("roms", "list", "--x")])
def test_a_wrong_call_is_explained_with_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ale-rs")


def test_help_describes_every_command() -> None:
    text = parser().format_help()
    for command in ("demo", "roms", "games", "play", "replay", "bench"):
        assert re.search(rf"^ +{command} +\w", text, re.MULTILINE), command


def test_a_missing_rom_is_no_traceback(no_roms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roms", "where", "pong"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith('ale-rs: the ROM of "pong" was not found.')
    assert "ale-rs roms install" in said.err
    assert not no_roms.exists()


def test_an_unknown_game_is_no_traceback() -> None:
    done = run("roms", "where", "pomg")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'ale-rs: no game is known as "pomg" (did you mean "pong"?)\n'


@pytest.mark.usefixtures("no_roms")
def test_the_list_shows_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roms", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(roms.get_all_rom_ids()) + len(roms.embedded_ids())
    assert re.fullmatch(r"adventure +missing", lines[0])


def test_import_of_nothing_known_fails(
    no_roms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for index in range(25):
        (tmp_path / f"{index:02}.bin").write_bytes(bytes([index]) * 2048)
    assert main(["roms", "import", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("unknown  ") for line in lines) == 21
    assert lines[-1] == f"0 copied to {no_roms}, 0 present before, 25 unknown."
    assert main(["roms", "import", str(tmp_path / "nothing")]) == 1


def test_ctrl_c_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(roms, "load", interrupt)
    assert main(["roms", "where", "pong"]) == 130


@pytest.mark.usefixtures("no_roms")
def test_the_demo_plays_games_of_our_own_and_draws_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sheet.png"
    assert main(["demo", "--steps", "3", "--envs", "4", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"48 frames in .* s: [\d,]+ frames per second", said)
    assert "famous games: no ROMs found" in said
    width, height = struct.unpack(">II", out.read_bytes()[16:24])
    assert (width, height) == (8 * 164 + 4, 214 + 9 + 4)


def test_the_demo_plays_famous_games_when_their_roms_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if roms.locate("pong") is None:
        pytest.skip("no ROMs of famous games")
    out = tmp_path / "sheet.png"
    assert main(["demo", "--steps", "2", "--envs", "4", "--out", str(out)]) == 0
    assert "famous games: pong, breakout" in capsys.readouterr().out
    assert out.stat().st_size > 0


def test_a_picture_that_cannot_be_written_is_told_before_the_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--steps", "2", "--out", str(tmp_path / "none" / "sheet.png")]) == 1
    said = capsys.readouterr()
    assert "frames per second" not in said.out
    assert "No such file or directory" in said.err


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_numbers_must_be_positive(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["demo", "--steps", number])
    assert exit_.value.code == 2
    assert "whole number above zero" in capsys.readouterr().err


def test_bench_prints_a_line_for_each_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "windfall", "glowdelve", "--envs", "2", "--steps", "2", "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["game", "windfall", "glowdelve", "geometric"]
    assert re.fullmatch(r"windfall +[\d,]+ +[\d.]+%", lines[1])


def test_bench_of_an_unknown_game_measures_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "windfall", "windfal"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", 'ale-rs: no game is known as "windfal" (did you mean "windfall"?)\n')


def test_bench_counts_what_the_engine_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--counters", "glowdelve", "windfall", "--steps", "200", "--rounds", "1"]) == 0
    head, games, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith(("JIT on: ", "JIT off: "))
    assert games.split() == ["glowdelve", "windfall"]
    table = {row[:25].strip(): [float(number) for number in row[25:].split()] for row in rows}
    assert all(frames >= 800 for frames in table["frames"])
    assert all(number > 1000 for number in table["instructions"])
    for bailouts, interpreted in zip(table["JIT bail-outs"], table["interpreted instructions"], strict=True):
        assert bailouts <= interpreted
    assert all(0 < rows_hit <= 250 for rows_hit in table["scanline-cache hits"])


def test_no_command_prints_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"\n    {command} " in said for command in ("demo", "roms", "games", "play", "doctor"))


def test_one_mode_is_no_plural(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "list"]) == 0
    said = capsys.readouterr().out
    assert re.search(r" 1 mode  ", said)
    assert not re.search(r" 1 modes", said)


def test_a_window_without_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pygame", reason="pygame is optional")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    assert main(["play", "glowdelve", "--frames", "1", "--no-sound"]) == 1
    assert "ale-rs: a window needs a display, and there is none" in capsys.readouterr().err


def test_a_picture_of_another_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sheet.txt"
    assert main(["demo", "--out", str(out)]) == 1
    assert f"--out is {out}; accepted: a name that ends with .png" in capsys.readouterr().err
    assert not out.exists()
