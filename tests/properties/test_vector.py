"""Many environments of any games: neither number, nor threads, nor order, nor another process matters."""

import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

import ale_rs
from properties.playing import Sum, actions, play

STEPS = range(40)
OPTIONS: dict[str, Any] = {
    "img_height": 42,
    "img_width": 32,
    "repeat_action_probability": 0.25,
    "max_num_frames_per_episode": 90,
    "full_action_space": True,
}


def make(games: list[str], **options: Any) -> ale_rs.AtariVectorEnv:
    return ale_rs.AtariVectorEnv(games, **{**OPTIONS, **options})


def run(games: list[str], seed: int, **options: Any) -> str:
    env = make(games, **options)
    total = Sum()
    total.add(env.reset(seed=seed))
    return play(env, seed, STEPS, total).text()


def translated(together: ale_rs.AtariVectorEnv, action: int, env: ale_rs.AtariVectorEnv) -> Any:
    """The same action where a game alone has fewer; those it does not have do nothing in company."""
    number, own = together._native.action_set[action], list(env._native.action_set)
    return np.array([own.index(number) if number in own else 0])


def test_many_are_as_many_single_ones(games: list[str], fresh_seed: int) -> None:
    together = make(games)
    alone = [make([game], first_env_index=index) for index, game in enumerate(games)]
    rows = [together.reset(seed=fresh_seed)[0]]
    single = [[env.reset(seed=fresh_seed)[0] for env in alone]]
    rewards = []
    for step in STEPS:
        chosen = actions(together, fresh_seed, step)
        observations, reward, *_ = together.step(chosen)
        results = [env.step(translated(together, chosen[index], env)) for index, env in enumerate(alone)]
        rows.append(observations)
        single.append([result[0] for result in results])
        rewards.append((reward.tolist(), [int(result[1][0]) for result in results]))
    assert all(a == b for a, b in rewards)
    for step, (batch, each) in enumerate(zip(rows, single, strict=True)):
        for index, row in enumerate(each):
            assert (batch[index] == row[0]).all(), f"{games[index]}, step {step}"


def test_threads_make_no_difference(games: list[str], fresh_seed: int) -> None:
    expected = run(games, fresh_seed, num_threads=1)
    for options in ({"num_threads": 2}, {"num_threads": 7}, {"shared_pool": True}):
        assert run(games, fresh_seed, **options) == expected, options


def test_snapshots_at_random_points(games: list[str], fresh_seed: int) -> None:
    chance = random.Random(fresh_seed)
    env, other = make(games), make(games)
    env.reset(seed=fresh_seed)
    other.reset(seed=1)
    for _ in range(3):
        play(env, fresh_seed, range(chance.randrange(30)))
        snapshot = env.snapshot()
        expected = play(env, fresh_seed, STEPS).text()
        other.restore(snapshot)
        assert play(other, fresh_seed, STEPS).text() == expected
        env.restore(snapshot)
        assert play(env, fresh_seed, STEPS).text() == expected


def test_another_process_goes_on_the_same(games: list[str], fresh_seed: int, tmp_path: Path) -> None:
    env = make(games)
    env.reset(seed=fresh_seed)
    play(env, fresh_seed, range(17))
    file = tmp_path / "env"
    file.write_bytes(pickle.dumps((env, fresh_seed)))
    code = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from properties.test_vector import STEPS, play
env, seed = pickle.load(open(sys.argv[2], "rb"))
print(play(env, seed, STEPS).text())
"""
    command = [sys.executable, "-c", code, str(Path(__file__).parents[1]), str(file)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert output.stdout.strip() == play(env, fresh_seed, STEPS).text()


def test_the_order_of_construction_does_not_matter(games: list[str], fresh_seed: int) -> None:
    expected = run(games, fresh_seed)
    others = [make(list(reversed(games))), make(games[:1])]
    for other in others:
        other.reset(seed=5)
    env = make(games)
    total = Sum()
    total.add(env.reset(seed=fresh_seed))
    for step in STEPS:
        others[step % 2].step(actions(others[step % 2], 0, step))
        total.add(env.step(actions(env, fresh_seed, step)))
    assert total.text() == expected


def test_two_threads_are_one_after_the_other(games: list[str], fresh_seed: int) -> None:
    jobs = [(games, fresh_seed), (list(reversed(games)), fresh_seed + 1)]
    for shared in (False, True):
        expected = [run(job, seed, shared_pool=shared) for job, seed in jobs]
        found = ["", ""]

        def work(number: int, shared: bool = shared, found: list[str] = found) -> None:
            job, seed = jobs[number]
            found[number] = run(job, seed, shared_pool=shared)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == expected, f"shared_pool={shared}"
