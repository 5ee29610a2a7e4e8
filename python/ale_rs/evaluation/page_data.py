"""All numbers of a report as plain data: what the page shows, what is embedded in it, what `score` prints.

One section per protocol that occurs in the logs. The same input gives the same numbers.
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ale_rs.evaluation import scores as tables
from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.aggregate import (
    FEWER,
    REPLICATIONS,
    TAUS,
    aggregate,
    improvement,
    profile_band,
)
from ale_rs.evaluation.compare import paired_tests
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from ale_rs.evaluation.matrix import Matrix
from ale_rs.evaluation.protocol import UNSPECIFIED, Protocol, ProtocolScores, TrialScore, protocol
from ale_rs.evaluation.runlog import RunLog, RunSet, load
from ale_rs.evaluation.subset import atari_k, model, models
from ale_rs.evaluation.tasks import select_games, subset, subsets
from ale_rs.evaluation.trials import curve, mean_and_sd

__all__ = ["BASELINES", "Settings", "Source", "baseline", "gather"]

Source = RunSet | str | os.PathLike[str]
CURVE_BINS = 40
INTER_TAUS = [index / 100 for index in range(101)]
ALPHA = {"bellemare2013": 0.01, "bellemare2013_planning": 0.01}
"""Levels of the paired tests: 99 % in the paper of 2013, 95 % elsewhere."""

BASELINES: dict[str, tuple[str, str]] = {
    **{f"bellemare2013/{name}": ("bellemare2013_table4", name) for name in (
        "basic", "bass", "disco", "lsh", "ram", "random", "const", "perturb")},
    "bellemare2013/full_tree": ("bellemare2013_table5", "full_tree"),
    "bellemare2013/uct": ("bellemare2013_table5", "uct"),
    "machado2018/dqn": ("machado2018_table9", "200m_mean"),
    "machado2018/blob_prost": ("machado2018_table8", "200m_mean"),
}  # fmt: skip
"""Published results by a short name; `TABLE/COLUMN` of `published_tables()` works as well."""


@dataclass(frozen=True)
class Settings:
    """How logs become a report.

    Attributes:
        normalise: the normalisation.
        reference: the table of random and human scores.
        games: subsets and games that the aggregates are made of; every agent must have all of them.
        trials: take the first trials of every game only.
        protocol: score logs without a protocol under this one.
        baselines_shown: published results to compare with.
        baselines: file of the reference set for `"baseline"`.
        quick: 2,000 replicates instead of 50,000.
        partial: score trials with too few evaluation episodes.
        force: score logs with other settings, too; they are marked.
        seed: seed of the bootstrap.
        level: probability inside intervals.
    """

    normalise: str = "human"
    reference: str = tables.DEFAULT
    games: tuple[str, ...] | None = None
    trials: int | None = None
    protocol: str | None = None
    baselines_shown: tuple[str, ...] = ()
    baselines: str | None = None
    quick: bool = False
    partial: bool = False
    force: bool = False
    seed: int = 0
    level: float = 0.95

    @property
    def replications(self) -> int:
        """Replicates of the aggregate table."""
        return FEWER if self.quick else REPLICATIONS

    def to_dict(self) -> dict[str, Any]:
        """What the report says of them."""
        return dict(vars(self), replications=self.replications, games=self.games and list(self.games))


def baseline(name: str) -> Mapping[str, float]:
    """A published result: game -> score.

    >>> baseline("bellemare2013/bass")["asterix"]
    859.8
    """
    table, _, column = name.partition("/")
    table, column = BASELINES.get(name, (table, column))
    if table not in tables.published_tables():
        raise unknown("published result", name, [*BASELINES, *tables.published_tables()])
    columns = tables.published(table)
    if column not in columns:
        raise ValueError(f"{table}: {unknown('column', column, columns)}")
    return columns[column]


def gather(sources: Iterable[Source], settings: Settings | None = None) -> dict[str, Any]:
    """Read logs and tables of scores, and work out everything that a report shows.

    Args:
        sources: run sets, directories or files of logs, CSV files with `agent,game,score`.
        settings: the choices.
    """
    chosen = settings or Settings()
    logs, rows = _read(sources)
    published = [
        TrialScore(name, game, 0, None, score, 0)
        for name in chosen.baselines_shown
        for game, score in baseline(name).items()
    ]
    names = sorted({log.run.protocol for log in logs})
    sections = []
    for name in names:
        part = RunSet(tuple(log for log in logs if log.run.protocol == name), logs.notes)
        rules = _rules(name, chosen, part)
        played = {_task(log) for log in part}
        shown = [row for row in published if row.game in played or chosen.games is not None]
        extra = [] if rules.world == "crafter" else [*rows, *shown]
        sections.append(_section(rules, part, extra, chosen))
    if not names and (rows or published):
        sections.append(_table_only([*rows, *published], chosen))
    if not sections:
        raise ValueError("there are no logs and no scores to report on")
    return {"format": "ale_rs report", "version": 1, "settings": chosen.to_dict(), "protocols": sections}


def _read(sources: Iterable[Source]) -> tuple[RunSet, list[TrialScore]]:
    runs, rows = RunSet(()), []
    for source in sources:
        if isinstance(source, RunSet):
            runs = runs.merge(source)
        elif str(source).endswith(".csv"):
            rows += tables.read_scores(source)
        else:
            runs = runs.merge(load(source))
    return runs, rows


def _rules(name: str, chosen: Settings, part: RunSet) -> Protocol:
    if name != UNSPECIFIED:
        try:
            return protocol(name)
        except ValueError:
            own = next((Path(path) for path in _protocol_files(part, name) if path.exists()), None)
            if own is None:
                raise
            return protocol(own)
    if chosen.protocol is None:
        raise ValueError(
            f"{part.logs[0].path}: was recorded without a protocol; name the one to score it under"
        )
    return protocol(chosen.protocol)


def _protocol_files(part: RunSet, name: str) -> Iterable[Path]:
    """Where a protocol of one's own may stand: beside the logs, or here."""
    yield Path(f"{name}.toml")
    for log in part.logs[:1]:
        for above in list(Path(log.path).parents)[:6]:
            yield above / f"{name}.toml"


def _section(rules: Protocol, part: RunSet, extra: Sequence[TrialScore], chosen: Settings) -> dict[str, Any]:
    found = rules.scores(part, partial=chosen.partial, force=chosen.force)
    warnings = _log_warnings(rules, part, found)
    if rules.world == "crafter":
        return _head(rules) | {
            "agents": sorted({row.agent for row in found.rows}),
            "games": [], "aggregates": {}, "crafter": _crafter(rules, part, found),
            "runs": _runs(part), "warnings": warnings,
        }  # fmt: skip
    rows = [*found.last, *extra]
    data = _tables(rules, rows, chosen, warnings)
    counts = {(s.agent, s.game): s for s in found.summary() if s.checkpoint == rules.last_checkpoint}
    for game in data["games"]:
        for agent, cell in game["scores"].items():
            summary = counts.get((agent, game["game"]))
            cell["episodes"] = 0 if summary is None else summary.episodes
            cell["of"] = cell["of"] if summary is None else summary.of
    _unscored(data, counts)
    checkpoints = (
        [vars(row) | {} for row in found.summary()] if len({r.checkpoint for r in found.rows}) > 1 else []
    )
    return _head(rules) | data | {
        "checkpoints": checkpoints,
        "curves": _curves(rules, part),
        "runs": _runs(part),
        "warnings": warnings,
    }  # fmt: skip


def _table_only(rows: Sequence[TrialScore], chosen: Settings) -> dict[str, Any]:
    warnings: list[str] = []
    rules = Protocol("table", "table", "atari", 1)
    head = _head(rules) | {"text": "scores from a table; how they came about is not known here"}
    return head | _tables(rules, rows, chosen, warnings) | {
        "checkpoints": [], "curves": {}, "runs": [], "warnings": warnings,
    }  # fmt: skip


def _head(rules: Protocol) -> dict[str, Any]:
    return {
        "name": rules.name, "kind": rules.kind, "world": rules.world, "source": rules.source,
        "note": rules.note, "text": rules.text, "tune_on": rules.tune_on, "report_on": rules.report_on,
        "alpha": ALPHA.get(rules.name, 0.05), "trials_asked": rules.trials,
    }  # fmt: skip


def _tables(
    rules: Protocol, rows: Sequence[TrialScore], chosen: Settings, warnings: list[str]
) -> dict[str, Any]:
    """Scores per game, aggregates, profiles, comparisons, estimates."""
    names = sorted({row.game for row in rows})
    plain = [name for name in names if "@" not in name]
    games = plain if chosen.games is None else select_games(chosen.games)
    reference_set = None if chosen.baselines is None else _reference_set(chosen.baselines)
    matrices = tables.normalise(
        [row for row in rows if "@" not in row.game], chosen.normalise, reference=chosen.reference,
        games=games, baselines=reference_set, require_all=chosen.games is not None and not chosen.partial,
    )  # fmt: skip
    parts = {agent: matrix for agent, matrix in matrices.items() if matrix.columns()}
    if chosen.trials is not None:
        parts = {agent: matrix.first_runs(chosen.trials) for agent, matrix in parts.items()}
    if matrices.undefined:
        warnings.append(f"the normalised score is undefined (empty range): {', '.join(matrices.undefined)}")
    for agent, matrix in parts.items():
        if matrix.missing:
            warnings.append(f"{agent}: no normalised score of {', '.join(matrix.missing)}")
        if rules.report_on in subsets():
            lacking = [game for game in subset(str(rules.report_on)) if game not in matrix.scored]
            if lacking:
                warnings.append(
                    f"{agent} has {len(matrix.scored)} games; {rules.report_on}, which the protocol reports "
                    f"on, has {len(lacking)} more"
                )
    found = aggregate(parts, interval=chosen.level, replications=chosen.replications, seed=chosen.seed)
    aggregates = {agent: [entry.to_dict() for entry in found[agent].values()] for agent in parts}
    for agent, entries in aggregates.items():
        notes = {entry["note"] for entry in entries if entry["note"]}
        warnings += [f"{agent}: {note}" for note in sorted(notes)]
    return {
        "agents": sorted({row.agent for row in rows}),
        "games": _games(rules, rows, matrices),
        "reference": matrices.reference,
        "aggregates": aggregates,
        "profile": _profiles(parts, chosen),
        "at_human_level": _at_human_level(parts) if chosen.normalise == "human" else {},
        "improvement": _improvements(rules, rows, parts, chosen),
        "estimates": _estimates(parts, chosen) if chosen.normalise == "human" else {},
        "crafter": {},
    }


def _reference_set(path: str) -> dict[str, dict[str, float]]:
    columns: dict[str, dict[str, float]] = {}
    for row in tables.read_scores(path):
        assert row.score is not None
        columns.setdefault(row.agent, {})[row.game] = row.score
    return columns


def _games(rules: Protocol, rows: Sequence[TrialScore], matrices: tables.Normalised) -> list[dict[str, Any]]:
    cells: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row.score is not None:
            cells.setdefault(row.game, {}).setdefault(row.agent, []).append(row.score)
    means = {agent: matrix.means() for agent, matrix in matrices.items()}
    result = []
    for game in sorted(cells):
        scores = {}
        for agent in sorted(cells[game]):
            values = cells[game][agent]
            mean, sd = mean_and_sd(values, rules.sd)
            scores[agent] = {
                "mean": mean, "sd": sd, "trials": len(values), "of": len(values), "episodes": 0,
                "normalised": means.get(agent, {}).get(game),
            }  # fmt: skip
        best = max(scores, key=lambda agent: (scores[agent]["mean"], -list(scores).index(agent)))
        result.append({"game": game, "scores": scores, "best": best})
    return result


def _unscored(data: dict[str, Any], counts: Mapping[tuple[str, str], Any]) -> None:
    """Cells of trials that have not come to the checkpoint."""
    games = {game["game"]: game for game in data["games"]}
    for (agent, name), summary in counts.items():
        if summary.mean is None:
            game = games.setdefault(name, {"game": name, "scores": {}, "best": None})
            empty = {
                "mean": None,
                "sd": 0.0,
                "trials": 0,
                "of": summary.of,
                "episodes": 0,
                "normalised": None,
            }
            game["scores"][agent] = empty
    data["games"] = [games[name] for name in sorted(games)]


def _profiles(parts: Mapping[str, Matrix], chosen: Settings) -> dict[str, Any]:
    taus = INTER_TAUS if chosen.normalise == "inter" else [float(tau) for tau in TAUS]
    bands = {agent: profile_band(matrix, taus, seed=chosen.seed).to_dict() for agent, matrix in parts.items()}
    return {
        "taus": taus,
        "agents": {
            agent: {key: band[key] for key in ("shares", "low", "high")} for agent, band in bands.items()
        },
    }


def _at_human_level(parts: Mapping[str, Matrix]) -> dict[str, Any]:
    """The share of games whose mean is at least the human score."""
    return {
        agent: {"games": sum(z >= 1 for z in matrix.means().values()), "of": len(matrix.scored)}
        for agent, matrix in parts.items()
    }


def _improvements(
    rules: Protocol, rows: Sequence[TrialScore], parts: Mapping[str, Matrix], chosen: Settings
) -> list[dict[str, Any]]:
    alpha = ALPHA.get(rules.name, 0.05)
    tests = paired_tests(rows, alpha)
    result = []
    for first in parts:
        for second in parts:
            if first == second or not set(parts[first].scored) & set(parts[second].scored):
                continue
            found = improvement(parts[first], parts[second], seed=chosen.seed, level=chosen.level)
            better, worse = tests.count(first, second)
            result.append({
                "first": first, "second": second, "value": found.value, "low": found.low, "high": found.high,
                "games": len(found.games), "better": better, "worse": worse,
            })  # fmt: skip
    return result


def _estimates(parts: Mapping[str, Matrix], chosen: Settings) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for agent, matrix in parts.items():
        for name in models():
            if set(model(name).games) <= set(matrix.scored):
                entry = atari_k(
                    matrix, name, replications=chosen.replications, level=chosen.level, seed=chosen.seed
                )
                found.setdefault(agent, []).append(entry.to_dict())
    return found


def _curves(rules: Protocol, part: RunSet) -> dict[str, Any]:
    """Game -> agent -> mean return in bins of training frames, averaged over trials."""
    if "frames" not in rules.budget or not rules.trains:
        return {}
    size = max(rules.budget["frames"] // CURVE_BINS, 1)
    lines: dict[str, dict[str, list[list[float | None]]]] = {}
    for log in part:
        if log.phase("train"):
            name = log.run.game if log.run.mode == log.run.difficulty == 0 else _task(log)
            lines.setdefault(name, {}).setdefault(log.run.agent, []).append(curve(log, size)[:CURVE_BINS])
    return {
        game: {agent: _mean_curve(found) for agent, found in sorted(agents.items())}
        for game, agents in sorted(lines.items())
    }


def _task(log: RunLog) -> str:
    from ale_rs.evaluation.tasks import Task

    return Task(log.run.game, log.run.mode, log.run.difficulty).name


def _mean_curve(lines: Sequence[Sequence[float | None]]) -> list[float | None]:
    longest = max(map(len, lines))
    result: list[float | None] = []
    for index in range(longest):
        known = [value for line in lines if index < len(line) and (value := line[index]) is not None]
        result.append(math.fsum(known) / len(known) if known else None)
    return result


def _crafter(rules: Protocol, part: RunSet, found: ProtocolScores) -> dict[str, Any]:
    """Agent -> score over seeds, success rates, mean return."""
    result = {}
    for agent in sorted({row.agent for row in found.rows}):
        rows = [row for row in found.rows if row.agent == agent and row.score is not None]
        values = [row.score for row in rows if row.score is not None]
        mean, sd = mean_and_sd(values, rules.sd)
        rates = dict.fromkeys(ACHIEVEMENTS, 0.0)
        for row in rows:
            for name in ACHIEVEMENTS:
                rates[name] += (row.rates or {})[name] / len(rows)
        returns = [episode.score for log in part.where(agent=agent) for episode in log.episodes]
        result[agent] = {
            "mean": mean, "sd": sd, "trials": len(values),
            "of": sum(row.agent == agent for row in found.rows), "rates": rates if rows else {},
            "return": math.fsum(returns) / len(returns) if returns else None,
            "episodes": sum(row.episodes for row in rows),
        }  # fmt: skip
    return result


def _runs(part: RunSet) -> list[dict[str, Any]]:
    """What was run: one entry per agent, game and set of circumstances."""
    groups: dict[str, dict[str, Any]] = {}
    for log in part:
        run = log.run
        entry = {
            "agent": run.agent, "game": _task(log), "config": dict(run.agent_config), "env": dict(run.env),
            "versions": dict(run.versions), "rom_md5": run.rom_md5, "num_envs": run.num_envs,
        }  # fmt: skip
        group = groups.setdefault(repr(entry), entry | {"seeds": [], "episodes": 0, "frames": 0})
        group["seeds"].append(run.seed)
        group["episodes"] += len(log.episodes)
        group["frames"] += sum(episode.frames for episode in log.episodes)
    return list(groups.values())


def _log_warnings(rules: Protocol, part: RunSet, found: ProtocolScores) -> list[str]:
    warnings = [rules.note] if rules.note else []
    warnings += [f"left out: {path}: {reason}" for path, reason in found.excluded]
    warnings += [f"scored although {reason}: {path}" for path, reason in found.forced]
    unfinished = sum(not log.complete for log in part)
    if unfinished:
        warnings.append(f"{unfinished} of {len(part)} trials are unfinished")
    for row in found.summary():
        if row.trials < row.of:
            where = "" if row.checkpoint is None else f" at {row.checkpoint}"
            warnings.append(f"{row.agent}, {row.game}: {row.trials} of {row.of} trials have a score{where}")
    tuned = rules.tune_on
    if tuned in subsets():
        both = sorted({row.game for row in found.rows} & set(subset(str(tuned))))
        if both:
            warnings.append(f"games that the protocol tunes on ({tuned}): {', '.join(both)}")
    counts: dict[tuple[str, str], set[int]] = {}
    for score in found.rows:
        counts.setdefault((score.agent, score.game), set()).add(score.seed)
    most = max(map(len, counts.values()), default=0)
    if 0 < most < rules.trials:
        warnings.append(f"{most} trials per game; the protocol asks for {rules.trials}")
    if rules.kind in ("evaluation", "train_then_evaluate") and rules.world == "atari":
        warnings.append("scores of an evaluation phase hide sample efficiency and stability of learning")
    return warnings
