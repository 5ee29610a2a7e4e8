"""The measured trajectories of `tests/golden/env.json`: one environment, frame by frame the reference's."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import ALEInterface, AtariEnv, LoggerMode, roms

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "env.json").read_text())
EXTRA = GOLDEN["extra"]


@pytest.fixture(autouse=True)
def quiet() -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)


class Lcg:
    """The generator of the measured actions."""

    def __init__(self) -> None:
        self.x = 12345

    def below(self, n: int) -> int:
        self.x = (1103515245 * self.x + 12345) % 2**31
        return (self.x >> 16) % n


def short_hash(*arrays: np.ndarray) -> str:
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


def rom_path(game: str) -> Path:
    try:
        path = roms.get_rom_path(game)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    assert path is not None
    return path


@pytest.mark.parametrize("run", GOLDEN["ale_interface"])
def test_interface_follows_the_measured_run(run: str) -> None:
    game, seed = run.split("/seed")
    expected = GOLDEN["ale_interface"][run]
    ale = ALEInterface()
    ale.setInt("random_seed", int(seed))
    ale.setFloat("repeat_action_probability", 0.25)
    ale.loadROM(rom_path(game))

    def seen() -> dict[str, object]:
        return {
            "episode_frame_number": ale.getEpisodeFrameNumber(),
            "frame_number": ale.getFrameNumber(),
            "game_over": ale.game_over(),
            "lives": ale.lives(),
            "ram_hex": bytes(ale.getRAM()).hex(),
            "screen": short_hash(ale.getScreen()),
        }

    assert seen() == expected["after_load"]
    ale.reset_game()
    assert seen() == expected["after_load_and_reset"]
    actions, lcg = ale.getLegalActionSet(), Lcg()
    reward = sum(ale.act(actions[lcg.below(len(actions))]) for _ in range(300))
    assert seen() | {"reward_sum": reward} == expected["after_300_acts"]


def follow(env: AtariEnv, seed: int, steps: int, expected: dict[str, Any]) -> None:
    lcg, total, digest, ends = Lcg(), 0.0, hashlib.sha256(), []
    observation, info = env.reset(seed=seed)
    digest.update(observation)
    assert [list(observation.shape), env.action_space.n] == [expected["obs_shape"], expected["n_actions"]]
    for step in range(steps + 1):
        terminated = truncated = False
        if step:
            action = lcg.below(env.action_space.n)
            observation, reward, terminated, truncated, info = env.step(action)
            digest.update(observation)
            total += reward
        if (checkpoint := expected["checkpoints"].get(str(step))) is not None:
            seen = {
                "gray": short_hash(env.ale.getScreenGrayscale()),
                "obs": short_hash(observation),
                "ram": short_hash(env.ale.getRAM()),
                "reward_sum": total,
            }
            info.pop("seeds", None)
            assert seen | info == checkpoint, f"step {step}"
        if terminated or truncated:
            ends.append([step, terminated, truncated])
            observation, info = env.reset()
            digest.update(observation)
    assert ends[:40] == expected["episode_ends"]
    assert [len(ends), info["lives"], total] == [
        expected["n_episode_ends"],
        expected["final_lives"],
        expected["reward_sum"],
    ]
    assert digest.hexdigest()[:16] == expected["all_obs"]


@pytest.mark.parametrize("run", GOLDEN["atari_env"])
def test_env_follows_the_measured_run(run: str) -> None:
    game, seed, sticky = run.split("/")
    rom_path(game)
    probability = float(sticky.removeprefix("sticky"))
    env = AtariEnv(
        game, frameskip=4, repeat_action_probability=probability, max_num_frames_per_episode=108_000
    )
    follow(env, int(seed.removeprefix("seed")), 1500, GOLDEN["atari_env"][run])


@pytest.mark.parametrize(
    ("run", "seed", "arguments"),
    [
        ("atari_env adventure seed0 mode=2 difficulty=3 sticky0.25", 0, {"mode": 2, "difficulty": 3}),
        ("atari_env breakout seed0 full_action_space sticky0.25", 0, {"full_action_space": True}),
        (
            "atari_env pong seed0 frameskip (2,5) sticky0.0",
            0,
            {"frameskip": (2, 5), "repeat_action_probability": 0.0},
        ),
        ("atari_env pong seed123 frameskip (2,5) sticky0.25", 123, {"frameskip": (2, 5)}),
        ("atari_env space_invaders seed0 mode=5 difficulty=1 sticky0.25", 0, {"mode": 5, "difficulty": 1}),
    ],
)
def test_env_with_options_follows_the_measured_run(run: str, seed: int, arguments: dict[str, Any]) -> None:
    game = run.split()[1]
    rom_path(game)
    env = AtariEnv(game, max_num_frames_per_episode=108_000, **arguments)
    follow(env, seed, 500, EXTRA[run])


def test_continuous_actions_follow_the_measured_run() -> None:
    rom_path("breakout")
    expected = next(EXTRA[run] for run in EXTRA if "continuous" in run)
    env = AtariEnv("breakout", continuous=True, max_num_frames_per_episode=108_000)
    env.reset(seed=0)
    lcg, digest, total, steps, ended = Lcg(), hashlib.sha256(), 0.0, 0, False
    info: dict[str, Any] = {}
    while not ended and steps < 500:
        radius, angle, fire = (
            lcg.below(1001) / 1000,
            (lcg.below(2001) - 1000) / 1000 * 3.14159,
            lcg.below(1001),
        )
        action = np.array([radius, angle, fire / 1000], np.float32)
        observation, reward, terminated, truncated, info = env.step(action)
        digest.update(observation)
        total, steps, ended = total + reward, steps + 1, terminated or truncated
    assert expected == {
        "all_step_obs": digest.hexdigest()[:16],
        "ended": ended,
        "lives": info["lives"],
        "reward_sum": total,
        "steps": steps,
    }


@pytest.mark.parametrize("game", ["pong", "seaquest", "space_invaders"])
def test_sound_follows_the_measured_run(game: str) -> None:
    rom_path(game)
    expected = EXTRA[f"audio atari_env {game} seed0 sticky0.25 sound_obs 500 steps (no resets)"]
    env = AtariEnv(game, sound_obs=True, max_num_frames_per_episode=108_000)
    env.reset(seed=0)
    lcg, digest, sounds = Lcg(), hashlib.sha256(), {}
    for step in range(1, 501):
        sound = env.step(lcg.below(env.action_space.n))[0]["sound"]
        digest.update(sound)
        sounds[str(step)] = short_hash(sound)
    assert {step: sounds[step] for step in expected["sound"]} == expected["sound"]
    assert digest.hexdigest()[:16] == expected["all_sound"]


@pytest.mark.parametrize("game", ["pacman", "space_invaders"])
def test_colour_averaging_follows_the_measured_run(game: str) -> None:
    expected = EXTRA[f"colour averaging {game}, ALEInterface seed 0 sticky 0, 300 acts"]
    ale = ALEInterface()
    ale.setInt("random_seed", 0)
    ale.setFloat("repeat_action_probability", 0.0)
    ale.setBool("color_averaging", True)
    ale.loadROM(rom_path(game))
    actions, lcg, digest = ale.getLegalActionSet(), Lcg(), hashlib.sha256()
    for _ in range(300):
        ale.act(actions[lcg.below(len(actions))])
        digest.update(ale.getScreen())
    assert short_hash(ale.getScreen()) == expected["final_screen"]
    assert digest.hexdigest()[:16] == expected["all_screens"]
