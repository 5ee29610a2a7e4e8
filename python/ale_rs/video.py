"""Writing moving pictures: GIF by ourselves, MP4 with ffmpeg."""

import importlib
import shutil
import struct
import subprocess
import tempfile
import wave
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol

import numpy as np
from typing_extensions import Self

from ale_rs import _native
from ale_rs._native import ALEInterface

__all__ = ["Gif", "Mp4", "Video", "ffmpeg_path", "open_video"]


class Video(Protocol):
    """Something that takes the screen of a game after every frame."""

    def add(self, ale: ALEInterface) -> None:
        """Take the screen as it is."""

    def close(self) -> None:
        """Finish the file."""


def open_video(path: str | Path) -> "Gif | Mp4":
    """A video file; the ending of its name chooses the kind.

    Raises:
        ValueError: the ending is neither `.gif` nor `.mp4`, or ffmpeg is needed and not there.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".gif":
            return Gif(path)
        case ".mp4":
            return Mp4(path)
        case suffix:
            raise ValueError(f'{path}: no video ends with "{suffix}"; accepted: .gif, .mp4')


class _Closing:
    """Use as a context manager."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Gif(_Closing):
    """An endless GIF with every second frame, two pixels wide and one high."""

    DELAY = 3
    """Hundredths of a second; players show nothing faster than 2, and 3 is nearest to two frames."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._frame = 0

    def add(self, ale: ALEInterface) -> None:
        """Take the screen as it is."""
        screen = ale.getScreen().repeat(2, 1)
        height, width = screen.shape
        if self._file is None:
            self._file = self._path.open("wb")
            self._file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0))
            self._file.write(ale.palette().tobytes())
            self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        if self._frame % 2 == 0:
            control = b"\x21\xf9\x04" + struct.pack("<BHB", 4, self.DELAY, 0) + b"\x00"
            image = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0)
            self._file.write(control + image + _native.gif_data(screen.tobytes()))
        self._frame += 1

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.write(b"\x3b")
            self._file.close()
            self._file = None


class Mp4(_Closing):
    """An MP4 with every frame and the sound, made by ffmpeg."""

    SCALE = 2

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ffmpeg = ffmpeg_path()
        self._directory = tempfile.TemporaryDirectory()
        self._sound: list[bytes] = []
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, ale: ALEInterface) -> None:
        """Take the screen as it is."""
        picture = ale.getScreenRGB().repeat(2 * self.SCALE, 1).repeat(self.SCALE, 0)
        picture = picture[: picture.shape[0] // 2 * 2]
        if self._process is None:
            size = f"{picture.shape[1]}x{picture.shape[0]}"
            source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", "60", "-i", "-"]
            self._process = subprocess.Popen(
                [
                    self._ffmpeg,
                    "-y",
                    "-loglevel",
                    "error",
                    *source,
                    "-pix_fmt",
                    "yuv420p",
                    self._part("v.mp4"),
                ],
                stdin=subprocess.PIPE,
            )
        assert self._process.stdin is not None
        self._process.stdin.write(np.ascontiguousarray(picture).tobytes())
        self._sound.append(ale.getAudio().tobytes())

    def close(self) -> None:
        """Finish the file."""
        if self._process is None:
            return
        self._process.communicate()
        self._process = None
        with wave.open(self._part("a.wav"), "wb") as file:
            file.setparams((1, 1, 512 * 60, 0, "NONE", "not compressed"))
            file.writeframes(b"".join(self._sound))
        both = [
            "-i",
            self._part("v.mp4"),
            "-i",
            self._part("a.wav"),
            "-c:v",
            "copy",
            "-c:a",
            "aac",
            "-shortest",
        ]
        subprocess.run([self._ffmpeg, "-y", "-loglevel", "error", *both, str(self._path)], check=True)
        self._directory.cleanup()

    def _part(self, name: str) -> str:
        return str(Path(self._directory.name) / name)


def ffmpeg_path() -> str:
    """The program ffmpeg.

    Raises:
        ValueError: it was not found.
    """
    if found := shutil.which("ffmpeg"):
        return found
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise ValueError(
            "an MP4 needs ffmpeg, which was not found; "
            "install it, or `pip install imageio-ffmpeg`, or record a GIF"
        ) from None
