"""The script that compares speeds runs and writes what it found; the figures themselves are no test."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ale_py", reason="the comparison needs ale-py: pip install 'ale-rs[roms]'")

SCRIPT = Path(__file__).parents[2] / "benches" / "python" / "compare.py"


def compare(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_sections_can_be_measured_alone(tmp_path: Path) -> None:
    sections = ["vector", "act", "step", "snapshot", "threads"]
    options = ["--quick", "--games", "pong", "--rounds", "1", "--envs", "2", "--output", str(tmp_path)]
    result = compare("--section", *sections, *options)
    assert result.returncode == 0, result.stderr
    written = json.loads((tmp_path / "compare.json").read_text())
    assert [section["name"] for section in written["sections"]] == sections
    for section in written["sections"]:
        assert section["rows"][0]["game"] == "pong"
        assert section["geometric_mean"] > 0


@pytest.mark.parametrize("arguments", [["--games", "ponk"], ["--rounds", "0"], ["--section", "speed"]])
def test_mistakes_are_told(arguments: list[str]) -> None:
    result = compare(*arguments)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    assert arguments[1] in result.stderr
