"""Options and fixtures that all tests share."""

import collections
import random
from pathlib import Path
from typing import Any

import pytest

from ale_rs import roms

FRESH_SEED_BITS = 31
COMPARED = pytest.StashKey[collections.Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--frames", type=int, default=1500, help="frames that every game is compared with ale-py"
    )
    parser.addoption("--all-modes", action="store_true", help="compare every mode with every difficulty")
    parser.addoption(
        "--all-games", action="store_true", help="show the properties on every game instead of a sample"
    )
    parser.addoption("--fresh-seed", type=int, help="the seed of the random tests, to repeat a failure")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.fresh_seed is None:
        # A worker of pytest-xdist takes the seed of the run: all workers must collect the same tests.
        given: dict[str, Any] = getattr(config, "workerinput", {})
        config.option.fresh_seed = given.get("fresh_seed", random.SystemRandom().getrandbits(FRESH_SEED_BITS))
    config.stash[COMPARED] = collections.Counter()


def pytest_report_header(config: pytest.Config) -> str:
    return f"fresh seed: {config.option.fresh_seed} (repeat with --fresh-seed {config.option.fresh_seed})"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(pytest_report_header(config))
    for what, count in config.stash[COMPARED].items():
        terminalreporter.write_line(f"{what}: {count:,}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, object] | None = getattr(
        session.config, "workeroutput", None
    )  # of a pytest-xdist worker
    if output is not None:
        output["compared"] = dict(session.config.stash[COMPARED])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of pytest-xdist is about to start."""
    node.workerinput["fresh_seed"] = node.config.option.fresh_seed


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended: its counts are added to those of the whole run."""
    counts: dict[str, int] = getattr(node, "workeroutput", {}).get("compared", {})
    node.config.stash[COMPARED].update(counts)


@pytest.fixture(scope="session")
def compared(request: pytest.FixtureRequest) -> collections.Counter[str]:
    """How much was compared with ale-py; shown at the end."""
    return request.config.stash[COMPARED]


@pytest.fixture(scope="session")
def all_modes(request: pytest.FixtureRequest) -> bool:
    """Whether this is the complete comparison of `make parity`."""
    return bool(request.config.option.all_modes)


@pytest.fixture(scope="session")
def frames(request: pytest.FixtureRequest) -> int:
    """How many frames a game is compared with ale-py."""
    return int(request.config.option.frames)


@pytest.fixture(scope="session")
def fresh_seed(request: pytest.FixtureRequest) -> int:
    """A seed that is different in every run; a failed run prints it."""
    return int(request.config.option.fresh_seed)


@pytest.fixture
def no_roms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user without any ROM file; returns the directory for imported ones."""
    monkeypatch.delenv("ALE_ROM_DIR", raising=False)
    monkeypatch.delenv("ALE_ROMS_DIR", raising=False)
    monkeypatch.setenv("ALE_RS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(roms, "installed_directories", lambda: iter(()))
    return tmp_path / "data" / "roms"
