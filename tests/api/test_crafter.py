"""`CrafterEnv`: gymnasium's rules, seeds, observations, options and snapshots."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ale_rs  # noqa: F401 (registers the ids)
from ale_rs import _png
from ale_rs.crafter import ACHIEVEMENTS, ACTIONS, ITEMS, CrafterEnv, TextureError, textures


def play(env: Any, steps: int, seed: int = 0) -> list[Any]:
    source = np.random.default_rng(seed)
    return [env.step(int(source.integers(17))) for _ in range(steps)]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize("id_", ["ale_rs/CrafterReward-v1", "ale_rs/CrafterNoReward-v1", "CrafterReward-v1"])
def test_gymnasium_makes_it(id_: str) -> None:
    env = gymnasium.make(id_)
    env.reset(seed=1)
    rewards = [env.step(6)[1] for _ in range(3)]
    assert env.spec is not None
    assert env.spec.max_episode_steps is None
    assert "NoReward" not in id_ or rewards == [0.0] * 3


@pytest.mark.filterwarnings("ignore:.*not within the observation space.*")
@pytest.mark.parametrize("observation", ["pixels", "semantic", "symbolic", ("pixels", "symbolic")])
def test_the_checker_of_gymnasium_passes(observation: Any) -> None:
    env = gymnasium.make("ale_rs/CrafterReward-v1", observation=observation, render_mode="rgb_array")
    check_env(env.unwrapped)


def test_a_seed_starts_its_first_episode_and_reset_the_next() -> None:
    env, other = CrafterEnv(seed=5), CrafterEnv()
    first, _ = env.reset()
    second, _ = env.reset()
    assert same(other.reset(seed=5)[0], first)
    assert same(other.reset()[0], second)
    assert not same(first, second)


def test_seeds_are_those_of_python() -> None:
    def world(seed: int) -> Any:
        return CrafterEnv(seed, observation="semantic").reset()[1]["semantic"]

    assert same(world(-1), world(-2))
    assert same(world(3), world(3 + 2**61 - 1))
    assert not same(world(3), world(4))


def test_info_has_the_keys_of_the_reference() -> None:
    env = CrafterEnv(seed=0)
    _, info = env.reset()
    assert list(info["inventory"]) == list(ITEMS)
    assert list(info["achievements"]) == list(ACHIEVEMENTS)
    assert info["semantic"].shape == (64, 64)
    assert info["player_pos"].tolist() == [32, 32]
    assert (info["discount"], info["reward"], info["unlocked"]) == (1.0, 0.0, [])
    assert len(info["textures"]) == 16
    assert "semantic" not in CrafterEnv(seed=0, semantic=False).reset()[1]


def test_unlocked_names_the_achievement_once() -> None:
    env = CrafterEnv(seed=0)
    env.reset()
    unlocked: list[str] = []
    for _, reward, _, _, info in play(env, 140, 3):
        assert (reward > 0.5) == bool(info["unlocked"])
        unlocked += info["unlocked"]
    assert len(unlocked) == len(set(unlocked)) == sum(count > 0 for count in info["achievements"].values())


def test_the_end_is_death_or_the_limit() -> None:
    env = CrafterEnv(seed=0, length=7)
    env.reset()
    steps = play(env, 7)
    assert [step[3] for step in steps] == [False] * 6 + [True]
    assert not steps[-1][2]
    assert steps[-1][4]["discount"] == 1.0
    env = CrafterEnv(seed=0, length=None)
    env.reset()
    last = next(step for _ in range(10_000) if (step := env.step(0))[2])
    assert not last[3]
    assert last[4]["discount"] == 0.0
    assert last[4]["inventory"]["health"] == 0


def test_render_changes_nothing_even_at_night() -> None:
    shown, hidden = CrafterEnv(seed=1, render_mode="rgb_array"), CrafterEnv(seed=1)
    shown.reset()
    hidden.reset()
    for step in range(170):
        action = 6 if step > 30 else 5
        picture = shown.render()
        assert picture is not None
        assert picture.shape == (64, 64, 3)
        large = shown.render((300, 200))
        assert large is not None
        assert large.shape == (200, 300, 3)
        assert same(shown.step(action)[0], hidden.step(action)[0]), step


def test_games_do_not_depend_on_the_kind_of_observation() -> None:
    envs = [CrafterEnv(seed=3, observation=kind) for kind in ("pixels", "semantic", "symbolic")]
    for env in envs:
        env.reset()
    runs = [play(env, 250) for env in envs]
    for steps in zip(*runs, strict=True):
        assert all(same(step[4]["semantic"], steps[0][4]["semantic"]) for step in steps)


def test_own_noise_makes_the_game_independent_of_the_picture() -> None:
    runs = []
    for size in (64, 90):
        env = CrafterEnv(seed=3, size=size, noise="own", length=None)
        env.reset()
        runs.append(play(env, 300))
    assert all(same(a[4]["semantic"], b[4]["semantic"]) for a, b in zip(*runs, strict=True))


def test_symbols_say_what_the_map_says() -> None:
    env = CrafterEnv(seed=4, observation=("semantic", "symbolic"))
    observation, info = env.reset()
    local, symbols = observation["semantic"], observation["symbolic"]
    assert symbols.shape == (1345,)
    x, y = info["player_pos"]
    whole = np.pad(info["semantic"], 9)
    assert same(local, whole[x + 9 - 4 : x + 9 + 5, y + 9 - 3 : y + 9 + 4])
    cells = symbols[: 7 * 9 * 21].reshape(7, 9, 21)
    assert (cells[..., :17].sum(-1) == 1).all()
    assert same(cells[..., 2].T == 1, np.isin(local, (2, 13, 14)) | ((local == 15) & (cells[..., 2].T == 1)))
    assert same(cells[..., 18].T == 1, local == 14)
    np.testing.assert_allclose(symbols[-22:], [0] * 12 + [0.9] * 4 + [0, 0, 0, 1] + [0.796925, 0], atol=1e-5)


def test_snapshots_pickles_and_copies_go_on_the_same() -> None:
    env = CrafterEnv(seed=9)
    env.reset()
    play(env, 155)
    snapshot = env.snapshot()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), CrafterEnv()]
    others[2].restore(snapshot)
    expected = play(env, 60, 5)
    for other in others:
        for ours, theirs in zip(play(other, 60, 5), expected, strict=True):
            assert same(ours[0], theirs[0])
            assert same(ours[4]["semantic"], theirs[4]["semantic"])
    with pytest.raises(ValueError, match="other options"):
        CrafterEnv(view=(9, 8)).restore(snapshot)
    with pytest.raises(ValueError, match="checksum"):
        env.restore(snapshot[:-1] + b"x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"area": (0, 5)}, "cells"),
        ({"area": (10**6, 10**6)}, "cells"),
        ({"view": (9, 2)}, "leaves no row"),
        ({"size": (9, 64)}, "at least 2 x 2"),
        ({"size": (10**6, 64)}, "at most 4096"),
        ({"size": (-1, 64)}, "not negative"),
        ({"length": -1}, "length=-1"),
        ({"noise": "loud"}, "noise="),
        ({"observation": "smell"}, "pixels, semantic, symbolic"),
        ({"observation": ()}, "pixels, semantic, symbolic"),
        ({"render_mode": "human"}, "rgb_array"),
        ({"textures": "nowhere"}, "no directory"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CrafterEnv(**options)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError, match="area="):
        CrafterEnv(area=(1.5, 2))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        CrafterEnv(seed=1.5)  # type: ignore[arg-type]


def test_wrong_actions_are_refused_and_the_game_goes_on() -> None:
    env = CrafterEnv(seed=0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    before = env.snapshot()
    for action in (-1, 17, 2**40, 2**70):
        with pytest.raises((IndexError, OverflowError)):
            env.step(action)
    for action in (1.0, "noop", None):
        with pytest.raises(TypeError):
            env.step(action)  # type: ignore[arg-type]
    assert env.snapshot() == before
    env.step(np.uint8(3))


class TestTextures:
    def write(self, directory: Path) -> None:
        own = textures.load("own").images()
        for name, (width, height, data) in zip(textures.NAMES, own, strict=True):
            rgb = np.frombuffer(data, np.uint8).reshape(height, width, 4)[..., :3]
            _png.save(directory / f"{name}.png", np.ascontiguousarray(rgb))

    def test_a_directory_works(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        assert CrafterEnv(seed=0, textures=tmp_path).reset()[0].shape == (64, 64, 3)
        assert (
            CrafterEnv(seed=0, textures=str(tmp_path)).reset()[1]["textures"]
            != CrafterEnv(0).reset()[1]["textures"]
        )

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        (tmp_path / "cow.png").unlink()
        with pytest.raises(TextureError, match=r"no cow\.png"):
            CrafterEnv(textures=tmp_path)

    @pytest.mark.parametrize("data", [b"", b"no picture", _png.encode(np.zeros((4, 4), np.uint8))[:-20]])
    def test_a_broken_file_is_named(self, tmp_path: Path, data: bytes) -> None:
        self.write(tmp_path)
        (tmp_path / "cow.png").write_bytes(data)
        with pytest.raises(TextureError, match=r"cow\.png"):
            CrafterEnv(textures=tmp_path)

    def test_those_of_the_package_are_found_without_importing_it(self) -> None:
        pytest.importorskip("crafter", reason="the reference is not installed")
        code = (
            "import sys; from ale_rs.crafter import CrafterEnv;"
            "CrafterEnv(textures='crafter').reset(); assert 'crafter' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


def test_there_are_17_actions_16_items_and_22_achievements() -> None:
    assert (len(ACTIONS), len(ITEMS), len(ACHIEVEMENTS), len(textures.NAMES)) == (17, 16, 22, 48)
