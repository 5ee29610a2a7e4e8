"""What the README shows, runs."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ale_rs import roms
from ale_rs.cli import parser

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_first_example_has_ten_lines() -> None:
    lines = [line for line in EXAMPLES[0].splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.splitlines()[0])
def test_an_example_runs_without_a_warning(example: str, tmp_path: Path) -> None:
    if "ALE/Pong" in example and roms.locate("pong") is None:
        pytest.skip('the ROM of "pong" is missing')
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_every_command_of_the_table_exists() -> None:
    commands = re.findall(r"^\| `ale-rs ([^`]+)` \|", README, re.MULTILINE)
    assert commands
    for command in commands:
        words = [word for word in command.split() if word.islower()]
        with pytest.raises(SystemExit) as exit_:
            parser().parse_args([*words, "--help"])
        assert exit_.value.code == 0, command


def test_every_target_of_the_table_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"`make ([a-z]+)", README)
    assert named
    assert set(named) <= targets


def test_the_chart_of_speed_shows_the_table_of_speed() -> None:
    images = runpy.run_path(str(ROOT / "scripts" / "readme_images.py"))
    bars = images["bars"](README)
    assert len(bars) == 3
    drawn = (ROOT / "docs" / "images" / "speed.svg").read_text()
    assert drawn == images["speed"](bars), "python scripts/readme_images.py --speed draws it anew"


def test_what_proves_a_row_of_the_features_is_there() -> None:
    table = README.split("| proved by |")[1].split("\n\n")[0]
    proofs = re.findall(r"\| `([^`]+)` \|$", table, re.MULTILINE)
    assert len(proofs) == len(table.strip().splitlines()) - 1
    for proof in proofs:
        assert (ROOT / proof).exists(), proof


def test_every_link_leads_to_a_file() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        if not link.startswith("http"):
            assert (ROOT / link).exists(), link
