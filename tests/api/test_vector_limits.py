"""`AtariVectorEnv` under careless and hostile calls of the caller."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import error
from gymnasium.vector import AutoresetMode

from ale_rs import AtariVectorEnv
from ale_rs.vector_env import VectorSnapshot

OURS = "glowdelve"
NUM_ENVS = 3


def make(num_envs: int = NUM_ENVS, **options: Any) -> AtariVectorEnv:
    return AtariVectorEnv(OURS, num_envs, **options)


def buffers_of(env: AtariVectorEnv) -> tuple[Any, ...]:
    rows = env.batch_size
    return (
        np.zeros((rows, *env.single_observation_space.shape), np.uint8),  # type: ignore[misc]
        np.zeros(rows, np.int32),
        np.zeros(rows, bool),
        np.zeros(rows, bool),
    )


def steps(count: int, rows: int = NUM_ENVS) -> Iterator[Any]:
    return (np.array([(step // 2 + 5 * row) % 18 for row in range(rows)]) for step in range(count))


def assert_equal(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key, value in theirs.items():
            assert_equal(ours[key], value)
    elif isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    else:
        np.testing.assert_array_equal(ours, theirs)


class TestBuffers:
    @pytest.mark.parametrize("mode", list(AutoresetMode))
    @pytest.mark.parametrize("threads", [1, 2])
    def test_episodes_end_one_by_one(self, mode: AutoresetMode, threads: int) -> None:
        options = {"autoreset_mode": mode, "max_num_frames_per_episode": 40, "num_threads": threads}
        env, twin = make(**options), make(**options)
        env.use_buffers(*buffers_of(env))
        assert_equal(env.reset(seed=0)[0], twin.reset(seed=0)[0])
        ends, stuck = [], np.zeros(NUM_ENVS, bool)
        for number, action in enumerate(steps(60)):
            # One sub-environment after the other starts anew, so that they end in different steps.
            mask = stuck if mode is AutoresetMode.DISABLED else np.arange(NUM_ENVS) == number - 3
            if mask.any() or (mode is AutoresetMode.DISABLED and number in (3, 5)):
                mask = mask | (np.arange(NUM_ENVS) == number // 2)
                options = {"reset_mask": mask}
                assert_equal(env.reset(options=dict(options)), twin.reset(options=dict(options)))
            ours, theirs = env.step(action), twin.step(action)
            assert_equal(ours, theirs)
            ended = theirs[2] | theirs[3]
            ends.append(int(ended.sum()))
            stuck = ended.copy()
        assert 0 < min(count for count in ends if count) < NUM_ENVS, "some end while others go on"

    def test_a_panic_is_told_of(self) -> None:
        env = make()
        env.reset(seed=0)
        with pytest.raises(BaseException, match="it was told to"):
            env._native.break_call()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="ended in a panic"):
                env.step(np.zeros(NUM_ENVS, np.int64))

    @pytest.mark.parametrize("which", range(4))
    @pytest.mark.parametrize("offset", [-1, 0])
    def test_a_buffer_that_changed_is_refused_at_once(self, which: int, offset: int) -> None:
        env, twin = make(thread_affinity_offset=offset), make()
        buffers = buffers_of(env)
        env.use_buffers(*buffers)
        env.reset(seed=0)
        twin.reset(seed=0)
        action = np.zeros(NUM_ENVS, np.int64)
        name = ("observations", "rewards", "terminations", "truncations")[which]
        size = buffers[which].shape
        buffers[which].resize((size[0] - 1, *size[1:]), refcheck=False)
        for call in (lambda: env.step(action), env.observe, env.reset):
            with pytest.raises(ValueError, match=f"the buffer for {name} has the shape"):
                call()
        buffers[which].resize(size, refcheck=False)
        buffers[which].flags.writeable = False
        with pytest.raises(ValueError, match="cannot be written"):
            env.step(action)
        buffers[which].flags.writeable = True
        # Nothing was played meanwhile.
        assert_equal(env.step(action)[:4], twin.step(action)[:4])


class TestSnapshots:
    def test_bytes_come_back_in_another_environment(self) -> None:
        env, other = make(), make()
        env.reset(seed=0)
        for action in steps(12):
            env.step(action)
        data = env.snapshot([0, 2]).to_bytes()
        snapshot = VectorSnapshot.from_bytes(data)
        assert (snapshot.ids, len(snapshot), snapshot.to_bytes()) == ([0, 2], 2, data)
        other.reset(seed=5)
        other.restore(snapshot)
        again = pickle.loads(pickle.dumps(env.snapshot([1])))
        other.restore(again)
        for action in steps(12):
            assert_equal(other.step(action), env.step(action))

    def test_bytes_of_another_game_are_refused_when_they_are_restored(self) -> None:
        env, other = make(1), AtariVectorEnv("windfall", 1)
        env.reset(seed=0)
        other.reset(seed=0)
        snapshot = VectorSnapshot.from_bytes(other.snapshot().to_bytes())
        with pytest.raises(RuntimeError, match="windfall"):
            env.restore(snapshot)
        env.step(np.array([0]))


class TestNumbers:
    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.01, 1.01, 1e300])
    def test_what_is_no_probability_is_refused(self, value: float) -> None:
        with pytest.raises(ValueError, match="repeat_action_probability"):
            make(repeat_action_probability=value)

    def test_more_branches_than_environments_are_refused_before_they_are_listed(self) -> None:
        env = make()
        env.reset(seed=0)
        start = time.monotonic()
        for count in (NUM_ENVS, 2**40, 2**70, -1):
            with pytest.raises((IndexError, ValueError), match=r"no sub-environment|targets is -1"):
                env.branch(0, count)
        for index in (-1, NUM_ENVS, 2**62):
            with pytest.raises((IndexError, OverflowError)):
                env.branch(index, [1])
        assert time.monotonic() - start < 5
        env.branch(0, NUM_ENVS - 1)

    @pytest.mark.parametrize(
        "name",
        [
            "batch_size", "num_threads", "thread_affinity_offset", "max_num_frames_per_episode", "img_height",
            "img_width", "stack_num", "frameskip", "noop_max", "mode", "difficulty", "first_env_index",
        ],
    )  # fmt: skip
    @pytest.mark.filterwarnings("ignore:(noop_max|thread_affinity_offset) is")
    def test_every_integer_at_its_ends_is_used_or_refused_with_its_name(self, name: str) -> None:
        used, told = 0, []
        kinds = (ValueError, OverflowError, RuntimeError, error.Error, MemoryError)
        ends = [end - less for end in (2**31, 2**32, 2**63, 2**64) for less in (0, 1)]
        for value in (0, -1, -(2**31), -(2**63), *ends):
            try:
                env = make(2, **{"img_height": 8, "img_width": 8, name: value})
            except kinds as problem:
                told.append((str(problem), value))
                continue
            used += 1
            if name not in ("noop_max", "frameskip"):  # a reset or step of a year
                env.reset()
                env.step(np.zeros(env.batch_size, np.int64))
        assert used or name in ("img_height", "img_width", "stack_num")
        for text, value in told:
            assert name in text or str(value) in text, text


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch_size", [0, 2])
def test_an_interrupt_ends_a_long_reset(threads: int, batch_size: int) -> None:
    env = make(noop_max=50_000_000, num_threads=threads, batch_size=batch_size, use_fire_reset=False)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(2):
            pressed: list[float] = []

            def press(times: list[float] = pressed) -> None:
                times.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(0.3, press)
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                env.reset(seed=1)
            answered = time.monotonic() - pressed[0]
            assert answered < 0.5, answered
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit on memory")
@pytest.mark.parametrize("limit", [0, 3 << 30])
def test_too_many_environments_are_a_memory_error_before_anything_is_built(limit: int) -> None:
    code = f"""
import resource, sys, time
from ale_rs import AtariVectorEnv
if {limit}:
    resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
for num_envs in (10**8, 10**9, 2**62, *([10**5, 10**6] if {limit} else [])):
    start = time.monotonic()
    try:
        AtariVectorEnv("{OURS}", num_envs)
    except MemoryError as problem:
        assert str(num_envs) in str(problem) and "GB" in str(problem) or "MB" in str(problem), problem
        assert time.monotonic() - start < 5, num_envs
    else:
        sys.exit(f"{{num_envs}} were built")
with open("/proc/self/status") as file:  # ru_maxrss would count the process that started this one
    used = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
assert used < 1_000_000, used
small = AtariVectorEnv("{OURS}", 2)
small.reset(seed=0)
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
