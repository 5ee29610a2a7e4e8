"""Playing an entry, and the rows that its logs make."""

import dataclasses
import os
import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ale_rs import roms
from ale_rs.evaluation import RunLog, RunSet, evaluate, load, published
from ale_rs.evaluation.agents import ACTIONS, BUILT_IN, AgentSpec, agent
from ale_rs.evaluation.protocol import Protocol
from ale_rs.learning import Trial
from ale_rs.reproduce.analyses import ANALYSES
from ale_rs.reproduce.bands import Row, judge, width
from ale_rs.reproduce.catalogue import Entry, entry

__all__ = ["Cost", "Result", "estimate", "pace", "rows_of", "run"]

PACE_FRAMES, REFERENCE_PACE = 20_000, 200_000.0
"""Frames that `pace` plays, and frames of it per second on the core of the catalogue's speeds (AMD EPYC)."""
HELD = "const:"
"""Agents without chance: the episodes of a trial are the same, so `baselines` plays one of them."""
CHOOSE, FRESH = "choose", "fresh"
"""Directories of `best_of`: plays that choose the best action, and those that estimate it anew."""


@dataclass(frozen=True)
class Cost:
    """What an entry takes.

    Attributes:
        frames: frames of the emulator, at most.
        hours: of so many workers.
        megabytes: of memory.
    """

    frames: int
    hours: float
    megabytes: int

    def __str__(self) -> str:
        seconds = 3600 * self.hours
        units = ((3600, "hours"), (60, "minutes"), (1, "seconds"))
        unit, name = next((pair for pair in units if seconds >= pair[0]), units[-1])
        took = f"{seconds / unit:,.1f} {name}"
        return f"at most {self.frames:,} frames, {took}, {self.megabytes:,} MB of memory"


@dataclass(frozen=True)
class Result:
    """An entry with its rows.

    Attributes:
        entry: what was reproduced.
        rows: a row per game.
        seconds: how long this run took.
        complete: whether everything that was asked for was played.
        notes: what went wrong.
    """

    entry: Entry
    rows: list[Row]
    seconds: float = 0.0
    complete: bool = True
    notes: list[str] = field(default_factory=list)

    def count(self, *verdicts: str) -> int:
        """How many rows that count have one of these verdicts."""
        return sum(row.counts and row.verdict in verdicts for row in self.rows)


@dataclass(frozen=True)
class _Part:
    """Plays that belong together: where their logs are and by which rules they are made."""

    place: Path
    rules: Protocol
    specs: tuple[AgentSpec, ...]
    trials: int


def run(
    name: str | Entry,
    *,
    games: Sequence[str] | None = None,
    out: str | os.PathLike[str] = "reproductions",
    hours: float | None = None,
    workers: int = 1,
    ray: bool | str = False,
    episodes: int | None = None,
    trials: int | None = None,
    frames: int | None = None,
    quiet: bool = True,
) -> Result:
    """Play an entry, or go on with it, and compare.

    Args:
        name: name of the entry.
        games: only these.
        out: directory; the logs of an entry are in a directory of its name.
        hours: start nothing new after so long.
        workers: processes.
        ray: play on a Ray cluster, or its address.
        episodes: evaluation episodes of a trial instead of the paper's; rows are marked as shortened.
        trials: trials instead of the paper's; fewer are marked as shortened.
        frames: frames of training instead of the paper's; fewer are marked as shortened.
        quiet: show no progress.

    Raises:
        ValueError: an unknown entry or game.
    """
    item = entry(name) if isinstance(name, str) else name
    begun = time.monotonic()
    if item.kind == "analysis":
        if games is not None:
            raise ValueError(f'"{item.name}" is computed as a whole; games are for what is played')
        return Result(item, ANALYSES[item.function](item), time.monotonic() - begun)
    tasks = item.tasks(None if games is None else tuple(games))
    missing = [game for game in tasks if roms.locate(game.partition("@")[0]) is None]
    tasks = [game for game in tasks if game not in missing]
    notes = [f"no ROM of {', '.join(missing)}; ale-rs roms install fetches those of ale-py"] * bool(missing)
    deadline = None if hours is None else begun + 3600 * hours
    place = Path(out) / item.name
    complete = not missing
    for part in _parts(item, place, episodes, trials, frames):
        complete &= _play(part, tasks, deadline, workers, ray, quiet, notes)
    for game, fresh in _fresh(item, place, tasks, episodes):
        complete &= _play(fresh, [game], deadline, workers, ray, quiet, notes)
    rows = rows_of(item, place, tasks, episodes=episodes, frames=frames)
    return Result(item, rows, time.monotonic() - begun, complete, notes)


def pace() -> float:
    """How fast a core of this machine is beside the one that the catalogue's speeds were measured on.

    A game of our own is played for a tenth of a second; processor time counts, so that other work does not.
    """
    begun = time.process_time()
    trial = Trial("random", "glowdelve", protocol="bellemare2013_planning", frames=PACE_FRAMES)
    frames = []
    trial.run(lambda episode: frames.append(episode.frames))
    return sum(frames) / max(time.process_time() - begun, 1e-6) / REFERENCE_PACE


def estimate(
    item: Entry,
    games: Sequence[str] | None = None,
    workers: int = 1,
    *,
    pace: float = 1.0,
    episodes: int | None = None,
    trials: int | None = None,
    frames: int | None = None,
) -> Cost:
    """What playing an entry takes, from the entry's own figures.

    Args:
        item: the entry.
        games: only these.
        workers: processes, one for each core.
        pace: how fast a core is; `pace()` measures it.
        episodes: as in `run`.
        trials: as in `run`.
        frames: as in `run`.
    """
    if item.kind == "analysis":
        played = item.frames or 0
        return Cost(played, played / (item.frames_per_second * pace) / 3600, max(500, item.megabytes))
    tasks = item.tasks(None if games is None else tuple(games))
    rules = item.rules(episodes, frames)
    agents: float = len(_names(item))
    per_trial = rules.budget.get("frames", 0) + rules.budget.get("episodes", 0) * item.frames_per_episode
    if "episodes" in rules.score:
        per_trial += rules.score["episodes"] * item.frames_per_episode
    if item.fresh:
        per_trial += item.fresh * item.frames_per_episode / agents
    if item.kind == "baselines":
        held = sum(name.startswith(HELD) for name in _names(item))
        agents = agents - held + held / rules.score["episodes"]
    count = item.trials if trials is None else trials
    played = int(per_trial * agents * count * len(tasks))
    return Cost(played, played / (item.frames_per_second * pace) / 3600 / workers, item.megabytes * workers)


def rows_of(
    item: Entry,
    place: str | os.PathLike[str],
    tasks: Sequence[str] | None = None,
    *,
    episodes: int | None = None,
    frames: int | None = None,
) -> list[Row]:
    """The rows that run logs make."""
    if item.kind == "analysis":
        return ANALYSES[item.function](item)
    games = item.tasks() if tasks is None else list(tasks)
    make: Callable[[Entry, Path, str, int | None, int | None], Row] = {
        "play": _row_of_play, "best_of": _row_of_best, "baselines": _row_of_baselines,
    }[item.kind]  # fmt: skip
    return [make(item, Path(place), game, episodes, frames) for game in games]


def _names(item: Entry) -> list[str]:
    """The agents of an entry; `const:*` is 18 of them."""
    return [
        name.replace("*", action) for name in item.agents for action in (ACTIONS if "*" in name else ("",))
    ]


def _specs(item: Entry) -> tuple[AgentSpec, ...]:
    names = _names(item)
    shown = None if len(names) > 1 or names[0] in BUILT_IN else item.name.replace("_", "-")
    return tuple(agent(name, item.config, as_name=shown) for name in names)


def _parts(
    item: Entry, place: Path, episodes: int | None, trials: int | None, frames: int | None
) -> Iterable[_Part]:
    where = place / CHOOSE if item.fresh else place
    count = item.trials if trials is None else trials
    rules, specs = item.rules(episodes, frames), _specs(item)
    if item.kind == "baselines":
        held = tuple(spec for spec in specs if spec.name.startswith(HELD))
        specs = tuple(spec for spec in specs if spec not in held)
        yield _Part(where, item.rules(1), held, count)
    yield _Part(where, rules, specs, count)


def _fresh(
    item: Entry, place: Path, tasks: Sequence[str], episodes: int | None
) -> Iterable[tuple[str, _Part]]:
    """Plays that estimate the best action of each game anew."""
    if not item.fresh:
        return
    rules = item.rules(episodes)
    chosen = int(rules.score["episodes"])
    more = dataclasses.replace(rules, score={**rules.score, "episodes": chosen + item.fresh})
    by_name = {spec.name: spec for spec in _specs(item)}
    for game in tasks:
        best = _best(_logs(place / CHOOSE, game), len(by_name), chosen)
        if best is not None:
            yield game, _Part(place / FRESH, more, (by_name[best],), 1)


def _play(
    part: _Part, tasks: Sequence[str], deadline: float | None, workers: int, ray: bool | str, quiet: bool,
    notes: list[str],
) -> bool:  # fmt: skip
    """Play all trials, trial by trial and some games at a time; whether everything is finished."""
    step = max(1, workers) * (1 if part.trials > 1 or len(part.specs) > 1 else 4)
    if deadline is None:
        step = len(tasks)
    for trials in range(1, part.trials + 1) if deadline is not None else (part.trials,):
        for first in range(0, len(tasks), max(step, 1)):
            if deadline is not None and time.monotonic() >= deadline:
                return False
            result = evaluate(
                part.specs, part.rules, tasks[first : first + step], trials=trials, out=part.place,
                workers=workers, ray=ray, quiet=quiet,
            )  # fmt: skip
            notes += [f"{failure.job}: {failure.error}" for failure in result.failed]
    return not notes


def _logs(place: Path, game: str) -> list[RunLog]:
    """The finished logs of a game below a directory."""
    name, _, flavour = game.partition("@")
    pattern = f"*/*/{name}/{flavour or '*'}/s*.jsonl"
    paths = sorted(place.glob(pattern)) if place.exists() else []
    runs: RunSet | tuple[RunLog, ...] = load(*paths) if paths else ()
    return [log for log in runs if log.end is not None]


def _returns(log: RunLog) -> list[float]:
    return [episode.score for episode in log.episodes if episode.phase == "evaluate"]


def _best(logs: Sequence[RunLog], agents: int, episodes: int) -> str | None:
    """The agent with the highest mean; `None` until all have played."""
    means = {log.run.agent: statistics.fmean(_returns(log)[:episodes]) for log in logs if _returns(log)}
    return max(sorted(means), key=means.__getitem__) if len(means) == agents else None


def _published(item: Entry, game: str) -> tuple[float | None, float]:
    """The printed number and its deviation over trials."""
    if not item.published:
        return None, 0.0
    columns: Mapping[str, Mapping[str, float]] = published(item.published["table"])
    deviations = columns.get(item.published.get("sd", ""), {})
    return columns[item.published["column"]].get(game.partition("@")[0]), deviations.get(game, 0.0)


def _row(
    item: Entry, game: str, ours: float | None, n: int, sd: float = 0.0, *, short: bool = False, why: str = ""
) -> Row:
    number, deviation = _published(item, game)
    allowed = None
    if number is not None:
        of = int(item.published.get("trials", 1))
        allowed = width(item.band, number, sd=sd, n=n, published_sd=deviation, of=of)
    verdict, reason = judge(
        item.band, number, ours, allowed, shortened=short, reference=item.reference.get(game),
        explained=item.explained.get(game, ""),
    )  # fmt: skip
    counts = item.counts and number is not None and verdict not in ("shortened", "missing", "beside")
    told = "; ".join(text for text in (why, reason, item.remarks.get(game, "")) if text)
    return Row(game, number, ours, n, allowed, verdict, told, counts)


def _row_of_play(item: Entry, place: Path, game: str, episodes: int | None, frames: int | None) -> Row:
    """Mean over trials; over episodes where the protocol has one trial of them."""
    logs = _logs(place, game)
    if not logs:
        return _row(item, game, None, 0)
    rules = item.rules(episodes, frames)
    if rules.kind in ("evaluation", "train_then_evaluate"):
        wanted = int(item.rules().score["episodes"])
        scores = [score for log in logs for score in _returns(log)]
        short = len(scores) < wanted * item.trials
    else:
        rows = rules.scores(RunSet(tuple(logs)), partial=True).last
        scores = [row.score for row in rows if row.score is not None]
        budget = item.rules().budget.get("frames", 0)
        short = len(scores) < item.trials or rules.budget.get("frames", 0) < budget
    sd = statistics.stdev(scores) if len(scores) > 1 else 0.0
    ours = statistics.fmean(scores) if scores else None
    return _row(item, game, ours, len(scores), sd, short=short)


def _row_of_best(item: Entry, place: Path, game: str, episodes: int | None, _: int | None) -> Row:
    """The best action's mean, over fresh episodes where the entry asks for them."""
    rules = item.rules(episodes)
    count = int(rules.score["episodes"])
    best = _best(_logs(place / CHOOSE if item.fresh else place, game), len(_names(item)), count)
    if best is None:
        return _row(item, game, None, 0)
    if item.fresh:
        found = [log for log in _logs(place / FRESH, game) if log.run.agent == best]
        scores = [score for log in found for score in _returns(log)[count:]]
    else:
        found = [log for log in _logs(place, game) if log.run.agent == best]
        scores = [score for log in found for score in _returns(log)]
    wanted = item.fresh or int(item.rules().score["episodes"])
    ours = statistics.fmean(scores) if scores else None
    sd = statistics.stdev(scores) if len(scores) > 1 else 0.0
    action = re.sub(r"^\w+:", "", best)
    return _row(item, game, ours, len(scores), sd, short=len(scores) < wanted, why=f"best: {action}")


def _row_of_baselines(item: Entry, place: Path, game: str, episodes: int | None, _: int | None) -> Row:
    """The highest and the lowest mean of all agents."""
    logs = _logs(place, game)
    means = {log.run.agent: statistics.fmean(_returns(log)) for log in logs if _returns(log)}
    wanted = len(_names(item))
    if len(means) < wanted:
        return _row(item, game, None, len(means), why=f"{len(means)} of {wanted} agents have played")
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    counted = sum(len(_returns(log)) for log in logs)
    return _row(
        item, game, means[high], counted, why=f"from {means[low]:.1f} ({low}) to {means[high]:.1f} ({high})"
    )
