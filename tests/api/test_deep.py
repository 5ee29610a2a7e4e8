"""Deep agents: formulas by hand, memories, toys that are learnt, trials that resume."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra [deep] is optional")
optax = pytest.importorskip("optax", reason="the extra [deep] is optional")

from ale_rs import AtariVectorEnv, deep  # noqa: E402
from ale_rs import evaluation as ev  # noqa: E402
from ale_rs.deep import dqn, worlds  # noqa: E402
from ale_rs.deep.training import Play, Trial  # noqa: E402
from ale_rs.evaluation import sweep  # noqa: E402
from api.toys import Catch, Chain  # noqa: E402


def test_numbers_of_parameters() -> None:
    assert deep.parameters("dqn_machado2018") == 1_693_362
    assert deep.parameters("comper_single", network="qt") == 3_651_173
    assert deep.parameters("comper_single") == 1_693_362 - 3 * 32 * 64
    stacked = deep.parameters("comper_stacked", network="qt")
    assert stacked == 14_467_840 + 12_416 + 8_320 + 594 + 19
    mlp = 14_114 * 64 + 64 + 64 * 32 + 32 + 32 * 32 + 32 + 32 * 18 + 18 + 18 + 1
    assert deep.parameters("comper_single", network="qt", qt="mlp") == mlp


def test_a_step_of_rmsprop_by_hand() -> None:
    tool = dqn.optimiser(0.00025)
    theta = {"w": jax.numpy.array(1.0)}
    moments = tool.init(theta)
    change, moments = tool.update({"w": jax.numpy.array(2.0)}, moments, theta)
    assert float(optax.apply_updates(theta, change)["w"]) == pytest.approx(0.998882, abs=1e-6)
    g, m, expected = 0.0, 0.0, 1.0
    theta, moments = {"w": jax.numpy.array(1.0)}, tool.init(theta)
    for gradient in (2.0, -1.0, 0.5, 0.25):
        g, m = 0.95 * g + 0.05 * gradient, 0.95 * m + 0.05 * gradient**2
        expected -= 0.00025 * gradient / np.sqrt(m - g * g + 0.01)
        change, moments = tool.update({"w": jax.numpy.array(gradient)}, moments, theta)
        theta = optax.apply_updates(theta, change)
        assert float(theta["w"]) == pytest.approx(expected, abs=1e-6)


def test_targets_and_clipped_errors() -> None:
    wanted = dqn.targets(np.array([1.0, 1.0]), np.array([False, True]), np.array([10.0, 10.0]), 0.5)
    np.testing.assert_allclose(wanted, [6.0, 1.0])
    slope = jax.grad(lambda q: dqn.loss(q, jax.numpy.zeros(1)))
    assert float(slope(jax.numpy.array([3.0]))[0]) == float(slope(jax.numpy.array([1.0]))[0]) == 1.0
    assert float(slope(jax.numpy.array([0.25]))[0]) == 0.25


@pytest.mark.parametrize(
    ("name", "decision", "epsilon"),
    [
        ("dqn_comper100k", 0, 1.0),
        ("dqn_comper100k", 9_000, 0.5005),
        ("dqn_comper100k", 18_000, 0.001),
        ("dqn_machado2018", 500_000, 0.505),
        ("dqn_machado2018", 2_000_000, 0.01),
        ("dqn_mnih2015", 1_000_000, 0.1),
    ],
)
def test_epsilon_in_frames_and_decisions(name: str, decision: int, epsilon: float) -> None:
    assert deep.presets[name].epsilon(decision) == pytest.approx(epsilon)


SMALL: dict[str, Any] = {
    "frameskip": 1,
    "stack": 1,
    "hidden": 32,
    "network": "dense",
    "step_size": 0.001,
    "epsilon_end": 0.05,
    "epsilon_frames": None,
    "decisions_per_update": 1,
}


def play(agent: dqn.Agent, world: Any, decisions: int) -> Trial:
    trial = Trial(0, agent)
    for _ in Play(world, agent, trial, decisions, every=10**9).messages():
        pass
    return trial


def test_thirty_two_fixed_transitions_are_learnt_by_heart() -> None:
    preset = deep.presets["dqn_comper100k"].with_(**SMALL | {"discount": 0.0, "replay_frames": 1000})
    agent = deep.Dqn(preset, 2, (4, 4))
    chance = np.random.default_rng(0)
    agent.replay.begin(chance.integers(0, 255, (4, 4), np.uint8))
    for _ in range(32):
        agent.replay.append(
            int(chance.integers(2)),
            float(chance.choice([-1, 0, 1])),
            False,
            chance.integers(0, 255, (4, 4), np.uint8),
        )
    losses = [agent.update() / 32 for _ in range(3000)]
    assert min(losses[-100:]) < 1e-3


def check_chain(agent: dqn.Agent) -> None:
    """Going right is best everywhere, and its values are those of the discount, 0.9."""
    states = np.zeros((8, 1, 1, 10), np.uint8)
    states[np.arange(8), 0, 0, np.arange(1, 9)] = 255
    values = agent.values(states)
    assert (values.argmax(axis=1) == 1).all(), values
    np.testing.assert_allclose(values[:, 1], 0.9 ** np.arange(7, -1, -1), atol=0.1)


@pytest.mark.slow
def test_dqn_solves_the_chain() -> None:
    preset = deep.presets["dqn_comper100k"].with_(
        **SMALL
        | {
            "epsilon_decisions": 1500,
            "replay_start_decisions": 100,
            "target_decisions": 50,
            "discount": 0.9,
        }
    )
    agent = deep.Dqn(preset.with_(replay_frames=5000), 2, (1, 10))
    play(agent, Chain(), 4000)
    check_chain(agent)


@pytest.mark.slow
def test_comper_solves_the_chain() -> None:
    preset = deep.presets["comper_single"].with_(
        **SMALL
        | {"epsilon_decisions": 3000, "discount": 0.9, "qt": "mlp", "sets_per_fit": 200, "epsilon_end": 0.2}
    )
    agent = deep.Comper(preset, 2, (1, 10))
    play(agent, Chain(), 8000)
    check_chain(agent)


@pytest.mark.parametrize("stack", [1, 4])
def test_states_show_the_maximum_or_the_average_of_two_frames(stack: int) -> None:
    preset = deep.presets["comper_single"].with_(stack=stack)
    averages, largest = (
        worlds.Atari("windfall", preset.with_(pooling=pooling), {"repeat_action_probability": 0.25})
        for pooling in ("average", "max")
    )
    single = AtariVectorEnv(
        "windfall",
        1,
        frameskip=1,
        stack_num=2,
        noop_max=0,
        use_fire_reset=False,
        repeat_action_probability=0.25,
        full_action_space=True,
        reward_clipping=False,
    )
    np.testing.assert_array_equal(averages.reset(3), largest.reset(3))
    single.reset(seed=3)
    moved = 0
    for action in np.random.default_rng(0).integers(18, size=60):
        ours, other = averages.step(int(action)), largest.step(int(action))
        assert ours[1:] == other[1:]
        for _ in range(preset.frameskip):
            frames = single.step(np.array([action]))[0][0]
        np.testing.assert_array_equal(ours.states[-1], frames.mean(axis=0).astype(np.uint8))
        assert (ours.states.astype(int) <= other.states.astype(int) + 1).all()
        moved += bool((ours.states != other.states).any())
    assert moved


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["dqn", "comper"])
def test_catch_is_learnt(algorithm: str) -> None:
    changes = SMALL | {"network": "conv", "epsilon_decisions": 3000, "replay_start_decisions": 200}
    if algorithm == "dqn":
        preset = deep.presets["dqn_comper100k"].with_(**changes | {"target_decisions": 200})
        decisions = 9000
    else:
        preset = deep.presets["comper_single"].with_(
            **changes | {"qt": "mlp", "fit_epochs": 3, "sets_per_fit": 300, "fit_batch_size": 32}
        )
        decisions = 12_000
    kind = deep.Dqn if algorithm == "dqn" else deep.Comper
    agent = kind(preset.with_(replay_frames=20_000), 3, (10, 10), seed=1)
    trial = play(agent, Catch(), decisions)
    early, late = np.mean(trial.returns[:100]), np.mean(trial.returns[-100:])
    assert late > 0.5, (early, late)
    assert late > early + 0.5


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["dqn_comper100k", "comper_single"])
def test_a_killed_trial_goes_on_with_the_same_log(tmp_path: Path, preset: str) -> None:
    options: dict[str, Any] = {
        "network": "dense",
        "hidden": 4,
        "progress": False,
        "checkpoint_decisions": 40,
        "replay_start_decisions": 40,
    }
    if preset.startswith("comper"):
        options |= {"qt": "mlp", "fit_epochs": 1, "sets_per_fit": 20}
    whole = deep.train(preset, "windfall", frames=1200, out=tmp_path / "whole", **options)
    command = (
        "from ale_rs import deep; import os, ale_rs.deep.checkpoint as c; write, count = c.write, []\n"
        "def killed(*a):\n    write(*a); count.append(1)\n    if len(count) == 2: os._exit(9)\n"
        f"c.write = killed; deep.train({preset!r}, 'windfall', frames=1200, out={str(tmp_path / 'cut')!r}, "
        f"checkpoint={str(tmp_path / 'checkpoint')!r}, **{options!r})"
    )
    done = subprocess.run([sys.executable, "-c", command], check=False, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    again = deep.train(
        preset,
        "windfall",
        frames=1200,
        out=tmp_path / "cut",
        checkpoint=tmp_path / "checkpoint",
        **options,
    )
    logs = [sorted((tmp_path / name).rglob("*.jsonl")) for name in ("whole", "cut")]
    assert logs[0][0].read_bytes() == logs[1][0].read_bytes()
    assert again[0].returns == whole[0].returns
    place = next(path.parent for path in (tmp_path / "checkpoint").rglob("numbers.json"))
    agent = deep.load(place)
    assert agent.decisions == whole[0].agent.decisions
    observation = np.zeros((agent.preset.stack, 84, 84), np.uint8)
    assert 0 <= agent.act(observation, {}) < 18
    assert agent.act_batch(np.stack([observation] * 3)).shape == (3,)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["dqn_comper100k", "comper_stacked"])
def test_a_checkpoint_is_a_policy_of_evaluations(tmp_path: Path, preset: str) -> None:
    tiny: dict[str, Any] = {"network": "dense", "hidden": 4, "progress": False, "replay_start_decisions": 40}
    if preset.startswith("comper"):
        tiny |= {"qt": "mlp", "fit_epochs": 1, "sets_per_fit": 20}
    deep.train(preset, "windfall", frames=400, checkpoint=tmp_path / "c", **tiny)
    place = next(path.parent for path in (tmp_path / "c").rglob("numbers.json"))
    rules = dataclasses.replace(ev.protocol("bellemare2013_planning"), score={"episodes": 2})
    rules = dataclasses.replace(rules, env={**rules.env, "max_num_frames_per_episode": 400})
    policy = deep.policy(place)
    for out in ("a", "b"):
        assert ev.evaluate(policy, rules, "windfall", out=tmp_path / out).complete
    first, second = (next((tmp_path / out).rglob("s0.jsonl")) for out in "ab")
    assert first.read_bytes() == second.read_bytes()
    log = ev.read(first)
    assert log.run.agent == preset.split("_")[0]
    assert log.run.agent_config["pipeline"]["decision_frames"] == (5 if preset.startswith("dqn") else 1)
    # What it sees is what the world of its training shows.
    world = worlds.Atari("windfall", deep.load(place).preset, dict(rules.env))
    agent = deep.load(place)
    for index, episode in enumerate(log.phase("evaluate")):
        seed = ev.agent_seed(ev.job_key(rules.name, "windfall", seed=0), index)
        agent.chance = np.random.default_rng(seed)
        states, score, over = world.reset(episode.seed), 0.0, False
        while not over:
            turn = world.step(agent.act(states))
            states, score, over = turn.states, score + turn.reward, turn.terminated or turn.truncated
        assert score == episode.score


SHORT = """
kind = "{kind}"
world = "atari"
trials = 1
[env]
frameskip = 4
repeat_action_probability = 0.0
full_action_space = true
max_num_frames_per_episode = 400
terminal_on_life_loss = false
noop_max = 3
[budget]
frames = 1_200
[score]
{score}
"""
TINY = {"network": "dense", "hidden": 4, "replay_start_decisions": 40}


def short(directory: Path, kind: str, score: str) -> ev.Protocol:
    path = directory / f"{kind}.toml"
    path.write_text(SHORT.format(kind=kind, score=score), encoding="utf-8")
    return ev.protocol(path)


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "game", "kind", "score"),
    [
        ("dqn_comper100k", "windfall", "training", "window = 2\ncheckpoints = [1_200]"),
        ("dqn_mnih2015", "glowdelve", "train_then_evaluate", "episodes = 3"),
    ],
)
def test_a_preset_is_an_agent_of_evaluations_and_goes_on_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, game: str, kind: str, score: str
) -> None:
    rules = short(tmp_path, kind, score)
    monkeypatch.setattr("ale_rs.deep.agents.CHECKPOINT_DECISIONS", 60)
    options: dict[str, Any] = {"config": TINY, "trials": 1}
    assert ev.evaluate(preset, rules, game, out=tmp_path / "whole", **options).complete
    take = sweep._Driver.take
    for count in (4, 7, 10**9):
        left = [count]

        def until(driver: Any, job: ev.Job, message: Any, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            take(driver, job, message)

        monkeypatch.setattr(sweep._Driver, "take", until)
        try:
            result = ev.evaluate(preset, rules, game, out=tmp_path / "cut", **options)
        except Killed:
            continue
    assert result.complete
    names = [
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("s*.jsonl")}
        for name in ("whole", "cut")
    ]
    assert names[0] == names[1]
    (log,) = ev.load(tmp_path / "cut")
    assert log.run.agent_config["frameskip"] == 4
    assert log.run.agent_config["noop_max"] == 4
    assert log.episodes[-1].frames > 100
    assert len(log.phase("evaluate")) == (3 if kind == "train_then_evaluate" else 0)
    assert ev.evaluate(preset, rules, game, out=tmp_path / "cut", **options).skipped == 1


def test_its_logs_are_those_of_train(tmp_path: Path) -> None:
    own = ev.protocol("comper100k")
    rules = dataclasses.replace(own, budget={"frames": 1_500})
    options: dict[str, Any] = TINY | {"progress": False}
    deep.train("dqn_comper100k", "windfall", frames=1_500, out=tmp_path / "a", seeds=(1,), **options)
    spec = ev.agent("dqn_comper100k", TINY)
    ev.evaluate([spec], rules, "windfall", trials=2, out=tmp_path / "b")
    first, second = (next((tmp_path / name).rglob("s1.jsonl")).read_bytes() for name in "ab")
    assert first.splitlines()[1:] == second.splitlines()[1:]
    assert first.count(b"\n") > 2


def test_evaluations_refuse_what_deep_agents_cannot_play(tmp_path: Path) -> None:
    for protocol, text in (("bellemare2013_planning", "no training"), ("crafter", "one of crafter")):
        with pytest.raises(ValueError, match=text):
            ev.evaluate("dqn_comper100k", protocol, trials=1, out=tmp_path)
    result = ev.evaluate("dqn_comper100k", "comper100k", "freeway@m1d0", trials=1, out=tmp_path)
    assert "plays the default mode" in result.failed[0].error
    with pytest.raises(ValueError, match="did you mean 'hidden'"):
        ev.jobs_of("dqn_comper100k", "comper100k", "pong", config={"hiden": 3})


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: deep.train("dqn_comper100", "pong"), "did you mean 'dqn_comper100k'"),
        (lambda: deep.train("dqn_comper100k", "pong", hiden=3), "did you mean 'hidden'"),
        (lambda: deep.train("dqn_comper100k", "pong", frames=0), "frames is 0"),
        (lambda: deep.parameters("dqn_comper100k", network="qt"), "has no network 'qt'"),
        (lambda: deep.parameters("comper_single", network="target"), "'q', 'qt'"),
        (lambda: deep.presets["comper_single"].with_(qt="gru"), "'lstm', 'mlp', 'cnn'"),
        (lambda: deep.presets["comper_single"].with_(discount=2), "discount is 2"),
        (lambda: deep.load(Path("nowhere")), "there is no checkpoint here"),
        (lambda: deep.policy(Path("nowhere")), "there is no checkpoint here"),
        (lambda: deep.presets["comper_single"].with_(pooling="min"), "'max', 'average'"),
        (lambda: deep.PpoConfig(rollout=0), "rollout is 0"),
    ],
)
def test_mistakes_are_told(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_states_of_another_shape_are_refused() -> None:
    agent = deep.Dqn(deep.presets["dqn_comper100k"].with_(network="dense", hidden=4), 18)
    with pytest.raises(ValueError, match=r"states of shape \(2, 1, 84, 84\); accepted: \(rows, 4, 84, 84\)"):
        agent.act_batch(np.zeros((2, 1, 84, 84), np.uint8), 0.0)


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    options: dict[str, Any] = {"network": "dense", "progress": False, "checkpoint_decisions": 40}
    deep.train("dqn_comper100k", "windfall", frames=300, checkpoint=tmp_path, hidden=4, **options)
    place = next(path.parent for path in tmp_path.rglob("numbers.json"))
    agent = deep.Dqn(deep.presets["dqn_comper100k"].with_(network="dense", hidden=5), 18)
    from ale_rs.deep import checkpoint

    with pytest.raises(ValueError, match="another network"):
        checkpoint.read(place, agent.state())
    (place / "numbers.json").write_text('{"version": 99}')
    with pytest.raises(ValueError, match="version 99; accepted: 1"):
        deep.load(place)


def test_without_jax_a_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['jax'] = None\nimport importlib.util as u\nold = u.find_spec\n"
    code += "u.find_spec = lambda name, *a: None if name == 'jax' else old(name, *a)\nimport ale_rs.deep"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "ale_rs.deep needs jax; install with: pip install 'ale-rs[deep]'" in done.stderr
