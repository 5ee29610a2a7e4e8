"""`ale_rs.compat.envpool`: options, shapes and info as EnvPool's users know them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from ale_rs import roms
from ale_rs.compat import envpool

TASK = "Glowdelve-v5"


def make(task: str = TASK, env_type: str = "gymnasium", **options: Any) -> envpool.EnvPool:
    try:
        return envpool.make(task, env_type, **options)
    except roms.RomNotFoundError as missing:
        pytest.skip(str(missing))


def test_steps() -> None:
    envs = make(num_envs=3)
    assert isinstance(envs, gymnasium.Env)
    assert envs.unwrapped is envs
    assert (envs.num_envs, envs.spec.id) == (3, TASK)
    assert envs.single_observation_space == envs.observation_space
    assert envs.metadata["render_modes"] == ["rgb_array"]
    assert len(envs) == 3
    assert envs.observation_space.shape == (4, 84, 84)
    assert isinstance(envs.action_space, spaces.Discrete)
    observations, info = envs.reset()
    assert (observations.shape, observations.dtype) == ((3, 4, 84, 84), np.uint8)
    assert (observations == observations[:, 3:]).all()
    observations, rewards, terminated, truncated, info = envs.step(np.zeros(3, int))
    assert [part.dtype for part in (rewards, terminated, truncated)] == [np.float32, bool, bool]
    dtypes = {key: value.dtype for key, value in info.items() if key != "players"}
    assert dtypes == {
        "env_id": np.int32,
        "lives": np.int32,
        "reward": np.float32,
        "terminated": np.int32,
        "ram": np.uint8,
        "elapsed_step": np.int32,
    }
    assert info["ram"].shape == (3, 128)
    assert info["players"]["env_id"].tolist() == [0, 1, 2]
    assert info["elapsed_step"].tolist() == [1, 1, 1]


def test_the_old_gym_form() -> None:
    new, old = (make(env_type=form, num_envs=2, max_episode_steps=3) for form in ("gymnasium", "gym"))
    assert np.array_equal(old.reset(), new.reset()[0])
    for step in range(1, 4):
        observations, _, done, info = old.step(np.zeros(2, int))
        assert np.array_equal(observations, new.step(np.zeros(2, int))[0])
        assert done.tolist() == info["TimeLimit.truncated"].tolist() == [step == 3] * 2
    assert len(make(env_type="gym", gym_reset_return_info=True).reset()) == 2


def test_the_form_of_dm_env() -> None:
    pytest.importorskip("dm_env", reason="dm_env is not installed")
    envs = envpool.make_dm(TASK, num_envs=2, max_episode_steps=3)
    kinds = [envs.reset()] + [envs.step(np.zeros(2, int)) for _ in range(4)]
    assert [step.step_type.tolist() for step in kinds] == [[0, 0], [1, 1], [1, 1], [2, 2], [0, 0]]
    assert [step.discount.tolist() for step in kinds[2:4]] == [[1, 1], [0, 0]]
    assert kinds[0].observation.obs.shape == (2, 4, 84, 84)
    assert envs.observation_spec().shape == (4, 84, 84)
    assert envs.action_spec().num_values == 18


def test_specs() -> None:
    spec = envpool.make_spec(TASK, num_envs=5, stack_num=2, gray_scale=False)
    assert (spec.config.num_envs, spec.config.batch_size, spec.config.seed) == (5, 5, 42)
    assert spec.observation_space.shape == (6, 84, 84)
    assert spec.action_space == make().action_space
    assert spec.gen_config(num_envs=3).num_envs == 3


def test_pictures() -> None:
    envs = make(num_envs=2, render_mode="rgb_array")
    envs.reset()
    assert envs.render().shape == (1, 210, 160, 3)
    assert envs.render([1, 0]).shape == (2, 210, 160, 3)
    with pytest.raises(RuntimeError, match="render_mode must be set"):
        make().render()


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_functions_for_jax(env_type: str) -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    envs, twin = make(env_type=env_type, num_envs=2), make(env_type=env_type, num_envs=2)
    handle, recv, send, step = envs.xla()
    envs.async_reset()
    twin.async_reset()
    handle, first = recv(handle)
    expected = twin.recv()
    for number in range(5):
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), first, expected))
        handle, first = jax.jit(step)(handle, np.full(2, number))
        expected = twin.step(np.full(2, number))
    ids = np.array([1, 0], np.int32)
    handle, first = recv(jax.jit(send)(handle, np.array([1, 2]), ids))
    assert np.array_equal(first[0], twin.step(np.array([1, 2]), ids)[0])


def test_a_script_that_imports_envpool(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, envpool\n"
        f"envs = envpool.make('{TASK}', env_type='gym', num_envs=2)\n"
        "print(envs.reset().shape, sys.argv[1:], __name__)\n"
    )
    command = [sys.executable, "-m", "ale_rs.compat.envpool", str(script), "--num", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "(2, 4, 84, 84) ['--num', '2'] __main__\n", done.stderr
    done = subprocess.run(command[:3], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: python -m ale_rs.compat.envpool SCRIPT" in done.stderr


def test_seeds() -> None:
    def seen(**options: Any) -> list[int]:
        envs = make(num_envs=3, **options)
        envs.reset()
        return [int(row.sum()) for row in envs.step(np.arange(3))[0]]

    assert seen(seed=5) == seen(env_seed=[5, 6, 7])
    assert seen() == seen(seed=42)
    with pytest.raises(ValueError, match="env_seed has 1"):
        make(num_envs=2, env_seed=[1])


def test_steps_limit_episodes() -> None:
    envs = make(num_envs=1, max_episode_steps=5)
    envs.reset()
    flags = [bool(envs.step(np.zeros(1, int))[3][0]) for _ in range(6)]
    assert flags == [False] * 4 + [True, False]


def test_colour_comes_channels_first() -> None:
    envs, gray = (make(num_envs=2, gray_scale=value, stack_num=2) for value in (False, True))
    observations, _ = envs.reset()
    assert observations.shape == (2, 6, 84, 84) == (2, *envs.observation_space.shape)
    assert gray.reset()[0].shape == (2, 2, 84, 84)


def test_rewards_are_clipped_and_raw_ones_kept() -> None:
    rng = np.random.default_rng(0)
    plain, clipped = make("Seaquest-v5", num_envs=4), make("Seaquest-v5", num_envs=4, reward_clip=True)
    plain.reset(), clipped.reset()
    greatest = 0.0
    for _ in range(300):
        actions = rng.integers(0, 18, 4)
        rewards, info = plain.step(actions)[1::3]
        assert np.array_equal(rewards, info["reward"])
        less, same_info = clipped.step(actions)[1::3]
        assert np.array_equal(less, np.sign(rewards))
        assert np.array_equal(same_info["reward"], rewards)
        greatest = max(greatest, float(rewards.max()))
    assert greatest > 1


def test_a_lost_life_ends_an_episode_and_not_the_game() -> None:
    envs = make("Breakout-v5", num_envs=1, episodic_life=True)
    envs.reset()
    lives = []
    for _ in range(400):
        _, _, terminated, _, info = envs.step(np.array([1]))
        if terminated[0]:
            lives.append((int(info["lives"][0]), int(info["terminated"][0])))
    assert lives[:5] == [(4, 0), (3, 0), (2, 0), (1, 0), (0, 1)]


def test_asynchronous_use() -> None:
    envs = make(num_envs=4, batch_size=2)
    assert envs.is_async
    envs.async_reset()
    seen: set[int] = set()
    # Which ones come first is up to the threads, but none is left out for ever.
    for _ in range(5000):
        if len(seen) == 4:
            break
        observations, _, _, _, info = envs.recv()
        assert observations.shape == (2, 4, 84, 84)
        seen |= set(info["env_id"].tolist())
        envs.send(np.zeros(2, int), info["env_id"])
    assert seen == {0, 1, 2, 3}


def test_some_can_be_reset() -> None:
    envs = make(num_envs=3)
    envs.reset()
    envs.step(np.ones(3, int))
    observations, info = envs.reset([2, 0])
    assert observations.shape[0] == 2
    assert info["env_id"].tolist() == [0, 2]
    assert info["elapsed_step"].tolist() == [0, 0]


def test_mistakes_are_named() -> None:
    assert TASK in envpool.list_all_envs()
    assert "SpaceInvaders-v5" in envpool.list_all_envs()
    for options, text in (
        ({"task_id": "Pang-v5"}, r'"Pang-v5" \(did you mean "Pong-v5"'),
        ({"task_id": TASK, "env_type": "pm"}, "accepted: gym, gymnasium, dm"),
        ({"task_id": TASK, "frameskip": 4}, r'frameskip \(did you mean "frame_skip"'),
        ({"task_id": TASK, "use_inter_area_resize": False}, "use_inter_area_resize"),
    ):
        with pytest.raises(ValueError, match=text):
            envpool.make(**options)
