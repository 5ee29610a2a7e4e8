"""`AtariVectorEnv`: spaces, arguments, actions, order of calls, seeds, ends of episodes, gymnasium."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import error, spaces
from gymnasium.vector import AutoresetMode

from ale_rs import AtariVectorEnv, roms
from api.vector_playing import OURS, actions, make, play, same


class TestSpaces:
    def test_frames(self) -> None:
        env = make(num_envs=3, stack_num=2, img_height=50, img_width=60)
        assert env.single_observation_space == spaces.Box(0, 255, (2, 50, 60), np.uint8)
        assert env.observation_space.shape == (3, 2, 50, 60)
        assert env.single_action_space == spaces.Discrete(18)
        assert env.action_space == spaces.MultiDiscrete([18, 18, 18])
        assert env.reset()[0].shape == (3, 2, 50, 60)
        assert make(grayscale=False).single_observation_space.shape == (4, 84, 84, 3)

    def test_batches_have_the_size_of_batches(self) -> None:
        env = make(num_envs=5, batch_size=2)
        assert (env.num_envs, env.batch_size) == (5, 2)
        assert env.observation_space.shape == (2, 4, 84, 84)
        assert env.action_space.shape == (2,)

    def test_continuous(self) -> None:
        env = make(continuous=True)
        assert env.single_action_space.shape == (3,)
        assert env.action_space.shape == (2, 3)
        assert env.map_action_idx.shape == (3, 3, 2)
        assert env.map_action_idx[1, 2, 0] == 2  # straight up

    def test_metadata_belongs_to_the_instance(self) -> None:
        one, other = make(autoreset_mode="SameStep"), make()
        assert one.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP == one.autoreset_mode
        assert other.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP

    def test_results_are_in_the_spaces(self) -> None:
        env = make()
        observations, info = env.reset(seed=1)
        assert observations in env.observation_space
        observations, rewards, terminations, truncations, info = env.step(env.action_space.sample())
        assert observations in env.observation_space
        assert [array.dtype for array in (rewards, terminations, truncations)] == [np.int32, bool, bool]
        assert {key: info[key].dtype for key in info} == dict.fromkeys(
            ("env_id", "lives", "frame_number", "episode_frame_number"), np.dtype(np.int32)
        )


class TestArguments:
    @pytest.mark.parametrize(
        ("options", "exception", "text"),
        [
            ({"frameskip": 0}, error.Error, "Invalid frameskip of 0"),
            ({"frameskip": 4.0}, error.Error, "Invalid frameskip type"),
            ({"frameskip": True}, error.Error, "Invalid frameskip type"),
            ({"autoreset_mode": "Sometimes"}, ValueError, "Invalid autoreset_mode: Sometimes"),
            ({"num_envs": 0}, ValueError, "num_envs is 0"),
            ({"num_envs": -2}, ValueError, "num_envs is -2"),
            ({"batch_size": -1}, ValueError, "batch_size is -1"),
            ({"batch_size": 3}, ValueError, "batch_size is 3; accepted: 1 to num_envs"),
            ({"stack_num": 0}, ValueError, "stack_num is 0"),
            ({"img_height": -3}, ValueError, "img_height is -3"),
            ({"img_width": 0}, ValueError, "img_width is 0"),
            ({"img_width": 100_000}, ValueError, "img_width is 100000"),
            ({"mode": 77}, RuntimeError, "mode 77"),
            ({"difficulty": [0, 9]}, RuntimeError, "difficulty 9"),
            ({"difficulty": [0]}, ValueError, "difficulty lists 1 for 2"),
            ({"extra_info": ["score"]}, ValueError, "extra_info: score; accepted: raw_reward"),
            ({"obs_type": "sound"}, ValueError, "obs_type is \"sound\""),
            ({"render_mode": "human"}, error.Error, "human"),
            ({"no_such_option": 1}, TypeError, "no_such_option"),
            ({"grayscale": 1}, TypeError, "grayscale"),
        ],
    )  # fmt: skip
    def test_mistakes_are_named(self, options: dict[str, Any], exception: type[Exception], text: str) -> None:
        with pytest.raises(exception, match=text):
            AtariVectorEnv(OURS, **{"num_envs": 2, **options})

    def test_an_unknown_game_gets_a_hint(self) -> None:
        with (
            pytest.warns(UserWarning, match="not supported"),
            pytest.raises(AssertionError, match="snake_case"),
        ):
            AtariVectorEnv("SpaceInvaders", 1)

    def test_games_for_several_players_are_refused(self) -> None:
        with pytest.raises(ValueError, match="several players"):
            AtariVectorEnv("warlords", 1)

    def test_a_file_that_is_no_rom_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "nonsense.bin"
        path.write_bytes(b"x" * 2000)
        with pytest.raises((ValueError, RuntimeError)):
            AtariVectorEnv(path, 1)


class TestActions:
    def test_wrong_actions_are_refused_and_change_nothing(self) -> None:
        env, twin = make(), make()
        env.reset(seed=3), twin.reset(seed=3)
        good = np.array([1, 2])
        for bad in ([1, 2], good.astype(np.int8), good.astype(float), good[:1], np.array([[1, 2]]), 1):
            with pytest.raises(AssertionError, match="accepted"):
                env.step(bad)  # type: ignore[arg-type]
        for index in (18, -1, 2**40):
            with pytest.raises(IndexError, match=f"Invalid action_id: {index}, available actions: 18"):
                env.step(np.array([0, index]))
        assert same(env.step(good), twin.step(good))
        assert same(env.step(good.astype(np.int32)), twin.step(good))

    def test_continuous_actions_are_checked(self) -> None:
        env = make(continuous=True)
        env.reset(seed=0)
        good = np.zeros((2, 3), np.float32)
        for bad in (good.astype(float), good[0], good[:1], [[0, 0, 0]] * 2):
            with pytest.raises(AssertionError, match="accepted"):
                env.step(bad)  # type: ignore[arg-type]
        for value in (np.nan, np.inf):
            bad = good.copy()
            bad[1, 0] = value
            with pytest.raises(ValueError, match="row 1"):
                env.step(bad)
        env.step(good)

    def test_continuous_actions_act(self) -> None:
        directions, plain = make(continuous=True), make(full_action_space=True)
        directions.reset(seed=1), plain.reset(seed=1)
        for index, (angle, fire) in enumerate([(0.0, 0), (np.pi / 2, 0), (np.pi, 1), (-np.pi / 2, 1)]):
            row = [1.0, angle, fire]
            number = [3, 2, 12, 13][index]
            assert same(directions.step(np.array([row, row], np.float32)), plain.step(np.array([number] * 2)))


class TestOrder:
    def test_calls_before_reset(self) -> None:
        env = make()
        with pytest.raises(RuntimeError, match="before reset"):
            env.step(np.array([0, 0]))
        with pytest.raises(RuntimeError, match="before reset"):
            env.send(np.array([0, 0]))
        with pytest.raises(RuntimeError, match="before reset"):
            env.snapshot()
        with pytest.raises(RuntimeError, match=r"must reset every environment \(got 1 of 2\)"):
            env.reset(options={"reset_mask": np.array([True, False])})

    def test_receiving_needs_sending(self) -> None:
        env = make()
        env.reset(seed=0)
        with pytest.raises(RuntimeError, match="recv"):
            env.recv()
        env.send(np.array([0, 0]))
        with pytest.raises(RuntimeError, match="without recv"):
            env.send(np.array([0, 0]))
        with pytest.raises(RuntimeError, match="without recv"):
            env.step(np.array([0, 0]))
        env.recv()
        env.step(np.array([0, 0]))

    def test_closed_environments_say_so(self) -> None:
        env = make()
        env.reset()
        env.close()
        env.close()
        for call in (env.reset, env.recv, env.observe, lambda: env.step(np.array([0, 0]))):
            with pytest.raises(error.ClosedEnvironmentError):
                call()

    def test_work_in_flight_does_not_hold_up_the_end(self) -> None:
        for _ in range(5):
            env = make(num_envs=8, batch_size=2)
            env.reset(seed=0)
            env.send(np.array([0, 0]))
            del env


class TestSeeds:
    def test_kinds_of_seeds(self) -> None:
        env = make(num_envs=3)
        first = env.reset(seed=5)[0]
        assert np.array_equal(env.reset(seed=np.array([5, 6, 7]))[0], first)
        assert np.array_equal(env.reset(seed=np.array([7, 6, 5], np.uint8))[0][::-1], first)
        for seeds in ([5, 6, 7], (5, 6, 7), np.int64(5), np.uint8(5)):
            assert np.array_equal(env.reset(seed=seeds)[0], first)
        for bad in (5.0, True, np.array(5), "5", {5}):
            with pytest.raises(TypeError, match="Unsupported seed type"):
                env.reset(seed=bad)  # type: ignore[arg-type]
        for bad in (np.array([0.5, 1, 2]), 2**31, 2**31 - 2, np.array([0, 1, 2**31])):
            with pytest.raises(TypeError):
                env.reset(seed=bad)
        with pytest.raises(ValueError, match="one entry per sub-environment"):
            env.reset(seed=np.array([1, 2]))

    def test_masks(self) -> None:
        env = make(num_envs=3)
        env.reset(seed=0)
        before = env.step(np.array([0, 1, 2]))[0]
        mask = np.array([False, True, False])
        after, info = env.reset(seed=9, options={"reset_mask": mask})
        assert np.array_equal(after[~mask], before[~mask])
        assert np.array_equal(after[1], make(num_envs=1).reset(seed=9)[0][0])
        assert info["env_id"].tolist() == [0, 1, 2]
        for bad, exception in (
            ([True] * 3, TypeError),
            (np.ones(3), TypeError),
            (np.ones(2, bool), ValueError),
        ):
            with pytest.raises(exception, match="reset_mask"):
                env.reset(options={"reset_mask": bad})
        with pytest.raises(ValueError, match="one entry per sub-environment"):
            env.reset(seed=np.array([1, 2]), options={"reset_mask": mask})
        asynchronous = make(num_envs=3, batch_size=2)
        asynchronous.reset()
        with pytest.raises(ValueError, match="Partial reset is not supported"):
            asynchronous.reset(options={"reset_mask": mask})

    def test_the_stream_depends_on_the_global_index_only(self) -> None:
        options = {"repeat_action_probability": 0.25}
        whole = play(make(num_envs=6, **options), 40)
        for first in (0, 2, 4):
            part = play(make(num_envs=2, first_env_index=first, **options), 40)
            assert all(same(a, b, slice(first, first + 2)) for a, b in zip(whole, part, strict=True))
            assert all(result[-1]["env_id"].tolist() == [first, first + 1] for result in part)

    def test_ids_count_from_the_first_index(self) -> None:
        env = make(num_envs=3, first_env_index=10)
        env.async_reset(seed=0)
        info = env.recv()[-1]
        assert info["env_id"].tolist() == [10, 11, 12]
        env.send(np.zeros(3, int), info["env_id"][::-1])
        env.recv()
        assert env.snapshot([11]).ids == [1]
        with pytest.raises(IndexError, match="no sub-environment 9; they are counted from 10"):
            env.send(np.zeros(3, int), [9, 10, 11])

    @pytest.mark.parametrize("threads", [1, 2, 8])
    @pytest.mark.parametrize("shared", [False, True])
    @pytest.mark.parametrize("offset", [-1, 0])
    def test_threads_make_no_difference(self, threads: int, shared: bool, offset: int) -> None:
        options = {"repeat_action_probability": 0.25, "max_num_frames_per_episode": 60}
        pool = {"num_threads": threads, "shared_pool": shared, "thread_affinity_offset": offset}
        twin = make(num_envs=5, **pool, **options)
        assert all(map(same, play(make(num_envs=5, num_threads=1, **options), 40), play(twin, 40)))

    def test_unseeded_environments_differ(self) -> None:
        waits = [make(num_envs=8).reset()[1]["frame_number"].tolist() for _ in range(2)]
        assert len(set(waits[0])) > 1
        assert waits[0] != waits[1]


class TestAutoreset:
    def test_next_step(self) -> None:
        env = make(max_num_frames_per_episode=8, noop_max=0)
        first = env.reset(seed=0)[0]
        env.step(np.array([0, 0]))
        assert env.step(np.array([0, 0]))[3].all()
        observations, rewards, terminations, truncations, info = env.step(np.array([3, 3]))
        assert np.array_equal(observations, first)
        assert not (rewards.any())
        assert not (terminations.any())
        assert not (truncations.any())
        assert "final_obs" not in info

    def test_same_step(self) -> None:
        extra = ("episode_length", "episode_return")
        options = {"max_num_frames_per_episode": 8, "noop_max": 0}
        env = make(autoreset_mode=AutoresetMode.SAME_STEP, extra_info=extra, **options)
        twin = make(**options)
        first = env.reset(seed=0)[0]
        twin.reset(seed=0)
        env.step(np.array([0, 0])), twin.step(np.array([0, 0]))
        observations, _, _, truncations, info = env.step(np.array([0, 0]))
        last, _, _, _, last_info = twin.step(np.array([0, 0]))
        assert truncations.all()
        assert np.array_equal(observations, first)
        assert np.array_equal(info["final_obs"], last)
        assert info["_final_obs"].all()
        assert info["_final_info"].all()
        assert info["final_info"]["episode_length"].tolist() == [2, 2]
        assert info["episode_length"].tolist() == [0, 0]
        assert np.array_equal(info["final_info"]["lives"], last_info["lives"])

    def test_rows_that_go_on_show_what_they_see(self) -> None:
        env = make(num_envs=2, autoreset_mode="SameStep", max_num_frames_per_episode=8)
        env.reset(seed=0)
        env.step(np.array([0, 0]))
        env.reset(options={"reset_mask": np.array([True, False])})
        observations, _, _, truncations, info = env.step(np.array([0, 0]))
        assert truncations.tolist() == [False, True] == info["_final_obs"].tolist()
        assert np.array_equal(info["final_obs"][0], observations[0])
        assert not np.array_equal(info["final_obs"][1], observations[1])

    def test_disabled(self) -> None:
        env = make(autoreset_mode=AutoresetMode.DISABLED, max_num_frames_per_episode=8)
        env.reset(seed=0)
        env.step(np.array([0, 0]))
        assert env.step(np.array([0, 0]))[3].all()
        with pytest.raises(RuntimeError, match=r"sub-environments 0, 1 are over"):
            env.step(np.array([0, 0]))
        env.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(RuntimeError, match="sub-environments 1 are over"):
            env.step(np.array([0, 0]))
        env.reset(options={"reset_mask": np.array([False, True])})
        env.step(np.array([0, 0]))

    def test_a_lost_life_can_end_an_episode_and_the_game_goes_on(self) -> None:
        options = {"episodic_life": True, "noop_max": 0, "extra_info": ["game_over"], "num_envs": 1}
        full, lives = make("breakout", **options), make("breakout", continue_lives=True, **options)
        for env, expected in ((full, [5, 5, 5]), (lives, [5, 4, 3])):
            seen = []
            _, info = env.reset(seed=0)
            while len(seen) < 3:
                seen.append(int(info["lives"][0]))
                done = False
                while not done:
                    _, _, terminations, _, info = env.step(np.array([1]))
                    done = bool(terminations[0])
                assert not info["game_over"][0]
                _, _, _, _, info = env.step(np.array([0]))
            assert seen == expected


class TestGymnasium:
    def test_make_vec(self) -> None:
        env = gymnasium.make_vec("ale_rs/Glowdelve-v5", num_envs=3)
        assert isinstance(env.unwrapped, AtariVectorEnv)
        assert env.reset(seed=0)[0].shape == (3, 4, 84, 84)
        assert env.unwrapped._arguments["repeat_action_probability"] == 0.25
        other = gymnasium.make_vec("ale_rs/Glowdelve-v5", num_envs=2, stack_num=1, img_height=50)
        assert other.observation_space.shape == (2, 1, 50, 84)
        assert gymnasium.make_vec("ale_rs/Glowdelve-v5", 2, vectorization_mode="sync").num_envs == 2

    @pytest.mark.parametrize("takes_over", [False, True])
    def test_make_vec_of_the_usual_ids(self, takes_over: bool) -> None:
        if not isinstance(roms.locate("pong"), Path):
            pytest.skip("the ROM of Pong is missing")
        begin = "import ale_py, ale_rs; ale_rs.register(override=True)" if takes_over else "import ale_rs"
        if takes_over:
            pytest.importorskip("ale_py", reason="the reference is not installed")
        code = f"""
import gymnasium
{begin}
env = gymnasium.make_vec("ALE/Pong-v5", num_envs=3)
assert type(env.unwrapped) is ale_rs.AtariVectorEnv, type(env.unwrapped)
assert env.reset(seed=0)[0].shape == (3, 4, 84, 84)
"""
        assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=120).returncode == 0

    def test_wrappers(self) -> None:
        from gymnasium.wrappers import vector as wrappers

        env: Any = make(num_envs=3, max_num_frames_per_episode=80)
        env = wrappers.RecordEpisodeStatistics(env)
        env = wrappers.ClipReward(env, -1, 1)
        env = wrappers.NormalizeReward(env)
        env.reset(seed=0)
        episodes = []
        for step in range(70):
            _, rewards, _, _, info = env.step(actions(env.unwrapped, step))
            assert rewards.shape == (3,)
            if "episode" in info:
                episodes += [int(length) for length in info["episode"]["l"][info["_episode"]]]
        assert episodes == [20] * len(episodes)
        assert len(episodes) >= 6

    def test_observation_wrappers(self) -> None:
        from gymnasium.wrappers import vector as wrappers

        env: Any = make(num_envs=2, max_num_frames_per_episode=20, stack_num=1)
        env = wrappers.FlattenObservation(env)
        env = wrappers.NormalizeObservation(env)
        observations, _ = env.reset(seed=0)
        assert observations.shape == (2, 84 * 84)
        for step in range(12):
            observations, *_ = env.step(actions(env.unwrapped, step))
        assert np.isfinite(observations).all()
