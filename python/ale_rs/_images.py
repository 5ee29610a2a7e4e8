"""Reading ROM images from files: gzip, zip, size limit and checksum."""

import gzip
import hashlib
import io
import os
import stat
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

MAX_ZIP_DIRECTORY = 8 * 1024 * 1024
"""The largest directory of a zip file, in bytes: some 100,000 names. It is held in memory."""

MAX_UNPACKED = 1024 * 1024 * 1024
"""What is read and unpacked of a zip file at most, those inside it included, in bytes."""

_PIECE = 256 * 1024

_COMPRESSIONS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflate"}
"""How files in a zip file may be compressed. Python unpacks the other ways without a bound on memory."""

_GZIP_MAGIC = b"\x1f\x8b"
_PRINTABLE = bytes([*range(32, 127), *b"\t\r\n\f"])
_digests: dict[Path, tuple[int, int, str]] = {}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class ImageError(ValueError):
    """A file that cannot be a ROM image."""


class _Budget:
    """What may still be read and unpacked of a zip file."""

    def __init__(self) -> None:
        self.left = MAX_UNPACKED

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise ImageError(f"not read: the archive has more than {MAX_UNPACKED // 1024 // 1024} MiB")


class _Guarded:
    """A zip file whose directory must not be larger than `MAX_ZIP_DIRECTORY`: it is read by one call."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > MAX_ZIP_DIRECTORY:
            raise ImageError(
                f"the directory of the archive has {size // 1024} KiB; "
                f"accepted: {MAX_ZIP_DIRECTORY // 1024} KiB at most"
            )
        return self._file.read(size)


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
                with path.open("rb") as file:
                    yield from _walk_zip(file, str(path), 1, _Budget())
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


def _walk_zip(
    source: IO[bytes], where: str, depth: int, budget: _Budget
) -> Iterator[tuple[str, bytes | str]]:
    try:
        archive = zipfile.ZipFile(_Guarded(source))
    except Exception as error:  # damaged structures raise anything
        yield where, _reason(error)
        return
    with archive:
        for entry in archive.infolist():
            if entry.filename.endswith("/"):
                continue
            name = f"{where}/{entry.filename}"
            try:
                yield from _zip_entry(archive, entry, name, depth, budget)
            except Exception as error:  # damaged and encrypted members, too
                yield name, _reason(error)


def _zip_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, depth: int, budget: _Budget
) -> Iterator[tuple[str, bytes | str]]:
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ImageError("a symbolic link")
    if entry.compress_type not in _COMPRESSIONS:
        accepted = " and ".join(f"{number} ({word})" for number, word in _COMPRESSIONS.items())
        raise ImageError(f"compressed by method {entry.compress_type}; accepted: {accepted}")
    is_zip = entry.filename.lower().endswith(".zip") and depth < MAX_ZIP_DEPTH
    most = MAX_ZIP_SIZE if is_zip else MAX_SIZE
    # What the directory says may be wrong, so what comes is counted, too.
    if entry.file_size > most:
        raise ImageError(f"larger than {most // 1024} KiB")
    budget.spend(entry.compress_size)
    with archive.open(entry) as member:
        data = _limited(member, name, most)
    budget.spend(len(data))
    if is_zip:
        yield from _walk_zip(io.BytesIO(data), name, depth + 1, budget)
    else:
        yield name, _decompress(data, name) if data else "empty"


def _limited(file: _Readable, name: str, most: int = MAX_SIZE) -> bytes:
    data = bytearray()
    while len(data) <= most and (piece := file.read(min(most + 1 - len(data), _PIECE))):
        data += piece
    if len(data) > most:
        raise ImageError(f"{name} is larger than {most // 1024} KiB")
    return bytes(data)


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
