"""One environment of any game: what is saved at random points goes on as if nothing had happened."""

import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ale_rs
from properties.playing import Sum

STEPS = 60


def make(game: str) -> ale_rs.AtariEnv:
    return ale_rs.AtariEnv(game, frameskip=3, repeat_action_probability=0.25)


def play(env: ale_rs.AtariEnv, actions: list[int], between: ale_rs.AtariEnv | None = None) -> str:
    """The checksum of what the actions show, with steps of another environment in between."""
    total = Sum()
    for action in actions:
        if between is not None:
            between.step(0)
        observation, reward, terminated, truncated, info = env.step(action)
        total.add(observation, reward, terminated, truncated, sorted(info.items()))
        if terminated or truncated:
            total.add(env.reset()[0])
    return total.text()


def chosen(game: str, seed: int) -> tuple[random.Random, list[int]]:
    chance = random.Random(f"{seed} {game}")
    count = int(make(game).action_space.n)  # type: ignore[attr-defined]
    return chance, [chance.randrange(count) for _ in range(STEPS)]


def test_snapshots_at_random_points(game: str, fresh_seed: int) -> None:
    chance, actions = chosen(game, fresh_seed)
    env, other = make(game), make(game)
    env.reset(seed=fresh_seed)
    other.reset(seed=1)
    for _ in range(3):
        play(env, actions[: chance.randrange(STEPS)])
        snapshot = env.snapshot()
        read = pickle.loads(pickle.dumps(snapshot))
        expected = play(env, actions)
        for restored in (snapshot, read):
            other.restore(restored)
            assert play(other, actions) == expected
        env.restore(snapshot)
        assert play(env, actions) == expected


def test_states_at_random_points(game: str, fresh_seed: int) -> None:
    chance, actions = chosen(game, fresh_seed)
    env, other = make(game), make(game)
    env.reset(seed=fresh_seed)
    other.reset(seed=1)
    play(env, actions[: chance.randrange(STEPS)])
    state = env.clone_state(include_rng=True)
    expected = play(env, actions)
    other.restore_state(ale_rs.ALEState(state.serialize()))
    assert play(other, actions) == expected


def test_the_order_of_construction_does_not_matter(game: str, fresh_seed: int) -> None:
    _, actions = chosen(game, fresh_seed)

    def alone() -> str:
        env = make(game)
        env.reset(seed=fresh_seed)
        return play(env, actions)

    expected = alone()
    others = [make("windfall"), make(game), make("glowdelve")]
    for env in reversed(others):
        env.reset(seed=1)
        env.step(0)
    assert alone() == expected
    others[1].reset(seed=fresh_seed)
    assert play(others[1], actions, between=others[2]) == expected


def test_another_process_goes_on_the_same(games: list[str], fresh_seed: int, tmp_path: Path) -> None:
    kept: list[tuple[str, Any, list[int]]] = []
    expected = []
    for game in games:
        _, actions = chosen(game, fresh_seed)
        env = make(game)
        env.reset(seed=fresh_seed)
        play(env, actions[:20])
        kept.append((game, env.snapshot(), actions))
        expected.append(play(env, actions))
    file = tmp_path / "snapshots"
    file.write_bytes(pickle.dumps(kept))
    code = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from properties.test_single import make, play
for game, snapshot, actions in pickle.load(open(sys.argv[2], "rb")):
    env = make(game)
    env.reset(seed=1)
    env.restore(snapshot)
    print(play(env, actions))
"""
    command = [sys.executable, "-c", code, str(Path(__file__).parents[1]), str(file)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert output.stdout.split() == expected


@pytest.mark.parametrize("missing", ["rom", "game"])
def test_a_snapshot_of_another_game_is_refused(missing: str) -> None:
    env, other = make("glowdelve"), make("windfall")
    env.reset(seed=0)
    other.reset(seed=0)
    with pytest.raises((RuntimeError, ValueError), match="glowdelve"):
        other.restore(env.snapshot() if missing == "rom" else pickle.loads(pickle.dumps(env.snapshot())))
