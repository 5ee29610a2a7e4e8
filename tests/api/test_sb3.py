"""`ale_rs.faces.sb3` against the contract of Stable-Baselines3, where it is installed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is optional")

from stable_baselines3 import A2C, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from ale_rs.faces.sb3 import AtariVecEnv, make_atari_env
from ale_rs.faces.wrapped import Wrappers


def make(**options: Any) -> AtariVecEnv:
    return AtariVecEnv("glowdelve", 2, seed=0, noop_max=0, use_fire_reset=False, **options)


def test_contract() -> None:
    env = make(max_num_frames_per_episode=20)
    assert isinstance(env, VecEnv)
    assert env.observation_space.shape == (4, 84, 84)
    assert env.reset().shape == (2, 4, 84, 84)
    for step in range(1, 6):
        observations, rewards, dones, infos = env.step(np.zeros(2, int))
        assert observations.shape == (2, 4, 84, 84)
        assert (rewards.dtype, dones.dtype, len(infos)) == (np.float32, bool, 2)
        assert dones.all() == (step == 5)
    assert infos[0]["TimeLimit.truncated"] is True
    assert infos[0]["terminal_observation"].shape == (4, 84, 84)
    assert infos[0]["episode"]["l"] == 20, "frames, as Monitor below the other wrappers counts"
    assert "terminal_observation" not in env.step(np.zeros(2, int))[3][0]


def test_other_methods() -> None:
    env = make(grayscale=False)
    assert env.observation_space.shape == (12, 84, 84)
    assert env.seed(7) == [7, 8]
    first = env.reset()
    env.seed(7)
    assert np.array_equal(env.reset(), first)
    assert env.get_attr("num_envs") == [2, 2]
    assert env.env_method("screen", indices=[1])[0].shape == (210, 160, 3)
    assert env.env_is_wrapped(VecMonitor) == [False, False]
    assert env.env_is_wrapped(Monitor) == [True, True], "episodes are recorded as by it"
    assert len(env.get_images()) == 2
    assert env.render(mode="rgb_array") is not None
    env.close()


def test_an_episode_is_a_whole_game() -> None:
    options = {"noop_max": 0, "use_fire_reset": False, "reward_clipping": False}
    env = AtariVecEnv("glowdelve", 1, seed=0, episodic_life=True, **options)
    env.reset()
    total, ends, episode = 0.0, 0, None
    chance = np.random.default_rng(0)
    for _ in range(30_000):
        _, rewards, dones, infos = env.step(chance.integers(0, 18, 1))
        ends += int(dones[0])
        total += float(rewards[0])
        if "episode" in infos[0]:
            episode = infos[0]["episode"]
            break
    assert episode is not None
    assert ends > 1
    assert episode["r"] == total
    assert episode["l"] > 4 * ends


def test_what_users_ask_for() -> None:
    env = make()
    assert env.env_method("get_action_meanings") == [env.envs.get_action_meanings()] * 2
    assert [spec.id for spec in env.get_attr("spec")] == ["ale_rs/Glowdelve-v5"] * 2
    assert env.get_attr("spec", 0)[0].kwargs["frameskip"] == 4


def test_defaults_of_make_atari_env() -> None:
    env = make_atari_env("ale_rs/Glowdelve-v5", 2, seed=1, env_kwargs={"repeat_action_probability": 0.0})
    assert env.observation_space.shape == (84, 84, 1) == env.reset().shape[1:]
    arguments = env.envs._arguments
    assert arguments["wrappers"] == Wrappers(4, 30, True, 0.0), "the frame skip of the id counts, too"
    assert (arguments["frameskip"], arguments["reward_clipping"]) == (4, True)
    stacked = make_atari_env("glowdelve", frame_stack=4, wrapper_kwargs={"terminal_on_life_loss": False})
    assert stacked.observation_space.shape == (4, 84, 84)
    assert not stacked.envs._arguments["wrappers"].terminal_on_life_loss
    theirs = make_atari_env("glowdelve", env_kwargs={"noop_max": 3})
    assert isinstance(theirs, DummyVecEnv), "what is not native is built of their wrappers"
    for options, message in (
        ({"wrapper_kwargs": {"frameskip": 4}}, 'did you mean "frame_skip"'),
        ({"env_kwargs": {"modes": 4}}, 'did you mean "mode"'),
        ({"env_id": "Pnog-v4"}, "pong"),
        ({"monitor_kwargs": {}, "num_threads": 1}, "num_threads cannot be had with monitor_kwargs"),
    ):
        with pytest.raises(ValueError, match=message):
            make_atari_env(**{"env_id": "glowdelve", **options})


def test_wrappers() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitored = VecMonitor(make())
    env = VecNormalize(monitored, norm_obs=False)
    env.reset()
    for _ in range(5):
        _, rewards, _, _ = env.step(np.zeros(2, int))
    assert np.isfinite(rewards).all()


@pytest.mark.parametrize(("algorithm", "options"), [(PPO, {"batch_size": 8}), (A2C, {})])
def test_training(algorithm: Any, options: dict[str, Any], tmp_path: Path) -> None:
    env = make(max_num_frames_per_episode=64)
    model = algorithm("CnnPolicy", env, n_steps=8, seed=1, **options)
    model.learn(64)
    assert model.num_timesteps == 64
    assert [episode["l"] for episode in model.ep_info_buffer] == [64] * 4
    model.save(tmp_path / "model")
    again = algorithm.load(tmp_path / "model", env=env)
    assert again.predict(env.reset(), deterministic=True)[0].shape == (2,)
