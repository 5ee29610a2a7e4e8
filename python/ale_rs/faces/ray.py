"""A vector environment over a Ray cluster: an actor per machine holds a shard, rollouts come in one message.

    envs = RayVectorEnv("pong", num_envs=256, shards=4, address="auto")
    for fragment in envs.rollouts(policy, steps=128):
        ...  # fragment.rewards.shape == (128, 256)

A shard is an `AtariVectorEnv` with `first_env_index`, so 4 x 64 environments play what 1 x 256 would play.
Ray comes with the extra `ray`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native

__all__ = ["Fragment", "RayVectorEnv"]

Policy = Callable[[NDArray[np.uint8], int, int], NDArray[np.integer[Any]]]
"""(observations, step, index of the first environment) -> one action per environment."""


@dataclass(frozen=True)
class Fragment:
    """What several environments played in some steps; the first axis is time, the second environments.

    Attributes:
        observations: before each step, and after the last one: one row more than steps.
        actions: what was played.
        rewards: what it gave.
        terminated: as in gymnasium.
        truncated: as in gymnasium.
    """

    observations: NDArray[np.uint8]
    actions: NDArray[np.int32]
    rewards: NDArray[np.int32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    @classmethod
    def together(cls, parts: Sequence["Fragment"]) -> "Fragment":
        """Fragments of neighbouring environments as one."""
        return cls(*(np.concatenate([getattr(p, each.name) for p in parts], axis=1) for each in fields(cls)))


class Shard:
    """Some of the environments; an actor on a machine of the cluster."""

    def __init__(self, game: Any, count: int, first: int, version: str, options: dict[str, Any]) -> None:
        from ale_rs import AtariVectorEnv

        if _native.__version__ != version:
            raise ValueError(f"this machine has ale_rs {_native.__version__}, the driver has {version}")
        self.first = first
        self.envs = AtariVectorEnv(game, count, first_env_index=first, **options)
        self.observations: NDArray[np.uint8] | None = None
        self.steps = 0

    def reset(self, seed: int | None) -> NDArray[np.uint8]:
        """Start episodes."""
        self.observations, _ = self.envs.reset(seed=seed)
        self.steps = 0
        return np.array(self.observations)

    def step(self, actions: NDArray[np.int32]) -> tuple[Any, ...]:
        """One step: observations, rewards, ends."""
        observations, rewards, terminated, truncated, _ = self.envs.step(actions)
        self.observations = observations
        self.steps += 1
        return tuple(np.array(part) for part in (observations, rewards, terminated, truncated))

    def rollout(self, policy: Policy, steps: int) -> Fragment:
        """Play some steps with a policy that runs here, and give them in one message."""
        if self.observations is None:
            raise ValueError("call reset() before rollout()")
        rows: list[tuple[Any, ...]] = []
        seen = [np.array(self.observations)]
        for _ in range(steps):
            actions = np.asarray(policy(self.observations, self.steps, self.first), np.int32)
            played = self.step(actions)
            seen.append(played[0])
            rows.append((actions, *played[1:]))
        parts = [np.stack(column) for column in zip(*rows, strict=True)]
        return Fragment(np.stack(seen), *parts)


class RayVectorEnv:
    """Atari games in shards over a Ray cluster.

    Args:
        game: id of a game, or one for each environment.
        num_envs: number of environments, a multiple of `shards`.
        shards: actors; Ray spreads them over the machines.
        address: of the cluster; `None` for the one that is set up, or else a new one on this machine.
        num_cpus: cores that Ray sets aside for a shard, and threads that it works with.
        options: of `AtariVectorEnv`.

    Raises:
        ValueError: Ray is not installed, or the numbers do not fit.
    """

    def __init__(
        self,
        game: str | Sequence[str],
        num_envs: int,
        *,
        shards: int = 1,
        address: str | None = None,
        num_cpus: int = 1,
        **options: Any,
    ) -> None:
        from ale_rs.evaluation.executors import load_ray

        if shards < 1 or num_envs < 1 or num_envs % shards:
            raise ValueError(
                f"{num_envs} environments in {shards} shards; accepted: a multiple of the shards"
            )
        if not isinstance(game, str) and len(game) != num_envs:
            raise ValueError(f"{len(game)} games for {num_envs} environments")
        self._ray = load_ray()
        self._mine = not self._ray.is_initialized()
        if self._mine:
            self._ray.init(address=address, log_to_driver=False)
        self.num_envs, self.shard_size = num_envs, num_envs // shards
        actor = self._ray.remote(num_cpus=num_cpus, scheduling_strategy="SPREAD")(Shard)
        options = {"num_threads": num_cpus, **options}
        self._shards = [
            actor.remote(
                game if isinstance(game, str) else list(game[first : first + self.shard_size]),
                self.shard_size, first, _native.__version__, options,
            )
            for first in range(0, num_envs, self.shard_size)
        ]  # fmt: skip

    def _all(self, calls: Sequence[Any]) -> list[Any]:
        results: list[Any] = self._ray.get(list(calls))
        return results

    def reset(self, seed: int | None = None) -> NDArray[np.uint8]:
        """Start all episodes; environment i has the seed `seed + i`."""
        return np.concatenate(self._all([shard.reset.remote(seed) for shard in self._shards]))

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any]:
        """One step of all: observations, rewards, terminated, truncated. `rollout` sends fewer messages."""
        actions = np.asarray(actions, np.int32)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions have the shape {actions.shape}; accepted: ({self.num_envs},)")
        parts = np.split(actions, len(self._shards))
        calls = [shard.step.remote(part) for shard, part in zip(self._shards, parts, strict=True)]
        observations, rewards, terminated, truncated = zip(*self._all(calls), strict=True)
        return tuple(map(np.concatenate, (observations, rewards, terminated, truncated)))  # type: ignore[return-value]

    def rollout(self, policy: Policy, steps: int) -> Fragment:
        """Play some steps everywhere; the policy runs beside the environments, once per shard and step."""
        if steps < 1:
            raise ValueError(f"steps is {steps}; accepted: 1 and more")
        sent = self._ray.put(policy)
        return Fragment.together(self._all([shard.rollout.remote(sent, steps) for shard in self._shards]))

    def rollouts(self, policy: Policy, steps: int) -> Iterator[Fragment]:
        """Fragments without end."""
        while True:
            yield self.rollout(policy, steps)

    def close(self) -> None:
        """End the actors, and the cluster if it was started here."""
        for shard in self._shards:
            self._ray.kill(shard)
        self._shards = []
        if self._mine:
            self._ray.shutdown()
