"""`AtariVectorEnv`: arguments, spaces, modes, errors, and what it does beyond the reference."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import error, spaces
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordVideo

from ale_rs import AtariEnv, AtariVectorEnv, roms
from ale_rs.vector_env import VectorSnapshot

OURS = "glowdelve"
OTHER = "windfall"


def make(game: Any = OURS, num_envs: int | None = 2, **options: Any) -> AtariVectorEnv:
    try:
        return AtariVectorEnv(game, num_envs, **options)
    except roms.RomNotFoundError as missing:
        pytest.skip(str(missing))


def actions(env: AtariVectorEnv, step: int) -> Any:
    """Any rule that depends on the sub-environment and the step only."""
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    first = env.first_env_index
    return np.array([(index * 5 + step // 2) % count for index in range(first, first + env.num_envs)])


def play(env: AtariVectorEnv, steps: int, seed: int | None = 0) -> list[tuple[Any, ...]]:
    """Copies of all results."""
    results: list[tuple[Any, ...]] = [env.reset(seed=seed)]
    results += [env.step(actions(env, step)) for step in range(steps)]
    return results


def same(one: tuple[Any, ...], other: tuple[Any, ...], rows: Any = slice(None)) -> bool:
    """Whether two results agree, the second in some rows of the first."""
    arrays = all(np.array_equal(a[rows], b) for a, b in zip(one[:-1], other[:-1], strict=True))
    keys = ("lives", "frame_number", "episode_frame_number")
    return arrays and all(np.array_equal(one[-1][key][rows], other[-1][key]) for key in keys)


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


class TestObservations:
    def test_the_screen_as_it_is(self) -> None:
        env = make(obs_type="rgb")
        gray = make(obs_type="grayscale")
        observations, _ = env.reset(seed=0)
        assert observations.shape == (2, 210, 160, 3)
        assert gray.reset(seed=0)[0].shape == (2, 210, 160)
        for step in range(20):
            observations = env.step(actions(env, step))[0]
            gray.step(actions(env, step))
            assert np.array_equal(observations[1], env.screen(1))
        assert np.array_equal(env.screen(0), gray.screen(0))
        resized = make(img_height=210, img_width=160, stack_num=1, maxpool=False)
        resized.reset(seed=0)
        for step in range(20):
            expected = resized.step(actions(env, step))[0]
        assert np.array_equal(gray.observe()[0], expected[:, 0])

    def test_palette_indices(self) -> None:
        env, colors = make(obs_type="indices"), make(obs_type="rgb")
        single = AtariEnv(OURS).ale.palette().reshape(256, 3)
        observations, _ = env.reset(seed=0)
        pictures, _ = colors.reset(seed=0)
        assert observations.shape == (2, 210, 160)
        assert env.single_observation_space.shape == (210, 160)
        for step in range(20):
            assert np.array_equal(single[observations], pictures)
            observations = env.step(actions(env, step))[0]
            pictures = colors.step(actions(env, step))[0]

    def test_ram(self) -> None:
        env, twin = make(obs_type="ram"), make(extra_info=["ram"])
        observations, _ = env.reset(seed=0)
        assert observations.shape == (2, 128)
        assert np.array_equal(observations, twin.reset(seed=0)[1]["ram"])
        for step in range(30):
            assert np.array_equal(env.step(actions(env, step))[0], twin.step(actions(env, step))[4]["ram"])
        assert env.screen(0).shape == (210, 160, 3)

    def test_more_info(self) -> None:
        names = ["raw_reward", "episode_return", "episode_length", "executed_action", "game_over", "sound"]
        env = make("breakout", extra_info=names, reward_clipping=False)
        _, info = env.reset(seed=0)
        assert set(names) < set(info)
        assert info["sound"].shape == (2, 512)
        total, length, seen = np.zeros(2), np.zeros(2, int), 0.0
        rng = np.random.default_rng(0)
        for _ in range(400):
            _, rewards, _, _, info = env.step(rng.integers(0, 4, 2))
            assert np.array_equal(info["raw_reward"], rewards)
            fresh = info["episode_length"] == 0
            total, length = np.where(fresh, 0, total + info["raw_reward"]), np.where(fresh, 0, length + 1)
            assert np.array_equal(total, info["episode_return"])
            assert np.array_equal(length, info["episode_length"])
            seen = max(seen, float(total.max()))
        assert seen > 1
        assert info["sound"].min() >= 128

    def test_the_executed_action_is_that_of_the_machine(self) -> None:
        env = make(extra_info=["executed_action"], repeat_action_probability=0.9)
        env.reset(seed=0)
        executed = [env.step(np.array([5, 5]))[4]["executed_action"].tolist() for _ in range(30)]
        assert {number for row in executed for number in row} == {0, 5}

    def test_a_padded_stack(self) -> None:
        stack = make(pad_stack=True).reset(seed=0)[0][0]
        assert (stack == stack[3]).all()
        zeros = make().reset(seed=0)[0][0]
        assert not zeros[:3].any()
        assert np.array_equal(zeros[3], stack[3])

    def test_pictures_by_the_contract_of_gymnasium(self) -> None:
        env = make(num_envs=5, render_mode="rgb_array")
        env.reset(seed=0)
        env.step(actions(env, 0))
        pictures = env.render()
        assert isinstance(pictures, tuple)
        assert len(pictures) == 5
        for index, picture in enumerate(pictures):
            assert np.array_equal(picture, env.screen(index))
        assert make().render() is None

    def test_the_picture_of_all(self) -> None:
        env = make(num_envs=5)
        env.reset(seed=0)
        picture = env.render_tiled()
        assert picture.shape == (420, 480, 3)
        assert np.array_equal(picture[210:, 160:320], env.screen(4))
        assert not picture[210:, 320:].max() > 32
        named = env.render_tiled(names=True)
        assert named.shape == (2 * 219, 480, 3)
        assert (named[210:219, :160] == 200).any()
        assert (named[210:219, :160] == named[429:438, :160]).all(), "both play the same game"

    def test_gymnasium_records_a_video_of_all(self, tmp_path: Path) -> None:
        pytest.importorskip("moviepy", reason="gymnasium writes videos with moviepy")
        env = RecordVideo(make(num_envs=2, render_mode="rgb_array"), str(tmp_path), video_length=4)
        env.reset(seed=0)
        for step in range(6):
            env.step(actions(env, step))
        env.close()
        assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]

    def test_names_that_users_expect(self) -> None:
        env = make([OURS, OTHER], None)
        assert len(env) == 2
        assert env.games == (OURS, OTHER)
        assert len(env.get_action_meanings()) == env.single_action_space.n == 18
        assert make().get_action_meanings() == AtariEnv(OURS).get_action_meanings()

    def test_pictures_are_the_same_whatever_is_observed(self) -> None:
        envs = [
            make([OURS, OTHER, OURS], None, render_mode="rgb_array", obs_type=kind)
            for kind in ("frames", "ram", "rgb", "grayscale", "indices")
        ]
        pictures = []
        for env in envs:
            env.reset(seed=0)
            pictures.append([])
            for step in range(12):
                env.step(actions(env, step))
                if step % 3 == 0:
                    pictures[-1].append(env.render())
        assert all(np.array_equal(pictures[0], others) for others in pictures[1:])


class TestManyGames:
    def test_each_plays_its_own(self) -> None:
        env = make([OURS, OTHER, OURS], None, mode=[0, None, 1], difficulty=[1, None, None])
        assert env.num_envs == 3
        assert env.single_action_space == spaces.Discrete(18)
        env.reset(seed=4)
        alone = [
            make(OURS, 1, mode=0, difficulty=1, full_action_space=True),
            make(OTHER, 1, full_action_space=True),
            make(OURS, 1, mode=1, full_action_space=True),
        ]
        for index, single in enumerate(alone):
            single.reset(seed=4 + index)
        for step in range(30):
            chosen = actions(env, step)
            whole = env.step(chosen)
            for index, single in enumerate(alone):
                assert same(whole, single.step(chosen[index : index + 1]), slice(index, index + 1))

    def test_screens_of_different_height(self) -> None:
        env = make(["pong", "pacman"], None, obs_type="grayscale")
        observations, _ = env.reset(seed=0)
        assert observations.shape == (2, 250, 160)
        assert not observations[0, 210:].any()
        assert observations[1, 210:].any()
        frames = make(["pong", "pacman"], None)
        alone = make("pacman", 1)
        assert np.array_equal(frames.reset(seed=6)[0][1:], alone.reset(seed=7)[0])

    def test_equal_minimal_sets_stay_minimal(self) -> None:
        env = make(["pong", "pong"], None)
        assert env.single_action_space == spaces.Discrete(6)
        mixed = make(["pong", "breakout"], None)
        assert mixed.single_action_space == spaces.Discrete(18)

    def test_rom_files(self, tmp_path: Any) -> None:
        path = tmp_path / "renamed.bin"
        path.write_bytes(roms.load(OURS).data)
        assert same(make(path, 1).reset(seed=1), make(OURS, 1).reset(seed=1))

    def test_lists_have_to_agree(self) -> None:
        with pytest.raises(ValueError, match="num_envs is 3 and `game` lists 2"):
            make([OURS, OTHER], 3)
        with pytest.raises(TypeError, match="num_envs is missing"):
            make(OURS, None)


class TestSnapshots:
    OPTIONS: dict[str, Any] = {"repeat_action_probability": 0.25, "episodic_life": True}  # noqa: RUF012

    @pytest.mark.parametrize("game", [OURS, "breakout", "qbert", "journey_escape"])
    def test_what_is_restored_goes_on_the_same(self, game: str) -> None:
        env = make(game, 3, **self.OPTIONS)
        play(env, 20)
        snapshot = env.snapshot()
        future = [env.step(actions(env, step)) for step in range(60)]
        observations, _ = env.restore(snapshot)
        assert observations.shape == (3, 4, 84, 84)
        assert all(same(env.step(actions(env, step)), result) for step, result in enumerate(future))

    @pytest.mark.parametrize("game", [OURS, "breakout", "journey_escape"])
    def test_bytes_go_on_the_same(self, game: str) -> None:
        env = make(game, 2, **self.OPTIONS)
        play(env, 30)
        copy = pickle.loads(pickle.dumps(env))
        assert same(env.observe(), copy.observe())
        for step in range(60):
            assert same(env.step(actions(env, step)), copy.step(actions(env, step)))

    def test_a_batch_that_cannot_show_all_is_refused(self) -> None:
        env = make(num_envs=4, batch_size=2)
        env.reset(seed=0)
        env.recv()
        snapshot = env.snapshot()
        for call in (env.observe, lambda: env.restore(snapshot), lambda: env.branch(0, [1])):
            with pytest.raises(ValueError, match="synchronous"):
                call()
        with pytest.raises(ValueError, match="too few to show 4"):
            env._native.observe()
        env.send(np.zeros(2, np.int64))
        env.recv()

    def test_some_of_them(self) -> None:
        env = make(num_envs=3)
        play(env, 10)
        snapshot = env.snapshot([2])
        assert (len(snapshot), snapshot.ids) == (1, [2])
        before = env.observe()[0]
        env.step(actions(env, 10))
        now = env.observe()[0]
        after, _ = env.restore(snapshot)
        assert np.array_equal(after[:2], now[:2])
        assert np.array_equal(after[2], before[2])
        moved, _ = env.restore(snapshot, [0])
        assert np.array_equal(moved[0], before[2])

    def test_branches(self) -> None:
        env = make(num_envs=4, repeat_action_probability=0.25)
        play(env, 15)
        observations, _ = env.branch(1, 2)
        assert (observations[1:] == observations[1]).all()
        assert not np.array_equal(observations[0], observations[1])
        for _ in range(20):
            observations = env.step(np.array([0, 3, 3, 3]))[0]
        assert (observations[1:] == observations[1]).all()
        observations, _ = env.branch(0, [3])
        assert np.array_equal(observations[0], observations[3])

    def test_mistakes(self) -> None:
        env, other = make([OURS, OTHER], None), make(num_envs=2)
        env.reset(seed=0), other.reset(seed=0)
        with pytest.raises(RuntimeError, match="the snapshot is of"):
            env.restore(other.snapshot())
        with pytest.raises(RuntimeError, match="the snapshot is of"):
            env.branch(0, 1)
        with pytest.raises(IndexError, match="no sub-environment 2"):
            other.branch(0, 2)
        with pytest.raises(IndexError):
            other.snapshot([-1])
        with pytest.raises(ValueError, match="the snapshot has 2"):
            other.restore(other.snapshot(), [0])
        small = make(num_envs=2, stack_num=1)
        small.reset()
        with pytest.raises(RuntimeError, match="another kind or size"):
            small.restore(other.snapshot())
        with pytest.raises(ValueError, match="cut off or changed"):
            VectorSnapshot.from_bytes(other.snapshot().to_bytes()[:-5])
        for old in (b"\x01" + bytes(100), b"ale-rs v" + bytes([1, 0, 0, 0] + [0] * 16)):
            with pytest.raises(ValueError, match="has version 1; accepted: 2"):
                VectorSnapshot.from_bytes(old)

    def test_an_environment_that_was_never_reset_is_pickled_too(self) -> None:
        copy = pickle.loads(pickle.dumps(make(num_envs=3, stack_num=2)))
        assert copy.reset()[0].shape == (3, 2, 84, 84)

    def test_work_in_flight_is_not_pickled(self) -> None:
        env = make(num_envs=3, batch_size=1)
        env.reset(seed=0)
        with pytest.raises(RuntimeError, match="at work"):
            pickle.dumps(env)


class TestAsynchronous:
    def test_every_sub_environment_has_its_own_stream(self) -> None:
        options = {"num_envs": 4, "repeat_action_probability": 0.25}
        length = 30
        expected = play(make(**options), length)
        env = make(batch_size=1, **options)
        observations, info = env.reset(seed=0)
        steps = [0] * 4
        # How often each one comes is up to the threads; what it brings is not.
        for _ in range(20_000):
            index = int(info["env_id"][0])
            if steps[index] <= length:
                assert np.array_equal(observations[0], expected[steps[index]][0][index])
            chosen = actions(make_like(env, 4), steps[index])[index]
            steps[index] += 1
            if min(steps) > 5:
                break
            observations, _, _, _, info = env.step(np.array([chosen]))
        assert min(steps) > 5

    def test_a_reset_drops_what_is_in_flight(self) -> None:
        env = make(num_envs=6, batch_size=2)
        env.reset(seed=0)
        env.step(np.array([1, 1]))
        seen = list(env.reset(seed=50)[1]["env_id"])
        for _ in range(2):
            seen += list(env.step(np.array([0, 0]))[4]["env_id"])
        # Three batches of two: sub-environments that were stepped may have come twice, stale rows never.
        assert len(seen) == 6

    def test_actions_for_named_sub_environments(self) -> None:
        env, twin = make(num_envs=3, batch_size=3), make(num_envs=3)
        env.async_reset(seed=1)
        assert np.array_equal(env.recv()[0], twin.reset(seed=1)[0])
        env.send(np.array([3, 2, 1]), [2, 1, 0])
        assert same(env.recv(), twin.step(np.array([1, 2, 3])))
        with pytest.raises(IndexError):
            env.send(np.array([0]), [7])
        with pytest.raises(ValueError, match="twice"):
            env.send(np.array([0, 0]), [1, 1])


def make_like(env: AtariVectorEnv, num_envs: int) -> Any:
    """The rule of actions for an environment with fewer rows."""
    return type("Like", (), {
        "single_action_space": env.single_action_space, "first_env_index": 0, "num_envs": num_envs,
    })  # fmt: skip


class TestMemory:
    def test_what_is_held_is_never_overwritten(self) -> None:
        env = make(num_envs=2, img_height=21, img_width=16, stack_num=2, max_num_frames_per_episode=100)
        held = play(env, 1000)
        copies = [tuple(np.copy(part) for part in result[:-1]) for result in held]
        infos = [{key: value.copy() for key, value in result[-1].items()} for result in held]
        again = play(env, 1000)
        assert all(same(one, other) for one, other in zip(held, again, strict=True))
        for result, copy, info in zip(held, copies, infos, strict=True):
            assert all(np.array_equal(part, saved) for part, saved in zip(result[:-1], copy, strict=True))
            assert all(np.array_equal(result[-1][key], info[key]) for key in info)
        addresses = {result[0].ctypes.data for result in held}
        assert len(addresses) == len(held)

    def test_memory_is_used_again_when_nobody_holds_it(self) -> None:
        env = make()
        env.reset(seed=0)
        addresses = {env.step(np.array([0, 0]))[0].ctypes.data for _ in range(50)}
        assert len(addresses) <= 3

    def test_a_view_holds_its_memory(self) -> None:
        env = make()
        row = env.reset(seed=0)[0][1, 3]
        copy = row.copy()
        for step in range(30):
            env.step(actions(env, step))
        assert np.array_equal(row, copy)

    def test_arrays_are_views_of_native_memory(self) -> None:
        observations, info = make().reset(seed=0)
        for array in (observations, info["lives"]):
            assert not array.flags.owndata
            assert array.flags.c_contiguous
            assert array.flags.writeable
            assert array.flags.aligned
            assert type(array.base).__name__ == "Memory"
        assert np.asarray(observations) is observations
        assert np.array(observations, copy=False).ctypes.data == observations.ctypes.data
        assert np.from_dlpack(observations).ctypes.data == observations.ctypes.data
        assert memoryview(observations).nbytes == observations.nbytes

    def test_torch_shares_the_memory(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is optional")
        env = make()
        observations, _ = env.reset(seed=0)
        for tensor in (torch.from_numpy(observations), torch.from_dlpack(observations)):
            assert tensor.data_ptr() == observations.ctypes.data
            assert tensor.shape == observations.shape
        # A tensor holds the memory: steps that follow go elsewhere.
        before = tensor.clone()
        del observations
        for step in range(10):
            _, rewards, terminated, _, _ = env.step(actions(env, step))
            assert torch.from_numpy(rewards).data_ptr() == rewards.ctypes.data
            assert torch.from_numpy(terminated).dtype == torch.bool
        assert torch.equal(tensor, before)

    def test_tensors_as_buffers(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is optional")
        env, twin = make(), make()
        shape = env.observation_space.shape
        tensors = [torch.zeros(shape, dtype=torch.uint8), torch.zeros(env.num_envs, dtype=torch.int32)]
        tensors += [torch.zeros(env.num_envs, dtype=torch.bool) for _ in range(2)]
        env.use_buffers(*(tensor.numpy() for tensor in tensors))
        assert np.array_equal(env.reset(seed=0)[0], twin.reset(seed=0)[0])
        for step in range(20):
            env.step(actions(env, step))
            expected = twin.step(actions(env, step))
            for tensor, array in zip(tensors, expected, strict=False):
                assert torch.equal(tensor, torch.from_numpy(array))

    def test_writing_into_an_observation_does_no_harm(self) -> None:
        env, twin = make(), make()
        twin.reset(seed=0)
        env.reset(seed=0)[0][:] = 77
        for step in range(10):
            result = env.step(actions(env, step))
            assert same(result, twin.step(actions(env, step)))
            result[0][:] = 77

    @pytest.mark.parametrize("batch_size", [0, 1])
    def test_buffers_of_the_caller(self, batch_size: int) -> None:
        env, twin = make(num_envs=1), make(num_envs=1, batch_size=batch_size)
        buffers = (
            np.zeros(env.observation_space.shape, np.uint8),  # type: ignore[arg-type]
            np.zeros(1, np.int32),
            np.zeros(1, bool),
            np.zeros(1, bool),
        )
        env.use_buffers(*buffers)
        assert env.reset(seed=0)[0] is buffers[0]
        twin.reset(seed=0)
        for step in range(20):
            result = env.step(actions(env, step))
            assert all(part is buffer for part, buffer in zip(result, buffers, strict=False))
            assert same(result, twin.step(actions(env, step)))
        env.use_buffers()
        assert env.step(np.array([0]))[0] is not buffers[0]

    def test_buffers_have_to_fit(self) -> None:
        env = make()
        for bad in (np.zeros((2, 4, 84, 83), np.uint8), np.zeros((2, 4, 84, 168), np.uint8)[..., ::2]):
            with pytest.raises(ValueError, match="observations"):
                env.use_buffers(bad)
        frozen = np.zeros((2, 4, 84, 84), np.uint8)
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="cannot be written"):
            env.use_buffers(frozen)
        with pytest.raises(TypeError):
            env.use_buffers(np.zeros((2, 4, 84, 84)))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="rewards"):
            env.use_buffers(None, np.zeros(3, np.int32))

    @pytest.mark.skipif(sys.platform != "linux", reason="reads the size of the process from /proc")
    def test_a_thousand_environments_take_less_than_a_hundred_megabytes(self) -> None:
        code = f"""
import gc, os
import numpy as np
from ale_rs import AtariVectorEnv

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

small = AtariVectorEnv("{OURS}", 2); small.reset(seed=0)
before = resident()
env = AtariVectorEnv("{OURS}", 1024)
observations = env.reset(seed=0)[0]
worst = resident() - before - observations.nbytes
for step in range(3):
    observations = env.step(np.full(1024, step))[0]
    # Two batches exist while one is exchanged for the next.
    worst = max(worst, resident() - before - 2 * observations.nbytes)
print(worst)
"""
        output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert int(output.stdout) < 100_000_000


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also in a process that was started in the background and told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class TestThreads:
    def test_other_python_threads_run_while_a_step_runs(self) -> None:
        env = make(num_envs=64, frameskip=60)
        env.reset(seed=0)
        count, running = 0, True

        def counter() -> None:
            nonlocal count
            while running:
                count += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=counter)
        thread.start()
        start, before = time.monotonic(), count
        env.step(actions(env, 0))
        lasted, counted = time.monotonic() - start, count - before
        running = False
        thread.join()
        # A step that held the interpreter would let it count to one or two.
        assert counted > 5 or lasted < 0.02

    def test_two_threads_do_not_share_an_environment(self) -> None:
        env = make(num_envs=64, frameskip=100)
        env.reset(seed=0)
        problems: list[Exception] = []

        def step() -> None:
            try:
                env.step(actions(env, 0))
            except RuntimeError as problem:
                problems.append(problem)

        threads = [threading.Thread(target=step) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all("another thread" in str(problem) for problem in problems)
        env.step(actions(env, 1))

    @pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.usefixtures("interruptible")
    def test_an_interrupt_ends_a_long_step(self, threads: int) -> None:
        # A step ends with its game, so it takes many of them to make it long.
        env = make(num_envs=1000, frameskip=100_000, num_threads=threads)
        env.reset(seed=0)
        start = time.monotonic()
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            env.step(actions(env, 0))
        assert time.monotonic() - start < 30
        with pytest.raises(RuntimeError, match="reset"):
            env.step(actions(env, 0))
        env.reset(seed=0)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
    def test_a_forked_process_goes_on_alone(self) -> None:
        code = f"""
import os, sys
import numpy as np
from ale_rs import AtariVectorEnv
env = AtariVectorEnv("{OURS}", 4, num_threads=2)
env.reset(seed=0)
env.step(np.arange(4))
child = os.fork()
observations = env.step(np.arange(4))[0]
if child == 0:
    os._exit(0 if observations.any() else 1)
_, status = os.waitpid(child, 0)
env.send(np.arange(4))
child = os.fork()
if child == 0:
    try:
        env.recv()
    except RuntimeError as problem:
        os._exit(0 if "forked" in str(problem) else 1)
    os._exit(2)
_, second = os.waitpid(child, 0)
env.recv()
sys.exit(status or second)
"""
        assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=120).returncode == 0


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
