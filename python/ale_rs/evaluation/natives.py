"""Native trials of `ale_rs.learning` as jobs: a whole trial in native calls that stream episode records."""

import queue
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ale_rs.evaluation import jobs
from ale_rs.evaluation.agents import AgentSpec
from ale_rs.evaluation.protocol import Protocol
from ale_rs.evaluation.records import Episode

__all__ = ["trial"]

WAITING = 1024
"""Records that a trial may be ahead of who reads them."""


def trial(job: jobs.Job, start: jobs.Start) -> Iterator[jobs.Message]:
    """Play a trial from its start or from its checkpoint."""
    from ale_rs import learning

    agent, features, parameters = _arguments(job.agent)
    native = learning.Trial(
        agent, job.task.game, features=features, protocol=job.protocol, seed=job.seed, mode=job.task.mode,
        difficulty=job.task.difficulty, parameters=parameters,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trial"
        if start.checkpoint is not None:
            path.write_bytes(start.checkpoint)
            native.load(path)
        while not native.done:
            yield from _part(native, native.frames + jobs.CHECKPOINT_FRAMES)
            native.save(path)
            yield jobs.Checkpoint(native.episodes, path.read_bytes())
    yield jobs.Finished("budget")


def _part(native: Any, frames: int) -> Iterator[Episode]:
    """Play up to a number of frames in a thread and pass its records on."""
    records: queue.Queue[Episode | BaseException | None] = queue.Queue(WAITING)
    abandoned = threading.Event()

    def put(record: Episode | BaseException | None) -> None:
        while not abandoned.is_set():
            try:
                records.put(record, timeout=0.5)
            except queue.Full:
                continue
            return

    def play() -> None:
        try:
            native.run(put, until=lambda: abandoned.is_set() or native.frames >= frames)
        except BaseException as error:
            put(error)
        else:
            put(None)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    try:
        while (record := records.get()) is not None:
            if isinstance(record, BaseException):
                raise record
            yield record
    finally:
        abandoned.set()
        thread.join()


def _arguments(spec: AgentSpec) -> tuple[str, str | None, dict[str, Any]]:
    """The agent's name there, its features and its other parameters."""
    first, _, rest = spec.text.partition(":")
    config = {key: value for key, value in spec.config.items() if key != "action"}
    if first in ("const", "perturb"):
        return f"{first}:{rest.upper()}", None, config
    return first, rest or None, config


def _describe(spec: AgentSpec, protocol: Protocol) -> dict[str, Any]:
    """All parameters, for the log."""
    from ale_rs import learning

    agent, features, parameters = _arguments(spec)
    return dict(learning.resolve(agent, features, protocol, parameters).config)


trial.kind = "trial"  # type: ignore[attr-defined]
trial.describe = _describe  # type: ignore[attr-defined]
