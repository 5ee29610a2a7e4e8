"""`ale-rs play` and `ale-rs replay`: a person at the joystick.

| key | | key | |
|---|---|---|---|
| arrows, or w a s d | joystick | p | pause |
| space, or ctrl | fire | n | one frame while paused |
| r | new game | F5 | save the state |
| tab | twice the speed | F9 | go back to it |
| m | sound on or off | escape | quit |

A gamepad's stick, cross and first four buttons work too.
"""

import argparse
import time
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ale_rs._native import ALEInterface, Snapshot
from ale_rs.enums import Action, LoggerMode
from ale_rs.recording import ActionLog, Options, Recorder
from ale_rs.video import Video, open_video
from ale_rs.window import Speaker, Window, require_pygame

__all__ = ["Session", "add_cli", "moves"]

DEAD_ZONE = 0.5


def moves(up: bool, down: bool, left: bool, right: bool, fire: bool) -> Action:
    """The action of what is held down; opposite directions cancel out.

    >>> moves(up=True, down=False, left=True, right=True, fire=True)
    Action.UPFIRE
    """
    vertical = "" if up == down else "UP" if up else "DOWN"
    horizontal = "" if left == right else "LEFT" if left else "RIGHT"
    return Action[vertical + horizontal + ("FIRE" if fire else "") or "NOOP"]


@dataclass
class Session:
    """A game that a person plays: one call of `frame` for each picture of the window.

    Attributes:
        recorder: the game, and the log that it goes to.
        video: where screens go, if anywhere.
    """

    recorder: Recorder
    video: Video | None = None
    paused: bool = False
    score: int = 0
    saved: tuple[Snapshot, int] | None = None

    @property
    def ale(self) -> ALEInterface:
        """The game."""
        return self.recorder.ale

    def frame(self, action: Action, *, step: bool = False) -> bool:
        """Take an action for a frame, unless the game is paused and no single step is asked for.

        Returns:
            whether a frame has passed.
        """
        if self.paused and not step:
            return False
        if self.ale.game_over():
            self.restart()
        self.score += self.recorder.act(action)
        if self.video is not None:
            self.video.add(self.ale)
        return True

    def restart(self) -> None:
        """A new game."""
        self.recorder.reset()
        self.score = 0

    def save(self) -> None:
        """Keep the state."""
        self.saved = self.ale.snapshot(), self.score

    def load(self) -> None:
        """Go back to the state that was kept, if any."""
        if self.saved is not None:
            snapshot, self.score = self.saved
            self.recorder.restore(snapshot)

    def close(self) -> None:
        """Finish the log and the video."""
        self.recorder.close()
        if self.video is not None:
            self.video.close()


class Controls:
    """Keyboard and gamepads."""

    def __init__(self, pygame: Any) -> None:
        self.pygame = pygame
        pygame.joystick.init()
        self.pads = [pygame.joystick.Joystick(index) for index in range(pygame.joystick.get_count())]

    def action(self) -> Action:
        """What is held down now."""
        p, keys = self.pygame, self.pygame.key.get_pressed()
        x, y, fire = 0.0, 0.0, False
        for pad in self.pads:
            if pad.get_numaxes() >= 2:
                x, y = x + pad.get_axis(0), y + pad.get_axis(1)
            for hat in range(pad.get_numhats()):
                x, y = x + pad.get_hat(hat)[0], y - pad.get_hat(hat)[1]
            fire = fire or any(pad.get_button(button) for button in range(min(pad.get_numbuttons(), 4)))
        return moves(
            up=keys[p.K_UP] or keys[p.K_w] or y < -DEAD_ZONE,
            down=keys[p.K_DOWN] or keys[p.K_s] or y > DEAD_ZONE,
            left=keys[p.K_LEFT] or keys[p.K_a] or x < -DEAD_ZONE,
            right=keys[p.K_RIGHT] or keys[p.K_d] or x > DEAD_ZONE,
            fire=keys[p.K_SPACE] or keys[p.K_LCTRL] or fire,
        )

    def pressed(self) -> Set[str]:
        """Names of the keys that went down since the last call; `quit` when the window was closed."""
        p = self.pygame
        names = set()
        for event in p.event.get():
            if event.type == p.QUIT:
                names.add("quit")
            elif event.type == p.KEYDOWN:
                names.add(p.key.name(event.key))
            elif event.type == p.JOYDEVICEADDED:
                self.pads = [p.joystick.Joystick(index) for index in range(p.joystick.get_count())]
        return names


def run_window(session: Session, title: str, scale: int, sound: bool, frames: int | None) -> None:
    """Play in a window until it is closed, or for some frames."""
    pygame = require_pygame()
    pygame.init()
    height, _ = session.ale.getScreenDims()
    rate = _rate(height)
    window = Window(height, rate, scale, title)
    speaker = Speaker(rate) if sound else None
    controls = Controls(pygame)
    shown = 0
    try:
        while frames is None or shown < frames:
            pressed = controls.pressed()
            if pressed & {"quit", "escape"}:
                break
            _handle(session, pressed)
            if "m" in pressed:
                speaker = _toggled(speaker, rate)
            fast = pygame.key.get_pressed()[pygame.K_TAB]
            for _ in range(2 if fast else 1):
                if session.frame(controls.action(), step="n" in pressed) and speaker is not None:
                    speaker.play(session.ale.getAudio().tobytes())
            pygame.display.set_caption(f"{title}  score {session.score}" + "  paused" * session.paused)
            window.draw(session.ale.getScreenRGB())
            window.clock.tick(window.rate)
            shown += 1
    finally:
        if speaker is not None:
            speaker.close()
        window.close()
        pygame.quit()


def _rate(height: int) -> int:
    """Pictures per second: those of PAL are higher and fewer."""
    return 50 if height == 250 else 60


def _handle(session: Session, pressed: Set[str]) -> None:
    if "p" in pressed:
        session.paused = not session.paused
    if "r" in pressed:
        session.restart()
    if "f5" in pressed:
        session.save()
    if "f9" in pressed:
        session.load()


def _toggled(speaker: Speaker | None, rate: int) -> Speaker | None:
    if speaker is None:
        return Speaker(rate)
    speaker.close()
    return None


def add_cli(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `play` and `replay` to the command line."""
    play = commands.add_parser(
        "play",
        help="play a game in a window",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    play.add_argument("game", help='id of a game such as "pong", or the path of a ROM file')
    play.add_argument("--mode", type=int, help="mode of the game")
    play.add_argument("--difficulty", type=int, default=0, help="difficulty of the game")
    play.add_argument("--seed", type=int, default=0, help="seed of sticky actions")
    play.add_argument(
        "--sticky", type=float, default=0.0, help="probability that a frame repeats the last action"
    )
    play.add_argument("--log", type=Path, metavar="FILE", help="write an action log for `ale-rs replay`")
    play.add_argument("--no-sound", action="store_true", help="be quiet")
    play.add_argument("--frames", type=int, help="stop after this many pictures")
    play.set_defaults(run=_play)

    replay = commands.add_parser("replay", help="play an action log again and check that it is the same")
    replay.add_argument("log", type=Path, help="file of `ale-rs play --log`")
    replay.add_argument("--show", action="store_true", help="in a window")
    replay.set_defaults(run=_replay)
    for parser in (play, replay):
        parser.add_argument("--record", type=Path, metavar="FILE", help="record the screen to a .gif or .mp4")
        parser.add_argument("--scale", type=int, default=2, help="size of the window, default 2")


def _play(given: argparse.Namespace) -> int:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    options = Options(given.game, given.mode, given.difficulty, given.seed, given.sticky)
    try:
        require_pygame()
        video = open_video(given.record) if given.record else None
        session = Session(Recorder(options, given.log), video)
    except RuntimeError as error:
        raise ValueError(error) from error
    try:
        run_window(session, given.game, given.scale, not given.no_sound, given.frames)
    finally:
        session.close()
    for path in (given.log, given.record):
        if path:
            print(f"wrote {path}")
    return 0


def _replay(given: argparse.Namespace) -> int:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    log = ActionLog.read(given.log)
    video = open_video(given.record) if given.record else None
    window: Window | None = None

    def watch(ale: ALEInterface) -> None:
        nonlocal window
        if video is not None:
            video.add(ale)
        if given.show:
            if window is None:
                height, _ = ale.getScreenDims()
                window = Window(height, _rate(height), given.scale, log.options.game)
            window.show(ale.getScreenRGB())

    began = time.perf_counter()
    try:
        ale = log.replay(watch)
    finally:
        if video is not None:
            video.close()
        if window is not None:
            window.close()
    seconds = time.perf_counter() - began
    print(f"{log.options.game}: {log.frames} frames, the same as played; {log.frames / seconds:.0f} frames/s")
    print(f"lives {ale.lives()}, game over: {ale.game_over()}")
    if given.record:
        print(f"wrote {given.record}")
    return 0
