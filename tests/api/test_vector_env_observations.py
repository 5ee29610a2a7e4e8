"""What `AtariVectorEnv` shows: screens, RAM, info, pictures, several games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers.vector import RecordVideo

from ale_rs import AtariEnv, roms
from api.vector_playing import OTHER, OURS, actions, make, same


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
