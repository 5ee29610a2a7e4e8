"""Sweeps: all trials of agents on games under a protocol, into a directory of run logs.

Starting again goes on where the last start ended, also after `kill -9`; finished trials are left alone.
"""

import json
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ale_rs.evaluation import executors
from ale_rs.evaluation._lock import lock
from ale_rs.evaluation._status import Status
from ale_rs.evaluation.agents import AgentSpec, agent, baselines
from ale_rs.evaluation.jobs import Checkpoint, Finished, Job, Message, Start, Tick
from ale_rs.evaluation.logfile import LogError
from ale_rs.evaluation.protocol import Protocol, protocol, protocols
from ale_rs.evaluation.records import PHASES, Episode, Run
from ale_rs.evaluation.runlog import ERRORS, RunSet, load, read
from ale_rs.evaluation.tasks import CRAFTER, Task, select_games
from ale_rs.evaluation.writer import Writer, remove_partial

__all__ = ["Failure", "SweepResult", "evaluate", "jobs_of", "unfinished", "write_baselines"]

LOCK = ".lock"
CHECKPOINT = ".checkpoint"


@dataclass(frozen=True)
class Failure:
    """A trial that could not be played.

    Attributes:
        job: its name.
        error: the reason.
    """

    job: str
    error: str


@dataclass(frozen=True)
class SweepResult:
    """How a sweep ended.

    Attributes:
        out: the directory of logs.
        played: trials that were finished now.
        skipped: trials that were finished before.
        failed: trials that raised.
        notes: what should be known of finished trials that were left alone.
    """

    out: str
    played: int
    skipped: int
    failed: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every trial is finished."""
        return not self.failed


def evaluate(
    agents: str | Callable[..., Any] | AgentSpec | Sequence[AgentSpec],
    protocol: str | Path | Protocol = "machado2018",
    games: Sequence[str] | str | None = None,
    *,
    trials: int | None = None,
    out: str | os.PathLike[str] = "runs",
    workers: int = 1,
    ray: bool | str = False,
    config: Mapping[str, Any] | None = None,
    name: str | None = None,
    quiet: bool = True,
) -> SweepResult:
    """Play all trials of an agent on games under a protocol and write their run logs.

    Args:
        agents: a built-in name, `"module:factory"`, a factory, or several `AgentSpec`.
        protocol: name or file of a protocol.
        games: subsets and games, as `select_games` takes them; by default what the protocol reports on.
        trials: how many trials per game; by default the protocol's.
        out: directory of the logs.
        workers: processes that play at once.
        ray: play on a Ray cluster: `True`, or its address.
        config: parameters of the agent.
        name: what logs call the agent.
        quiet: show no progress.

    Raises:
        ValueError: unknown names.
        LogError: another sweep works on the directory.
    """
    if workers < 1:
        raise ValueError(f"workers is {workers}, accepted: 1 and more")
    listed = jobs_of(agents, protocol, games, trials=trials, config=config, name=name)
    place = Path(out).expanduser()
    place.mkdir(parents=True, exist_ok=True)
    with (place / LOCK).open("a+b") as held:
        if not lock(held):
            raise LogError(f"{place}: another sweep works on this directory; wait for it or take another")
        _keep_protocol(listed, place)
        driver = _Driver(place, Status(len(listed), quiet))
        try:
            if ray:
                executors.on_ray(listed, driver, ray if isinstance(ray, str) else None)
            elif workers == 1:
                executors.serial(listed, driver)
            else:
                executors.processes(listed, driver, workers)
        finally:
            driver.end()
    return SweepResult(
        str(place), driver.played, driver.skipped, tuple(driver.failed), tuple(sorted(driver.notes))
    )


_protocol = protocol  # `evaluate` has an argument of this name


def jobs_of(
    agents: str | Callable[..., Any] | AgentSpec | Sequence[AgentSpec],
    protocol: str | Path | Protocol,
    games: Sequence[str] | str | None = None,
    *,
    trials: int | None = None,
    config: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> list[Job]:
    """The jobs of a sweep: first one trial of everything, then the next."""
    rules = protocol if isinstance(protocol, Protocol) else _protocol(protocol)
    specs = list(agents) if isinstance(agents, Sequence) and not isinstance(agents, str) else None
    chosen = [agent(agents, config, as_name=name)] if specs is None else specs  # type: ignore[arg-type]
    count = rules.trials if trials is None else trials
    if count < 1:
        raise ValueError(f"trials is {count}, accepted: 1 and more")
    tasks = [Task.parse(task) for task in _games(rules, games)]
    for spec in chosen:
        spec.described(rules)  # wrong parameters and pipelines are told before anything is played
    return [Job(rules, spec, task, seed) for seed in range(count) for task in tasks for spec in chosen]


def _games(rules: Protocol, games: Sequence[str] | str | None) -> list[str]:
    if games is None:
        if rules.world == "crafter":
            return [CRAFTER]
        if rules.report_on is None:
            raise ValueError(f"the protocol {rules.name} names no games to report on; give some")
        return select_games([rules.report_on])
    chosen = select_games([games] if isinstance(games, str) else games)
    for name in chosen:
        if (name == CRAFTER) != (rules.world == "crafter"):
            raise ValueError(f"the protocol {rules.name} is one of {rules.world}, {name} is not")
    return chosen


def _keep_protocol(listed: Sequence[Job], place: Path) -> None:
    """Put a protocol of one's own beside its logs, so that they can be scored by themselves."""
    for rules in {job.protocol.name: job.protocol for job in listed}.values():
        path = place / f"{rules.name}.toml"
        if rules.name in protocols() or not rules.text:
            continue
        if path.exists() and path.read_text(encoding="utf-8") != rules.text:
            raise ValueError(
                f"{path}: the logs here follow another protocol of this name; rename one of them"
            )
        path.write_text(rules.text, encoding="utf-8")


class _Driver:
    """Writes logs and checkpoints, and counts."""

    def __init__(self, out: Path, status: Status) -> None:
        self.out, self.status = out, status
        self.played = self.skipped = 0
        self.failed: list[Failure] = []
        self.notes: set[str] = set()
        self._writers: dict[Job, Writer] = {}
        self._ticks: dict[Job, int] = {}

    def begin(self, job: Job) -> Start | None:
        run = job.run()
        if self._complete(job, run):
            # A kill after the last line of the log leaves the checkpoint and the cut-off records behind.
            path = self.out / run.path
            path.with_name(path.name + CHECKPOINT).unlink(missing_ok=True)
            remove_partial(path)
            self.skipped += 1
            self.status.finish(job)
            return None
        writer = Writer(self.out, run)
        self._writers[job] = writer
        if writer.complete:
            self.close(job)
            return None
        self._ticks[job] = 0
        checkpoint = self._resumed(job, writer)
        episodes = {phase: writer.count(phase) for phase in PHASES}
        frames = {phase: writer.frames(phase) for phase in episodes}
        self.status.begin(job, sum(frames.values()), _share(job, writer))
        return Start(episodes, frames, checkpoint)

    def _complete(self, job: Job, run: Run) -> bool:
        """Whether the trial is finished; it must be the same trial then."""
        path = self.out / run.path
        if not _ended(path):
            return False
        found = read(path).run
        for key in ("env", "agent_config", "rom_md5"):
            before, now = getattr(found, key), getattr(run, key)
            if json.dumps(before, sort_keys=True) != json.dumps(now, sort_keys=True):
                raise LogError(
                    f"{path}:1: is a finished trial with another {key}: {before}, now {now}; "
                    "give the agent another name or take another directory"
                )
        if dict(found.versions) != dict(run.versions):
            was = ", ".join(f"{name} {version}" for name, version in found.versions.items())
            self.notes.add(f"finished trials were played with {was} and are left alone")
        return True

    def _resumed(self, job: Job, writer: Writer) -> bytes | None:
        """Cut a log to where its trial can go on, and return the checkpoint there.

        Evaluation episodes of policies and planners are independent. Training and native trials go on from a
        checkpoint, or from the beginning.
        """
        path = _checkpoint(writer)
        if job.agent.kind(job.protocol) != "trial" and not writer.count("train"):
            return None
        if path.exists():
            head, _, data = path.read_bytes().partition(b"\n")
            count = int(head)
            if count <= len(writer.episodes):
                writer.keep(count)
                return data
        writer.keep(0)
        return None

    def take(self, job: Job, message: Message) -> None:
        writer = self._writers[job]
        if isinstance(message, Episode):
            writer.append(message)
            frames = message.frames - self._ticks[job]
            self._ticks[job] = 0
            self.status.advance(job, max(frames, 0), _share(job, writer))
        elif isinstance(message, Tick):
            self._ticks[job] += message.frames
            self.status.advance(job, message.frames, _share(job, writer, self._ticks[job]))
        elif isinstance(message, Checkpoint):
            path = _checkpoint(writer)
            part = path.with_name(path.name + ".part")
            part.write_bytes(f"{message.episodes}\n".encode() + message.data)
            part.replace(path)
        elif isinstance(message, Finished):
            writer.end(message.reason, **message.extra)
            _checkpoint(writer).unlink(missing_ok=True)

    def fail(self, job: Job, error: BaseException | str) -> None:
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        self.failed.append(Failure(job.name, text))
        record = {"job": job.name, "error": text}
        if isinstance(error, BaseException):
            record["traceback"] = "".join(traceback.format_exception(error))
        with (self.out / ERRORS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def close(self, job: Job) -> None:
        writer = self._writers.pop(job, None)
        if writer is None:
            self.status.finish(job)
            return
        writer.close()
        self._ticks.pop(job, None)
        failed = any(failure.job == job.name for failure in self.failed)
        if writer.complete and not failed:
            self.played += 1
        if writer.complete or failed:
            self.status.finish(job)

    def idle(self) -> None:
        self.status.show()

    def end(self) -> None:
        """Close what is open."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
        self.status.close()


def _tail(path: Path, size: int = 1 << 16) -> bytes:
    """The last whole line of a file, if it is short."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(length - size, 0))
        lines = _whole_lines(file)
    return lines[-1] if lines else b""


def _whole_lines(file: IO[bytes]) -> list[bytes]:
    data = file.read()
    return data[: data.rfind(b"\n") + 1].splitlines()


def _checkpoint(writer: Writer) -> Path:
    return writer.path.with_name(writer.path.name + CHECKPOINT)


def _share(job: Job, writer: Writer, running: int = 0) -> float:
    """The share of its budget that a trial has played."""
    rules = job.protocol
    tested = float(writer.count("evaluate") / rules.score.get("episodes", 1))
    if rules.kind == "evaluation" or (tested and not writer.count("train")):
        return min(tested, 1.0)
    if "frames" in rules.budget:
        trained = (writer.frames("train") + running) / rules.budget["frames"]
    else:
        trained = writer.count("train") / rules.budget["episodes"]
    both = rules.kind == "train_then_evaluate"
    return min((min(trained, 1.0) + tested) / 2 if both else trained, 1.0)


def unfinished(jobs: Sequence[Job], out: str | os.PathLike[str]) -> list[Job]:
    """The jobs whose logs are not complete."""
    place = Path(out).expanduser()
    return [job for job in jobs if not _ended(place / job.run().path)]


def _ended(path: Path) -> bool:
    return path.exists() and _tail(path).startswith(b'{"kind":"end"')


def write_baselines(rules: Protocol, out: str | os.PathLike[str]) -> Path:
    """Write the scores of the reference policies as a table `agent,game,score`, for `"baseline"`."""
    names = {spec.name for spec in baselines()}
    runs = load(Path(out).expanduser() / rules.name)
    rows = rules.scores(RunSet(tuple(log for log in runs if log.run.agent in names))).summary()
    path = Path(out).expanduser() / f"{rules.name}.baselines.csv"
    lines = [f"{row.agent},{row.game},{row.mean!r}" for row in rows if row.mean is not None]
    path.write_text("\n".join(["agent,game,score", *lines]) + "\n", encoding="utf-8")
    return path
