"""`ale_rs.sb3` against Stable-Baselines3's own stack of wrappers, and a short training."""

import tempfile
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3 import DQN, PPO
from stable_baselines3.common import atari_wrappers as wrappers
from stable_baselines3.common.env_util import make_atari_env as make_of_sb3
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecFrameStack, VecTransposeImage

import ale_rs
from ale_rs import evaluation as ev
from ale_rs.registration import rom_id_to_name
from ale_rs.sb3 import AtariVecEnv, make_atari_env

GAME = "ale_rs/BreakoutNoFrameskip-v4"


GAMES = ("alien", "beam_rider", "breakout", "enduro", "freeway", "pong", "qbert", "seaquest")
STEPS = 300


def play_beside(ours: Any, theirs: Any, steps: int, seed: int, what: str) -> int:
    """Step both with the same actions and compare all that they return: how many games have ended."""
    chance, games = np.random.default_rng(seed), 0
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert ours.action_space.sample() == theirs.action_space.sample()
    assert np.array_equal(ours.reset(), theirs.reset()), what
    for step in range(steps):
        actions = chance.integers(0, ours.action_space.n, ours.num_envs)
        left, right = ours.step(actions), theirs.step(actions)
        for one, other in zip(left[:3], right[:3], strict=True):
            assert np.array_equal(one, other), f"{what}, step {step}"
        for one, other in zip(left[3], right[3], strict=True):
            assert sorted(one) == sorted(other), f"{what}, step {step}: {one} {other}"
            for name, value in other.items():
                if name == "episode":
                    games += 1
                    same = [one[name][key] == value[key] for key in ("r", "l")]
                    assert all(same), f"{what}, episode of step {step}"
                else:
                    assert np.array_equal(one[name], value), f"{what}, {name} of step {step}"
        if step == steps // 2:
            assert np.array_equal(ours.reset(), theirs.reset()), f"{what}, reset in the middle"
    return games


def test_all_is_as_with_its_own_wrappers() -> None:
    seed = int(np.random.default_rng().integers(2**32))
    games = 0
    for game in GAMES:
        id_ = f"ale_rs/{rom_id_to_name(game)}NoFrameskip-v4"
        ours, theirs = make_atari_env(id_, 2, seed=seed), make_of_sb3(id_, 2, seed=seed)
        games += play_beside(ours, theirs, STEPS, seed, f"{game}, seed {seed}")
    assert games > 0


def test_options_are_as_with_its_own_wrappers() -> None:
    seed = int(np.random.default_rng().integers(2**32))
    for id_, wrapper, env in (
        (GAME, {"action_repeat_probability": 0.25}, {}),
        (GAME, {"terminal_on_life_loss": False, "clip_reward": False, "screen_size": 96}, {}),
        (GAME, {"frame_skip": 1, "noop_max": 0, "screen_size": 42}, {"full_action_space": True}),
        ("ale_rs/Breakout-v5", {}, {}),
        ("ale_rs/Seaquest-v0", {"frame_skip": 2}, {}),
        # Games that are over within their start, or in the first step after it.
        ("ale_rs/FreewayNoFrameskip-v4", {}, {"max_num_frames_per_episode": 85}),
        ("ale_rs/FreewayNoFrameskip-v4", {"noop_max": 5}, {"max_num_frames_per_episode": 73}),
    ):
        options = {"seed": seed, "wrapper_kwargs": wrapper, "env_kwargs": env}
        ours, theirs = make_atari_env(id_, 2, **options), make_of_sb3(id_, 2, **options)
        play_beside(ours, theirs, 100, seed, f"{id_}, {options}")


def test_stacks_are_as_with_its_own_wrappers() -> None:
    ours, theirs = make_atari_env(GAME, 2, seed=3, frame_stack=4), make_of_sb3(GAME, 2, seed=3)
    play_beside(ours, VecTransposeImage(VecFrameStack(theirs, 4)), STEPS, 3, "stacks of 4")
    ours, theirs = make_atari_env(GAME, 2, seed=3), make_of_sb3(GAME, 2, seed=3)
    play_beside(VecFrameStack(ours, 3), VecFrameStack(theirs, 3), STEPS, 3, "its own stacks")


def test_a_training_is_the_same_training() -> None:
    weights = []
    for make in (make_atari_env, make_of_sb3):
        model = PPO("CnnPolicy", make(GAME, 2, seed=0), n_steps=32, batch_size=32, n_epochs=2, seed=0)
        model.learn(128)
        weights.append([parameter.detach().numpy() for parameter in model.policy.parameters()])
    assert all(np.array_equal(one, other) for one, other in zip(*weights, strict=True))


def test_users_ask_for_the_same_things() -> None:
    ours, theirs = make_atari_env(GAME, 2, seed=0), make_of_sb3(GAME, 2, seed=0)
    meanings = [env.env_method("get_action_meanings") for env in (ours, theirs)]
    assert meanings[0] == meanings[1] == [["NOOP", "FIRE", "RIGHT", "LEFT"]] * 2
    assert [spec.kwargs["game"] for spec in ours.get_attr("spec")] == ["breakout"] * 2
    assert {spec.kwargs["game"] for spec in theirs.get_attr("spec")} == {"breakout"}
    assert ours.env_is_wrapped(Monitor) == theirs.env_is_wrapped(Monitor) == [True, True]
    assert [spec.id for spec in ours.get_attr("spec")] == [spec.id for spec in theirs.get_attr("spec")]


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


def test_a_training_with_the_native_one_is_logged_by_one_line() -> None:
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
