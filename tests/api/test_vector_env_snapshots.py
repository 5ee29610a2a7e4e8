"""Snapshots, branches and asynchronous batches of `AtariVectorEnv`."""

import pickle
from typing import Any

import numpy as np
import pytest

from ale_rs.vector_env import VectorSnapshot
from api.vector_playing import OTHER, OURS, actions, make, make_like, play, same


class TestSnapshots:
    OPTIONS: dict[str, Any] = {"repeat_action_probability": 0.25, "episodic_life": True}  # noqa: RUF012

    @pytest.mark.parametrize("game", [OURS, "breakout", "qbert", "journey_escape"])
    def test_what_is_restored_goes_on_the_same(self, game: str) -> None:
        env = make(game, 3, **self.OPTIONS)
        play(env, 20)
        snapshot = env.snapshot()
        future = [env.step(actions(env, step)) for step in range(60)]
        observations, _ = env.restore(snapshot)
        assert observations.shape == (3, 4, 84, 84)
        assert all(same(env.step(actions(env, step)), result) for step, result in enumerate(future))

    @pytest.mark.parametrize("game", [OURS, "breakout", "journey_escape"])
    def test_bytes_go_on_the_same(self, game: str) -> None:
        env = make(game, 2, **self.OPTIONS)
        play(env, 30)
        copy = pickle.loads(pickle.dumps(env))
        assert same(env.observe(), copy.observe())
        for step in range(60):
            assert same(env.step(actions(env, step)), copy.step(actions(env, step)))

    def test_a_batch_that_cannot_show_all_is_refused(self) -> None:
        env = make(num_envs=4, batch_size=2)
        env.reset(seed=0)
        env.recv()
        snapshot = env.snapshot()
        for call in (env.observe, lambda: env.restore(snapshot), lambda: env.branch(0, [1])):
            with pytest.raises(ValueError, match="synchronous"):
                call()
        with pytest.raises(ValueError, match="too few to show 4"):
            env._native.observe()
        env.send(np.zeros(2, np.int64))
        env.recv()

    def test_some_of_them(self) -> None:
        env = make(num_envs=3)
        play(env, 10)
        snapshot = env.snapshot([2])
        assert (len(snapshot), snapshot.ids) == (1, [2])
        before = env.observe()[0]
        env.step(actions(env, 10))
        now = env.observe()[0]
        after, _ = env.restore(snapshot)
        assert np.array_equal(after[:2], now[:2])
        assert np.array_equal(after[2], before[2])
        moved, _ = env.restore(snapshot, [0])
        assert np.array_equal(moved[0], before[2])

    def test_branches(self) -> None:
        env = make(num_envs=4, repeat_action_probability=0.25)
        play(env, 15)
        observations, _ = env.branch(1, 2)
        assert (observations[1:] == observations[1]).all()
        assert not np.array_equal(observations[0], observations[1])
        for _ in range(20):
            observations = env.step(np.array([0, 3, 3, 3]))[0]
        assert (observations[1:] == observations[1]).all()
        observations, _ = env.branch(0, [3])
        assert np.array_equal(observations[0], observations[3])

    def test_the_bytes_of_a_snapshot_are_one(self) -> None:
        env = make(num_envs=3)
        play(env, 15)
        kept = env.snapshot()
        first = env.step(actions(env, 15))
        env.restore(kept.to_bytes())
        assert same(env.step(actions(env, 15)), first)
        with pytest.raises(ValueError, match="cut off or changed"):
            env.restore(kept.to_bytes()[:-1])

    def test_mistakes(self) -> None:
        env, other = make([OURS, OTHER], None), make(num_envs=2)
        env.reset(seed=0), other.reset(seed=0)
        with pytest.raises(RuntimeError, match="the snapshot is of"):
            env.restore(other.snapshot())
        with pytest.raises(RuntimeError, match="the snapshot is of"):
            env.branch(0, 1)
        with pytest.raises(IndexError, match="no sub-environment 2"):
            other.branch(0, 2)
        with pytest.raises(IndexError):
            other.snapshot([-1])
        with pytest.raises(ValueError, match="the snapshot has 2"):
            other.restore(other.snapshot(), [0])
        small = make(num_envs=2, stack_num=1)
        small.reset()
        with pytest.raises(RuntimeError, match="another kind or size"):
            small.restore(other.snapshot())
        with pytest.raises(ValueError, match="cut off or changed"):
            VectorSnapshot.from_bytes(other.snapshot().to_bytes()[:-5])
        for old in (b"\x01" + bytes(100), b"ale-rs v" + bytes([1, 0, 0, 0] + [0] * 16)):
            with pytest.raises(ValueError, match="has version 1; accepted: 2"):
                VectorSnapshot.from_bytes(old)

    def test_an_environment_that_was_never_reset_is_pickled_too(self) -> None:
        copy = pickle.loads(pickle.dumps(make(num_envs=3, stack_num=2)))
        assert copy.reset()[0].shape == (3, 2, 84, 84)

    def test_work_in_flight_is_not_pickled(self) -> None:
        env = make(num_envs=3, batch_size=1)
        env.reset(seed=0)
        with pytest.raises(RuntimeError, match="at work"):
            pickle.dumps(env)


class TestAsynchronous:
    def test_every_sub_environment_has_its_own_stream(self) -> None:
        options = {"num_envs": 4, "repeat_action_probability": 0.25}
        length = 30
        expected = play(make(**options), length)
        env = make(batch_size=1, **options)
        observations, info = env.reset(seed=0)
        steps = [0] * 4
        # How often each one comes is up to the threads; what it brings is not.
        for _ in range(20_000):
            index = int(info["env_id"][0])
            if steps[index] <= length:
                assert np.array_equal(observations[0], expected[steps[index]][0][index])
            chosen = actions(make_like(env, 4), steps[index])[index]
            steps[index] += 1
            if min(steps) > 5:
                break
            observations, _, _, _, info = env.step(np.array([chosen]))
        assert min(steps) > 5

    def test_a_reset_drops_what_is_in_flight(self) -> None:
        env = make(num_envs=6, batch_size=2)
        env.reset(seed=0)
        env.step(np.array([1, 1]))
        seen = list(env.reset(seed=50)[1]["env_id"])
        for _ in range(2):
            seen += list(env.step(np.array([0, 0]))[4]["env_id"])
        # Three batches of two: sub-environments that were stepped may have come twice, stale rows never.
        assert len(seen) == 6

    def test_actions_for_named_sub_environments(self) -> None:
        env, twin = make(num_envs=3, batch_size=3), make(num_envs=3)
        env.async_reset(seed=1)
        assert np.array_equal(env.recv()[0], twin.reset(seed=1)[0])
        env.send(np.array([3, 2, 1]), [2, 1, 0])
        assert same(env.recv(), twin.step(np.array([1, 2, 3])))
        with pytest.raises(IndexError):
            env.send(np.array([0]), [7])
        with pytest.raises(ValueError, match="twice"):
            env.send(np.array([0, 0]), [1, 1])
