"""`ale-rs play` and `ale-rs replay` without a screen: SDL's dummy drivers stand in for window and sound."""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import Action, ALEInterface, LoggerMode, play, roms
from ale_rs.play import Session, moves
from ale_rs.recording import ActionLog, Options, Recorder, start_states
from ale_rs.video import Gif, open_video


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    ALEInterface.setLoggerMode(LoggerMode.Error)
    try:
        roms.get_rom_path("pong")
    except FileNotFoundError as missing:
        pytest.skip(str(missing))


def command(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    play.add_cli(parser.add_subparsers())
    given = parser.parse_args([str(argument) for argument in arguments])
    code: int = given.run(given)
    return code


def test_keys_become_actions() -> None:
    held = {"up": False, "down": False, "left": False, "right": False, "fire": False}
    assert moves(**held) is Action.NOOP
    assert moves(**held | {"down": True, "left": True, "fire": True}) is Action.DOWNLEFTFIRE
    assert moves(**held | {"up": True, "down": True, "right": True}) is Action.RIGHT


class TestLog:
    def record(self, path: Path, sticky: float = 0.25) -> Recorder:
        with Recorder(Options("breakout", mode=4, difficulty=1, seed=5, sticky=sticky), path) as recorder:
            for frame in range(120):
                recorder.act(Action(frame // 10 % 5), 0.5 if frame > 60 else 1.0)
                if frame == 50:
                    snapshot = recorder.ale.snapshot()
                if frame == 80:
                    recorder.restore(snapshot)
                if frame == 100:
                    recorder.reset()
        return recorder

    def test_a_log_is_played_again_exactly(self, tmp_path: Path) -> None:
        path = tmp_path / "play.log"
        recorder = self.record(path)
        log = ActionLog.read(path)
        assert (log.frames, log.options) == (120, Options("breakout", 4, 1, 5, 0.25))
        seen: list[int] = []
        ale = log.replay(lambda ale: seen.append(ale.getFrameNumber()))
        assert len(seen) == 120
        assert ale.cloneSystemState() == recorder.ale.cloneSystemState()
        np.testing.assert_array_equal(ale.getScreen(), recorder.ale.getScreen())

    def test_a_changed_log_is_noticed(self, tmp_path: Path) -> None:
        path = tmp_path / "play.log"
        self.record(path, sticky=0.0)
        lines = path.read_text().splitlines()
        assert json.loads(lines[2]) == ["act", 1, 10]
        lines[2] = '["act", 3, 10]'
        path.write_text("\n".join(lines))
        with pytest.raises(ValueError, match="the replay differs from the play"):
            ActionLog.read(path).replay()

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "no json",
            "[]",
            "{}",
            '{"format": "x"}',
            '{"format": "ale_rs action log", "version": 9}',
            '{"format": "ale_rs action log", "version": 1, "game": "pong"}\n["act", 0, 1]',
            '{"format": "ale_rs action log", "version": 1, "shoe": 3}\n["end", 0, ""]',
        ],
    )
    def test_other_files_are_no_log(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "play.log"
        path.write_text(text)
        with pytest.raises(ValueError, match="is no action log"):
            ActionLog.read(path)

    def test_states_are_taken_from_a_log(self, tmp_path: Path) -> None:
        path = tmp_path / "play.log"
        self.record(path)
        states = start_states(path, 10)
        assert len(states) == 10
        with pytest.raises(ValueError, match="accepted"):
            start_states(path, 0)


class TestSession:
    def test_a_paused_game_stands_still_and_steps_by_frames(self) -> None:
        session = Session(Recorder(Options("pong")))
        session.frame(Action.NOOP)
        session.paused = True
        assert not session.frame(Action.NOOP)
        assert session.ale.getFrameNumber() == 1
        assert session.frame(Action.NOOP, step=True)
        assert session.ale.getFrameNumber() == 2

    def test_a_saved_state_comes_back(self) -> None:
        session = Session(Recorder(Options("seaquest")))
        session.load()
        for _ in range(100):
            session.frame(Action.RIGHTFIRE)
        session.save()
        before, score = session.ale.getScreenRGB(), session.score
        for _ in range(200):
            session.frame(Action.RIGHTFIRE)
        session.load()
        np.testing.assert_array_equal(session.ale.getScreenRGB(), before)
        assert session.score == score

    def test_a_new_game_begins_when_one_is_over(self) -> None:
        session = Session(Recorder(Options("breakout")))
        frames = 0
        while session.ale.getFrameNumber() == session.ale.getEpisodeFrameNumber():
            session.frame(Action.FIRE)
            frames += 1
            assert frames < 20_000
        assert session.ale.lives() == 5


class TestVideo:
    def test_a_gif_shows_every_second_frame(self, tmp_path: Path) -> None:
        ale = Options("pong").start()
        with Gif(tmp_path / "pong.gif") as gif:
            screens = []
            for frame in range(7):
                ale.act(1)
                gif.add(ale)
                if frame % 2 == 0:
                    screens.append(ale.getScreenRGB().repeat(2, 1))
        pictures = read_gif(tmp_path / "pong.gif")
        assert len(pictures) == 4
        for picture, screen in zip(pictures, screens, strict=True):
            np.testing.assert_array_equal(picture, screen)

    def test_other_endings_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"accepted: \.gif, \.mp4"):
            open_video(tmp_path / "play.avi")

    def test_an_mp4_is_written_or_the_lack_of_ffmpeg_is_told(self, tmp_path: Path) -> None:
        ale = Options("pong").start()
        try:
            video = open_video(tmp_path / "pong.mp4")
        except ValueError as missing:
            assert "ffmpeg" in str(missing)  # noqa: PT017
            pytest.skip(str(missing))
        with video:
            for _ in range(30):
                ale.act(1)
                video.add(ale)
        data = (tmp_path / "pong.mp4").read_bytes()
        assert data[4:8] == b"ftyp"
        assert len(data) > 1000


def read_gif(path: Path) -> list[np.ndarray]:
    """The pictures of a GIF of our kind, decoded by the book."""
    data = path.read_bytes()
    assert data[:6] == b"GIF89a"
    width, height = (int.from_bytes(data[at : at + 2], "little") for at in (6, 8))
    colors = np.frombuffer(data[13 : 13 + 768], np.uint8).reshape(256, 3)
    at, pictures = 13 + 768, []
    while data[at] != 0x3B:
        if data[at] == 0x21:
            at += 2
        else:
            at += 10
            assert data[at] == 8
            at += 1
        blocks = b""
        image = data[at - 11] == 0x2C
        while data[at]:
            blocks += data[at + 1 : at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if image:
            pictures.append(colors[unpack(blocks)].reshape(height, width, 3))
    return pictures


def unpack(data: bytes) -> list[int]:
    bits, position, width = int.from_bytes(data, "little"), 0, 9
    table: list[list[int]] = []
    out: list[int] = []
    last: list[int] | None = None
    while True:
        code = bits >> position & (1 << width) - 1
        position += width
        if code == 256:
            table, width, last = [[pixel] for pixel in range(256)] + [[], []], 9, None
        elif code == 257:
            return out
        else:
            entry = table[code] if code < len(table) else [*last, last[0]]  # type: ignore[misc, index]
            if last is not None and len(table) < 4096:
                table.append([*last, entry[0]])
                width += len(table) == 1 << width and width < 12
            out += entry
            last = entry


class TestCommand:
    @pytest.fixture(autouse=True)
    def pygame(self) -> Any:
        return pytest.importorskip("pygame", reason="the window needs pygame")

    def test_a_play_is_logged_recorded_and_replayed(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log, video = tmp_path / "play.log", tmp_path / "play.gif"
        assert command("play", "pong", "--frames", 20, "--log", log, "--record", video, "--scale", 1) == 0
        assert ActionLog.read(log).frames == 20
        assert len(read_gif(video)) == 10
        capsys.readouterr()
        assert command("replay", log, "--show", "--scale", 1, "--record", tmp_path / "again.gif") == 0
        assert "20 frames, the same as played" in capsys.readouterr().out
        assert (tmp_path / "again.gif").read_bytes() == video.read_bytes()

    def test_keys_pause_step_save_load_and_quit(self, tmp_path: Path, pygame: Any) -> None:
        script = {0: "f5", 3: "p", 6: "n", 8: "p", 10: "f9", 12: "r", 14: "m", 20: "escape"}
        session = Session(Recorder(Options("pong"), tmp_path / "play.log"))
        pictures = 0

        class Clock:
            def tick(self, rate: int) -> None:
                nonlocal pictures
                pictures += 1
                if key := script.get(pictures):
                    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(key)))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pygame.time.Clock", Clock)
            play.run_window(session, "pong", 1, True, 100)
        session.close()
        assert pictures == 20
        events = [event[0] for event in ActionLog.read(tmp_path / "play.log").events]
        assert events.count("reset") == 1
        ActionLog.read(tmp_path / "play.log").replay()

    def test_mistakes_are_told(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="mode 9"):
            command("play", "pong", "--mode", 9, "--frames", 1)
        with pytest.raises(OSError, match=r"no\.log"):
            command("replay", tmp_path / "no.log")
