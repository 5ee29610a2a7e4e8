"""The agent of a checkpoint as a policy that does not learn any more.

    play = deep.policy("checkpoints/comper100k/dqn_comper100k/pong/m0d0/s0")
    ev.evaluate(play, "bellemare2013_planning", "pong")

In a module, `ale-rs evaluate MODULE:play` takes it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs.deep.dqn import Agent
from ale_rs.deep.training import load

__all__ = ["Policy", "policy"]


@dataclass(frozen=True)
class Policy:
    """A factory of `ale_rs.evaluation`; make it with `policy`."""

    directory: str
    name: str
    frameskip: int
    stack: int
    averages: bool

    @property
    def __name__(self) -> str:
        """What logs call it."""
        return self.name

    @property
    def pipeline(self) -> Mapping[str, Any]:
        """How the agent wants to observe.

        States that average two frames are formed of frames that come one by one: then a log counts a step for
        each frame.
        """
        pictures = {"obs_type": "frames", "img_height": 84, "img_width": 84}
        if self.averages:
            return pictures | {"stack_num": 2, "maxpool": False, "decision_frames": 1}
        return pictures | {"stack_num": self.stack, "maxpool": True, "decision_frames": self.frameskip}

    def __call__(self, observation_space: Any, action_space: Any, seed: int, config: Any) -> _Acting:
        """The agent of the checkpoint.

        Raises:
            ValueError: it has another number of actions.
        """
        agent = load(self.directory)
        if int(action_space.n) != agent.actions:
            raise ValueError(
                f"{self.directory}: an agent of {agent.actions} actions, the environment has {action_space.n}"
            )
        return _Acting(agent, seed, self.frameskip if self.averages else 1)


def policy(directory: str | Path) -> Policy:
    """The agent of a checkpoint as an agent of evaluations; it acts at random with probability 0.05.

    Raises:
        ValueError: not a checkpoint.
    """
    preset = load(directory).preset
    averages = preset.pooling == "average" and preset.frameskip > 1
    return Policy(str(directory), preset.algorithm, preset.frameskip, preset.stack, averages)


class _Acting:
    """Acts, for as many calls as an action lasts."""

    def __init__(self, agent: Agent, seed: int, repeats: int) -> None:
        self._agent, self._repeats = agent, repeats
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """An episode begins."""
        self._agent.chance = np.random.default_rng(seed)
        self._states: NDArray[np.uint8] = np.zeros((self._agent.preset.stack, *self._agent.frame), np.uint8)
        self._left, self._action = 0, 0
        self._first = True

    def act(self, observation: NDArray[np.uint8], info: Mapping[str, Any]) -> int:
        """The action for an observation."""
        if self._repeats == 1:
            return self._agent.act(observation)
        if self._left == 0:
            last = observation[-1] if self._first else observation.astype(np.uint16).sum(axis=0) // 2
            self._states = np.concatenate([self._states[1:], last[None].astype(np.uint8)])
            self._action = self._agent.act(self._states)
            self._left, self._first = self._repeats, False
        self._left -= 1
        return self._action
