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


class Progress:
    """The bar for work that reports how far it has come: `bar.update(n)` inside a `with` statement."""

    def __init__(self, steps: int, text: str, out: TextIO | None = None, enabled: bool = True) -> None:
        self.steps = steps
        self.text = text
        self.out = sys.stderr if out is None else out
        self.enabled = enabled and self.out.isatty()
        self.start = time.monotonic()
        self.drawn = 0.0

    def __enter__(self) -> "Progress":
        return self

    def update(self, step: int, note: str = "") -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        if self.enabled and now - self.drawn > 0.1:
            self.drawn = now
            print(f"\r{self._line(step)} {note}\033[K", end="", file=self.out, flush=True)

    def _line(self, step: int) -> str:
        return f"{self.text} {bar(min(step, self.steps), self.steps)} {time.monotonic() - self.start:5.1f} s"

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.enabled:
            print(f"\r{self._line(self.steps)}\033[K" if kind is None else "", file=self.out, flush=True)
