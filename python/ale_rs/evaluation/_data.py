"""What several modules of the package need: TOML, the files it ships, errors with the nearest name."""

import difflib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
"""Where the data files of the package are."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ValueError: it is not TOML; the text names file, line and column.
    """
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is not TOML: {error}") from None
    return table


def toml_value(text: str) -> Any:
    """A value as TOML writes it, or else the text itself.

    >>> toml_value("1_000"), toml_value("uct")
    (1000, 'uct')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def unknown(what: str, name: object, known: Iterable[str]) -> ValueError:
    """The error for a name that does not exist, with the nearest one that does.

    >>> str(unknown("protocol", "machado2081", ["bellemare2013", "machado2018"]))
    'unknown protocol "machado2081", did you mean "machado2018"? Known: bellemare2013, machado2018'
    """
    names = list(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f', did you mean "{near[0]}"?' if near else ";"
    known_text = ", ".join(names) if len(names) <= 40 else f"{', '.join(names[:40])}, ... ({len(names)})"
    text = f'unknown {what} "{name}"{hint} Known: {known_text}'
    return ValueError(text.replace("; Known", "; known"))


def check_keys(where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse a table with a key that means nothing."""
    accepted = list(known)
    for key in table:
        if key not in accepted:
            raise ValueError(f"{where}: {unknown('key', key, accepted)}")
