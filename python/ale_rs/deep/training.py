"""`train`: trials of a preset on a game, with run logs and checkpoints."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ale_rs import evaluation as ev
from ale_rs.deep import checkpoint as checkpoints
from ale_rs.deep.comper import Comper
from ale_rs.deep.dqn import Agent, Dqn
from ale_rs.deep.presets import Preset, find
from ale_rs.deep.worlds import Atari, World

__all__ = ["Trial", "load", "train"]

CHECKPOINT_DECISIONS = 2_000


@dataclass
class Trial:
    """One trial: its seed, its agent and its episodes."""

    seed: int
    agent: Agent
    returns: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    """Frames of the trial at the end of each episode."""


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
        progress: print a line of progress.
        checkpoint_decisions: decisions between checkpoints.
        changes: other values of the preset, such as `qt="mlp"`.

    Raises:
        ValueError: an unknown preset or value, or a checkpoint of another network.
    """
    chosen = find(preset).with_(**changes)
    protocol = ev.protocol(chosen.protocol)
    budget = protocol.budget.get("frames") if frames is None else frames
    if budget is None:
        raise ValueError(f"the protocol {protocol.name} has no budget in frames; give frames=")
    if budget < 1:
        raise ValueError(f"frames is {budget}; accepted: 1 and more")
    trials = []
    for seed in seeds:
        key = ev.job_key(protocol.name, game, seed=seed)
        world = Atari(game, chosen, dict(protocol.env))
        agent = make_agent(chosen, world.actions, world.frame, ev.agent_seed(key))
        config = {name: value for name, value in asdict(chosen).items() if name != "source"}
        name = (
            preset if not changes else f"{preset}_{'_'.join(f'{k}={v}' for k, v in sorted(changes.items()))}"
        )
        run = protocol.run(name, game, seed, config=config | {"frames": budget})
        place = None if checkpoint is None else Path(checkpoint) / Path(run.path).with_suffix("")
        trial = _Run(world, agent, Trial(seed, agent), budget, place, checkpoint_decisions)
        trial.progress = f"{name} {game} s{seed}" if progress else None
        if out is None:
            trial.play(None, ev.episode_seed(key, 0))
        else:
            kept = trial.resume()
            with ev.Writer(out, run, keep=kept) as log:
                trial.play(log, ev.episode_seed(key, 0))
        world.close()
        trials.append(trial.trial)
    return trials


@dataclass
class _Run:
    """A trial under way."""

    world: World
    agent: Agent
    trial: Trial
    budget: int
    place: Path | None
    every: int
    progress: str | None = None
    resumed: np.ndarray[Any, np.dtype[np.uint8]] | None = None
    played: list[float] = field(default_factory=lambda: [0.0, 0, 0])
    """Return, frames and decisions of the running episode."""
    episodes: int = 0
    total: int = 0

    def resume(self) -> int:
        """Go on from the newest checkpoint, if there is one; returns its number of episodes."""
        found = None if self.place is None else checkpoints.find(self.place)
        if found is None:
            return 0
        numbers = checkpoints.numbers_of(found)
        self.agent.restore(checkpoints.read(found, self.agent.state()), numbers["agent"])
        self.agent.load_memory(found)
        self.resumed = self.world.restore((found / "world.bin").read_bytes())
        self.played, self.episodes, self.total = numbers["played"], numbers["episodes"], numbers["total"]
        self.trial.returns, self.trial.frames = numbers["returns"], numbers["frames"]
        return self.episodes

    def save(self) -> None:
        """Write a checkpoint."""
        if self.place is None:
            return
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
        checkpoints.write(
            self.place, self.agent.state(), numbers, self.world.snapshot(), self.agent.save_memory
        )

    def play(self, log: ev.Writer | None, first_seed: int) -> None:
        """Play until the budget is spent and the running episode is over."""
        if log is not None and log.complete:
            self.trial.returns = [episode.score for episode in log.episodes]
            self.trial.frames = [episode.total_frames for episode in log.episodes]
            return
        agent, start, shown = self.agent, time.monotonic(), time.monotonic()
        states = self.resumed
        begun = self.agent.decisions
        if states is None:
            states = self.world.reset(first_seed)
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
                self._finish(log, turn.terminated, turn.truncated)
                if self.total >= self.budget:
                    break
                states = self.world.reset(None)
                agent.begin(states[-1])
            if agent.decisions % self.every == 0:
                self.resumed = states
                self.save()
            now = time.monotonic()
            if self.progress and sys.stderr.isatty() and now - shown > 0.5:
                shown = now
                rate = (agent.decisions - begun) / (now - start)
                recent = np.mean(self.trial.returns[-10:]) if self.trial.returns else float("nan")
                left = max(self.budget - self.total, 0) / agent.preset.frameskip / max(rate, 1e-9)
                print(
                    f"\r{self.progress}: {self.total:,} of {self.budget:,} frames, {self.episodes} episodes, "
                    f"mean of 10 {recent:.1f}, {rate:.0f} decisions/s, {left / 60:.0f} min left ",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
        if self.progress and sys.stderr.isatty():
            print(file=sys.stderr)
        if log is not None:
            log.end("budget", agent=agent.report())
        self.save()

    def _finish(self, log: ev.Writer | None, terminated: bool, truncated: bool) -> None:
        score, frames, steps = self.played
        if log is not None:
            log.episode(
                "train",
                score,
                frames=int(frames),
                steps=int(steps),
                terminated=terminated,
                truncated=truncated,
            )
        self.trial.returns.append(score)
        self.trial.frames.append(self.total)
        self.episodes += 1
        self.played = [0.0, 0, 0]


def load(directory: str | Path) -> Agent:
    """The agent of a checkpoint, to act with.

    Raises:
        ValueError: not a checkpoint.
    """
    found = checkpoints.find(Path(directory))
    if found is None:
        raise ValueError(f"{directory}: there is no checkpoint here")
    numbers = checkpoints.numbers_of(found)
    preset = Preset(**numbers["preset"])
    agent = make_agent(preset, numbers["actions"], tuple(numbers["shape"]), 0)
    agent.restore(checkpoints.read(found, agent.state()), numbers["agent"])
    return agent
