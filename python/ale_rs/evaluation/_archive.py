"""A directory as bytes, and back: the files of an agent in a checkpoint."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["packed", "unpacked"]

LEVEL = 1
"""Of compression: replay memories of game frames shrink to a small part of themselves already."""


def packed(place: Path, more: Mapping[str, bytes] | None = None) -> bytes:
    """The files below a directory, or one file, and further ones; nothing of this moment is in it."""
    memory = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=memory, mode="wb", filename="", mtime=0, compresslevel=LEVEL) as file,
        tarfile.open(fileobj=file, mode="w") as tar,
    ):
        for path in sorted(path for path in [place, *place.rglob("*")] if path.is_file()):
            entry = tarfile.TarInfo(str(path.relative_to(place.parent)))
            entry.size = path.stat().st_size
            with path.open("rb") as source:
                tar.addfile(entry, source)
        for name, data in (more or {}).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return memory.getvalue()


def unpacked(data: bytes, place: Path) -> None:
    """Write the files beside and below `place`, under the names that they had."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(place.parent, filter="data")
