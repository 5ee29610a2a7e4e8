"""Every integer that the extension module takes, at its ends: used, or refused by an exception.

What there is to try is read from the stub, so that a new argument needs a valid call here. In a build with
overflow checks (`make checked-module`) this finds arithmetic that would wrap in the one that ships.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ale_rs
from ale_rs import _native, learning

pytestmark = pytest.mark.slow

STUB = Path(ale_rs.__file__).with_name("_native.pyi")
ENDS = sorted(
    {
        0,
        1,
        *(
            sign * 2**bits - less
            for bits in (7, 8, 15, 16, 31, 32, 63, 64)
            for sign in (1, -1)
            for less in (0, 1)
        ),
    }
)
REFUSALS = (ValueError, OverflowError, IndexError, TypeError, RuntimeError, MemoryError)
ROMS = Path(__file__).parents[2] / "roms"
OURS = "glowdelve"
ROM = (ROMS / f"{OURS}.bin").read_bytes()

WORK = {
    "bootstrap_metric.count", "bootstrap_profile.count", "bootstrap_improvement.count", "background.screens",
    "background_of_env.screens", "object_classes.screens", "NativePlanner.uct.simulations",
    "ALEInterface.act_many.count",
}  # fmt: skip
"""Numbers of things to do: the large ones would be done, and take as long as they take."""

EXCEPTED = {"NativeTrial.__new__.rom", "ObjectClasses.__new__.data"}
"""Integers that are bytes of something."""


def is_integer(annotation: str) -> bool:
    return annotation.removesuffix(" | None") in {
        "int",
        "Sequence[int]",
        "tuple[int, int]",
    } or annotation in {
        "Action | int",
        "Sequence[Sequence[int]]",
    }


def arguments() -> Iterator[tuple[str, str, str]]:
    """Callable, argument and annotation of each integer in the stub."""

    def visit(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, str, str]]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from visit(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                for given in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    annotation = ast.unparse(given.annotation) if given.annotation else ""
                    if is_integer(annotation):
                        yield owner + node.name, given.arg, annotation

    yield from visit(ast.parse(STUB.read_text()).body, "")


def ale() -> Any:
    env = _native.ALEInterface()
    env.loadROM(ROMS / f"{OURS}.bin")
    return env


def plan(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: make(**given).plan(ale(), [0, 1], (4, 5))


def advanced(action: int) -> None:
    planner = _native.NativePlanner.iw(**SEARCH, frames=100, atoms=None, max_branch=30, threads=1)
    planner.plan(ale(), [0, 1], (4, 5))
    planner.advance(action)


def states(**given: Any) -> Any:
    states = _native.NativeStates(ale(), **(STATES | given))
    states.add(ale())
    states.expand(np.zeros(2, np.int64), np.arange(2))
    return states


def batch() -> Any:
    env = ale_rs.AtariVectorEnv(OURS, 2)
    env.reset(seed=0)
    return env._native


def worlds(**given: Any) -> Any:
    env = _native.CrafterVectorEnv(**(WORLDS | given))
    env.reset(np.ones(len(given.get("bases", WORLDS["bases"])), np.uint8), np.zeros(2, np.int64))
    return env


def world(**given: Any) -> Any:
    game = _native.CrafterGame(**(WORLD | given))
    game.reset()
    return game


def probed(mode: int, difficulty: int) -> None:
    _native.GameProbe(facts(), ROM, 0).reset(mode, difficulty)


def facts() -> Any:
    return _native.read_sheet(f"{OURS}.toml", (ROMS / f"{OURS}.toml").read_text(), False)


def seeded(seed: int) -> int:
    return _native.GameProbe(facts(), ROM, seed).act(0)


def brute(**given: Any) -> Any:
    options: dict[str, Any] = {
        "num_actions": 3,
        "discount": 1.0,
        "exploration": "b2",
        "max_nodes": 9,
        "seed": 0,
    }
    learner = _native.Brute(**(options | given))
    for _ in range(3):
        learner.begin(0)
        learner.step(1.0, 1)
        learner.end(1.0)
    return learner


def sarsa(**given: Any) -> Any:
    options: dict[str, Any] = {"num_features": 9, "num_actions": 3, "step_size": 0.5, "discount": 0.9}
    rates = {"trace_decay": 0.9, "exploration": 0.1, "seed": 0, "clear_other_actions": False}
    return _native.Sarsa(**(options | rates | given))


def replay(**given: Any) -> Any:
    options = {"capacity": 20, "frame": 4, "stack": 2, "streams": 2, "repeat_first": False, "seed": 0}
    buffer = _native.Replay(**(options | given))
    buffer.begin(0, np.zeros(4, np.uint8))
    return buffer


def report(_: int) -> None:
    """Surveys tell how far they are."""


def stop(_: object) -> bool:
    """A trial ends with its first episode."""
    return False


SEARCH: dict[str, Any] = {"discount": 0.99, "max_nodes": 100, "seed": 0}
STATES = {"actions": [0, 1], "skip": (4, 5), "view": "ram", "threads": 1, "max_states": 20, "seed": 0}
WORLD = {
    "base": 0, "textures": _native.CrafterTextures.own(), "area": (20, 20), "view": (9, 9), "size": (18, 18),
    "length": 9, "noise": "world",
}  # fmt: skip
WORLDS = {
    **{name: value for name, value in WORLD.items() if name != "base"}, "bases": [0, 1], "reward": True,
    "observation": ["pixels"], "dictionary": False, "semantic": False, "batch_size": 2, "num_threads": 1,
    "thread_affinity_offset": None, "shared_pool": False, "first_env_index": 0, "autoreset_mode": "NextStep",
}  # fmt: skip
TABLE = [[0.0, 1.0, 2.0], [1.0, 1.5, 3.0]]
SCREENS = np.zeros((2, 210, 160), np.uint8)
RESAMPLING: dict[str, Any] = {"count": 5, "seed": 0, "threads": 1}
FRAME = np.zeros(4, np.uint8)

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "bootstrap_metric": (
        _native.bootstrap_metric,
        {"games": TABLE, "metric": "mean", "parameters": [], "over_games": False, **RESAMPLING},
    ),
    "bootstrap_profile": (
        _native.bootstrap_profile,
        {"games": TABLE, "taus": [0.5], "at_least": True, "by_game": False, **RESAMPLING},
    ),
    "bootstrap_improvement": (_native.bootstrap_improvement, {"x": TABLE, "y": TABLE, **RESAMPLING}),
    "search_subsets": (
        _native.search_subsets,
        {
            "columns": [[float(row * column % 5) for row in range(6)] for column in range(4)],
            "target": [1.0, 2.0, 4.0, 3.0, 0.0, 1.0],
            "folds": [[0, 1, 2, 0, 1, 2][:rows] for rows in range(7)], "pool": [0, 1, 2, 3], "always": [],
            "choose": 2, "non_negative": False, "measure": "cv_mse", "keep": 3, "threads": 1,
        },
    ),
    "background": (
        _native.background,
        {"rom": ROM, "name": OURS, "screens": 2, "seed": 0, "trajectory": [0, 1], "report": report},
    ),
    "background_of_env": (_native.background_of_env, {"ale": ale(), "screens": 2}),
    "object_classes": (
        _native.object_classes, {"rom": ROM, "name": OURS, "screens": 2, "seed": 0, "report": report}
    ),
    "features_of_each": (
        _native.features_of_each,
        {"sets": [_native.FeatureSets("basic", SCREENS[0])], "screens": SCREENS[:1], "threads": 1},
    ),
    "ObjectClasses.shapes": (_native.object_classes(ROM, OURS, 2, 0, report).shapes, {"index": 0}),
    "FeatureSets.__new__": (_native.FeatureSets, {"name": "lsh", "seed": 0}),
    "FeatureSets.describe": (_native.FeatureSets("basic", SCREENS[0]).describe, {"index": 0}),
    "FeatureSets.batch": (
        _native.FeatureSets("basic", SCREENS[0]).batch, {"screens": SCREENS, "threads": 1}
    ),
    "NativePlanner.full_tree": (
        plan(_native.NativePlanner.full_tree),
        {**SEARCH, "frames": 50, "duplicates": True, "charge_reused": False, "threads": 1},
    ),
    "NativePlanner.uct": (
        plan(_native.NativePlanner.uct),
        {**SEARCH, "simulations": 3, "depth": 3, "exploration": 0.1, "duplicates": True, "threads": 1},
    ),
    "NativePlanner.iw": (
        plan(_native.NativePlanner.iw),
        {**SEARCH, "frames": 50, "atoms": None, "max_branch": 30, "threads": 1},
    ),
    "NativePlanner.rollout_iw": (
        plan(_native.NativePlanner.rollout_iw),
        {
            **SEARCH, "frames": 50, "seconds": None, "atoms": None, "risk_averse": False, "max_depth": 5,
            "max_repeats": 5, "max_kept": 50,
        },
    ),
    "NativePlanner.plan": (
        lambda **given: _native.NativePlanner.iw(
            **SEARCH, frames=50, atoms=None, max_branch=30, threads=1
        ).plan(ale(), **given),
        {"actions": [0, 1], "skip": (4, 5)},
    ),
    "NativePlanner.advance": (advanced, {"action": 0}),
    "NativeStates.__new__": (states, STATES),
    "NativeStates.restore": (lambda number: states().restore(ale(), number), {"number": 0}),
    "GameProbe.__new__": (seeded, {"seed": 0}),
    "GameProbe.reset": (probed, {"mode": 0, "difficulty": 0}),
    "GameProbe.act": (lambda action: _native.GameProbe(facts(), ROM, 0).act(action), {"action": 0}),
    "ALEInterface.setInt": (lambda value: set_and_load(value), {"value": 1}),
    "ALEInterface.act": (lambda action: ale().act(action), {"action": 0}),
    "ALEInterface.act_many": (lambda **given: ale().act_many(**given), {"action": 0, "count": 2}),
    "ALEInterface.setMode": (lambda mode: ale().setMode(mode), {"mode": 0}),
    "ALEInterface.setDifficulty": (lambda difficulty: ale().setDifficulty(difficulty), {"difficulty": 0}),
    "ALEInterface.setRAM": (lambda index, value: ale().setRAM(index, value), {"index": 0, "value": 1}),
    "ALEInterface.setLoggerMode": (lambda mode: ale().setLoggerMode(mode), {"mode": 2}),
    "VectorEnv.branch": (lambda **given: batch().branch(**given), {"index": 0, "targets": [1]}),
    "VectorEnv.break_next": (lambda index: batch().break_next(index), {"index": 0}),
    "VectorEnv.screen": (lambda index: batch().screen(index), {"index": 0}),
    "VectorEnv.send": (lambda ids: batch().send(np.zeros(len(ids), np.int64), ids=ids), {"ids": [0, 1]}),
    "VectorEnv.snapshot": (lambda ids: batch().snapshot(ids), {"ids": [0, 1]}),
    "VectorEnv.restore": (
        lambda ids: (lambda env: env.restore(env.snapshot([0, 1]), ids))(batch()), {"ids": [0, 1]}
    ),
    "CrafterVectorEnv.send": (lambda ids: worlds().send(np.zeros(len(ids), np.int64), ids), {"ids": [0, 1]}),
    "CrafterVectorEnv.snapshot": (lambda ids: worlds().snapshot(ids), {"ids": [0, 1]}),
    "CrafterVectorEnv.restore": (
        lambda ids: (lambda env: env.restore(env.snapshot([0, 1]), ids))(worlds()), {"ids": [0, 1]}
    ),
    "NativeTrial.run": (
        lambda **given: learning.Trial("random", OURS)._native.run(learn=True, report=stop, **given),
        {"frames": 100, "episodes": 1, "seeds": [0]},
    ),
    "Brute.__new__": (brute, {"num_actions": 3, "max_nodes": 9, "seed": 0}),
    "Brute.begin": (lambda observation: brute().begin(observation), {"observation": 0}),
    "Brute.step": (
        lambda **given: (lambda learner: (learner.begin(0), learner.step(**given)))(brute()),
        {"reward": 1.0, "observation": 0},
    ),
    "Sarsa.__new__": (sarsa, {"num_features": 9, "num_actions": 3, "seed": 0}),
    "Replay.__new__": (replay, {"capacity": 20, "frame": 4, "stack": 2, "streams": 2, "seed": 0}),
    "Replay.begin": (lambda stream: replay().begin(stream, FRAME), {"stream": 0}),
    "Replay.append": (
        lambda **given: replay().append(reward=1.0, terminal=False, frame=FRAME, **given),
        {"stream": 0, "action": 0},
    ),
    "CrafterGame.__new__": (world, {key: WORLD[key] for key in ("base", "area", "view", "size", "length")}),
    "CrafterGame.seed": (lambda base: world().seed(base), {"base": 0}),
    "CrafterGame.step": (lambda action: world().step(action), {"action": 0}),
    "CrafterGame.render": (lambda **given: world().render(**given), {"width": 18, "height": 18}),
    "CrafterVectorEnv.__new__": (worlds, WORLDS),
    "CrafterVectorEnv.branch": (lambda **given: worlds().branch(**given), {"index": 0, "targets": [1]}),
    "CrafterVectorEnv.break_next": (lambda index: worlds().break_next(index), {"index": 0}),
    "CrafterVectorEnv.screen": (lambda index: worlds().screen(index), {"index": 0}),
}  # fmt: skip


def set_and_load(value: int) -> None:
    for key in ("random_seed", "frame_skip", "max_num_frames_per_episode", "reward_min", "paddle_max"):
        env = _native.ALEInterface()
        env.setInt(key, value)
        env.loadROM(ROMS / f"{OURS}.bin")
        if key != "frame_skip":
            env.reset_game()
            env.act(0)


def changed(valid: Any, end: int) -> Any:
    """The value of an argument with an integer at an end."""
    match valid:
        case tuple():
            return (end, *valid[1:])
        case [*others, [_, *last]]:
            return [*others, [end, *last]]
        case [*_]:
            return [*valid[:-1], end]
        case _:
            return end


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """What asks for more is refused by the system at once."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:  # noqa: PTH123
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (4 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def test_every_integer_of_the_stub_is_tried() -> None:
    missing = {
        f"{function}.{name}"
        for function, name, _ in arguments()
        if function not in CALLS or name not in CALLS[function][1]
    }
    assert missing == EXCEPTED


@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit on memory")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "name"),
    [(function, name) for function, name, _ in arguments() if f"{function}.{name}" not in EXCEPTED],
)
def test_an_integer_at_its_ends_is_used_or_refused(
    function: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    call, valid = CALLS[function]
    call(**valid)
    for end in ENDS:
        if f"{function}.{name}" in WORK and 1 < end < 2**63:
            continue
        refusal = None
        try:
            call(**(valid | {name: changed(valid[name], end)}))
        except REFUSALS as problem:
            refusal = problem
        assert refusal is None or len(str(refusal)) > 10, (end, refusal)
    assert "panicked" not in capfd.readouterr().err
