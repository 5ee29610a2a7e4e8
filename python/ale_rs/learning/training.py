"""`train`: trials side by side, each in a thread of its own, with run logs and checkpoints."""

import contextlib
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ale_rs._arguments import integer
from ale_rs._progress import Progress
from ale_rs.evaluation import Episode, LogError, Protocol, RunLog, Writer, read
from ale_rs.learning.trial import CheckpointError, Trial

__all__ = ["train"]

CHECKPOINT_SECONDS = 300.0
"""Between two checkpoints unless something else is asked for."""
LAST = 100
"""Episodes of the mean that progress shows."""


def train(
    agent: str,
    game: str,
    *,
    features: str | None = None,
    protocol: str | Path | Protocol = "machado2018",
    frames: int | None = None,
    seeds: Iterable[int] = (0,),
    threads: int = 0,
    progress: bool = True,
    out: str | os.PathLike[str] | None = None,
    checkpoint: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    mode: int | None = None,
    difficulty: int = 0,
) -> list[RunLog]:
    """Play whole trials of an agent in a game, one for each seed, side by side.

    With `out` every trial writes its run log and, beside it, a checkpoint. A trial that was interrupted goes
    on from its checkpoint, and its log has the same bytes as without the interruption. A finished one is not
    played again.

    >>> trials = train("random", "glowdelve", frames=2000, seeds=(0, 1), progress=False)
    >>> [trial.run.seed for trial in trials]
    [0, 1]

    Args:
        agent: `"sarsa"`, `"brute"`, `"random"`, `"const:FIRE"`, `"perturb:FIRE"`.
        game: id of the game.
        features: the set of features of `"sarsa"`, such as `"blob-prost"`.
        protocol: name or path of a protocol, or a `Protocol`.
        frames: frames of training instead of the protocol's budget; the episode that crosses is finished.
        seeds: numbers of the trials.
        threads: trials at a time; 0 for one for each core.
        progress: draw a progress bar when the output is a terminal.
        out: the directory of runs; nothing is written if `None`.
        checkpoint: seconds between checkpoints; 300 if `None`, only when stopped if 0. No result changes.
        parameters: parameters of the agent that differ from the papers'.
        mode: mode of the game; its default if `None`.
        difficulty: difficulty of the game.

    Returns:
        the run log of each trial, in the order of the seeds.

    Raises:
        ValueError: an unknown name, or a combination that makes no sense.
        CheckpointError: the checkpoint beside an unfinished log is of another trial or version.
        KeyboardInterrupt: Ctrl-C; running episodes are finished, and every trial has written its checkpoint.
    """
    numbers = [integer("seed", seed, 0) for seed in seeds]
    if len(set(numbers)) < len(numbers) or not numbers:
        raise ValueError(f"seeds are {numbers}; accepted: different numbers, at least one")
    integer("threads", threads, 0)
    pause = CHECKPOINT_SECONDS if checkpoint is None else float(checkpoint)
    if not 0 <= pause < math.inf:
        raise ValueError(f"checkpoint is {checkpoint}; accepted: seconds, 0 and more")

    def make(seed: int) -> _Job:
        trial = Trial(
            agent, game, features=features, protocol=protocol, seed=seed, frames=frames, mode=mode,
            difficulty=difficulty, parameters=parameters,
        )  # fmt: skip
        return _Job(trial, None if out is None else Path(out).expanduser(), pause)

    with contextlib.ExitStack() as stack:
        jobs = [stack.enter_context(make(seed)) for seed in numbers]
        _run_all(jobs, threads or os.cpu_count() or 1, progress, f"{jobs[0].trial.name} {game}")
        for job in jobs:
            job.warn_if_full()
        return [job.log() for job in jobs]


class _Job:
    """A trial with its log and its checkpoint."""

    def __init__(self, trial: Trial, out: Path | None, pause: float) -> None:
        self.trial = trial
        self.pause = pause or math.inf
        self.episodes: list[Episode] = []
        self.steps = 0
        self.writer: Writer | None = None
        self.checkpoint: Path | None = None
        if out is not None:
            self._resume(out)

    def _resume(self, out: Path) -> None:
        path = out / self.trial.run_record.path
        self.checkpoint = path.with_suffix(".checkpoint")
        if path.exists() and path.stat().st_size and read(path).complete:
            self.checkpoint = None
        loaded = self.checkpoint is not None and self.checkpoint.exists()
        if loaded and self.checkpoint is not None:
            self.trial.load(self.checkpoint)
        self.writer = Writer(out, self.trial.run_record)
        if self.writer.complete:
            self._check_budget()
        elif self.trial.episodes > len(self.writer.episodes):
            found = len(self.writer.episodes)
            self.writer.close()
            raise CheckpointError(
                f"{self.checkpoint}: has seen {self.trial.episodes} episodes, and the log beside it has "
                f"{found}; remove the checkpoint to begin anew"
            )
        else:
            self.writer.keep(self.trial.episodes)
        self.episodes = list(self.writer.episodes)

    def _check_budget(self) -> None:
        """A finished log is the answer only to the question that it was made for."""
        assert self.writer is not None
        for phase in self.trial.phases:
            played = [episode for episode in self.writer.episodes if episode.phase == phase.name]
            frames = played[-1].total_frames if played else 0
            if (phase.frames or 0) > frames or (phase.episodes or 0) > len(played):
                self.writer.close()
                wanted = f"{phase.frames} frames" if phase.frames else f"{phase.episodes} episodes"
                raise LogError(
                    f"{self.writer.path}: is complete with {len(played)} episodes and {frames} frames of "
                    f"{phase.name}; {wanted} need another directory"
                )
            phase.played_frames, phase.played_episodes = frames, len(played)

    def __enter__(self) -> "_Job":
        return self

    def __exit__(self, *_: object) -> None:
        if self.writer is not None:
            self.writer.close()

    def run(self) -> None:
        """Play to the end, or until the trial is asked to stop."""
        if self.writer is not None and self.writer.complete:
            return
        while not self.trial.done and not self.trial.stopped:
            due = time.monotonic() + self.pause
            self.trial.run(self._add, until=lambda due=due: time.monotonic() >= due)  # type: ignore[misc]
            if self.checkpoint is not None and not self.trial.done:
                self.trial.save(self.checkpoint)
        if self.trial.done and self.writer is not None:
            self.writer.end("budget")
            if self.checkpoint is not None:
                self.checkpoint.unlink(missing_ok=True)

    def _add(self, episode: Episode) -> None:
        self.episodes.append(episode)
        self.steps += episode.steps
        if self.writer is not None:
            self.writer.append(episode)

    def warn_if_full(self) -> None:
        """Say that the Brute's tree stopped growing before the trial was over."""
        histories, full = self.trial.size
        if full:
            warnings.warn(
                f"{self.trial.name}, seed {self.trial.seed}: the tree has reached max_nodes = {histories:,} "
                "and grew no further; a larger max_nodes takes 64 bytes for each history",
                stacklevel=3,
            )

    def log(self) -> RunLog:
        """What was played."""
        if self.writer is not None:
            return read(self.writer.path)
        return RunLog(self.trial.run_record, tuple(self.episodes))


def _run_all(jobs: list[_Job], threads: int, progress: bool, text: str) -> None:
    """Run the trials and draw how far they are; Ctrl-C stops them after their episodes."""
    measure, total = _work(jobs)
    start = time.monotonic()
    with Progress(total, text, enabled=progress) as bar, ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(job.run) for job in jobs]
        try:
            while not all(future.done() for future in futures):
                finished, _ = wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION)
                bar.update(measure(), _note(jobs, measure() / max(total, 1), time.monotonic() - start))
                if any(future.exception() for future in finished):
                    break
        except KeyboardInterrupt:
            _stop(jobs, futures, bar)
            raise
        finally:
            for job in jobs:
                job.trial.stop()
        for future in futures:
            future.result()


def _stop(jobs: list[_Job], futures: list["Future[None]"], bar: Progress) -> None:
    """Let every running episode end, so that its trial can be saved."""
    for job in jobs:
        job.trial.stop()
    for future in futures:
        future.cancel()
    bar.update(0, "finishing the running episodes, then checkpoints are written")
    wait([future for future in futures if not future.cancelled()])


def _work(jobs: list[_Job]) -> tuple[Callable[[], int], int]:
    """What progress counts: frames, or episodes where these are the budget; and how many there are."""
    phases = [phase for job in jobs for phase in job.trial.phases]
    if all(phase.frames is not None for phase in phases):
        return lambda: sum(phase.played_frames for phase in phases), sum(
            phase.frames or 0 for phase in phases
        )
    return lambda: sum(phase.played_episodes for phase in phases), sum(
        phase.episodes or 0 for phase in phases
    )


def _note(jobs: list[_Job], share: float, seconds: float) -> str:
    """Episodes, mean of the last ones, decisions per second, seconds to go."""
    episodes = sum(len(job.episodes) for job in jobs)
    last = [episode.score for job in jobs for episode in job.episodes[-LAST:]]
    mean = f"{math.fsum(last) / len(last):.1f}" if last else "-"
    speed = sum(job.steps for job in jobs) / max(seconds, 1e-9)
    left = f", {seconds / share - seconds:,.0f} s to go" if 0 < share < 1 else ""
    return f"{episodes:,} episodes, last {LAST}: {mean}, {speed:,.0f} decisions/s{left}"
