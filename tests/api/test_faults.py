"""What goes wrong around a vector environment: panics, interrupts, forks, the end, no memory."""

import os
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv

OURS = "glowdelve"
LOST = 2


def make(num_envs: int = 4, **options: Any) -> AtariVectorEnv:
    return AtariVectorEnv(OURS, num_envs, **options)


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


class TestPanics:
    @pytest.mark.parametrize("threads", [1, 2])
    def test_only_one_is_lost(self, threads: int, capfd: pytest.CaptureFixture[str]) -> None:
        env, twin = make(num_threads=threads), make(num_threads=threads)
        for each in (env, twin):
            each.reset(seed=0)
        env._native.break_next(LOST)
        with pytest.raises(RuntimeError, match=f"sub-environment {LOST} failed: a defect of this library"):
            env.step(np.zeros(4, np.int64))
        assert "panicked" in capfd.readouterr().err
        twin.step(np.zeros(4, np.int64))
        others = [index for index in range(4) if index != LOST]
        for step in range(12):
            action = np.full(4, step % 6)
            ours, theirs = env.step(action), twin.step(action)
            for a, b in zip(ours[:4], theirs[:4], strict=True):
                np.testing.assert_array_equal(a[others], b[others])
        assert ours[0][LOST].any()
        env.reset(seed=0)
        twin.reset(seed=0)
        np.testing.assert_array_equal(env.step(np.ones(4, np.int64))[0], twin.step(np.ones(4, np.int64))[0])

    def test_who_waits_is_told(self, capfd: pytest.CaptureFixture[str]) -> None:
        env = make(batch_size=2)
        env.async_reset(seed=0)
        env.recv()
        env.recv()
        env._native.break_next(LOST)
        env.send(np.zeros(4, np.int64), range(4))
        told = []
        for _ in range(2):
            try:
                env.recv()
            except RuntimeError as problem:
                told.append(str(problem))
        assert [f"sub-environment {LOST} failed" in text for text in told] == [True]
        assert "panicked" in capfd.readouterr().err
        env.reset(seed=0)

    def test_what_broke_cannot_be_looked_at(self, capfd: pytest.CaptureFixture[str]) -> None:
        env = make(render_mode="rgb_array")
        env.reset(seed=0)
        env._native.break_next(LOST)
        with pytest.raises(RuntimeError):
            env.step(np.zeros(4, np.int64))
        for call in (env.render, env.snapshot, env.observe, lambda: env.screen(LOST)):
            with pytest.raises(RuntimeError, match=f"sub-environment {LOST}"):
                call()
        assert env.screen(0).any()
        capfd.readouterr()

    def test_only_what_exists_breaks(self) -> None:
        with pytest.raises(IndexError, match="accepted: 0 to 3"):
            make()._native.break_next(4)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
class TestInterrupts:
    START = f"""
import os, signal, sys, threading
import numpy as np
from ale_rs import AtariVectorEnv
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted(call):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        call()
    except KeyboardInterrupt:
        return True
    return False

def make(count, **options):
    return AtariVectorEnv("{OURS}", count, use_fire_reset=False, **options)
"""

    def test_nothing_is_lost_while_waiting_for_results(self) -> None:
        code = """
env, twin = (make(150, frameskip=1000, num_threads=1) for _ in range(2))
actions = np.zeros(150, np.int64)
for each in (env, twin):
    each.reset(seed=0)
env.send(actions)
if not interrupted(env.recv):
    sys.exit("too fast to be interrupted")
np.testing.assert_array_equal(env.recv()[0], twin.step(actions)[0])
"""
        done = python(self.START + code)
        assert done.returncode == 0, done.stderr

    def test_after_an_interrupted_reset_comes_another(self) -> None:
        code = """
env, twin = make(500), make(500)
def resets():
    for _ in range(10**6):
        env.reset()
if not interrupted(resets):
    sys.exit("not interrupted")
np.testing.assert_array_equal(env.reset(seed=0)[0], twin.reset(seed=0)[0])
actions = np.zeros(500, np.int64)
np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])
"""
        done = python(self.START + code)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
class TestForks:
    @pytest.mark.parametrize("options", ["num_threads=2", "shared_pool=True"])
    def test_children_of_multiprocessing(self, options: str) -> None:
        code = f"""
import multiprocessing, sys
import numpy as np
from ale_rs import AtariVectorEnv

def work(number):
    if number % 2:
        made = AtariVectorEnv("{OURS}", 4, {options})
        made.reset(seed=0)
        return made.step(np.ones(4, np.int64))[0].tobytes()
    return env.step(np.ones(4, np.int64))[0].tobytes()

env = AtariVectorEnv("{OURS}", 4, {options})
env.reset(seed=0)
with multiprocessing.get_context("fork").Pool(4, maxtasksperchild=1) as pool:
    results = pool.map(work, range(4), chunksize=1)
expected = env.step(np.ones(4, np.int64))[0].tobytes()
sys.exit(0 if all(result == expected for result in results) else 1)
"""
        done = python(code)
        assert done.returncode == 0, done.stderr


class TestTheEnd:
    CASES = (
        "env.send(np.zeros(64, np.int64))",
        "env.send(np.zeros(64, np.int64)); sys.exit(0)",
        "steps = lambda: [env.step(a) for _ in range(10**6)]\n"
        "threading.Thread(target=steps, daemon=True).start(); time.sleep(0.3)",
        "env.close(); del env",
        "sys.modules['kept'] = env; env.send(np.zeros(64, np.int64))",
    )

    @pytest.mark.parametrize("last", CASES)
    def test_work_in_flight_does_not_hold_up_the_interpreter(self, last: str) -> None:
        code = f"""
import sys, threading, time
import numpy as np
from ale_rs import AtariVectorEnv
a = np.zeros(64, np.int64)
env = AtariVectorEnv("{OURS}", 64, frameskip=200)
env.reset(seed=0)
{last}
"""
        start = time.monotonic()
        done = python(code)
        assert done.returncode == 0, done.stderr
        assert "panicked" not in done.stderr
        assert time.monotonic() - start < 120


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
class TestMemory:
    CODE = f"""
import resource, sys
import numpy as np
from ale_rs import AtariVectorEnv
small = AtariVectorEnv("{OURS}", 2)
small.reset(seed=0)
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    AtariVectorEnv("{OURS}", int(sys.argv[2]))
except MemoryError as problem:
    print(problem)
small.step(np.zeros(2, np.int64))
"""

    def test_a_hundred_thousand_environments_are_refused(self) -> None:
        done = python(self.CODE, str(2 * 10**9), "100000")
        assert done.returncode == 0, done.stderr
        assert "100000 environments need about" in done.stdout
        assert "accepted" in done.stdout

    def test_what_is_accepted_runs(self) -> None:
        # As many as fit: the estimate must not be below what the first steps take.
        code = f"""
import resource, sys
import numpy as np
from ale_rs import AtariVectorEnv
with open("/proc/self/statm") as file:
    limit = int(file.read().split()[0]) * resource.getpagesize() + 150 * 10**6
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
count = 16384
while True:
    try:
        env = AtariVectorEnv("{OURS}", count, num_threads=1)
        break
    except MemoryError:
        count -= count // 4
env.reset(seed=0)
for step in range(8):
    env.step(np.full(count, step % 6))
print(count)
"""
        done = python(code)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 500
