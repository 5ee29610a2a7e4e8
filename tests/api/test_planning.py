"""`ale_rs.planning` on the embedded games: signatures, reuse, threads, seeds, errors, stopping."""

import inspect
import signal
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

from ale_rs import ALEInterface, AtariEnv, LoggerMode, features, planning, roms
from ale_rs.planning import agents

SMALL: dict[str, dict[str, Any]] = {
    "full-tree": {"frames": 2_000},
    "uct": {"simulations": 30, "depth_frames": 100},
    "iw": {"frames": 3_000},
    "rollout-iw": {"frames": 2_000},
}


def game(name: str = "glowdelve", *, steps: int = 12, **options: Any) -> AtariEnv:
    settings: dict[str, Any] = {"frameskip": 5, "obs_type": "ram", "repeat_action_probability": 0.0}
    env = AtariEnv(name, **(settings | options))
    env.reset(seed=3)
    for step in range(steps):
        env.step(step % env._action_set.__len__())
    return env


def play(name: str, decisions: int = 6, *, sticky: float = 0.0, **options: Any) -> tuple[list[int], Any]:
    env = game(repeat_action_probability=sticky)
    planner = planning.make(name, env, **(SMALL[name] | options))
    actions = []
    for _ in range(decisions):
        actions.append(planner.plan())
        env.step(actions[-1])
        planner.advance(actions[-1])
    tree, stats = planner.tree(), planner.stats
    return actions, (tree.action.tolist(), tree.value.tolist(), stats.frames, stats.nodes, stats.duplicates)


def test_the_signatures_are_those_that_are_documented() -> None:
    found = {name: str(inspect.signature(planner)) for name, planner in planning.PLANNERS.items()}
    assert "*, frames: int = 133000, discount: float = 0.999" in found["full-tree"]
    assert "simulations: int = 500, depth_frames: int = 300, exploration: float = 0.1" in found["uct"]
    assert "frames: int = 150000, discount: float = 0.995" in found["iw"]
    assert "frames: int | None = None, seconds: float | None = None" in found["rollout-iw"]
    assert all("seed: int = 0, threads: int = 1" in signature for signature in found.values())


@pytest.mark.parametrize("sticky", [0.0, 0.25])
@pytest.mark.parametrize("name", SMALL)
def test_the_seed_decides_everything(name: str, sticky: float) -> None:
    first = play(name, sticky=sticky, seed=1)
    assert play(name, sticky=sticky, seed=1) == first
    assert play(name, sticky=sticky, seed=2) != first


@pytest.mark.parametrize("sticky", [0.0, 0.25])
@pytest.mark.parametrize("name", ["full-tree", "iw"])
def test_threads_change_nothing(name: str, sticky: float) -> None:
    assert play(name, 4, sticky=sticky, threads=3) == play(name, 4, sticky=sticky, threads=1)


def test_root_parallel_uct_is_a_function_of_seed_and_threads() -> None:
    two = play("uct", threads=2)
    assert play("uct", threads=2) == two


@pytest.mark.parametrize("name", SMALL)
def test_the_environment_goes_on_as_without_planning(name: str) -> None:
    env, twin = (game("windfall", repeat_action_probability=0.25) for _ in range(2))
    planner = planning.make(name, env, **SMALL[name])
    for step in range(8):
        planner.plan()
        action = step % 3
        ours, theirs = env.step(action), twin.step(action)
        planner.advance(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:] == theirs[1:]
        assert env.snapshot().to_bytes() == twin.snapshot().to_bytes()


def test_sticky_actions_of_a_search_are_the_planners_own() -> None:
    env = game(repeat_action_probability=0.5)
    before = env.snapshot().to_bytes()
    futures = []
    for seed in range(2):
        states = planning.States(env, seed=seed)
        states.expand([0] * 18, range(18))
        futures.append(states.keys().tolist())
    assert futures[0] != futures[1], (
        "another seed, another future: nothing is seen of the environment's draws"
    )
    assert env.snapshot().to_bytes() == before


def test_the_subtree_is_kept_and_another_state_drops_it() -> None:
    env = game()
    planner = planning.UCT(env, simulations=100, depth_frames=50)
    action = planner.plan()
    env.step(action)
    planner.advance(action)
    kept = int(planner.tree().visits[0])
    assert kept > 0
    nodes, duplicates = planner.stats.nodes, planner.stats.duplicates
    planner.plan()
    grown = planner.stats.nodes - nodes - (planner.stats.duplicates - duplicates)
    assert grown <= 100 - kept
    assert planner.tree().visits[0] == 100
    env.step(0)  # without `advance`: the root is another state now, unless NOOP led to the same one
    env.step(0)
    planner.plan()
    tree = planner.tree()
    assert tree.visits[tree.parent == 0][1:].sum() == 100


def test_an_action_that_sticks_drops_the_tree() -> None:
    env = game(repeat_action_probability=0.9)
    planner = planning.FullTree(env, frames=1_000, charge_reused=False)
    for _ in range(10):
        action = planner.plan()
        env.step(action)
        planner.advance(action)
    assert planner.stats.frames > 0


def test_searches_do_not_see_the_frame_limit() -> None:
    env = game("windfall", steps=0, max_num_frames_per_episode=50)
    for _ in range(9):
        env.step(0)
    planner = planning.UCT(env, simulations=200, depth_frames=100)
    planner.plan()
    assert planner.stats.depth > 1
    assert not planner.tree().over.any()
    env.step(0)
    with pytest.raises(RuntimeError, match="episode has ended; call reset"):
        planner.plan()


def test_a_tree_is_arrays_of_one_length() -> None:
    planner = planning.FullTree(game(), frames=2_000)
    planner.plan()
    tree = planner.tree()
    assert {len(array) for array in vars(tree).values()} == {len(tree)}
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()
    assert tree.frames.sum() == planner.stats.frames
    leaves = np.setdiff1d(np.arange(1, len(tree)), tree.parent)
    assert (tree.value[leaves] == tree.reward[leaves]).all()


def test_a_decision_lasts_the_frame_skip_and_uses_the_action_space() -> None:
    for skip, options in ((3, {}), (7, {"full_action_space": True})):
        env = game(frameskip=skip, **options)
        planner = planning.FullTree(env, frames=1)
        planner.plan()
        tree = planner.tree()
        assert set(tree.frames[1:].tolist()) == {skip}
        assert len(tree) == 1 + len(env._action_set)
    varied = planning.FullTree(game(frameskip=(2, 5)), frames=500)
    varied.plan()
    assert set(varied.tree().frames[1:].tolist()) == {2, 3, 4}


def test_an_interface_and_a_wrapped_environment_are_accepted() -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.setFloat("repeat_action_probability", 0.0)
    ale.setInt("frame_skip", 4)
    with pytest.raises(RuntimeError, match="ROM not set"):
        planning.UCT(ale)
    ale.loadROM(roms.find("glowdelve"))
    planner = planning.IW(ale, frames=1_000)
    assert 0 <= planner.plan() < 18
    assert set(planner.tree().frames[1:].tolist()) == {4}
    ale.loadROM(roms.find("windfall"))  # another game: a new model and a new tree
    assert 0 <= planner.plan() < 18
    wrapped = gymnasium.wrappers.TimeLimit(game(), 100)
    wrapped.reset(seed=0)
    assert planning.RolloutIW(wrapped, frames=500).plan() >= 0


def test_atoms_of_all_kinds() -> None:
    env = game()
    spent = {}
    calls: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def own(screen: Any, ram: Any) -> Any:
        calls.append((screen.shape, ram.shape))
        return np.arange(128) * 256 + ram

    front = features.BProst(features.background("glowdelve", 100, progress=False))
    kinds = {"ram": "ram", "own": own, "bprost": "bprost", "set": front, "bits": features.Ram()}
    for kind, atoms in kinds.items():
        planner = planning.IW(env, frames=1_500, atoms=atoms, seed=5)  # type: ignore[arg-type]
        planner.plan()
        spent[kind] = planner.tree().pruned.tolist()
    assert set(calls) == {((210, 160), (128,))}
    assert spent["bprost"] == spent["set"]
    assert spent["ram"] != spent["bprost"]


def test_time_is_a_budget() -> None:
    planner = planning.RolloutIW(game(), seconds=0.1)
    start = time.perf_counter()
    planner.plan()
    assert 0.05 < time.perf_counter() - start < 2.0
    assert planner.stats.seconds >= 0.05


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timer")
@pytest.mark.parametrize("name", SMALL)
def test_a_signal_stops_a_search(name: str) -> None:
    class StopError(Exception):
        pass

    def stop(*_: Any) -> None:
        raise StopError

    endless: dict[str, dict[str, Any]] = {
        "full-tree": {"frames": 10**9, "max_nodes": 10**9},
        "uct": {"simulations": 10**8},
        "iw": {"frames": 10**9, "atoms": lambda screen, ram: time.sleep(0.001) or ram},
        "rollout-iw": {"seconds": 60, "atoms": lambda screen, ram: time.sleep(0.001) or ram},
    }
    planner = planning.make(name, game(), **endless[name])
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        start = time.perf_counter()
        with pytest.raises(StopError):
            planner.plan()
        assert time.perf_counter() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_wrong_arguments_are_refused_with_what_is_accepted() -> None:
    env = game()
    for options, error, text in [
        ({"frames": 0}, ValueError, "frames is 0; accepted: 1 to"),
        ({"frames": 2.5}, TypeError, "frames is 2.5"),
        ({"discount": float("nan")}, ValueError, "discount is nan; accepted"),
        ({"discount": 1.5}, ValueError, "discount is 1.5"),
        ({"discount": "1"}, TypeError, "discount is '1'"),
        ({"seconds": 0}, ValueError, "seconds is 0"),
        ({"seconds": float("inf")}, ValueError, "seconds is inf"),
        ({"atoms": "bprots"}, ValueError, 'did you mean "bprost"'),
        ({"atoms": 7}, TypeError, "atoms is a int"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"threads": 2}, ValueError, "threads is 2; accepted: 1"),
        ({"risk_averze": True}, TypeError, 'did you mean "risk_averse"'),
    ]:
        with pytest.raises(error, match=text):
            planning.RolloutIW(env, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exploration is nan"):
        planning.UCT(env, exploration=float("nan"))
    with pytest.raises(ValueError, match='did you mean "uct"'):
        planning.make("utc", env)
    with pytest.raises(TypeError, match="env is a str"):
        planning.IW("pong")
    with pytest.raises(ValueError, match="continuous actions"):
        planning.IW(AtariEnv("glowdelve", continuous=True))


def test_wrong_calls_are_refused_with_what_is_accepted() -> None:
    env = game()
    planner = planning.FullTree(env, frames=1_000)
    for action, error in ((18, ValueError), (-1, ValueError), (True, TypeError), ("0", TypeError)):
        with pytest.raises(error, match="the action is"):
            planner.advance(action)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="max_nodes = 50; raise max_nodes"):
        planning.FullTree(env, max_nodes=50).plan()
    with pytest.raises(ValueError, match=r"atoms gave .*accepted: whole numbers"):
        planning.IW(env, atoms=lambda screen, ram: [-1]).plan()
    with pytest.raises(ZeroDivisionError):
        planning.IW(env, atoms=lambda screen, ram: 1 // 0).plan()
    env.close()
    with pytest.raises(RuntimeError, match="the environment was closed"):
        planner.plan()


def test_play_with_a_watcher_is_play_without() -> None:
    results, frames = [], []
    for watch in (None, lambda ale: frames.append(ale.getFrameNumber())):
        env = game(steps=0)
        planner = planning.RolloutIW(env, frames=500)
        played = planning.play(env, planner, max_decisions=20, watch=watch)
        results.append(
            (played.score, played.decisions, played.frames, played.emulated, env.snapshot().to_bytes())
        )
    assert results[0] == results[1]
    assert len(frames) == 100


def test_factories_give_planners_to_evaluation() -> None:
    env = game()
    for factory in (agents.full_tree, agents.uct, agents.iw, agents.rollout_iw):
        assert factory.kind == "planner"  # type: ignore[attr-defined]
    assert agents.uct(env, seed=1, config={"simulations": 5}).plan() >= 0
