"""`ev.Log`: what a training script plays, as a run log with whole games and raw rewards."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeLimit, TransformReward

from ale_rs import AtariEnv, AtariVectorEnv
from ale_rs import evaluation as ev
from ale_rs.cli import main
from ale_rs.crafter import CrafterEnv, CrafterVectorEnv, Recorder

GAME = "glowdelve"


class AtariPreprocessing(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Stands for gymnasium's, which needs OpenCV: the same names, several frames in a step."""

    def __init__(
        self, env: Any, noop_max: int = 0, frame_skip: int = 4, terminal_on_life_loss: bool = False
    ) -> None:
        super().__init__(env)
        self.noop_max, self.frame_skip = noop_max, frame_skip
        self.terminal_on_life_loss = terminal_on_life_loss

    def step(self, action: Any) -> Any:
        total = 0.0
        for _ in range(self.frame_skip):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return observation, total, terminated, truncated, info


def play(env: gymnasium.Env[Any, Any], episodes: int, seed: int = 3) -> list[tuple[float, int, int]]:
    """Random episodes: return, frames, steps of each."""
    chance = np.random.default_rng(seed)
    result = []
    for index in range(episodes):
        _, _ = env.reset(seed=seed if index == 0 else None)
        start, score, steps, over = env.unwrapped.ale.getFrameNumber(), 0.0, 0, False  # type: ignore[attr-defined]
        while not over:
            _, reward, terminated, truncated, _ = env.step(int(chance.integers(env.action_space.n)))  # type: ignore[attr-defined]
            score, steps, over = score + float(reward), steps + 1, terminated or truncated
        result.append((score, env.unwrapped.ale.getFrameNumber() - start, steps))  # type: ignore[attr-defined]
    return result


def short(**options: Any) -> AtariEnv:
    return AtariEnv(GAME, max_num_frames_per_episode=600, full_action_space=True, **options)


def test_a_wrapped_environment_plays_the_same_and_is_written_down(tmp_path: Path) -> None:
    env = ev.Log(short(frameskip=5), tmp_path, agent="dqn", seed=3, config={"lr": 0.1})
    played = play(env, 4)
    env.close()
    assert played == play(short(frameskip=5), 4)
    (log,) = ev.load(tmp_path)
    assert log.complete
    assert (log.run.agent, log.run.game, log.run.seed) == ("dqn", GAME, 3)
    assert [(e.score, e.frames, e.steps) for e in log.episodes] == played
    assert [e.seed for e in log.episodes] == [3, None, None, None]
    assert log.run.env["frameskip"] == 5
    assert log.run.env["repeat_action_probability"] == 0.25


def test_it_is_scored_under_a_protocol_with_the_same_settings(tmp_path: Path) -> None:
    env = ev.Log(
        AtariEnv(GAME, frameskip=5, full_action_space=True, max_num_frames_per_episode=18_000),
        tmp_path, agent="dqn",
    )  # fmt: skip
    env.reset(seed=0)
    env.close()
    env = ev.Log(AtariEnv(GAME), tmp_path, agent="other")
    env.close()
    scores = ev.protocol("machado2018").scores(ev.load(tmp_path))
    assert {row.agent for row in scores.rows} == {"dqn"}
    assert "env.frameskip is 4" in scores.excluded[0][1]


def test_preprocessing_inside_is_counted_in_frames(tmp_path: Path) -> None:
    inner = AtariEnv(GAME, frameskip=1, max_num_frames_per_episode=600)
    env = ev.Log(AtariPreprocessing(inner, noop_max=10, frame_skip=4), tmp_path, agent="dqn")
    play(env, 2)
    env.close()
    (log,) = ev.load(tmp_path)
    assert (log.run.env["frameskip"], log.run.env["noop_max"]) == (4, 10)
    assert all(abs(e.frames - 4 * e.steps) < 4 for e in log.episodes)


class ClipRewardEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Named like that of SB3 and CleanRL."""


class EpisodicLifeEnv(ClipRewardEnv): ...


@pytest.mark.parametrize(
    ("wrap", "match"),
    [
        (lambda env: TransformReward(env, np.sign), "TransformReward changes rewards"),
        (ClipRewardEnv, "ClipRewardEnv changes rewards"),
        (EpisodicLifeEnv, "EpisodicLifeEnv ends episodes at the loss of a life"),
        (lambda env: TimeLimit(env, 10), "TimeLimit ends episodes after a number of steps"),
        (
            lambda env: AtariPreprocessing(env, terminal_on_life_loss=True),
            "AtariPreprocessing ends episodes at the loss",
        ),
    ],
)
def test_orders_that_cannot_be_logged_are_refused(tmp_path: Path, wrap: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        ev.Log(wrap(short(frameskip=1)), tmp_path, agent="dqn")
    assert list(tmp_path.iterdir()) == []
    outside = wrap(ev.Log(short(frameskip=1), tmp_path, agent="dqn"))
    outside.close()


def test_several_environments_of_a_trial_share_a_log(tmp_path: Path) -> None:
    def make() -> ev.Log:
        return ev.Log(short(frameskip=4), tmp_path, agent="ppo", num_envs=2)

    envs = gymnasium.vector.SyncVectorEnv([make, make])
    envs.action_space.seed(1)
    envs.reset(seed=1)
    for _ in range(400):
        envs.step(envs.action_space.sample())
    envs.close()
    (log,) = ev.load(tmp_path)
    assert log.complete
    assert len(log.episodes) >= 4
    # Every decision of every environment is four frames; at the end of an episode both have played.
    assert log.episodes[0].total_frames > log.episodes[0].frames


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_vector_environment(tmp_path: Path, mode: AutoresetMode) -> None:
    envs = ev.Log(
        AtariVectorEnv(
            GAME, 3, autoreset_mode=mode, max_num_frames_per_episode=200, noop_max=0, num_threads=1,
            extra_info=("raw_reward", "episode_return", "episode_length"),
        ),
        tmp_path, agent="ppo",
    )  # fmt: skip
    envs.action_space.seed(2)
    _, info = envs.reset(seed=5)
    expected = []
    for _ in range(140):
        _, _, terminated, truncated, info = envs.step(envs.action_space.sample())
        over = terminated | truncated
        last = info.get("final_info", info) if over.any() else info
        expected += [
            (float(last["episode_return"][i]), int(last["episode_length"][i])) for i in np.flatnonzero(over)
        ]
        if mode == AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
    envs.close()
    (log,) = ev.load(tmp_path)
    assert [(e.score, e.steps) for e in log.episodes] == expected
    assert len(expected) >= 6
    assert [e.seed for e in log.episodes][:3] == [5, 6, 7]
    assert log.run.num_envs == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "rewards are clipped"),
        ({"reward_clipping": False, "episodic_life": True}, r'extra_info=\("game_over",\)'),
        ({"reward_clipping": False, "mode": [0, 0]}, "one flavour"),
    ],
)
def test_vector_options_that_cannot_be_logged_are_refused(
    tmp_path: Path, options: dict[str, Any], match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        ev.Log(AtariVectorEnv(GAME, 2, **options), tmp_path, agent="ppo")


def test_asynchronous_batches_and_other_vector_environments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"asynchronous batches \(batch_size\)"):
        ev.Log(CrafterVectorEnv(4, batch_size=2), tmp_path, agent="ppo")
    envs = gymnasium.vector.SyncVectorEnv([short, short])
    with pytest.raises(ValueError, match="SyncVectorEnv is no AtariVectorEnv or CrafterVectorEnv"):
        ev.Log(envs, tmp_path, agent="ppo")


def test_lives_do_not_end_a_logged_game(tmp_path: Path) -> None:
    envs = ev.Log(
        AtariVectorEnv(
            GAME, 2, episodic_life=True, continue_lives=True, reward_clipping=False,
            extra_info=("game_over", "episode_return"), max_num_frames_per_episode=3_000,
        ),
        tmp_path, agent="ppo",
    )  # fmt: skip
    envs.action_space.seed(0)
    envs.reset(seed=1)
    ends = 0
    for _ in range(900):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        ends += int((terminated | truncated).sum())
    envs.close()
    (log,) = ev.load(tmp_path)
    assert 0 < len(log.episodes) < ends


def test_crafter_is_logged_with_its_true_reward_and_achievements(tmp_path: Path) -> None:
    env = ev.Log(CrafterEnv(seed=1, length=60, reward=False), tmp_path, agent="human")
    for _ in range(2):
        env.reset()
        for _ in range(60):
            *_, over, _ = env.step(5)
            if over:
                break
    env.close()
    (log,) = ev.load(tmp_path)
    assert log.run.env == {"reward": False, "length": 60}
    assert all(e.frames == e.steps and len(e.achievements or {}) == 22 for e in log.episodes)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_batch_of_crafter_is_logged_as_its_worlds_would_be(
    tmp_path: Path, mode: AutoresetMode, wrapped: bool
) -> None:
    worlds, length = 3, 40
    inner: Any = CrafterVectorEnv(
        worlds, seed=7, length=length, reward=False, autoreset_mode=mode, observation="symbolic"
    )
    if wrapped:
        inner = gymnasium.wrappers.vector.RecordEpisodeStatistics(inner)
    envs = ev.Log(inner, tmp_path, agent="ppo")
    _, info = envs.reset()
    ended: list[Any] = []
    chance = np.random.default_rng(0)
    for _ in range(2 * length + 5):
        _, _, terminated, truncated, info = envs.step(chance.choice([1, 5], worlds))
        ended += [info["episodes"]] if "episodes" in info else []
        over = terminated | truncated
        if mode == AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
    envs.close()
    (log,) = ev.load(tmp_path)
    assert (log.run.game, log.run.num_envs, log.run.env) == (
        "crafter", worlds, {"reward": False, "length": length},
    )  # fmt: skip
    assert log.complete
    expected = [
        (float(one["reward"][row]), int(one["length"][row]), one["achievements"][row].tolist())
        for one in ended for row in range(len(one["env_id"]))
    ]  # fmt: skip
    found = [(e.score, e.frames, list((e.achievements or {}).values())) for e in log.episodes]
    assert [each[1:] for each in found] == [each[1:] for each in expected]
    assert [each[0] for each in found] == pytest.approx([each[0] for each in expected])
    assert len(expected) >= 2 * worlds
    assert any(sum(counts) for _, _, counts in expected), "something was achieved"
    assert log.episodes[-1].total_frames <= worlds * (2 * length + 5)


def test_a_log_of_crafters_batch_is_scored_under_its_protocol(tmp_path: Path) -> None:
    envs = ev.Log(CrafterVectorEnv(2, seed=1), tmp_path, agent="still")
    envs.reset()
    for _ in range(300):
        envs.step(np.zeros(2, np.int64))
    envs.close()
    (row,) = ev.protocol("crafter").scores(ev.load(tmp_path), partial=True).rows
    assert (row.agent, row.game) == ("still", "crafter")
    assert row.episodes >= 2


def test_an_error_leaves_the_log_unfinished_and_a_new_start_puts_it_aside(tmp_path: Path) -> None:
    env = ev.Log(short(), tmp_path, agent="dqn")
    play(env, 2)
    try:
        raise RuntimeError("out of memory")
    except RuntimeError:
        env.close()
    assert not ev.load(tmp_path).logs[0].complete
    before = env.path.read_bytes()
    env = ev.Log(short(), tmp_path, agent="dqn", keep=1)
    assert env.path.with_name("s0.jsonl.partial").read_bytes() == before
    play(env, 1)
    env.close()
    assert len(ev.load(tmp_path).logs[0].episodes) == 2
    with pytest.raises(ValueError, match="is a finished trial; take another seed"):
        ev.Log(short(), tmp_path, agent="dqn")
    with pytest.raises(ValueError, match='did you mean "machado2018"'):
        ev.Log(short(), tmp_path, agent="dqn", seed=2, protocol="machado2081")


def test_a_recorded_game_is_scored_as_a_run(tmp_path: Path) -> None:
    from ale_rs.enums import Action
    from ale_rs.recording import Options
    from ale_rs.recording import Recorder as PlayRecorder

    chance = np.random.default_rng(1)
    rewards: list[int] = []
    with PlayRecorder(Options(GAME, seed=4), tmp_path / "play.log") as recorder:
        while not recorder.ale.game_over():
            rewards.append(recorder.act(Action(int(chance.integers(18)))))
        recorder.reset()
        recorder.act(Action.NOOP)  # a game that is not finished
    path = ev.log_recording(tmp_path / "play.log", tmp_path / "runs", agent="me")
    (log,) = ev.load(path)
    assert [(e.score, e.frames, e.terminated) for e in log.episodes] == [(sum(rewards), len(rewards), True)]
    assert (log.run.agent, log.run.game, log.complete) == ("me", GAME, True)
    assert main(["log", str(tmp_path / "play.log"), "--out", str(tmp_path / "runs"), "--agent", "me"]) == 1
    assert main(["log", str(tmp_path / "play.log"), "--out", str(tmp_path / "runs"), "--agent", "you"]) == 0


def test_crafters_recorder_is_scored_as_a_run(tmp_path: Path) -> None:
    env = Recorder(CrafterEnv(seed=1, length=40), tmp_path / "rec", save_video=False, save_episode=False)
    for _ in range(2):
        env.reset()
        for _ in range(40):
            if env.step(5)[3]:
                break
    path = ev.log_recording(tmp_path / "rec" / "stats.jsonl", tmp_path / "runs", protocol="crafter")
    (row,) = ev.protocol("crafter").scores(ev.load(path)).rows
    assert (row.agent, row.episodes, row.score is None) == ("human", 2, False)
