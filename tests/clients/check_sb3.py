"""`ale_rs.sb3` against Stable-Baselines3's own stack of wrappers, and a short training."""

import tempfile
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3 import DQN, PPO
from stable_baselines3.common import atari_wrappers as wrappers
from stable_baselines3.common.env_util import make_atari_env as make_of_sb3
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecFrameStack, VecTransposeImage

import ale_rs
from ale_rs import evaluation as ev
from ale_rs.sb3 import AtariVecEnv, make_atari_env

GAME = "ale_rs/BreakoutNoFrameskip-v4"


def test_exact_observations_are_those_of_its_own_stack() -> None:
    for stack in (1, 4):
        ours = make_atari_env(GAME, 2, seed=3, frame_stack=stack, exact=True)
        theirs = make_of_sb3(GAME, 2, seed=3)
        theirs = theirs if stack == 1 else VecTransposeImage(VecFrameStack(theirs, stack))
        chance = np.random.default_rng(0)
        assert np.array_equal(ours.reset(), theirs.reset())
        for _ in range(300):
            actions = chance.integers(0, 4, 2)
            left, right = ours.step(actions), theirs.step(actions)
            assert all(np.array_equal(a, b) for a, b in zip(left[:3], right[:3], strict=True))


def test_the_fast_one_has_the_same_spaces_and_episodes() -> None:
    ours, theirs = make_atari_env(GAME, 2, seed=0), make_of_sb3(GAME, 2, seed=0)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.reset().shape == theirs.reset().shape
    meanings = [env.env_method("get_action_meanings") for env in (ours, theirs)]
    assert meanings[0] == meanings[1] == [["NOOP", "FIRE", "RIGHT", "LEFT"]] * 2
    assert [spec.kwargs["game"] for spec in ours.get_attr("spec")] == ["breakout"] * 2
    assert {spec.kwargs["game"] for spec in theirs.get_attr("spec")} == {"breakout"}
    for env in (ours, theirs):
        chance = np.random.default_rng(0)
        episodes, ends = [], 0
        env.reset()
        while len(episodes) < 4:
            _, rewards, dones, infos = env.step(chance.integers(0, 4, 2))
            assert set(np.unique(rewards)) <= {-1.0, 0.0, 1.0}
            ends += int(dones.sum())
            episodes += [info["episode"] for info in infos if "episode" in info]
        assert ends >= 5 * 4 - 2, "the loss of a life is an end"
        assert all(300 < episode["l"] < 20_000 for episode in episodes), episodes  # frames of whole games


def test_episodes_are_those_of_monitor() -> None:
    # A game without chance: the frames that Monitor counts are those of the machine.
    env = gymnasium.make(GAME)
    env.reset(seed=0)
    ours = AtariVecEnv("breakout", 1, seed=0, episodic_life=True, noop_max=0, use_fire_reset=False)
    ours.reset()
    total, found = 0.0, None
    while found is None:
        _, _, _, infos = ours.step(np.array([1]))
        found = infos[0].get("episode")
    frames = 0
    env.reset(seed=0)
    done = False
    while not done:
        _, reward, terminated, truncated, _ = env.step(1)
        total, frames, done = total + reward, frames + 1, terminated or truncated
    assert found["r"] == total
    assert abs(found["l"] - frames) <= 8, (
        f"{found} {frames}: a life that is lost in the middle of a step leaves a few frames out"
    )


def learnt_and_logged(envs: Any, root: str, steps: int) -> Any:
    """What a short training has logged; its episodes are those that Monitor saw."""
    model = PPO("CnnPolicy", envs, n_steps=64, batch_size=128, n_epochs=1, seed=0)
    model.learn(steps)
    seen = [float(episode["r"]) for episode in model.ep_info_buffer]
    model.get_env().close()
    (log,) = ev.load(root)
    assert log.complete
    assert (log.run.game, log.run.num_envs, log.run.env["frameskip"]) == ("breakout", 2, 4)
    assert not log.run.env["terminal_on_life_loss"]
    assert [episode.score for episode in log.episodes][-len(seen) :] == seen
    assert len(seen) >= 4
    return log


def test_a_training_with_its_own_wrappers_is_logged_by_one_line() -> None:
    with tempfile.TemporaryDirectory() as root:

        def wrap(env: Any) -> Any:
            env = wrappers.MaxAndSkipEnv(wrappers.NoopResetEnv(env), skip=4)
            env = ev.Log(env, root, agent="ppo", num_envs=2)  # the added line
            return wrappers.WarpFrame(
                wrappers.ClipRewardEnv(wrappers.FireResetEnv(wrappers.EpisodicLifeEnv(env)))
            )

        log = learnt_and_logged(make_vec_env(GAME, 2, seed=0, wrapper_class=wrap), root, 2_000)
        assert log.run.env["noop_max"] == 30
        assert log.run.env["repeat_action_probability"] == 0


def test_a_training_with_the_fast_one_is_logged_by_one_line() -> None:
    with tempfile.TemporaryDirectory() as root:
        envs = make_atari_env(GAME, 2, seed=0, frame_stack=4, extra_info=("raw_reward",))
        envs = ev.Log(envs, root, agent="ppo")  # the added line
        log = learnt_and_logged(envs, root, 2_000)
        assert [episode.seed for episode in log.episodes][:2] != [None, None]
        assert envs.get_attr("spec")[0].kwargs["game"] == "breakout"


def test_a_replay_learner_is_logged_too() -> None:
    with tempfile.TemporaryDirectory() as root:
        envs = AtariVecEnv("pong", 1, seed=0, extra_info=("raw_reward",), max_num_frames_per_episode=400)
        model = DQN("CnnPolicy", ev.Log(envs, root, agent="dqn"), buffer_size=200, learning_starts=300)
        model.learn(400)
        envs.close()
        (log,) = ev.load(root)
        assert len(log.episodes) == 4
        assert all(episode.truncated for episode in log.episodes)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name.removeprefix('test_')}: ok")
    print(f"ale_rs {ale_rs.__version__}")
