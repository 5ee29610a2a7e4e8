"""Ctrl-C during resets that take long: answered within half a second; the next reset is good."""

import hashlib
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import ALEInterface, AtariEnv, AtariVectorEnv, games

ROMS = Path(__file__).parents[2] / "roms"
ENDLESS = 3
"""A mode whose script runs until it gives up, after 100,000 frames."""
DELAY = 0.15

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")


def sheet(name: str, directory: Path, *more: str) -> str:
    """Make a game known whose last mode is never reached; its cartridge has another byte somewhere."""
    image = bytearray((ROMS / "glowdelve.bin").read_bytes())
    image[image.index(bytes(64)) + 32] = len(name)
    (directory / f"{name}.bin").write_bytes(image)
    text = (ROMS / "glowdelve.toml").read_text()
    md5 = [hashlib.md5(data).hexdigest() for data in ((ROMS / "glowdelve.bin").read_bytes(), image)]
    text = text.replace(*md5)
    wait = f'"until ram[0x02] == m and m != {ENDLESS}: select(1)"'
    lines = text.replace('"until ram[0x02] == m: select(1)"', wait).replace(
        "title", "\n".join((*more, "title"))
    )
    path = directory / f"{name}.toml"
    path.write_text(lines)
    games.load(path, rom=directory / f"{name}.bin")
    return name


@pytest.fixture
def slow(tmp_path: Path) -> str:
    return sheet("slow_mine", tmp_path)


def interrupt(call: Callable[[], Any]) -> float:
    """Press Ctrl-C during a call; the seconds until it was answered."""
    # By a timer of the system: a thread of Python's cannot press while a call has the interpreter for itself.
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    pressed = time.monotonic() + DELAY
    signal.setitimer(signal.ITIMER_REAL, DELAY)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.monotonic() - pressed
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("num_envs", [1, 3])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", [None, 7])
def test_a_mode_script_in_a_small_batch(slow: str, num_envs: int, threads: int, seed: int | None) -> None:
    env = AtariVectorEnv(slow, num_envs, mode=ENDLESS, num_threads=threads)
    for _ in range(2):
        assert interrupt(lambda: env.reset(seed=seed)) < 0.5
        with pytest.raises(RuntimeError, match="reset"):
            env.step(np.zeros(num_envs, np.int64))


@pytest.mark.parametrize("seed", [None, 7])
def test_a_mode_script_of_one_environment(slow: str, seed: int | None) -> None:
    env, twin = AtariEnv(slow), AtariEnv(slow)
    env.ale.setMode(ENDLESS)
    if seed is None:
        assert interrupt(env.reset) < 0.5
    assert interrupt(env.ale.reset_game) < 0.5
    env.ale.setMode(0)
    for each in (env, twin):
        each.reset(seed=5)
    for action in range(18):
        ours, theirs = env.step(action), twin.step(action)
        np.testing.assert_array_equal(ours[0], theirs[0])
        assert ours[1:] == theirs[1:]


def test_the_load_of_a_rom(tmp_path: Path) -> None:
    name = sheet("slow_start", tmp_path, f"default_mode = {ENDLESS}")
    ale = ALEInterface()
    assert interrupt(lambda: ale.loadROM(tmp_path / f"{name}.bin")) < 0.5
    ale.loadROM(ROMS / "windfall.bin")
    ale.reset_game()
    assert ale.act(0) == 0


def test_many_acts_of_one_step(slow: str) -> None:
    env = AtariEnv(slow, frameskip=2**31 - 1)
    env.reset(seed=0)
    assert interrupt(lambda: env.step(0)) < 0.5
