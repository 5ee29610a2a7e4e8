"""Planners beside exhaustive search in ale-py: every sequence of two decisions from one state."""

from typing import Any

import numpy as np
import pytest

from ale_rs import AtariEnv, planning, roms

ale_py = pytest.importorskip("ale_py", reason="the reference is not installed")

SKIP = 5
WARM_UP = {"boxing": 12, "breakout": 20, "space_invaders": 90, "ms_pacman": 60}
"""Decisions before the search: in some of these games there are rewards within two decisions then."""
DISCOUNT = 0.999


def exhaustive(ale: Any) -> tuple[dict[tuple[int, ...], tuple[float, bool, bytes]], float]:
    """Reward, end and RAM of all sequences of one and two decisions, and the best discounted return."""
    found: dict[tuple[int, ...], tuple[float, bool, bytes]] = {}
    root = ale.cloneState()
    best = -np.inf
    for first in range(18):
        ale.restoreState(root)
        found[first,] = decide(ale, first)
        reward, over, _ = found[first,]
        after = ale.cloneState()
        values = []
        for second in range(0 if over else 18):
            ale.restoreState(after)
            found[first, second] = decide(ale, second)
            values.append(found[first, second][0])
        best = max(best, reward + DISCOUNT * max(values, default=0.0))
    ale.restoreState(root)
    return found, best


def decide(ale: Any, action: int) -> tuple[float, bool, bytes]:
    reward = 0.0
    for _ in range(SKIP):
        reward += ale.act(action)
    return reward, bool(ale.game_over()), ale.getRAM().tobytes()


@pytest.mark.parametrize("game", WARM_UP)
def test_a_full_tree_of_two_decisions_is_exhaustive_search_in_the_reference(game: str) -> None:
    if roms.locate(game) is None:
        pytest.skip(f'the ROM of "{game}" is missing')
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    settings: dict[str, Any] = {
        "frameskip": SKIP,
        "repeat_action_probability": 0.0,
        "full_action_space": True,
        "obs_type": "ram",
    }
    ours, theirs = AtariEnv(game, **settings), ale_py.AtariEnv(game, **settings)
    ours.reset(seed=5)
    theirs.reset(seed=5)
    chance = np.random.default_rng(5)
    for action in chance.integers(18, size=WARM_UP[game]).tolist():
        ours.step(action)
        theirs.step(action)
    assert (ours.ale.getRAM() == theirs.ale.getRAM()).all()
    planner = planning.FullTree(ours, frames=(18 + 18 * 18) * SKIP, discount=DISCOUNT)
    action = planner.plan()
    tree = planner.tree()
    found, best = exhaustive(theirs.ale)
    children = {tuple(path(tree, node)): node for node in range(1, len(tree))}
    states = planning.States(ours)
    for first in range(18):
        assert tree.reward[children[first,]] == found[first,][0]
        if found[first,][1]:
            continue
        [child], *_ = states.expand([0], [first])
        grandchildren, rewards, over, _ = states.expand([child] * 18, range(18))
        for second in range(18):
            expected = found[first, second]
            assert tree.reward[children[first, second]] == rewards[second] == expected[0]
            assert bool(over[second]) == expected[1]
            assert states.ram([grandchildren[second]])[0].tobytes() == expected[2]
    top = tree.value[children[action,]]
    assert top == pytest.approx(best, abs=1e-9)
    assert tree.value[0] == pytest.approx(DISCOUNT * best, abs=1e-9)


def path(tree: planning.Tree, node: int) -> list[int]:
    actions: list[int] = []
    while node:
        actions.insert(0, int(tree.action[node]))
        node = int(tree.parent[node])
    return actions
