"""A store of states: for searches and archives of one's own, with a network for example."""

import gzip
import os
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ale_rs import _arguments, _native
from ale_rs.planning._game import Game

__all__ = ["States"]

View = Literal["rgb", "grayscale", "indices", "ram"]


MAX_STATES = 1_000_000
"""States that a store may hold unless it is told another number."""


class States:
    """States of one environment by number; state 0 is the one that it is in.

    >>> from ale_rs import AtariEnv
    >>> env = AtariEnv("windfall", obs_type="ram", frameskip=5)
    >>> _ = env.reset(seed=0)
    >>> states = States(env)
    >>> children, rewards, over, observations = states.expand([0, 0, 0], [0, 1, 2])
    >>> children
    array([1, 2, 3])
    >>> observations.shape
    (3, 128)

    A state is the machine and the game's counters, about 1 KB; pictures and generators are not part of it.
    Sticky actions are drawn from the store's own generator: the result of a call depends on `seed`, on the
    calls before, and on the row, not on `threads`.

    Args:
        env: an `AtariEnv` or an `ALEInterface`; a decision lasts its frame skip.
        observation: `"rgb"`, `"grayscale"`, `"indices"` or `"ram"`; by default that of the environment. A
            picture shows what the last two frames of the decision have drawn.
        threads: threads of `expand`; 0 for one for each core.
        max_states: states that the store may hold.
        seed: seed of the sticky actions.
    """

    @_arguments.known_keywords
    def __init__(
        self,
        env: Any,
        *,
        observation: View | None = None,
        threads: int = 0,
        max_states: int = MAX_STATES,
        seed: int = 0,
    ) -> None:
        self._setup(env, observation, threads, max_states, seed)
        self.add()

    def _setup(self, env: Any, observation: View | None, threads: int, max_states: int, seed: int) -> None:
        self._game = Game.of(env)
        if observation is None:
            observation = "rgb" if self._game.env is None else self._game.env._obs_type
        _arguments.one_of("observation", observation, ("rgb", "grayscale", "indices", "ram"))
        self._native = _native.NativeStates(
            self._game.ale,
            self._game.actions,
            self._game.skip,
            observation,
            _arguments.integer("threads", threads, 0, 4096) or os.cpu_count() or 1,
            _arguments.integer("max_states", max_states, 1, 2**31),
            _arguments.integer("seed", seed, 0, 2**64 - 1),
        )

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<States: {len(self):,}>"

    def add(self) -> int:
        """Add the state that the environment is in.

        Returns:
            its number.
        """
        return self._native.add(self._game.ale)

    def expand(
        self, parents: ArrayLike, actions: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.uint8]]:
        """Take `actions[i]` in state `parents[i]` for all rows, and add the states that this leads to.

        Returns:
            the numbers of the children, the rewards, whether the game has ended, and the observations.

        Raises:
            IndexError: there is no such state or action.
            ValueError: the game has ended in a parent, or the arrays have different lengths.
            RuntimeError: the store would hold more than `max_states`.
        """
        return self._native.expand(_numbers("parents", parents), _numbers("actions", actions))

    def restore(self, state: int) -> None:
        """Bring the environment to a state. Its picture shows it after the next step."""
        self._native.restore(self._game.ale, _arguments.integer("state", state, 0))

    def keep(self, states: ArrayLike) -> None:
        """Forget all other states; the kept ones are numbered anew, in this order."""
        self._native.keep(_numbers("states", states))

    def keys(self, states: ArrayLike | None = None) -> NDArray[np.uint64]:
        """Hashes of futures: states with equal keys go on alike, whatever is played."""
        return self._native.keys(self._chosen(states))

    def ram(self, states: ArrayLike | None = None) -> NDArray[np.uint8]:
        """The 128 bytes of RAM of some states, by default of all."""
        return self._native.ram(self._chosen(states))

    def over(self, states: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Whether the game has ended in some states, by default in all."""
        return self._native.over(self._chosen(states))

    def save(self, path: str | Path) -> None:
        """Write all states to a compressed file; equal ones are written once.

        The file is complete or not there: an interrupted call leaves an older file as it was.
        """
        path = Path(path)
        draft = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with gzip.GzipFile(draft, "wb", compresslevel=6, mtime=0) as file:
                file.write(self._native.to_bytes())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | Path, env: Any, **options: Any) -> Self:
        """The states of a file of `save`, with the same numbers.

        Args:
            path: the file.
            env: an environment with the same game.
            **options: as for `States`.

        Raises:
            ValueError: the file is damaged, of another version, or of another game.
        """
        states = cls(env, **options)
        # As long as so many states of this game can be: compressed bytes may stand for any number.
        most = 2 * len(states._native.to_bytes()) * options.get("max_states", MAX_STATES)
        states._native.keep(np.zeros(0, np.int64))
        try:
            with gzip.open(path) as file:
                content = file.read(most + 1)
        except (EOFError, zlib.error, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(f"{path} is damaged or no file of States.save: {error}") from error
        if len(content) > most:
            raise ValueError(f"{path} has more than {most:,} bytes of content: not that many states")
        try:
            states._native.add_bytes(content)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return states

    def _chosen(self, states: ArrayLike | None) -> NDArray[np.int64]:
        return np.arange(len(self), dtype=np.int64) if states is None else _numbers("states", states)


def _numbers(name: str, given: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} has shape {array.shape} and dtype {array.dtype}; accepted: a row of integers"
        )
    return np.ascontiguousarray(array, np.int64)
