"""Reading ROM images from files: gzip, zip, size limit and checksum."""

import gzip
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

MAX_SIZE = 512 * 1024
"""The largest image that is read, in bytes."""

MAX_ZIP_DEPTH = 3
"""How many zip files inside each other are opened."""

MAX_ZIP_SIZE = 64 * 1024 * 1024
"""The largest zip file inside a zip file that is opened, in bytes."""

_GZIP_MAGIC = b"\x1f\x8b"
_PRINTABLE = bytes([*range(32, 127), *b"\t\r\n\f"])
_digests: dict[Path, tuple[int, int, str]] = {}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class ImageError(ValueError):
    """A file that cannot be a ROM image."""


def md5(data: bytes) -> str:
    """The MD5 of an image in lower-case hexadecimal."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def read_image(path: Path) -> bytes:
    """The bytes of an image, decompressed if the file is gzip.

    Raises:
        ImageError: the image is larger than `MAX_SIZE` or its compression is broken.
    """
    with path.open("rb") as file:
        return _decompress(_limited(file, str(path)), str(path))


def refuse_text(data: bytes, name: str) -> None:
    """Refuse a text file, whose bytes would run as instructions.

    Raises:
        ImageError: all bytes are printable ASCII.
    """
    if data and not data.translate(None, _PRINTABLE):
        begins = data[:20].decode("ascii").split("\n")[0]
        raise ImageError(
            f'{name} is a text file that begins with "{begins}"; '
            f"accepted: the bytes of a cartridge, at most {MAX_SIZE // 1024} KiB"
        )


def file_md5(path: Path) -> str | None:
    """The MD5 of the image in a file, `None` if the file cannot be an image.

    Known checksums are kept until the size or the time of the file changes.
    """
    try:
        status = path.stat()
        known = _digests.get(path)
        if known is not None and known[:2] == (status.st_size, status.st_mtime_ns):
            return known[2]
        if not path.is_file() or not 0 < status.st_size <= MAX_SIZE:
            return None
        digest = md5(read_image(path))
    except (OSError, ImageError):
        return None
    _digests[path] = (status.st_size, status.st_mtime_ns, digest)
    return digest


def walk_images(root: Path) -> Iterator[tuple[str, bytes | str]]:
    """Every image below a directory or in a file, zip files opened.

    Yields:
        the name of the file (`archive.zip/name` inside an archive) and its bytes, or the reason as
        text why it cannot be an image.
    """
    for path in _files(root):
        try:
            if zipfile.is_zipfile(path):
                yield from _walk_zip(path, str(path), 1)
            elif path.stat().st_size == 0:
                yield str(path), "empty"
            else:
                yield str(path), read_image(path)
        except (OSError, ImageError) as error:
            yield str(path), _reason(error)


def _files(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return
    for directory, subdirectories, names in os.walk(root):
        subdirectories.sort()
        for name in sorted(names):
            path = Path(directory, name)
            if path.is_file():
                yield path


def _walk_zip(source: Path | IO[bytes], where: str, depth: int) -> Iterator[tuple[str, bytes | str]]:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError) as error:
        yield where, _reason(error)
        return
    with archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            name = f"{where}/{entry.filename}"
            try:
                yield from _zip_entry(archive, entry, name, depth)
            # A damaged or encrypted member raises any of these.
            except (
                zipfile.BadZipFile,
                zlib.error,
                EOFError,
                RuntimeError,
                OSError,
                ImageError,
            ) as error:
                yield name, _reason(error)


def _zip_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, depth: int
) -> Iterator[tuple[str, bytes | str]]:
    with archive.open(entry) as member:
        if entry.filename.lower().endswith(".zip") and depth < MAX_ZIP_DEPTH:
            inner = member.read(MAX_ZIP_SIZE + 1)
            if len(inner) > MAX_ZIP_SIZE:
                yield name, f"larger than {MAX_ZIP_SIZE // 1024 // 1024} MiB"
            else:
                yield from _walk_zip(io.BytesIO(inner), name, depth + 1)
            return
        data = _limited(member, name)
    yield name, _decompress(data, name) if data else "empty"


def _limited(file: _Readable, name: str) -> bytes:
    data = file.read(MAX_SIZE + 1)
    if len(data) > MAX_SIZE:
        raise ImageError(f"{name} is larger than {MAX_SIZE // 1024} KiB")
    return data


def _decompress(data: bytes, name: str) -> bytes:
    if not data.startswith(_GZIP_MAGIC):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return _limited(file, name)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ImageError(f"{name} is broken gzip data: {error}") from error


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
