"""`ale_rs.faces.wrapped` beside a literal twin: the wrappers in Python around `AtariEnv`."""

import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from ale_rs import AtariEnv, AtariVectorEnv
from ale_rs.faces.wrapped import WrappedAtariVectorEnv, Wrappers

OPTIONS: dict[str, Any] = {
    "img_height": 210, "img_width": 160, "stack_num": 1, "autoreset_mode": AutoresetMode.SAME_STEP,
    "extra_info": ("episode_return", "episode_length"),
}  # fmt: skip


class Twin:
    """One environment with its wrappers, inner ones first."""

    def __init__(self, env: AtariEnv, wrappers: Wrappers, skip: int) -> None:
        self.env, self.wrappers, self.skip = env, wrappers, skip
        self.frames = np.zeros((2, 210, 160, 3), np.uint8)
        self.ended, self.lives, self.repeated = True, 0, 0
        self.total, self.count = 0.0, 0

    def restart(self, seed: int | None) -> np.ndarray:
        self.total, self.count, self.repeated = 0.0, 0, 0
        return self.env.reset(seed=seed)[0]

    def act(self, action: int) -> tuple[np.ndarray, float, bool, bool]:
        sticky = self.wrappers.action_repeat_probability
        if not sticky or self.env.np_random.random() >= sticky:
            self.repeated = action
        seen, reward, terminated, truncated, _ = self.env.step(self.repeated)
        self.total, self.count = self.total + reward, self.count + 1
        return seen, reward, terminated, truncated

    def start(self, seed: int | None) -> np.ndarray:
        seen = self.restart(seed)
        if self.wrappers.noop_max:
            for _ in range(self.env.np_random.integers(1, self.wrappers.noop_max + 1)):
                seen, _, terminated, truncated = self.act(0)
                if terminated or truncated:
                    seen = self.restart(seed)
        return seen

    def skipping(self, action: int) -> tuple[np.ndarray, float, bool, bool]:
        total = 0.0
        for number in range(self.skip):
            seen, reward, terminated, truncated = self.act(action)
            if number >= self.skip - 2:
                self.frames[number - self.skip + 2] = seen
            total += reward
            if terminated or truncated:
                break
        return seen if self.skip == 1 else self.frames.max(axis=0), total, terminated, truncated

    def next_life(self, seed: int | None) -> np.ndarray:
        if self.ended or not self.wrappers.terminal_on_life_loss:
            seen = self.start(seed)
        else:
            seen, _, terminated, truncated = self.skipping(0)
            if terminated or truncated:
                seen = self.start(seed)
        self.lives = self.env.ale.lives()
        return seen

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool]:
        seen, reward, terminated, truncated = self.skipping(action)
        lives = self.env.ale.lives()
        if self.wrappers.terminal_on_life_loss:
            self.ended = terminated or truncated
            terminated |= 0 < lives < self.lives
        self.lives = lives
        return seen, reward, terminated, truncated

    def reset(self, seed: int | None = None) -> np.ndarray:
        seen = self.next_life(seed)
        if "FIRE" in self.env.get_action_meanings():
            for action in (1, 2):
                seen, _, terminated, truncated = self.step(action)
                if terminated or truncated:
                    self.next_life(seed)
        return seen


def gray(seen: np.ndarray) -> np.ndarray:
    """The weights of ITU-R BT.601 in 32768ths, rounded half up: `cv2.cvtColor` of OpenCV 4 and 5."""
    return (seen.astype(np.int64) @ [9798, 19235, 3735] + (1 << 14) >> 15).astype(np.uint8)


CASES: list[tuple[str, Wrappers, int, dict[str, Any]]] = [
    ("glowdelve", Wrappers(), 4, {}),
    ("glowdelve", Wrappers(noop_max=0, terminal_on_life_loss=False), 1, {"full_action_space": True}),
    ("glowdelve", Wrappers(action_repeat_probability=0.25), 3, {"repeat_action_probability": 0.25}),
    ("glowdelve", Wrappers(frames=4, noop_max=3), 2, {"max_num_frames_per_episode": 150}),
    ("windfall", Wrappers(frames=(2, 5)), 4, {"max_num_frames_per_episode": 400}),
    # Games that are over within their start, or in the first step after it.
    ("windfall", Wrappers(), 4, {"max_num_frames_per_episode": 85}),
    ("windfall", Wrappers(noop_max=5), 4, {"max_num_frames_per_episode": 72}),
    ("glowdelve", Wrappers(noop_max=7), 5, {"max_num_frames_per_episode": 71}),
]


@pytest.mark.parametrize(("game", "wrappers", "skip", "options"), CASES)
def test_the_twin_sees_the_same(
    game: str, wrappers: Wrappers, skip: int, options: dict[str, Any], fresh_seed: int
) -> None:
    seeds = [fresh_seed, 2**32 + 7]
    env_options = {"repeat_action_probability": 0.0, **options}
    twins = [Twin(AtariEnv(game, frameskip=wrappers.frames, **env_options), wrappers, skip) for _ in seeds]
    envs = WrappedAtariVectorEnv(game, 2, wrappers=wrappers, frameskip=skip, **OPTIONS, **options)
    chance = np.random.default_rng(fresh_seed)
    expected = [twin.reset(seed) for twin, seed in zip(twins, seeds, strict=True)]
    observations, info = envs.reset(seed=seeds)
    for step in range(400):
        for index, twin in enumerate(twins):
            what = f"{game}, {wrappers}, step {step} of {index}, seed {fresh_seed}"
            assert np.array_equal(observations[index, 0], gray(expected[index])), what
            assert info["lives"][index] == twin.env.ale.lives(), what
            assert info["episode_frame_number"][index] == twin.env.ale.getEpisodeFrameNumber(), what
            assert (info["episode_return"][index], info["episode_length"][index]) == (twin.total, twin.count)
        if step % 150 == 149:  # in the middle of an episode
            expected = [twin.reset() for twin in twins]
            observations, info = envs.reset()
            continue
        actions = chance.integers(0, envs.single_action_space.n, 2)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for index, twin in enumerate(twins):
            what = f"{game}, {wrappers}, step {step} of {index}, seed {fresh_seed}"
            seen, reward, *ends = twin.step(int(actions[index]))
            assert (rewards[index], terminated[index], truncated[index]) == (np.sign(reward), *ends), what
            if any(ends):
                assert np.array_equal(info["final_obs"][index, 0], gray(seen)), what
                assert info["final_info"]["episode_return"][index] == twin.total, what
                assert info["final_info"]["episode_length"][index] == twin.count, what
                seen = twin.reset()
            expected[index] = seen


def test_a_snapshot_and_a_pickle_go_on_with_the_wrappers() -> None:
    envs = WrappedAtariVectorEnv("glowdelve", 3, wrappers=Wrappers(action_repeat_probability=0.3), **OPTIONS)
    envs.reset(seed=4)
    chance = np.random.default_rng(0)
    actions = chance.integers(0, envs.single_action_space.n, (160, 3))

    def play(envs: WrappedAtariVectorEnv, part: slice) -> list[bytes]:
        return [b"".join(array.tobytes() for array in envs.step(row)[:4]) for row in actions[part]]

    play(envs, slice(0, 60))
    before, twin = envs.snapshot(), pickle.loads(pickle.dumps(envs))
    first = play(envs, slice(60, None))
    envs.restore(type(before).from_bytes(before.to_bytes()))
    assert play(envs, slice(60, None)) == first == play(twin, slice(60, None))
    plain = {**OPTIONS, "episodic_life": True, "continue_lives": True}
    with pytest.raises(RuntimeError, match="other wrappers"):
        AtariVectorEnv("glowdelve", 3, **plain).restore(before)


def test_options_that_make_no_sense_are_refused() -> None:
    for wrappers, message in (
        (Wrappers(noop_max=-1), "noop_max is -1; accepted: 0"),
        (Wrappers(action_repeat_probability=1.5), "action_repeat_probability is 1.5; accepted"),
        (Wrappers(frames=(5, 2)), "frames are from 5 to below 2; accepted"),
    ):
        with pytest.raises(ValueError, match=message):
            WrappedAtariVectorEnv("glowdelve", 1, wrappers=wrappers)
