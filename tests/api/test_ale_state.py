"""Saved states and snapshots: what comes back, how exactly, and what is refused."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ale_rs import Action, ALEInterface, ALEState, LoggerMode, Snapshot, roms


def load(game: str, seed: int = 0, sticky: float = 0.25, **flags: bool) -> ALEInterface:
    try:
        path = roms.get_rom_path(game)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.setInt("random_seed", seed)
    ale.setFloat("repeat_action_probability", sticky)
    for key, value in flags.items():
        ale.setBool(key, value)
    ale.loadROM(path)
    return ale


def play(ale: ALEInterface, frames: int, start: int = 0) -> list[tuple[int, bytes, bytes, bytes]]:
    """What every frame of a fixed play gives: reward, RAM, screen, sound."""
    actions = ale.getLegalActionSet()
    seen = []
    for frame in range(start, start + frames):
        reward = ale.act(actions[frame * 7 // 5 % len(actions)])
        seen.append((reward, ale.getRAM().tobytes(), ale.getScreen().tobytes(), ale.getAudio().tobytes()))
    return seen


GAMES = ["breakout", "seaquest", "pitfall2", "air_raid", "montezuma_revenge"]


@pytest.mark.parametrize("game", GAMES)
def test_a_restored_game_goes_on_exactly(game: str) -> None:
    ale = load(game, sound_obs=True)
    play(ale, 100)
    state = ale.cloneSystemState()
    expected = play(ale, 100, 100)
    play(ale, 33)
    ale.restoreState(state)
    assert play(ale, 100, 100) == expected
    ale.restoreSystemState(state)
    assert play(ale, 100, 100) == expected


@pytest.mark.parametrize("game", GAMES)
def test_a_state_goes_on_in_another_interface(game: str) -> None:
    ale = load(game)
    play(ale, 100)
    state = ale.cloneState(include_rng=True)
    expected = play(ale, 100, 100)
    other = load(game, seed=99)
    play(other, 20)
    other.restoreState(pickle.loads(pickle.dumps(state)))
    assert play(other, 100, 100) == expected


def test_a_state_without_the_generator_leaves_it_running() -> None:
    ale, twin = load("seaquest", sticky=0.5), load("seaquest", sticky=0.5)
    state = ale.cloneState()
    play(ale, 50)
    play(twin, 50)
    ale.restoreState(state)
    executed = []
    for interface in (ale, twin):
        executed.append([(interface.act(action), interface.executed_action())[1] for action in [2, 5] * 20])
    assert executed[0] == executed[1]


def test_the_screen_is_that_before_the_restore_until_the_next_act() -> None:
    ale = load("breakout")
    play(ale, 50)
    state, ram = ale.cloneState(), ale.getRAM()
    play(ale, 50)
    shown = ale.getScreen()
    ale.restoreState(state)
    np.testing.assert_array_equal(ale.getScreen(), shown)
    np.testing.assert_array_equal(ale.getRAM(), ram)


def test_counters_mode_and_difficulty_belong_to_a_state() -> None:
    ale = load("breakout")
    ale.setMode(8)
    ale.setDifficulty(1)
    ale.reset_game()
    play(ale, 10)
    state = ale.cloneState()
    assert [
        state.getFrameNumber(),
        state.getEpisodeFrameNumber(),
        state.getCurrentMode(),
        state.getDifficulty(),
    ] == [18, 18, 8, 1]
    other = load("breakout")
    other.restoreState(state)
    assert (other.getFrameNumber(), other.getEpisodeFrameNumber()) == (18, 18)
    assert other.cloneState() == state


class TestEquality:
    def test_the_same_play_gives_equal_states(self) -> None:
        first, second = load("pong"), load("pong")
        for ale in (first, second):
            play(ale, 40)
        a, b = first.cloneState(), second.cloneState()
        assert a == b
        assert a.equals(b)
        assert not a != b  # noqa: SIM202
        assert a.serialize() == b.serialize()
        assert hash(a) != hash(b)
        first.act(Action.RIGHT)
        assert first.cloneState() != b

    def test_a_state_with_the_generator_is_another(self) -> None:
        ale = load("pong")
        assert ale.cloneState(True) != ale.cloneState(False)
        assert ale.cloneSystemState() == ale.cloneState(True)

    def test_other_objects_cannot_be_compared(self) -> None:
        with pytest.raises(TypeError):
            assert ALEState() == 5

    def test_copies_are_equal(self) -> None:
        ale = load("pong")
        play(ale, 5)
        state = ale.cloneState()
        for other in (copy.copy(state), copy.deepcopy(state), ALEState(state.serialize())):
            assert other == state
            assert other is not state
        assert ALEState(ALEState(), state.serialize()) != state
        assert ALEState(state, state.serialize()) == state

    def test_a_state_is_filled_once(self) -> None:
        ale = load("pong")
        play(ale, 5)
        state = ale.cloneState()
        assert state.__getstate__() == state.serialize()
        other = ALEState.__new__(ALEState)
        assert other != state
        for bad in (b"", b"x" * 50, state.serialize()[:-1]):
            with pytest.raises(ValueError, match="no saved state"):
                other.__setstate__(bad)
        with pytest.raises(TypeError, match="bytes"):
            other.__setstate__("x")  # type: ignore[arg-type]
        other.__setstate__(state.__getstate__())
        assert other == state
        with pytest.raises(TypeError, match="holds a state"):
            other.__setstate__(state.__getstate__())
        ale.restoreState(other)


class TestRefusals:
    def test_an_empty_state_cannot_be_restored(self) -> None:
        ale = load("pong")
        play(ale, 3)
        assert (ALEState().getFrameNumber(), ALEState().getCurrentMode()) == (0, 0)
        with pytest.raises(RuntimeError, match="empty"):
            ale.restoreState(ALEState())
        assert ale.getFrameNumber() == 3

    def test_a_state_of_another_game_changes_nothing(self) -> None:
        ale = load("pong")
        twin = load("pong")
        state = load("breakout").cloneState(True)
        with pytest.raises(RuntimeError, match=r'"breakout".*"pong"'):
            ale.restoreState(state)
        assert play(ale, 20) == play(twin, 20)

    @pytest.mark.parametrize("damage", ["cut", "flip", "version", "garbage", "empty"])
    def test_damaged_bytes_are_no_state(self, damage: str) -> None:
        whole = load("pong").cloneState(True).serialize()
        middle = len(whole) // 2
        bad = {
            "cut": whole[:-1],
            "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "version": whole[:5] + b"\xff" + whole[6:],
            "garbage": b"garbage" * 20,
            "empty": b"",
        }[damage]
        with pytest.raises(ValueError, match="no saved state"):
            ALEState(bad)
        with pytest.raises(ValueError, match="no saved state"):
            Snapshot.from_bytes(bad)

    def test_a_damaged_machine_is_refused_when_it_is_restored(self) -> None:
        ale = load("pong")
        twin = load("pong")
        for machine in (b"x", b"x" * 5000):
            with pytest.raises(RuntimeError, match=r"damaged|is of"):
                ale.restoreState(ALEState(ale.cloneState(), machine))
        assert play(ale, 20) == play(twin, 20)

    def test_other_arguments_are_refused(self) -> None:
        for arguments in ((3,), ("x",), (ALEState(), 3), (3, b""), (None, b"")):
            with pytest.raises(TypeError):
                ALEState(*arguments)  # type: ignore[call-overload]


class TestSnapshots:
    @pytest.mark.parametrize("game", GAMES)
    def test_everything_comes_back(self, game: str) -> None:
        ale = load(game, sound_obs=True)
        play(ale, 60)
        snapshot = ale.snapshot()
        shown, heard = ale.getScreenRGB(), ale.getAudio()
        expected = play(ale, 60, 60)
        for kept in (snapshot, pickle.loads(pickle.dumps(snapshot)), copy.deepcopy(snapshot)):
            play(ale, 13)
            ale.restore(kept)
            np.testing.assert_array_equal(ale.getScreenRGB(), shown)
            np.testing.assert_array_equal(ale.getAudio(), heard)
            assert play(ale, 60, 60) == expected

    def test_averaged_screens_come_back_too(self) -> None:
        ale = load("space_invaders", color_averaging=True)
        play(ale, 60)
        snapshot, shown = ale.snapshot(), ale.getScreen()
        play(ale, 7)
        for kept in (snapshot, Snapshot.from_bytes(snapshot.to_bytes())):
            ale.restore(kept)
            np.testing.assert_array_equal(ale.getScreen(), shown)

    def test_the_generator_may_go_on(self) -> None:
        ale = load("seaquest", sticky=0.5)
        snapshot = ale.snapshot()

        def executed() -> list[Action]:
            return [(ale.act(action), ale.executed_action())[1] for action in [2, 5] * 30]

        first = executed()
        ale.restore(snapshot)
        assert executed() == first
        ale.restore(snapshot, include_rng=False)
        assert executed() != first

    def test_a_snapshot_of_another_game_is_refused(self) -> None:
        ale = load("pong")
        other = load("breakout").snapshot()
        for kept in (other, Snapshot.from_bytes(other.to_bytes())):
            with pytest.raises(RuntimeError, match=r'"breakout".*"pong"'):
                ale.restore(kept)
        with pytest.raises(TypeError):
            ale.restore(ale.cloneState())  # type: ignore[arg-type]

    def test_a_pickled_snapshot_goes_on_in_another_process(self, tmp_path: Path) -> None:
        ale = load("pong")
        play(ale, 30)
        file = tmp_path / "snapshot"
        file.write_bytes(pickle.dumps(ale.snapshot()))
        program = (
            "import pickle, sys; from pathlib import Path; from ale_rs import ALEInterface, roms\n"
            "ale = ALEInterface(); ale.loadROM(roms.get_rom_path('pong'))\n"
            "ale.restore(pickle.loads(Path(sys.argv[1]).read_bytes()))\n"
            "[ale.act(a % 6) for a in range(50)]; print(bytes(ale.getRAM()).hex())"
        )
        run = subprocess.run(
            [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
        )
        for action in range(50):
            ale.act(action % 6)
        assert run.stdout.strip() == bytes(ale.getRAM()).hex()
