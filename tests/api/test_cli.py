"""The command `ale-rs`: what it prints and its exit codes."""

import re
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


@pytest.mark.parametrize(
    "arguments", [(), ("nonsense",), ("roms",), ("roms", "where"), ("roms", "list", "--x")]
)
def test_a_wrong_call_is_explained_with_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ale-rs")


def test_help_describes_every_command() -> None:
    text = parser().format_help()
    for command in ("roms",):
        assert re.search(rf"^ +{command} +\w", text, re.MULTILINE), command


def test_a_missing_rom_is_no_traceback(no_roms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roms", "where", "pong"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith('ale-rs: the ROM of "pong" was not found.')
    assert 'pip install "ale-rs[roms]"' in said.err
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
