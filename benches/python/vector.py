"""Measurements of vector environments."""

import importlib
import importlib.util
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from measure import Clock, Options, Run
from numpy.typing import NDArray
from same import FRAMESKIP, LIBRARIES, SEED, same

import ale_rs

envpool: Any = importlib.import_module("envpool") if importlib.util.find_spec("envpool") else None

CHECKED_STEPS = 12
ENV_COUNTS = (16, 64, 256, 1024, 4096)


def vector_env(library: Any, game: str, envs: int, threads: int, stack: ExitStack) -> Any:
    """An environment with the default preprocessing, which is closed in the end."""
    env = library.AtariVectorEnv(game, num_envs=envs, num_threads=threads)
    stack.callback(env.close)
    return env


def both(game: str, options: Options, stack: ExitStack) -> dict[str, Any]:
    """The game in both libraries."""
    return {
        name: vector_env(library, game, options.envs, options.threads, stack)
        for name, library in LIBRARIES.items()
    }


def held_actions(actions: int, envs: int, steps: int) -> list[NDArray[np.int64]]:
    """Actions of all sub-environments; each goes on with its own for a while, as agents do."""
    rng = np.random.default_rng(SEED)
    held = rng.integers(actions, size=envs)
    rows = []
    for _ in range(steps):
        held = np.where(rng.random(envs) < 0.3, rng.integers(actions, size=envs), held)
        rows.append(held)
    return rows


def check(ours: Any, theirs: Any, game: str) -> None:
    """The same observations and results in a number of steps."""
    same(ours.reset(seed=SEED)[0], theirs.reset(seed=SEED)[0], f"the first observations of {game}")
    actions = held_actions(ours.single_action_space.n, ours.num_envs, CHECKED_STEPS)
    for step, action in enumerate(actions, 1):
        for part, our_part, their_part in zip(
            ("observations", "rewards", "terminations", "truncations"),
            ours.step(action),
            theirs.step(action),
            strict=False,
        ):
            same(our_part, their_part, f"the {part} of {game} in step {step}")


def stepping(env: Any, actions: list[NDArray[np.int64]], clock: Clock) -> Run:
    """Frames per second of the same steps in every round."""

    def run() -> float:
        start = clock()
        for action in actions:
            env.step(action)
        return len(actions) * len(actions[0]) * FRAMESKIP / (clock() - start)

    return run


def envpool_env(game: str, options: Options, stack: ExitStack) -> Any:
    """The game in envpool; `None` where that is not installed or has it not."""
    if envpool is None:
        return None
    name = "".join(part.capitalize() for part in game.split("_")) + "-v5"
    if name not in envpool.list_all_envs():
        return None
    env = envpool.make_gymnasium(
        name, num_envs=options.envs, num_threads=options.threads, seed=SEED, reward_clip=True
    )
    stack.callback(env.close)
    env.reset()
    return env


def start_vector(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    envs = both(game, options, stack)
    check(envs["ale_rs"], envs["ale-py"], game)
    actions = held_actions(envs["ale_rs"].single_action_space.n, options.envs, options.amount(24, 4))
    if (other := envpool_env(game, options, stack)) is not None:
        # It plays the same game from other starts: no equal observations, but a like amount of work.
        envs["envpool"] = other
    return {name: stepping(env, actions, options.clock) for name, env in envs.items()}


def start_threads(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    one, two = (vector_env(ale_rs, game, options.envs, threads, stack) for threads in (1, 2))
    check(two, one, game)
    actions = held_actions(one.single_action_space.n, options.envs, options.amount(48, 8))
    return {
        "1 thread": stepping(one, actions, options.clock),
        "2 threads": stepping(two, actions, options.clock),
    }


def start_sizes(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
    def contestant(envs: int) -> Run:
        env = vector_env(ale_rs, game, envs, options.threads, stack)
        env.reset(seed=SEED)
        steps = max(2, options.amount(16_384) // envs)
        run = stepping(env, held_actions(env.single_action_space.n, envs, steps), options.clock)
        return lambda: 1e6 * FRAMESKIP / run()

    return {f"{envs} envs": contestant(envs) for envs in ENV_COUNTS}


def start_reset(seeded: bool) -> Callable[[str, Options, ExitStack], dict[str, Run]]:
    def start(game: str, options: Options, stack: ExitStack) -> dict[str, Run]:
        envs = both(game, options, stack)
        ours, theirs = envs.values()
        check(ours, theirs, game)
        same(ours.reset()[0], theirs.reset()[0], f"the observations of {game} after a second reset")
        return {name: resetting(env, seeded, options.clock) for name, env in envs.items()}

    return start


def resetting(env: Any, seeded: bool, clock: Clock) -> Run:
    """Milliseconds of a reset of the whole batch."""
    seed = SEED

    def run() -> float:
        nonlocal seed
        seed += env.num_envs
        start = clock()
        env.reset(seed=seed if seeded else None)
        return (clock() - start) * 1e3

    return run
