"""Learning without a library: the cross-entropy method on the RAM of `windfall`, with numpy alone.

    python examples/learn_numpy.py                     # some minutes on two cores
    python examples/learn_numpy.py --generations 3 --envs 32 --steps 200    # a taste

`windfall` is a game of this project: fruit falls from the trees, a basket catches it. The agent sees some
bytes of RAM and chooses with a linear rule. A hundred rules are tried at a time, one in each sub-environment,
and the next generation is drawn around the best of them. The return of a rule is the score of one game, cut
off after some steps.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import AtariVectorEnv

Floats = NDArray[np.float64]

BASKET, FALLEN, MAGPIE, PIECES, KINDS = 0x0A, 0x0C, 0x0E, slice(0x10, 0x15), slice(0x15, 0x1A)
"""Bytes of RAM; roms/README.md has all of them."""
WASP = 4
SCREEN = 160.0
BASKET_MIDDLE = 8.0
FEATURES = 10
ACTIONS = 4


def features(ram: NDArray[np.uint8]) -> Floats:
    """What a rule looks at: how far pieces are to the left or right of the basket, the lowest ones first."""
    ram = ram.astype(np.float64)
    basket = ram[:, BASKET : BASKET + 1] + BASKET_MIDDLE
    kinds = ram[:, KINDS]
    beside = (ram[:, PIECES] - basket) / SCREEN
    fruit = np.where((kinds > 0) & (kinds < WASP), beside, 0.0)
    wasps = np.where(kinds == WASP, beside, 0.0)
    fallen = ram[:, FALLEN : FALLEN + 1] / 16.0
    return np.hstack(
        [
            fruit[:, :1:-1],  # the three lowest
            fruit[:, :1:-1] * fallen,
            wasps[:, 4:],
            (ram[:, MAGPIE : MAGPIE + 1] + BASKET_MIDDLE - basket) / SCREEN,
            basket / SCREEN - 0.5,
            np.ones_like(basket),
        ]
    )


def play(env: AtariVectorEnv, rules: Floats, steps: int, seed: int) -> Floats:
    """The scores of one game of each rule, all on different seeds."""
    weights = rules.reshape(env.num_envs, FEATURES, ACTIONS)
    observations, _ = env.reset(seed=seed)
    scores = np.zeros(env.num_envs)
    alive = np.ones(env.num_envs, bool)
    for _ in range(steps):
        actions = np.einsum("nf,nfa->na", features(observations), weights).argmax(axis=1)
        observations, rewards, terminations, truncations, _ = env.step(actions)
        scores += rewards * alive
        alive &= ~(terminations | truncations)
        if not alive.any():
            break
    return scores


def learn(given: argparse.Namespace) -> list[tuple[float, float, float]]:
    """Mean, best and elite mean of the scores of each generation."""
    rng = np.random.default_rng(given.seed)
    env = AtariVectorEnv("windfall", given.envs, obs_type="ram", reward_clipping=False)
    mean, spread = np.zeros(FEATURES * ACTIONS), np.ones(FEATURES * ACTIONS)
    elite_count = max(2, given.envs // 8)
    history = []
    generations = Bar(given.generations)
    for generation in generations:
        rules = rng.normal(mean, spread, (given.envs, FEATURES * ACTIONS))
        scores = play(env, rules, given.steps, seed=given.seed + generation * given.envs)
        order = np.argsort(scores)[-elite_count:]
        elite = rules[order]
        # A little extra spread, less and less, keeps the search from settling too early.
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.3 / (1 + generation)
        history.append((float(scores.mean()), float(scores.max()), float(scores[order].mean())))
        generations.tell(f"mean {scores.mean():6.1f}, best {scores.max():5.0f}")
    env.close()
    return history


class Bar:
    """A progress bar where tqdm is installed and stderr is a terminal; a line for each step elsewhere."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.step = 0
        self.tqdm: Any = None
        if sys.stderr.isatty():
            with contextlib.suppress(ImportError):
                from tqdm import tqdm

                self.tqdm = tqdm(total=steps, unit="generation")

    def __iter__(self) -> Iterator[int]:
        while self.step < self.steps:
            yield self.step
            self.step += 1
        if self.tqdm is not None:
            self.tqdm.close()

    def tell(self, text: str) -> None:
        if self.tqdm is None:
            print(f"generation {self.step + 1:3} of {self.steps}: {text}", flush=True)
        else:
            self.tqdm.set_postfix_str(text, refresh=False)
            self.tqdm.update()


def plot(history: list[tuple[float, float, float]], path: Path) -> str:
    """Draw the scores over the generations; returns what to tell the user."""
    try:
        import matplotlib
    except ImportError:
        return "no plot: pip install matplotlib"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, values in zip(("mean", "best", "mean of the elite"), zip(*history, strict=True), strict=True):
        axes.plot(values, label=name)
    axes.set_xlabel("generation")
    axes.set_ylabel("score of a game")
    axes.set_title("windfall, linear rules on RAM, cross-entropy method")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return f"wrote {path}"


def main(arguments: list[str] | None = None) -> list[tuple[float, float, float]]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--generations", type=int, default=25)
    parser.add_argument("--envs", type=int, default=96, help="rules tried in a generation (default: 96)")
    parser.add_argument("--steps", type=int, default=750, help="steps after which a game is cut off")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=Path("learn_numpy.png"))
    given: Any = parser.parse_args(arguments)
    for name in ("generations", "envs", "steps"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} is {getattr(given, name)}; accepted: 1 and more")
    start = time.monotonic()
    history = learn(given)
    first, last = history[0][0], history[-1][0]
    print(f"mean score {first:.1f} -> {last:.1f} in {time.monotonic() - start:.0f} s")
    print(plot(history, given.plot))
    return history


if __name__ == "__main__":
    main()
