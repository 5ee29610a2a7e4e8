"""The sources are short files that name who does what."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("crates", "python", "tests", "benches", "fuzz", "examples", "scripts", "roms")
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".rs", ".py", ".md") and "target" not in path.relative_to(ROOT).parts
)
MOST_LINES = 500


def test_no_source_file_is_longer_than_500_lines() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in SOURCES if path.suffix != ".md"}
    assert {str(path.relative_to(ROOT)): n for path, n in lines.items() if n > MOST_LINES} == {}


@pytest.mark.parametrize("word", ["nobody", "somebody", "everybody", "anybody", "someone", "anyone"])
def test_a_text_names_the_thread_chip_or_caller(word: str) -> None:
    pages = [*SOURCES, *ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    named = [path for path in pages if re.search(word, path.read_text(), re.IGNORECASE)]
    assert set(named) <= {Path(__file__)}
