"""One trial: an agent in a game, from the first episode to the last, in native code."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ale_rs import _native, games, roms
from ale_rs import features as feature_sets
from ale_rs.enums import Action
from ale_rs.evaluation import Episode, Protocol, Run, protocol
from ale_rs.evaluation.seeds import agent_seed, episode_seed, job_key
from ale_rs.evaluation.tasks import known_game
from ale_rs.learning.agents import resolve

__all__ = ["CheckpointError", "Trial", "run_trial"]

VERSION = 1
"""Of checkpoints; changes whenever an old one would not be continued bit for bit."""
SEEDS = 64
"""Seeds of evaluation episodes that one native call gets."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be continued; the text says why."""


@dataclass
class Phase:
    """A part of a trial: how much is played and whether the agent learns."""

    name: str
    frames: int | None
    episodes: int | None
    played_frames: int = 0
    played_episodes: int = 0

    @property
    def done(self) -> bool:
        """Whether its budget is used up."""
        return (self.frames is not None and self.played_frames >= self.frames) or (
            self.episodes is not None and self.played_episodes >= self.episodes
        )


class Trial:
    """An agent in a game under a protocol, with one seed.

    Every record is a function of the arguments. A trial that is saved and loaded goes on bit for bit.

    Args:
        agent: `"sarsa"`, `"brute"`, `"random"`, `"const:FIRE"`, `"perturb:FIRE"`.
        game: id of the game.
        features: the set of features of `"sarsa"`.
        protocol: name or path of a protocol, or a `Protocol`.
        seed: number of the trial; the seeds of game and agent are derived from it.
        frames: frames of training instead of the protocol's budget; for agents that do not learn under a
            protocol with an evaluation, frames of that.
        mode: mode of the game; its default if `None`.
        difficulty: difficulty of the game.
        parameters: parameters of the agent that differ from the papers'.

    Raises:
        ValueError: an unknown name, or a combination that makes no sense; the text names what is accepted.
    """

    def __init__(
        self,
        agent: str,
        game: str,
        *,
        features: str | None = None,
        protocol: str | Path | Protocol = "machado2018",
        seed: int = 0,
        frames: int | None = None,
        mode: int | None = None,
        difficulty: int = 0,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.protocol = _rules(protocol)
        self.spec = resolve(agent, features, self.protocol, parameters)
        known_game(game)
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ValueError(f"seed is {seed!r}; accepted: a whole number of 0 and more")
        if frames is not None and (isinstance(frames, bool) or not isinstance(frames, int) or frames < 1):
            raise ValueError(f"frames is {frames!r}; accepted: a whole number of 1 and more")
        self.seed = seed
        rom = roms.load(game)
        self.run_record: Run = self.protocol.run(
            self.spec.name, game, seed, mode=mode, difficulty=difficulty, config=self.spec.config
        )
        self._key = job_key(self.protocol.name, game, self.run_record.mode, difficulty, seed)
        self.phases = _phases(self.protocol, self.spec.learns, frames)
        options = {
            **self.spec.parameters,
            "decision_frames": self.spec.decision_frames,
            "seed": agent_seed(self._key),
            "env_seed": reset_seed(episode_seed(self._key, 0)),
            "actions": _actions(self.protocol, game),
            "mode": self.run_record.mode,
            "difficulty": difficulty,
            "repeat_action_probability": self.protocol.env["repeat_action_probability"],
            "max_num_frames_per_episode": self.protocol.env["max_num_frames_per_episode"],
        }
        if agent.partition(":")[2]:
            options["action"] = _action_index(agent.partition(":")[2], options["actions"], self.protocol)
        if self.spec.features is not None:
            options["features"] = feature_sets.make(self.spec.features, game)._native
        self._native = _native.NativeTrial(rom.data, rom.name, self.spec.kind, options)
        self._stopped = False
        # Without sticky actions the Brute begins every training episode at the same state.
        self._restarts = self.spec.kind == "brute" and self.protocol.env["repeat_action_probability"] == 0

    @property
    def name(self) -> str:
        """The agent's name in run logs."""
        return self.spec.name

    @property
    def frames(self) -> int:
        """Frames played so far, in all phases."""
        return sum(phase.played_frames for phase in self.phases)

    @property
    def episodes(self) -> int:
        """Episodes played so far, in all phases."""
        return sum(phase.played_episodes for phase in self.phases)

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._stopped

    @property
    def size(self) -> tuple[int, bool]:
        """Features with weights, or histories of the Brute; and whether there is no room for more."""
        return self._native.size()

    @property
    def done(self) -> bool:
        """Whether the budget of every phase is used up."""
        return all(phase.done for phase in self.phases)

    def run(
        self, on_episode: Callable[[Episode], object], *, until: Callable[[], bool] | None = None
    ) -> bool:
        """Play on, streaming every finished episode.

        The interpreter is released while the game is played; several trials run side by side in threads.

        Args:
            on_episode: called with each record, in order.
            until: asked several times a second; the call returns after the running episode when it says so.

        Returns:
            whether the trial is complete.
        """
        for phase in self.phases:
            while not phase.done and not self._stopped and not (until is not None and until()):
                self._part(phase, on_episode, until)
        return self.done

    def _part(
        self, phase: Phase, on_episode: Callable[[Episode], object], until: Callable[[], bool] | None
    ) -> None:
        """One native call: training to its end, evaluation for as many episodes as it has seeds."""
        learns = phase.name == "train"
        first = phase.played_episodes
        seeds: list[int] | None = None
        if not learns:
            count = SEEDS if phase.episodes is None else min(SEEDS, phase.episodes - first)
            seeds = [episode_seed(self._key, first + index) for index in range(count)]

        def report(rows: list[tuple[float, int, int, bool, bool]]) -> bool:
            for score, frames, steps, terminated, truncated in rows:
                index = phase.played_episodes
                restarts = index == 0 or self._restarts
                seed: int | None = episode_seed(self._key, 0) if restarts else None
                if seeds is not None:
                    seed = seeds[index - first]
                phase.played_episodes += 1
                phase.played_frames += frames
                on_episode(
                    Episode(
                        phase.name, index, score, frames, phase.played_frames, steps, terminated, truncated,
                        seed,
                    )
                )  # fmt: skip
            return not (until is not None and until())

        self._native.run(
            learn=learns,
            frames=None if phase.frames is None else phase.frames - phase.played_frames,
            episodes=None if phase.episodes is None else phase.episodes - first,
            seeds=None if seeds is None else [reset_seed(seed) for seed in seeds],
            report=report,
        )

    def stop(self, at_once: bool = False) -> None:
        """Ask a running trial, from another thread, to return after its episode.

        Args:
            at_once: do not finish the episode; the trial can then only go on from a checkpoint.
        """
        self._stopped = True
        self._native.stop(at_once)

    @property
    def identity(self) -> dict[str, Any]:
        """What a checkpoint must agree in."""
        run = self.run_record
        return {
            "checkpoint": VERSION, "ale_rs": _native.__version__, "agent": run.agent, "game": run.game,
            "rom_md5": run.rom_md5, "mode": run.mode, "difficulty": run.difficulty, "seed": run.seed,
            "protocol": run.protocol, "env": dict(run.env), "agent_config": dict(run.agent_config),
        }  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint; a process that is killed meanwhile leaves the older one."""
        progress = [[phase.name, phase.played_frames, phase.played_episodes] for phase in self.phases]
        self._native.save(Path(path), json.dumps(self.identity), json.dumps(progress))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint of the same trial; its budget may differ.

        Raises:
            CheckpointError: it is of another game, agent or version, or damaged.
        """
        try:
            identity, progress = self._native.load(Path(path), json.dumps(self.identity))
            found = dict(json.loads(identity))
            phases = [
                (str(name), int(frames), int(episodes)) for name, frames, episodes in json.loads(progress)
            ]
        except RuntimeError as error:
            raise CheckpointError(str(error)) from None
        except (ValueError, TypeError, OverflowError) as error:
            raise CheckpointError(f"{path}: damaged: {error}") from None
        own = json.loads(json.dumps(self.identity))
        for key, value in own.items():
            if found.get(key) != value:
                raise CheckpointError(
                    f"{path}: is a checkpoint with {key} {found.get(key)!r}; this trial has {value!r}"
                )
        if len(phases) != len(self.phases):
            raise CheckpointError(f"{path}: has {len(phases)} phases; this trial has {len(self.phases)}")
        for phase, (name, frames, episodes) in zip(self.phases, phases, strict=True):
            if phase.name != name:
                raise CheckpointError(f"{path}: is of a trial with the phase {name!r}, not {phase.name!r}")
            phase.played_frames, phase.played_episodes = frames, episodes


def run_trial(
    agent: str, game: str, protocol: str | Path | Protocol, seed: int,
    on_episode: Callable[[Episode], object], **options: Any,
) -> Trial:  # fmt: skip
    """Play a whole trial in one thread and stream its episodes.

    >>> scores = []
    >>> trial = run_trial("const:FIRE", "glowdelve", "bellemare2013_planning", 0, scores.append)
    >>> trial.done, len(scores), scores[0].phase
    (True, 10, 'evaluate')

    Args:
        agent: as in `Trial`, as everything else.
        game: id of the game.
        protocol: name, path or value.
        seed: number of the trial.
        on_episode: called with each record, in order.
        options: further arguments of `Trial`.

    Returns:
        the trial; its `run_record` is the first line of a run log.
    """
    trial = Trial(agent, game, protocol=protocol, seed=seed, **options)
    trial.run(on_episode)
    return trial


def reset_seed(seed: int) -> int:
    """The machine's seed after `AtariEnv.reset(seed=seed)`."""
    return int(np.random.SeedSequence(seed).generate_state(2)[1])


def _rules(name: str | Path | Protocol) -> Protocol:
    rules = name if isinstance(name, Protocol) else protocol(name)
    for key, neutral in (("terminal_on_life_loss", False), ("noop_max", 0)):
        if rules.env.get(key, neutral) != neutral:
            raise ValueError(
                f"the protocol {rules.name} has {key} = {rules.env[key]!r}; native agents accept {neutral!r}"
            )
    return rules


def _phases(rules: Protocol, learns: bool, frames: int | None) -> list[Phase]:
    """What is played: training and evaluation as the protocol's kind says."""
    training = Phase("train", rules.budget.get("frames"), rules.budget.get("episodes"))
    if frames is not None:
        training = Phase("train", frames, None)
    evaluation = Phase("evaluate", None, rules.score.get("episodes"))
    if rules.kind == "evaluation":
        return [evaluation if frames is None else Phase("evaluate", frames, None)]
    if rules.kind != "train_then_evaluate":
        return [training]
    if learns:
        return [training, evaluation]
    return [evaluation if frames is None else Phase("evaluate", frames, None)]


def _actions(rules: Protocol, game: str) -> list[int]:
    if rules.env.get("full_action_space", True):
        return list(range(18))
    return [action.value for action in games.get(game).minimal_actions]


def _action_index(name: str, actions: list[int], rules: Protocol) -> int:
    number: int = Action[name].value
    if number not in actions:
        accepted = ", ".join(Action(action).name for action in actions)
        raise ValueError(f"{name} is no action of this game under {rules.name}; accepted: {accepted}")
    return actions.index(number)
