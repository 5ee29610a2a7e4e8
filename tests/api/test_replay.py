"""The replay buffer as numpy users see it; the twin of its rules is in crates/ale-learning/tests."""

from pathlib import Path

import numpy as np
import pytest

from ale_rs.replay import ReplayBuffer


def played(steps: int = 50, *, num_envs: int = 1, seed: int = 0) -> ReplayBuffer:
    buffer = ReplayBuffer(200, (4, 5), stack=3, num_envs=num_envs, seed=seed)
    frames = np.zeros((num_envs, 4, 5), np.uint8)
    ends = np.ones(num_envs, np.bool_)
    for step in range(steps):
        frames[:] = step + 1
        terminated = np.full(num_envs, step % 10 == 9)
        buffer.extend(frames, np.full(num_envs, step), np.full(num_envs, 0.5), terminated, ends)
        ends = terminated
    return buffer


def test_a_state_is_the_stack_before_the_action_and_the_next_one_after_it() -> None:
    batch = played().sample(64)
    assert batch.observations.shape == batch.next_observations.shape == (64, 3, 4, 5)
    newest = batch.observations[:, -1, 0, 0].astype(int)
    np.testing.assert_array_equal(newest, batch.actions)
    np.testing.assert_array_equal(batch.next_observations[:, -1, 0, 0], batch.actions + 1)
    np.testing.assert_array_equal(batch.terminations, batch.actions % 10 == 9)
    second = batch.actions % 10 == 1  # the first action of an episode: frames before it are black
    assert second.any()
    assert not batch.observations[second, :-1].any()
    assert batch.observations.base is not None


def test_several_environments_do_not_mix() -> None:
    buffer = ReplayBuffer(100, (1,), stack=4, num_envs=2)
    for env in range(2):
        buffer.begin(np.array([env + 1], np.uint8), env)
        for _ in range(20):
            buffer.append(env, 1.0, False, np.array([env + 1], np.uint8), env)
    batch = buffer.sample(500)
    assert set(batch.actions) == {0, 1}
    assert ((batch.frames == 0) | (batch.frames[:, :, 0] == batch.actions[:, None] + 1)[..., None]).all()


def test_memory_is_used_again() -> None:
    buffer = played()
    first = buffer.sample(8)
    again = buffer.sample(8, out=first)
    assert again is first
    with pytest.raises(ValueError, match="out has 8 rows; batch_size is 9"):
        buffer.sample(9, out=first)


def test_saved_and_loaded(tmp_path: Path) -> None:
    buffer = played(seed=3)
    buffer.sample(4)
    buffer.save(tmp_path / "replay.bin")
    loaded = ReplayBuffer.load(tmp_path / "replay.bin", (4, 5))
    np.testing.assert_array_equal(loaded.sample(32).frames, buffer.sample(32).frames)
    with pytest.raises(ValueError, match="frames of 20 bytes"):
        ReplayBuffer.load(tmp_path / "replay.bin")
    data = bytearray((tmp_path / "replay.bin").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "replay.bin").write_bytes(data)
    with pytest.raises(ValueError, match=r"replay\.bin: damaged"):
        ReplayBuffer.load(tmp_path / "replay.bin", (4, 5))


def test_the_memory_of_a_full_buffer_is_that_of_its_frames() -> None:
    buffer = ReplayBuffer(2000)
    frame = np.zeros((84, 84), np.uint8)
    buffer.begin(frame)
    for _ in range(2500):
        buffer.append(0, 0.0, False, frame)
    assert 2000 * 7056 <= buffer.nbytes <= 2000 * 7100
    assert len(buffer) == 1999


@pytest.mark.parametrize(
    ("call", "problem", "text"),
    [
        (lambda b: ReplayBuffer(3), ValueError, "capacity is 3; accepted: 6 frames and more"),
        (lambda b: ReplayBuffer(100, padding="last"), ValueError, "padding is 'last'"),  # type: ignore[arg-type]
        (lambda b: ReplayBuffer(100, stack=0), ValueError, "stack is 0"),
        (lambda b: ReplayBuffer(100, (0, 84)), ValueError, "frame_shape"),
        (lambda b: b.begin(np.zeros((84, 84), np.float32)), ValueError, "float32"),
        (lambda b: b.begin(np.zeros((84, 83), np.uint8)), ValueError, r"\(84, 83\)"),
        (lambda b: b.append(0, 0.0, False, np.zeros((84, 84), np.uint8)), RuntimeError, "begin"),
        (lambda b: b.begin(np.zeros((84, 84), np.uint8), 1), IndexError, "no stream 1"),
        (lambda b: b.sample(4), RuntimeError, "no transition"),
        (lambda b: b.sample(0), ValueError, "batch_size is 0"),
        (lambda b: ReplayBuffer.load(Path("missing.bin")), ValueError, r"missing\.bin"),
    ],
)
def test_mistakes_are_told(call: object, problem: type[Exception], text: str) -> None:
    with pytest.raises(problem, match=text):
        call(ReplayBuffer(100))  # type: ignore[operator]
