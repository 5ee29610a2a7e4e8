"""The learners alone, for worlds of your own: they see features or hashes, never an environment."""

import os
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ale_rs import _native
from ale_rs._arguments import integer

__all__ = ["Brute", "Sarsa"]


N = TypeVar("N", _native.Sarsa, _native.Brute)


class _Learner(Generic[N]):
    """What all learners have: they are saved and loaded whole."""

    _native: N
    _kind: type[N]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything, the generator too. What is loaded goes on bit for bit."""
        _write(path, self._native.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote.

        Raises:
            ValueError: another kind of file, another version, or damage; the text says which.
        """
        learner = cls.__new__(cls)
        learner._native = _read(path, cls._kind)
        return learner


class Sarsa(_Learner[_native.Sarsa]):
    """SARSA(lambda) over binary features: replacing traces, step size by features, first-reward scaling.

    An episode is one `begin`, any number of `step`, one `end`. Rewards are raw: the learner divides them by
    the size of the first reward that is not 0.

    >>> learner = Sarsa(10, 2, step_size=0.1, discount=0.9, trace_decay=0.0, exploration=0.1)
    >>> for _ in range(200):  # action 1 pays, action 0 does not
    ...     action = learner.begin([3])
    ...     learner.end(float(action))
    >>> int(learner.q([3]).argmax())
    1

    Args:
        num_features: number of features; indices are below it.
        num_actions: number of actions, at most 32.
        step_size: alpha, to be divided by the largest number of features ever active.
        discount: gamma of a decision.
        trace_decay: lambda.
        exploration: probability of a uniform action.
        seed: seed of exploration and ties.
        clear_other_actions: setting a trace clears those of the other actions for the same feature.
    """

    _kind = _native.Sarsa

    def __init__(
        self,
        num_features: int,
        num_actions: int,
        *,
        step_size: float,
        discount: float,
        trace_decay: float,
        exploration: float,
        seed: int = 0,
        clear_other_actions: bool = False,
    ) -> None:
        self._native = self._kind(
            integer("num_features", num_features, 1, 2**32 - 2),
            integer("num_actions", num_actions, 1, 32),
            step_size=step_size,
            discount=discount,
            trace_decay=trace_decay,
            exploration=exploration,
            seed=integer("seed", seed, 0, 2**64 - 1),
            clear_other_actions=clear_other_actions,
        )

    def begin(self, active: ArrayLike, counts: ArrayLike | None = None) -> int:
        """Begin an episode.

        Args:
            active: indices of the features that are on, each once.
            counts: how often each is on; once if `None`.

        Returns:
            the first action.
        """
        return self._native.begin(*_features(active, counts))

    def step(self, reward: float, active: ArrayLike, counts: ArrayLike | None = None) -> int:
        """Learn from what the last action brought; the next action."""
        return self._native.step(float(reward), *_features(active, counts))

    def end(self, reward: float) -> None:
        """Learn from what the last action of the episode brought."""
        self._native.end(float(reward))

    def q(self, active: ArrayLike, counts: ArrayLike | None = None) -> NDArray[np.float64]:
        """The value of every action, in units of the first reward."""
        return self._native.q(*_features(active, counts))

    def __repr__(self) -> str:
        features, actions = self._native.shape
        return f"<Sarsa: {features:,} features, {actions} actions>"


class Brute(_Learner[_native.Brute]):
    """A tree over histories of actions and observations: repeats the best that was ever seen.

    An observation is any whole number below 2^64, such as the hash of a picture.

    >>> learner = Brute(2)
    >>> first = learner.begin(0)
    >>> learner.end(1.0)
    >>> learner.begin(0) == first  # it repeats what it has seen to pay
    True

    Args:
        num_actions: number of actions, at most 256.
        discount: gamma of a decision.
        exploration: `"b2"`: 0.005 / log(n + 2) after n visits, or `"a"`: min(0.05 / log(n + 1), 1). The paper
            prints both.
        max_nodes: histories that are kept, 64 bytes each; then the tree stops growing and forgets nothing.
        seed: seed of exploration and ties.
    """

    _kind = _native.Brute

    def __init__(
        self,
        num_actions: int,
        *,
        discount: float = 1.0,
        exploration: str = "b2",
        max_nodes: int = 10_000_000,
        seed: int = 0,
    ) -> None:
        self._native = self._kind(
            integer("num_actions", num_actions, 1, 256),
            discount=discount,
            exploration=exploration,
            max_nodes=integer("max_nodes", max_nodes, 1, 2**32 - 2),
            seed=integer("seed", seed, 0, 2**64 - 1),
        )

    def begin(self, observation: int) -> int:
        """Begin an episode; the first action."""
        return self._native.begin(observation)

    def step(self, reward: float, observation: int) -> int:
        """Count what the last action brought; the next action."""
        return self._native.step(float(reward), observation)

    def end(self, reward: float) -> None:
        """Learn from the episode, from its last decision back to its first."""
        self._native.end(float(reward))

    def q(self) -> NDArray[np.float64]:
        """The value of every action in the history now; minus infinity for those that were not tried."""
        return self._native.q()

    @property
    def histories(self) -> int:
        """Histories in the tree."""
        return self._native.size[1]

    @property
    def is_full(self) -> bool:
        """Whether the tree has stopped growing."""
        return self._native.size[2]

    def __repr__(self) -> str:
        actions, histories, _ = self._native.size
        return f"<Brute: {actions} actions, {histories:,} histories>"


Indices = NDArray[np.uint32]


def _features(active: ArrayLike, counts: ArrayLike | None) -> tuple[Indices, Indices | None]:
    return _whole("active", active), None if counts is None else _whole("counts", counts)


def _whole(name: str, values: ArrayLike) -> Indices:
    """Whole numbers as an array of 32 bits without a sign."""
    array = np.asarray(values)
    if array.dtype == np.uint32 and array.ndim == 1:
        return np.ascontiguousarray(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} has shape {array.shape} and type {array.dtype}; accepted: a list of whole numbers"
        )
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < 2**32:
        raise ValueError(f"{name} has the value {int(array.min())}; accepted: 0 to 4294967295")
    return array.astype(np.uint32)


def _write(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace a file; a process that is killed meanwhile leaves the older one."""
    target = Path(path)
    beside = target.with_name(target.name + ".tmp")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(target)


def _read(path: str | os.PathLike[str], kind: Any) -> Any:
    try:
        return kind.from_bytes(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
