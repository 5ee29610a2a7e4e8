"""SECURITY.md says what is true: the list of unsafe blocks, the files it names, the licences."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def unsafe_blocks() -> dict[str, int]:
    """How often a source of the library says `unsafe`, comments, lint names and unit tests left out."""
    found = {}
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        if path.stem == "tests" or "tests" in path.parent.parts:
            continue
        code = re.sub(r"//.*|\"[^\"\n]*\"", "", path.read_text())
        count = len(re.findall(r"\bunsafe\b", code))
        if count:
            found[path.relative_to(ROOT).as_posix()] = count
    return found


def test_every_unsafe_block_is_reviewed() -> None:
    listed = re.findall(r"^\| `(crates/[^`]+)` \| (\d+) \|", (ROOT / "SECURITY.md").read_text(), re.M)
    assert {path: int(count) for path, count in listed} == unsafe_blocks()


def test_every_file_that_is_named_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    named = re.findall(r"`((?:crates|tests|scripts)/[^`]+)`|\]\(([^)]+)\)", text)
    paths = [one or other for one, other in named]
    assert len(paths) > 8
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_make_target_that_is_named_exists() -> None:
    rules = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z-]+)`", (ROOT / "SECURITY.md").read_text()):
        assert f"\n{target}:" in rules


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only AND MIT", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR GPL-2.0-only) AND LGPL-2.1-or-later", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("none", False),
    ],
)
def test_expressions_of_licences(licences: ModuleType, expression: str, fine: bool) -> None:
    assert licences.accepted(expression) is fine


@pytest.mark.parametrize("expression", ["(MIT", "MIT Apache-2.0", "MIT)"])
def test_expressions_that_are_none(licences: ModuleType, expression: str) -> None:
    with pytest.raises(ValueError, match="MIT"):
        licences.accepted(expression)
