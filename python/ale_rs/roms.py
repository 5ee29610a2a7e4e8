"""Where a ROM is found.

`get_all_rom_ids` and `get_rom_path` are those of `ale_py.roms`. Below them lies one lookup, `load`, which
tries in this order

1. an explicit path,
2. the directory in the environment variable `ALE_ROM_DIR` (or `ALE_ROMS_DIR`, the name in `ale_py`),
3. the ROMs that the user imported with `ale-rs roms import`,
4. the ROM folder of an installed `ale_py` or `envpool` (found, never imported),
5. the games that are part of this library.

A ROM is known by its MD5, whatever its file is called.
"""

import functools
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ale_rs import _arguments, _images, _native

__all__ = [
    "ImportReport",
    "Rom",
    "RomNotFoundError",
    "add",
    "embedded_ids",
    "find",
    "get_all_rom_ids",
    "get_rom_path",
    "import_roms",
    "load",
    "locate",
    "user_directory",
]

PACKAGES = (("ale_py", "roms"), ("envpool_assets", "atari/roms"), ("envpool", "atari/roms"))
"""Packages that bring ROM files, and the folders of these inside them."""

GYMNASIUM_ID = re.compile(r"(?:ALE/|ale_rs/)?(\w+?)(?:NoFrameskip|Deterministic)?(?:-ram)?-v\d+")
"""Ids of environments, which some give where the name of a game is needed."""

EMBEDDED = "embedded in ale_rs"
"""What `Rom.where` says of the games that are part of the library."""


_added: dict[str, Path] = {}
"""The ROMs of the user's games, by id."""


class RomNotFoundError(FileNotFoundError):
    """No file with the ROM of a game was found; the text says what to do."""


@dataclass(frozen=True)
class Rom:
    """An image, its checksum and its game.

    Attributes:
        name: the game by checksum, else the lower-case name of the file without its extension.
        md5: the checksum of the image in hexadecimal.
        data: the image, decompressed.
        where: a path, or `EMBEDDED`.
    """

    name: str
    md5: str
    data: bytes = field(repr=False)
    where: Path | str

    @property
    def known(self) -> bool:
        """Whether the checksum is that of a known game."""
        return self.md5 in _names()


@dataclass
class ImportReport:
    """What `import_roms` did.

    Attributes:
        copied: game and the file it came from.
        present: games that were there already.
        unknown: file and reason for everything that was not copied.
    """

    copied: dict[str, str] = field(default_factory=dict)
    present: list[str] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)


@functools.cache
def get_all_rom_ids() -> list[str]:
    """The ids of all games that `ale_py` ships, in its order: `["adventure", "air_raid", ...]`."""
    return [name for name, _ in _native.known_roms()]


def embedded_ids() -> list[str]:
    """The ids of the games that are part of this library and need no file."""
    return list(_embedded())


def get_rom_path(name: str) -> Path | None:
    """The path of a game's image; `None` and a warning if no game has this id.

    With the environment variable `ALE_ROMS_DIR` only `<ALE_ROMS_DIR>/<name>.bin` is accepted, as in
    `ale_py`. Without it the places of this module are searched.

    Raises:
        NotADirectoryError: `ALE_ROMS_DIR` is no directory.
        FileNotFoundError: there is no such file.
        OSError: the file in `ALE_ROMS_DIR` has another checksum.
    """
    strict = os.environ.get("ALE_ROMS_DIR")
    if strict:
        return _strict_path(name, Path(strict).absolute())
    if name not in _checksums():
        warnings.warn(f"Rom {name} not supported.", UserWarning, stacklevel=2)
        return None
    return find(name)


def find(game: str | os.PathLike[str]) -> Path:
    """The path of the image that `load` would load; a game of the library is written to a file.

    Raises:
        RomNotFoundError: no ROM of this game was found, or no file has this path.
        ValueError: no game has this id.
    """
    if not isinstance(game, str) or _looks_like_path(game):
        return _existing(Path(game).expanduser())
    found = _located(game)
    return found if isinstance(found, Path) else _unpacked(game)


def load(game: str | os.PathLike[str]) -> Rom:
    """The image of a game, or of a file.

    Args:
        game: an id such as `"pong"`, or a path. Text is a path when it has a directory or a dot.

    Raises:
        RomNotFoundError: no ROM of this game was found, or no file has this path.
        ValueError: no game has this id, or the file cannot be an image.
    """
    if not isinstance(game, str) or _looks_like_path(game):
        return _load_file(_existing(Path(game).expanduser()))
    found = _located(game)
    data = _images.read_image(found) if isinstance(found, Path) else _embedded()[game]
    return Rom(game, _images.md5(data), data, found)


def locate(game: str) -> Path | str | None:
    """Where the ROM of a game is: a path, `EMBEDDED`, or `None` if it is missing."""
    checksum = _checksums().get(game)
    if checksum is None:
        return None
    if game in _added:
        return _added[game]
    for directory in _directories():
        for path in _candidates(directory, game):
            if _images.file_md5(path) == checksum:
                return path
    return EMBEDDED if game in _embedded() else None


def add(game: str, checksum: str, path: Path) -> None:
    """Make the ROM of a user's game known to this process; `games.load` calls it."""
    _checksums()[game] = checksum
    _names().setdefault(checksum, game)
    _added[game] = path


def user_directory() -> Path:
    """The directory of the imported ROMs; `ALE_RS_DATA_DIR` changes it."""
    return _data_directory() / "roms"


def import_roms(source: str | os.PathLike[str], to: Path | None = None) -> ImportReport:
    """Copy every known ROM below a directory (or in a file, or in a zip file) to `user_directory()`.

    Raises:
        FileNotFoundError: there is no such directory or file.
    """
    root = Path(source).expanduser()
    if not root.exists():
        raise FileNotFoundError(f"{root} does not exist; give a directory, a zip file or a ROM file")
    directory = user_directory() if to is None else to
    report = ImportReport()
    for where, data in _images.walk_images(root):
        if isinstance(data, str):
            report.unknown[where] = data
            continue
        name = _names().get(_images.md5(data))
        if name is None:
            report.unknown[where] = "unknown checksum " + _images.md5(data)
        elif name in report.copied or name in report.present:
            pass
        elif _images.file_md5(directory / f"{name}.bin") == _checksums()[name]:
            report.present.append(name)
        else:
            _write(directory / f"{name}.bin", data)
            report.copied[name] = where
    return report


@functools.cache
def _embedded() -> dict[str, bytes]:
    return _native.embedded_roms()


@functools.cache
def _checksums() -> dict[str, str]:
    """Game → MD5, of `ale_py`'s games and ours."""
    ours = {name: _images.md5(data) for name, data in _embedded().items()}
    return dict(_native.known_roms()) | ours


@functools.cache
def _names() -> dict[str, str]:
    """MD5 → game."""
    return {checksum: name for name, checksum in _checksums().items()}


def _directories() -> Iterator[Path]:
    for variable in ("ALE_ROM_DIR", "ALE_ROMS_DIR"):
        if given := os.environ.get(variable):
            yield Path(given).expanduser()
    yield user_directory()
    yield from installed_directories()


def installed_directories() -> Iterator[Path]:
    """The ROM folders of other packages that are installed; none of them is imported."""
    for package, folder in PACKAGES:
        directory = _package_directory(package)
        if directory is not None and (directory / folder).is_dir():
            yield directory / folder


def _package_directory(package: str) -> Path | None:
    """Where a package is installed. Finding a top-level package does not run it.

    The path is searched, not `sys.modules`, where `ale_py` may be another name of this package.
    """
    try:
        spec = importlib.machinery.PathFinder.find_spec(package) or importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _candidates(directory: Path, game: str) -> Iterator[Path]:
    """The file with the right name first, so that usually one file is hashed and not a hundred."""
    likely = directory / f"{game}.bin"
    yield likely
    try:
        entries = sorted(directory.iterdir())
    except OSError:
        return
    yield from (path for path in entries if path != likely)


def _strict_path(name: str, directory: Path) -> Path | None:
    print(f"Loading roms from {directory}...")
    if not directory.is_dir():
        raise NotADirectoryError(f"ROM directory {directory} doesn't exist")
    expected = dict(_native.known_roms()).get(name)
    if expected is None:
        warnings.warn(f"Rom {name} not supported.", UserWarning, stacklevel=3)
        return None
    path = directory / f"{name}.bin"
    obtained = _images.md5(path.read_bytes())
    if obtained != expected:
        raise OSError(
            f"The hash of {path.name} does not match what was expected!\n"
            f"Expected ({expected}),\nObtained ({obtained})."
        )
    return path


def _looks_like_path(text: str) -> bool:
    if is_id(text):
        return False
    return "." in text or "/" in text or os.sep in text or text.startswith("~")


def is_id(text: str) -> bool:
    """Whether a text is the id of an environment, such as `"ALE/Pong-v5"`, and no file is called so."""
    return GYMNASIUM_ID.fullmatch(text) is not None and not Path(text).exists()


def _located(game: str) -> Path | str:
    if game not in _checksums():
        raise ValueError(unknown_game(game))
    found = locate(game)
    if found is None:
        raise RomNotFoundError(how_to_get(f'the ROM of "{game}"'))
    return found


def _existing(path: Path) -> Path:
    if path.is_dir():
        raise RomNotFoundError(
            f"{path} is a directory; give the path of a ROM file, or import it with: "
            f"ale-rs roms import {path}"
        )
    if not path.exists():
        raise RomNotFoundError(f"ROM file {path} not found.")
    return path


def _load_file(path: Path) -> Rom:
    data = _images.read_image(path)
    _images.refuse_text(data, str(path))
    checksum = _images.md5(data)
    return Rom(_names().get(checksum, path.name.split(".")[0].lower()), checksum, data, path)


def _unpacked(name: str) -> Path:
    """An embedded image as a file, for callers that need a path."""
    path = _data_directory() / "embedded" / f"{name}.bin"
    if _images.file_md5(path) != _checksums()[name]:
        _write(path, _embedded()[name])
    return path


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, also when two processes do it at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def _data_directory() -> Path:
    if given := os.environ.get("ALE_RS_DATA_DIR"):
        return Path(given).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # a container's user without a home
        home = Path(tempfile.gettempdir())
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or home / ".local" / "share"
    return Path(base) / "ale_rs"


def unknown_game(game: str) -> str:
    """What is said of a game that is not known: the nearest name, or where to find all."""
    name = GYMNASIUM_ID.fullmatch(game)
    if name is not None:
        known = {other.replace("_", ""): other for other in _checksums()}
        found = known.get(name[1].lower())
        hint = _arguments.did_you_mean(name[1], _checksums()) if found is None else f'; accepted: "{found}"'
        return f'"{game}" is the id of an environment, and the name of a game is needed{hint}'
    hint = _arguments.did_you_mean(game, _checksums())
    return f'no game is known as "{game}"{hint or "; `ale-rs roms list` shows all games"}'


def how_to_get(what: str) -> str:
    """The advice for a ROM that is missing."""
    return (
        f"{what} was not found. One of these three commands fixes it:\n"
        "  ale-rs roms install\n"
        "  ale-rs roms import DIR\n"
        "  export ALE_ROM_DIR=DIR\n"
        "where DIR is a directory with your ROM files."
    )
