"""Planners by name, and episodes that they play."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ale_rs import _arguments
from ale_rs._native import ALEInterface
from ale_rs.env import AtariEnv
from ale_rs.planning.planners import IW, UCT, FullTree, Planner, RolloutIW

__all__ = ["PLANNERS", "Episode", "make", "play"]

PLANNERS: Final[dict[str, Callable[..., Planner]]] = {
    "full-tree": FullTree,
    "uct": UCT,
    "iw": IW,
    "rollout-iw": RolloutIW,
}
"""All planners by the name that commands use."""


def make(name: str, env: Any, **options: Any) -> Planner:
    """The planner with this name; the options are those of its class.

    Raises:
        ValueError: no planner has this name; the text names the nearest one.
    """
    _arguments.one_of("planner", name, PLANNERS)
    return PLANNERS[name](env, **options)


@dataclass(frozen=True)
class Episode:
    """What a planner has played.

    Attributes:
        score: sum of the rewards.
        decisions: decisions that were taken.
        frames: frames of the game.
        emulated: frames that the planner has emulated.
        seconds: wall-clock time.
        over: the episode has ended, and was not stopped by `max_decisions`.
    """

    score: float
    decisions: int
    frames: int
    emulated: int
    seconds: float
    over: bool


def play(
    env: AtariEnv,
    planner: Planner,
    *,
    max_decisions: int | None = None,
    report: Callable[[Episode], object] | None = None,
    watch: Callable[[ALEInterface], object] | None = None,
) -> Episode:
    """Play an episode from the state that the environment is in.

    Args:
        env: the environment, after its reset.
        planner: a planner of this environment.
        max_decisions: stop after so many decisions.
        report: called after each decision with what was played so far; `planner.tree()` is still that of
            the decision then.
        watch: called after each frame of the game. The environment must have a fixed frame skip and no
            `action_noise` then, since its frames are played one by one.
    """
    bare: AtariEnv = env.unwrapped  # type: ignore[assignment]
    if watch is not None and (not isinstance(bare._frameskip, int) or bare._action_noise):
        raise ValueError("watch needs an environment with one frame skip and no action_noise")
    start, before = time.perf_counter(), planner.stats.frames
    first = bare.ale.getEpisodeFrameNumber()
    score, decisions, over = 0.0, 0, False

    def so_far() -> Episode:
        frames = bare.ale.getEpisodeFrameNumber() - first
        emulated = planner.stats.frames - before
        return Episode(score, decisions, frames, emulated, time.perf_counter() - start, over)

    while not over and decisions != max_decisions:
        action = planner.plan()
        if watch is None:
            _, reward, terminated, truncated, _ = env.step(action)
            reward, over = float(reward), terminated or truncated
        else:
            reward, over = _watched(bare, action, watch)
        score, decisions = score + reward, decisions + 1
        if report is not None:
            report(so_far())
        planner.advance(action)
    return so_far()


def _watched(env: AtariEnv, action: int, watch: Callable[[ALEInterface], object]) -> tuple[float, bool]:
    """A step, frame by frame."""
    reward, skip = 0, env._frameskip
    assert isinstance(skip, int)
    for _ in range(skip):
        reward += env.ale.act(env._action_set[action])
        watch(env.ale)
        if env.ale.game_over():
            return float(reward), True
    return float(reward), False
