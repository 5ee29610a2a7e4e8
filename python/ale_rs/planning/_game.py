"""What a planner needs to know of an environment: its native half, its actions and how long they are held."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ale_rs._native import ALEInterface
from ale_rs.env import AtariEnv

__all__ = ["Game"]


@dataclass(frozen=True)
class Game:
    """An environment as planners see it.

    Attributes:
        env: the environment, without wrappers.
        ale: its native half.
    """

    env: AtariEnv | None
    ale: ALEInterface

    @staticmethod
    def of(env: Any) -> "Game":
        """The game of an `AtariEnv` (wrapped or not) or an `ALEInterface`.

        Raises:
            TypeError: something else.
            ValueError: actions are continuous.
            RuntimeError: no game is loaded.
        """
        bare = getattr(env, "unwrapped", env)
        if isinstance(bare, AtariEnv):
            if bare.continuous:
                raise ValueError("the environment has continuous actions; accepted: continuous=False")
            return Game(bare, bare.ale)
        if isinstance(bare, ALEInterface):
            bare.getScreenDims()  # raises when no game is loaded
            return Game(None, bare)
        raise TypeError(f"env is a {type(env).__name__}; accepted: an AtariEnv or an ALEInterface")

    @property
    def actions(self) -> list[int]:
        """The `Action` behind each index of the action space, as a number."""
        actions = self.ale.getLegalActionSet() if self.env is None else self.env._action_set
        return [int(action.value) for action in actions]

    @property
    def skip(self) -> tuple[int, int]:
        """The fewest and the most frames of a step."""
        inner = max(self.ale.getInt("frame_skip"), 1)
        if self.env is None:
            return inner, inner
        skip = self.env._frameskip
        low, high = (skip, skip) if isinstance(skip, int) else (skip[0], skip[1] - 1)
        return low * inner, high * inner

    def check_running(self) -> None:
        """Refuse an environment in which no step can be taken.

        Raises:
            RuntimeError: it was closed, or its episode has ended.
        """
        if self.env is not None and self.env.closed:
            raise RuntimeError("the environment was closed; accepted: one that is open")
        if self.ale.game_over():
            raise RuntimeError("the episode has ended; call reset() of the environment before plan()")

    def action(self, action: Any) -> int:
        """An index of the action space, checked.

        Raises:
            TypeError: no whole number.
            ValueError: outside the action space.
        """
        if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
            raise TypeError(f"the action is {action!r}; accepted: a whole number")
        count = len(self.actions)
        if not 0 <= action < count:
            raise ValueError(f"the action is {action}; accepted: 0 to {count - 1}")
        return int(action)
