"""`AtariVectorEnv` against that of ale-py: every byte of every result, over many options and fresh seeds."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv, roms
from ale_rs.registration import SEVERAL_PLAYERS

ale_py = pytest.importorskip("ale_py", reason="the comparison needs ale-py: pip install 'ale-rs[roms]'")

GAMES = [game for game in roms.get_all_rom_ids() if game not in SEVERAL_PLAYERS]
INFO = ("env_id", "lives", "frame_number", "episode_frame_number")
RANDOM_RUNS = 24
STEPS = 80


def pair(game: str, num_envs: int, **options: Any) -> tuple[Any, AtariVectorEnv]:
    return ale_py.AtariVectorEnv(game, num_envs, **options), AtariVectorEnv(game, num_envs, **options)


def same_info(theirs: dict[str, Any], ours: dict[str, Any], step: int) -> None:
    for key in INFO:
        assert ours[key].dtype == theirs[key].dtype
        assert ours[key].tolist() == theirs[key].tolist(), f"{key} in step {step}"


def same_bytes(theirs: Any, ours: Any, step: int) -> None:
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    if not np.array_equal(ours, theirs):
        where = np.argwhere(ours != theirs)
        raise AssertionError(f"step {step}: {len(where)} differences, the first at {where[0]}")


def compare(theirs: Any, ours: AtariVectorEnv, seed: Any, actions: Iterator[Any]) -> int:
    """Plays both; returns the number of ends of episodes."""
    expected, info = theirs.reset(seed=seed)
    observations, our_info = ours.reset(seed=seed)
    same_bytes(expected, observations, 0)
    same_info(info, our_info, 0)
    ends = 0
    for step, action in enumerate(actions, 1):
        *expected, info = theirs.step(action)
        *results, our_info = ours.step(action)
        for their_part, our_part in zip(expected, results, strict=True):
            same_bytes(their_part, our_part, step)
        same_info(info, our_info, step)
        done = results[2] | results[3]
        ends += int(done.sum())
        assert ("final_obs" in our_info) == ("final_obs" in info)
        if "final_obs" in info:
            finished = our_info["_final_obs"]
            same_bytes(info["final_obs"][finished], our_info["final_obs"][finished], step)
    return ends


def discrete(env: AtariVectorEnv, rng: random.Random, steps: int) -> Iterator[Any]:
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    # Holding actions for a while reaches more of a game than jitter does.
    held = [0] * env.num_envs
    for _ in range(steps):
        held = [rng.randrange(count) if rng.random() < 0.3 else action for action in held]
        yield np.array(held, rng.choice([np.int64, np.int32]))


def continuous(env: AtariVectorEnv, rng: random.Random, steps: int) -> Iterator[Any]:
    for _ in range(steps):
        rows = [[rng.random(), rng.uniform(-np.pi, np.pi), rng.random()] for _ in range(env.num_envs)]
        yield np.array(rows, np.float32)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_the_same_with_the_usual_options(game: str, fresh_seed: int, frames: int) -> None:
    rng = random.Random(f"{fresh_seed} {game}")
    theirs, ours = pair(game, 2, repeat_action_probability=rng.choice([0.0, 0.25]))
    compare(theirs, ours, rng.randrange(2**31 - 2), discrete(ours, rng, frames // 12))


def random_options(rng: random.Random) -> dict[str, Any]:
    height, width = rng.choice(
        [(84, 84), (84, 84), (210, 160), (105, 80), (96, 64), (64, 64), (128, 128), (256, 256), (42, 32),
         (7, 5), (83, 161), (rng.randrange(1, 260), rng.randrange(1, 200))]
    )  # fmt: skip
    return {
        "img_height": height,
        "img_width": width,
        "grayscale": rng.random() < 0.6,
        "stack_num": rng.randrange(1, 5),
        "frameskip": rng.randrange(1, 9),
        "maxpool": rng.random() < 0.7,
        "noop_max": rng.choice([0, 1, 2, 30, 45]),
        "use_fire_reset": rng.random() < 0.6,
        "episodic_life": rng.random() < 0.4,
        "life_loss_info": rng.random() < 0.4,
        "reward_clipping": rng.random() < 0.5,
        "repeat_action_probability": rng.choice([0.0, 0.25, 0.25, 0.1, 1 / 3, 1.0]),
        "full_action_space": rng.random() < 0.3,
        "autoreset_mode": rng.choice(["NextStep", "SameStep"]),
        "max_num_frames_per_episode": rng.choice([108_000, 108_000, 200, 61, 7, 1, 0, -5]),
        "num_threads": rng.choice([0, 1, 2]),
    }


# Games that end soon or lose lives soon in random play.
BUSY = ["breakout", "seaquest", "ms_pacman", "space_invaders", "asteroids", "kangaroo", "qbert", "centipede",
        "air_raid", "carnival", "pooyan", "journey_escape", "pacman", "skiing", "freeway"]  # fmt: skip


@pytest.mark.parametrize("run", range(RANDOM_RUNS))
def test_random_options_make_no_difference(run: int, fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} options {run}")
    game = rng.choice(BUSY if rng.random() < 0.7 else GAMES)
    options = random_options(rng)
    print(game, options)
    theirs, ours = pair(game, 3, **options)
    seed: Any = rng.randrange(2**31 - 3)
    if rng.random() < 0.4:
        seed = np.array([rng.randrange(2**31) for _ in range(3)])
    compare(theirs, ours, seed, discrete(ours, rng, STEPS))


@pytest.mark.parametrize("run", range(6))
def test_continuous_actions_are_the_same(run: int, fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} continuous {run}")
    # The reference maps directions wrongly where not all 18 actions are legal.
    game = rng.choice([game for game in GAMES if game not in ("skiing", "lost_luggage")])
    options = {"continuous_action_threshold": rng.choice([0.5, 0.3, 0.1]), "repeat_action_probability": 0.25}
    theirs, ours = pair(["breakout", "pong", game][run % 3], 3, continuous=True, **options)
    compare(theirs, ours, rng.randrange(2**31 - 3), continuous(ours, rng, STEPS))


def test_whole_episodes_are_the_same(fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} episodes")
    for game in ("breakout", "seaquest", "pong"):
        for mode in ("NextStep", "SameStep"):
            theirs, ours = pair(game, 4, repeat_action_probability=0.25, autoreset_mode=mode)
            seed = rng.randrange(2**31 - 4)
            assert compare(theirs, ours, seed, discrete(ours, rng, 600)) > 0 or game == "pong"


def test_masked_resets_are_the_same(fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} masks")
    theirs, ours = pair("breakout", 4, repeat_action_probability=0.25, episodic_life=True)
    compare(theirs, ours, 5, discrete(ours, rng, 30))
    for step in range(12):
        mask = np.array([rng.random() < 0.5 for _ in range(4)])
        count = int(mask.sum())
        seed = rng.choice([None, rng.randrange(2**31 - 4), np.arange(count) + rng.randrange(1000), -1, -3])
        expected, info = theirs.reset(seed=seed, options={"reset_mask": mask})
        observations, our_info = ours.reset(seed=seed, options={"reset_mask": mask})
        same_bytes(expected, observations, step)
        same_info(info, our_info, step)
        for action in discrete(ours, rng, 25):
            *expected, info = theirs.step(action)
            *results, our_info = ours.step(action)
            for their_part, our_part in zip(expected, results, strict=True):
                same_bytes(their_part, our_part, step)
            same_info(info, our_info, step)


def test_resets_without_a_seed_go_on_the_same(fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} unseeded")
    theirs, ours = pair("seaquest", 3, repeat_action_probability=0.25)
    compare(theirs, ours, 77, discrete(ours, rng, 40))
    compare(theirs, ours, None, discrete(ours, rng, 40))
    compare(theirs, ours, None, discrete(ours, rng, 40))


def test_asynchronous_results_are_the_same_for_each_sub_environment(fresh_seed: int) -> None:
    rng = random.Random(f"{fresh_seed} asynchronous")
    seed = rng.randrange(2**31 - 6)
    streams = []
    for make in (ale_py.AtariVectorEnv, AtariVectorEnv):
        env = make("breakout", 6, batch_size=2, repeat_action_probability=0.25, episodic_life=True)
        rows: dict[int, list[tuple[Any, ...]]] = {index: [] for index in range(6)}
        observations, info = env.reset(seed=seed)
        rewards = terminations = truncations = np.zeros(2, int)
        for _ in range(5000):
            if min(map(len, rows.values())) > 15:
                break
            for row, index in enumerate(info["env_id"].tolist()):
                numbers = [int(info[key][row]) for key in INFO[1:]]
                flags = (int(rewards[row]), bool(terminations[row]), bool(truncations[row]))
                rows[index].append((observations[row].tobytes(), *numbers, *flags))
            actions = np.array([(index * 3 + len(rows[index])) % 4 for index in info["env_id"].tolist()])
            observations, rewards, terminations, truncations, info = env.step(actions)
        streams.append(rows)
    for index in range(6):
        length = min(len(stream[index]) for stream in streams)
        assert length > 10
        assert streams[0][index][:length] == streams[1][index][:length]


def test_the_spaces_are_the_same() -> None:
    for options in (
        {},
        {"grayscale": False},
        {"continuous": True},
        {"full_action_space": True, "batch_size": 2},
    ):
        theirs, ours = pair("pong", 3, **options)
        for name in ("observation_space", "single_observation_space", "action_space", "single_action_space"):
            assert getattr(theirs, name) == getattr(ours, name)
        assert (theirs.num_envs, theirs.batch_size) == (ours.num_envs, ours.batch_size)
        assert np.array_equal(theirs.map_action_idx, ours.map_action_idx)
        assert [action.value for action in theirs.ale.get_action_set()] == [
            action.value for action in ours.ale.get_action_set()
        ]


def test_the_native_interface_is_the_same(fresh_seed: int) -> None:
    path = roms.get_rom_path("breakout")
    rng = random.Random(f"{fresh_seed} native")
    from ale_py._ale_py import ALEVectorInterface as Theirs

    from ale_rs import ALEVectorInterface as Ours

    theirs, ours = (make(path, num_envs=3, stack_num=2, img_height=42) for make in (Theirs, Ours))
    assert theirs.get_observation_shape() == ours.get_observation_shape()
    assert theirs.get_num_envs() == ours.get_num_envs()
    seeds = [rng.randrange(2**31) for _ in range(3)]
    same_bytes(theirs.reset([0, 1, 2], seeds)[0], ours.reset([0, 1, 2], seeds)[0], 0)
    for step in range(30):
        ids, strengths = [rng.randrange(4) for _ in range(3)], [rng.random() for _ in range(3)]
        for env in (theirs, ours):
            env.send(ids, strengths)
        for their_part, our_part in zip(theirs.recv()[:4], ours.recv()[:4], strict=True):
            same_bytes(their_part, our_part, step)
