"""The docs name files, tests and make targets that exist, and stay short where they promise to."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")])
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not link.startswith(("http", "mailto")):
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_that_is_named_exists(page: Path) -> None:
    roots = "crates|tests|benches|scripts|python|examples|roms|fuzz"
    pattern = rf"`((?:{roots})/[\w./-]+\.(?:rs|py|toml|md|asm))`"
    missing = [path for path in re.findall(pattern, page.read_text()) if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    assert set(re.findall(r"`make ([a-z-]+)", page.read_text())) <= TARGETS


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/engine.md"])
def test_every_short_path_is_the_end_of_one_that_exists(page: str) -> None:
    files = [
        f"/{path.relative_to(ROOT).as_posix()}"
        for folder in ("crates", "python", "tests", "benches")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".rs", ".py")
    ]
    named = re.findall(r"`([\w./-]+\.(?:rs|py))`", (ROOT / page).read_text())
    assert named
    assert [path for path in named if not any(file.endswith(f"/{path}") for file in files)] == []


def test_performance_is_one_page() -> None:
    assert len((ROOT / "docs" / "performance.md").read_text().split()) <= 500
