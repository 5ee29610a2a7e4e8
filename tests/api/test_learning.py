"""Native trials: baselines, their records, checkpoints and refusals."""

import threading
from pathlib import Path
from typing import Any

import pytest

from ale_rs import AtariEnv, learning
from ale_rs.evaluation import Episode

OWN = "glowdelve"


def played(*arguments: Any, **options: Any) -> list[Episode]:
    records: list[Episode] = []
    trial = learning.Trial(*arguments, **options)
    assert trial.run(records.append)
    return records


def test_const_gets_what_the_same_actions_get_in_the_environment() -> None:
    record = played("const:RIGHTFIRE", OWN, protocol="bellemare2013_planning")[1]
    env = AtariEnv(
        OWN,
        frameskip=5,
        repeat_action_probability=0.0,
        full_action_space=True,
        max_num_frames_per_episode=18_000,
    )
    env.reset(seed=record.seed)
    first = env.ale.getFrameNumber()
    score, steps, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(11)
        score, steps, over = score + float(reward), steps + 1, terminated or truncated
    assert (record.score, record.steps) == (score, steps)
    assert record.frames == env.ale.getFrameNumber() - first


def test_random_acts_on_every_frame_under_bellemare2013_and_at_every_decision_elsewhere() -> None:
    every = played("random", OWN, protocol="bellemare2013", frames=3000)
    assert all(episode.steps == episode.frames for episode in every)
    fifth = played("perturb:UP", OWN, protocol="machado2018", frames=3000)
    assert all(episode.steps == -(-episode.frames // 5) for episode in fifth)
    given = played("random", OWN, frames=3000, parameters={"decision_frames": 3})
    assert all(episode.steps == -(-episode.frames // 3) for episode in given)


def test_the_episode_that_crosses_the_budget_is_finished_and_totals_add_up() -> None:
    records = played("random", OWN, frames=4000)
    assert records[-2].total_frames < 4000 <= records[-1].total_frames == sum(e.frames for e in records)
    assert [episode.episode for episode in records] == list(range(len(records)))
    assert records[0].seed is not None
    assert all(episode.seed is None for episode in records[1:])


def test_two_runs_are_equal_and_seeds_and_agents_differ() -> None:
    one = played("random", OWN, frames=3000)
    assert one == played("random", OWN, frames=3000)
    assert one != played("random", OWN, frames=3000, seed=1)


LONG = 400_000
"""Frames: more than a trial plays until it is asked to stop for the first time."""


@pytest.mark.slow
def test_a_loaded_trial_goes_on_as_the_uninterrupted_one(tmp_path: Path) -> None:
    whole = played("perturb:UP", OWN, frames=LONG)
    records: list[Episode] = []
    first = learning.Trial("perturb:UP", OWN, frames=LONG)
    first.run(records.append, until=lambda: True)
    assert records == []
    first.run(records.append, until=lambda: len(records) > 0)
    assert 0 < len(records) < len(whole)
    first.save(tmp_path / "trial")
    second = learning.Trial("perturb:UP", OWN, frames=LONG)
    second.load(tmp_path / "trial")
    second.run(records.append)
    assert records == whole


def test_checkpoints_of_other_trials_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "trial"
    trial = learning.Trial("random", OWN, frames=1000)
    trial.run(lambda episode: None)
    trial.save(path)
    for other, reason in [
        (learning.Trial("random", "windfall"), "game 'glowdelve'; this trial has 'windfall'"),
        (learning.Trial("perturb:UP", OWN), "agent 'random'"),
        (learning.Trial("random", OWN, seed=2), "seed 0"),
    ]:
        with pytest.raises(learning.CheckpointError, match=reason):
            other.load(path)
    data = path.read_bytes()
    for damaged in (data[:-1], data[:40] + bytes([data[40] ^ 1]) + data[41:], b"something else", b""):
        path.write_bytes(damaged)
        with pytest.raises(learning.CheckpointError, match=str(path)):
            learning.Trial("random", OWN).load(path)


def test_a_trial_can_be_stopped_from_another_thread() -> None:
    trial = learning.Trial("random", OWN, frames=10**12)
    records: list[Episode] = []
    thread = threading.Thread(target=trial.run, args=(records.append,))
    thread.start()
    trial.stop()
    thread.join(30)
    assert not thread.is_alive()
    assert not trial.done


@pytest.mark.parametrize(
    ("arguments", "options", "reason"),
    [
        (("rndom", OWN), {}, 'did you mean "random"'),
        (("const", OWN), {}, "needs an action"),
        (("random:FIRE", OWN), {}, "takes no action"),
        (("const:FIER", OWN), {}, 'did you mean "FIRE"'),
        (("random", "glowdelv"), {}, "glowdelve"),
        (("random", OWN), {"protocol": "machado2081"}, "machado2018"),
        (("random", OWN), {"protocol": "crafter"}, "crafter"),
        (("random", OWN), {"features": "ram"}, "no features"),
        (("random", OWN), {"seed": -1}, "seed is -1"),
        (("random", OWN), {"frames": 0}, "frames is 0"),
        (("random", OWN), {"mode": 99}, "mode 99"),
        (("random", OWN), {"parameters": {"chnce": 1}}, "has no parameter"),
        (("perturb:UP", OWN), {"parameters": {"chance": 2}}, "accepted: 0 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_is_accepted(
    arguments: tuple[str, str], options: dict[str, Any], reason: str
) -> None:
    with pytest.raises((ValueError, RuntimeError), match=reason):
        learning.Trial(*arguments, **options)
