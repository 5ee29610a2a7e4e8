"""Presets as agents of `ale-rs evaluate`: whole trials of learning within the frames of a protocol.

    ale-rs evaluate dqn_comper100k --protocol comper100k --games space_invaders

`deep.train` plays the same trials: the logs have the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ale_rs import evaluation as ev
from ale_rs.deep.presets import Preset, find
from ale_rs.deep.training import CHECKPOINT_DECISIONS, DUE, Play, described, start, under
from ale_rs.evaluation import jobs
from ale_rs.evaluation._archive import packed, unpacked

__all__ = ["trial"]

GROWTH = 0.1
"""Decisions between checkpoints, as a share of those so far."""


def trial(job: jobs.Job, begun: jobs.Start) -> Iterator[jobs.Message]:
    """Play a trial from its start or from its checkpoint."""
    rules, task = job.protocol, job.task
    preset = _preset(job.agent, rules)
    if (task.mode, task.difficulty) != (ev.Task.parse(task.game).mode, 0):
        raise ValueError(f"{job.agent.name} plays the default mode and difficulty 0, not {task.name}")
    play = start(preset, rules, task.game, job.key, job.seed, rules.budget["frames"])
    play.every, play.growth = CHECKPOINT_DECISIONS, GROWTH
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "trial"
        if begun.checkpoint is not None:
            unpacked(begun.checkpoint, place)
            play.resume(place)
        for message in play.messages():
            if message != DUE:
                yield message
                continue
            play.save(place)
            yield jobs.Checkpoint(play.episodes, packed(place))
        if rules.kind == "train_then_evaluate":
            play.save(place)
            yield jobs.Checkpoint(play.episodes, packed(place))
            yield from _tested(job, play)
    play.world.close()
    yield jobs.Finished("budget", {"agent": play.agent.report()})


def _tested(job: jobs.Job, play: Play) -> Iterator[jobs.Message]:
    """Seeded games without learning; a lost life ends none of them."""
    total = 0
    for index in range(job.protocol.score["episodes"]):
        seed = ev.episode_seed(job.key, index)
        play.agent.chance = np.random.default_rng(ev.agent_seed(job.key, index))
        states, score, frames, steps = play.world.reset(seed), 0.0, 0, 0
        while True:
            turn = play.world.step(play.agent.act(states))
            states, score, frames, steps = turn.states, score + turn.reward, frames + turn.frames, steps + 1
            if turn.life:
                states = play.world.reset(None)
            elif turn.terminated or turn.truncated:
                break
        total += frames
        yield ev.Episode(
            "evaluate", index, score, frames, total, steps, turn.terminated, turn.truncated, seed
        )


def _preset(agent: ev.AgentSpec, rules: ev.Protocol) -> Preset:
    """The preset with the values of the configuration, under a protocol."""
    if rules.world != "atari" or "frames" not in rules.budget:
        raise ValueError(
            f"{agent.name} learns Atari games within a budget of frames; the protocol {rules.name} is one of "
            f"{rules.world} with {dict(rules.budget) or 'no training'}"
        )
    return under(find(agent.text).with_(**agent.config), rules)


def _describe(agent: ev.AgentSpec, rules: ev.Protocol) -> dict[str, object]:
    """All parameters, for the log."""
    return described(_preset(agent, rules), rules.budget["frames"])


trial.kind = "trial"  # type: ignore[attr-defined]
trial.describe = _describe  # type: ignore[attr-defined]
