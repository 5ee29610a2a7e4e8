"""Policies that need no learning: random, no-op, one action held, one action held with noise.

On Atari games native trials of `ale_rs.learning` play all but no-op. Their chance here is a counter hash
(`seeds.word`), so that a play depends on no library's generator.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium

from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.protocol import Protocol
from ale_rs.evaluation.seeds import word

__all__ = ["Perturb", "const", "noop", "perturb", "random"]

PERTURBED = 0.05
"""How often `perturb` takes a random action instead of its own (Bellemare et al. 2013)."""


class Perturb:
    """Takes one action, and with a probability one drawn uniformly from all.

    Args:
        count: number of actions.
        action: the action that is held.
        probability: how often one is drawn instead; 1 is the random policy, 0 a constant one.
        seed: seed of the draws.
    """

    def __init__(self, count: int, action: int, probability: float, seed: int) -> None:
        self.count, self.action, self.probability = count, action, probability
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Draw from a new seed."""
        self.seed, self.draws = seed, 0

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The next action; neither the observation nor `info` is looked at."""
        if self.probability == 0 or (self.probability < 1 and self._draw(1 << 32) >= self._threshold):
            return self.action
        return self._draw(self.count)

    @property
    def _threshold(self) -> int:
        return round(self.probability * (1 << 32))

    def _draw(self, bound: int) -> int:
        drawn = word(self.seed, self.draws)
        self.draws += 1
        return (drawn >> 32) * bound >> 32

    def save(self, path: Path) -> None:
        """Write where the draws are."""
        path.write_text(json.dumps([self.seed, self.draws]), encoding="utf-8")

    def load(self, path: Path) -> None:
        """Go on from there."""
        self.seed, self.draws = json.loads(path.read_text(encoding="utf-8"))


def _count(space: gymnasium.Space[Any]) -> int:
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise ValueError(f"the actions are {space}; this policy needs discrete ones")
    return int(space.n)


def per_decision(protocol: Protocol) -> dict[str, Any]:
    """The pipeline of policies that look at nothing."""
    return {"obs_type": "ram"} if protocol.world == "atari" else {}


def random(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Perturb:
    """Draws every action uniformly."""
    return Perturb(_count(action_space), 0, 1.0, seed)


def noop(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Perturb:
    """Does nothing."""
    return Perturb(_count(action_space), 0, 0.0, seed)


def const(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Perturb:
    """Holds one action."""
    return Perturb(_count(action_space), _held(config, action_space), 0.0, seed)


def perturb(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Perturb:
    """Holds one action, with noise."""
    return Perturb(_count(action_space), _held(config, action_space), PERTURBED, seed)


for _factory in (random, noop, const, perturb):
    _factory.pipeline = per_decision  # type: ignore[attr-defined]


def _held(config: Mapping[str, Any], space: Any) -> int:
    """The index of the action named in the configuration."""
    names: list[str] = list(config["action_names"])
    name = str(config["action"]).upper()
    known = {each.upper(): index for index, each in enumerate(names)}
    if name not in known:
        raise unknown("action", config["action"], names)
    return known[name]
