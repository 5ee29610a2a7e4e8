"""Tables of text: columns as wide as needed, numbers to the right."""

from collections.abc import Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table with a head; the first `left` columns are text, the others stand to the right.

    >>> print(table(["game", "mean"], [["pong", "-20.7"], ["breakout", "1.5"]]))
    game       mean
    pong      -20.7
    breakout    1.5
    """
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            f"{cell:<{width}}" if column < left else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
