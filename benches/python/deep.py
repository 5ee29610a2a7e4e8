"""Where a training step of DQN goes: environment, replay buffer, network.

    python benches/python/deep.py                     # pong, one environment as in the papers
    python benches/python/deep.py --envs 16           # acting batched over a vector environment
    python benches/python/deep.py --game breakout --steps 400

A training step is four decisions and one update of the network, as in every preset. Each part is timed inside
the same loop; the table shows medians over the steps and shares of the whole. Then a full replay buffer by
itself: its memory, and a batch of 32 stacked pairs written into the same arrays again.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict

import numpy as np

from ale_rs import AtariVectorEnv
from ale_rs.replay import ReplayBuffer

try:
    from ale_rs import deep
except ImportError as problem:
    sys.exit(str(problem))


def main() -> None:
    given = arguments()
    preset = deep.presets["dqn_machado2018"].with_(replay_frames=given.frames)
    envs = AtariVectorEnv(
        given.game,
        given.envs,
        frameskip=preset.frameskip,
        repeat_action_probability=0.25,
        full_action_space=True,
        reward_clipping=False,
    )
    agent = deep.Dqn(preset, 18)
    agent.replay = ReplayBuffer(given.frames, num_envs=given.envs)
    observations, _ = envs.reset(seed=0)
    begins = np.ones(given.envs, np.bool_)
    frames = observations[:, -1]
    agent.replay.extend(frames, np.zeros(given.envs), np.zeros(given.envs), begins & False, begins)
    begins = np.zeros(given.envs, np.bool_)
    parts: dict[str, list[float]] = defaultdict(list)
    sample = None
    for step in range(-given.warmup, given.steps):
        spent: dict[str, float] = defaultdict(float)
        for _ in range(preset.decisions_per_update):
            start = time.perf_counter()
            actions = agent.act_batch(observations, 0.1)
            acted = time.perf_counter()
            observations, rewards, terminated, truncated, _ = envs.step(actions)
            stepped = time.perf_counter()
            signs = np.sign(rewards).astype(np.float32)
            agent.replay.extend(observations[:, -1], actions, signs, terminated, begins)
            begins = terminated | truncated
            stored = time.perf_counter()
            spent["acting (network)"] += acted - start
            spent["environment"] += stepped - acted
            spent["replay: store"] += stored - stepped
        start = time.perf_counter()
        sample = agent.replay.sample(preset.batch_size, out=sample)
        sampled = time.perf_counter()
        agent.update()
        spent["replay: sample 32 pairs"] = sampled - start
        # The update draws its own sample, so the network's share is what is left.
        spent["update (network)"] = time.perf_counter() - sampled - (sampled - start)
        if step >= 0:
            for name, seconds in spent.items():
                parts[name].append(seconds)
    medians = {name: statistics.median(times) for name, times in parts.items()}
    whole = sum(medians.values())
    print(f"{given.game}, {given.envs} environments, {given.steps} training steps")
    print(f"{'part':26} {'us':>9} {'share':>7}")
    for name, seconds in sorted(medians.items(), key=lambda item: -item[1]):
        print(f"{name:26} {seconds * 1e6:9.0f} {seconds / whole:7.1%}")
    ours = sum(seconds for name, seconds in medians.items() if "network" not in name)
    print(f"environment and replay: {ours / whole:.1%} of a training step of {whole * 1e3:.1f} ms")
    replay(given.replay, given.rounds)


def replay(size: int, rounds: int) -> None:
    """A full buffer of `size` frames: its memory, and the time of a batch."""
    buffer = ReplayBuffer(size)
    frames = np.random.default_rng(0).integers(0, 256, (64, 84, 84), dtype=np.uint8)
    for index in range(size):
        if index % 1_000 == 0:
            buffer.begin(frames[0])
        else:
            buffer.append(0, 0.0, index % 1_000 == 999, frames[index % 64])
    sample, times = buffer.sample(32), []
    for _ in range(rounds):
        start = time.perf_counter()
        buffer.sample(32, out=sample)
        times.append(time.perf_counter() - start)
    drawn = statistics.median(times) * 1e6
    print(f"{size:,} frames: {buffer.nbytes / 1e9:.3f} GB, 32 stacked pairs {drawn:.0f} us")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="pong", help="default: %(default)s")
    parser.add_argument("--envs", type=int, default=1, help="environments (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="training steps (default: %(default)s)")
    parser.add_argument("--warmup", type=int, default=20, help="steps that do not count")
    parser.add_argument("--frames", type=int, default=20_000, help="frames of the replay buffer")
    parser.add_argument("--replay", type=int, default=100_000, help="frames of the buffer by itself")
    parser.add_argument("--rounds", type=int, default=2_000, help="batches drawn from it")
    return parser.parse_args()


if __name__ == "__main__":
    main()
