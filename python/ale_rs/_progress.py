"""A progress bar of one line, for people only: nothing is drawn when the output is no terminal."""

import sys
import time
from collections.abc import Iterator
from typing import TextIO

WIDTH = 30
"""Length of the bar in characters."""


def progress(steps: int, text: str, out: TextIO | None = None) -> Iterator[int]:
    """Count from 0 to `steps` and draw how far the loop around it has come."""
    out = sys.stderr if out is None else out
    if not out.isatty():
        yield from range(steps)
        return
    drawn = start = time.monotonic()
    for step in range(steps):
        now = time.monotonic()
        if now - drawn > 0.1:
            drawn = now
            print(f"\r{text} {bar(step, steps)} {now - start:5.1f} s", end="", file=out, flush=True)
        yield step
    print(f"\r{text} {bar(steps, steps)} {time.monotonic() - start:5.1f} s", file=out, flush=True)


def bar(step: int, steps: int) -> str:
    """The bar alone: `[#####-----]  50 %`."""
    filled = WIDTH * step // max(steps, 1)
    return f"[{'#' * filled}{'-' * (WIDTH - filled)}] {100 * step // max(steps, 1):3} %"
