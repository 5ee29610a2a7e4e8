"""Tasks: a game with mode and difficulty, and the papers' lists of games.

`freeway` means the default mode and difficulty 0; every other flavour is a task of its own, `freeway@m1d0`.
"""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ale_rs.evaluation._data import HERE, read_toml, unknown

__all__ = ["Task", "select_games", "subset", "subsets"]

CRAFTER = "crafter"
"""The one task that is no Atari game."""


@dataclass(frozen=True, order=True)
class Task:
    """A game with its mode and difficulty.

    >>> Task.parse("freeway@m1d0")
    Task(game='freeway', mode=1, difficulty=0)
    >>> Task("freeway", 0, 0).name, Task("freeway", 1, 0).name
    ('freeway', 'freeway@m1d0')
    """

    game: str
    mode: int = 0
    difficulty: int = 0

    @property
    def name(self) -> str:
        """The name of the column."""
        plain = (self.mode, self.difficulty) == (default_mode(self.game), 0)
        return self.game if plain else f"{self.game}@m{self.mode}d{self.difficulty}"

    @classmethod
    def parse(cls, name: str) -> "Task":
        """The task of a name.

        Raises:
            ValueError: no such game, mode or difficulty.
        """
        game, at, flavour = name.partition("@")
        if not at:
            known_game(game)
            return cls(game, default_mode(game), 0)
        match = re.fullmatch(r"m(\d+)d(\d+)", flavour)
        if match is None:
            raise ValueError(f'"{name}" is no flavour of a game; written like "freeway@m1d0"')
        known_game(game)
        task = cls(game, int(match[1]), int(match[2]))
        if game != CRAFTER:
            from ale_rs import games

            facts = games.get(game)
            if task.mode not in facts.modes or task.difficulty not in facts.difficulties:
                modes = ", ".join(map(str, facts.modes))
                difficulties = ", ".join(map(str, facts.difficulties))
                raise ValueError(f"{name}: {game} has the modes {modes} and the difficulties {difficulties}")
        return task


def default_mode(game: str) -> int:
    """The mode of a fresh environment; 0 for games without a fact sheet."""
    from ale_rs import games

    return games.get(game).default_mode if game in games.names() else 0


def known_game(game: str) -> None:
    """Refuse a name that is no game."""
    from ale_rs import games

    if game != CRAFTER and game not in games.names():
        raise unknown("game", game, [*games.names(), CRAFTER])


@functools.cache
def subsets() -> dict[str, tuple[str, ...]]:
    """All named lists of games, in the papers' order."""
    table = read_toml(HERE / "subsets.toml")
    return {name: tuple(games) for name, games in table.items()}


def subset(name: str) -> tuple[str, ...]:
    """The games of a named list.

    >>> subset("atari3")
    ('battle_zone', 'name_this_game', 'phoenix')
    """
    if name not in subsets():
        raise unknown("subset", name, subsets())
    return subsets()[name]


def select_games(names: Iterable[str]) -> list[str]:
    """The tasks of a `--games` argument: subsets, games, flavours and `-game` for exclusions, left to right.

    >>> select_games(["atari3", "pong", "-phoenix"])
    ['battle_zone', 'name_this_game', 'pong']
    """
    chosen: dict[str, None] = {}
    for item in (part.strip() for name in names for part in name.split(",")):
        if not item:
            continue
        name = item.removeprefix("-")
        if name in subsets():
            found = subsets()[name]
        else:
            try:
                found = (Task.parse(name).name,)
            except ValueError as error:
                if "unknown game" not in str(error):
                    raise
                from ale_rs import games

                raise unknown("game or subset", name, [*subsets(), *games.names()]) from None
        for task in found:
            if item.startswith("-"):
                chosen.pop(task, None)
            else:
                chosen[task] = None
    if not chosen:
        raise ValueError(f"no game is left of {', '.join(names)}")
    return list(chosen)
