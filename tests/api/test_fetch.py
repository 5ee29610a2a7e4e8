"""`ale-rs roms install`: a wheel is fetched, its ROMs are kept, nothing is installed."""

import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from ale_rs import _fetch, _images, roms
from ale_rs.cli import main


@pytest.fixture
def image(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The only ROM that is known, as `pong`."""
    data = bytes(range(256)) * 8
    monkeypatch.setattr(roms, "_checksums", lambda: {"pong": _images.md5(data)})
    monkeypatch.setattr(roms, "_names", lambda: {_images.md5(data): "pong"})
    return data


class Pip:
    """Stands for pip: fails some times, then leaves a wheel."""

    def __init__(self, files: dict[str, bytes], failures: int = 0) -> None:
        self.files, self.failures, self.commands = files, failures, list[list[str]]()

    def __call__(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        self.commands.append(list(command))
        if len(self.commands) <= self.failures:
            return subprocess.CompletedProcess(command, 1, "", "ERROR: No matching distribution\n")
        directory = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(directory / "ale_py-0.12.1-cp311.whl", "w") as wheel:
            for name, data in self.files.items():
                wheel.writestr(name, data)
        return subprocess.CompletedProcess(command, 0, "", "")


def test_roms_of_the_wheel_are_imported(no_roms: Path, image: bytes) -> None:
    pip = Pip({"ale_py/roms/pong.bin": image, "ale_py/__init__.py": b"raise SystemExit"})
    assert list(_fetch.install(pip).copied) == ["pong"]
    assert [path.name for path in no_roms.iterdir()] == ["pong.bin"]
    assert _fetch.install(pip).present == ["pong"]
    (command, _) = pip.commands
    assert "download" in command
    assert "install" not in command
    assert {"--no-deps", "--only-binary=:all:", _fetch.REQUIREMENT} <= set(command)
    assert not Path(command[command.index("--dest") + 1]).exists(), "the wheel is deleted"


@pytest.mark.usefixtures("no_roms")
def test_a_wheel_of_another_system_does_too(image: bytes) -> None:
    pip = Pip({"ale_py/roms/pong.bin": image}, failures=1)
    assert list(_fetch.install(pip).copied) == ["pong"]
    assert "--platform" in pip.commands[1]


@pytest.mark.usefixtures("no_roms", "image")
def test_failures_say_why_and_what_else_can_be_done() -> None:
    with pytest.raises(_fetch.FetchError, match=r"No matching distribution; .*ale-rs roms import"):
        _fetch.install(Pip({}, failures=9))
    with pytest.raises(_fetch.FetchError, match=r"has no known ROM; .*ale-rs roms import"):
        _fetch.install(Pip({"ale_py/roms/pong.bin": b"other"}))


def test_without_pip_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], no_roms: Path
) -> None:
    monkeypatch.setattr(_fetch, "_pips", lambda: iter(()))
    assert main(["roms", "install"]) == 1
    assert "there is no pip for this Python" in capsys.readouterr().err
    assert not no_roms.exists()


def test_the_command_says_what_it_did(
    no_roms: Path, image: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_fetch, "_run", Pip({"ale_py/roms/pong.bin": image}))
    assert main(["roms", "install"]) == 0
    said = capsys.readouterr().out
    assert said == f"1 ROMs copied to {no_roms}, 0 present before; nothing was installed.\n"
