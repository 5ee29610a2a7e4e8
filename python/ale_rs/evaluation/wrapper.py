"""`Log`: one line in a training script writes its run log.

    env = ev.Log(gym.make("ALE/Pong-v5"), "runs", agent="dqn", seed=3)

It goes inside any reward clipping and inside wrappers that end episodes at the loss of a life, because a log
has the unclipped return of whole games. A wrapper order that makes this impossible is refused.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from ale_rs._gymnasium import AutoresetMode, VectorEnv, VectorWrapper
from ale_rs.evaluation._environments import Known, look_at, look_at_vector
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from ale_rs.evaluation.protocol import UNSPECIFIED, protocol, start_run
from ale_rs.evaluation.writer import Writer

__all__ = ["Log", "VectorLog"]


class _Book:
    """An open log and the environments that write to it."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.members: list[_Member] = []
        self.total = {phase: writer.frames(phase) for phase in ("train", "evaluate")}

    def frames(self, phase: str) -> int:
        """Frames of a phase over all environments at this moment."""
        return self.total[phase] + sum(member.frames for member in self.members if member.phase == phase)


_OPEN: dict[Path, _Book] = {}
"""Logs that this process writes: several environments of one trial share theirs."""


class _Member:
    """The running episode of one environment."""

    def __init__(self, book: _Book) -> None:
        self.book = book
        self.phase = "train"
        self.playing = False
        self.score, self.frames, self.steps, self.start = 0.0, 0, 0, 0
        self.seed: int | None = None
        book.members.append(self)

    def begin(self, frame: int, seed: int | None, phase: str) -> None:
        """A reset; an episode that was not finished is dropped."""
        self.score, self.frames, self.steps, self.start = 0.0, 0, 0, frame
        self.seed, self.phase, self.playing = seed, phase, True

    def step(self, reward: float, frame: int) -> None:
        self.score += reward
        self.steps += 1
        self.frames = frame - self.start

    def end(self, terminated: bool, truncated: bool, achievements: Mapping[str, int] | None) -> None:
        """Write the record."""
        book, frames = self.book, self.frames
        total = book.frames(self.phase)
        book.writer.episode(
            self.phase,
            self.score,
            frames=frames,
            steps=self.steps,
            terminated=terminated,
            truncated=truncated,
            seed=self.seed,
            total_frames=total,
            achievements=achievements,
        )
        book.total[self.phase] += frames
        self.frames = 0
        self.playing = False


def _open(
    root: str | os.PathLike[str], known: Known, agent: str, seed: int, options: Mapping[str, Any], keep: int
) -> _Book:
    name = options["protocol"]
    if name is not None:
        protocol(name)  # an unknown name is told now
    run = start_run(
        agent, known.game, seed, protocol=name or UNSPECIFIED, env=known.env, mode=known.mode,
        difficulty=known.difficulty, config=options["config"], num_envs=options["num_envs"],
    )  # fmt: skip
    path = (Path(root).expanduser() / run.path).resolve()
    book = _OPEN.get(path)
    if book is not None and len(book.members) < run.num_envs and book.writer.run == run:
        return book
    writer = Writer(root, run)
    if writer.complete:
        writer.close()
        raise ValueError(f"{path}: is a finished trial; take another seed or another name of the agent")
    if keep > len(writer.episodes):
        writer.close()
        raise ValueError(f"{path}: has {len(writer.episodes)} episodes, keep is {keep}")
    writer.keep(keep)
    return _OPEN.setdefault(path, _Book(writer))


def _close(book: _Book, members: list[_Member]) -> None:
    """The last environment that closes ends the log, unless an error is on its way."""
    for member in members:
        if member in book.members:
            book.members.remove(member)
            book.total[member.phase] += member.frames
    if not book.members:
        for path in [path for path, each in _OPEN.items() if each is book]:
            del _OPEN[path]
        if not book.writer.complete and sys.exc_info()[0] is None:
            book.writer.end("closed")
        book.writer.close()


class Log(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Writes a record per finished episode; `close()` ends the log.

    Args:
        env: an Atari game (of `ale_rs` or `ale_py`), Crafter, with or without wrappers; or a vector
            environment of `ale_rs`, that of `ale_rs.sb3` included.
        root: the directory of logs.
        agent: name of the agent.
        seed: number of the trial.
        protocol: the protocol that the training follows; without one, the log is scored under any protocol
            with the same settings.
        config: parameters of the agent.
        num_envs: how many environments of this process are the trial; each has its own `Log` with the same
            arguments, and they share the file.
        keep: episodes of an unfinished log that the agent's checkpoint has seen. The others go to a
            file `.partial`; 0 starts anew.

    Raises:
        ValueError: a wrapper inside clips rewards or cuts episodes, or the trial is finished.
    """

    phase = "train"
    """`"train"` or `"evaluate"`: taken at every reset."""

    def __new__(cls, env: Any, *arguments: Any, **options: Any) -> Any:
        """A `VectorLog` for a vector environment."""
        if isinstance(env, VectorEnv):
            return VectorLog(env, *arguments, **options)
        if isinstance(getattr(env, "envs", None), VectorEnv):  # that of `ale_rs.sb3`
            env.envs = VectorLog(env.envs, *arguments, **options)
            return env
        if not isinstance(env, gymnasium.Env):
            raise TypeError(f"{type(env).__name__} is no environment of gymnasium")
        return super().__new__(cls)

    def __init__(
        self,
        env: Any,
        root: str | os.PathLike[str],
        *,
        agent: str,
        seed: int = 0,
        protocol: str | None = None,
        config: Mapping[str, Any] | None = None,
        num_envs: int = 1,
        keep: int = 0,
    ) -> None:
        super().__init__(env)
        self._known = look_at(env)
        options = {"protocol": protocol, "config": config, "num_envs": num_envs}
        self._member = _Member(_open(root, self._known, agent, seed, options, keep))

    @property
    def path(self) -> Path:
        """The file."""
        return self._member.book.writer.path

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start an episode; one that was not finished is dropped."""
        result = self.env.reset(seed=seed, options=options)
        self._member.begin(self._known.frame(), seed, self.phase)
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play and write down."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        member = self._member
        if member.playing:
            gained = info["reward"] if self._known.reward_in_info else reward
            member.step(float(gained), self._known.frame())
            if terminated or truncated:
                member.end(bool(terminated), bool(truncated), _counts(info))
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """End the log and close the environment."""
        _close(self._member.book, [self._member])
        super().close()


def _counts(info: Mapping[str, Any]) -> dict[str, int] | None:
    found = info.get("achievements")
    return None if found is None else {name: int(count) for name, count in found.items()}


def _unlocked(info: Mapping[str, Any], index: int) -> dict[str, int] | None:
    """The counts of one world of a batch, which come in the order of the achievements' names."""
    found = info.get("achievements")
    return None if found is None else dict(zip(ACHIEVEMENTS, map(int, found[index]), strict=True))


class VectorLog(VectorWrapper[Any, Any, Any]):
    """`Log` for a vector environment of `ale_rs`: one log, episodes in order of finishing, ties by index."""

    phase = "train"

    def __init__(
        self,
        env: Any,
        root: str | os.PathLike[str],
        *,
        agent: str,
        seed: int = 0,
        protocol: str | None = None,
        config: Mapping[str, Any] | None = None,
        keep: int = 0,
    ) -> None:
        super().__init__(env)
        known = look_at_vector(env)
        options = {"protocol": protocol, "config": config, "num_envs": env.num_envs}
        book = _open(root, known, agent, seed, options, keep)
        self._members = [_Member(book) for _ in range(env.num_envs)]
        self._frames, self._rewards = known.frame_key, known.reward_key
        self._mode = AutoresetMode(env.unwrapped.metadata["autoreset_mode"])
        self._waiting = np.zeros(env.num_envs, bool)

    def __getattr__(self, name: str) -> Any:
        """What the environment has beyond gymnasium's interface: `send`, `games`, `screen`, ..."""
        if name.startswith("_") or name == "env":
            raise AttributeError(name)
        return getattr(self.env, name)

    @property
    def path(self) -> Path:
        """The file."""
        return self._members[0].book.writer.path

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes: all, or those of the mask in `options`."""
        observations, info = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        mask = np.ones(self.num_envs, bool) if not options else options.get("reset_mask", True)
        for index in np.flatnonzero(np.broadcast_to(mask, self.num_envs)).tolist():
            given = seed[index] if isinstance(seed, list) else None if seed is None else seed + int(index)
            self._members[index].begin(int(info[self._frames][index]), given, self.phase)
            self._members[index].score = self._of_the_start(info, index)
            self._waiting[index] = False
        return observations, info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play and write down."""
        return self._written(self.env.step(actions))

    def recv(self) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Wait for a step that was sent, and write down."""
        return self._written(self.env.recv())  # type: ignore[attr-defined]

    def _written(
        self, result: tuple[Any, Any, Any, Any, dict[str, Any]]
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        _, rewards, terminated, truncated, info = result
        gained = info.get(self._rewards, rewards)
        over = terminated | truncated
        final = info.get("final_info") if over.any() else None
        for index in range(self.num_envs):
            member = self._members[index]
            if self._waiting[index]:  # NEXT_STEP: this step was the reset
                self._waiting[index] = False
                if not member.playing:
                    member.begin(int(info[self._frames][index]), None, self.phase)
                continue
            if not member.playing:
                continue
            last = final if final is not None and over[index] else info
            member.step(float(last.get(self._rewards, gained)[index]), int(last[self._frames][index]))
            if not over[index]:
                continue
            self._waiting[index] = self._mode == AutoresetMode.NEXT_STEP
            if "game_over" in last and not (last["game_over"][index] or truncated[index]):
                if self._mode == AutoresetMode.SAME_STEP:
                    member.score += self._of_the_start(info, index)
                continue  # a life was lost, the game goes on
            member.end(bool(terminated[index]), bool(truncated[index]), _unlocked(last, index))
            if self._mode == AutoresetMode.SAME_STEP:
                member.begin(int(info[self._frames][index]), None, self.phase)
                member.score = self._of_the_start(info, index)
        return result

    def _of_the_start(self, info: Mapping[str, Any], index: int) -> float:
        """What the steps of a start brought, where wrappers below make some."""
        return float(info["raw_reward"][index]) if "raw_reward" in info else 0.0

    def close(self, **keywords: Any) -> None:
        """End the log and close the environment."""
        _close(self._members[0].book, self._members)
        super().close(**keywords)
