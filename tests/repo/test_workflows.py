"""The workflows are what the schema of their host accepts, and call the targets that a person calls."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_schema_accepts_every_workflow() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"\bmake ([a-z-]+)", "\n".join(path.read_text() for path in WORKFLOWS))
    assert "test" in named
    assert set(named) <= targets
