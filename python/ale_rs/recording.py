"""Action logs: a play written down, and played again exactly.

A log is a text file of JSON lines: a head with the game and its options, what happened, and a checksum over
all that was seen. `ale-rs play --log FILE` writes one, `ale-rs replay FILE` reads it.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from ale_rs import roms
from ale_rs._native import ALEInterface, Snapshot
from ale_rs.enums import Action

__all__ = ["ActionLog", "Options", "Recorder", "start_states"]

FORMAT = "ale_rs action log"
VERSION = 1


@dataclass(frozen=True)
class Options:
    """What a game is started with.

    Attributes:
        game: id of a game, or the path of a ROM file.
        mode: a mode of the game; `None` for its first.
        difficulty: a difficulty of the game.
        seed: the seed of sticky actions.
        sticky: the probability that a frame repeats the action before.
    """

    game: str
    mode: int | None = None
    difficulty: int = 0
    seed: int = 0
    sticky: float = 0.0

    def start(self) -> ALEInterface:
        """The game at its beginning."""
        ale = ALEInterface()
        ale.setInt("random_seed", self.seed)
        ale.setFloat("repeat_action_probability", self.sticky)
        ale.setBool("sound_obs", True)
        ale.loadROM(roms.find(self.game))
        if self.mode is not None:
            ale.setMode(self.mode)
        ale.setDifficulty(self.difficulty)
        ale.reset_game()
        return ale


class Recorder:
    """Plays a game and writes down how.

    >>> import tempfile; from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "pong.log"
    >>> with Recorder(Options("pong"), path) as recorder:
    ...     for _ in range(10):
    ...         _ = recorder.act(Action.FIRE)
    >>> ActionLog.read(path).replay().getFrameNumber()
    10
    """

    def __init__(self, options: Options, path: str | Path | None = None) -> None:
        self.ale = options.start()
        self._lines: list[str] = [json.dumps({"format": FORMAT, "version": VERSION} | vars(options))]
        self._path = None if path is None else Path(path)
        self._trace = _Trace(self.ale)
        self._held: tuple[int, float] | None = None
        self._count = 0

    def act(self, action: Action, strength: float = 1.0) -> int:
        """One frame."""
        if (action.value, strength) != self._held:
            self._flush()
            self._held = (action.value, strength)
        self._count += 1
        reward = self.ale.act(action, strength)
        self._trace.look()
        return reward

    def reset(self) -> None:
        """A new episode."""
        self._event("reset")
        self.ale.reset_game()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot."""
        self._event("restore", base64.b64encode(zlib.compress(snapshot.to_bytes())).decode())
        self.ale.restore(snapshot)

    def close(self) -> None:
        """Write the file."""
        if self._path is None:
            return
        self._event("end", self._trace.frames, self._trace.digest())
        self._path.write_text("\n".join(self._lines) + "\n")
        self._path = None

    def _event(self, *event: Any) -> None:
        self._flush()
        self._lines.append(json.dumps(event))

    def _flush(self) -> None:
        if self._held is not None and self._count:
            action, strength = self._held
            self._lines.append(json.dumps(["act", action, self._count, *([strength] * (strength != 1.0))]))
        self._held, self._count = None, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class ActionLog:
    """A play that was written down.

    Attributes:
        options: what the game was started with.
        events: what happened then, `["act", action, frames]` and so on.
        frames: number of frames.
        digest: checksum of everything that was seen.
    """

    options: Options
    events: list[list[Any]] = field(repr=False)
    frames: int
    digest: str

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a log.

        Raises:
            ValueError: the file is no whole log of a known version.
        """
        try:
            head, *events = [json.loads(line) for line in Path(path).read_text().splitlines()]
            if head.pop("format") != FORMAT:
                raise ValueError("another format")
            if (version := head.pop("version")) != VERSION:
                raise ValueError(f"version {version}, accepted: {VERSION}")
            name, frames, digest = events.pop()
            if name != "end" or not all(isinstance(event, list) and event for event in events):
                raise ValueError("its end is missing")
            return cls(Options(**head), events, int(frames), str(digest))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"{path} is no action log: {error}") from error

    def play(self, ale: ALEInterface) -> Iterator[int]:
        """Play it again, frame by frame; yields the reward of each frame."""
        for name, *arguments in self.events:
            match name, arguments:
                case "act", [int(action), int(count), *strength]:
                    for _ in range(count):
                        yield ale.act(action, *strength)
                case "reset", []:
                    ale.reset_game()
                case "restore", [str(text)]:
                    ale.restore(Snapshot.from_bytes(zlib.decompress(base64.b64decode(text))))
                case _:
                    raise ValueError(f"unknown event {name} in an action log")

    def replay(self, watch: Callable[[ALEInterface], object] | None = None) -> ALEInterface:
        """Play it again and compare it with what was seen then.

        Args:
            watch: called after every frame.

        Raises:
            ValueError: something was different.
        """
        ale = self.options.start()
        trace = _Trace(ale)
        for _ in self.play(ale):
            trace.look()
            if watch is not None:
                watch(ale)
        if (trace.frames, trace.digest()) != (self.frames, self.digest):
            raise ValueError(
                f"the replay differs from the play: {trace.frames} frames with checksum {trace.digest()}, "
                f"the log has {self.frames} with {self.digest}"
            )
        return ale


class _Trace:
    """A checksum over the RAM and the picture of every frame."""

    def __init__(self, ale: ALEInterface) -> None:
        self.ale = ale
        self.frames = 0
        self._hash = hashlib.blake2b(digest_size=16)

    def look(self) -> None:
        self.frames += 1
        self._hash.update(self.ale.getRAM().data)
        self._hash.update(self.ale.getScreen().data)

    def digest(self) -> str:
        return self._hash.hexdigest()


def start_states(log: str | Path | ActionLog, count: int = 100) -> list[Snapshot]:
    """Moments of a play, evenly spread, for `AtariEnv(..., start_states=...)`.

    Moments in which the game is over are left out.
    """
    played = log if isinstance(log, ActionLog) else ActionLog.read(log)
    if count < 1 or played.frames < 1:
        raise ValueError(
            f"{count} states of a play of {played.frames} frames; accepted: at least one of each"
        )
    step = max(played.frames // count, 1)
    ale = played.options.start()
    moments = (
        ale.snapshot()
        for frame, _ in enumerate(played.play(ale))
        if frame % step == 0 and not ale.game_over()
    )
    return list(moments)[:count]
