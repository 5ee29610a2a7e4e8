"""`AtariVecEnv`: Stable-Baselines3's `VecEnv` on top of `AtariVectorEnv`.

```python
from stable_baselines3 import PPO
from ale_rs.sb3 import AtariVecEnv

model = PPO("CnnPolicy", AtariVecEnv("breakout", 8, seed=0))
model.learn(1_000_000)
```

It needs `pip install stable-baselines3`, which is not a dependency of this package.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ale_rs._vector_arguments import Game
from ale_rs.vector_env import AtariVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as problem:
    raise ImportError("ale_rs.sb3 needs Stable-Baselines3: pip install stable-baselines3") from problem

__all__ = ["AtariVecEnv"]

_EXTRA = ("episode_return", "episode_length")


class AtariVecEnv(VecEnv):  # type: ignore[misc]
    """Atari games for Stable-Baselines3.

    Episodes are recorded as by its `Monitor`, and observations are stacked already, so neither is to be
    wrapped around it. With colour, the channels of all frames come first: `(stack * 3, height, width)`.

    Args:
        game: as in `AtariVectorEnv`.
        n_envs: number of sub-environments.
        seed: seed of the first reset.
        options: those of `AtariVectorEnv`, except `autoreset_mode`, `batch_size` and `obs_type`.
    """

    def __init__(
        self,
        game: Game | Sequence[Game],
        n_envs: int | None = None,
        *,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        extra = (*_EXTRA, *(name for name in options.pop("extra_info", ()) if name not in _EXTRA))
        options.setdefault("render_mode", "rgb_array")
        self.envs = AtariVectorEnv(
            game, n_envs, autoreset_mode=AutoresetMode.SAME_STEP, extra_info=extra, **options
        )
        shape = self.envs.single_observation_space.shape
        assert shape is not None
        self._color = len(shape) == 4
        if self._color:
            stack, height, width, channels = shape
            shape = (stack * channels, height, width)
        self._seed = seed
        self._started = time.time()
        self.render_mode = self.envs.render_mode
        super().__init__(
            self.envs.num_envs, spaces.Box(0, 255, shape, np.uint8), self.envs.single_action_space
        )

    def reset(self) -> NDArray[np.uint8]:
        """Start all episodes; takes the seed of the constructor or of `seed` once."""
        seed, self._seed = self._seed, None
        observations, info = self.envs.reset(seed=seed)
        lives = info["lives"].tolist()
        self.reset_infos = [{"lives": count} for count in lives]
        return self._seen(observations)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Choose the seed of the next `reset`; returns the seeds of all sub-environments."""
        self._seed = seed
        return [None if seed is None else seed + index for index in range(self.num_envs)]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Start a step."""
        discrete = isinstance(self.action_space, spaces.Discrete)
        self.envs.send(np.asarray(actions, np.int64 if discrete else np.float32))

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Wait for the step."""
        observations, rewards, terminations, truncations, info = self.envs.recv()
        infos: list[dict[str, Any]] = [{"lives": count} for count in info["lives"].tolist()]
        done = terminations | truncations
        for index in np.flatnonzero(done):
            infos[index]["TimeLimit.truncated"] = bool(truncations[index])
            infos[index]["terminal_observation"] = self._seen(info["final_obs"][index : index + 1])[0]
            if info["_final_info"][index]:
                last = info["final_info"]
                infos[index]["episode"] = {
                    "r": float(last["episode_return"][index]),
                    "l": int(last["episode_length"][index]),
                    "t": round(time.time() - self._started, 6),
                }
        return self._seen(observations), rewards.astype(np.float32), done, infos

    def close(self) -> None:
        """Nothing is to be used after this."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of the vector environment, once for each sub-environment."""
        return [getattr(self.envs, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sub-environments share their attributes, so only all can be set at once."""
        if len(self._chosen(indices)) != self.num_envs:
            raise ValueError(f"{attr_name} belongs to all sub-environments; accepted: indices=None")
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        """Call a method that takes the number of a sub-environment first, such as `"screen"`."""
        method = getattr(self.envs, method_name)
        return [method(index, *args, **options) for index in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Nothing is wrapped, but episodes are recorded as by `Monitor`."""
        return [wrapper_class.__name__ == "Monitor"] * len(self._chosen(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """The screens."""
        return [self.envs.screen(index) for index in range(self.num_envs)]

    def _chosen(self, indices: int | Iterable[int] | None) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)

    def _seen(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if not self._color:
            return observations
        rows, stack, height, width, channels = observations.shape
        return np.moveaxis(observations, -1, 2).reshape(rows, stack * channels, height, width)
