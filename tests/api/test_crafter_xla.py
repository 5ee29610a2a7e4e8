"""Batches of Crafter inside functions that jax compiles."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode

from ale_rs.crafter import CrafterVectorEnv
from ale_rs.faces import xla
from api.xla_programs import SEED, programs

jax = pytest.importorskip("jax", reason="jax is not installed")

WORLDS, STEPS = 3, 30
NARROWED = {"float64": "float32", "int64": "int32"}
EVERYTHING = ("pixels", "semantic", "symbolic")


@pytest.fixture(params=["typed", "callbacks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """XLA's own interface, and the calls through Python that stand in for it."""
    if request.param == "callbacks":
        monkeypatch.setattr(xla, "_register", lambda _: False)
    return str(request.param)


def envs(count: int = WORLDS, **options: Any) -> CrafterVectorEnv:
    return CrafterVectorEnv(count, **{"length": 12, "seed": 0, **options})


def rows(steps: int = STEPS, worlds: int = WORLDS) -> Any:
    return np.random.default_rng(1).integers(0, 17, (steps, worlds)).astype(np.int32)


def same(ours: Any, theirs: Any) -> None:
    """Equal values; numbers of 64 bits come with 32."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for name in theirs:
            same(ours[name], theirs[name])
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == NARROWED.get(str(theirs.dtype), theirs.dtype)
    np.testing.assert_array_equal(ours, theirs.astype(ours.dtype))


def facts(info: dict[str, Any]) -> dict[str, Any]:
    """What the compiled functions give of the methods' info."""
    left_out = ("episodes", "textures", "final_obs", "_final_obs", "final_info", "_final_info")
    return {name: value for name, value in info.items() if name not in left_out}


def row_of(results: Any, row: int) -> Any:
    return jax.tree.map(lambda array: array[row], results)


@pytest.mark.parametrize("observation", ["pixels", "symbolic", EVERYTHING])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_compiled_functions_do_what_the_methods_do(way: str, mode: AutoresetMode, observation: Any) -> None:
    options = {"autoreset_mode": mode, "observation": observation, "semantic": observation == EVERYTHING}
    if mode == AutoresetMode.DISABLED:
        options["length"] = 10_000
    ours, twin = envs(**options), envs(**options)
    handle, reset, step = ours.xla()
    handle, (observations, info) = reset(handle, seed=5)
    expected, expected_info = twin.reset(seed=5)
    same(observations, expected)
    same(info, facts(expected_info))

    actions = rows()
    handle, results = jax.jit(lambda handle, actions: jax.lax.scan(step, handle, actions))(handle, actions)
    ends = 0
    for row, chosen in enumerate(actions):
        *wanted, info = twin.step(chosen)
        *found, found_info = row_of(results, row)
        for ours_, theirs in zip(found, wanted, strict=True):
            same(ours_, theirs)
        if mode == AutoresetMode.SAME_STEP:
            ended = np.asarray(found_info.pop("_final_obs"))
            np.testing.assert_array_equal(ended, found_info.pop("_final_info"))
            np.testing.assert_array_equal(ended, info.get("_final_obs", np.zeros(WORLDS, bool)))
            last = {"final_obs": found_info.pop("final_obs"), "final_info": found_info.pop("final_info")}
            for array in jax.tree.leaves(last):
                assert not np.asarray(array)[~ended].any()
            if ended.any():
                ends += 1
                for name, group in last.items():
                    same(jax.tree.map(lambda x, e=ended: x[e], group), cut(info[name], ended))
        same(found_info, facts(info))
    assert ends or mode != AutoresetMode.SAME_STEP

    mask, seeds = np.array([True, False, True]), np.array([7, 8], np.int32)
    handle, (observations, info) = jax.jit(reset)(handle, seeds, mask)
    expected, expected_info = twin.reset(seed=[7, 8], options={"reset_mask": mask})
    same(observations, expected)
    same(info, facts(expected_info))
    handle, (observations, _) = jax.jit(reset)(handle, np.int32(9))
    same(observations, twin.reset(seed=9)[0])
    handle, (observations, _) = reset(handle)
    same(observations, twin.reset()[0])


def cut(value: Any, rows: Any) -> Any:
    return {name: array[rows] for name, array in value.items()} if isinstance(value, dict) else value[rows]


def test_every_way_of_calling_gives_the_same(way: str) -> None:
    env, twin = envs(), envs()
    handle, reset, step = env.xla()
    actions = rows(4)
    twin.reset(seed=SEED)
    expected = np.stack([twin.step(row)[0].copy() for row in actions])
    for program in programs(reset, step, actions):
        same(program(handle), expected)


def test_a_part_of_the_worlds_at_a_time(way: str) -> None:
    env = envs(4, batch_size=2)
    handle, reset, step = env.xla()
    handle, (observations, info) = reset(handle, seed=0)
    assert observations.shape[0] == 2
    seen = set()
    for _ in range(12):
        handle, (*_, info) = step(handle, np.zeros(2, np.int32))
        seen |= set(np.asarray(info["env_id"]).tolist())
    assert seen == {0, 1, 2, 3}


def test_a_shard_counts_its_seeds_from_its_place() -> None:
    whole, shard = envs(4), envs(2, first_env_index=2)
    whole.reset(seed=10)
    handle, reset, step = shard.xla()
    handle, _ = reset(handle, seed=10)
    actions = np.array([5, 6, 1, 2])
    for _ in range(4):
        expected = whole.step(actions)[0]
        handle, results = step(handle, actions[2:])
        same(results[0], expected[2:])


def test_rewards_may_be_left_out() -> None:
    env, twin = envs(reward=False), envs(reward=False)
    handle, reset, step = env.xla()
    handle, _ = reset(handle, seed=4)
    twin.reset(seed=4)
    for row in rows():
        handle, (_, rewards, _, _, info) = step(handle, row)
        expected = twin.step(row)
        same(rewards, expected[1])
        same(info["reward"], expected[4]["reward"])


def test_handles_that_stand_for_nothing_and_wrong_arguments() -> None:
    env = envs()
    handle, reset, step = env.xla()
    still = np.zeros(WORLDS, np.int32)
    with pytest.raises(RuntimeError, match="reset"):
        jax.block_until_ready(step(handle, still))
    handle, _ = reset(handle, seed=0)
    for forged in np.random.default_rng(0).integers(0, 256, (20, 8)).astype(np.uint8):
        with pytest.raises(RuntimeError, match="stands for no open environment"):
            jax.block_until_ready(step(forged, still))
    # Handles of other worlds are good handles; shapes are compared with the environment.
    fewer = envs(2)
    with pytest.raises(RuntimeError, match="accepted"):
        jax.block_until_ready(step(fewer.xla()[0], still))
    with pytest.raises(AssertionError, match="shape"):
        step(handle, still[:2])
    with pytest.raises(AssertionError, match="dtype"):
        step(handle, still.astype(np.float32))
    with pytest.raises(RuntimeError, match="action of row 1 is 17; accepted: 0 to 16"):
        jax.block_until_ready(jax.jit(step)(handle, np.array([0, 17, 0], np.int32)))
    twin = envs()
    twin.reset(seed=0)
    same(step(handle, still)[1][0], twin.step(still)[0])
    env.close()
    with pytest.raises(RuntimeError, match="stands for no open environment"):
        jax.block_until_ready(step(handle, still))
    with pytest.raises(ClosedEnvironmentError):
        env.xla()


def test_a_handle_of_the_other_game_is_refused() -> None:
    from ale_rs import AtariVectorEnv

    atari = AtariVectorEnv("glowdelve", num_envs=WORLDS)
    env = envs()
    _, _, step = env.xla()
    with pytest.raises(RuntimeError, match="accepted"):
        jax.block_until_ready(step(atari.xla()[0], np.zeros(WORLDS, np.int32)))
