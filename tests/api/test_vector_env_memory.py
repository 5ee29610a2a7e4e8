"""Memory and threads of `AtariVectorEnv`: views, buffers of the caller, interrupts, forks."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from api.vector_playing import OURS, actions, make, play, same


class TestMemory:
    def test_what_is_held_is_never_overwritten(self) -> None:
        env = make(num_envs=2, img_height=21, img_width=16, stack_num=2, max_num_frames_per_episode=100)
        held = play(env, 1000)
        copies = [tuple(np.copy(part) for part in result[:-1]) for result in held]
        infos = [{key: value.copy() for key, value in result[-1].items()} for result in held]
        again = play(env, 1000)
        assert all(same(one, other) for one, other in zip(held, again, strict=True))
        for result, copy, info in zip(held, copies, infos, strict=True):
            assert all(np.array_equal(part, saved) for part, saved in zip(result[:-1], copy, strict=True))
            assert all(np.array_equal(result[-1][key], info[key]) for key in info)
        addresses = {result[0].ctypes.data for result in held}
        assert len(addresses) == len(held)

    def test_memory_is_used_again_when_no_array_holds_it(self) -> None:
        env = make()
        env.reset(seed=0)
        addresses = {env.step(np.array([0, 0]))[0].ctypes.data for _ in range(50)}
        assert len(addresses) <= 3

    def test_a_view_holds_its_memory(self) -> None:
        env = make()
        row = env.reset(seed=0)[0][1, 3]
        copy = row.copy()
        for step in range(30):
            env.step(actions(env, step))
        assert np.array_equal(row, copy)

    def test_arrays_are_views_of_native_memory(self) -> None:
        observations, info = make().reset(seed=0)
        for array in (observations, info["lives"]):
            assert not array.flags.owndata
            assert array.flags.c_contiguous
            assert array.flags.writeable
            assert array.flags.aligned
            assert type(array.base).__name__ == "Memory"
        assert np.asarray(observations) is observations
        assert np.array(observations, copy=False).ctypes.data == observations.ctypes.data
        assert np.from_dlpack(observations).ctypes.data == observations.ctypes.data
        assert memoryview(observations).nbytes == observations.nbytes

    def test_torch_shares_the_memory(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is optional")
        env = make()
        observations, _ = env.reset(seed=0)
        for tensor in (torch.from_numpy(observations), torch.from_dlpack(observations)):
            assert tensor.data_ptr() == observations.ctypes.data
            assert tensor.shape == observations.shape
        # A tensor holds the memory: steps that follow go elsewhere.
        before = tensor.clone()
        del observations
        for step in range(10):
            _, rewards, terminated, _, _ = env.step(actions(env, step))
            assert torch.from_numpy(rewards).data_ptr() == rewards.ctypes.data
            assert torch.from_numpy(terminated).dtype == torch.bool
        assert torch.equal(tensor, before)

    def test_tensors_as_buffers(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is optional")
        env, twin = make(), make()
        shape = env.observation_space.shape
        tensors = [torch.zeros(shape, dtype=torch.uint8), torch.zeros(env.num_envs, dtype=torch.int32)]
        tensors += [torch.zeros(env.num_envs, dtype=torch.bool) for _ in range(2)]
        env.use_buffers(*(tensor.numpy() for tensor in tensors))
        assert np.array_equal(env.reset(seed=0)[0], twin.reset(seed=0)[0])
        for step in range(20):
            env.step(actions(env, step))
            expected = twin.step(actions(env, step))
            for tensor, array in zip(tensors, expected, strict=False):
                assert torch.equal(tensor, torch.from_numpy(array))

    def test_writing_into_an_observation_does_no_harm(self) -> None:
        env, twin = make(), make()
        twin.reset(seed=0)
        env.reset(seed=0)[0][:] = 77
        for step in range(10):
            result = env.step(actions(env, step))
            assert same(result, twin.step(actions(env, step)))
            result[0][:] = 77

    @pytest.mark.parametrize("batch_size", [0, 1])
    def test_buffers_of_the_caller(self, batch_size: int) -> None:
        env, twin = make(num_envs=1), make(num_envs=1, batch_size=batch_size)
        buffers = (
            np.zeros(env.observation_space.shape, np.uint8),  # type: ignore[arg-type]
            np.zeros(1, np.int32),
            np.zeros(1, bool),
            np.zeros(1, bool),
        )
        env.use_buffers(*buffers)
        assert env.reset(seed=0)[0] is buffers[0]
        twin.reset(seed=0)
        for step in range(20):
            result = env.step(actions(env, step))
            assert all(part is buffer for part, buffer in zip(result, buffers, strict=False))
            assert same(result, twin.step(actions(env, step)))
        env.use_buffers()
        assert env.step(np.array([0]))[0] is not buffers[0]

    def test_buffers_have_to_fit(self) -> None:
        env = make()
        for bad in (np.zeros((2, 4, 84, 83), np.uint8), np.zeros((2, 4, 84, 168), np.uint8)[..., ::2]):
            with pytest.raises(ValueError, match="observations"):
                env.use_buffers(bad)
        frozen = np.zeros((2, 4, 84, 84), np.uint8)
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="cannot be written"):
            env.use_buffers(frozen)
        with pytest.raises(TypeError):
            env.use_buffers(np.zeros((2, 4, 84, 84)))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="rewards"):
            env.use_buffers(None, np.zeros(3, np.int32))

    @pytest.mark.skipif(sys.platform != "linux", reason="reads the size of the process from /proc")
    def test_a_thousand_environments_take_less_than_a_hundred_megabytes(self) -> None:
        code = f"""
import gc, os
import numpy as np
from ale_rs import AtariVectorEnv

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

small = AtariVectorEnv("{OURS}", 2); small.reset(seed=0)
before = resident()
env = AtariVectorEnv("{OURS}", 1024)
observations = env.reset(seed=0)[0]
worst = resident() - before - observations.nbytes
for step in range(3):
    observations = env.step(np.full(1024, step))[0]
    # Two batches exist while one is exchanged for the next.
    worst = max(worst, resident() - before - 2 * observations.nbytes)
print(worst)
"""
        output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert int(output.stdout) < 100_000_000


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also in a process that was started in the background and told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class TestThreads:
    def test_other_python_threads_run_while_a_step_runs(self) -> None:
        env = make(num_envs=64, frameskip=60)
        env.reset(seed=0)
        count, running = 0, True

        def counter() -> None:
            nonlocal count
            while running:
                count += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=counter)
        thread.start()
        start, before = time.monotonic(), count
        env.step(actions(env, 0))
        lasted, counted = time.monotonic() - start, count - before
        running = False
        thread.join()
        # A step that held the interpreter would let it count to one or two.
        assert counted > 5 or lasted < 0.02

    def test_two_threads_do_not_share_an_environment(self) -> None:
        env = make(num_envs=64, frameskip=100)
        env.reset(seed=0)
        problems: list[Exception] = []

        def step() -> None:
            try:
                env.step(actions(env, 0))
            except RuntimeError as problem:
                problems.append(problem)

        threads = [threading.Thread(target=step) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all("another thread" in str(problem) for problem in problems)
        env.step(actions(env, 1))

    @pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.usefixtures("interruptible")
    def test_an_interrupt_ends_a_long_step(self, threads: int) -> None:
        # A step ends with its game, so it takes many of them to make it long.
        env = make(num_envs=1000, frameskip=100_000, num_threads=threads)
        env.reset(seed=0)
        start = time.monotonic()
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            env.step(actions(env, 0))
        assert time.monotonic() - start < 30
        with pytest.raises(RuntimeError, match="reset"):
            env.step(actions(env, 0))
        env.reset(seed=0)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
    def test_a_forked_process_goes_on_alone(self) -> None:
        code = f"""
import os, sys
import numpy as np
from ale_rs import AtariVectorEnv
env = AtariVectorEnv("{OURS}", 4, num_threads=2)
env.reset(seed=0)
env.step(np.arange(4))
child = os.fork()
observations = env.step(np.arange(4))[0]
if child == 0:
    os._exit(0 if observations.any() else 1)
_, status = os.waitpid(child, 0)
env.send(np.arange(4))
child = os.fork()
if child == 0:
    try:
        env.recv()
    except RuntimeError as problem:
        os._exit(0 if "forked" in str(problem) else 1)
    os._exit(2)
_, second = os.waitpid(child, 0)
env.recv()
sys.exit(status or second)
"""
        assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=120).returncode == 0
