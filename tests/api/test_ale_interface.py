"""`ALEInterface`: names, arguments, results and exceptions of the reference."""

import copy
import gzip
import pickle
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ale_rs
from ale_rs import Action, ALEInterface, LoggerMode, roms


def rom(game: str) -> Path:
    try:
        path = roms.get_rom_path(game)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    assert path is not None
    return path


@pytest.fixture(autouse=True)
def quiet() -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)


@pytest.fixture
def ale() -> ALEInterface:
    return load("pong")


def load(game: str, **settings: Any) -> ALEInterface:
    ale = ALEInterface()
    setters = {bool: ale.setBool, int: ale.setInt, float: ale.setFloat, str: ale.setString}
    for key, value in {"random_seed": 0, **settings}.items():
        setters[type(value)](key, value)
    ale.loadROM(rom(game))
    return ale


class TestArguments:
    @pytest.mark.parametrize("action", [1, True, np.int64(1), np.uint8(1), Action.FIRE, 40])
    def test_act_accepts_integers_and_actions(self, ale: ALEInterface, action: Any) -> None:
        assert type(ale.act(action)) is int

    @pytest.mark.parametrize("action", [1.0, "FIRE", None, -1, 2**32, np.float32(1), LoggerMode.Error])
    def test_act_refuses_everything_else(self, ale: ALEInterface, action: Any) -> None:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            ale.act(action)

    def test_act_has_names_for_its_arguments(self, ale: ALEInterface) -> None:
        ale.act(action=Action.UP, paddle_strength=np.float32(0.5))
        with pytest.raises(TypeError, match="incompatible function arguments"):
            ale.act(1, "strong")  # type: ignore[arg-type]

    @pytest.mark.parametrize("action", [18, 39, 41, 100])
    def test_actions_of_other_players_are_refused_for_joysticks_and_ignored_for_paddles(
        self, ale: ALEInterface, action: int
    ) -> None:
        with pytest.raises(ValueError, match=f"Invalid Player A Action: {action}"):
            load("boxing").act(action)
        assert ale.act(action) == 0

    @pytest.mark.parametrize("value", [0, 1, np.bool_(True), None, "True"])
    def test_flags_are_real_booleans(self, ale: ALEInterface, value: Any) -> None:
        for call in (lambda: ale.game_over(value), lambda: ale.setBool("sound_obs", value)):
            with pytest.raises(TypeError, match="incompatible function arguments"):
                call()

    def test_setters_refuse_wrong_types(self, ale: ALEInterface) -> None:
        calls = [
            (ale.setInt, "frame_skip", 1.5),
            (ale.setInt, "frame_skip", 2**31),
            (ale.setFloat, "repeat_action_probability", "0.1"),
            (ale.setString, "cpu", 3),
            (ale.setString, 3, "x"),
            (ale.setMode, "0"),
            (ale.setMode, -1),
            (ale.setRAM, 0, 256),
            (ale.setRAM, 0, -1),
            (ale.loadROM, 3),
            (ale.loadROM, None),
            (ale.loadROM,),
            (ale.saveScreenPNG, Path("x.png")),
            (ALEInterface.setLoggerMode, "Error"),
            (ALEInterface.setLoggerMode, 3),
            (ale.restoreState, 3),
        ]
        for function, *arguments in calls:
            with pytest.raises(TypeError, match="incompatible function arguments"):
                function(*arguments)  # type: ignore[operator]

    def test_an_interface_has_no_dict_and_is_neither_copied_nor_pickled(self, ale: ALEInterface) -> None:
        with pytest.raises(AttributeError):
            ale.colour = "red"  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            ale.act = print  # type: ignore[method-assign, assignment]
        for function in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot pickle"):
                function(ale)  # type: ignore[operator]


class TestSettings:
    def test_values_are_kept_as_text(self) -> None:
        ale = ALEInterface()
        ale.setFloat("repeat_action_probability", 0.123456789)
        assert ale.getString("repeat_action_probability") == "0.123457"
        assert ale.getFloat("repeat_action_probability") == np.float32("0.123457")
        ale.setBool("sound_obs", True)
        assert (ale.getString("sound_obs"), ale.getInt("sound_obs"), ale.getBool("sound_obs")) == (
            "1",
            1,
            True,
        )

    def test_unknown_keys_read_as_nothing_and_cannot_be_set(self) -> None:
        ale = ALEInterface()
        assert (ale.getInt("x"), ale.getFloat("x"), ale.getBool("x"), ale.getString("x")) == (
            -1,
            -1.0,
            False,
            "",
        )
        for call in (
            lambda: ale.setInt("x", 1),
            lambda: ale.setInt("cpu", 1),
            lambda: ale.setFloat("frame_skip", 1.0),
            lambda: ale.setString("sound_obs", "1"),
        ):
            with pytest.raises(RuntimeError, match="does not exist or has incorrect value type"):
                call()

    def test_settings_take_effect_with_the_next_load_and_survive_it(self) -> None:
        ale = load("pong")
        ale.setInt("frame_skip", 7)
        ale.act(0)
        assert ale.getFrameNumber() == 1
        ale.loadROM(rom("pong"))
        ale.act(0)
        assert (ale.getFrameNumber(), ale.getInt("frame_skip")) == (7, 7)
        assert ale.getString("rom_file") == str(rom("pong"))

    def test_games_may_change_settings_for_good(self) -> None:
        ale = load("backgammon")
        assert ale.getInt("paddle_max") == 1_000_000
        ale.loadROM(rom("breakout"))
        assert ale.getInt("paddle_max") == 1_000_000

    def test_frame_skips_below_one_are_one(self, capfd: pytest.CaptureFixture[str]) -> None:
        for skip in (0, -5):
            ALEInterface.setLoggerMode(LoggerMode.Warning)
            ale = load("pong", frame_skip=skip)
            ale.act(0)
            assert ale.getFrameNumber() == 1
            assert "frame skip" in capfd.readouterr().err

    def test_rewards_are_clamped_and_the_maximum_wins(self) -> None:
        for low, high, seen in ((5, 2, {2}), (-3, -1, {-1}), (1, 2, {1})):
            ale = load("pong", reward_min=low, reward_max=high)
            assert {ale.act(0) for _ in range(20)} == seen


class TestLoading:
    def test_calls_without_a_rom_raise(self) -> None:
        ale = ALEInterface()
        assert ale.getRAMSize() == 128
        with pytest.raises(RuntimeError, match="out of bounds"):
            ale.setRAM(128, 0)
        calls = (
            "lives getLegalActionSet getMinimalActionSet reset_game game_over game_truncated getScreen "
            "getRAM getScreenRGB getScreenGrayscale getScreenDims getAudio getAudioSize cloneState "
            "cloneSystemState getFrameNumber getEpisodeFrameNumber getAvailableModes "
            "getAvailableDifficulties snapshot executed_action"
        )
        for name in calls.split():
            with pytest.raises(RuntimeError, match="ROM not set"):
                getattr(ale, name)()
        for call in (
            lambda: ale.act(0),
            lambda: ale.setMode(0),
            lambda: ale.setDifficulty(0),
            lambda: ale.setRAM(0, 0),
            lambda: ale.restoreState(ale_rs.ALEState()),
            lambda: ale.saveScreenPNG("x.png"),
        ):
            with pytest.raises(RuntimeError, match="ROM not set"):
                call()

    def test_files_that_are_no_rom_raise(self, tmp_path: Path) -> None:
        ale = ALEInterface()
        with pytest.raises(FileNotFoundError, match="not found"):
            ale.loadROM(tmp_path / "pong.bin")
        with pytest.raises(IsADirectoryError):
            ale.loadROM(tmp_path)
        with pytest.raises(RuntimeError, match=r"No ROM File specified\."):
            ale.loadROM("")
        (tmp_path / "pong.bin").write_bytes(bytes(2000))
        with pytest.raises(RuntimeError, match="2000 bytes"):
            ale.loadROM(tmp_path / "pong.bin")
        (tmp_path / "unknown.bin").write_bytes(bytes(2048))
        with pytest.raises(RuntimeError, match="Attempt to wrap ROM"):
            ale.loadROM(tmp_path / "unknown.bin")
        with pytest.raises(RuntimeError, match="ROM not set"):
            ale.act(0)

    def test_a_failed_load_keeps_the_game(self, ale: ALEInterface, tmp_path: Path) -> None:
        ale.act(0)
        with pytest.raises(FileNotFoundError):
            ale.loadROM(tmp_path / "no.bin")
        assert ale.getFrameNumber() == 1

    def test_an_empty_path_loads_the_last_rom_again(self, ale: ALEInterface) -> None:
        ale.act(0)
        ale.loadROM("")
        assert ale.getFrameNumber() == 0

    def test_compressed_roms_and_any_file_name_work(self, tmp_path: Path) -> None:
        compressed = tmp_path / "whatever.gz"
        compressed.write_bytes(gzip.compress(rom("pong").read_bytes()))
        ale = ALEInterface()
        ale.loadROM(str(compressed))
        assert ale.getMinimalActionSet()[2] is Action.RIGHT

    def test_a_changed_rom_with_a_known_name_loads_with_a_warning(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        image = bytearray(rom("pong").read_bytes())
        image[5] ^= 1
        path = tmp_path / "Pong.rom"
        path.write_bytes(image)
        ALEInterface.setLoggerMode(LoggerMode.Warning)
        ale = ALEInterface()
        ale.loadROM(path)
        assert "mismatched MD5" in capfd.readouterr().err
        assert ALEInterface.isSupportedROM(path) is None

    def test_supported_roms_are_known_by_checksum(self, tmp_path: Path) -> None:
        assert ALEInterface.isSupportedROM(rom("pong")) == "pong"
        other = tmp_path / "other.bin"
        shutil.copy(rom("pong"), other)
        assert ALEInterface.isSupportedROM(str(other)) == "pong"
        (tmp_path / "adventure.bin").write_bytes(other.read_bytes())
        assert ALEInterface.isSupportedROM(tmp_path / "adventure.bin") is None
        with pytest.raises(RuntimeError, match="ROM file doesn't exist"):
            ALEInterface.isSupportedROM(tmp_path / "no.bin")
        with pytest.raises(RuntimeError):
            ALEInterface.isSupportedROM(tmp_path)

    def test_loading_again_is_like_loading_for_the_first_time(self) -> None:
        used = load("breakout", random_seed=5)
        for step in range(60):
            used.act(step % 4)
        used.setInt("random_seed", 9)
        used.loadROM(rom("breakout"))
        fresh = load("breakout", random_seed=9)
        for ale in (used, fresh):
            ale.reset_game()
            for step in range(60):
                ale.act(step % 4)
        assert used.cloneState(True) == fresh.cloneState(True)
        np.testing.assert_array_equal(used.getScreenRGB(), fresh.getScreenRGB())


class TestObservations:
    @pytest.mark.parametrize(
        ("name", "shape"),
        [
            ("getScreen", (210, 160)),
            ("getScreenGrayscale", (210, 160)),
            ("getScreenRGB", (210, 160, 3)),
            ("getRAM", (128,)),
            ("getAudio", (512,)),
        ],
    )
    def test_arrays_are_fresh_or_the_callers(
        self, ale: ALEInterface, name: str, shape: tuple[int, ...]
    ) -> None:
        get: Any = getattr(ale, name)
        array = get()
        assert (array.dtype, array.shape) == (np.uint8, shape)
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert get() is not array
        buffer = np.full(shape, 7, np.uint8)
        assert get(buffer=buffer) is None
        np.testing.assert_array_equal(buffer, array)
        part = np.full((2, *shape), 7, np.uint8)
        get(part[1])
        np.testing.assert_array_equal(part[1], array)
        assert (part[0] == 7).all()

    @pytest.mark.parametrize(
        "name", ["getScreen", "getScreenRGB", "getScreenGrayscale", "getRAM", "getAudio"]
    )
    def test_other_buffers_are_refused(self, ale: ALEInterface, name: str) -> None:
        get: Any = getattr(ale, name)
        shape = get().shape
        read_only = np.zeros(shape, np.uint8)
        read_only.flags.writeable = False
        wrong = [
            np.zeros(shape, np.int8),
            np.zeros(shape, np.float32),
            np.zeros((*shape[:-1], 2 * shape[-1]), np.uint8)[..., ::2],
            np.zeros(shape, np.uint8).tolist(),
            None,
            read_only,
        ]
        if len(shape) > 1:
            wrong.append(np.zeros(shape[::-1], np.uint8).T)
        for buffer in wrong:
            with pytest.raises(TypeError, match="incompatible function arguments"):
                get(buffer)
        expected = TypeError if len(shape) == 1 else RuntimeError
        for other in ((*shape, 1), (shape[0] + 1, *shape[1:])):
            with pytest.raises(expected):
                get(np.zeros(other, np.uint8))

    def test_wrong_shapes_are_named(self, ale: ALEInterface) -> None:
        with pytest.raises(RuntimeError, match=r"Expected a numpy array with two dimensions\."):
            ale.getScreen(np.zeros(5, np.uint8))
        with pytest.raises(RuntimeError, match=r"Expected a numpy array with three dimensions\."):
            ale.getScreenRGB(np.zeros((210, 160), np.uint8))
        with pytest.raises(RuntimeError, match=r"Invalid shape \(160, 210\), expecting shape \(210, 160\)"):
            ale.getScreenGrayscale(np.zeros((160, 210), np.uint8))

    def test_ram_is_written_at_once(self, ale: ALEInterface) -> None:
        ale.setRAM(14, 200)
        assert ale.getRAM()[14] == 200
        ale.setRAM(np.uint8(127), np.int64(3))
        assert ale.getRAM()[127] == 3
        with pytest.raises(RuntimeError, match=r"setRAM index out of bounds\."):
            ale.setRAM(128, 0)

    def test_sound_is_zero_unless_asked_for_and_before_the_first_act(self) -> None:
        silent, loud = load("pong"), load("pong", sound_obs=True)
        assert not loud.getAudio().any()
        for ale in (silent, loud):
            ale.act(1)
        assert not silent.getAudio().any()
        assert (loud.getAudio() >= 128).all()
        assert loud.getAudioSize() == 512

    def test_a_picture_is_saved_two_pixels_wide(self, ale: ALEInterface, tmp_path: Path) -> None:
        path = tmp_path / "screen.png"
        ale.saveScreenPNG(str(path))
        np.testing.assert_array_equal(read_png(path), ale.getScreenRGB().repeat(2, 1))
        assert ale.saveScreenPNG(str(tmp_path / "no" / "screen.png")) is None

    def test_screens_are_recorded_before_each_frame(self, tmp_path: Path) -> None:
        ale = load("pong", record_screen_dir=str(tmp_path), frame_skip=2)
        first = ale.getScreenRGB()
        ale.act(1)
        second = ale.getScreenRGB()
        ale.act(1)
        assert sorted(path.name for path in tmp_path.iterdir()) == [f"{n:06}.png" for n in range(4)]
        np.testing.assert_array_equal(read_png(tmp_path / "000000.png"), first.repeat(2, 1))
        np.testing.assert_array_equal(read_png(tmp_path / "000002.png"), second.repeat(2, 1))


def read_png(path: Path) -> np.ndarray:
    data = path.read_bytes()
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    start = data.index(b"IDAT")
    length = int.from_bytes(data[start - 4 : start], "big")
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + length]), np.uint8)
    rows = rows.reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


class TestPlay:
    def test_results_are_plain(self, ale: ALEInterface) -> None:
        ale.act(1)
        assert [
            type(value) for value in (ale.lives(), ale.getFrameNumber(), ale.getEpisodeFrameNumber())
        ] == [int] * 3
        assert ale.getScreenDims() == (210, 160)
        assert (ale.game_over(), ale.game_over(False), ale.game_over(with_truncation=False)) == (False,) * 3
        assert ale.getLegalActionSet() == list(Action)
        assert [action.name for action in ale.getMinimalActionSet()] == [
            "NOOP",
            "FIRE",
            "RIGHT",
            "LEFT",
            "RIGHTFIRE",
            "LEFTFIRE",
        ]
        assert (ale.getAvailableModes(), ale.getAvailableDifficulties()) == ([0, 1], [0, 1, 2, 3])

    def test_unknown_modes_and_difficulties_are_refused(self, ale: ALEInterface) -> None:
        with pytest.raises(RuntimeError, match=r'Invalid game mode requested.*"pong".*0, 1'):
            ale.setMode(7)
        with pytest.raises(RuntimeError, match="Invalid difficulty requested"):
            ale.setDifficulty(9)

    def test_fire_is_illegal_in_skiing(self) -> None:
        ale = load("skiing", repeat_action_probability=0.0)
        assert len(ale.getLegalActionSet()) == 9
        ale.act(Action.RIGHTFIRE)
        assert ale.executed_action() is Action.NOOP

    def test_a_sticky_action_is_repeated_and_reported(self) -> None:
        frozen = load("pong", repeat_action_probability=1.0)
        frozen.act(Action.RIGHT)
        assert frozen.executed_action() is Action.NOOP
        half = load("pong", repeat_action_probability=0.5, random_seed=3)
        executed = []
        for action in [Action.RIGHT, Action.LEFT] * 50:
            half.act(action)
            executed.append(half.executed_action() is action)
        assert 20 < sum(executed) < 90

    def test_an_episode_is_cut_by_frames_and_by_lives(self) -> None:
        ale = load("breakout", max_num_frames_per_episode=10, frame_skip=4)
        for _ in range(3):
            assert not ale.game_truncated()
            ale.act(1)
        assert ale.getEpisodeFrameNumber() == 10
        assert (ale.game_over(), ale.game_over(False), ale.game_truncated()) == (True, False, True)
        ale.act(1)
        assert ale.getEpisodeFrameNumber() == 10
        ale.reset_game()
        assert (ale.getEpisodeFrameNumber(), ale.getFrameNumber()) == (0, 10)
        lives = load("breakout", truncate_on_loss_of_life=True)
        while not lives.game_over():
            lives.act(1)
        assert (lives.lives(), lives.game_over(False)) == (4, False)

    def test_a_mode_that_cannot_be_reached_is_an_error_and_no_hang(self) -> None:
        with pytest.raises(RuntimeError, match='mode 0 of "double_dunk" was not reached'):
            load("double_dunk", max_num_frames_per_episode=1)

    def test_many_acts_are_like_acts(self) -> None:
        one, many = load("seaquest"), load("seaquest")
        assert sum(one.act(1) for _ in range(300)) == many.act_many(1, 300)
        np.testing.assert_array_equal(one.getRAM(), many.getRAM())

    def test_paddles_turn_by_their_strength(self) -> None:
        def column(strength: float) -> int:
            ale = load("breakout", repeat_action_probability=0.0)
            for _ in range(5):
                ale.act(Action.RIGHT, strength)
            return int(ale.getRAM()[72])

        assert column(0.0) < column(0.5) < column(1.0)


class TestMessages:
    def test_levels_choose_what_goes_to_stderr(self, capfd: pytest.CaptureFixture[str]) -> None:
        ALEInterface.setLoggerMode(LoggerMode.Info)
        ale = load("pong", random_seed=77)
        text = capfd.readouterr().err
        assert "Arcade Learning Environment" in text
        assert "Random seed is 77" in text
        ALEInterface.setLoggerMode(2)
        ale.loadROM("")
        ALEInterface()
        assert capfd.readouterr().err == ""

    def test_the_level_of_a_process_begins_with_info(self) -> None:
        run = subprocess.run(
            [sys.executable, "-c", "import ale_rs; ale_rs.ALEInterface()"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Arcade Learning Environment" in run.stderr
        assert run.stdout == ""


class TestEnums:
    def test_actions_are_plain_enum_members(self) -> None:
        assert [action.value for action in Action] == list(range(18))
        assert (repr(Action.UP), str(Action.UP), Action["UP"].name) == ("Action.UP", "Action.UP", "UP")
        assert Action(3) is Action.RIGHT
        assert Action.UP != 2
        assert pickle.loads(pickle.dumps(Action.UP)) is Action.UP
        with pytest.raises(ValueError, match="99"):
            Action(99)
        with pytest.raises(TypeError):
            int(Action.UP)  # type: ignore[call-overload]
        with pytest.raises(TypeError):
            assert Action.UP < Action.DOWN  # type: ignore[operator]
        assert [(mode.name, mode.value) for mode in LoggerMode] == [("Info", 0), ("Warning", 1), ("Error", 2)]
