"""Planners on real games: duplicates have equal futures, searches keep their limits, more is better."""

import itertools
import random

import numpy as np
import pytest

from ale_rs import AtariEnv, planning, roms

GAMES = (
    "pong", "breakout", "space_invaders", "ms_pacman", "alien", "freeway", "seaquest", "asterix", "qbert",
    "enduro", "riverraid", "amidar", "montezuma_revenge", "pitfall", "tennis", "atlantis", "beam_rider",
    "crazy_climber", "kung_fu_master", "video_pinball",
)  # fmt: skip
# Not in all games do actions have equal futures: Frostbite keeps what it has read of the joystick in RAM.
PAIRS = 50
"""Pairs of each game: a thousand in all."""
FUTURE = 40
"""Decisions of a future: 200 frames."""


def start(game: str, *, decisions: int = 0, seed: int = 0) -> AtariEnv:
    if roms.locate(game) is None:
        pytest.skip(f'the ROM of "{game}" is missing')
    env = AtariEnv(game, frameskip=5, repeat_action_probability=0.0, full_action_space=True, obs_type="ram")
    env.reset(seed=seed)
    chance = random.Random(seed)
    for _ in range(decisions):
        if env.step(chance.randrange(18))[2]:
            env.reset()
    return env


@pytest.mark.parametrize("title", GAMES)
def test_duplicates_have_equal_futures(title: str, fresh_seed: int) -> None:
    env = start(title, decisions=60, seed=fresh_seed % 1000)
    chance = np.random.default_rng(fresh_seed)
    states = planning.States(env)
    pairs: list[tuple[int, int]] = []
    parent = 0
    for _ in range(60):
        children, rewards, over, _ = states.expand([parent] * 18, range(18))
        keys = states.keys(children)
        for one in range(18):
            for two in range(one):
                if keys[one] == keys[two] and rewards[one] == rewards[two] and not over[one]:
                    pairs.append((int(children[two]), int(children[one])))
        alive = children[~over]
        if not len(alive):
            break
        parent = int(chance.choice(alive))
    assert len(pairs) >= PAIRS, "some actions do the same in every game"
    chosen = np.array([pairs[index] for index in chance.permutation(len(pairs))[:PAIRS]])
    front = np.r_[chosen[:, 0], chosen[:, 1]]
    for _ in range(FUTURE):
        actions = np.tile(chance.integers(18, size=len(front) // 2), 2)
        front, rewards, over, ram = states.expand(front, actions)
        for array in (rewards, over, ram):
            one, two = np.split(array, 2)
            np.testing.assert_array_equal(one, two)
        front = front[~over]
        if not len(front):
            break


def test_after_the_serve_pong_has_six_different_actions() -> None:
    env = start("pong", decisions=20)
    planner = planning.UCT(env, simulations=60, depth_frames=100)
    planner.plan()
    tree = planner.tree()
    children = (tree.parent == 0) & (np.arange(len(tree)) > 0)
    assert children.sum() == 18
    assert 2 <= (children & ~tree.duplicate).sum() <= 6


@pytest.mark.parametrize("title", ["pong", "breakout", "seaquest"])
def test_searches_keep_their_limits(title: str) -> None:
    env = start(title, decisions=20)
    iw = planning.IW(env, frames=20_000)
    iw.plan()
    tree = iw.tree()
    assert len(np.unique(tree.parent[1:])) <= 128 * 256, "an expansion has brought a new atom"
    assert iw.stats.frames <= 20_000 + 4
    full = planning.FullTree(env, frames=9_000)
    full.plan()
    assert 9_000 <= full.stats.frames <= 9_089
    uct = planning.UCT(env, simulations=80)
    uct.plan()
    assert uct.stats.depth <= 60
    assert uct.stats.frames <= (80 + uct.stats.duplicates) * 300
    rollout = planning.RolloutIW(env, frames=5_000)
    rollout.plan()
    assert rollout.stats.frames <= 5_004


@pytest.mark.parametrize("name", ["full-tree", "uct", "iw", "rollout-iw"])
def test_the_tree_after_a_decision_is_that_of_the_environment(name: str) -> None:
    options = {"simulations": 40} if name == "uct" else {"frames": 3_000}
    env = start("breakout", decisions=10)
    planner = planning.make(name, env, **options)
    kept = 0
    for _ in range(6):
        action = planner.plan()
        env.step(action)
        planner.advance(action)
        before, kept_now = planner.stats.nodes, len(planner.tree())
        planner.plan()
        kept += len(planner.tree()) == kept_now + planner.stats.nodes - before
    assert kept == 6, "the kept subtree was continued and never dropped"


@pytest.mark.slow
def test_more_simulations_score_more() -> None:
    """Toy size: 25 decisions with a horizon of 100 frames, two seeds; a rank correlation needs no more."""
    means = []
    for simulations in (2, 40):
        scores = []
        for seed in range(2):
            env = start("boxing", decisions=10, seed=seed)
            planner = planning.UCT(env, simulations=simulations, depth_frames=100, seed=seed)
            scores.append(planning.play(env, planner, max_decisions=25).score)
        means.append(np.mean(scores))
    assert means[1] > means[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("title", ["space_invaders", "asterix", "seaquest"])
def test_uct_scores_at_least_what_the_best_baseline_scores(
    title: str, seed: int, request: pytest.FixtureRequest
) -> None:
    """The first 100 decisions (500 frames): 100 simulations beside random play and all constant policies."""
    if not request.config.option.all_games:
        pytest.skip("takes minutes; runs with --all-games")
    env = start(title, seed=seed)
    score = planning.play(env, planning.UCT(env, simulations=100, seed=seed), max_decisions=100).score
    chance = random.Random(seed)
    policies = [[action] * 100 for action in range(18)] + [[chance.randrange(18) for _ in range(100)]]
    baselines = []
    for policy in policies:
        env = start(title, seed=seed)
        total = 0.0
        for action in policy:
            _, reward, terminated, _, _ = env.step(action)
            total += float(reward)
            if terminated:
                break
        baselines.append(total)
    assert score >= max(baselines)


def test_uct_scores_more_with_more_simulations(request: pytest.FixtureRequest) -> None:
    """Mean score of the first 60 decisions in Seaquest over five seeds, by 10, 50 and 200 simulations."""
    if not request.config.option.all_games:
        pytest.skip("takes minutes; runs with --all-games")
    means = []
    for simulations in (10, 50, 200):
        scores = []
        for seed in range(5):
            env = start("seaquest", seed=seed)
            planner = planning.UCT(env, simulations=simulations, seed=seed)
            scores.append(planning.play(env, planner, max_decisions=60).score)
        means.append(float(np.mean(scores)))
    rising = sum((b > a) - (b < a) for a, b in itertools.combinations(means, 2))
    assert rising > 0, f"Kendall's rank correlation of {means} is not positive"
