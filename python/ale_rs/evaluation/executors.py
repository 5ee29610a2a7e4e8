"""Where jobs are played: in this process, in others, or on a Ray cluster.

The three differ only in where they call `play`. The driver alone writes files, so they give equal bytes.
"""

import contextlib
import hashlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ale_rs import _native
from ale_rs.evaluation.jobs import Job, Message, Start, play
from ale_rs.evaluation.tasks import CRAFTER

__all__ = ["Driver", "load_ray", "on_ray", "processes", "serial"]

CHUNK_MESSAGES = 256
CHUNK_SECONDS = 0.5
LOST_NODES = 10
"""How often a job is started again because its machine was lost."""


class Driver(Protocol):
    """Who writes the logs."""

    def begin(self, job: Job) -> Start | None:
        """Open the log of a job; `None` if there is nothing to do."""

    def take(self, job: Job, message: Message) -> None:
        """Write what a job has played."""

    def fail(self, job: Job, error: BaseException | str) -> None:
        """A job has raised."""

    def close(self, job: Job) -> None:
        """Close the log of a job."""

    def idle(self) -> None:
        """Nothing has come for a while."""


def serial(jobs: Iterable[Job], driver: Driver) -> None:
    """Play one job after the other in this process."""
    for job in jobs:
        start = _begun(job, driver)
        if start is None:
            continue
        try:
            for message in play(job, start):
                driver.take(job, message)
        except Exception as error:
            driver.fail(job, error)
        finally:
            driver.close(job)


def _begun(job: Job, driver: Driver) -> Start | None:
    try:
        return driver.begin(job)
    except Exception as error:
        driver.fail(job, error)
        driver.close(job)
        return None


def _chunks(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Messages in lists, so that short episodes do not cost a trip each."""
    chunk: list[Message] = []
    sent = time.monotonic()
    for message in messages:
        chunk.append(message)
        now = time.monotonic()
        if len(chunk) >= CHUNK_MESSAGES or now - sent >= CHUNK_SECONDS:
            yield chunk
            chunk, sent = [], now
    if chunk:
        yield chunk


def _work(connection: Any) -> None:
    """A worker process: plays the jobs that the driver sends, ends when the driver ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's matter
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            job, start = connection.recv()
            try:
                for chunk in _chunks(play(job, start)):
                    connection.send(chunk)
                connection.send(None)
            except BrokenPipeError:
                raise
            except Exception as error:
                connection.send(f"{type(error).__name__}: {error}")


class _Worker:
    """A worker process and what it plays."""

    def __init__(self, context: Any) -> None:
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def send(self, job: Job, start: Start) -> None:
        self.job = job
        try:
            self.connection.send((job, start))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.job = None
            raise ValueError(
                f"the agent {job.agent.name} cannot be sent to another process ({error}); "
                'give it as "module:factory"'
            ) from None


def processes(jobs: Iterable[Job], driver: Driver, workers: int) -> None:
    """Play jobs in worker processes, as many at once."""
    context = multiprocessing.get_context("spawn")
    waiting = deque(jobs)
    team: list[_Worker] = []
    try:
        while True:
            _hand_out(waiting, team, driver, workers, context)
            busy = {worker.connection: worker for worker in team if worker.job is not None}
            if not busy:
                return
            ready = multiprocessing.connection.wait(list(busy), timeout=1.0)
            for connection in ready:
                _receive(busy[connection], team, driver)
            if not ready:
                driver.idle()
    finally:
        for worker in team:
            if worker.job is not None:
                driver.close(worker.job)
            worker.process.terminate()
            worker.connection.close()
        for worker in team:
            worker.process.join()


def _hand_out(waiting: deque[Job], team: list[_Worker], driver: Driver, workers: int, context: Any) -> None:
    """Give every free worker a job."""
    while waiting:
        free = next((worker for worker in team if worker.job is None), None)
        if free is None and len(team) >= workers:
            return
        job = waiting.popleft()
        start = _begun(job, driver)
        if start is None:
            continue
        if free is None:
            free = _Worker(context)
            team.append(free)
        try:
            free.send(job, start)
        except ValueError as error:
            driver.fail(job, error)
            driver.close(job)


def _receive(worker: _Worker, team: list[_Worker], driver: Driver) -> None:
    job = worker.job
    assert job is not None
    try:
        received = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        driver.fail(job, f"its worker process ended with code {worker.process.exitcode}")
        driver.close(job)
        worker.connection.close()
        team.remove(worker)
        return
    if isinstance(received, list):
        try:
            for message in received:
                driver.take(job, message)
        except ValueError as error:  # a record that the log refuses
            driver.fail(job, error)
            driver.close(job)
            worker.process.terminate()
            team.remove(worker)
        return
    if received is not None:
        driver.fail(job, received)
    driver.close(job)
    worker.job = None


def on_ray(jobs: Iterable[Job], driver: Driver, address: str | None = None) -> None:
    """Play jobs as tasks of a Ray cluster, one core each.

    A job whose machine is lost goes on elsewhere, from what the driver has written.

    Args:
        jobs: the jobs.
        driver: who writes the logs.
        address: of the cluster; `None` for the one that is set up, or else a new one on this machine.
    """
    ray = load_ray()
    mine = not ray.is_initialized()
    if mine:
        ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
    try:
        _on_cluster(ray, deque(jobs), driver)
    finally:
        if mine:
            ray.shutdown()


def load_ray() -> Any:
    """The module, or a sentence on how to get it."""
    try:
        import ray
    except ImportError:
        raise ValueError("Ray is not installed; install with: pip install 'ale-rs[ray]'") from None
    return ray


def _task(job: Job, start: Start, version: str, rom_md5: str) -> Iterator[list[Message]]:
    """What a machine of the cluster does."""
    check_machine(job, version, rom_md5)
    yield from _chunks(play(job, start))


def check_machine(job: Job, version: str, rom_md5: str) -> None:
    """Refuse a machine with another version or another ROM."""
    import socket

    from ale_rs import roms

    where = socket.gethostname()
    if _native.__version__ != version:
        raise ValueError(f"{where} has ale_rs {_native.__version__}, the driver has {version}")
    if job.task.game != CRAFTER and rom_md5:
        found = hashlib.md5(roms.load(job.task.game).data, usedforsecurity=False).hexdigest()
        if found != rom_md5:
            raise ValueError(f"{where} has another ROM of {job.task.game}: MD5 {found}, the driver {rom_md5}")


def _on_cluster(ray: Any, waiting: deque[Job], driver: Driver) -> None:
    task = ray.remote(num_cpus=1, max_retries=0)(_task)
    running: dict[Any, Job] = {}
    lost: dict[Job, int] = {}
    try:
        while waiting or running:
            cores = max(int(ray.cluster_resources().get("CPU", 1)), 1)
            while waiting and len(running) < cores:
                job = waiting.popleft()
                start = _begun(job, driver)
                if start is not None:
                    run = job.run()
                    stream = task.options(num_returns="streaming").remote(
                        job, start, _native.__version__, run.rom_md5
                    )
                    running[stream] = job
            if not running:
                continue
            ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0, fetch_local=True)
            if not ready:
                driver.idle()
            for stream in ready:
                job = running[stream]
                try:
                    for message in ray.get(next(stream)):
                        driver.take(job, message)
                    continue
                except StopIteration:
                    pass
                except ray.exceptions.RayTaskError as error:
                    driver.fail(job, error.cause if isinstance(error.cause, BaseException) else error)
                except ray.exceptions.RayError as error:
                    lost[job] = lost.get(job, 0) + 1
                    if lost[job] <= LOST_NODES:
                        waiting.append(job)
                    else:
                        driver.fail(job, f"its machine was lost {lost[job]} times: {error}")
                except ValueError as error:
                    driver.fail(job, error)
                    ray.cancel(stream)
                driver.close(job)
                del running[stream]
    finally:
        for stream, job in running.items():
            ray.cancel(stream)
            driver.close(job)
