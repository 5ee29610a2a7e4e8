"""`planning.States`: one call for many rows, threads, files."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariEnv, planning


def game(name: str = "glowdelve", **options: Any) -> AtariEnv:
    settings: dict[str, Any] = {"frameskip": 5, "obs_type": "ram", "repeat_action_probability": 0.0}
    env = AtariEnv(name, **(settings | options))
    env.reset(seed=3)
    return env


@pytest.mark.parametrize("view", ["ram", "rgb", "grayscale"])
def test_a_row_is_a_step_of_the_environment(view: str) -> None:
    env = game(obs_type=view)
    states = planning.States(env)
    rng = np.random.default_rng(0)
    state = 0
    for _ in range(60):
        action = int(rng.integers(env.action_space.n))  # type: ignore[attr-defined]
        [state], [reward], [over], [observation] = states.expand([state], [action])
        seen, expected, terminated, _, _ = env.step(action)
        assert (observation == seen).all()
        assert (reward, over) == (expected, terminated)
        if over:
            break
    assert (states.ram([state])[0] == env.ale.getRAM()).all()


def test_threads_change_nothing_and_sticky_rows_differ() -> None:
    results = []
    for threads in (1, 3):
        states = planning.States(game(repeat_action_probability=0.5, obs_type="rgb"), threads=threads)
        children, rewards, _, pictures = states.expand(np.zeros(90, int), np.arange(90) % 3)
        again, more, _, others = states.expand(children, np.arange(90) % 18)
        results.append((states.keys(), rewards, more, pictures, others, again))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(np.unique(results[0][0])) > 4


def test_the_environment_is_brought_to_a_state_and_goes_on_from_there() -> None:
    env = game("windfall")
    states = planning.States(env)
    children, *_ = states.expand([0] * 3, [0, 1, 2])
    _, _, _, seen = states.expand(children, [2, 2, 2])
    for child, expected in zip(children, seen, strict=True):
        states.restore(int(child))
        assert (env.ale.getRAM() == states.ram([child])[0]).all()
        assert (env.step(2)[0] == expected).all()
    assert states.add() == len(states) - 1


def test_keep_numbers_anew() -> None:
    states = planning.States(game())
    states.expand([0] * 4, range(4))
    keys = states.keys()
    states.keep([3, 0])
    assert len(states) == 2
    np.testing.assert_array_equal(states.keys(), keys[[3, 0]])


def test_a_file_brings_all_states_back_and_equal_ones_are_written_once(tmp_path: Path) -> None:
    env = game()
    states = planning.States(env)
    for _ in range(20):
        alive = np.flatnonzero(~states.over())
        states.expand(alive[-100:], np.arange(len(alive[-100:])) % 18)
    path, twice = tmp_path / "a.states", tmp_path / "b.states"
    states.save(path)
    loaded = planning.States.load(path, env, threads=1)
    assert len(loaded) == len(states)
    np.testing.assert_array_equal(loaded.keys(), states.keys())
    np.testing.assert_array_equal(loaded.over(), states.over())
    alive = np.flatnonzero(~states.over())[:50]
    ours, theirs = (each.expand(alive, np.arange(len(alive)) % 18) for each in (states, loaded))
    np.testing.assert_array_equal(ours[3], theirs[3])
    size = len(loaded)
    loaded.keep(np.r_[np.arange(size), np.arange(size)])
    loaded.save(twice)
    assert len(gzip.decompress(twice.read_bytes())) < 1.1 * len(gzip.decompress(path.read_bytes()))
    assert not list(tmp_path.glob("*.part"))


def test_an_archive_is_small(tmp_path: Path) -> None:
    env = game()
    states = planning.States(env)
    rng = np.random.default_rng(1)
    while len(states) < 10_000:
        alive = np.flatnonzero(~states.over())
        states.expand(rng.choice(alive, 500), rng.integers(0, 18, 500))
    path = tmp_path / "archive"
    states.save(path)
    assert path.stat().st_size < 10_000_000, "a hundred thousand states fit into 100 MB"


def test_damaged_files_are_refused_and_an_old_file_survives(tmp_path: Path) -> None:
    env = game()
    path = tmp_path / "a.states"
    planning.States(env).save(path)
    whole = path.read_bytes()
    content = gzip.decompress(whole)
    for wrong in (b"", b"text", whole[: len(whole) // 2], whole[:-9] + b"x" + whole[-8:]):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"a\.states"):
            planning.States.load(path, env)
    for wrong, text in (
        (content[:8] + b"\x02" + content[9:], "version 2; accepted: 1"),
        (content[:60] + bytes([content[60] ^ 1]) + content[61:], "checksum"),
        (content[:-1], "cut off or changed"),
        (b"ELSE" + content[4:], "another kind"),
    ):
        path.write_bytes(gzip.compress(wrong))
        with pytest.raises(ValueError, match=text):
            planning.States.load(path, env)
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r'of "glowdelve".*plays "windfall"'):
        planning.States.load(path, game("windfall"))
    with pytest.raises(FileNotFoundError):
        planning.States.load(tmp_path / "none", env)
    with pytest.raises(OSError, match="none"):
        planning.States(env).save(tmp_path / "none" / "a")


def test_wrong_calls_are_refused_with_what_is_accepted() -> None:
    env = game()
    states = planning.States(env, max_states=20)
    for parents, actions, error, text in [
        ([0], [18], IndexError, "actions has 18; accepted: 0 to 17"),
        ([1], [0], IndexError, "parents has 1; accepted: 0 to 0"),
        ([-1], [0], IndexError, "parents has -1"),
        ([0, 0], [0], ValueError, "2 parents and 1 actions"),
        ([0.5], [0], ValueError, "float64; accepted: a row of integers"),
        ([[0]], [0], ValueError, r"shape \(1, 1\)"),
        ([0] * 20, [0] * 20, RuntimeError, "max_states = 20; raise max_states"),
    ]:
        with pytest.raises(error, match=text):
            states.expand(parents, actions)  # type: ignore[arg-type]
    assert len(states) == 1
    assert [len(array) for array in states.expand([], [])] == [0, 0, 0, 0]
    with pytest.raises(IndexError, match="no state 5; accepted: 0 to 0"):
        states.restore(5)
    with pytest.raises(ValueError, match='did you mean "rgb"'):
        planning.States(env, observation="rbg")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_states is 0"):
        planning.States(env, max_states=0)


def test_a_state_that_has_ended_cannot_be_expanded() -> None:
    env = game()
    states = planning.States(env, max_states=500_000)
    rng = np.random.default_rng(0)
    front = np.zeros(200, int)
    for _ in range(3_000):
        front, _, over, _ = states.expand(front, rng.integers(0, 18, len(front)))
        if over.any():
            break
        if len(states) > 200_000:
            states.keep(front)
            front = np.arange(len(front))
    else:
        pytest.fail("no random play has ended")
    with pytest.raises(ValueError, match="has ended in state"):
        states.expand(front[over], np.zeros(over.sum(), int))
