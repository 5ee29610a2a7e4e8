"""The three records of a run log and their text: one JSON object per line, keys in a fixed order.

| record    | how often               | says                                        |
|-----------|-------------------------|---------------------------------------------|
| `Run`     | the first line          | who played what with which settings         |
| `Episode` | one per episode         | its return and length, in order of finishing |
| `End`     | the last line, complete trials only | how much there was, and why it stopped |
"""

import json
import math
import os
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

__all__ = ["PHASES", "SCHEMA", "End", "Episode", "Run"]

SCHEMA = 1
"""The version of the format."""
PHASES = ("train", "evaluate")
"""Whether the agent learned during an episode."""

_SAFE = ":+,=@ ()" if os.name != "nt" else "+,=@ ()"


@dataclass(frozen=True)
class Run:
    """Who played what: the first line of a log.

    Attributes:
        agent: name of the agent, `"dqn"` or `"const:FIRE"`.
        game: id of the game, `"pong"`, or `"crafter"`.
        mode: mode of the game.
        difficulty: difficulty of the game.
        seed: number of the trial, from 0 on.
        protocol: name of the protocol that the trial follows.
        env: settings of the environment.
        num_envs: how many environments the agent trained with at once.
        versions: package -> version.
        rom_md5: checksum of the ROM; empty for Crafter.
        agent_config: parameters of the agent, its observation pipeline included.
        extra: further keys, kept and ignored.
    """

    agent: str
    game: str
    seed: int
    protocol: str
    mode: int = 0
    difficulty: int = 0
    env: Mapping[str, Any] = field(default_factory=dict)
    num_envs: int = 1
    versions: Mapping[str, str] = field(default_factory=dict)
    rom_md5: str = ""
    agent_config: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, str, str, int, int, int]:
        """What makes a trial: two logs with the same identity are an error."""
        return (self.protocol, self.agent, self.game, self.mode, self.difficulty, self.seed)

    @property
    def path(self) -> PurePosixPath:
        """The name of the log below the directory of runs.

        >>> str(Run("const:FIRE", "pong", 3, "machado2018").path)
        'machado2018/const:FIRE/pong/m0d0/s3.jsonl'
        """
        parts = [_part(name) for name in (self.protocol, self.agent, self.game)]
        return PurePosixPath(*parts, f"m{self.mode}d{self.difficulty}", f"s{self.seed}.jsonl")

    def to_dict(self) -> dict[str, Any]:
        """The record in the order of its keys."""
        return {
            "kind": "run",
            "schema": SCHEMA,
            "agent": self.agent,
            "game": self.game,
            "mode": self.mode,
            "difficulty": self.difficulty,
            "seed": self.seed,
            "protocol": self.protocol,
            "env": dict(self.env),
            "num_envs": self.num_envs,
            "versions": dict(self.versions),
            "rom_md5": self.rom_md5,
            "agent_config": dict(self.agent_config),
            **self.extra,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Run":
        """The record of a line; `ValueError` says which key is wrong."""
        values = dict(record)
        _kind(values, "run")
        schema = values.pop("schema", None)
        if schema != SCHEMA:
            raise ValueError(f"schema is {schema!r}, this version reads schema {SCHEMA}")
        run = cls(
            agent=_take(values, "agent", str),
            game=_take(values, "game", str),
            mode=_take(values, "mode", int),
            difficulty=_take(values, "difficulty", int),
            seed=_take(values, "seed", int),
            protocol=_take(values, "protocol", str),
            env=_take(values, "env", dict),
            num_envs=_take(values, "num_envs", int),
            versions=_take(values, "versions", dict),
            rom_md5=_take(values, "rom_md5", str),
            agent_config=_take(values, "agent_config", dict),
            extra=values,
        )
        run.check()
        return run

    def check(self) -> None:
        """Refuse what cannot be a run."""
        for key in ("agent", "game", "protocol"):
            if not getattr(self, key).strip("."):
                raise ValueError(f"{key} is {getattr(self, key)!r}, accepted: a name")
        for key in ("mode", "difficulty", "seed"):
            if getattr(self, key) < 0:
                raise ValueError(f"{key} is {getattr(self, key)}, accepted: an int from 0 on")
        if self.num_envs < 1:
            raise ValueError(f"num_envs is {self.num_envs}, accepted: an int from 1 on")


@dataclass(frozen=True)
class Episode:
    """A finished episode.

    Attributes:
        phase: `"train"` or `"evaluate"`.
        episode: index within the phase, without gaps.
        score: the key `return`: undiscounted sum of the unclipped rewards up to game over.
        frames: emulated frames caused by the agent's actions, skipped ones included.
        total_frames: frames of the trial in this phase up to and including this episode.
        steps: decisions of the agent.
        terminated: as in the environment.
        truncated: as in the environment.
        seed: the seed given to `reset` for this episode, if one was.
        achievements: Crafter only: name -> count.
        extra: further keys, kept and ignored.
    """

    phase: str
    episode: int
    score: float
    frames: int
    total_frames: int
    steps: int
    terminated: bool
    truncated: bool
    seed: int | None = None
    achievements: Mapping[str, int] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The record in the order of its keys."""
        record: dict[str, Any] = {
            "kind": "episode",
            "phase": self.phase,
            "episode": self.episode,
            "return": float(self.score),
            "frames": self.frames,
            "total_frames": self.total_frames,
            "steps": self.steps,
            "terminated": self.terminated,
            "truncated": self.truncated,
            "seed": self.seed,
        }
        if self.achievements is not None:
            record["achievements"] = dict(self.achievements)
        return {**record, **self.extra}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Episode":
        """The record of a line; `ValueError` says which key is wrong."""
        values = dict(record)
        _kind(values, "episode")
        episode = cls(
            phase=_take(values, "phase", str),
            episode=_take(values, "episode", int),
            score=_number(values, "return"),
            frames=_take(values, "frames", int),
            total_frames=_take(values, "total_frames", int),
            steps=_take(values, "steps", int),
            terminated=_take(values, "terminated", bool),
            truncated=_take(values, "truncated", bool),
            seed=_optional(values, "seed"),
            achievements=_counts(values),
            extra=values,
        )
        episode.check()
        return episode

    def check(self) -> None:
        """Refuse what cannot be an episode."""
        if self.phase not in PHASES:
            raise ValueError(f"phase is {self.phase!r}, accepted: {', '.join(PHASES)}")
        if not math.isfinite(self.score):
            raise ValueError(f"return is {self.score}, accepted: a finite number")
        for key, least in (("episode", 0), ("frames", 1), ("total_frames", 1), ("steps", 0)):
            if getattr(self, key) < least:
                raise ValueError(f"{key} is {getattr(self, key)}, accepted: an int from {least} on")


@dataclass(frozen=True)
class End:
    """The last line of a complete trial.

    Attributes:
        episodes: episodes of all phases.
        total_frames: frames of all phases.
        reason: why the trial stopped, `"budget"`.
        extra: further keys, kept and ignored.
    """

    episodes: int
    total_frames: int
    reason: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The record in the order of its keys."""
        return {
            "kind": "end",
            "episodes": self.episodes,
            "total_frames": self.total_frames,
            "reason": self.reason,
            **self.extra,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "End":
        """The record of a line; `ValueError` says which key is wrong."""
        values = dict(record)
        _kind(values, "end")
        return cls(
            episodes=_take(values, "episodes", int),
            total_frames=_take(values, "total_frames", int),
            reason=_take(values, "reason", str),
            extra=values,
        )


def line_of(record: Run | Episode | End) -> bytes:
    """A record as a line of the file: compact JSON, floats as the shortest text that reads back equal."""
    try:
        text = json.dumps(record.to_dict(), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a record of a run log holds what JSON cannot: {error}: {record}") from None
    return text.encode() + b"\n"


def _part(name: str) -> str:
    """A name as one part of a path."""
    quoted = urllib.parse.quote(name, safe=_SAFE)
    return re.sub(r"^\.+$", lambda dots: "%2E" * len(dots[0]), quoted)


def _kind(values: dict[str, Any], expected: str) -> None:
    kind = values.pop("kind", None)
    if kind != expected:
        raise ValueError(f"kind is {kind!r}, expected {expected!r}")


def _take(values: dict[str, Any], key: str, type_: type) -> Any:
    if key not in values:
        raise ValueError(f"the key {key!r} is missing")
    value = values.pop(key)
    if type(value) is not type_:
        raise ValueError(f"{key} is {value!r}, expected {_TYPES[type_]}")
    return value


_TYPES = {str: "a string", int: "an int", bool: "true or false", dict: "an object"}


def _number(values: dict[str, Any], key: str) -> float:
    if key not in values:
        raise ValueError(f"the key {key!r} is missing")
    value = values.pop(key)
    if type(value) not in (int, float):
        raise ValueError(f"{key} is {value!r}, expected a number")
    return float(value)


def _optional(values: dict[str, Any], key: str) -> int | None:
    if values.get(key) is None:
        values.pop(key, None)
        return None
    seed: int = _take(values, key, int)
    return seed


def _counts(values: dict[str, Any]) -> dict[str, int] | None:
    counts = values.pop("achievements", None)
    if counts is None:
        return None
    if type(counts) is not dict or any(type(n) is not int or n < 0 for n in counts.values()):
        raise ValueError(f"achievements is {counts!r}, expected an object of counts")
    return counts
