"""A window and a loudspeaker for a running game, with pygame (`pip install "ale-rs[play]"`)."""

import os
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SAMPLE_RATE", "NoDisplayError", "Speaker", "Window", "fitted", "require_pygame"]

SAMPLE_RATE = 30_720
"""Samples of sound per second: 512 in each of 60 frames."""

QUEUE_LIMIT = 4


def require_pygame() -> Any:
    """The module pygame.

    Raises:
        RuntimeError: it is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as missing:
        raise RuntimeError('a window needs pygame; install it with: pip install "ale-rs[play]"') from missing
    return pygame


class NoDisplayError(OSError, RuntimeError):
    """There is no screen that a window could be on."""


def fitted(wanted: tuple[int, int], screen: tuple[int, int]) -> tuple[int, int]:
    """The size of a window that leaves a tenth of the screen free, in the same proportions.

    >>> fitted((640, 420), (1920, 1080)), fitted((3200, 2100), (1920, 1080))
    ((640, 420), (1481, 972))
    """
    factor = min(1, *(0.9 * there / here for there, here in zip(screen, wanted, strict=True)))
    return int(wanted[0] * factor), int(wanted[1] * factor)


class Window:
    """Shows pictures at the rate of the television.

    Left and right change the rate, closing the window ends the process. A window that is larger than the
    screen is made smaller.

    Raises:
        NoDisplayError: there is no screen.
    """

    def __init__(self, height: int, rate: int, scale: int = 2, title: str = "ale_rs") -> None:
        self.pygame = require_pygame()
        self.size = (2 * 160 * scale, height * scale)
        try:
            self.pygame.display.init()
            driver = self.pygame.display.get_driver()
            if driver in ("dummy", "offscreen") and "SDL_VIDEODRIVER" not in os.environ:
                raise self.pygame.error(f"only the driver {driver}, which shows nothing")
            self.size = fitted(self.size, self.pygame.display.get_desktop_sizes()[0])
            self.surface = self.pygame.display.set_mode(self.size)
        except self.pygame.error as problem:
            raise NoDisplayError(
                f"a window needs a display, and there is none ({problem}); without one, `ale-rs demo` draws "
                "a picture, and `ale-rs replay LOG --record FILE.mp4` a video"
            ) from problem
        self.pygame.display.set_caption(title)
        self.clock = self.pygame.time.Clock()
        self.base_rate = self.rate = rate

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture of `(height, 160, 3)` and wait for its time."""
        self._handle_events()
        self.draw(picture)
        self.clock.tick(self.rate)

    def draw(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture at once."""
        image = self.pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self.surface.blit(self.pygame.transform.scale(image, self.size), (0, 0))
        self.pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        self.pygame.display.quit()

    def _handle_events(self) -> None:
        for event in self.pygame.event.get():
            if event.type == self.pygame.QUIT:
                raise SystemExit(0)
            if event.type == self.pygame.KEYDOWN and event.key == self.pygame.K_LEFT:
                self.rate = max(5, self.rate - 5)
            elif event.type == self.pygame.KEYDOWN and event.key == self.pygame.K_RIGHT:
                self.rate = min(self.base_rate, self.rate + 5)


class Speaker:
    """Plays 512 unsigned samples per frame, and writes them to a WAV file if asked."""

    def __init__(self, rate: int, volume: int = 100, path: str = "") -> None:
        self.samples_per_second = 512 * rate
        self.file = self._open(path) if path else None
        self.channel: Any = None
        try:
            self.pygame = require_pygame()
            self.pygame.mixer.init(frequency=self.samples_per_second, size=8, channels=1, buffer=1024)
            self.channel = self.pygame.mixer.Channel(0)
            self.channel.set_volume(volume / 100)
        except RuntimeError:  # no pygame or, as a subclass, no sound device: the game goes on in silence
            if self.file is None:
                import warnings

                warnings.warn("sound cannot be played", RuntimeWarning, stacklevel=2)
        self.pending = bytearray()

    def _open(self, path: str) -> wave.Wave_write:
        file = wave.open(path, "wb")  # noqa: SIM115  # closed by close
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(SAMPLE_RATE)
        return file

    def play(self, samples: bytes) -> None:
        """Play one frame's samples after those before."""
        if self.file is not None:
            self.file.writeframes(samples)
        if self.channel is None:
            return
        self.pending += samples
        if len(self.pending) >= QUEUE_LIMIT * 512 and self.channel.get_queue() is None:
            self.channel.queue(self.pygame.mixer.Sound(buffer=bytes(self.pending)))
            self.pending.clear()
        elif len(self.pending) > 8 * QUEUE_LIMIT * 512:
            self.pending.clear()  # the game runs faster than the sound

    def close(self) -> None:
        """Stop the sound and finish the file."""
        if self.file is not None:
            self.file.close()
            self.file = None
        if self.channel is not None:
            self.pygame.mixer.quit()
            self.channel = None
