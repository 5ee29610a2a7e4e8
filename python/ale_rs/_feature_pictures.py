"""Pictures of features: tiles, blobs, objects over a screen, offsets and bits beside it."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native, _png

if TYPE_CHECKING:
    from ale_rs.features import Disco, FeatureSet

Picture = NDArray[np.uint8]

SCALE: Final = 4
"""Pixels of the picture for one of the screen."""
ROWS, COLUMNS = 210, 160
TILE: Final = (15, 10)
BLOB_TILE: Final = (7, 4)
PAPER: Final = 24
"""Gray of the ground beside the screen."""
GAP: Final = 8
PANEL: Final = 320
"""Width of what is drawn beside the screen."""
CLASSES: Final = (
    (255, 80, 80), (90, 200, 255), (255, 220, 70), (120, 255, 120), (255, 130, 255),
    (255, 160, 60), (150, 150, 255), (90, 255, 220), (230, 230, 230), (190, 150, 110),
)  # fmt: skip


@cache
def palette() -> Picture:
    """Red, green and blue of the 256 palette indices (NTSC)."""
    return np.frombuffer(_native.ntsc_palette(), np.uint8).reshape(256, 3)


def draw(fs: "FeatureSet", screen_or_ram: NDArray[np.uint8], path: str | os.PathLike[str]) -> None:
    """Call a set and draw the features that are on, as a PNG file.

    Over the screen: tiles with their colours (Basic, BASS, B-PROS, B-PROST), blobs with the tiles of their
    middles (Blob-PROST), objects with their velocities (DISCO). Beside it: how many pairs of colours have
    each offset, in space above and in time below, with no offset in the middle; the shapes of DISCO's
    classes. RAM is a table of bits, LSH a table of hashes.

    The set is called as with `fs(screen)`: the screen becomes the previous one of the next call.

    Args:
        fs: the set.
        screen_or_ram: what the set looks at.
        path: the file to write.
    """
    _png.save(Path(path), picture(fs, screen_or_ram)[0])


def picture(fs: "FeatureSet", screen_or_ram: NDArray[np.uint8]) -> tuple[Picture, NDArray[np.uint32]]:
    """What `draw` writes, and the features that are on."""
    indices = fs(screen_or_ram)
    return _picture(fs, screen_or_ram, indices), indices


def _picture(fs: "FeatureSet", screen_or_ram: NDArray[np.uint8], indices: NDArray[np.uint32]) -> Picture:
    facts = [fs.describe(int(index)) for index in indices] if fs.name not in ("bass", "ram", "disco") else []
    match fs.name:
        case "ram":
            return bits(screen_or_ram)
        case "lsh":
            return beside(enlarged(screen_or_ram), [hashes(facts)])
        case "disco":
            return objects(fs, screen_or_ram)  # type: ignore[arg-type]
        case "blob-prost":
            return beside(blobs(fs, screen_or_ram), offsets(facts, 30, 40))
        case "bass":
            # Pairs of tiles are what the tiles say already; they come after them.
            facts = [fs.describe(int(index)) for index in indices if index < 14 * 16 * 8]
    panels = offsets(facts, 14, 16) if fs.name in ("b-pros", "b-prost") else []
    return beside(tiles(screen_or_ram, facts), panels)


def enlarged(screen: Picture) -> Picture:
    """The upper 210 rows of a screen in colours, each pixel as a square."""
    colours: Picture = palette()[screen[:ROWS]]
    return colours.repeat(SCALE, 0).repeat(SCALE, 1)


def dimmed(canvas: Picture, share: float) -> Picture:
    """The same picture, darker."""
    return (canvas * share).astype(np.uint8)


def frame(canvas: Picture, box: tuple[int, int, int, int], colour: Any, width: int = 2) -> None:
    """The outline of a box: first column, first row, width, height in pixels of the canvas."""
    left, top, across, down = box
    part = canvas[top : top + down, left : left + across]
    part[:width] = part[-width:] = colour
    part[:, :width] = part[:, -width:] = colour


def line(canvas: Picture, start: tuple[int, int], end: tuple[int, int], colour: Any) -> None:
    """A straight line between two points, each a column and a row."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1) + 1
    x = np.linspace(start[0], end[0], steps).round().astype(int)
    y = np.linspace(start[1], end[1], steps).round().astype(int)
    for shift in (0, 1):
        canvas[np.clip(y + shift, 0, len(canvas) - 1), np.clip(x, 0, canvas.shape[1] - 1)] = colour
        canvas[np.clip(y, 0, len(canvas) - 1), np.clip(x + shift, 0, canvas.shape[1] - 1)] = colour


def tiles(screen: Picture, facts: Iterable[tuple[Any, ...]]) -> Picture:
    """Tiles that show something bright, with a square for each of their colours."""
    full = enlarged(screen)
    canvas = dimmed(full, 0.3)
    height, width = TILE[0] * SCALE, TILE[1] * SCALE
    colours: dict[tuple[int, int], list[int]] = {}
    for kind, *numbers in facts:
        if kind == "basic":
            colour, row, column = numbers
            colours.setdefault((row, column), []).append(colour)
    for (row, column), shown in colours.items():
        top, left = row * height, column * width
        canvas[top : top + height, left : left + width] = full[top : top + height, left : left + width]
        frame(canvas, (left, top, width, height), (110, 110, 110), 1)
        for number, colour in enumerate(sorted(shown)[:15]):
            x, y = left + 3 + number % 3 * 12, top + 3 + number // 3 * 11
            frame(canvas, (x, y, 10, 9), (255, 255, 255), 5)
            canvas[y + 1 : y + 8, x + 1 : x + 9] = palette()[2 * colour]
    return canvas


def blobs(fs: "FeatureSet", screen: Picture) -> Picture:
    """The box of every blob in its colour, and the tile of its middle."""
    canvas = dimmed(enlarged(screen), 0.45)
    found = fs._native.boxes(np.ascontiguousarray(screen))
    for colour, left, top, width, height, _, _ in sorted(found, key=lambda box: -box[3] * box[4]):
        shade = np.maximum(palette()[2 * colour], 70)
        frame(canvas, (left * SCALE, top * SCALE, width * SCALE, height * SCALE), shade)
    for colour, left, top, width, height, _, _ in found:
        row = (2 * top + height - 1) // 2 // BLOB_TILE[0] * BLOB_TILE[0] * SCALE
        column = (2 * left + width - 1) // 2 // BLOB_TILE[1] * BLOB_TILE[1] * SCALE
        box = (column, row, BLOB_TILE[1] * SCALE, BLOB_TILE[0] * SCALE)
        canvas[row : row + box[3], column : column + box[2]] = palette()[2 * colour]
        frame(canvas, box, (255, 255, 255), 1)
    return canvas


def objects(fs: "Disco", screen: Picture) -> Picture:
    """A box around every object in its class's colour, its velocity as a line, and the classes' shapes."""
    canvas = dimmed(enlarged(screen), 0.45)
    for number, left, top, width, height, dx, dy in fs._native.boxes(np.ascontiguousarray(screen)):
        colour = CLASSES[number]
        x, y = left + width // 2, top + height // 2
        frame(canvas, (left * SCALE, top * SCALE, width * SCALE, height * SCALE), colour)
        line(canvas, (x * SCALE, y * SCALE), ((x + 4 * dx) * SCALE, (y + 4 * dy) * SCALE), colour)
    panel = np.full((ROWS * SCALE, PANEL, 3), PAPER, np.uint8)
    y = GAP
    for number, shapes in enumerate(fs.classes):
        x, tallest = GAP, 0
        for shape in shapes[:8]:
            zoom = 2 if max(shape.shape) <= 40 else 1
            mask = shape.repeat(zoom, 0).repeat(zoom, 1)
            height, width = mask.shape
            if x + width > PANEL or y + height > len(panel):
                continue
            panel[y : y + height, x : x + width][mask] = CLASSES[number]
            x, tallest = x + width + GAP, max(tallest, height)
        y += tallest + 2 * GAP
    return beside(canvas, [panel])


def offsets(facts: Iterable[tuple[Any, ...]], rows: int, columns: int) -> list[Picture]:
    """For space and time a map: the brighter, the more pairs of colours have the offset."""
    counts = {kind: np.zeros((2 * rows - 1, 2 * columns - 1)) for kind in ("space", "time")}
    for kind, *numbers in facts:
        if kind in counts:
            _, _, down, right = numbers
            counts[kind][down + rows - 1, right + columns - 1] += 1
    panels = []
    for table in counts.values():
        if not table.any():
            continue
        share = np.log1p(table) / np.log1p(table.max())
        shades = (np.stack((share**1.5, share, 0.25 + 0.5 * share), 2) * 255).clip(0, 255)
        shades[table == 0] = (PAPER + 8, PAPER + 8, PAPER + 8)
        zoom = PANEL // table.shape[1]
        panel = shades.astype(np.uint8).repeat(zoom, 0).repeat(zoom, 1)
        frame(panel, ((columns - 1) * zoom, (rows - 1) * zoom, zoom, zoom), (255, 60, 60), 1)
        panels.append(panel)
    return panels


def hashes(facts: Iterable[tuple[Any, ...]]) -> Picture:
    """The value of each of the 2,000 hashes as a shade, 40 in a row."""
    values = np.zeros(2000)
    for _, number, value in facts:
        values[number] = value
    share = values.reshape(50, 40, 1) / 49
    shades = np.concatenate((share, share**0.6, 0.3 + 0.4 * share), 2) * 255
    return shades.astype(np.uint8).repeat(PANEL // 40, 0).repeat(PANEL // 40, 1)


def bits(ram: Picture) -> Picture:
    """128 bytes, eight in a row; a bit that is on is bright, the highest one is on the left."""
    cell, byte = 12, 8 * 12 + GAP
    canvas = np.full((16 * (cell + 6) + GAP, 8 * byte + GAP, 3), PAPER, np.uint8)
    for number, value in enumerate(ram.tolist()):
        top, left = GAP + number // 8 * (cell + 6), GAP + number % 8 * byte
        for bit in range(8):
            x = left + (7 - bit) * cell
            shade = (250, 210, 90) if value >> bit & 1 else (52, 52, 60)
            canvas[top : top + cell, x : x + cell - 2] = shade
    return canvas


def beside(left: Picture, panels: list[Picture]) -> Picture:
    """The panels one below the other at the right of a picture."""
    if not panels:
        return left
    column = np.full((len(left), PANEL + 2 * GAP, 3), PAPER, np.uint8)
    top = GAP
    for panel in panels:
        part = panel[: len(left) - top]
        column[top : top + part.shape[0], GAP : GAP + part.shape[1]] = part
        top += part.shape[0] + GAP
    return np.concatenate((left, column), 1)
