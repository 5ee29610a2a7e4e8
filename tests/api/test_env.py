"""`AtariEnv`: arguments, spaces, seeding and what goes beyond the reference."""

import doctest
import importlib
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import error, spaces
from gymnasium.utils.env_checker import check_env

import ale_rs
from ale_rs import Action, AtariEnv, roms
from ale_rs.recording import Options, Recorder, start_states


def make(game: str = "pong", **arguments: Any) -> AtariEnv:
    try:
        roms.get_rom_path(game)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    return AtariEnv(game, **arguments)


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "exception", "message"),
        [
            ({"obs_type": "x"}, error.Error, "Invalid observation type: x"),
            ({"frameskip": True}, error.Error, "Invalid frameskip type: "),
            ({"frameskip": 4.0}, error.Error, "Invalid frameskip type: "),
            ({"frameskip": [2, 5]}, error.Error, "Invalid frameskip type: "),
            ({"frameskip": np.int64(4)}, error.Error, "Invalid frameskip type: "),
            ({"frameskip": 0}, error.Error, "Invalid frameskip of 0, frameskip must be positive"),
            (
                {"frameskip": (1, 2, 3)},
                error.Error,
                "Invalid stochastic frameskip length of 3, expected length 2",
            ),
            ({"frameskip": (3, 3)}, error.Error, "lower bound must be strictly less than upper bound"),
            ({"frameskip": (0, 3)}, error.Error, "lower bound must be positive"),
            ({"render_mode": "x"}, error.Error, r"Render mode x not supported \(rgb_array, human"),
            ({"mode": 7}, RuntimeError, "Invalid game mode requested"),
            ({"difficulty": 9}, RuntimeError, "Invalid difficulty requested"),
            ({"mode": "0"}, TypeError, "incompatible function arguments"),
            ({"sound_obs": 1}, TypeError, "incompatible function arguments"),
            ({"max_num_frames_per_episode": 1.5}, TypeError, "incompatible function arguments"),
            ({"repeat_action_probability": "x"}, TypeError, "incompatible function arguments"),
            ({"noop_max": -1}, error.Error, "noop_max"),
            ({"noop_max": 1.5}, error.Error, "noop_max"),
            ({"action_noise": 1.5}, error.Error, "from 0 to 1"),
            ({"action_noise": "x"}, error.Error, "action_noise"),
            ({"start_states": []}, error.Error, "start_states is empty"),
        ],
    )
    def test_wrong_arguments_are_refused(
        self, arguments: dict[str, Any], exception: type[Exception], message: str
    ) -> None:
        with pytest.raises(exception, match=message):
            make("pong", **arguments)

    def test_an_unknown_game_is_a_warning_and_a_type_error(self) -> None:
        with (
            pytest.warns(UserWarning, match=r"Rom nope not supported\."),
            pytest.raises(TypeError, match='no game is known as "nope"'),
        ):
            AtariEnv("nope")

    def test_a_game_may_be_the_path_of_a_rom(self) -> None:
        make()
        path = roms.get_rom_path("pong")
        env = AtariEnv(str(path), obs_type="ram")
        expected, _ = make(obs_type="ram").reset(seed=1)
        np.testing.assert_array_equal(env.reset(seed=1)[0], expected)

    def test_attributes_that_others_rely_on(self) -> None:
        env = make(frameskip=3, mode=1, difficulty=2, render_mode="rgb_array")
        assert (env._game, env._game_mode, env._game_difficulty) == ("pong", 1, 2)
        assert (env._frameskip, env._obs_type, env.render_mode, env.sound_obs) == (
            3,
            "rgb",
            "rgb_array",
            False,
        )
        assert env.metadata["render_fps"] == 30
        assert all(isinstance(action, Action) for action in env._action_set)

    def test_pickling_rebuilds_the_environment(self) -> None:
        env = make(obs_type="ram", frameskip=(2, 5), noop_max=3)
        other = pickle.loads(pickle.dumps(env))
        assert other._frameskip == (2, 5)
        for a, b in zip(env.reset(seed=4), other.reset(seed=4), strict=True):
            np.testing.assert_equal(a, b)


class TestSpaces:
    @pytest.mark.parametrize(
        ("obs_type", "shape"), [("rgb", (210, 160, 3)), ("grayscale", (210, 160)), ("ram", (128,))]
    )
    def test_observations_are_what_the_space_says(self, obs_type: str, shape: tuple[int, ...]) -> None:
        env = make(obs_type=obs_type)
        assert env.observation_space == spaces.Box(0, 255, shape, np.uint8)
        assert env.reset(seed=0)[0] in env.observation_space
        assert env.step(0)[0] in env.observation_space

    def test_sound_makes_a_dictionary(self) -> None:
        env = make(sound_obs=True, obs_type="ram")
        observation, _ = env.reset(seed=0)
        assert observation in env.observation_space
        assert not observation["sound"].any()
        assert env.step(1)[0]["sound"].any()

    def test_action_sets(self) -> None:
        assert make().action_space == spaces.Discrete(6)
        assert make(full_action_space=True).action_space == spaces.Discrete(18)
        assert make("skiing", full_action_space=True).action_space == spaces.Discrete(9)
        box = make(continuous=True).action_space
        assert isinstance(box, spaces.Box)
        assert (box.shape, box.dtype) == ((3,), np.float32)
        np.testing.assert_array_equal(box.high, np.array([1, np.pi, 1], np.float32))


class TestSteps:
    def test_results_are_plain(self) -> None:
        env = make()
        _, info = env.reset(seed=42)
        assert info == {
            "lives": 0,
            "episode_frame_number": 0,
            "frame_number": 0,
            "seeds": (3444837047, 2669555309),
        }
        assert env.np_random_seed == 42
        _, reward, terminated, truncated, info = env.step(2)
        assert [type(x) for x in (reward, terminated, truncated)] == [float, bool, bool]
        assert info == {"lives": 0, "episode_frame_number": 4, "frame_number": 4}
        assert "seeds" not in env.reset()[1]

    def test_actions_are_indices_of_a_list(self) -> None:
        env = make()
        env.reset(seed=0)
        for action in (True, np.int64(3), np.array(2)):
            env.step(action)
        for action, exception in ((6, IndexError), (1.0, TypeError), ("0", TypeError)):
            with pytest.raises(exception):
                env.step(action)

    def test_seeds_must_be_natural_numbers(self) -> None:
        env = make()
        for seed in (-1, 1.5, "1"):
            with pytest.raises(error.Error):
                env.reset(seed=seed)  # type: ignore[arg-type]

    def test_the_largest_seeds_work(self) -> None:
        env = make(obs_type="ram")
        for seed in (2**31, 2**32 - 1, 2**64):
            env.reset(seed=seed)
            env.step(1)

    def test_continuous_actions_must_be_three_floats(self) -> None:
        env = make(continuous=True)
        env.reset(seed=0)
        env.step(np.array([1, 0, 0], np.float32))
        assert env.ale.executed_action() in (Action.RIGHT, Action.NOOP)
        for action in (0, [1, 0, 0], np.zeros(3), np.zeros(2, np.float32)):
            with pytest.raises(AssertionError):
                env.step(action)

    def test_directions_are_named(self) -> None:
        assert AtariEnv.map_action_idx(left_center_right=-1, down_center_up=1, fire=True) is Action.UPLEFTFIRE
        assert AtariEnv.map_action_idx(0, 0, False) is Action.NOOP
        assert AtariEnv.map_action_idx(0, 0, True) is Action.FIRE
        for arguments in ((2, 0, False), (0, 0, 2), (0, "x", True)):
            with pytest.raises(LookupError, match="Unexpected action mapping"):
                AtariEnv.map_action_idx(*arguments)  # type: ignore[arg-type]

    def test_keys_are_mapped(self) -> None:
        assert make().get_keys_to_action() == {
            ("e",): 0,
            (" ",): 1,
            ("d",): 2,
            ("a",): 3,
            ("d", " "): 4,
            ("a", " "): 5,
        }
        keys = make("alien", full_action_space=True).get_keys_to_action()
        assert (keys["w", "a", " "], keys["s", "d"]) == (15, 8)
        with pytest.raises(AttributeError, match="continuous=True"):
            make(continuous=True).get_keys_to_action()

    def test_pictures_are_rendered(self) -> None:
        env = make(render_mode="rgb_array", obs_type="ram")
        env.reset(seed=0)
        np.testing.assert_array_equal(env.render(), env.ale.getScreenRGB())
        with pytest.raises(error.Error, match="Invalid render mode `None`"):
            make().render()

    def test_pictures_are_collected(self) -> None:
        env = make(render_mode="rgb_array_list", obs_type="ram")
        env.reset(seed=0)
        for _ in range(3):
            env.step(1)
        pictures = env.render()
        assert len(pictures) == 4
        np.testing.assert_array_equal(pictures[-1], env.ale.getScreenRGB())
        assert env.render() == []
        env.step(1)
        env.reset()
        assert len(env.render()) == 1

    def test_a_window_is_driven_by_the_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pygame", reason="the window needs pygame")
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
        env = make(render_mode="human", sound_obs=True)
        env.reset(seed=0)
        sound = [env.step(1)[0]["sound"] for _ in range(3)]
        assert env.render() is None
        assert not np.any(sound)
        env.close()

    def test_states_and_snapshots(self) -> None:
        env = make(obs_type="ram")
        env.reset(seed=0)
        state, snapshot = env.clone_state(include_rng=True), env.snapshot()
        expected = [env.step(action % 6)[0] for action in range(50)]
        for restore in (lambda: env.restore_state(state), lambda: env.restore(snapshot)):
            restore()
            np.testing.assert_array_equal([env.step(action % 6)[0] for action in range(50)], expected)


class TestBeyond:
    """Further ways to make a game stochastic."""

    def test_episodes_begin_with_noops(self) -> None:
        env = make("breakout", obs_type="ram", noop_max=20)
        numbers = {env.reset(seed=seed)[1]["episode_frame_number"] for seed in range(40)}
        assert numbers <= set(range(21))
        assert len(numbers) > 10
        assert env.reset(seed=3)[1]["frame_number"] == env.reset(seed=3)[1]["frame_number"]

    def test_actions_are_replaced_by_chance(self) -> None:
        env = make(
            "seaquest",
            obs_type="ram",
            action_noise=0.3,
            repeat_action_probability=0.0,
            executed_action_info=True,
        )
        env.reset(seed=1)
        executed = [env.step(0)[4]["executed_action"] for _ in range(400)]
        others = sum(action != 0 for action in executed)
        assert 60 < others < 180
        assert len(set(executed)) > 12
        env.reset(seed=1)
        assert [env.step(0)[4]["executed_action"] for _ in range(400)] == executed

    def test_continuous_actions_are_replaced_too(self) -> None:
        env = make(continuous=True, obs_type="ram", action_noise=1.0, executed_action_info=True)
        env.reset(seed=1)
        still = np.zeros(3, np.float32)
        assert len({env.step(still)[4]["executed_action"] for _ in range(200)}) > 5

    def test_the_executed_action_is_reported(self) -> None:
        env = make(repeat_action_probability=1.0, executed_action_info=True)
        env.reset(seed=0)
        assert env.step(3)[4]["executed_action"] == 0

    def test_frame_skips_are_drawn(self) -> None:
        env = make(obs_type="ram", frameskip=(2, 5))
        env.reset(seed=0)
        numbers = [env.step(0)[4]["frame_number"] for _ in range(60)]
        assert set(np.diff(numbers)) == {2, 3, 4}

    def test_episodes_begin_with_recorded_states(self, tmp_path: Path) -> None:
        make("breakout")
        with Recorder(Options("breakout"), tmp_path / "log") as recorder:
            for frame in range(300):
                recorder.act(Action.FIRE if frame % 7 == 0 else Action.RIGHT)
        states = start_states(tmp_path / "log", 5)
        env = make("breakout", obs_type="ram", start_states=states)
        begins = [env.reset(seed=seed) for seed in range(30)]
        assert {info["episode_frame_number"] for _, info in begins} == {1, 61, 121, 181, 241}
        assert len({observation.tobytes() for observation, _ in begins}) == 5
        env = make("breakout", start_states=states[3:4])
        observation, _ = env.reset(seed=0)
        np.testing.assert_array_equal(observation, env.ale.getScreenRGB())
        other = make("breakout", start_states=states[3:4])
        assert [env.step(1)[1:] for _ in range(20)] == [
            step
            for other_reset in [other.reset(seed=0)]
            if other_reset
            for step in [other.step(1)[1:] for _ in range(20)]
        ]

    def test_states_of_another_game_are_refused(self) -> None:
        states = [make("breakout").snapshot()]
        with pytest.raises(RuntimeError, match="breakout"):
            make("pong", start_states=states).reset()


# As they are when this file is read: ale_py takes the ids over when a test imports it later.
SPECS = {
    id_: spec for id_, spec in gymnasium.registry.items() if str(spec.entry_point).startswith("ale_rs.env:")
}


class TestRegistration:
    def test_all_ids_of_the_reference_are_there(self) -> None:
        assert sum(id_.startswith("ALE/") for id_ in gymnasium.registry) >= 104
        assert sum(id_.startswith("ale_rs/") for id_ in SPECS) >= 104
        old = [id_ for id_ in gymnasium.registry if id_.endswith(("-v0", "-v4")) and "Pong" in id_]
        assert {"Pong-v0", "Pong-v4", "PongNoFrameskip-v0", "PongNoFrameskip-v4"} <= set(old)

    @pytest.mark.parametrize(
        ("id_", "sticky", "frameskip"),
        [
            ("ale_rs/TicTacToe3D-v5", 0.25, 4),
            ("UpNDown-v0", 0.25, (2, 5)),
            ("UpNDown-v4", 0.0, (2, 5)),
            ("UpNDownNoFrameskip-v0", 0.25, 1),
            ("UpNDownNoFrameskip-v4", 0.0, 1),
        ],
    )
    def test_ids_have_their_arguments(self, id_: str, sticky: float, frameskip: object) -> None:
        spec = gymnasium.spec(id_)
        assert spec.kwargs["repeat_action_probability"] == sticky
        assert spec.kwargs["frameskip"] == frameskip
        assert spec.kwargs["max_num_frames_per_episode"] == 108_000
        assert spec.kwargs["full_action_space"] is False
        assert (spec.max_episode_steps, spec.nondeterministic) == (None, False)

    def test_an_id_of_another_package_is_left_alone_unless_asked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        registry = dict(gymnasium.registry)
        monkeypatch.setattr(gymnasium.envs.registration, "registry", registry)
        monkeypatch.setattr(gymnasium, "registry", registry)
        del registry["ALE/Pong-v5"]
        gymnasium.register("ALE/Pong-v5", entry_point="elsewhere:Env")
        ale_rs.register()
        assert registry["ALE/Pong-v5"].entry_point == "elsewhere:Env"
        assert registry["ale_rs/Pong-v5"].entry_point == "ale_rs.env:AtariEnv"
        ale_rs.register(override=True)
        assert registry["ALE/Pong-v5"].entry_point == "ale_rs.env:AtariEnv"

    @pytest.mark.parametrize("id_", SPECS)
    def test_gymnasium_has_nothing_to_complain(self, id_: str) -> None:
        make(SPECS[id_].kwargs["game"])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*is out of date", DeprecationWarning)
            env = gymnasium.make(SPECS[id_], render_mode="rgb_array").unwrapped
        assert isinstance(env, AtariEnv)
        check_env(env, skip_render_check=True)

    def test_gymnasium_has_nothing_to_complain_of_any_render_mode(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make()
        pytest.importorskip("pygame", reason="the window needs pygame")
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
        check_env(gymnasium.make("ale_rs/Pong-v5", render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("module", ["enums", "env", "play", "recording", "registration"])
def test_the_examples_in_the_docstrings_run(module: str) -> None:
    make()
    results = doctest.testmod(importlib.import_module(f"ale_rs.{module}"))
    assert results.attempted
    assert not results.failed
