"""Writing pictures as PNG files, with nothing but zlib."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


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
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(lines.tobytes())),
            _chunk(b"IEND", b""),
        )
    )


def save(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write a picture to a file."""
    path.write_bytes(encode(picture))


def tile(pictures: list[NDArray[np.uint8]], columns: int, gap: int = 4) -> NDArray[np.uint8]:
    """One RGB picture with all of them in rows, each cell as large as the largest."""
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * (height + gap) + gap, columns * (width + gap) + gap, 3), 32, np.uint8)
    for index, picture in enumerate(pictures):
        top = gap + index // columns * (height + gap)
        left = gap + index % columns * (width + gap)
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return sheet


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
