"""The planners. The search itself is native; here are names, checks and docstrings."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ale_rs import _arguments, _native
from ale_rs.features import BProst, FeatureSet
from ale_rs.planning._game import Game

__all__ = ["IW", "UCT", "Atoms", "FullTree", "Planner", "RolloutIW", "Stats", "Tree"]

Atoms: TypeAlias = (
    Literal["ram", "bprost"] | FeatureSet | Callable[[NDArray[np.uint8], NDArray[np.uint8]], Any]
)
"""What novelty is measured on: `"ram"` for (byte, value), `"bprost"` for the B-PROST features of the screen
in front of a background of 100 screens, a feature set, or a function of the screen (palette indices) and RAM
that gives whole numbers."""

BACKGROUND_SCREENS = 100
"""Screens of random play that the background of `atoms="bprost"` is made of."""
MAX_NODES = 1_000_000


@dataclass(frozen=True)
class Stats:
    """Counts since a planner was made.

    Attributes:
        frames: frames that were emulated; those of kept nodes are not counted again.
        nodes: nodes that were generated.
        duplicates: nodes with the same future as a sibling.
        depth: decisions from the root to the deepest node of any search.
        seconds: wall-clock time of all searches.
    """

    frames: int
    nodes: int
    duplicates: int
    depth: int
    seconds: float


@dataclass(frozen=True)
class Tree:
    """The tree of the last search; node 0 is the root, and parents come before children.

    Attributes:
        parent: the node before; the root has its own number.
        action: the index of the action that leads to the node.
        depth: decisions from the root.
        frames: frames of that decision.
        visits: simulations that passed through (UCT; 0 for the others).
        reward: reward of that decision.
        value: backed-up value, the reward included; the sum of scaled returns for UCT.
        over: the game ends there.
        duplicate: a sibling has the same future.
        pruned: not expanded: no new atom, or nothing left to explore (IW and RolloutIW).
    """

    parent: NDArray[np.int64]
    action: NDArray[np.int64]
    depth: NDArray[np.int64]
    frames: NDArray[np.int64]
    visits: NDArray[np.int64]
    reward: NDArray[np.float64]
    value: NDArray[np.float64]
    over: NDArray[np.bool_]
    duplicate: NDArray[np.bool_]
    pruned: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.parent)


class Planner:
    """What all planners share."""

    def __init__(self, env: Any, native: _native.NativePlanner) -> None:
        self._game = Game.of(env)
        self._native = native

    def plan(self) -> int:
        """Search from the state of the environment; the environment does not move.

        If its state is the root of the kept subtree, the search continues that; if not, a new tree begins.

        Returns:
            an index of the environment's action space (of `getLegalActionSet()` for an `ALEInterface`).

        Raises:
            RuntimeError: no game is loaded, the episode has ended, the environment was closed, or the tree
                has reached `max_nodes`.
        """
        self._game.check_running()
        return self._native.plan(self._game.ale, self._game.actions, self._game.skip)

    def advance(self, action: int) -> None:
        """Keep the subtree of an action that the environment has just taken.

        Raises:
            ValueError: the action is outside the action space.
        """
        self._native.advance(self._game.action(action))

    @property
    def stats(self) -> Stats:
        """Counts since the planner was made."""
        return Stats(*self._native.stats())

    def tree(self) -> Tree:
        """The tree of the last search as arrays."""
        return Tree(**self._native.tree())


class FullTree(Planner):
    """Breadth-first search over all actions (Bellemare et al. 2013, section 3.2.1).

    Args:
        env: an `AtariEnv` or an `ALEInterface`.
        frames: emulated frames of a tree.
        discount: discount per decision.
        duplicates: do not expand a child with the same future as a sibling.
        charge_reused: frames of the kept subtree count, so that `frames` bounds the tree
            and not the new work.
        max_nodes: nodes that a tree may have.
        seed: seed of ties and of the planner's own sticky actions.
        threads: threads that expand nodes; the result does not depend on them.
    """

    @_arguments.known_keywords
    def __init__(
        self,
        env: Any,
        *,
        frames: int = 133_000,
        discount: float = 0.999,
        duplicates: bool = False,
        charge_reused: bool = True,
        max_nodes: int = MAX_NODES,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        native = _native.NativePlanner.full_tree(
            _count("frames", frames),
            _discount(discount),
            bool(duplicates),
            bool(charge_reused),
            _count("max_nodes", max_nodes, 2),
            _seed(seed),
            _count("threads", threads),
        )
        super().__init__(env, native)


class UCT(Planner):
    """Monte-Carlo tree search with UCB1, random rollouts and duplicate pruning.

    Bellemare et al. 2013, appendix B.

    Args:
        env: an `AtariEnv` or an `ALEInterface`.
        simulations: visits of the root that end a search; those of a kept subtree count.
        depth_frames: frames from the root to the horizon.
        exploration: the constant C of UCB1.
        discount: discount per decision.
        duplicates: prune a child with the same future as a sibling.
        max_nodes: nodes that a tree may have.
        seed: seed of everything random.
        threads: independent trees that share the simulations, one per thread; their root visits are added.
            This root parallelisation is another algorithm than one tree with all simulations.
    """

    @_arguments.known_keywords
    def __init__(
        self,
        env: Any,
        *,
        simulations: int = 500,
        depth_frames: int = 300,
        exploration: float = 0.1,
        discount: float = 0.999,
        duplicates: bool = True,
        max_nodes: int = MAX_NODES,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if isinstance(exploration, bool) or not isinstance(exploration, (int, float, np.number)):
            raise TypeError(f"exploration is {exploration!r}; accepted: a number of 0 and more")
        if not 0 <= exploration < math.inf:
            raise ValueError(f"exploration is {exploration}; accepted: a number of 0 and more")
        _count("depth_frames", depth_frames)
        longest = Game.of(env).skip[1]
        native = _native.NativePlanner.uct(
            _count("simulations", simulations, most=2**32 - 1),
            max(1, depth_frames // longest),
            float(exploration),
            _discount(discount),
            bool(duplicates),
            _count("max_nodes", max_nodes, 2),
            _seed(seed),
            _count("threads", threads),
        )
        super().__init__(env, native)


class IW(Planner):
    """IW(1): breadth-first search that expands only states with a new atom (Lipovetzky et al. 2015).

    Args:
        env: an `AtariEnv` or an `ALEInterface`.
        frames: emulated frames of a decision; kept nodes are not charged.
        discount: discount per decision.
        atoms: what novelty is measured on, see `Atoms`.
        max_branch: nodes below one child of the root after which that child is not expanded any more; by
            default a fifth of `frames`.
        max_nodes: nodes that a tree may have.
        seed: seed of the order of actions, of ties and of the planner's own sticky actions.
        threads: threads that expand nodes; the result does not depend on them.
    """

    @_arguments.known_keywords
    def __init__(
        self,
        env: Any,
        *,
        frames: int = 150_000,
        discount: float = 0.995,
        atoms: Atoms = "ram",
        max_branch: int | None = None,
        max_nodes: int = MAX_NODES,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        frames = _count("frames", frames)
        native = _native.NativePlanner.iw(
            frames,
            _discount(discount),
            _atoms(atoms, env),
            max(1, frames // 5) if max_branch is None else _count("max_branch", max_branch),
            _count("max_nodes", max_nodes, 2),
            _seed(seed),
            _count("threads", threads),
        )
        super().__init__(env, native)


class RolloutIW(Planner):
    """Rollout-IW(1): rollouts that go on while they bring an atom earlier than any before.

    Bandres et al. 2018.

    Args:
        env: an `AtariEnv` or an `ALEInterface`.
        frames: emulated frames of a decision; kept nodes are not charged.
        seconds: wall-clock time of a decision; results depend on the machine then. With both, whichever ends
            first; with neither, 150,000 frames.
        atoms: what novelty is measured on, see `Atoms`.
        risk_averse: negative rewards weigh 50,000 times as much, and a lost life costs 500,000.
        discount: discount per decision.
        max_depth: decisions after which a rollout ends.
        max_repeats: a decision that does not change the atoms is repeated, without branching, so often.
        max_kept: a kept subtree of this many nodes is not searched further.
        max_nodes: nodes that a tree may have.
        seed: seed of actions, of ties and of the planner's own sticky actions.
        threads: 1; each rollout depends on the ones before.
    """

    @_arguments.known_keywords
    def __init__(
        self,
        env: Any,
        *,
        frames: int | None = None,
        seconds: float | None = None,
        atoms: Atoms = "ram",
        risk_averse: bool = False,
        discount: float = 1.0,
        max_depth: int = 1500,
        max_repeats: int = 30,
        max_kept: int = 50_000,
        max_nodes: int = MAX_NODES,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if frames is None and seconds is None:
            frames = 150_000
        if _count("threads", threads) != 1:
            raise ValueError(f"threads is {threads}; accepted: 1, since a rollout depends on those before")
        native = _native.NativePlanner.rollout_iw(
            None if frames is None else _count("frames", frames),
            None if seconds is None else _seconds(seconds),
            _discount(discount),
            _atoms(atoms, env),
            bool(risk_averse),
            _count("max_depth", max_depth, most=60_000),
            _count("max_repeats", max_repeats, 0, 60_000),
            _count("max_kept", max_kept),
            _count("max_nodes", max_nodes, 2),
            _seed(seed),
        )
        super().__init__(env, native)


def _count(name: str, value: Any, least: int = 1, most: int = 2**48) -> int:
    return _arguments.integer(name, value, least, most)


def _seed(seed: Any) -> int:
    return _arguments.integer("seed", seed, 0, 2**64 - 1)


def _discount(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"discount is {value!r}; accepted: a number from 0 to 1")
    _arguments.probability("discount", value)
    return float(value)


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"seconds is {value!r}; accepted: a number above 0")
    if not 0 < value <= 1e6:
        raise ValueError(f"seconds is {value}; accepted: a number above 0, at most 1,000,000")
    return float(value)


def _atoms(atoms: Any, env: Any) -> Any:
    """What the native side takes: nothing for RAM, a native feature set, or a function."""
    if isinstance(atoms, str):
        _arguments.one_of("atoms", atoms, ("ram", "bprost"))
        if atoms == "ram":
            return None
        background = _native.background_of_env(Game.of(env).ale, BACKGROUND_SCREENS)
        return BProst(np.frombuffer(background, np.uint8).reshape(210, 160))._native
    if isinstance(atoms, FeatureSet):
        return atoms._native
    if not callable(atoms):
        kind = type(atoms).__name__
        raise TypeError(f"atoms is a {kind}; accepted: 'ram', 'bprost', a feature set, or a function")
    return atoms
