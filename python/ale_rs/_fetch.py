"""Fetching the wheel of `ale_py` for its ROM files, without installing it."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ale_rs import roms

__all__ = ["REQUIREMENT", "FetchError", "install"]

REQUIREMENT = "ale-py==0.12.1"
"""The release whose ROMs this library was compared with."""

# The ROM files are the same in every wheel, so where none fits this Python one of another system does.
ANY_WHEEL = ("--python-version", "3.12", "--platform", "manylinux_2_28_x86_64", "--platform", "win_amd64")

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


class FetchError(OSError):
    """The wheel could not be had; the text says why and what else can be done."""


def install(run: Run | None = None) -> roms.ImportReport:
    """Download the wheel with pip, import its ROMs into `roms.user_directory()`, and delete it again.

    Args:
        run: what runs a command line; for tests.

    Raises:
        FetchError: there is no pip, the download failed, or the wheel has no ROM that is known.
    """
    run = _run if run is None else run
    with tempfile.TemporaryDirectory(prefix="ale-rs-") as directory:
        wheel = _download(Path(directory), run)
        report = roms.import_roms(wheel)
    if not report.copied and not report.present:
        raise FetchError(f"{wheel.name} has no known ROM; {_otherwise()}")
    return report


def _download(directory: Path, run: Run) -> Path:
    said = "there is no pip for this Python, nor one on PATH; `python -m ensurepip` installs it"
    for pip in _pips():
        for choice in ((), ANY_WHEEL):
            command = [*pip, "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            done = run([*command, "--only-binary=:all:", "--dest", str(directory), *choice, REQUIREMENT])
            wheels = sorted(directory.glob("*.whl"))
            if done.returncode == 0 and wheels:
                return wheels[0]
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            said = lines[-1].strip() if lines else f"pip ended with {done.returncode}"
    raise FetchError(f"{REQUIREMENT} could not be downloaded: {said}; {_otherwise()}")


def _pips() -> Iterator[list[str]]:
    """Ways to call pip: of this Python, of the shell, by uv."""
    if find_spec("pip") is not None:
        yield [sys.executable, "-m", "pip"]
    elif (pip := shutil.which("pip") or shutil.which("pip3")) is not None:
        yield [pip]
    elif (uv := shutil.which("uv")) is not None:
        yield [uv, "tool", "run", "pip"]


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def _otherwise() -> str:
    return (
        f"a wheel of {REQUIREMENT} from elsewhere, or any directory with ROM files, can be given to "
        "`ale-rs roms import`"
    )
