"""PPO: advantages by hand, a toy that is learnt, a run with its curve."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray

jax = pytest.importorskip("jax", reason="the extra [deep] is optional")
optax = pytest.importorskip("optax", reason="the extra [deep] is optional")

from ale_rs import AtariVectorEnv, deep  # noqa: E402
from ale_rs.crafter import CrafterVectorEnv  # noqa: E402
from ale_rs.deep.ppo import advantages  # noqa: E402
from api.toys import Catch  # noqa: E402


def test_advantages_by_hand_and_nothing_passes_an_end() -> None:
    rewards = np.array([[1.0], [2.0], [3.0]], np.float32)
    values = np.array([[0.5], [0.25], [0.125]], np.float32)
    ends = np.array([[False], [True], [False]])
    last = np.array([4.0], np.float32)
    third = 3 + 0.5 * 4 - 0.125
    second = 2 - 0.25
    first = 1 + 0.5 * 0.25 - 0.5 + 0.5 * 0.75 * second
    found = advantages(rewards, values, ends, last, 0.5, 0.75)
    np.testing.assert_allclose(found[:, 0], [first, second, third])


class Gym(gymnasium.Env[Any, Any]):
    """Catch as an environment of gymnasium."""

    observation_space = spaces.Box(0, 255, (1, 10, 10), np.uint8)
    action_space = spaces.Discrete(3)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        if seed is not None:
            self.catch = Catch(seed)
        return self.catch.reset(None), {}

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        turn = self.catch.step(int(action))
        return turn.states, turn.reward, turn.terminated, False, {}


@pytest.mark.slow
def test_catch_is_learnt() -> None:
    config = deep.PpoConfig(rollout=20, hidden=32, step_size=0.002)
    result = deep.ppo(SyncVectorEnv([Gym] * 16), 40_000, config=config, progress=False)
    early, late = np.mean(result.returns[:200]), np.mean(result.returns[-200:])
    assert late > 0.5, (early, late)
    assert late > early + 0.5


@pytest.mark.slow
def test_a_short_run_of_ppo(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    envs = AtariVectorEnv(
        "windfall", 4, img_height=42, img_width=42, reward_clipping=False, max_num_frames_per_episode=100
    )
    config = deep.PpoConfig(rollout=16, hidden=32)
    result = deep.ppo(envs, 4 * 16 * 3, config=config, progress=False, plot=tmp_path / "curve.png")
    assert result.returns
    assert result.act(np.zeros((4, 4, 42, 42), np.uint8)).shape == (4,)
    assert (tmp_path / "curve.png").stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("world", ["atari", "crafter", "gymnasium"])
def test_a_stopped_training_goes_on_as_if_nothing_had_happened(tmp_path: Path, world: str) -> None:
    def train(**options: Any) -> deep.PpoResult:
        make: dict[str, Callable[[], Any]] = {
            "atari": lambda: AtariVectorEnv(
                "windfall", 2, img_height=42, img_width=42, max_num_frames_per_episode=60
            ),
            "crafter": lambda: CrafterVectorEnv(2, size=(36, 36), length=25),
            "gymnasium": lambda: SyncVectorEnv([Gym] * 2),
        }
        envs = make[world]()
        config = deep.PpoConfig(rollout=16, hidden=16)
        result = deep.ppo(envs, 2 * 16 * 4, config=config, seed=3, progress=False, **options)
        envs.close()
        return result

    whole = train()
    for _ in range(4):
        stopped = train(checkpoint=tmp_path / "ppo", seconds=0)
    assert stopped.steps
    if world != "gymnasium":  # others begin new episodes
        assert (stopped.steps, stopped.returns) == (whole.steps, whole.returns)
        jax.tree.map(np.testing.assert_array_equal, stopped.params, whole.params)
    again = train(checkpoint=tmp_path / "ppo")
    assert again.returns == stopped.returns, "there was nothing left to do"


@pytest.mark.slow
def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    envs = SyncVectorEnv([Gym] * 2)
    config = deep.PpoConfig(rollout=8, hidden=8)
    deep.ppo(envs, 32, config=config, progress=False, checkpoint=tmp_path / "ppo")
    with pytest.raises(ValueError, match=r"another training.*'seed': 0.*'seed': 1"):
        deep.ppo(envs, 32, config=config, seed=1, progress=False, checkpoint=tmp_path / "ppo")
    numbers = tmp_path / "ppo" / "numbers.json"
    numbers.write_text(numbers.read_text().replace('"running": [', '"running": [1, '))
    with pytest.raises(ValueError, match="damaged"):
        deep.ppo(envs, 32, config=config, progress=False, checkpoint=tmp_path / "ppo")
