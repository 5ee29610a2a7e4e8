"""Native environments that reset and step as gymnasium's usual wrappers around `AtariEnv` do.

No-op starts, the maximum of two frames, the loss of a life as the end, FIRE at the start: the ideas of
`AtariVectorEnv`, in another order and with another generator, so that the same seeds give other episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ale_rs import _arguments
from ale_rs._vector_arguments import Game
from ale_rs.vector_env import AtariVectorEnv

__all__ = ["WrappedAtariVectorEnv", "Wrappers"]


class Wrappers(NamedTuple):
    """The options of the wrappers.

    Attributes:
        frames: frames of a step of the `AtariEnv` below: a number, or from one to below another.
        noop_max: a game starts with 1 to this many such steps without action; 0 for none.
        terminal_on_life_loss: the loss of a life ends the episode, and the game goes on with the next one.
        action_repeat_probability: probability that such a step repeats the action before, drawn from the
            generator of the wrappers.
    """

    frames: int | tuple[int, int] = 1
    noop_max: int = 30
    terminal_on_life_loss: bool = True
    action_repeat_probability: float = 0.0


class WrappedAtariVectorEnv(AtariVectorEnv):
    """`AtariVectorEnv` with the resets and steps of wrappers.

    >>> envs = WrappedAtariVectorEnv("pong", 2, stack_num=1)
    >>> observations, info = envs.reset(seed=0)
    >>> info["episode_frame_number"]
    array([30, 13], dtype=int32)

    `episode_return` and `episode_length` of `info` count the whole game in steps below the wrappers, as a
    `Monitor` there would; `raw_reward` after a reset is what the steps of the start brought. It works with
    every gymnasium from 0.29.1 on.

    Args:
        game: id of a game or path of a ROM, or one for each sub-environment.
        num_envs: number of sub-environments.
        wrappers: what the wrappers do.
        options: those of `AtariVectorEnv`. `frameskip` is that of the wrapper above the environment.
    """

    _any_gymnasium = True

    def __init__(
        self,
        game: Game | Sequence[Game],
        num_envs: int | None = None,
        *,
        wrappers: Wrappers = Wrappers(),  # noqa: B008
        **options: Any,
    ) -> None:
        wrappers = Wrappers(*wrappers)
        frames, noop_max, lives_end, sticky = wrappers
        lives_end = bool(lives_end)
        _arguments.integer("noop_max", noop_max, 0, 2**31 - 1)
        _arguments.probability("action_repeat_probability", sticky)
        low, above = (frames, frames + 1) if isinstance(frames, int) else frames
        self._more_options = {"wrappers": ((low, above), noop_max, lives_end, float(sticky))}
        # What the wrappers do, for who asks; the native side takes it from above.
        known = {"noop_max": noop_max + 1, "episodic_life": lives_end, "continue_lives": lives_end}
        super().__init__(game, num_envs, **{**options, **known})
        self._arguments = {**self._arguments, "wrappers": wrappers}

    def _seeds(self, seed: Any, mask: Any) -> NDArray[np.int64]:
        """Integer seeds beyond 32 bits are fine, as in gymnasium."""
        if isinstance(seed, list) and mask is None and len(seed) == self.num_envs and min(seed) >= 0:
            return np.array(seed, np.int64)
        return super()._seeds(seed, mask)
