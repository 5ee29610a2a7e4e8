"""The switch of the JIT: the same play without it, by argument, by `ALE_RS_JIT`, and where it is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ale_rs import AtariEnv, _native
from ale_rs.cli import doctor

SCRIPTS = Path(__file__).parents[2] / "scripts"

PLAY = """
import hashlib, numpy
from ale_rs import AtariEnv, AtariVectorEnv, _native
trace = hashlib.sha256()
env = AtariEnv("glowdelve", repeat_action_probability=0.25)
trace.update(env.reset(seed=3)[0].tobytes())
for number in range(120):
    trace.update(env.step(number * 7 % env.action_space.n)[0].tobytes())
batch = AtariVectorEnv("windfall", 2)
trace.update(batch.reset(seed=4)[0].tobytes())
for number in range(40):
    trace.update(batch.step(numpy.full(2, number % batch.single_action_space.n))[0].tobytes())
print(*_native.jit_status(), trace.hexdigest(), sep="|")
"""


def play(*before: str, **environment: str) -> tuple[str, str, str]:
    """Play in another process: whether the JIT is on, why, and a checksum of all pictures."""
    run = subprocess.run(
        [*before, sys.executable, "-c", PLAY],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    on, why, trace = run.stdout.strip().split("|")
    return on, why, trace


def test_a_process_without_the_jit_plays_the_same() -> None:
    _, _, expected = play(ALE_RS_JIT="1")
    on, why, trace = play(ALE_RS_JIT="0")
    assert (on, trace) == ("False", expected)
    assert why == "ALE_RS_JIT=0" or not _native.jit_status()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="the ways to refuse executable pages are Linux's")
def test_a_process_that_refuses_executable_pages_plays_the_same() -> None:
    on, _, expected = play(ALE_RS_JIT="1")
    if on == "False":
        pytest.skip("there is no JIT to refuse")
    refused = play(sys.executable, str(SCRIPTS / "no_executable_pages.py"))
    assert refused == ("False", "the system refuses executable pages", expected)


def test_the_argument_plays_the_same() -> None:
    environments = [AtariEnv("glowdelve", jit=jit) for jit in (True, False)]
    pictures = [env.reset(seed=5)[0].tobytes() for env in environments]
    for number in range(60):
        assert pictures[0] == pictures[1]
        pictures = [env.step(number % 18)[0].tobytes() for env in environments]
    assert [env.ale.getBool("jit") for env in environments] == [True, False]


def test_another_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALE_RS_JIT", "maybe")
    with pytest.raises((ValueError, RuntimeError), match=r"ALE_RS_JIT=maybe; accepted: 0 .* 1"):
        AtariEnv("glowdelve")


def test_the_doctor_says_why_it_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALE_RS_JIT", "0")
    assert doctor.examine().sections["processor"]["JIT"].startswith("off: ")
