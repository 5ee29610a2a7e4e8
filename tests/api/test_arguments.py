"""Wrong arguments: each message says what came, what is accepted, and the nearest name."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import ale_rs
from ale_rs import AtariEnv, AtariVectorEnv, _arguments

OURS = "glowdelve"


def one(**options: Any) -> AtariEnv:
    return AtariEnv(OURS, **options)


def many(num_envs: Any = 2, **options: Any) -> AtariVectorEnv:
    return AtariVectorEnv(OURS, num_envs, **options)


def stepped(action: Any) -> None:
    env = one()
    env.reset(seed=0)
    env.step(action)


MESSAGES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a game of several players": (lambda: AtariEnv("joust"), RuntimeError, r'"joust" is a game for several'),
    "no text as game": (lambda: AtariEnv(None), TypeError, r"game is None; accepted: the id of a game or"),  # type: ignore[arg-type]
    "num_envs as text": (lambda: many("4"), TypeError, r"num_envs is '4', a str; accepted: a whole number"),
    "num_envs as float": (lambda: many(4.0), TypeError, r"num_envs is 4.0, a float; accepted: a whole"),
    "num_envs as bool": (lambda: many(True), TypeError, r"num_envs is True, a bool; accepted: a whole"),
    "no environment": (lambda: many(0), ValueError, r"num_envs is 0; accepted: 1 and more"),
    "no environment in a list": (lambda: AtariVectorEnv([]), ValueError, r"num_envs is 0; accepted: 1 and"),
    "an action that does not exist": (
        lambda: stepped(99),
        IndexError,
        r"the action is 99; accepted: 0 NOOP, 1 ",
    ),
    "an action as text": (lambda: stepped("a"), TypeError, r"the action is 'a'; accepted: 0 NOOP, 1 "),
    "an action of a batch": (
        lambda: (lambda env: (env.reset(), env.step(np.array([99, 0]))))(many()),
        IndexError,
        r"action 99 does not exist; accepted: 0 to \d+",
    ),
    "a mode with other letters": (
        lambda: many(autoreset_mode="next_step"),
        ValueError,
        r'autoreset_mode: next_step \(did you mean "NextStep"\?\); accepted: NextStep, SameStep, Disabled',
    ),
    "extra_info as text": (
        lambda: many(extra_info="ram"),
        TypeError,
        r'extra_info is the text "ram"; accepted: a list such as \["ram"\]',
    ),
    "unknown extra_info": (
        lambda: many(extra_info=["rams"]),
        ValueError,
        r'extra_info: rams \(did you mean "ram"\?\); accepted: raw_reward, ',
    ),
    "a misspelled keyword": (
        lambda: one(frame_skip=4),
        TypeError,
        r"unexpected keyword argument 'frame_skip' \(did you mean \"frameskip\"\?\); accepted: game, ",
    ),
    "a misspelled keyword of a batch": (
        lambda: many(gray_scale=True),
        TypeError,
        r"unexpected keyword argument 'gray_scale' \(did you mean \"grayscale\"\?\); accepted: game, ",
    ),
    "a misspelled keyword of an id": (
        lambda: gymnasium.make("ale_rs/Glowdelve-v5", obstype="ram"),
        TypeError,
        r"unexpected keyword argument 'obstype' \(did you mean \"obs_type\"\?\)",
    ),
    "a probability above 1": (
        lambda: one(repeat_action_probability=1.5),
        ValueError,
        r"repeat_action_probability is 1.5; accepted: a number from 0 to 1",
    ),
    "a probability below 0": (
        lambda: many(repeat_action_probability=-0.1),
        ValueError,
        r"repeat_action_probability is -0.1; accepted: a number from 0 to 1",
    ),
    "no number as a probability": (
        lambda: many(repeat_action_probability=float("nan")),
        ValueError,
        r"repeat_action_probability is nan; accepted: a number from 0 to 1",
    ),
    "an infinite probability": (
        lambda: one(repeat_action_probability=float("inf")),
        ValueError,
        r"repeat_action_probability is inf; accepted: a number from 0 to 1",
    ),
    "a huge picture": (
        lambda: many(img_height=10**9),
        ValueError,
        r"img_height is 1000000000; accepted: 1 to 4096",
    ),
    "no frame": (lambda: many(stack_num=0), ValueError, r"stack_num is 0; accepted: 1 to 4096"),
    "a negative size": (lambda: many(batch_size=-1), ValueError, r"batch_size is -1; accepted: 0 and more"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_errors(case: str) -> None:
    call, exception, message = MESSAGES[case]
    with pytest.raises(exception, match=message):
        call()


@pytest.mark.parametrize(
    ("game", "hint"),
    [
        ("xyzzy", r"no game is known as \"xyzzy\"; `ale-rs roms list` shows all games"),
        ("Space-Invaders", r"\(did you mean \"space_invaders\"\?\)"),
        ("ALE/Pong-v5", r"is the id of an environment, and the name of a game is needed; accepted: \"pong\""),
        ("SpaceInvadersNoFrameskip-v4", r"accepted: \"space_invaders\""),
        ("ALE/Pnog-v5", r"is the id of an environment.*\(did you mean \"pong\"\?\)"),
    ],
)
def test_unknown_games(game: str, hint: str) -> None:
    with pytest.warns(UserWarning, match="not supported"), pytest.raises(TypeError, match=hint):
        AtariEnv(game)
    with pytest.warns(UserWarning, match="not supported"), pytest.raises(AssertionError, match=hint):
        AtariVectorEnv(game, 1)


@pytest.mark.parametrize("make", [AtariEnv, lambda path: AtariVectorEnv(path, 1)])
def test_a_text_file_is_no_rom(make: Callable[[str], Any], tmp_path: Path) -> None:
    path = tmp_path / "rom.bin"
    path.write_text("hello, world\n" * 300)
    with pytest.raises(
        ValueError, match=r'rom.bin is a text file that begins with "hello, world"; accepted:'
    ):
        make(str(path))


WARNINGS: dict[str, tuple[Callable[[], Any], str]] = {
    "an unknown option of a reset": (
        lambda: one().reset(options={"mode": 1}),
        r'reset does not know the option "mode" and ignores it; accepted: none',
    ),
    "a misspelled option of a batch": (
        lambda: many().reset(options={"reset_maks": np.ones(2, bool)}),
        r'does not know the option "reset_maks" \(did you mean "reset_mask"\?\) and ignores it',
    ),
    "a core that does not exist": (
        lambda: many(thread_affinity_offset=10**6),
        r"thread_affinity_offset is 1000000, but the machine has \d+ cores: .* accepted: 0 to \d+, or -1",
    ),
    "a negative number of no-ops": (
        lambda: many(noop_max=-1),
        r"noop_max is -1 and means 0; accepted: 0 and",
    ),
    "a negative action": (lambda: stepped(-1), r"the action is -1 and counts from the end.*accepted: 0 to"),
}


@pytest.mark.parametrize("case", WARNINGS)
def test_what_ale_py_accepts_is_a_warning(case: str) -> None:
    call, message = WARNINGS[case]
    with pytest.warns(UserWarning, match=message):
        call()


@pytest.mark.parametrize("number", [10**7, 10**9, 2**62, 10**30])
def test_too_many_environments_are_refused_before_a_list_is_built(number: int) -> None:
    code = f"""
import resource, ale_rs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    ale_rs.AtariVectorEnv("{OURS}", {number})
except MemoryError as problem:
    assert "{number} environments need about" in str(problem) and "accepted" in str(problem)
else:
    raise AssertionError
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000
"""
    if sys.platform == "win32":
        pytest.skip("the system has no getrusage")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numbers_of_numpy_are_numbers() -> None:
    assert many(np.int64(2)).num_envs == 2


def test_signatures_stay_as_they_are() -> None:
    assert _arguments.inspect.signature(AtariEnv).parameters["frameskip"].default == 4
    assert AtariVectorEnv.__init__.__name__ == "__init__"
    assert ale_rs.AtariEnv is AtariEnv
