"""Pickles and snapshots: everything comes back, and every changed byte is refused."""

import copy
import pickle
import random
from typing import Any

import gymnasium
import numpy as np
import pytest

from ale_rs import AtariEnv, AtariVectorEnv
from ale_rs.vector_env import VectorSnapshot

GAME = "glowdelve"
CHANGES = 200


def batch(**options: Any) -> AtariVectorEnv:
    env = AtariVectorEnv(GAME, 3, repeat_action_probability=0.25, **options)
    env.reset(seed=1)
    for _ in range(20):
        env.step(np.ones(3, int))
    return env


def alone(**options: Any) -> AtariEnv:
    env = AtariEnv(GAME, frameskip=(2, 5), action_noise=0.2, **options)
    env.reset(seed=1)
    for action in (1, 0, 3, 4):
        env.step(action)
    return env


def changed(data: bytes, seed: int) -> bytes:
    """The same bytes with one bit flipped."""
    chance = random.Random(seed)
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def test_every_changed_byte_of_a_snapshot_is_refused(fresh_seed: int) -> None:
    env = batch()
    before = env.observe()[0].copy()
    data = env.snapshot().to_bytes()
    for number in range(CHANGES):
        with pytest.raises(ValueError, match=r"ale-rs v"):
            VectorSnapshot.from_bytes(changed(data, fresh_seed + number))
    for wrong in (b"", data[:7], data[:40], data[:-1], data + b"x", b"\x80\x04" + data, bytes(len(data))):
        with pytest.raises(ValueError, match=r"ale-rs v"):
            VectorSnapshot.from_bytes(wrong)
    assert np.array_equal(env.observe()[0], before)


@pytest.mark.parametrize("make", [batch, alone])
def test_a_changed_byte_of_a_pickle_is_refused_or_makes_no_difference(make: Any, fresh_seed: int) -> None:
    # Some bytes around ours are those of pickle's own frame; a few of them say nothing.
    env = make()
    data = pickle.dumps(env)
    expected = state(env)
    refused = 0
    for number in range(CHANGES):
        try:
            other = pickle.loads(changed(data, fresh_seed + number))
        except Exception:
            refused += 1
        else:
            assert state(other) == expected
    assert refused >= CHANGES * 0.95
    # All bytes that matter are ours: these begin after pickle's head.
    start = data.index(b"ale-rs p")
    for number in range(CHANGES):
        with pytest.raises((ValueError, pickle.UnpicklingError)):
            pickle.loads(data[:start] + changed(data[start:-3], fresh_seed + number) + data[-3:])


def state(env: AtariEnv | AtariVectorEnv) -> bytes:
    if isinstance(env, AtariVectorEnv):
        return env.snapshot().to_bytes()
    return env.snapshot().to_bytes() + repr(env.np_random.bit_generator.state).encode()


def test_the_pickle_of_another_class_is_refused() -> None:
    make, (_, data) = alone().__reduce__()
    with pytest.raises(ValueError, match=r"the pickle is that of a ale_rs.env.AtariEnv; expected: .*Vector"):
        make(AtariVectorEnv, data)


@pytest.mark.parametrize("again", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_game_goes_on_after_its_pickle(again: Any) -> None:
    env = alone(render_mode="rgb_array_list", sound_obs=True)
    other = again(env)
    assert len(other._frames) == len(env._frames) == 5
    for _ in range(100):
        action = env.action_space.sample()
        assert other.action_space.sample() == action
        left, right = env.step(action), other.step(action)
        assert left[1:] == right[1:]
        for name in ("image", "sound"):
            assert np.array_equal(left[0][name], right[0][name])  # type: ignore[index, call-overload]
    assert other.reset()[1] == env.reset()[1]


def test_an_environment_of_gymnasium_is_pickled_with_its_wrappers() -> None:
    env = gymnasium.make("ale_rs/Glowdelve-v5", max_num_frames_per_episode=400)
    env.reset(seed=3)
    env.step(1)
    other = pickle.loads(pickle.dumps(env))
    assert other.spec == env.spec
    for action in (1, 2, 3):
        assert np.array_equal(env.step(action)[0], other.step(action)[0])


def test_an_environment_that_was_never_reset_is_pickled_too() -> None:
    other = pickle.loads(pickle.dumps(AtariEnv(GAME, difficulty=0)))
    assert other.reset(seed=0)[0].shape == (210, 160, 3)


def test_actions_of_a_batch_go_on_after_its_pickle() -> None:
    env = batch()
    other = pickle.loads(pickle.dumps(env))
    for _ in range(20):
        actions = env.action_space.sample()
        assert np.array_equal(other.action_space.sample(), actions)
        assert np.array_equal(env.step(actions)[0], other.step(actions)[0])
