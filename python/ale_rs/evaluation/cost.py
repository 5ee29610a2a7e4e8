"""What a sweep will take on this machine, from a short measurement."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ale_rs.evaluation._status import duration
from ale_rs.evaluation.jobs import Checkpoint, Finished, Job, Tick, play
from ale_rs.evaluation.records import Episode

__all__ = ["Cost", "estimate_cost"]

LINE_BYTES = 165
"""A record of an episode, about."""


@dataclass(frozen=True)
class Cost:
    """What a sweep takes.

    Attributes:
        trials: trials to play.
        frames: frames of all of them; Crafter's are steps.
        exact: whether the protocol gives the frames; otherwise they come from the measured episodes.
        frames_per_second: of one worker, measured on the first trial.
        workers: workers that play at once.
        seconds: wall clock of the whole.
        memory_bytes: peak memory of one worker; `None` where the system does not tell.
        log_bytes: size of the logs, about.
        measured_seconds: how long was measured.
    """

    trials: int
    frames: int
    exact: bool
    frames_per_second: float
    workers: int
    seconds: float
    memory_bytes: int | None
    log_bytes: int
    measured_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The cost as a plain dict."""
        return dict(vars(self))

    def __str__(self) -> str:
        about = "" if self.exact else "about "
        parts = [
            f"{self.trials:,} trials, {about}{self.frames:,} frames",
            f"{self.frames_per_second:,.0f} frames/s a worker (measured for {self.measured_seconds:.1f} s)",
            f"{duration(self.seconds)} with {self.workers} worker{'s' * (self.workers != 1)}",
        ]
        if self.memory_bytes:
            parts.append(f"{self.memory_bytes / 1e6:,.0f} MB of memory a worker")
        parts.append(f"{self.log_bytes / 1e6:,.1f} MB of logs")
        return "; ".join(parts)


def estimate_cost(jobs: Sequence[Job], workers: int = 1, seconds: float = 10.0) -> Cost:
    """Play the beginning of the first job for some seconds and work out what all jobs take.

    Nothing is written. The first game stands for all: others may be slower or have longer episodes.
    """
    if not jobs:
        return Cost(0, 0, True, 0.0, workers, 0.0, None, 0, 0.0)
    began = time.perf_counter()
    lengths: list[int] = []
    running = 0
    for message in play(jobs[0]):
        if isinstance(message, Episode):
            lengths.append(message.frames)
            running = 0
        elif isinstance(message, Tick):
            running += message.frames
        elif isinstance(message, Finished):
            break
        if not isinstance(message, Checkpoint) and time.perf_counter() - began >= seconds:
            break
    took = time.perf_counter() - began
    speed = (sum(lengths) + running) / took
    rules = jobs[0].protocol
    cap = int(rules.env.get("max_num_frames_per_episode", rules.env.get("length", 10_000)))
    length = sum(lengths) / len(lengths) if lengths else float(cap)
    trained, tested = rules.budget.get("frames", 0), rules.score.get("episodes", 0)
    frames = trained + round(length * (tested + rules.budget.get("episodes", 0)))
    total = frames * len(jobs)
    return Cost(
        trials=len(jobs),
        frames=total,
        exact=frames == trained,
        frames_per_second=speed,
        workers=workers,
        seconds=total / max(speed, 1e-9) / min(workers, len(jobs)),
        memory_bytes=_peak_memory(),
        log_bytes=round(total / length * LINE_BYTES),
        measured_seconds=took,
    )


def _peak_memory() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
