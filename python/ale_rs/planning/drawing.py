"""A search tree as a picture."""

import itertools

import numpy as np
from numpy.typing import NDArray

from ale_rs.planning.planners import Tree

__all__ = ["draw"]

Picture = NDArray[np.uint8]

SCALE = 2
"""Drawn so many times larger and averaged, so that lines are smooth."""
MARGIN = 24
EDGE, PRUNED, BEST = (196, 200, 208), (168, 172, 180), (20, 20, 28)
LOW, HIGH = np.array([64, 120, 200.0]), np.array([220, 60, 40.0])
"""Colours of the lowest and the highest value."""


def draw(tree: Tree, width: int = 1200, height: int = 600) -> Picture:
    """A picture of a tree, the root on top: a level is a decision, a dot a state.

    Dots are blue where the value is low and red where it is high (for UCT the mean return), gray where the
    search did not go on; the black line follows the best children. Duplicates are left out.
    """
    if len(tree) == 0:
        raise ValueError("the tree is empty; call plan() first")
    x, y = _places(tree, width * SCALE, height * SCALE)
    picture = np.full((height * SCALE, width * SCALE, 3), 255, np.uint8)
    shown = np.flatnonzero(~tree.duplicate)
    for node in shown[shown > 0]:
        parent = tree.parent[node]
        _line(picture, x[parent], y[parent], x[node], y[node], EDGE, SCALE)
    value = tree.value / np.maximum(tree.visits, 1)
    line = _best_line(tree, value)
    for parent, node in itertools.pairwise(line):
        _line(picture, x[parent], y[parent], x[node], y[node], BEST, 2 * SCALE)
    finite = value[shown][np.isfinite(value[shown])]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    size = SCALE * (1 if len(shown) > 3000 else 2 if len(shown) > 300 else 4)
    for node in shown:
        colour: tuple[int, ...] = PRUNED
        if not tree.pruned[node] and np.isfinite(value[node]):
            share = (value[node] - low) / (high - low) if high > low else 0.0
            colour = tuple(int(part) for part in LOW + share * (HIGH - LOW))
        _dot(picture, x[node], y[node], colour, size)
    cells = picture.reshape(height, SCALE, width, SCALE, 3)
    smooth: Picture = cells.mean((1, 3)).round().astype(np.uint8)
    return smooth


def _places(tree: Tree, width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Leaves side by side in the order of actions; a parent above the middle of its children."""
    children: list[list[int]] = [[] for _ in range(len(tree))]
    for node in range(1, len(tree)):
        if not tree.duplicate[node]:
            children[tree.parent[node]].append(node)
    for siblings in children:
        siblings.sort(key=lambda node: int(tree.action[node]))
    across = np.zeros(len(tree))
    order, stack, leaves = [], [0], 0
    while stack:
        node = stack.pop()
        order.append(node)
        if not children[node]:
            across[node], leaves = leaves, leaves + 1
        stack.extend(reversed(children[node]))
    for node in reversed(order):
        if children[node]:
            across[node] = np.mean(across[children[node]])
    margin = MARGIN * SCALE
    columns = across / max(leaves - 1, 1) if leaves > 1 else np.full(len(tree), 0.5)
    rows = tree.depth / max(int(tree.depth.max()), 1)
    x = margin + columns * (width - 2 * margin)
    y = margin + rows * (height - 2 * margin)
    return x.astype(np.int64), y.astype(np.int64)


def _best_line(tree: Tree, value: NDArray[np.float64]) -> list[int]:
    line = [0]
    while True:
        below = np.flatnonzero((tree.parent == line[-1]) & ~tree.duplicate)
        below = below[below > 0]
        if not len(below):
            return line
        by = tree.visits[below] if tree.visits[0] else value[below]
        line.append(int(below[np.argmax(by)]))


def _line(picture: Picture, x0: int, y0: int, x1: int, y1: int, colour: tuple[int, ...], width: int) -> None:
    steps = int(max(abs(x1 - x0), abs(y1 - y0), 1)) + 1
    x, y = np.linspace(x0, x1, steps).astype(int), np.linspace(y0, y1, steps).astype(int)
    for dx in range(width):
        for dy in range(width):
            picture[np.clip(y + dy - width // 2, 0, None), np.clip(x + dx - width // 2, 0, None)] = colour


def _dot(picture: Picture, x: int, y: int, colour: tuple[int, ...], size: int) -> None:
    rows, columns = np.ogrid[-size : size + 1, -size : size + 1]
    inside = rows**2 + columns**2 <= size**2
    picture[y - size : y + size + 1, x - size : x + size + 1][inside] = colour
