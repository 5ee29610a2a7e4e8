"""Networks as pure functions of their parameters: the Q network, and QT of COMPER in three architectures.

Parameters are dictionaries of arrays. States are bytes of shape (rows, stack, height, width).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from ale_rs.deep.presets import Preset, find

__all__ = ["Network", "parameters", "q_network", "qt_network"]

Params: TypeAlias = dict[str, Any]
Array: TypeAlias = jax.Array

CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
"""Filters, side and stride of Mnih et al. 2015."""
SMALL_CONVOLUTIONS = ((16, 3, 1), (16, 3, 1))
"""For pictures that are too small for those."""
ACTIONS = 18
FRAME = (84, 84)
MLP = (64, 32, 32, 18)
LSTM = (64, 32, 32)


class Network(NamedTuple):
    """How to make parameters, and what they compute."""

    init: Callable[[Array], Params]
    apply: Callable[..., Array]


def _dense(key: Array, inputs: int, outputs: int) -> Params:
    bound = 1 / math.sqrt(inputs)
    w, b = jax.random.split(key)
    return {
        "w": jax.random.uniform(w, (inputs, outputs), minval=-bound, maxval=bound),
        "b": jax.random.uniform(b, (outputs,), minval=-bound, maxval=bound),
    }


def _conv(key: Array, inputs: int, filters: int, side: int) -> Params:
    bound = 1 / math.sqrt(inputs * side * side)
    w, b = jax.random.split(key)
    shape = (side, side, inputs, filters)
    return {
        "w": jax.random.uniform(w, shape, minval=-bound, maxval=bound),
        "b": jax.random.uniform(b, (filters,), minval=-bound, maxval=bound),
    }


def _lstm(key: Array, inputs: int, units: int) -> Params:
    kernel, recurrent = jax.random.split(key)
    bound = math.sqrt(6 / (inputs + units))
    # The gates are input, forget, cell, output; the forget gate starts open.
    bias = jnp.concatenate([jnp.zeros(units), jnp.ones(units), jnp.zeros(2 * units)])
    return {
        "w": jax.random.uniform(kernel, (inputs, 4 * units), minval=-bound, maxval=bound),
        "u": jax.random.orthogonal(recurrent, 4 * units)[:units],
        "b": bias,
    }


def _apply_dense(layer: Params, x: Array) -> Array:
    return jnp.add(x @ layer["w"], layer["b"])


def _apply_conv(layer: Params, x: Array, stride: int) -> Array:
    dims = ("NHWC", "HWIO", "NHWC")
    out = jax.lax.conv_general_dilated(x, layer["w"], (stride, stride), "VALID", dimension_numbers=dims)
    return jax.nn.relu(out + layer["b"])


def _apply_lstm(layer: Params, x: Array) -> Array:
    """One step from the zero state: a gated dense layer, since sequences have length 1."""
    i, _, g, o = jnp.split(x @ layer["w"] + layer["b"], 4, axis=-1)
    return jax.nn.sigmoid(o) * jnp.tanh(jax.nn.sigmoid(i) * jnp.tanh(g))


def _pixels(states: Array) -> Array:
    """Bytes (rows, stack, height, width) as numbers (rows, height, width, stack)."""
    return jnp.moveaxis(states.astype(jnp.float32) / 255, 1, -1)


def _side(side: int, layers: tuple[tuple[int, int, int], ...]) -> int:
    for _, kernel, stride in layers:
        side = (side - kernel) // stride + 1
    return side


def _convolutions(shape: tuple[int, int]) -> tuple[tuple[int, int, int], ...]:
    return CONVOLUTIONS if min(shape) >= 36 else SMALL_CONVOLUTIONS


def q_network(preset: Preset, actions: int = ACTIONS, frame: tuple[int, ...] = FRAME) -> Network:
    """Q values of all actions: `apply(params, states)`."""
    size = preset.stack * math.prod(frame)
    layers = _convolutions((frame[0], frame[1])) if preset.network == "conv" else ()
    flat = size
    if layers:
        flat = _side(frame[0], layers) * _side(frame[1], layers) * layers[-1][0]

    def init(key: Array) -> Params:
        keys = jax.random.split(key, len(layers) + 2)
        params: Params = {}
        inputs = preset.stack
        for index, (filters, side, _) in enumerate(layers):
            params[f"conv{index}"] = _conv(keys[index], inputs, filters, side)
            inputs = filters
        params["hidden"] = _dense(keys[-2], flat, preset.hidden)
        params["out"] = _dense(keys[-1], preset.hidden, actions)
        return params

    def apply(params: Params, states: Array) -> Array:
        x = _pixels(states) if layers else states.astype(jnp.float32) / 255
        for index, (_, _, stride) in enumerate(layers):
            x = _apply_conv(params[f"conv{index}"], x, stride)
        x = jax.nn.relu(_apply_dense(params["hidden"], x.reshape(x.shape[0], -1)))
        return _apply_dense(params["out"], x)

    return Network(init, apply)


def qt_network(preset: Preset, frame: tuple[int, ...] = FRAME) -> Network:
    """The Q value of transitions: `apply(params, states, actions, rewards, next_states)`."""
    size = preset.stack * math.prod(frame)
    inputs = 2 * size + 2
    layers = _convolutions((frame[0], frame[1]))

    def vector(states: Array, actions: Array, rewards: Array, following: Array) -> Array:
        rows = states.shape[0]
        parts = (
            states.reshape(rows, -1) / 255,
            actions.reshape(rows, 1),
            rewards.reshape(rows, 1),
            following.reshape(rows, -1) / 255,
        )
        return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=-1)

    def stack(sizes: tuple[int, ...], make: Callable[..., Params], key: Array) -> dict[str, Params]:
        widths = (inputs, *sizes)
        keys = jax.random.split(key, len(sizes))
        return {f"layer{i}": make(keys[i], widths[i], widths[i + 1]) for i in range(len(sizes))}

    def init_lstm(key: Array) -> Params:
        layers_, dense, out = jax.random.split(key, 3)
        return stack(LSTM, _lstm, layers_) | {
            "dense": _dense(dense, LSTM[-1], MLP[-1]),
            "out": _dense(out, MLP[-1], 1),
        }

    def apply_lstm(params: Params, *transition: Array) -> Array:
        x = vector(*transition)
        for index in range(len(LSTM)):
            x = _apply_lstm(params[f"layer{index}"], x)
        x = jax.nn.relu(_apply_dense(params["dense"], x))
        return _apply_dense(params["out"], x)[:, 0]

    def init_mlp(key: Array) -> Params:
        layers_, out = jax.random.split(key)
        return stack(MLP, _dense, layers_) | {"out": _dense(out, MLP[-1], 1)}

    def apply_mlp(params: Params, *transition: Array) -> Array:
        x = vector(*transition)
        for index in range(len(MLP)):
            x = jax.nn.relu(_apply_dense(params[f"layer{index}"], x))
        return _apply_dense(params["out"], x)[:, 0]

    def init_cnn(key: Array) -> Params:
        keys = jax.random.split(key, len(layers) + 2)
        params: Params = {}
        channels = 2 * preset.stack
        for index, (filters, side, _) in enumerate(layers):
            params[f"conv{index}"] = _conv(keys[index], channels, filters, side)
            channels = filters
        flat = _side(frame[0], layers) * _side(frame[1], layers) * channels
        params["hidden"] = _dense(keys[-2], flat + 2, preset.hidden)
        params["out"] = _dense(keys[-1], preset.hidden, 1)
        return params

    def apply_cnn(params: Params, states: Array, actions: Array, rewards: Array, following: Array) -> Array:
        rows = states.shape[0]
        x = _pixels(jnp.concatenate([states, following], axis=1))
        for index, (_, _, stride) in enumerate(layers):
            x = _apply_conv(params[f"conv{index}"], x, stride)
        joined = [x.reshape(rows, -1), actions.reshape(rows, 1), rewards.reshape(rows, 1)]
        x = jnp.concatenate([part.astype(jnp.float32) for part in joined], axis=-1)
        return _apply_dense(params["out"], jax.nn.relu(_apply_dense(params["hidden"], x)))[:, 0]

    found = {
        "lstm": Network(init_lstm, apply_lstm),
        "mlp": Network(init_mlp, apply_mlp),
        "cnn": Network(init_cnn, apply_cnn),
    }
    return found[preset.qt]


def parameters(preset: str, network: str = "q", **changes: Any) -> int:
    """The number of parameters of a preset's network, `"q"` or `"qt"`.

    Raises:
        ValueError: no such preset or network, or a DQN asked for its QT.
    """
    chosen = find(preset).with_(**changes)
    if network == "qt" and chosen.algorithm != "comper":
        raise ValueError(f"{preset} has no network 'qt'; accepted: 'q'")
    if network not in ("q", "qt"):
        raise ValueError(f"network is {network!r}; accepted: 'q', 'qt'")
    made = q_network(chosen) if network == "q" else qt_network(chosen)
    shapes = jax.eval_shape(made.init, jax.random.key(0))
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(shapes))
