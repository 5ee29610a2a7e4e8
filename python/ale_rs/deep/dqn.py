"""DQN: Q-learning with a convolutional network, a replay buffer and a target network.

    for every decision:
        a = random with probability epsilon, else argmax Q(s)
        store (s, a, r, s') in the replay buffer
        every 4th decision: draw 32 transitions, y = r + discount * max Q_target(s'),
            one step on (y - Q(s, a))^2
        now and then: Q_target = Q

Rewards are learnt by their sign. Errors are clipped to [-1, 1]; the clipped gradients of a minibatch are
summed.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from ale_rs.deep.networks import Array, Params, q_network
from ale_rs.deep.presets import Preset
from ale_rs.replay import ReplayBuffer, Sample

__all__ = ["Agent", "Dqn", "loss", "optimiser", "targets"]

EVALUATION_EPSILON = 0.05


def optimiser(step_size: float) -> optax.GradientTransformation:
    """RMSProp of Mnih et al. 2015: decays of the mean and of the mean square, no heavy-ball momentum.

    g <- 0.95 g + 0.05 d;  m <- 0.95 m + 0.05 d^2;  theta -= step_size * d / sqrt(m - g^2 + 0.01)
    """
    return optax.rmsprop(step_size, decay=0.95, eps=0.01, centered=True)


def targets(rewards: Array, terminals: Array, following: Array, discount: float) -> Array:
    """What Q(s, a) should be; nothing comes after the end of a game."""
    return rewards + discount * jnp.where(terminals, 0.0, following)


def loss(values: Array, wanted: Array) -> Array:
    """Squared errors whose gradients are clipped to [-1, 1], summed over the minibatch."""
    return jnp.sum(optax.huber_loss(values, jax.lax.stop_gradient(wanted), delta=1.0))


class Agent:
    """What DQN and COMPER share: the Q network, how it acts, and its file."""

    def __init__(
        self, preset: Preset, actions: int, frame: tuple[int, ...] = (84, 84), *, seed: int = 0
    ) -> None:
        self.preset = preset.check()
        self.actions = actions
        self.frame = tuple(frame)
        self.network = q_network(preset, actions, self.frame)
        self.key = jax.random.key(seed)
        self.key, start = jax.random.split(self.key)
        self.params: Params = self.network.init(start)
        self.optimiser = optimiser(preset.step_size)
        self.moments = self.optimiser.init(self.params)
        self.chance = np.random.default_rng(seed)
        self.decisions = 0
        self.updates = 0
        self._values = jax.jit(self.network.apply)

    def values(self, states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Q values, a row for each state."""
        shape = (self.preset.stack, *self.frame)
        if states.shape[1:] != shape:
            raise ValueError(f"states of shape {states.shape}; accepted: (rows, {str(shape)[1:]}")
        return np.asarray(self._values(self.params, states))

    def act_batch(
        self, observations: NDArray[np.uint8], epsilon: float = EVALUATION_EPSILON
    ) -> NDArray[np.int64]:
        """Actions for the rows of a vector environment, random with probability `epsilon`."""
        rows = len(observations)
        explore = self.chance.random(rows) < epsilon
        actions = self.chance.integers(self.actions, size=rows)
        if not explore.all():
            greedy = self.values(np.asarray(observations)).argmax(axis=1)
            actions = np.where(explore, actions, greedy)
        return actions

    def act(self, observation: NDArray[np.uint8], info: dict[str, Any] | None = None) -> int:
        """The action for one observation: a policy for evaluation."""
        del info
        return int(self.act_batch(np.asarray(observation)[None])[0])

    def state(self) -> dict[str, Any]:
        """Everything that learning goes on from, as a tree of arrays and numbers."""
        return {
            "params": self.params,
            "moments": self.moments,
            "key": jax.random.key_data(self.key),
        }

    def numbers(self) -> dict[str, Any]:
        """Counters and generators, for JSON."""
        return {
            "decisions": self.decisions,
            "updates": self.updates,
            "chance": self.chance.bit_generator.state,
        }

    def restore(self, state: dict[str, Any], numbers: dict[str, Any]) -> None:
        """Go on from what `state` and `numbers` gave."""
        self.params, self.moments = state["params"], state["moments"]
        self.key = jax.random.wrap_key_data(state["key"])
        self.decisions, self.updates = numbers["decisions"], numbers["updates"]
        self.chance.bit_generator.state = numbers["chance"]

    # What a trial calls.

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """An episode starts with this frame."""
        raise NotImplementedError

    def learn(
        self,
        states: NDArray[np.uint8],
        action: int,
        reward: float,
        terminated: bool,
        following: NDArray[np.uint8],
    ) -> None:
        """A decision was made; learn from it."""
        raise NotImplementedError

    def save_memory(self, directory: Path) -> None:
        """Write what is too large for the other files."""
        raise NotImplementedError

    def load_memory(self, directory: Path) -> None:
        """Read what `save_memory` wrote."""
        raise NotImplementedError

    def report(self) -> dict[str, Any]:
        """What the log says of the agent at the end of a trial."""
        return {"decisions": self.decisions, "updates": self.updates}


class Dqn(Agent):
    """DQN of Mnih et al. 2015 with the values of a preset."""

    def __init__(
        self, preset: Preset, actions: int, frame: tuple[int, ...] = (84, 84), *, seed: int = 0
    ) -> None:
        super().__init__(preset, actions, frame, seed=seed)
        self.target: Params = self.params
        self.replay = ReplayBuffer(preset.replay_frames, self.frame, stack=preset.stack, seed=seed)
        self._sample: Sample | None = None

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """An episode starts with this frame."""
        self.replay.begin(frame)

    def learn(
        self,
        states: NDArray[np.uint8],
        action: int,
        reward: float,
        terminated: bool,
        following: NDArray[np.uint8],
    ) -> None:
        """Store the transition; every few decisions learn from a minibatch."""
        del states
        self.replay.append(action, float(np.sign(reward)), terminated, following[-1])
        self.decisions += 1
        preset = self.preset
        if (
            self.decisions >= preset.replay_start_decisions
            and self.decisions % preset.decisions_per_update == 0
        ):
            self.update()
        if preset.target_decisions and self.decisions % preset.target_decisions == 0:
            self.target = self.params

    def update(self) -> float:
        """One step of the optimiser on a minibatch; returns the loss."""
        self._sample = self.replay.sample(self.preset.batch_size, out=self._sample)
        sample = self._sample
        # The arrays of the sample are written again by the next one, so JAX gets its own.
        batch = [
            np.array(part) for part in (sample.frames, sample.actions, sample.rewards, sample.terminations)
        ]
        self.params, self.moments, value = self._step(self.params, self.target, self.moments, *batch)
        self.updates += 1
        if self.preset.target_updates and self.updates % self.preset.target_updates == 0:
            self.target = self.params
        return float(value)

    @functools.cached_property
    def _step(self) -> Any:
        def step(
            params: Params,
            target: Params,
            moments: Any,
            frames: Array,
            actions: Array,
            rewards: Array,
            terminals: Array,
        ) -> tuple[Params, Any, Array]:
            states, following = frames[:, :-1], frames[:, 1:]
            best = self.network.apply(target, following).max(axis=1)
            wanted = targets(rewards, terminals, best, self.preset.discount)

            def error(params: Params) -> Array:
                values = self.network.apply(params, states)
                return loss(jnp.take_along_axis(values, actions[:, None], axis=1)[:, 0], wanted)

            value, gradient = jax.value_and_grad(error)(params)
            change, moments = self.optimiser.update(gradient, moments, params)
            return optax.apply_updates(params, change), moments, value

        return jax.jit(step)

    def state(self) -> dict[str, Any]:
        """Everything that learning goes on from."""
        return super().state() | {"target": self.target}

    def restore(self, state: dict[str, Any], numbers: dict[str, Any]) -> None:
        """Go on from what `state` and `numbers` gave."""
        super().restore(state, numbers)
        self.target = state["target"]

    def save_memory(self, directory: Path) -> None:
        """Write the replay buffer."""
        self.replay.save(directory / "replay.bin")

    def load_memory(self, directory: Path) -> None:
        """Read the replay buffer."""
        self.replay = ReplayBuffer.load(directory / "replay.bin", self.frame)
