"""A run log in memory: its bytes parsed, every record checked against those before it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ale_rs.evaluation.records import PHASES, End, Episode, Run, line_of

__all__ = ["LogError", "Order", "Problem", "RunLog", "parse"]


class LogError(ValueError):
    """A run log that is wrong; the text names file and line."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a log.

    Attributes:
        path: the file.
        line: the line, from 1 on; 0 for the whole file.
        message: what is wrong.
        severe: whether the log cannot be used; otherwise it is only unfinished.
    """

    path: str
    line: int
    message: str
    severe: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class RunLog:
    """A log that was read.

    Attributes:
        run: the first line.
        episodes: one record per episode, in the order of the file.
        end: the last line of a complete trial.
        path: the file.
        half_line: the number of a half-written last line, which was dropped.
    """

    run: Run
    episodes: tuple[Episode, ...]
    end: End | None = None
    path: str = ""
    half_line: int | None = None

    @property
    def complete(self) -> bool:
        """Whether the trial was finished."""
        return self.end is not None

    def phase(self, name: str) -> list[Episode]:
        """The episodes of a phase, in order."""
        return [episode for episode in self.episodes if episode.phase == name]

    def to_bytes(self) -> bytes:
        """The text of the file."""
        records: list[Run | Episode | End] = [self.run, *self.episodes]
        return b"".join(map(line_of, records + ([] if self.end is None else [self.end])))


def parse(data: bytes, path: str, report: Callable[[Problem], None]) -> RunLog | None:
    """Read the bytes of a log and report every problem; `None` without a usable first line."""
    *lines, rest = data.split(b"\n")
    half_line = len(lines) + 1 if rest else None
    if half_line is not None:
        report(Problem(path, half_line, "is half-written (no line end) and dropped", severe=False))
    if not lines:
        report(Problem(path, 1, "there is no whole first line"))
        return None
    run: Run | None = None
    episodes: list[Episode] = []
    end: End | None = None
    checker = Order()
    for number, line in enumerate(lines, start=1):
        try:
            record = _object(line)
            if run is None:
                run = Run.from_dict(record)
            elif end is not None:
                raise ValueError("stands after the `end` record")
            elif record.get("kind") == "end":
                end = End.from_dict(record)
                checker.end(end)
            else:
                episode = Episode.from_dict(record)
                episodes.append(episode)
                checker.episode(episode, run.num_envs)
        except ValueError as error:
            report(Problem(path, number, str(error)))
            if run is None:
                return None
    assert run is not None
    return RunLog(run, tuple(episodes), end, path, half_line)


def _object(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise ValueError("is not a record: nested too deeply") from None
    if type(record) is not dict:
        raise ValueError(f"is not a JSON object: {line[:40]!r}")
    return record


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")


@dataclass
class Order:
    """What the records before say of the next one."""

    episodes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PHASES, 0))
    frames: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PHASES, 0))

    def episode(self, episode: Episode, num_envs: int) -> None:
        """Check an episode and count it."""
        phase, before = episode.phase, self.frames[episode.phase]
        expected = self.episodes[phase]
        self.episodes[phase] = episode.episode + 1
        self.frames[phase] = episode.total_frames
        if episode.episode != expected:
            raise ValueError(f"episode is {episode.episode} of phase {phase}, expected {expected}")
        if episode.total_frames < before:
            raise ValueError(f"total_frames falls from {before} to {episode.total_frames}")
        if num_envs == 1 and episode.total_frames != before + episode.frames:
            grown = f"{before} + {episode.frames} = {before + episode.frames}"
            raise ValueError(f"total_frames is {episode.total_frames}, expected {grown} (num_envs is 1)")

    def end(self, end: End) -> None:
        """Check the last line."""
        for key, expected in (("episodes", self.episodes), ("total_frames", self.frames)):
            total = sum(expected.values())
            if getattr(end, key) != total:
                raise ValueError(f"{key} is {getattr(end, key)}, but the records before it make {total}")
