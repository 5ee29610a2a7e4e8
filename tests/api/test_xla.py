"""Vector environments inside functions that jax compiles."""

import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, DependencyNotInstalled
from gymnasium.vector import AutoresetMode

from ale_rs import AtariVectorEnv
from ale_rs.faces import xla
from api.xla_programs import SEED, programs

jax = pytest.importorskip("jax", reason="jax is not installed")

GAME = "glowdelve"
STEPS = 12
MODES = list(AutoresetMode)


@pytest.fixture(params=["typed", "callbacks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """XLA's own interface, and the calls through Python that stand in for it."""
    if request.param == "callbacks":
        monkeypatch.setattr(xla, "_register", lambda _: False)
    return str(request.param)


def same(ours: Any, theirs: Any) -> None:
    assert np.asarray(ours).dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def same_steps(ours: Any, theirs: list[Any]) -> None:
    """Stacked results of a scan are those of the steps of the twin."""
    observations, rewards, terminations, truncations, info = ours
    for row, expected in enumerate(theirs):
        for column, wanted in zip((observations, rewards, terminations, truncations), expected, strict=False):
            same(column[row], wanted)
        for name in ("env_id", "lives", "frame_number", "episode_frame_number"):
            same(info[name][row], expected[4][name])


def test_without_jax_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(DependencyNotInstalled, match="missing jax"):
        AtariVectorEnv(GAME, num_envs=2).xla()


def test_the_handle_is_eight_bytes() -> None:
    handle = AtariVectorEnv(GAME, num_envs=2).ale.handle()
    assert (handle.dtype, handle.shape) == (np.uint8, (8,))


@pytest.mark.parametrize("mode", MODES)
def test_compiled_functions_do_what_the_methods_do(way: str, mode: AutoresetMode) -> None:
    kwargs: dict[str, Any] = {"autoreset_mode": mode, "max_num_frames_per_episode": 40}
    if mode == AutoresetMode.DISABLED:
        kwargs["max_num_frames_per_episode"] = 108_000
    ours, twin = (AtariVectorEnv(GAME, num_envs=3, **kwargs) for _ in range(2))
    handle, reset, step = ours.xla()
    handle, (observations, info) = reset(handle, seed=5)
    expected, expected_info = twin.reset(seed=5)
    same(observations, expected)
    same(info["lives"], expected_info["lives"])

    @jax.jit
    def play(handle: Any, actions: Any) -> Any:
        return jax.lax.scan(step, handle, actions)

    actions = np.arange(3 * STEPS, dtype=np.int32).reshape(STEPS, 3) % ours.single_action_space.n
    handle, results = play(handle, actions)
    theirs = [twin.step(row) for row in actions]
    same_steps(results, theirs)
    if mode == AutoresetMode.SAME_STEP:
        info, ends = results[4], 0
        for row, (*_, wanted) in enumerate(theirs):
            ended = np.asarray(info["_final_obs"][row])
            np.testing.assert_array_equal(ended, wanted.get("_final_obs", np.zeros(3, bool)))
            np.testing.assert_array_equal(ended, info["_final_info"][row])
            assert not np.asarray(info["final_obs"][row])[~ended].any()
            if ended.any():
                ends += 1
                same(info["final_obs"][row][ended], wanted["final_obs"][ended])
                for name, column in info["final_info"].items():
                    same(column[row][ended], wanted["final_info"][name][ended])
        assert ends

    mask = np.array([True, False, True])
    seeds = np.array([7, 8], np.int32)
    handle, (observations, _) = jax.jit(reset)(handle, seeds, mask)
    same(observations, twin.reset(seed=seeds, options={"reset_mask": mask})[0])
    handle, (observations, _) = jax.jit(reset)(handle, np.int32(9))
    same(observations, twin.reset(seed=9)[0])


def test_every_way_of_calling_gives_the_same(way: str) -> None:
    env, twin = (AtariVectorEnv(GAME, num_envs=2) for _ in range(2))
    handle, reset, step = env.xla()
    actions = np.arange(8, dtype=np.int32).reshape(4, 2) % 6
    twin.reset(seed=SEED)
    expected = np.stack([twin.step(row)[0] for row in actions])
    for program in programs(reset, step, actions):
        same(program(handle), expected)


def test_steps_whose_results_are_unused_still_happen() -> None:
    env, twin = (AtariVectorEnv(GAME, num_envs=2) for _ in range(2))
    handle, reset, step = env.xla()

    @jax.jit
    def play(handle: Any) -> Any:
        handle, _ = reset(handle, seed=1)
        for _ in range(5):
            handle, _ = step(handle, np.zeros(2, np.int32))
        return handle

    handle, results = step(play(handle), np.ones(2, np.int32))
    twin.reset(seed=1)
    for _ in range(5):
        twin.step(np.zeros(2, np.int64))
    same(results[0], twin.step(np.ones(2, np.int64))[0])


def test_continuous_actions(way: str) -> None:
    env, twin = (AtariVectorEnv("windfall", num_envs=2, continuous=True) for _ in range(2))
    handle, reset, step = env.xla()
    rng = np.random.default_rng(0)
    low, high = np.array([0, -3, 0], np.float32), np.array([1, 3, 1], np.float32)
    actions = rng.uniform(low, high, (STEPS, 2, 3)).astype(np.float32)
    handle, _ = reset(handle, seed=2)
    twin.reset(seed=2)
    _, results = jax.jit(lambda handle, actions: jax.lax.scan(step, handle, actions))(handle, actions)
    same_steps(results, [twin.step(row) for row in actions])


def test_a_part_of_the_environments_at_a_time(way: str) -> None:
    env = AtariVectorEnv(GAME, num_envs=4, batch_size=2)
    handle, reset, step = env.xla()
    handle, (observations, info) = reset(handle, seed=0)
    assert observations.shape[0] == 2
    seen = set()
    for _ in range(12):
        handle, (*_, info) = step(handle, np.zeros(2, np.int32))
        seen |= set(np.asarray(info["env_id"]).tolist())
    assert seen == {0, 1, 2, 3}


def test_a_shard_counts_its_seeds_and_its_rows_from_its_place(way: str) -> None:
    whole = AtariVectorEnv(GAME, num_envs=4)
    shard = AtariVectorEnv(GAME, num_envs=2, first_env_index=2)
    whole.reset(seed=10)
    handle, reset, step = shard.xla()
    handle, (_, info) = reset(handle, seed=10)
    same(info["env_id"], np.array([2, 3], np.int32))
    actions = np.array([2, 3, 4, 5])
    for _ in range(4):
        expected = whole.step(actions)
        handle, results = step(handle, actions[2:])
        same(results[0], expected[0][2:])
        same(results[4]["env_id"], expected[4]["env_id"][2:])


def test_every_byte_is_written() -> None:
    env = AtariVectorEnv(GAME, num_envs=2, autoreset_mode=AutoresetMode.SAME_STEP)
    handle, reset, step = env.xla()

    def play() -> list[bytes]:
        now, _ = reset(handle, seed=4)
        _, results = step(now, np.zeros(2, np.int32))
        return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(results)]

    first = play()
    junk = [jax.numpy.full((2, 4, 84, 84), 0xAB, np.uint8) + i for i in range(8)]
    jax.block_until_ready(junk)
    del junk
    assert play() == first


class TestErrors:
    def test_handles_that_stand_for_nothing(self) -> None:
        env = AtariVectorEnv(GAME, num_envs=2)
        handle, reset, step = env.xla()
        handle, _ = reset(handle, seed=0)
        rng = np.random.default_rng(0)
        for forged in [np.zeros(8, np.uint8), *rng.integers(0, 256, (20, 8)).astype(np.uint8)]:
            with pytest.raises(RuntimeError, match="stands for no open environment"):
                jax.block_until_ready(step(forged, np.zeros(2, np.int32)))
        with pytest.raises(TypeError, match=r"accepted: that of xla\(\)"):
            step(np.zeros(4, np.uint8), np.zeros(2, np.int32))
        other = AtariVectorEnv(GAME, num_envs=3).xla()[0]
        with pytest.raises(RuntimeError, match=r"stands for no open|accepted"):
            jax.block_until_ready(step(other, np.zeros(2, np.int32)))
        jax.block_until_ready(step(handle, np.zeros(2, np.int32)))
        env.close()
        with pytest.raises(RuntimeError, match="stands for no open environment"):
            jax.block_until_ready(step(handle, np.zeros(2, np.int32)))
        with pytest.raises(ClosedEnvironmentError):
            env.xla()

    def test_actions_out_of_range_change_nothing(self, way: str) -> None:
        env, twin = (AtariVectorEnv(GAME, num_envs=2) for _ in range(2))
        handle, reset, step = env.xla()
        handle, _ = reset(handle, seed=0)
        twin.reset(seed=0)
        with pytest.raises(Exception, match="Invalid action_id: 77"):
            jax.block_until_ready(jax.jit(step)(handle, np.array([0, 77], np.int32)))
        _, results = step(handle, np.zeros(2, np.int32))
        same(results[0], twin.step(np.zeros(2, np.int64))[0])

    def test_wrong_types_and_shapes(self) -> None:
        env = AtariVectorEnv(GAME, num_envs=2)
        handle, reset, step = env.xla()
        with pytest.raises(RuntimeError, match="reset"):
            jax.block_until_ready(step(handle, np.zeros(2, np.int32)))
        with pytest.raises(AssertionError, match="shape"):
            step(handle, np.zeros(3, np.int32))
        with pytest.raises(AssertionError, match="dtype"):
            step(handle, np.zeros(2, np.float32))
        with pytest.raises(TypeError, match="boolean"):
            reset(handle, reset_mask=np.ones(2, np.int32))
        with pytest.raises(ValueError, match="shape"):
            reset(handle, reset_mask=np.ones(3, np.bool_))
        with pytest.raises(TypeError, match="32-bit"):
            reset(handle, seed=2**40)
        with pytest.raises(RuntimeError, match="one entry per sub-environment"):
            jax.block_until_ready(reset(handle, seed=np.arange(3)))

    def test_a_refused_registration_falls_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(xla, "_registered", None)
        monkeypatch.setattr(xla, "RESET", "ale_rs_reset_refused")
        import jax.ffi

        def refuse(*_: Any, **__: Any) -> None:
            raise RuntimeError("no such interface")

        monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
        with pytest.warns(RuntimeWarning, match="no such interface"):
            assert xla._register(jax) is False


def test_threads_take_turns() -> None:
    env = AtariVectorEnv(GAME, num_envs=2)
    handle, reset, step = env.xla()
    handle, _ = reset(handle, seed=0)
    compiled = jax.jit(step)
    failures: list[BaseException] = []

    def play() -> None:
        try:
            for _ in range(20):
                jax.block_until_ready(compiled(handle, np.zeros(2, np.int32)))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    _, (*_, info) = compiled(handle, np.zeros(2, np.int32))
    twin = AtariVectorEnv(GAME, num_envs=2)
    twin.reset(seed=0)
    for _ in range(61):
        expected = twin.step(np.zeros(2, np.int64))
    same(info["frame_number"], expected[4]["frame_number"])


@pytest.mark.slow
def test_a_child_of_a_fork_gets_an_error() -> None:
    program = """
import os, warnings
import numpy as np, ale_rs, jax
warnings.simplefilter("ignore")
env = ale_rs.AtariVectorEnv("glowdelve", num_envs=2)
handle, reset, step = env.xla()
handle, _ = reset(handle, seed=0)
actions = jax.numpy.zeros(2, np.int32)
step = jax.jit(step)
jax.block_until_ready(step(handle, actions))
child = os.fork()
if child == 0:
    try:
        jax.block_until_ready(step(handle, actions))
    except RuntimeError as error:
        os._exit(0 if "another process" in str(error) else 3)
    os._exit(4)
_, status = os.waitpid(child, 0)
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120, check=False).returncode == 0
