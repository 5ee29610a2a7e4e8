"""`CrafterEnv` beside PyPI crafter, whose creatures are put into the order of their creation.

The package keeps the creatures of a chunk in a set that is ordered by memory addresses, so its games depend
on an accident. Replacing one property from outside makes that order the one of creation.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs.crafter import CrafterEnv

crafter = pytest.importorskip("crafter", reason="the reference is not installed")

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "crafter.json").read_text())
SCRIPTS = {run["seed"]: run["actions"] for run in GOLDEN["episodes"] if run["rule"] == "script"}
SHAPES: list[dict[str, Any]] = [
    {"area": (40, 30), "view": (7, 9), "size": (100, 130)},
    {"area": (64, 64), "view": (9, 7), "size": (96, 84)},
    {"area": (24, 70), "view": (11, 9), "size": (99, 81), "length": 120},
    {"area": (13, 12), "view": (5, 8), "size": (40, 64)},
]


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    order(monkeypatch)


def order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the creatures of the package's chunks into the order of their creation."""
    world = crafter.engine.World
    accidental = world.chunks.fget

    def chunks(self: Any) -> dict[Any, list[Any]]:
        number = self._obj_map
        return {
            key: sorted(objects, key=lambda o: int(number[tuple(o.pos)]))
            for key, objects in accidental(self).items()
        }

    monkeypatch.setattr(world, "chunks", property(chunks))


def actions(seed: int, steps: int) -> Iterator[int]:
    """Random play that collects, fights, sleeps and builds more often than uniform play would."""
    source = random.Random(seed)
    while steps > 0:
        action = source.choice((1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0))
        for _ in range(min(source.choice((1, 1, 2, 5)), steps)):
            yield action
            steps -= 1


def compare(seed: int, plays: Iterator[int], unlocked: set[str] | None = None, **options: Any) -> int:
    """Play both and compare everything after every step; the number of steps. `unlocked` is added to."""
    ours, theirs = CrafterEnv(seed, textures="crafter", **options), crafter.Env(seed=seed, **options)
    obs, _ = ours.reset()
    np.testing.assert_array_equal(obs, theirs.reset(), f"seed {seed}, reset")
    steps = 0
    for step, action in enumerate(plays):
        obs, reward, dead, over, info = ours.step(action)
        theirs_obs, theirs_reward, done, theirs_info = theirs.step(action)
        where = f"seed {seed}, {options}, step {step + 1}, action {action}"
        np.testing.assert_array_equal(info["semantic"], theirs_info["semantic"], where)
        assert info["inventory"] == theirs_info["inventory"], where
        assert info["achievements"] == theirs_info["achievements"], where
        assert reward == theirs_reward == theirs_info["reward"] == info["reward"], where
        assert (dead or over) == bool(done), where
        assert info["discount"] == theirs_info["discount"], where
        np.testing.assert_array_equal(info["player_pos"], theirs_info["player_pos"], where)
        np.testing.assert_array_equal(obs, theirs_obs, where)
        steps += 1
        if unlocked is not None:
            unlocked.update(info["unlocked"])
        if done:
            obs, _ = ours.reset()
            np.testing.assert_array_equal(obs, theirs.reset(), f"{where}, reset")
    return steps


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("offset", [None, 0])
def test_random_play_is_equal(offset: int | None, pytestconfig: pytest.Config) -> None:
    seed = 1234 if offset is None else pytestconfig.option.fresh_seed
    assert compare(seed, actions(seed, 400)) == 400


@pytest.mark.usefixtures("ordered")
def test_play_that_unlocks_everything_is_equal() -> None:
    run = SCRIPTS[2]
    assert compare(2, (ord(letter) - ord("a") for letter in run)) == len(run)


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_other_areas_views_sizes_and_lengths_are_equal(
    options: dict[str, Any], pytestconfig: pytest.Config
) -> None:
    seed = pytestconfig.option.fresh_seed
    assert compare(seed, actions(seed + 1, 230), **options) == 230


def test_frames_with_the_textures_of_the_package_are_as_recorded() -> None:
    import hashlib

    for run in GOLDEN["pixels"]:
        if run["textures"] != "reference" or run["rule"] != "script":
            continue
        env, roll = CrafterEnv(run["seed"], textures="crafter", semantic=False), hashlib.sha256()
        obs, _ = env.reset()
        frames = {frame["t"]: frame for frame in run["frames"]}
        assert hashlib.sha256(obs.tobytes()).hexdigest() == frames[0]["sha256"]
        roll.update(obs.tobytes())
        for t, letter in enumerate(SCRIPTS[run["seed"]], 1):
            obs, *_ = env.step(ord(letter) - ord("a"))
            roll.update(obs.tobytes())
            if t in frames:
                assert hashlib.sha256(obs.tobytes()).hexdigest() == frames[t]["sha256"], (run["seed"], t)
                assert roll.hexdigest() == frames[t]["roll_sha256"], (run["seed"], t)
