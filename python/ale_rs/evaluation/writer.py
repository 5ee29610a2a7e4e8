"""Writing a run log so that it survives being killed at any moment."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from ale_rs.evaluation._lock import lock
from ale_rs.evaluation.logfile import LogError, Order, Problem, RunLog, parse
from ale_rs.evaluation.records import End, Episode, Run, line_of

__all__ = ["PARTIAL", "Writer"]

PARTIAL = ".partial"
"""Added to the name of a log: the records that a restarted trial had before."""


class Writer:
    """Appends the records of one trial, each as a whole line in one write.

    An unfinished log of the same run is continued: `log.episodes` holds what is there. A finished one is left
    alone: `log.complete` is true, and every further record is refused.

    Args:
        root: the directory of runs.
        run: the first line; a log that is there must have exactly this one.
        keep: how many episodes of an unfinished log to keep (all by default). An agent that goes on from its
            checkpoint keeps as many as the checkpoint has seen; one without a checkpoint keeps none. What is
            cut off goes to a file `.partial`, which is removed once the finished log holds it again.

    Raises:
        LogError: the log belongs to another run, is wrong, or another process writes it.
    """

    def __init__(self, root: str | os.PathLike[str], run: Run, *, keep: int | None = None) -> None:
        run.check()
        self.run = run
        self.path = Path(root).expanduser() / run.path
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b", buffering=0)
        try:
            if not lock(self._file):
                raise LogError(f"{self.path}:0: another process is writing this log")
            log = self._recover()
        except BaseException:
            self._file.close()
            raise
        self.episodes: list[Episode] = list(log.episodes)
        self.complete = log.complete
        self._order = Order()
        for episode in self.episodes:
            self._order.episode(episode, run.num_envs)
        if self.complete:  # a kill between the last line and the removal of the partial file leaves it behind
            remove_partial(self.path)
        elif keep is not None:
            self.keep(keep)

    def _recover(self) -> RunLog:
        """Cut a half-written line off, write the first line if there is none, and read the log."""
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self._file.truncate(len(whole))
        if not whole:
            self._write(line_of(self.run))
            return RunLog(self.run, ())

        def refuse(problem: Problem) -> None:
            raise LogError(str(problem))

        log = parse(whole, str(self.path), refuse)
        assert log is not None
        if line_of(log.run) != line_of(self.run):
            raise LogError(f"{self.path}:1: belongs to another run: {_differences(log.run, self.run)}")
        return log

    def _write(self, line: bytes) -> None:
        written = self._file.write(line)
        if written != len(line):
            raise OSError(f"{self.path}: only {written} of {len(line)} bytes could be written")

    def keep(self, count: int) -> None:
        """Keep the first `count` episodes only; the others are to be played again."""
        if self.complete:
            raise LogError(f"{self.path}:0: is complete and cannot be cut")
        if not 0 <= count <= len(self.episodes):
            raise ValueError(f"{self.path}: cannot keep {count} episodes of {len(self.episodes)}")
        if count == len(self.episodes):
            return
        self._file.seek(0)
        self._partial.write_bytes(self._file.read())
        del self.episodes[count:]
        self._file.truncate(len(RunLog(self.run, tuple(self.episodes)).to_bytes()))
        self._order = Order()
        for episode in self.episodes:
            self._order.episode(episode, self.run.num_envs)

    @property
    def _partial(self) -> Path:
        return _partial(self.path)

    def frames(self, phase: str) -> int:
        """Frames of a phase so far."""
        return self._order.frames[phase]

    def count(self, phase: str) -> int:
        """Episodes of a phase so far."""
        return self._order.episodes[phase]

    def episode(
        self,
        phase: str,
        score: float,
        *,
        frames: int,
        steps: int,
        terminated: bool,
        truncated: bool,
        seed: int | None = None,
        total_frames: int | None = None,
        achievements: Mapping[str, int] | None = None,
        **extra: Any,
    ) -> None:
        """Append a finished episode; its index is counted here.

        Args:
            phase: `"train"` or `"evaluate"`.
            score: the undiscounted sum of the unclipped rewards.
            frames: frames that the agent's actions caused.
            steps: decisions of the agent.
            terminated: as in the environment.
            truncated: as in the environment.
            seed: the seed of the reset, if one was given.
            total_frames: frames of the phase so far over all environments; may be left out with one.
            achievements: Crafter only: name -> count.
            extra: further keys of the record.
        """
        if total_frames is None:
            if self.run.num_envs != 1:
                raise ValueError("total_frames is needed with several environments")
            total_frames = self._order.frames.get(phase, 0) + frames
        index = self._order.episodes.get(phase, 0)
        record: dict[str, Any] = {
            "phase": phase, "episode": index, "score": float(score), "frames": int(frames),
            "total_frames": int(total_frames), "steps": int(steps), "terminated": bool(terminated),
            "truncated": bool(truncated), "seed": None if seed is None else int(seed),
        }  # fmt: skip
        self.append(Episode(**record, achievements=achievements, extra=extra))

    def append(self, episode: Episode) -> None:
        """Append a record as it is, after the checks of reading."""
        if self.complete:
            raise LogError(f"{self.path}:0: is complete; nothing can be added")
        line = line_of(episode)
        number = len(self.episodes) + 2
        try:
            episode.check()
            Order(dict(self._order.episodes), dict(self._order.frames)).episode(episode, self.run.num_envs)
        except ValueError as error:
            raise LogError(f"{self.path}:{number}: {error}") from None
        self._order.episode(episode, self.run.num_envs)
        self._write(line)
        self.episodes.append(episode)

    def end(self, reason: str = "budget", **extra: Any) -> None:
        """Append the last line: the trial is complete."""
        if self.complete:
            raise LogError(f"{self.path}:0: is complete already")
        frames = sum(self._order.frames.values())
        self._write(line_of(End(sum(self._order.episodes.values()), frames, reason, extra)))
        os.fsync(self._file.fileno())
        self.complete = True
        remove_partial(self.path)

    def close(self) -> None:
        """Close the file. An unfinished log can be continued later."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_partial(path: Path) -> None:
    """Remove the file of cut-off records beside a finished log, if the log holds them again."""
    partial = _partial(path)
    if partial.exists():
        before = partial.read_bytes()
        if path.read_bytes().startswith(before[: before.rfind(b"\n") + 1]):
            partial.unlink()


def _partial(path: Path) -> Path:
    return path.with_name(path.name + PARTIAL)


def _differences(old: Run, new: Run) -> str:
    """Which keys differ between two first lines."""
    before, after = old.to_dict(), new.to_dict()
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return "; ".join(f"{key} was {before.get(key)!r}, is {after.get(key)!r}" for key in keys)
