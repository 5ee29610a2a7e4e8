"""`ALEVectorInterface`: the native interface of the reference, with its arguments and mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import Action, ALEVectorInterface, AtariVectorEnv, roms


@pytest.fixture(scope="module")
def rom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("roms") / "glowdelve.bin"
    path.write_bytes(roms.load("glowdelve").data)
    return path


def test_it_plays_as_the_environment_does(rom: Path) -> None:
    interface, env = ALEVectorInterface(rom, 3, num_threads=2), AtariVectorEnv("glowdelve", 3)
    assert (interface.get_num_envs(), interface.get_observation_shape()) == (3, (4, 84, 84))
    assert interface.get_action_set()[:3] == [Action.NOOP, Action.FIRE, Action.UP]
    assert interface.handle().shape == (8,)
    first, _ = interface.reset([0, 1, 2], [5, 6, 7])
    np.testing.assert_array_equal(first, env.reset(seed=5)[0])
    for step in range(10):
        actions = [(index + step) % 6 for index in range(3)]
        interface.send(actions, [1.0, 1.0, 1.0])
        for ours, theirs in zip(interface.recv()[:4], env.step(np.array(actions))[:4], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("options", "exception", "text"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0; accepted: 1 and more"),
        ({"frame_skip": 0}, ValueError, "frame_skip is 0"),
        ({"img_height": 2.5}, TypeError, "img_height: int; got float"),
        ({"batch_size": -1}, ValueError, "batch_size is -1"),
        ({"batch_size": 9}, ValueError, "batch_size is 9"),
        ({"autoreset_mode": "Disabled"}, ValueError, "Invalid autoreset_mode"),
    ],
)
def test_mistakes_are_named(
    rom: Path, options: dict[str, Any], exception: type[Exception], text: str
) -> None:
    with pytest.raises(exception, match=text):
        ALEVectorInterface(rom, **{"num_envs": 2, **options})


def test_mistakes_of_calls(rom: Path) -> None:
    interface = ALEVectorInterface(rom, 2, thread_affinity_offset=0)
    with pytest.raises(ValueError, match="2 env_ids and 1 seeds"):
        interface.reset([0, 1], [1])
    with pytest.raises(IndexError, match="accepted: 0 to 1"):
        interface.reset([0, 2], [1, 1])
    with pytest.raises(ValueError, match="duplicate env_id 0; accepted"):
        interface.reset([0, 0], [1, 1])
    with pytest.raises(TypeError, match="32-bit"):
        interface.reset([0, 1], [1, 2**31])
    interface.reset([0, 1], [-1, -5])
    with pytest.raises(ValueError, match="2 action_ids and 1 strengths"):
        interface.send([0, 1], [1.0])
    interface.reset([1], [3])
