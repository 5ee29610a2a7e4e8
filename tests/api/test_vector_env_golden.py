"""The measured trajectories of `tests/golden/vector.json`: byte for byte the reference's."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv, roms

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "vector.json").read_text())


def short_hash(array: Any) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("jit", [True, False], ids=["jit", "no_jit"])
@pytest.mark.parametrize("run", GOLDEN["runs"], ids=lambda run: run["name"].replace(" ", "_"))
def test_the_measured_run_is_repeated(run: dict[str, Any], jit: bool) -> None:
    try:
        env = AtariVectorEnv(run["game"], run["num_envs"], **run["options"], jit=jit)
    except roms.RomNotFoundError as missing:
        pytest.skip(str(missing))
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    assert count == run["n_actions"]
    x = 12345
    everything = hashlib.sha256()
    sums = np.zeros(env.num_envs, int)
    ends: list[list[Any]] = [[] for _ in range(env.num_envs)]
    observations, info = env.reset(seed=run["seed"])
    assert list(observations.shape) == run["obs_shape"]
    for step in range(run["steps"] + 1):
        everything.update(observations.tobytes())
        if (expected := run["checkpoints"].get(str(step))) is not None:
            seen: dict[str, Any] = {key: info[key].tolist() for key in expected if key in info}
            seen["obs"] = [short_hash(row) for row in observations]
            seen["reward_sum"] = sums.tolist()
            assert seen == expected, f"step {step}"
        if step == run["steps"]:
            break
        actions = []
        for _ in range(env.num_envs):
            x = (1103515245 * x + 12345) % 2**31
            actions.append((x >> 16) % count)
        observations, rewards, terminations, truncations, info = env.step(np.array(actions))
        sums += rewards
        for index in np.flatnonzero(terminations | truncations):
            ends[index].append([step + 1, bool(terminations[index]), bool(truncations[index])])
    assert everything.hexdigest()[:16] == run["all_obs"]
    assert [rows[: len(known)] for rows, known in zip(ends, run["episode_ends"], strict=True)] == run[
        "episode_ends"
    ]
    assert info["lives"].tolist() == run["final_lives"]
