"""Pictures as PNG files."""

import struct
import zlib

import numpy as np
import pytest
from numpy.typing import NDArray

from ale_rs import _png


def decode(data: bytes) -> NDArray[np.uint8]:
    """The simplest reader that can read our files: one IDAT chunk, no filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, rest) == (8, [0, 0, 0])
    channels = {0: 1, 2: 3}[color]
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width * channels)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape((height, width) if channels == 1 else (height, width, 3))


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (3, 5, 3), (210, 160, 3)])
def test_what_is_written_can_be_read(shape: tuple[int, ...]) -> None:
    picture = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    assert np.array_equal(decode(_png.encode(picture)), picture)


@pytest.mark.parametrize("picture", [np.zeros((2, 2)), np.zeros((2, 2, 4), np.uint8), np.zeros(4, np.uint8)])
def test_other_arrays_are_refused(picture: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="accepted: uint8"):
        _png.encode(picture)


def test_tiles_stand_in_rows() -> None:
    pictures = [np.full((2, 3, 3), value, np.uint8) for value in (100, 150, 200)]
    sheet = _png.tile(pictures, columns=2, gap=1)
    assert sheet.shape == (7, 9, 3)
    assert sheet[..., 0].tolist() == [
        [32] * 9,
        [32, 100, 100, 100, 32, 150, 150, 150, 32],
        [32, 100, 100, 100, 32, 150, 150, 150, 32],
        [32] * 9,
        [32, 200, 200, 200, 32, 32, 32, 32, 32],
        [32, 200, 200, 200, 32, 32, 32, 32, 32],
        [32] * 9,
    ]
