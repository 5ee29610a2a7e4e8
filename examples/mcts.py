"""Monte-Carlo tree search with a value function, on `windfall`, a game of this project: no ROM is needed.

1. Random play gives states and the discounted returns that followed them.
2. A value function is fitted to them: ridge regression on random features of RAM. A network would stand here.
3. MCTS expands a leaf with one call of `planning.States.expand` for all its actions, asks the value function
   about all children at once, and walks down by UCB1. No rollouts are needed.

The score is compared with the same search without the value function (all values 0) and with random play.
Everything is seeded; the size is that of an example and not of a study.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from ale_rs import AtariEnv, planning

FRAMESKIP = 8
DISCOUNT = 0.9
HORIZON = 30
"""Decisions that a return looks ahead."""


def environment(seed: int) -> AtariEnv:
    env = AtariEnv(
        "windfall", obs_type="ram", frameskip=FRAMESKIP, repeat_action_probability=0.0, noop_max=30
    )
    env.reset(seed=seed)
    return env


class Value:
    """A linear function of random features of RAM: products of bytes are needed, bytes alone say little."""

    def __init__(self, seed: int, count: int = 1500) -> None:
        rng = np.random.default_rng(seed)
        self.inner = rng.normal(size=(128, count)) / np.sqrt(8)
        self.bias = rng.normal(size=count)
        self.mean, self.scale = np.zeros(128), np.ones(128)
        self.weights = np.zeros(count + 1)

    def features(self, ram: NDArray[np.uint8]) -> NDArray[np.float64]:
        hidden = ((ram - self.mean) / self.scale) @ self.inner + self.bias
        return np.c_[np.maximum(hidden, 0.0), np.ones(len(ram))]

    def __call__(self, ram: NDArray[np.uint8]) -> NDArray[np.float64]:
        return self.features(ram) @ self.weights

    def fit(self, rams: NDArray[np.uint8], returns: NDArray[np.float64], ridge: float = 1000.0) -> None:
        self.mean, self.scale = rams.mean(0), np.maximum(rams.std(0), 8.0)
        x = self.features(rams)
        self.weights = np.linalg.solve(x.T @ x + ridge * np.eye(x.shape[1]), x.T @ returns)


def gather(walks: int, decisions: int, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """RAM along random plays and the discounted returns: all plays at once, one call for each decision."""
    rng = np.random.default_rng(seed)
    env = environment(seed)
    states = planning.States(env, seed=seed)
    actions = np.zeros(walks, np.int64)
    front = np.zeros(walks, np.int64)
    rams, rewards, ends = [], [], []
    for _ in range(decisions):
        alive = ~states.over(front)
        ram, reward = states.ram(front), np.zeros(walks)
        if alive.any():
            # Actions are held for a while: random play that turns on the spot sees little.
            if len(rams) % 3 == 0:
                actions = rng.integers(env.action_space.n, size=walks)
            children, gained, _, _ = states.expand(front[alive], actions[alive])
            front = front.copy()
            front[alive], reward[alive] = children, gained
        rams.append(ram)
        rewards.append(reward)
        ends.append(~alive)
    returns = np.zeros((decisions, walks))
    after = np.zeros(walks)
    for step in reversed(range(decisions)):
        after = rewards[step] + DISCOUNT * after
        returns[step] = after
    # The last decisions have seen too little of their future.
    kept = decisions - HORIZON
    use = ~np.array(ends[:kept])
    return np.array(rams[:kept])[use], returns[:kept][use]


class Search:
    """A tree over a store of states."""

    def __init__(self, env: AtariEnv, value: Value, exploration: float, seed: int) -> None:
        self.states = planning.States(env, observation="ram", seed=seed)
        self.value, self.exploration = value, exploration
        self.actions = len(env.get_action_meanings())
        self.rng = np.random.default_rng(seed)
        self.first_child = {0: -1}
        self.visits: dict[int, NDArray[np.float64]] = {}
        self.sums: dict[int, NDArray[np.float64]] = {}
        self.rewards: dict[int, NDArray[np.float64]] = {}

    def expand(self, node: int) -> float:
        """Add all children of a node; the value of the best of them."""
        parents = np.full(self.actions, node)
        children, rewards, over, ram = self.states.expand(parents, np.arange(self.actions))
        values = rewards + DISCOUNT * np.where(over, 0.0, self.value(ram))
        self.first_child[node] = int(children[0])
        self.rewards[node] = rewards
        self.visits[node], self.sums[node] = np.ones(self.actions), values
        return float(values.max())

    def simulate(self) -> None:
        node, path = 0, []
        while node in self.visits:
            visits = self.visits[node]
            means = self.sums[node] / visits
            spread = max(float(np.ptp(means)), 1.0)
            bound = means + self.exploration * spread * np.sqrt(np.log(visits.sum()) / visits)
            action = int(self.rng.choice(np.flatnonzero(bound == bound.max())))
            path.append((node, action))
            node = self.first_child[node] + action
        result = 0.0 if self.states.over([node])[0] else self.expand(node)
        for parent, action in reversed(path):
            result = float(self.rewards[parent][action]) + DISCOUNT * result
            self.visits[parent][action] += 1
            self.sums[parent][action] += result

    def best(self, simulations: int) -> int:
        self.expand(0)
        for _ in range(simulations):
            self.simulate()
        means = self.sums[0] / self.visits[0]
        return int(self.rng.choice(np.flatnonzero(means == means.max())))


def play(value: Value | None, args: argparse.Namespace, seed: int) -> float:
    """The score of an episode's first decisions; random play without a value function."""
    env = environment(seed)
    rng = np.random.default_rng(seed)
    score = 0.0
    for decision in range(args.decisions):
        if value is None:
            action = int(rng.integers(env.action_space.n))
        else:
            action = Search(env, value, args.exploration, seed * 10_000 + decision).best(args.simulations)
        _, reward, terminated, truncated, _ = env.step(action)
        score += float(reward)
        if terminated or truncated:
            break
    return score


def main(arguments: list[str] | None = None) -> dict[str, float]:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--walks", type=int, default=200, help="random plays to learn from")
    parser.add_argument("--length", type=int, default=150, help="decisions of each")
    parser.add_argument("--simulations", type=int, default=12, help="simulations of a decision")
    parser.add_argument("--decisions", type=int, default=120, help="decisions of an episode")
    parser.add_argument("--episodes", type=int, default=4, help="episodes to compare")
    parser.add_argument("--exploration", type=float, default=0.3, help="constant of UCB1")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    for name in ("walks", "simulations", "decisions", "episodes"):
        if getattr(args, name) < 1:
            parser.error(f"--{name} is {getattr(args, name)}; accepted: 1 and more")
    if args.length <= HORIZON:
        parser.error(f"--length is {args.length}; accepted: {HORIZON + 1} and more")
    rams, returns = gather(args.walks, args.length, args.seed)
    value = Value(args.seed)
    value.fit(rams, returns)
    explained = 1 - np.var(returns - value(rams)) / max(float(np.var(returns)), 1e-12)
    print(f"{len(rams):,} states of random play; the value function explains {explained:.0%} of the variance")
    means = {}
    players = {"random": None, "mcts, values 0": Value(args.seed), "mcts, value function": value}
    for name, player in players.items():
        scores = [play(player, args, seed) for seed in range(args.seed + 1, args.seed + 1 + args.episodes)]
        means[name] = float(np.mean(scores))
        print(f"{name:22} mean score {means[name]:7.1f} of {args.episodes} episodes: {scores}", flush=True)
    return means


if __name__ == "__main__":
    main()
