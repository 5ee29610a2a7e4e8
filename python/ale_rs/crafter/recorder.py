"""Recording of episodes: `stats.jsonl`, npz files and videos."""

import datetime
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import IO, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ale_rs.crafter.env import ACHIEVEMENTS, CrafterEnv
from ale_rs.video import ffmpeg_path

__all__ = ["Recorder"]


class Recorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Writes what happens in an environment to a directory.

    `stats.jsonl` gets a line per finished episode with `length`, `reward` and `achievement_<name>`;
    `<time>-ach<unlocked>-len<length>.npz` and `.mp4` have the episode itself. Unlike the reference's recorder
    it never changes the game.

    Args:
        env: a `CrafterEnv`, or wrappers around one.
        directory: where the files go; `None` records nothing.
        save_stats: write `stats.jsonl`.
        save_video: write videos; needs ffmpeg.
        save_episode: write npz files.
        video_size: width and height of the videos.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        directory: "str | os.PathLike[str] | None",
        save_stats: bool = True,
        save_video: bool = True,
        save_episode: bool = True,
        video_size: tuple[int, int] = (512, 512),
    ) -> None:
        super().__init__(env)
        self._directory = None if directory is None else Path(directory)
        self._parts: list[_Part] = []
        if self._directory is None:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        game = env.unwrapped
        if not isinstance(game, CrafterEnv):
            raise TypeError(f"{type(game).__name__} is no CrafterEnv")
        if save_stats:
            self._parts.append(_Stats(self._directory))
        if save_video:
            self._parts.append(_Video(self._directory, game, video_size))
        if save_episode:
            self._parts.append(_Episode(self._directory))

    def reset(self, **keywords: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode; one that was not finished is dropped."""
        observation, info = self.env.reset(**keywords)
        for part in self._parts:
            part.start(observation, info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play an action and record it; at the end of the episode the files are written."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        done = bool(terminated or truncated)
        for part in self._parts:
            part.add(observation, action, done, info)
        if done and self._parts:
            unlocked = sum(count > 0 for count in info["achievements"].values())
            time = datetime.datetime.now().strftime("%Y%m%dT%H%M%S")
            for part in self._parts:
                part.finish(f"{time}-ach{unlocked}", info)
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """Drop what is not finished and close the environment."""
        for part in self._parts:
            part.drop()
        super().close()


class _Part:
    """One kind of file."""

    def start(self, observation: Any, info: dict[str, Any]) -> None:
        raise NotImplementedError

    def add(self, observation: Any, action: Any, done: bool, info: dict[str, Any]) -> None:
        raise NotImplementedError

    def finish(self, name: str, info: dict[str, Any]) -> None:
        raise NotImplementedError

    def drop(self) -> None:
        """Forget an episode that was not finished."""


class _Stats(_Part):
    def __init__(self, directory: Path) -> None:
        self._path = directory / "stats.jsonl"
        self._length, self._reward = 0, 0.0

    def start(self, observation: Any, info: dict[str, Any]) -> None:
        self._length, self._reward = 0, 0.0

    def add(self, observation: Any, action: Any, done: bool, info: dict[str, Any]) -> None:
        self._length += 1
        self._reward += info["reward"]

    def finish(self, name: str, info: dict[str, Any]) -> None:
        counts = {f"achievement_{name}": count for name, count in info["achievements"].items()}
        row = {"length": self._length, "reward": round(self._reward, 1), **counts}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class _Episode(_Part):
    """Rows of an episode as npz; the spelling `ainventory_` is the reference's."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._rows: list[dict[str, Any]] = []

    def start(self, observation: Any, info: dict[str, Any]) -> None:
        self._rows = [{"image": _image(observation)}]

    def add(self, observation: Any, action: Any, done: bool, info: dict[str, Any]) -> None:
        row = {"image": _image(observation), "action": int(action), "done": done}
        row |= {key: info[key] for key in ("reward", "discount", "semantic", "player_pos") if key in info}
        row |= {f"achievement_{name}": count for name, count in info["achievements"].items()}
        row |= {f"ainventory_{name}": count for name, count in info["inventory"].items()}
        self._rows.append(row)

    def finish(self, name: str, info: dict[str, Any]) -> None:
        # The reset has no action: keys missing in the first row are zeros.
        keys = self._rows[-1]
        first = {key: self._rows[0].get(key, np.zeros_like(value)) for key, value in keys.items()}
        rows = [first, *self._rows[1:]]
        path = self._directory / f"{name}-len{len(self._rows) - 1}.npz"
        temporary = path.with_suffix(".part")
        with temporary.open("wb") as file:
            arrays: dict[str, Any] = {key: np.array([row[key] for row in rows]) for key in keys}
            np.savez_compressed(file, **arrays)
        temporary.replace(path)
        self._rows = []


class _Video(_Part):
    def __init__(self, directory: Path, game: CrafterEnv, size: tuple[int, int]) -> None:
        self._directory, self._game, self._size = directory, game, size
        self._process: subprocess.Popen[bytes] | None = None
        self._temporary = directory / "unfinished.mp4"
        self._frames = 0

    def start(self, observation: Any, info: dict[str, Any]) -> None:
        self.drop()
        width, height = self._size
        command = [ffmpeg_path(), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
        command += ["-s", f"{width}x{height}", "-r", str(self._game.metadata["render_fps"]), "-i", "-"]
        command += ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", str(self._temporary)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
        self._frames = 0
        self._write()

    def add(self, observation: Any, action: Any, done: bool, info: dict[str, Any]) -> None:
        self._write()

    def _write(self) -> None:
        picture = self._game.render(self._size)
        if self._process is not None and picture is not None:
            _pipe(self._process).write(picture.tobytes())
            self._frames += 1

    def finish(self, name: str, info: dict[str, Any]) -> None:
        if self._process is not None:
            self._end()
            shutil.move(self._temporary, self._directory / f"{name}-len{self._frames - 1}.mp4")

    def drop(self) -> None:
        if self._process is not None:
            self._end()
            self._temporary.unlink(missing_ok=True)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _pipe(process).close()
            if process.wait() != 0:
                raise RuntimeError(f"ffmpeg failed with code {process.returncode}")


def _pipe(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def _image(observation: Any) -> NDArray[np.uint8]:
    """The picture of an observation; other kinds record what they have."""
    if isinstance(observation, dict):
        observation = observation.get("pixels", next(iter(observation.values())))
    return np.asarray(observation)


assert len(ACHIEVEMENTS) == 22
