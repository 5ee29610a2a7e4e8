"""PPO: a policy and a value function on the vector environments of both worlds.

    repeat:
        play `rollout` steps in every environment with the policy
        advantages by GAE; `epochs` of minibatches on the clipped objective, the value error and the entropy

The environment resets at the step after an end (`AutoresetMode.NEXT_STEP`); that step's action is ignored, so
its sample counts nothing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from ale_rs._batch import BatchEnv
from ale_rs._gymnasium import VectorEnv
from ale_rs._progress import Progress
from ale_rs.deep import checkpoint as checkpoints
from ale_rs.deep.networks import Array, Params, _apply_conv, _apply_dense, _conv, _convolutions, _dense, _side

__all__ = ["PpoConfig", "PpoResult", "ppo"]


@dataclass(frozen=True)
class PpoConfig:
    """What can be chosen."""

    rollout: int = 64
    epochs: int = 3
    minibatches: int = 4
    step_size: float = 5e-4
    discount: float = 0.99
    trace_decay: float = 0.95
    clip: float = 0.1
    entropy: float = 0.01
    value: float = 0.5
    max_gradient: float = 0.5
    hidden: int = 256
    clip_rewards: bool = False
    anneal: bool = True

    def __post_init__(self) -> None:
        for name in ("rollout", "epochs", "minibatches", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; accepted: 1 and more")
        for name in ("discount", "trace_decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; accepted: 0 to 1")


@dataclass
class PpoResult:
    """What training gave: the parameters and the learning curve."""

    params: Params
    act: Callable[[NDArray[np.uint8]], NDArray[np.int64]]
    """Greedy actions for a batch of observations."""
    steps: list[int] = field(default_factory=list)
    """Environment steps at the end of each episode."""
    returns: list[float] = field(default_factory=list)
    seconds: float = 0.0


class _Batch(NamedTuple):
    states: Array
    actions: Array
    likelihood: Array
    advantages: Array
    values: Array
    weights: Array


def _images(observations: Array) -> Array:
    """Bytes as numbers (rows, height, width, channels), whichever side the channels are on."""
    x = observations.astype(jnp.float32) / 255
    return x if x.shape[-1] <= 4 else jnp.moveaxis(x, 1, -1)


def _network(
    shape: tuple[int, ...], actions: int, hidden: int
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    height, width, channels = shape if shape[-1] <= 4 else (shape[1], shape[2], shape[0])
    layers = _convolutions((height, width))
    flat = _side(height, layers) * _side(width, layers) * layers[-1][0]

    def init(key: Array) -> Params:
        keys = jax.random.split(key, len(layers) + 3)
        params: Params = {}
        inputs = channels
        for index, (filters, side, _) in enumerate(layers):
            params[f"conv{index}"] = _conv(keys[index], inputs, filters, side)
            inputs = filters
        params["hidden"] = _dense(keys[-3], flat, hidden)
        # A small first policy explores evenly.
        params["policy"] = jax.tree.map(lambda x: 0.01 * x, _dense(keys[-2], hidden, actions))
        params["value"] = _dense(keys[-1], hidden, 1)
        return params

    def apply(params: Params, observations: Array) -> tuple[Array, Array]:
        x = _images(observations)
        for index, (_, _, stride) in enumerate(layers):
            x = _apply_conv(params[f"conv{index}"], x, stride)
        x = jax.nn.relu(_apply_dense(params["hidden"], x.reshape(x.shape[0], -1)))
        return _apply_dense(params["policy"], x), _apply_dense(params["value"], x)[:, 0]

    return init, apply


def advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    ends: NDArray[np.bool_],
    last: NDArray[np.float32],
    discount: float,
    trace_decay: float,
) -> NDArray[np.float32]:
    """Generalised advantage estimates of a rollout, (steps, environments); an end cuts what follows."""
    result = np.zeros_like(rewards)
    following, carried = last, np.zeros_like(last)
    for step in range(len(rewards))[::-1]:
        goes_on = 1.0 - ends[step].astype(np.float32)
        error = rewards[step] + discount * goes_on * following - values[step]
        carried = error + discount * trace_decay * goes_on * carried
        result[step] = carried
        following = values[step]
    return result


def ppo(
    envs: VectorEnv[Any, Any, Any],
    steps: int,
    *,
    config: PpoConfig | None = None,
    seed: int = 0,
    progress: bool = True,
    plot: str | Path | None = None,
    seconds: float | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 300,
) -> PpoResult:
    """Train on a vector environment with picture observations and discrete actions.

    Args:
        envs: for example `AtariVectorEnv("windfall", 16)` or `CrafterVectorEnv(16)`, resetting at the next
            step.
        steps: steps of all environments together.
        config: the parameters.
        seed: of the network, the actions and the environments.
        progress: draw a progress bar on a terminal.
        plot: where to draw the learning curve (needs matplotlib).
        seconds: stop after so much time.
        checkpoint: a directory; the same call goes on where the last one stopped or was killed. Environments
            of ours go on in the middle of their episodes, others start new ones.
        checkpoint_seconds: time between checkpoints.

    Raises:
        ValueError: observations that are no pictures of bytes, or a checkpoint of another training.
    """
    config = config or PpoConfig()
    training = _Training(envs, steps, config, seed)
    place = None if checkpoint is None else Path(checkpoint)
    if place is None or not training.resume(place):
        training.begin()
    result, began, saved = training.result, time.monotonic(), time.monotonic()
    before, taken = result.seconds, training.taken
    recent: deque[float] = deque(result.returns[-100:], maxlen=100)
    with Progress(steps, "ppo", enabled=progress) as shown:
        while training.taken < training.end:
            training.update(recent)
            now = time.monotonic()
            result.seconds = before + now - began
            mean = f", mean of {len(recent)}: {np.mean(recent):.1f}" if recent else ""
            speed = (training.taken - taken) / (now - began)
            shown.update(training.taken, f"{len(result.returns)} episodes{mean}, {speed:,.0f} steps/s")
            stop = seconds is not None and now - began > seconds
            if place is not None and (stop or now - saved > checkpoint_seconds):
                training.save(place)
                saved = now
            if stop:
                shown.steps = training.taken
                break
    if place is not None:
        training.save(place)
    if plot is not None:
        draw_curve(result, Path(plot))
    return result


class _Training:
    """A training under way."""

    def __init__(self, envs: VectorEnv[Any, Any, Any], steps: int, config: PpoConfig, seed: int) -> None:
        shape = tuple(envs.single_observation_space.shape or ())
        if len(shape) != 3 or envs.single_observation_space.dtype != np.uint8:
            raise ValueError(
                f"observations of {envs.single_observation_space.dtype} {shape}; "
                "accepted: pictures, uint8 with 3 axes"
            )
        count, actions = envs.num_envs, int(getattr(envs.single_action_space, "n", 0))
        if not actions:
            raise ValueError(f"an action space of {envs.single_action_space}; accepted: Discrete")
        self.envs, self.config, self.seed, self.count = envs, config, seed, count
        init, apply = _network(shape, actions, config.hidden)
        self.key, start = jax.random.split(jax.random.key(seed))
        params = init(start)
        updates = max(steps // (config.rollout * count), 1)
        self.end = updates * config.rollout * count
        each = config.epochs * config.minibatches
        size = config.step_size
        rate = optax.linear_schedule(size, 0.0, updates * each) if config.anneal else size
        tool = optax.chain(optax.clip_by_global_norm(config.max_gradient), optax.adam(rate, eps=1e-5))
        self.moments = tool.init(params)
        self.play = jax.jit(lambda params, key, x: _choose(apply, params, key, x))
        self.learn = jax.jit(_learner(apply, tool, config))
        self.shuffle = jax.jit(_shuffler(config, config.rollout * count))
        greedy = jax.jit(lambda params, x: jnp.argmax(apply(params, x)[0], axis=1))
        self.result = PpoResult(params, lambda x: np.asarray(greedy(self.result.params, np.asarray(x))))
        self.taken = 0
        self.observations: NDArray[np.uint8] = np.zeros((count, *shape), np.uint8)
        self.ended: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self.running = np.zeros(count)

    def begin(self) -> None:
        """Start all episodes."""
        self.observations, _ = self.envs.reset(seed=self.seed)

    def _identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with."""
        return {"config": asdict(self.config), "seed": self.seed, "envs": self.count, "end": self.end}

    def _state(self) -> dict[str, Any]:
        return {
            "params": self.result.params, "moments": self.moments, "key": jax.random.key_data(self.key),
            "observations": np.array(self.observations), "ended": self.ended,
        }  # fmt: skip

    def save(self, place: Path) -> None:
        """Write a checkpoint."""
        numbers = {
            "ppo": self._identity(), "taken": self.taken, "running": self.running.tolist(),
            "steps": self.result.steps, "returns": self.result.returns, "seconds": self.result.seconds,
        }  # fmt: skip
        world = self.envs.snapshot().to_bytes() if isinstance(self.envs, BatchEnv) else b""
        checkpoints.write(place, self._state(), numbers, world, lambda directory: None)

    def resume(self, place: Path) -> bool:
        """Go on from the newest checkpoint, if there is one."""
        found = checkpoints.find(place)
        if found is None:
            return False
        numbers = checkpoints.numbers_of(found)
        mine, theirs = self._identity(), numbers.get("ppo")
        if theirs != mine:
            raise ValueError(f"{found}: a checkpoint of another training: {theirs}; this one is {mine}")
        state = checkpoints.read(found, self._state())
        try:
            self.taken, self.running = int(numbers["taken"]), np.asarray(numbers["running"], float)
            steps, returns = [int(step) for step in numbers["steps"]], [float(x) for x in numbers["returns"]]
            self.result.seconds = float(numbers["seconds"])
            world = (found / "world.bin").read_bytes()
            if isinstance(self.envs, BatchEnv):
                self.envs.reset(seed=self.seed)
                self.envs.restore(world)
        except (OSError, KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"{found}: damaged: {problem}") from problem
        if self.running.shape != (self.count,) or len(steps) != len(returns):
            raise ValueError(f"{found}: damaged: its numbers do not belong together")
        self.result.params, self.moments = state["params"], state["moments"]
        self.result.steps, self.result.returns = steps, returns
        self.key = jax.random.wrap_key_data(state["key"])
        self.observations, self.ended = np.asarray(state["observations"]), np.array(state["ended"])
        if not isinstance(self.envs, BatchEnv):
            self.observations, _ = self.envs.reset(seed=self.seed + self.taken)
            self.ended, self.running = np.zeros_like(self.ended), np.zeros_like(self.running)
        return True

    def update(self, recent: deque[float]) -> None:
        """Play a rollout and learn from it."""
        config, result = self.config, self.result
        params, names = result.params, ("x", "a", "l", "v", "r", "end", "ok")
        rows: dict[str, list[Any]] = {name: [] for name in names}
        for _ in range(config.rollout):
            self.key, draw = jax.random.split(self.key)
            seen = np.array(self.observations)
            chosen, likelihood, values = (np.asarray(part) for part in self.play(params, draw, seen))
            self.observations, rewards, terminated, truncated, _ = self.envs.step(chosen)
            reward = np.asarray(rewards, np.float32)
            over = np.asarray(terminated) | np.asarray(truncated)
            self.taken += self.count
            self.running = np.where(self.ended, 0.0, self.running + reward)
            for index in np.flatnonzero(over):
                result.steps.append(self.taken)
                result.returns.append(float(self.running[index]))
                recent.append(float(self.running[index]))
                self.running[index] = 0.0
            learnt = np.sign(reward) if config.clip_rewards else reward
            turn = (seen, chosen, likelihood, values, learnt, over, ~self.ended)
            for name, value in zip(names, turn, strict=True):
                rows[name].append(value)
            self.ended = over
        _, _, last = self.play(params, self.key, np.array(self.observations))
        data = {name: np.stack(values) for name, values in rows.items()}
        gains = advantages(
            data["r"], data["v"], data["end"], np.asarray(last), config.discount, config.trace_decay
        )
        weights = data["ok"].astype(np.float32)
        parts = (data["x"], data["a"], data["l"], gains, gains + data["v"], weights)
        batch = _Batch(*(jnp.asarray(part.reshape(-1, *part.shape[2:])) for part in parts))
        self.key, draw = jax.random.split(self.key)
        # Calls and no scan: on a CPU, XLA computes convolutions inside loops without its fast code; four
        # minibatches of 256 took 1,450 ms in a scan, 108 ms in calls.
        for chosen_rows in np.asarray(self.shuffle(draw)):
            params, self.moments = self.learn(params, self.moments, batch, chosen_rows)
        result.params = params


def _choose(apply: Callable[..., Any], params: Params, key: Array, x: Array) -> tuple[Array, Array, Array]:
    logits, values = apply(params, x)
    actions = jax.random.categorical(key, logits)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], axis=1)[:, 0]
    return actions, chosen, values


def _learner(
    apply: Callable[..., Any], tool: optax.GradientTransformation, config: PpoConfig
) -> Callable[..., tuple[Params, Any]]:
    def error(params: Params, batch: _Batch) -> Any:
        logits, values = apply(params, batch.states)
        logs = jax.nn.log_softmax(logits)
        chosen = jnp.take_along_axis(logs, batch.actions[:, None], axis=1)[:, 0]
        weights = batch.weights / jnp.maximum(batch.weights.sum(), 1)
        mean = (weights * batch.advantages).sum()
        spread = jnp.sqrt((weights * (batch.advantages - mean) ** 2).sum())
        gains = (batch.advantages - mean) / (spread + 1e-8)
        ratio = jnp.exp(chosen - batch.likelihood)
        clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
        policy = -(weights * jnp.minimum(ratio * gains, clipped * gains)).sum()
        value = 0.5 * (weights * (values - batch.values) ** 2).sum()
        entropy = -(weights * (jnp.exp(logs) * logs).sum(axis=1)).sum()
        return policy + config.value * value - config.entropy * entropy

    def learn(params: Params, moments: Any, batch: _Batch, rows: Array) -> tuple[Params, Any]:
        gradient = jax.grad(error)(params, jax.tree.map(lambda array: array[rows], batch))
        change, moments = tool.update(gradient, moments, params)
        return optax.apply_updates(params, change), moments

    return learn


def _shuffler(config: PpoConfig, size: int) -> Callable[[Array], Array]:
    """The samples of each minibatch of all epochs."""
    part = size // config.minibatches

    def shuffle(key: Array) -> Array:
        keys = jax.random.split(key, config.epochs)
        orders = jax.vmap(lambda key: jax.random.permutation(key, size))(keys)
        return orders[:, : part * config.minibatches].reshape(-1, part)

    return shuffle


def draw_curve(result: PpoResult, path: Path) -> None:
    """The returns of all episodes and their moving mean.

    Raises:
        ImportError: matplotlib is missing.
    """
    try:
        import matplotlib
    except ImportError as problem:
        raise ImportError("a plot needs matplotlib; install with: pip install 'ale-rs[plot]'") from problem
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(result.steps, result.returns, ".", color="#88aacc", markersize=3, label="episode")
    window = max(len(result.returns) // 20, 1)
    if len(result.returns) >= window:
        mean = np.convolve(result.returns, np.ones(window) / window, "valid")
        axes.plot(result.steps[window - 1 :], mean, color="#cc3311", label=f"mean of {window} episodes")
    axes.set_xlabel("environment steps")
    axes.set_ylabel("return")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
