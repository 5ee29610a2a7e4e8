"""Protocols: how a trial is run and which one number is made of it. A protocol is a TOML file.

>>> protocol("machado2018").score["window"]
100
>>> protocol("machado2018").env["repeat_action_probability"]
0.25
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ale_rs.evaluation._data import HERE, check_keys, read_toml, unknown
from ale_rs.evaluation.runlog import Run, RunLog, RunSet
from ale_rs.evaluation.tasks import Task, default_mode, subsets
from ale_rs.evaluation.trials import KINDS, Score, mean_and_sd

__all__ = ["GameScore", "Protocol", "ProtocolScores", "TrialScore", "protocol", "protocols", "start_run"]

UNSPECIFIED = "unspecified"
"""The protocol of logs that were written without one; any protocol with the same settings may score them."""

KEYS = (
    "kind", "world", "tune_on", "report_on", "trials", "source", "note", "model", "env", "budget", "score",
    "summary",
)  # fmt: skip
ENV_KEYS = {
    "atari": (
        "frameskip", "repeat_action_probability", "full_action_space", "max_num_frames_per_episode",
        "terminal_on_life_loss", "noop_max",
    ),
    "crafter": ("reward", "length", "area", "view", "size"),
}  # fmt: skip
BUDGET_KEYS = ("frames", "episodes")
NEUTRAL: Mapping[str, Any] = {
    "terminal_on_life_loss": False, "noop_max": 0, "action_noise": 0.0, "corrected": False,
    "continuous": False,
}  # fmt: skip
"""Settings of a log that matter also where a protocol does not name them: the value that changes nothing."""


@dataclass(frozen=True)
class TrialScore:
    """The number that a protocol makes of a trial.

    Attributes:
        agent: name of the agent.
        game: name of the task, `"freeway"` or `"freeway@m1d0"`.
        seed: number of the trial.
        checkpoint: frames of the checkpoint, the name of a window, or `None` for evaluation.
        score: the score; `None` if the trial has not come that far.
        episodes: episodes behind the score.
        sd: sample standard deviation over these episodes, where the protocol reports one.
        rates: Crafter only: success rates in percent.
    """

    agent: str
    game: str
    seed: int
    checkpoint: int | str | None
    score: float | None
    episodes: int
    sd: float | None = None
    rates: Mapping[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row as a plain dict."""
        return {
            key: value for key, value in vars(self).items() if key not in ("sd", "rates") or value is not None
        }


@dataclass(frozen=True)
class GameScore:
    """The trials of an agent on a game.

    Attributes:
        agent: name of the agent.
        game: name of the task.
        checkpoint: as in `TrialScore`.
        mean: mean of the trial scores; `None` if no trial has one.
        sd: standard deviation over trials; 0 for one trial.
        trials: trials with a score.
        of: trials at all.
        episodes: the fewest episodes behind a trial's score.
    """

    agent: str
    game: str
    checkpoint: int | str | None
    mean: float | None
    sd: float
    trials: int
    of: int
    episodes: int

    def to_dict(self) -> dict[str, Any]:
        """The row as a plain dict."""
        return dict(vars(self))


@dataclass(frozen=True)
class ProtocolScores:
    """Trial scores under a protocol.

    Attributes:
        protocol: the protocol.
        rows: one per trial and checkpoint, sorted.
        excluded: logs that do not follow the protocol, with the reason.
        forced: logs that do not follow it and were scored all the same.
    """

    protocol: "Protocol"
    rows: tuple[TrialScore, ...]
    excluded: tuple[tuple[str, str], ...] = ()
    forced: tuple[tuple[str, str], ...] = ()

    @property
    def last(self) -> tuple[TrialScore, ...]:
        """The rows of the last checkpoint, which aggregates are made of."""
        checkpoint = self.protocol.last_checkpoint
        return tuple(row for row in self.rows if row.checkpoint == checkpoint)

    def summary(self) -> list[GameScore]:
        """Mean and standard deviation over the trials of every agent, game and checkpoint."""
        groups: dict[tuple[str, str, int | str | None], list[TrialScore]] = {}
        for row in self.rows:
            groups.setdefault((row.agent, row.game, row.checkpoint), []).append(row)
        result = []
        for (agent, game, checkpoint), rows in groups.items():
            scored = [row for row in rows if row.score is not None]
            mean, sd = mean_and_sd([row.score for row in scored if row.score is not None], self.protocol.sd)
            fewest = min((row.episodes for row in scored), default=0)
            result.append(GameScore(agent, game, checkpoint, mean, sd, len(scored), len(rows), fewest))
        return result


@dataclass(frozen=True)
class Protocol:
    """A protocol.

    Attributes:
        name: its name.
        kind: how a trial becomes a score: one of `training`, `evaluation`, `train_then_evaluate`,
            `training_tertiles`, `achievements`.
        world: `"atari"` or `"crafter"`.
        trials: how many trials it asks for.
        env: settings of the environment.
        budget: `frames` or `episodes` of training; Crafter's frames are steps.
        score: parameters of the kind.
        sd: `"sample"` or `"population"`.
        tune_on: the subset that parameters are tuned on.
        report_on: the subset that results are reported on.
        model: the Atari-k model that turns scores into an estimate.
        source: the paper.
        note: what a report must say about it.
        text: the TOML.
    """

    name: str
    kind: str
    world: str
    trials: int
    env: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, int] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    sd: str = "sample"
    tune_on: str | None = None
    report_on: str | None = None
    model: str | None = None
    source: str = ""
    note: str = ""
    text: str = field(default="", repr=False)

    @property
    def last_checkpoint(self) -> int | str | None:
        """The checkpoint that aggregates are made of."""
        return KINDS[self.kind].checkpoints(self.score)[-1]

    @property
    def trains(self) -> bool:
        """Whether the agent learns during a trial."""
        return self.kind != "evaluation"

    def run(
        self,
        agent: str,
        game: str,
        seed: int,
        *,
        mode: int | None = None,
        difficulty: int = 0,
        config: Mapping[str, Any] | None = None,
        num_envs: int = 1,
    ) -> Run:
        """The first line of a log of this protocol: settings, versions and checksum are filled in.

        Args:
            agent: name of the agent.
            game: id of the game.
            seed: number of the trial.
            mode: mode of the game; by default its first.
            difficulty: difficulty of the game.
            config: parameters of the agent.
            num_envs: environments that it trains with at once.
        """
        return start_run(
            agent, game, seed, protocol=self.name, env=self.env, mode=mode, difficulty=difficulty,
            config=config, num_envs=num_envs,
        )  # fmt: skip

    def mismatch(self, log: RunLog) -> str | None:
        """Why a log cannot be scored under this protocol; `None` if it can."""
        run = log.run
        if run.protocol not in (self.name, UNSPECIFIED):
            return f"was recorded under the protocol {run.protocol}"
        for key, expected in {**NEUTRAL, **self.env}.items():
            found = run.env.get(key, NEUTRAL.get(key))
            if found != expected:
                return f"env.{key} is {found!r}, the protocol {self.name} says {expected!r}"
        return None

    def scores(
        self, runs: RunSet | Iterable[RunLog], *, partial: bool = False, force: bool = False
    ) -> ProtocolScores:
        """The score of every trial at every checkpoint.

        Args:
            runs: the logs.
            partial: score trials with fewer evaluation episodes than the protocol asks for.
            force: score logs with other settings, too; they are listed in `forced`.
        """
        rows: list[TrialScore] = []
        excluded: list[tuple[str, str]] = []
        forced: list[tuple[str, str]] = []
        for log in runs:
            reason = self.mismatch(log)
            if reason is not None:
                (forced if force else excluded).append((log.path, reason))
                if not force:
                    continue
            run = log.run
            task = Task(run.game, run.mode, run.difficulty).name
            try:
                found: list[Score] = KINDS[self.kind].scores(log, self.score, self.budget, partial)
            except ValueError as error:
                raise ValueError(f"{log.path}: {error}") from None
            rows += [TrialScore(run.agent, task, run.seed, *score) for score in found]
        order = {mark: i for i, mark in enumerate(KINDS[self.kind].checkpoints(self.score))}
        rows.sort(key=lambda row: (row.agent, row.game, row.seed, order[row.checkpoint]))
        return ProtocolScores(self, tuple(rows), tuple(excluded), tuple(forced))


def start_run(
    agent: str,
    game: str,
    seed: int,
    *,
    protocol: str = UNSPECIFIED,
    env: Mapping[str, Any] | None = None,
    mode: int | None = None,
    difficulty: int = 0,
    config: Mapping[str, Any] | None = None,
    num_envs: int = 1,
) -> Run:
    """The first line of a log, with versions, default mode and checksum of the ROM filled in."""
    import numpy as np

    from ale_rs import _native, games

    known = game in games.names()
    run = Run(
        agent=agent,
        game=game,
        seed=seed,
        protocol=protocol,
        mode=default_mode(game) if mode is None else mode,
        difficulty=difficulty,
        env=dict(env or {}),
        num_envs=num_envs,
        versions={"ale_rs": _native.__version__, "numpy": np.__version__},
        rom_md5=games.get(game).md5 if known else "",
        agent_config=dict(config or {}),
    )
    run.check()
    return run


@functools.cache
def protocols() -> tuple[str, ...]:
    """The names of the protocols that are shipped."""
    return tuple(sorted(path.stem for path in (HERE / "protocols").glob("*.toml")))


def protocol(name: str | Path) -> Protocol:
    """A protocol by its name, or by the path of a TOML file of your own.

    Raises:
        ValueError: no protocol has this name (the text names the nearest), or the file is wrong.
    """
    if isinstance(name, Path) or str(name).endswith(".toml"):
        return _read(Path(name).expanduser())
    if name not in protocols():
        raise unknown("protocol", name, protocols())
    return _shipped(name)


@functools.cache
def _shipped(name: str) -> Protocol:
    return _read(HERE / "protocols" / f"{name}.toml")


def _read(path: Path) -> Protocol:
    table = read_toml(path)
    where = path.name
    check_keys(where, table, KEYS)
    kind = _choice(where, table, "kind", KINDS)
    world = _choice(where, table, "world", ENV_KEYS)
    env, budget, score = (table.get(part, {}) for part in ("env", "budget", "score"))
    check_keys(f"{where} [env]", env, ENV_KEYS[world])
    check_keys(f"{where} [budget]", budget, BUDGET_KEYS)
    KINDS[kind].check(where, score, budget)
    summary = table.get("summary", {})
    check_keys(f"{where} [summary]", summary, ["sd"])
    sd = _choice(f"{where} [summary]", {"sd": "sample", **summary}, "sd", ("sample", "population"))
    for key in ("tune_on", "report_on"):
        if key in table and table[key] not in subsets() and table[key] != "crafter":
            Task.parse(table[key])
    trials = table.get("trials", 1)
    if type(trials) is not int or trials < 1:
        raise ValueError(f"{where}: trials is {trials!r}, accepted: an int from 1 on")
    return Protocol(
        name=path.stem,
        kind=kind,
        world=world,
        trials=trials,
        env=env,
        budget=budget,
        score=score,
        sd=sd,
        tune_on=table.get("tune_on"),
        report_on=table.get("report_on"),
        model=table.get("model"),
        source=table.get("source", ""),
        note=table.get("note", ""),
        text=path.read_text(encoding="utf-8"),
    )


def _choice(where: str, table: Mapping[str, Any], key: str, accepted: Iterable[str]) -> str:
    names = list(accepted)
    if key not in table:
        raise ValueError(f"{where}: the key {key!r} is missing; accepted: {', '.join(names)}")
    if table[key] not in names:
        raise ValueError(f"{where}: {unknown(key, table[key], names)}")
    return str(table[key])
