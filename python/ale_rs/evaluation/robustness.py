"""A frozen policy under disturbance: no-ops, random actions, sticky actions (Machado et al. 2018)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ale_rs.evaluation.agents import AgentSpec, agent
from ale_rs.evaluation.jobs import Job, play
from ale_rs.evaluation.protocol import Protocol
from ale_rs.evaluation.records import Episode
from ale_rs.evaluation.tasks import Task
from ale_rs.evaluation.trials import mean_and_sd

__all__ = ["DISTURBANCES", "Robustness", "robustness"]

DISTURBANCES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "no-ops": ("noop_max", (0, 10, 20, 30)),
    "random actions": ("action_noise", (0.0, 0.05, 0.1, 0.2)),
    "sticky actions": ("repeat_action_probability", (0.0, 0.05, 0.1, 0.25)),
}
"""Name -> the environment's setting and its levels; the first is none."""


@dataclass(frozen=True)
class Robustness:
    """Scores of a policy under growing disturbance.

    Attributes:
        scores: disturbance -> level -> game -> mean return.
        z: disturbance -> level -> mean over games of the game's standardised score, over all its levels.
        episodes: episodes behind a mean.
    """

    scores: Mapping[str, Mapping[float, Mapping[str, float]]]
    z: Mapping[str, Mapping[float, float]]
    episodes: int

    def to_dict(self) -> dict[str, Any]:
        """The numbers as a plain dict."""
        return dict(vars(self))


def robustness(
    policy: str | Callable[..., Any] | AgentSpec,
    games: Sequence[str],
    *,
    episodes: int = 10,
    frameskip: int = 5,
    max_frames: int = 18_000,
    disturbances: Mapping[str, tuple[str, Sequence[float]]] = DISTURBANCES,
) -> Robustness:
    """Play a policy on games under growing disturbance, one kind at a time.

    Args:
        policy: as `agent` takes it.
        games: games and flavours.
        episodes: episodes per game and level.
        frameskip: frames of a decision.
        max_frames: limit of an episode.
        disturbances: as `DISTURBANCES`.
    """
    spec = agent(policy)
    scores: dict[str, dict[float, dict[str, float]]] = {}
    for kind, (setting, levels) in disturbances.items():
        for level in levels:
            env = {
                "frameskip": frameskip, "repeat_action_probability": 0.0, "full_action_space": True,
                "max_num_frames_per_episode": max_frames, "noop_max": 0,
            }  # fmt: skip
            rules = Protocol(
                "robustness", "evaluation", "atari", 1, env | {setting: level}, score={"episodes": episodes}
            )
            scores.setdefault(kind, {})[level] = {
                name: _mean(Job(rules, spec, Task.parse(name), 0)) for name in games
            }
    return Robustness(scores, {kind: _z(found) for kind, found in scores.items()}, episodes)


def _mean(job: Job) -> float:
    returns = [message.score for message in play(job) if isinstance(message, Episode)]
    return math.fsum(returns) / len(returns)


def _z(levels: Mapping[float, Mapping[str, float]]) -> dict[float, float]:
    """Standardise each game over its levels, then average over games; a game that never changes is 0."""
    games = next(iter(levels.values()))
    sums = dict.fromkeys(levels, 0.0)
    for game in games:
        values = [found[game] for found in levels.values()]
        mean, sd = mean_and_sd(values, "population")
        for level, found in levels.items():
            sums[level] += (found[game] - (mean or 0.0)) / sd if sd else 0.0
    return {level: total / len(games) for level, total in sums.items()}
