"""PPO in one file, in the style of CleanRL: `AtariVectorEnv` instead of a stack of wrappers.

    pip install torch
    python examples/ppo.py --game breakout --total-steps 10000000
    python examples/ppo.py --game glowdelve --total-steps 20000 --envs 8     # needs no ROM; a taste

Observations are 84 x 84 x 4 bytes in native memory; `torch.from_numpy` shares it, so that the only copy is
the one to the device. Episodes end with a lost life for the agent; the score of whole games is printed and,
with matplotlib, drawn.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit("this example needs torch: pip install torch (learn_numpy.py learns without it)")

from ale_rs import AtariVectorEnv


class Agent(nn.Module):  # type: ignore[misc]
    """The usual network: three convolutions, one layer, two heads."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(nn.Conv2d(4, 32, 8, stride=4)), nn.ReLU(),
            layer(nn.Conv2d(32, 64, 4, stride=2)), nn.ReLU(),
            layer(nn.Conv2d(64, 64, 3, stride=1)), nn.ReLU(), nn.Flatten(),
            layer(nn.Linear(64 * 7 * 7, 512)), nn.ReLU(),
        )  # fmt: skip
        self.actor = layer(nn.Linear(512, actions), 0.01)
        self.critic = layer(nn.Linear(512, 1), 1.0)

    def forward(self, observations: Any) -> tuple[Any, Any]:
        """Logits of the actions and the value of the state."""
        hidden = self.body(observations.float() / 255.0)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


def layer(module: Any, gain: float = 2**0.5) -> Any:
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


@dataclass
class Scores:
    """Scores of whole games: an episode of the agent is one life."""

    running: Any
    finished: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    """When each of the games ended."""

    def count(self, info: dict[str, Any], frames: int) -> None:
        self.running += info["raw_reward"]
        for index in np.flatnonzero(info["game_over"]):
            if self.running[index] or info["episode_length"][index]:
                self.finished.append(float(self.running[index]))
                self.frames.append(frames)
            self.running[index] = 0.0

    def recent(self) -> str:
        last = self.finished[-100:]
        return f"{np.mean(last):8.1f} ({len(self.finished)} games)" if last else "       - (0 games)"

    def plot(self, game: str, path: Path) -> str:
        """Draw the scores over the frames; returns what to tell the user."""
        try:
            import matplotlib
        except ImportError:
            return "no plot: pip install matplotlib"
        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(7, 4))
        means = [np.mean(self.finished[max(0, end - 100) : end]) for end in range(1, len(self.finished) + 1)]
        axes.plot(self.frames, self.finished, ".", alpha=0.3, label="a game")
        axes.plot(self.frames, means, label="mean of the last 100")
        axes.set_xlabel("frames")
        axes.set_ylabel("score of a game")
        axes.set_title(f"{game}, PPO")
        axes.legend()
        figure.tight_layout()
        figure.savefig(path, dpi=120)
        pyplot.close(figure)
        return f"wrote {path}"


def train(given: argparse.Namespace) -> Scores:
    torch.manual_seed(given.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env = AtariVectorEnv(
        given.game,
        given.envs,
        episodic_life=True,
        continue_lives=True,
        extra_info=["raw_reward", "game_over", "episode_length"],
    )
    actions = int(env.single_action_space.n)  # type: ignore[attr-defined]
    agent = Agent(actions).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=given.learning_rate, eps=1e-5)
    length, envs = given.rollout, given.envs
    updates = max(1, given.total_steps // (length * envs))

    seen = torch.zeros((length, envs, 4, 84, 84), dtype=torch.uint8, device=device)
    chosen = torch.zeros((length, envs), dtype=torch.int64, device=device)
    logprobs, rewards, dones, values = (torch.zeros((length, envs), device=device) for _ in range(4))

    observations, _ = env.reset(seed=given.seed)
    observation = torch.from_numpy(observations).to(device)
    done = torch.zeros(envs, device=device)
    scores = Scores(np.zeros(envs))
    start = time.monotonic()
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = given.learning_rate * (1 - (update - 1) / updates)
        for step in range(length):
            seen[step], dones[step] = observation, done
            with torch.no_grad():
                logits, values[step] = agent(observation)
            policy = torch.distributions.Categorical(logits=logits)
            chosen[step] = policy.sample()
            logprobs[step] = policy.log_prob(chosen[step])
            observations, reward, terminated, truncated, info = env.step(chosen[step].cpu().numpy())
            observation = torch.from_numpy(observations).to(device)
            rewards[step] = torch.from_numpy(reward).to(device)
            done = torch.from_numpy(terminated | truncated).float().to(device)
            scores.count(info, ((update - 1) * length + step + 1) * envs * 4)
        with torch.no_grad():
            advantages = estimate(rewards, dones, values, done, agent(observation)[1], given)
        # The step after an end only shows the next start; its action was not used.
        useful = (dones == 0).flatten()
        batch = [
            part.flatten(0, 1)[useful] for part in (seen, chosen, logprobs, advantages, advantages + values)
        ]
        losses = improve(agent, optimizer, batch, given)
        frames = update * length * envs * 4
        speed = frames / (time.monotonic() - start)
        print(
            f"{frames:>10,} frames, {speed:>8,.0f}/s, score {scores.recent()}, loss {losses:.3f}", flush=True
        )
    env.close()
    return scores


def estimate(rewards: Any, dones: Any, values: Any, done: Any, value: Any, given: Any) -> Any:
    """Generalised advantages."""
    advantages = torch.zeros_like(rewards)
    last = torch.zeros_like(value)
    for step in reversed(range(len(rewards))):
        goes_on = 1.0 - done
        delta = rewards[step] + given.gamma * value * goes_on - values[step]
        last = delta + given.gamma * given.gae_lambda * goes_on * last
        advantages[step] = last
        value, done = values[step], dones[step]
    return advantages


def improve(agent: Any, optimizer: Any, batch: list[Any], given: Any) -> float:
    """Some epochs over a rollout with the clipped objective; returns the last loss."""
    seen, chosen, logprobs, advantages, returns = batch
    loss = torch.zeros(())
    for _ in range(given.epochs):
        for indices in torch.randperm(len(seen), device=seen.device).chunk(given.minibatches):
            logits, value = agent(seen[indices])
            policy = torch.distributions.Categorical(logits=logits)
            ratio = (policy.log_prob(chosen[indices]) - logprobs[indices]).exp()
            advantage = advantages[indices]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - given.clip, 1 + given.clip)
            actor_loss = torch.max(-advantage * ratio, -advantage * clipped).mean()
            critic_loss = 0.5 * (value - returns[indices]).pow(2).mean()
            loss = actor_loss + 0.5 * critic_loss - given.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return float(loss.detach())


def main(arguments: list[str] | None = None) -> Scores:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="glowdelve")
    parser.add_argument("--total-steps", type=int, default=10_000_000, help="steps of all sub-environments")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--rollout", type=int, default=128, help="steps between two updates")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--minibatches", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=2.5e-4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip", type=float, default=0.1)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=Path("ppo.png"))
    given = parser.parse_args(arguments)
    scores = train(given)
    print(scores.plot(given.game, given.plot))
    return scores


if __name__ == "__main__":
    main()
