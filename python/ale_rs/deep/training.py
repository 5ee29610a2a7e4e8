"""`train`: trials of a preset on a game, with run logs and checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ale_rs import evaluation as ev
from ale_rs._progress import Progress
from ale_rs.deep import checkpoint as checkpoints
from ale_rs.deep.comper import Comper
from ale_rs.deep.dqn import Agent, Dqn
from ale_rs.deep.presets import Preset, find
from ale_rs.deep.worlds import Atari, World
from ale_rs.evaluation.jobs import Tick

__all__ = ["DUE", "Message", "Play", "Trial", "described", "load", "start", "train", "under"]

CHECKPOINT_DECISIONS = 2_000
TICK_DECISIONS = 100
"""Decisions between two reports from inside an episode."""
DUE: Final = "due"
"""Said where a checkpoint is due: the trial is between two decisions."""
Message: TypeAlias = ev.Episode | Tick | Literal["due"]


@dataclass
class Trial:
    """One trial: its seed, its agent and its episodes."""

    seed: int
    agent: Agent
    returns: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    """Frames of the trial at the end of each episode."""


def under(preset: Preset, protocol: ev.Protocol) -> Preset:
    """The preset with the frame skip and the no-ops of a protocol, which its log names."""
    noops = int(protocol.env.get("noop_max", 0))
    return preset.with_(
        frameskip=int(protocol.env.get("frameskip", preset.frameskip)),
        noop_max=noops + 1 if noops else 0,  # the environment draws from 0 to one less
    )


def described(preset: Preset, frames: int) -> dict[str, Any]:
    """What a log says of an agent."""
    return {name: value for name, value in asdict(preset).items() if name != "source"} | {"frames": frames}


def start(preset: Preset, protocol: ev.Protocol, game: str, key: str, seed: int, frames: int) -> Play:
    """A trial at its beginning; `key` is that of its job."""
    world = Atari(game, preset, dict(protocol.env))
    agent = make_agent(preset, world.actions, world.frame, ev.agent_seed(key))
    return Play(world, agent, Trial(seed, agent), frames, ev.episode_seed(key, 0))


def make_agent(preset: Preset, actions: int, frame: tuple[int, ...], seed: int) -> Agent:
    """The agent of a preset."""
    kind = Dqn if preset.algorithm == "dqn" else Comper
    return kind(preset, actions, frame, seed=seed)


def train(
    preset: str,
    game: str,
    *,
    frames: int | None = None,
    seeds: Sequence[int] = (0,),
    out: str | Path | None = None,
    checkpoint: str | Path | None = None,
    progress: bool = True,
    checkpoint_decisions: int = CHECKPOINT_DECISIONS,
    **changes: Any,
) -> list[Trial]:
    """Train the agent of a preset.

    Args:
        preset: a name of `deep.presets`.
        game: id of a game.
        frames: emulator frames of a trial; by default the protocol's. The episode that crosses is finished.
        seeds: numbers of the trials.
        out: directory of run logs; a trial that is complete there is not run again.
        checkpoint: directory of checkpoints; an interrupted trial goes on from there, with the same log.
        progress: draw a progress bar on a terminal.
        checkpoint_decisions: decisions between checkpoints.
        changes: other values of the preset, such as `qt="mlp"`.

    Raises:
        ValueError: an unknown preset or value, or a checkpoint of another network.
    """
    chosen = find(preset).with_(**changes)
    protocol = ev.protocol(chosen.protocol)
    chosen = under(chosen, protocol)
    budget = protocol.budget.get("frames") if frames is None else frames
    if budget is None:
        raise ValueError(f"the protocol {protocol.name} has no budget in frames; give frames=")
    if budget < 1:
        raise ValueError(f"frames is {budget}; accepted: 1 and more")
    name = preset if not changes else f"{preset}_{'_'.join(f'{k}={v}' for k, v in sorted(changes.items()))}"
    trials = []
    for seed in seeds:
        play = start(chosen, protocol, game, ev.job_key(protocol.name, game, seed=seed), seed, budget)
        play.every = checkpoint_decisions
        run = protocol.run(name, game, seed, config=described(chosen, budget))
        place = None if checkpoint is None else Path(checkpoint) / Path(run.path).with_suffix("")
        shown = Progress(budget, f"{name} {game} s{seed}", enabled=progress)
        if out is None:
            _played(play, None, place, shown)
        else:
            with ev.Writer(out, run, keep=0 if place is None else play.resume(place)) as log:
                if log.complete:
                    play.trial.returns = [episode.score for episode in log.episodes]
                    play.trial.frames = [episode.total_frames for episode in log.episodes]
                else:
                    _played(play, log, place, shown)
        play.world.close()
        trials.append(play.trial)
    return trials


def _played(play: Play, log: ev.Writer | None, place: Path | None, shown: Progress) -> None:
    """Play a trial to its end, with its log and its checkpoints."""
    with shown:
        for message in play.messages():
            if isinstance(message, ev.Episode) and log is not None:
                log.append(message)
            if message == DUE and place is not None:
                play.save(place)
            shown.update(play.total, _note(play))
    if log is not None:
        log.end("budget", agent=play.agent.report())
    if place is not None:
        play.save(place)


@dataclass
class Play:
    """A trial under way."""

    world: World
    agent: Agent
    trial: Trial
    budget: int
    first_seed: int = 0
    every: int = CHECKPOINT_DECISIONS
    """Decisions between checkpoints, at least."""
    growth: float = 0.0
    """Decisions between checkpoints, as a share of those so far: checkpoints grow with the replay memory."""
    resumed: np.ndarray[Any, np.dtype[np.uint8]] | None = None
    played: list[float] = field(default_factory=lambda: [0.0, 0, 0])
    """Return, frames and decisions of the running episode."""
    episodes: int = 0
    total: int = 0

    def resume(self, place: Path) -> int:
        """Go on from the newest checkpoint, if there is one; returns its number of episodes."""
        found = checkpoints.find(place)
        if found is None:
            return 0
        numbers = checkpoints.numbers_of(found)
        self.agent.restore(checkpoints.read(found, self.agent.state()), numbers["agent"])
        self.agent.load_memory(found)
        self.resumed = self.world.restore((found / "world.bin").read_bytes())
        self.played, self.episodes, self.total = numbers["played"], numbers["episodes"], numbers["total"]
        self.trial.returns, self.trial.frames = numbers["returns"], numbers["frames"]
        return self.episodes

    def save(self, place: Path) -> None:
        """Write a checkpoint."""
        numbers = {
            "agent": self.agent.numbers(),
            "played": self.played,
            "episodes": self.episodes,
            "total": self.total,
            "returns": self.trial.returns,
            "frames": self.trial.frames,
            "preset": asdict(self.agent.preset),
            "actions": self.agent.actions,
            "shape": list(self.agent.frame),
        }
        checkpoints.write(place, self.agent.state(), numbers, self.world.snapshot(), self.agent.save_memory)

    def _spent(self) -> bool:
        """Whether the budget is played and no game is under way."""
        return self.total >= self.budget and not self.played[2]

    def messages(self) -> Iterator[Message]:
        """Play until the budget is spent and the running game is over."""
        if self._spent():
            return
        agent, states, saved = self.agent, self.resumed, self.agent.decisions
        reported = self.total
        if states is None:
            states = self.world.reset(self.first_seed)
            agent.begin(states[-1])
        while True:
            before = states.copy()
            action = int(agent.act_batch(before[None], agent.preset.epsilon(agent.decisions))[0])
            turn = self.world.step(action)
            agent.learn(before, action, turn.reward, turn.terminated, turn.states)
            self.played = [self.played[0] + turn.reward, self.played[1] + turn.frames, self.played[2] + 1]
            self.total += turn.frames
            states = turn.states
            if turn.terminated or turn.truncated:
                if not turn.life:
                    reported = self.total
                    yield self._finished(turn.terminated, turn.truncated)
                    if self._spent():
                        return
                states = self.world.reset(None)
                agent.begin(states[-1])
            elif agent.decisions % TICK_DECISIONS == 0:
                yield Tick(self.total - reported)
                reported = self.total
            if agent.decisions - saved >= max(self.every, self.growth * agent.decisions):
                saved = agent.decisions
                yield DUE

    def _finished(self, terminated: bool, truncated: bool) -> ev.Episode:
        """The record of the game that is over."""
        score, frames, steps = self.played
        seed = self.first_seed if self.episodes == 0 else None
        record = ev.Episode(
            "train", self.episodes, score, int(frames), self.total, int(steps), terminated, truncated, seed
        )
        self.trial.returns.append(score)
        self.trial.frames.append(self.total)
        self.episodes += 1
        self.played = [0.0, 0, 0]
        return record


def _note(play: Play) -> str:
    """What the line of progress says besides its bar."""
    recent = play.trial.returns[-10:]
    return f"{play.episodes} episodes" + (f", mean of {len(recent)}: {np.mean(recent):.1f}" if recent else "")


def load(directory: str | Path) -> Agent:
    """The agent of a checkpoint, to act with.

    Raises:
        ValueError: not a checkpoint.
    """
    found = checkpoints.find(Path(directory))
    if found is None:
        raise ValueError(f"{directory}: there is no checkpoint here")
    numbers = checkpoints.numbers_of(found)
    try:
        preset = Preset(**numbers["preset"])
        agent = make_agent(preset, numbers["actions"], tuple(numbers["shape"]), 0)
        agent.restore(checkpoints.read(found, agent.state()), numbers["agent"])
    except (KeyError, TypeError, AttributeError, OverflowError) as problem:
        raise ValueError(f"{found}: damaged: {problem!r}") from problem
    return agent
