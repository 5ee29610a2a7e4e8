"""`CrafterVectorEnv`: n worlds are n single ones, for every mode, option and number of threads."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import ale_rs  # noqa: F401 (registers the ids)
from ale_rs.crafter import ACHIEVEMENTS, ITEMS, CrafterEnv, CrafterVectorEnv, score

MODES = list(AutoresetMode)
FACTS = ("inventory", "achievements", "unlocked", "player_pos", "discount", "reward")


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(np.array_equal(a, b))


def plays(envs: int, steps: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(17, size=(steps, envs))


def row_of(info: dict[str, Any]) -> dict[str, Any]:
    """The info of a single environment as the vector environment writes it."""
    unlocked = [name in info["unlocked"] for name in ACHIEVEMENTS]
    return {
        "inventory": list(info["inventory"].values()),
        "achievements": list(info["achievements"].values()),
        "unlocked": unlocked,
        **{name: info[name] for name in ("player_pos", "discount", "reward")},
    }


def check_row(info: dict[str, Any], row: int, single: dict[str, Any], where: str) -> None:
    for name, value in row_of(single).items():
        np.testing.assert_array_equal(info[name][row], value, f"{where}: {name}")
    if "semantic" in info:
        np.testing.assert_array_equal(info["semantic"][row], single["semantic"], where)


def pick(observation: Any, row: int) -> Any:
    return {k: v[row] for k, v in observation.items()} if isinstance(observation, dict) else observation[row]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("observation", ["pixels", ("semantic", "symbolic", "pixels")], ids=str)
def test_n_worlds_are_n_single_ones(mode: AutoresetMode, threads: int, observation: Any) -> None:
    options: dict[str, Any] = {"length": 171, "observation": observation}
    envs = CrafterVectorEnv(4, **options, autoreset_mode=mode, num_threads=threads, semantic=True)
    singles = [CrafterEnv(**options) for _ in range(4)]
    observations, info = envs.reset(seed=5)
    for row, single in enumerate(singles):
        expected, expected_info = single.reset(seed=5 + row)
        assert same(pick(observations, row), expected)
        check_row(info, row, expected_info, "reset")
    over = np.zeros(4, np.bool_)
    ends = 0
    for step, actions in enumerate(plays(4, 400)):
        if mode == AutoresetMode.DISABLED and over.any():
            observations, info = envs.reset(options={"reset_mask": over})
            for row in np.flatnonzero(over):
                expected, expected_info = singles[row].reset()
                assert same(pick(observations, row), expected)
            over[:] = False
        observations, rewards, terminations, truncations, info = envs.step(actions)
        for row, single in enumerate(singles):
            where = f"step {step}, row {row}"
            if over[row]:  # next-step mode: this step is the reset
                expected, expected_info = single.reset()
                assert (rewards[row], terminations[row], truncations[row]) == (0, False, False)
                over[row] = False
            else:
                expected, reward, dead, cut, expected_info = single.step(actions[row])
                assert (rewards[row], terminations[row], truncations[row]) == (reward, dead, cut), where
                if dead or cut:
                    ends += 1
                    over[row] = mode != AutoresetMode.SAME_STEP
                    if mode == AutoresetMode.SAME_STEP:
                        assert info["_final_obs"][row]
                        assert info["_final_info"][row]
                        assert same(pick(info["final_obs"], row), expected), where
                        check_row(info["final_info"], row, expected_info, where)
                        expected, expected_info = single.reset()
                        expected_info["reward"] = reward
            assert same(pick(observations, row), expected), where
            check_row(info, row, expected_info, where)
        assert ("final_obs" in info) == bool(
            mode == AutoresetMode.SAME_STEP and (terminations | truncations).any()
        )
    assert ends >= 8


def test_symbols_have_their_type_and_space() -> None:
    envs = CrafterVectorEnv(2, observation=("symbolic", "semantic"), view=(7, 8), size=70)
    observations, _ = envs.reset(seed=0)
    assert observations["symbolic"].dtype == np.float32
    assert list(observations) == ["symbolic", "semantic"]
    assert envs.observation_space.contains(observations)
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Dict)


@pytest.mark.parametrize(("id_", "rewards"), [("CrafterReward-v1", True), ("CrafterNoReward-v1", False)])
def test_gymnasium_makes_it(id_: str, rewards: bool) -> None:
    envs = gymnasium.make_vec(f"ale_rs/{id_}", num_envs=3, length=100, observation="symbolic")
    assert isinstance(envs.unwrapped, CrafterVectorEnv)
    envs.reset(seed=1)
    total = np.zeros(3)
    shown = np.zeros(3)
    for actions in plays(3, 200):
        _, reward, *_, info = envs.step(actions)
        total += reward
        shown += info["reward"]
    assert (np.abs(total) > 0).any() == rewards
    assert (np.abs(shown) > 0).any()


def test_the_end_of_an_episode_says_what_a_score_needs() -> None:
    episodes = []
    envs = CrafterVectorEnv(8, observation="symbolic", autoreset_mode="SameStep", num_threads=2)
    envs.reset(seed=3)
    totals = np.zeros(8)
    for actions in plays(8, 500):
        _, rewards, terminations, truncations, info = envs.step(actions)
        totals += rewards
        ended = np.flatnonzero(terminations | truncations)
        assert ("episodes" in info) == bool(len(ended))
        if len(ended):
            found = info["episodes"]
            episodes.append(found)
            assert found["env_id"].tolist() == ended.tolist()
            np.testing.assert_allclose(found["reward"], totals[ended], atol=1e-9)
            np.testing.assert_array_equal(found["achievements"], info["final_info"]["achievements"][ended])
            np.testing.assert_array_equal(found["length"], info["final_info"]["episode_length"][ended])
            totals[ended] = 0
    result = score([episodes], budget=None)
    counts = np.concatenate([found["achievements"] for found in episodes])
    assert result.episodes.tolist() == [len(counts)]
    assert result.success_rates["wake_up"] == pytest.approx(100 * (counts[:, -1] > 0).mean())


def test_seeds_masks_and_the_place_in_a_larger_whole() -> None:
    def world(envs: Any, seed: Any, **options: Any) -> Any:
        return envs.reset(seed=seed, **options)[0]

    envs = CrafterVectorEnv(4, observation="semantic")
    first = world(envs, 7)
    assert same(world(envs, [7, 8, 9, 10]), first)
    assert same(world(envs, np.array([7, 8, 9, 10])), first)
    assert same(world(CrafterVectorEnv(2, observation="semantic", first_env_index=2), 7), first[2:])
    assert same(CrafterVectorEnv(4, seed=7, observation="semantic").reset()[0], first)
    assert same(world(envs, [-1, -2, 2**70, 3])[0], world(envs, [-2, 0, 0, 0])[0])
    world(envs, 7)
    mask = np.array([False, True, True, False])
    mixed = world(envs, [30, 31], options={"reset_mask": mask})
    assert same(mixed[[0, 3]], first[[0, 3]])
    assert same(mixed[1], CrafterEnv(30, observation="semantic").reset()[0])
    unseeded = world(envs, [None, 31], options={"reset_mask": mask})
    single = CrafterEnv(30, observation="semantic")
    single.reset()
    assert same(unseeded[1], single.reset()[0])


def test_without_a_seed_worlds_differ() -> None:
    a, b = (CrafterVectorEnv(2, observation="semantic").reset()[0] for _ in range(2))
    assert not same(a, b)
    assert not same(a[0], a[1])


def test_snapshots_go_on_the_same_even_at_night() -> None:
    envs = CrafterVectorEnv(3, autoreset_mode="SameStep", semantic=True)
    envs.reset(seed=0)
    for actions in plays(3, 160):
        last = envs.step(actions)
    snapshot = envs.snapshot()
    assert (len(snapshot), snapshot.ids) == (3, [0, 1, 2])
    future = [envs.step(actions) for actions in plays(3, 60, 1)]
    observations, info = envs.restore(snapshot)
    assert same(observations, last[0])
    assert same(info["semantic"], last[4]["semantic"])
    others = [envs, CrafterVectorEnv(3, autoreset_mode="SameStep", semantic=True, num_threads=2)]
    others[1].restore(snapshot.to_bytes())
    others.append(pickle.loads(pickle.dumps(others[1])))
    for other in others:
        for expected, actions in zip(future, plays(3, 60, 1), strict=True):
            for ours, theirs in zip(other.step(actions), expected, strict=True):
                assert same(ours, theirs)


def test_branches_are_copies() -> None:
    envs = CrafterVectorEnv(4)
    envs.reset(seed=0)
    for actions in plays(4, 30):
        envs.step(actions)
    observations, _ = envs.branch(1, [0, 3])
    assert same(observations[0], observations[1])
    assert same(observations[3], observations[1])
    assert not same(observations[2], observations[1])
    for action in (1, 5, 6):
        observations, *_ = envs.step(np.full(4, action))
        assert same(observations[0], observations[1])


def test_results_are_written_into_arrays_of_the_caller() -> None:
    envs = CrafterVectorEnv(3, observation=("pixels", "symbolic"), autoreset_mode="SameStep", length=9)
    plain = CrafterVectorEnv(3, observation=("pixels", "symbolic"), autoreset_mode="SameStep", length=9)
    buffers = {"pixels": np.zeros((3, 64, 64, 3), np.uint8), "symbolic": np.zeros((3, 1345), np.float32)}
    rewards, ends = np.zeros(3), np.zeros(3, np.bool_)
    envs.use_buffers(buffers, rewards, None, ends)
    assert same(envs.reset(seed=0)[0], plain.reset(seed=0)[0])
    for actions in plays(3, 20):
        result, expected = envs.step(actions), plain.step(actions)
        assert all(same(ours, theirs) for ours, theirs in zip(result, expected, strict=True))
        assert all(same(buffers[kind], expected[0][kind]) for kind in buffers)
        assert result[1] is rewards
        assert result[3] is ends
    for wrong in (
        {"pixels": np.zeros((3, 64, 64, 3))},
        {"symbolic": np.zeros((3, 1344), np.float32)},
        {"pixels": np.zeros((3, 64, 128, 3), np.uint8)[:, :, ::2]},
        {"smell": rewards},
    ):
        with pytest.raises(ValueError, match="accepted"):
            envs.use_buffers(wrong)
    with pytest.raises(TypeError, match="dictionary"):
        envs.use_buffers(rewards)


def test_arrays_that_are_held_keep_their_content() -> None:
    envs = CrafterVectorEnv(2, length=20)
    envs.reset(seed=0)
    held, copies = [], []
    for actions in plays(2, 50):
        observations, rewards, _, _, info = envs.step(actions)
        held.append((observations, rewards, info["inventory"]))
        copies.append([array.copy() for array in held[-1]])
    assert all(same(a, b) for h, c in zip(held, copies, strict=True) for a, b in zip(h, c, strict=True))


def test_asynchronous_batches_have_the_same_rows() -> None:
    envs = CrafterVectorEnv(6, batch_size=2, num_threads=2, observation="semantic")
    singles = [CrafterEnv(observation="semantic") for _ in range(6)]
    expected = [single.reset(seed=row)[0] for row, single in enumerate(singles)]
    envs.async_reset(seed=0)
    for actions in plays(2, 150):
        observations, _, _, _, info = envs.recv()
        for row, index in enumerate(info["env_id"]):
            assert same(observations[row], expected[index])
            expected[index] = singles[index].step(actions[row])[0]
        envs.send(actions)
    with pytest.raises(ValueError, match="synchronous"):
        envs.observe()


def test_render_shows_all_worlds_and_changes_nothing() -> None:
    envs, other = (CrafterVectorEnv(5, seed=1, render_mode="rgb_array") for _ in range(2))
    envs.reset()
    other.reset()
    for actions in plays(5, 155):
        picture = envs.render()
        observations = envs.step(actions)[0]
        assert same(observations, other.step(actions)[0])
    assert picture is not None
    assert picture.shape == (128, 192, 3)
    assert envs.screen(4).shape == (64, 64, 3)
    assert CrafterVectorEnv(1).render() is None


def test_a_panic_costs_one_world() -> None:
    envs, other = (CrafterVectorEnv(3, seed=1, observation="semantic") for _ in range(2))
    envs.reset()
    other.reset()
    envs._native.break_next(1)
    with pytest.raises(RuntimeError, match="sub-environment 1 failed"):
        envs.step(np.zeros(3, np.int64))
    other.step(np.zeros(3, np.int64))
    for actions in plays(3, 5):
        ours, theirs = envs.step(actions)[0], other.step(actions)[0]
        assert same(ours[[0, 2]], theirs[[0, 2]])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0"),
        ({"num_envs": "4"}, TypeError, "whole number"),
        ({"num_envs": 10**9}, MemoryError, "GB|MB"),
        ({"batch_size": 5}, ValueError, "batch_size is 5"),
        ({"num_threads": -1}, ValueError, "num_threads"),
        ({"autoreset_mode": "next_step"}, ValueError, "NextStep"),
        ({"area": (300, 300)}, ValueError, "cells"),
        ({"view": (9, 2)}, ValueError, "leaves no row"),
        ({"size": 10**9}, ValueError, "at most 4096"),
        ({"noise": "loud"}, ValueError, "noise="),
        ({"observation": "smell"}, ValueError, "pixels, semantic, symbolic"),
        ({"seed": [1, 2]}, ValueError, "one entry per world"),
        ({"seed": 1.5}, TypeError, "seed type"),
        ({"textures": "nowhere"}, ValueError, "no directory"),
        ({"observatoin": "pixels"}, TypeError, 'did you mean "observation"'),
        ({"render_mode": "human"}, ValueError, "rgb_array"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        CrafterVectorEnv(**{"num_envs": 3, **options})


def test_wrong_calls_are_refused_and_nothing_is_lost() -> None:
    envs = CrafterVectorEnv(3, observation="semantic")
    with pytest.raises(RuntimeError, match="reset"):
        envs.step(np.zeros(3, np.int64))
    with pytest.raises(RuntimeError, match="must reset every"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    envs.reset(seed=0)
    before = envs.snapshot().to_bytes()
    for actions in ([0, 0, 17], [-1, 0, 0], [2**40, 0, 0]):
        with pytest.raises(IndexError, match="accepted: 0 to 16"):
            envs.step(np.array(actions))
    with pytest.raises(IndexError, match="accepted: 0 to 16"):
        envs.step(np.array([2**63, 0, 0], np.uint64))
    for actions, error in (
        (np.zeros(3), TypeError),
        (np.zeros(2, int), ValueError),
        (np.zeros((3, 1), int), ValueError),
        ("noop", TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="accepted"):
            envs.step(actions)  # type: ignore[arg-type]
    for mask in (np.ones(3), [True] * 3):
        with pytest.raises(TypeError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.ones(2, np.bool_)})
    for seed in ("1", 1.5, True):
        with pytest.raises(TypeError, match="seed type"):
            envs.reset(seed=seed)  # type: ignore[arg-type]
    for ids in ([3], [-1]):
        with pytest.raises(IndexError, match=r"3|counted from 0"):
            envs.snapshot(ids)
    with pytest.raises(RuntimeError, match=r"checksum|cut off"):
        envs.restore(before[:-1])
    with pytest.raises(RuntimeError, match="other options"):
        CrafterVectorEnv(3, view=(9, 8), observation="semantic").restore(before)
    with pytest.raises(RuntimeError, match="pictures"):
        CrafterVectorEnv(3).restore(before)
    assert envs.snapshot().to_bytes() == before
    envs.step(np.zeros(3, np.uint8))
    envs.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        envs.step(np.zeros(3, np.int64))


def test_a_thousand_worlds_take_little_memory() -> None:
    envs = CrafterVectorEnv(1024, observation="symbolic")
    envs.reset(seed=0)
    state = len(envs.snapshot([0]).to_bytes())
    assert state < 20_000
    assert envs.num_envs == 1024
    assert len(ITEMS) == 16
