"""Which games show the properties: a sample that changes from run to run, or all with `--all-games`."""

import random

import pytest

from properties.playing import games_of_this_machine

SAMPLE = 6


def sample(config: pytest.Config) -> list[str]:
    games = games_of_this_machine()
    if config.getoption("--all-games"):
        return games
    chance = random.Random(config.option.fresh_seed)
    ours, others = games[:2], games[2:]
    return ours + chance.sample(others, min(SAMPLE, len(others)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "game" in metafunc.fixturenames:
        metafunc.parametrize("game", sample(metafunc.config))


@pytest.fixture(scope="session")
def games(request: pytest.FixtureRequest) -> list[str]:
    """Games for one vector environment."""
    return sample(request.config)
