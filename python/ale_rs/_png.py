"""Pictures as PNG files, with nothing but zlib."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ale_rs import _letters

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 4096
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel, by colour type."""


def encode(picture: NDArray[np.uint8]) -> bytes:
    """A PNG file from a picture: `(height, width)` is gray, `(height, width, 3)` is RGB.

    Raises:
        ValueError: another shape or dtype.
    """
    gray = picture.ndim == 2
    if picture.dtype != np.uint8 or not (gray or (picture.ndim == 3 and picture.shape[2] == 3)):
        raise ValueError(
            f"a picture of {picture.dtype} {picture.shape}; "
            "accepted: uint8 (height, width) or (height, width, 3)"
        )
    height, width = picture.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if gray else 2, 0, 0, 0)
    # Each line starts with the number of its filter; 0 is none.
    lines = np.zeros((height, 1 + picture[0].size), np.uint8) if height else np.zeros((0, 1), np.uint8)
    lines[:, 1:] = picture.reshape(height, -1)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(lines.tobytes())),
            _chunk(b"IEND", b""),
        )
    )


def save(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write a picture to a file."""
    path.write_bytes(encode(picture))


def tile(
    pictures: list[NDArray[np.uint8]], columns: int, gap: int = 4, names: list[str] | None = None
) -> NDArray[np.uint8]:
    """One RGB picture with all of them in rows, each cell as large as the largest, with its name below."""
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    rows = -(-len(pictures) // columns)
    below = 0 if names is None else _letters.HEIGHT + 2
    cell = height + below + gap
    sheet = np.full((rows * cell + gap, columns * (width + gap) + gap, 3), 32, np.uint8)
    for index, picture in enumerate(pictures):
        top = gap + index // columns * cell
        left = gap + index % columns * (width + gap)
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
        if names is not None:
            line = sheet[top + height + 2 :][: _letters.HEIGHT, left : left + width]
            line[_letters.written(names[index], width)] = 200
    return sheet


def decode(data: bytes) -> NDArray[np.uint8]:
    """The picture in a PNG file as RGBA, `(height, width, 4)`.

    Every colour type and depth is read; of 16 bits the upper 8 count.

    Raises:
        ValueError: the file is broken, interlaced, or larger than 4096 pixels along a side.
    """
    if not data.startswith(SIGNATURE):
        raise ValueError("no PNG file")
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise ValueError("a PNG file without a header")
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise ValueError(f"{width} x {height} pixels; accepted: 1 to {MAX_SIDE} along a side")
    if interlaced or depth not in (1, 2, 4, 8, 16) or kind not in CHANNELS:
        raise ValueError(
            f"a PNG file of colour type {kind}, depth {depth}, interlacing {interlaced}; "
            "accepted: types 0, 2, 3, 4, 6 without interlacing"
        )
    parts = {name: content for name, content in chunks if name in (b"PLTE", b"tRNS")}
    rows = _rows(b"".join(content for name, content in chunks if name == b"IDAT"), width, height, depth, kind)
    return _rgba(rows, depth, kind, parts)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        length = struct.unpack_from(">I", data, at)[0]
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if data[at + 8 + length : at + 12 + length] != struct.pack(">I", zlib.crc32(kind + content)):
            raise ValueError("a broken PNG file: a checksum is wrong")
        yield kind, content
        at += 12 + length


def _rows(packed: bytes, width: int, height: int, depth: int, kind: int) -> NDArray[np.uint8]:
    """The samples without filters, `(height, width, channels)`, one byte each; 16 bits keep the upper 8."""
    channels = CHANNELS[kind]
    line = (width * channels * depth + 7) // 8
    step = max(1, channels * depth // 8)
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, (line + 1) * height)
    except zlib.error as error:
        raise ValueError(f"a broken PNG file: {error}") from error
    if len(raw) != (line + 1) * height:
        raise ValueError("a broken PNG file: rows are missing")
    lines = np.frombuffer(raw, np.uint8).reshape(height, line + 1)
    out = np.zeros((height, line), np.uint8)
    above = bytes(line)
    for row, (number, *coded) in zip(out, lines.tolist(), strict=True):
        current = _unfilter(number, coded, above, step)
        row[:] = np.frombuffer(current, np.uint8)
        above = current
    if depth < 8:
        bits = np.unpackbits(out, axis=1).reshape(height, -1, depth)
        values = (bits * (1 << np.arange(depth)[::-1])).sum(2).astype(np.uint8)
        unpacked: NDArray[np.uint8] = values[:, : width * channels].reshape(height, width, channels)
        return unpacked
    samples: NDArray[np.uint8] = out.reshape(height, width, channels, depth // 8)[..., 0]
    return samples


def _unfilter(number: int, coded: list[int], above: bytes, step: int) -> bytes:
    row = bytearray(coded)
    for i, up in enumerate(above):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        match number:
            case 0:
                return bytes(row)
            case 1:
                guess = left
            case 2:
                guess = up
            case 3:
                guess = (left + up) // 2
            case 4:
                estimate = left + up - corner
                guess = min((left, up, corner), key=lambda value: abs(estimate - value))
            case _:
                raise ValueError(f"a broken PNG file: filter {number}")
        row[i] = (row[i] + guess) & 255
    return bytes(row)


def _rgba(rows: NDArray[np.uint8], depth: int, kind: int, parts: dict[bytes, bytes]) -> NDArray[np.uint8]:
    height, width, _ = rows.shape
    alpha = np.full((height, width, 1), 255, np.uint8)
    if kind == 3:
        palette = np.zeros((256, 4), np.uint8)
        palette[:, 3] = 255
        colours = np.frombuffer(parts.get(b"PLTE", b""), np.uint8)
        palette[: len(colours) // 3, :3] = colours[: len(colours) // 3 * 3].reshape(-1, 3)[:256]
        clear = np.frombuffer(parts.get(b"tRNS", b""), np.uint8)[:256]
        palette[: len(clear), 3] = clear
        coloured: NDArray[np.uint8] = palette[rows[..., 0]]
        return coloured
    if kind in (0, 4):
        gray = rows[..., :1] if depth >= 8 else rows[..., :1] * np.uint8(255 // ((1 << depth) - 1))
        colour = np.repeat(gray, 3, 2)
        return np.concatenate((colour, rows[..., 1:2] if kind == 4 else alpha), 2)
    return np.ascontiguousarray(rows if kind == 6 else np.concatenate((rows, alpha), 2))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
