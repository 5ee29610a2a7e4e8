"""Planners: agents that search in the emulator instead of learning.

>>> from ale_rs import AtariEnv, planning
>>> env = AtariEnv("glowdelve", frameskip=5, repeat_action_probability=0.0)
>>> _ = env.reset(seed=0)
>>> planner = planning.RolloutIW(env, frames=2_000, seed=0)
>>> action = planner.plan()
>>> observation, reward, terminated, truncated, info = env.step(action)
>>> planner.advance(action)
>>> planner.stats.frames <= 2_000
True

| planner | search | budget of a decision |
|---|---|---|
| `FullTree` | all actions, breadth-first | frames of the tree |
| `UCT` | Monte-Carlo tree search with UCB1 | simulations |
| `IW` | breadth-first, expands only states with a new atom: IW(1) | frames |
| `RolloutIW` | rollouts with depth-aware novelty: Rollout-IW(1) | frames or seconds |

`States` is a store of states with a batched expansion, for searches with a network. `make` builds a planner
by name; `play` plays episodes with one.
"""

from ale_rs.planning.drawing import draw
from ale_rs.planning.planners import IW, UCT, FullTree, Planner, RolloutIW, Stats, Tree
from ale_rs.planning.playing import PLANNERS, Episode, make, play
from ale_rs.planning.states import States

__all__ = [
    "IW",
    "PLANNERS",
    "UCT",
    "Episode",
    "FullTree",
    "Planner",
    "RolloutIW",
    "States",
    "Stats",
    "Tree",
    "draw",
    "make",
    "play",
]
