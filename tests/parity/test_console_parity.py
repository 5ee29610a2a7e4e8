"""The console beside ale-py: RAM, pixels, sound, reward, lives and end after every frame of every ROM."""

import multiprocessing
import os
import random
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import pytest

from ale_rs import roms
from ale_rs.registration import SEVERAL_PLAYERS

pytest.importorskip("ale_py", reason="the comparison needs ale-py: pip install 'ale-rs[roms]'")

# By this name worker processes find it too.
from parity.console_play import Difference, play

FIXED_SEED = 2600
STAND_IN = "earthworld.bin"
"""The reference refuses games of several players by name, and loads any image under the name of another."""

Jobs = dict[tuple[str, int], "Future[Difference | None]"]


def seed_of(kind: str, game: str, fresh_seed: int) -> int:
    return FIXED_SEED if kind == "fixed" else random.Random(f"{fresh_seed} {game}").getrandbits(31)


def image_of(game: str, folder: Path) -> Path:
    path = roms.get_rom_path(game)
    assert path is not None
    if game not in SEVERAL_PLAYERS:
        return path
    (folder / game).mkdir(exist_ok=True)
    return Path(shutil.copyfile(path, folder / game / STAND_IN))


@pytest.fixture(scope="module")
def jobs(
    request: pytest.FixtureRequest, frames: int, fresh_seed: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Jobs]:
    """The games of all selected tests, in as many processes as there are cores."""
    folder = tmp_path_factory.mktemp("roms")
    # Spawned, since a fork would copy the threads that other tests left behind.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        started: Jobs = {}
        for item in request.session.items:
            if isinstance(item, pytest.Function) and item.path == request.path:
                game, kind = item.callspec.params["game"], item.callspec.params["kind"]
                seed = seed_of(kind, game, fresh_seed)
                started[game, seed] = pool.submit(play, image_of(game, folder), seed, frames)
        yield started
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("kind", ["fixed", "fresh"])
@pytest.mark.parametrize("game", roms.get_all_rom_ids())
def test_every_frame_is_equal(game: str, kind: str, jobs: Jobs, frames: int, fresh_seed: int) -> None:
    seed = seed_of(kind, game, fresh_seed)
    difference = jobs[game, seed].result()
    assert difference is None, f"{game}, seed {seed} of {frames} frames: {difference}"
