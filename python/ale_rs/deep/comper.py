"""COMPER: DQN whose target is a network over transitions, fitted on sets of similar ones.

    for every decision:
        act as DQN; store (s, a, r, s', q, done) in the transition memory TM, q = max Q(s')
        every 4th decision: draw 32 transitions from the reduced memory RTM,
            y = r + discount * QT(s, a, r, s'), one step on (y - Q(s, a))^2, store them in TM with the new q
        every 100th decision: take 1,000 sets from TM, fit QT on their Q values, and put into RTM the first
            member of each set with the largest QT of its members

This implements the equations. The appendices do not say of which state the stored Q value is: were it
Q(s, a), the target r + discount * Q(s, a) would pass no value from a state to the one before it, and neither
the chain nor catch could be learnt; `estimate="action"` has it that way.
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

from ale_rs.deep import memory
from ale_rs.deep.dqn import Agent, loss, targets
from ale_rs.deep.memory import FaissIndex, HashIndex, ReducedMemory, Transition, TransitionMemory
from ale_rs.deep.networks import Array, Params, qt_network
from ale_rs.deep.presets import Preset

__all__ = ["Comper"]

BUCKET = 256
"""Fits see a multiple of this number of transitions, so that few programs are compiled."""


class Comper(Agent):
    """COMPER with the values of a preset."""

    def __init__(
        self, preset: Preset, actions: int, frame: tuple[int, ...] = (84, 84), *, seed: int = 0
    ) -> None:
        super().__init__(preset, actions, frame, seed=seed)
        self.qt = qt_network(preset, self.frame)
        self.key, start = jax.random.split(self.key)
        self.qt_params: Params = self.qt.init(start)
        self.qt_optimiser = optax.rmsprop(preset.step_size, decay=0.9, eps=1e-10, eps_in_sqrt=False)
        self.qt_moments = self.qt_optimiser.init(self.qt_params)
        length = 2 * preset.stack * int(np.prod(self.frame)) + 2
        index = FaissIndex(preset.similarity, length) if preset.similarity else HashIndex()
        self.transitions = TransitionMemory(preset.sets, index)
        self.reduced = ReducedMemory(preset.sets)
        self.fits = 0

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """An episode starts; transitions carry their own states."""

    def learn(
        self,
        states: NDArray[np.uint8],
        action: int,
        reward: float,
        terminated: bool,
        following: NDArray[np.uint8],
    ) -> None:
        """Store the transition; learn from the reduced memory, and reduce, when it is time."""
        if self.preset.estimate == "next":
            value = float(self.values(following[None])[0].max())
        else:
            value = float(self.values(states[None])[0, action])
        reward = float(np.sign(reward))
        self.transitions.add(Transition(states.copy(), action, reward, following.copy(), value, terminated))
        self.decisions += 1
        preset = self.preset
        if self.decisions < preset.replay_start_decisions:
            return
        if self.decisions % preset.decisions_per_fit == 0:
            self.reduce()
        if self.decisions % preset.decisions_per_update == 0:
            self.update()

    def update(self) -> float:
        """One step of the Q network on transitions of the reduced memory; returns the loss."""
        count = self.preset.batch_size
        if len(self.reduced):
            drawn = self.reduced.sample(count, self.chance)
        else:
            sets = list(self.transitions.sets.values())
            drawn = [sets[int(index)][0] for index in self.chance.integers(len(sets), size=count)]
        done = np.array([member.done for member in drawn])
        self.params, self.moments, value, after = self._step(
            self.params, self.qt_params, self.moments, *_arrays(drawn), done
        )
        self.updates += 1
        for member, estimate in zip(drawn, np.asarray(after), strict=True):
            self.transitions.add(
                Transition(
                    member.state, member.action, member.reward, member.following, float(estimate), member.done
                )
            )
        return float(value)

    def reduce(self) -> None:
        """Fit QT on sets of the transition memory and move their representatives to the reduced memory."""
        taken = self.transitions.take(self.preset.sets_per_fit)
        members = [member for group in taken for member in group]
        if not members:
            return
        self.fit(members)
        estimates = iter(self.estimate(members))
        for group in taken:
            best = max(next(estimates) for _ in group)
            first = group[0]
            self.reduced.members.append(
                Transition(first.state, first.action, first.reward, first.following, best, first.done)
            )
        self.fits += 1

    def fit(self, members: list[Transition]) -> None:
        """Epochs of minibatches over the members' stored Q values."""
        size = -(-len(members) // BUCKET) * BUCKET
        arrays = [_padded(array, size) for array in _arrays(members)]
        wanted = _padded(np.array([member.value for member in members], np.float32), size)
        weights = np.arange(size) < len(members)
        batch = self.preset.fit_batch_size
        orders = np.stack([self.chance.permutation(size) for _ in range(self.preset.fit_epochs)])
        orders = orders[:, : size // batch * batch].reshape(-1, batch)
        self.qt_params, self.qt_moments = self._fit(
            self.qt_params, self.qt_moments, arrays, wanted, weights.astype(np.float32), orders
        )

    def estimate(self, members: list[Transition]) -> list[float]:
        """QT of transitions."""
        size = -(-len(members) // BUCKET) * BUCKET
        arrays = [_padded(array, size) for array in _arrays(members)]
        return [float(value) for value in np.asarray(self._qt(self.qt_params, *arrays))[: len(members)]]

    @functools.cached_property
    def _qt(self) -> Any:
        return jax.jit(self.qt.apply)

    @functools.cached_property
    def _step(self) -> Any:
        def step(
            params: Params,
            qt: Params,
            moments: Any,
            states: Array,
            actions: Array,
            rewards: Array,
            following: Array,
            done: Array,
        ) -> tuple[Params, Any, Array, Array]:
            predicted = self.qt.apply(qt, states, actions, rewards, following)
            wanted = targets(rewards, done, predicted, self.preset.discount)

            def chosen(params: Params) -> Array:
                values = self.network.apply(params, states)
                return jnp.take_along_axis(values, actions[:, None], axis=1)[:, 0]

            value, gradient = jax.value_and_grad(lambda params: loss(chosen(params), wanted))(params)
            change, moments = self.optimiser.update(gradient, moments, params)
            params = optax.apply_updates(params, change)
            if self.preset.estimate == "next":
                after = self.network.apply(params, following).max(axis=1)
            else:
                after = chosen(params)
            return params, moments, value, after

        return jax.jit(step)

    @functools.cached_property
    def _fit(self) -> Any:
        def fit(
            params: Params, moments: Any, arrays: list[Array], wanted: Array, weights: Array, orders: Array
        ) -> tuple[Params, Any]:
            arrays = [jnp.asarray(array) for array in arrays]

            def one(carry: tuple[Params, Any], rows: Array) -> tuple[tuple[Params, Any], None]:
                params, moments = carry

                def error(params: Params) -> Array:
                    values = self.qt.apply(params, *(array[rows] for array in arrays))
                    weight = weights[rows]
                    squares = weight * (values - wanted[rows]) ** 2
                    return jnp.sum(squares) / jnp.maximum(jnp.sum(weight), 1)

                change, moments = self.qt_optimiser.update(jax.grad(error)(params), moments, params)
                return (optax.apply_updates(params, change), moments), None

            (params, moments), _ = jax.lax.scan(one, (params, moments), orders)
            return params, moments

        return jax.jit(fit)

    def state(self) -> dict[str, Any]:
        """Everything that learning goes on from."""
        return super().state() | {"qt": self.qt_params, "qt_moments": self.qt_moments}

    def numbers(self) -> dict[str, Any]:
        """Counters and generators, for JSON."""
        sizes = {str(size): count for size, count in self.transitions.sizes.items()}
        return super().numbers() | {"fits": self.fits, "sizes": sizes}

    def restore(self, state: dict[str, Any], numbers: dict[str, Any]) -> None:
        """Go on from what `state` and `numbers` gave."""
        super().restore(state, numbers)
        self.qt_params, self.qt_moments = state["qt"], state["qt_moments"]
        self.fits = numbers["fits"]
        self.transitions.sizes.update({int(size): count for size, count in numbers["sizes"].items()})

    def save_memory(self, directory: Path) -> None:
        """Write both memories."""
        memory.save(directory / "sets.npz", list(self.transitions.sets.values()))
        memory.save(directory / "reduced.npz", [list(self.reduced.members)])

    def load_memory(self, directory: Path) -> None:
        """Read both memories."""
        self.transitions.restore(memory.load(directory / "sets.npz"))
        self.reduced.members.extend(
            member for group in memory.load(directory / "reduced.npz") for member in group
        )

    def report(self) -> dict[str, Any]:
        """Set sizes, too: with sticky actions most sets have one member."""
        histogram = {str(size): count for size, count in self.transitions.histogram().items()}
        return super().report() | {"fits": self.fits, "set_sizes": histogram}


def _arrays(members: list[Transition]) -> tuple[NDArray[Any], ...]:
    """States, actions, rewards and next states of transitions, a row each."""
    return (
        np.stack([member.state for member in members]),
        np.array([member.action for member in members], np.int32),
        np.array([member.reward for member in members], np.float32),
        np.stack([member.following for member in members]),
    )


def _padded(array: NDArray[Any], size: int) -> NDArray[Any]:
    return np.concatenate([array, np.zeros((size - len(array), *array.shape[1:]), array.dtype)])
