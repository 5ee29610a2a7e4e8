"""Progress of a sweep: a line per running trial on a terminal, a plain line per minute elsewhere."""

import sys
import time
from typing import TextIO

from ale_rs.evaluation.jobs import Job

__all__ = ["Status", "duration"]

REDRAW_SECONDS = 0.5
PLAIN_SECONDS = 60.0


def duration(seconds: float) -> str:
    """A time span for people.

    >>> duration(42), duration(600), duration(7_500), duration(200_000)
    ('42 s', '10 min', '2.1 h', '2.3 days')
    """
    for limit, unit, name in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.1f} {name}" if unit == 3_600 else f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86_400:,.1f} days"


class Status:
    """What a sweep shows while it runs.

    Args:
        jobs: how many trials there are to play.
        quiet: show nothing.
        out: where to; by default standard error.
    """

    def __init__(self, jobs: int, quiet: bool = False, out: TextIO | None = None) -> None:
        self.out = sys.stderr if out is None else out
        self.quiet, self.jobs = quiet, jobs
        self.terminal = self.out.isatty()
        self.done = 0
        self.frames = 0
        self.began = self.shown = time.monotonic()
        self._running: dict[Job, _Trial] = {}
        self._drawn = 0

    def begin(self, job: Job, frames: int, share: float) -> None:
        """A trial starts, perhaps in the middle."""
        self._running[job] = _Trial(frames, share, time.monotonic())

    def advance(self, job: Job, frames: int, share: float) -> None:
        """A trial has played frames and done this share of its budget."""
        trial = self._running[job]
        trial.frames += frames
        trial.share = share
        self.frames += frames
        self.show()

    def finish(self, job: Job) -> None:
        """A trial is over."""
        self._running.pop(job, None)
        self.done += 1

    def show(self, last: bool = False) -> None:
        """Draw, if it is time to."""
        now = time.monotonic()
        if self.quiet or (
            now - self.shown < (REDRAW_SECONDS if self.terminal else PLAIN_SECONDS) and not last
        ):
            return
        self.shown = now
        if not self.terminal:
            print(self._whole(now), file=self.out, flush=True)
            return
        lines = [trial.line(job, now) for job, trial in self._running.items()] + [self._whole(now)]
        up = f"\033[{self._drawn}F" if self._drawn else "\r"
        print(up + "".join(f"{line}\033[K\n" for line in lines) + "\033[J", end="", file=self.out, flush=True)
        self._drawn = len(lines)

    def close(self) -> None:
        """Draw a last time, if anything was drawn or there is a terminal."""
        if self.terminal and self.jobs:
            self.show(last=True)

    def _whole(self, now: float) -> str:
        took = max(now - self.began, 1e-9)
        share = (self.done + sum(trial.share - trial.first for trial in self._running.values())) / self.jobs
        left = f", {duration(took / share - took)} left" if share > 0.001 and self.done < self.jobs else ""
        speed = f"{self.frames / took:,.0f} frames/s"
        return f"{self.done} of {self.jobs} trials, {100 * share:.1f} %, {speed}{left}"


class _Trial:
    """A trial that runs."""

    def __init__(self, frames: int, share: float, began: float) -> None:
        self.start, self.frames, self.began = frames, frames, began
        self.first = self.share = share

    def line(self, job: Job, now: float) -> str:
        took = max(now - self.began, 1e-9)
        made = self.share - self.first
        left = f", {duration(took * (1 - self.share) / made)} left" if made > 0.001 else ""
        speed = (self.frames - self.start) / took
        name = f"{job.agent.name} {job.task.name} s{job.seed}"
        return f"  {name:40} {100 * self.share:5.1f} %  {speed:10,.0f} frames/s{left}"
