"""Fact sheets of the games.

>>> from ale_rs import games
>>> games.get("pong").modes
(0, 1)
>>> games.by_md5("60e0ea3cbe0913d39803477945e9e5ec").name
'pong'

A game of your own is a text file (`docs/games-format.md` in the repository) and a ROM:

    games.load("my_game.toml", rom="my.bin")
    env = ale_rs.AtariEnv("my_game")
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ale_rs import _images, _native, roms
from ale_rs.enums import Action

__all__ = ["Game", "by_md5", "by_rom", "get", "list_games", "load", "names", "read"]


@dataclass(frozen=True)
class Game:
    """A fact sheet.

    Attributes:
        name: the id, `"space_invaders"`.
        title: the name for people, `"Space Invaders"`.
        md5: the checksum of the ROM image in hexadecimal.
        modes: the modes that can be chosen.
        default_mode: the mode of a fresh environment.
        difficulties: the difficulties that can be chosen; a fresh environment has 0.
        minimal_actions: the actions that differ in this game.
        legal_actions: the actions that are not played as NOOP.
        starting_actions: what is held after a reset, frame by frame: names of actions, or `"RESET"`.
        lives_initial: the lives that "loss of life" is measured against; `None` for those after each reset.
        controllers: `"joystick"` or `"paddles"`, left and right.
        settings_overrides: settings that the game forces.
        notes: remarks on the rules.
        source: the text of the sheet.
        corrected: the variant with proven mistakes of the reference put right, if there is one.
    """

    name: str
    title: str
    md5: str
    modes: tuple[int, ...]
    default_mode: int
    difficulties: tuple[int, ...]
    minimal_actions: tuple[Action, ...]
    legal_actions: tuple[Action, ...]
    starting_actions: tuple[str, ...]
    lives_initial: int | None
    controllers: tuple[str, str]
    settings_overrides: Mapping[str, int]
    notes: tuple[str, ...] = field(repr=False)
    source: str = field(repr=False)
    corrected: "Game | None" = field(repr=False)

    @property
    def uses_paddles(self) -> bool:
        """Whether a port has paddles."""
        return "paddles" in self.controllers


def names() -> list[str]:
    """The ids of all games: those of `ale_py` in its order, our own, those that were loaded."""
    return _native.game_names()


def list_games() -> list[Game]:
    """All games, in the order of `names`."""
    return [get(name) for name in names()]


def get(name: str) -> Game:
    """The game with this id.

    Raises:
        ValueError: no game has this id; the text names a similar one.
    """
    return _view(_native.game_by_name(name))


def by_md5(md5: str) -> Game | None:
    """The game whose ROM has this checksum."""
    facts = _native.game_by_md5(md5)
    return None if facts is None else _view(facts)


def by_rom(rom: str | os.PathLike[str] | bytes) -> Game | None:
    """The game of a ROM: the path of a file, or the bytes of an image. Only the checksum counts."""
    data = rom if isinstance(rom, bytes) else _images.read_image(Path(rom).expanduser())
    return by_md5(_images.md5(data))


def read(sheet: str | os.PathLike[str]) -> Game:
    """Read the file of a sheet without making the game known.

    Raises:
        ValueError: the sheet is wrong; the text names file, key and reason.
    """
    return _view(_read(sheet, register=False))


def load(sheet: str | os.PathLike[str], rom: str | os.PathLike[str] | None = None) -> Game:
    """Make a game of your own known to this process, until it ends.

    Args:
        sheet: the path of its fact sheet; the name of the file is the name of the game.
        rom: the path of its ROM, so that the game can be played by name. Without it, give the path of the ROM
            wherever a game is asked for.

    Raises:
        ValueError: the sheet is wrong, has the name of a built-in game, or the ROM is not the one it is for.
    """
    facts = _read(sheet, register=False)
    if rom is not None:
        path = Path(rom).expanduser()
        md5 = _images.md5(_images.read_image(path))
        if md5 != facts.md5:
            raise ValueError(f"{path} has the MD5 {md5}, but {Path(sheet).name} is for {facts.md5}")
    facts = _read(sheet, register=True)
    if rom is not None:
        roms.add(facts.name, facts.md5, path.absolute())
    return _view(facts)


def _read(sheet: str | os.PathLike[str], register: bool) -> _native.GameFacts:
    path = Path(sheet).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: is not UTF-8 text: {error}") from None
    return _native.read_sheet(path.name, text, register)


def _view(facts: _native.GameFacts) -> Game:
    return Game(
        name=facts.name,
        title=facts.title,
        md5=facts.md5,
        modes=tuple(facts.modes),
        default_mode=facts.default_mode,
        difficulties=tuple(facts.difficulties),
        minimal_actions=tuple(facts.minimal_actions),
        legal_actions=tuple(facts.legal_actions),
        starting_actions=tuple(facts.starting_actions),
        lives_initial=facts.lives_initial,
        controllers=(facts.controllers[0], facts.controllers[1]),
        settings_overrides=MappingProxyType(facts.settings_overrides),
        notes=tuple(facts.notes),
        source=facts.source,
        corrected=None if facts.corrected is None else _view(facts.corrected),
    )
