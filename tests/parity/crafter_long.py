"""The long form of the comparison with PyPI crafter: `make crafter-parity` (SEEDS=20 STEPS=2000).

Fresh seeds, played by random play, by a forager that looks for what is missing, and by the recorded play that
unlocks all 22 achievements; and how long the package as it is agrees, before the accident of its order.
"""

import argparse
import random
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import test_crafter_parity as parity

from ale_rs._progress import Progress
from ale_rs.crafter import ACTIONS, CrafterEnv

DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
WATER, GRASS, STONE, PATH, SAND, TREE, COAL, IRON, DIAMOND, TABLE = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11
FURNACE, COW, ZOMBIE, SKELETON, PLANT = 12, 14, 15, 16, 18
WALKABLE = (GRASS, PATH, SAND)
FIGHTS = {ZOMBIE: "defeat_zombie", SKELETON: "defeat_skeleton"}

TOOLS = {
    "wood_pickaxe": {"wood": 1},
    "wood_sword": {"wood": 1},
    "stone_pickaxe": {"wood": 1, "stone": 1},
    "stone_sword": {"wood": 1, "stone": 1},
    "iron_pickaxe": {"wood": 1, "coal": 1, "iron": 1},
    "iron_sword": {"wood": 1, "coal": 1, "iron": 1},
}


class Forager:
    """A player that sees the whole map: it walks to the nearest thing it needs, and digs where it must."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.facing = (0, 1)

    def act(self, info: dict[str, Any]) -> int:
        """The next action."""
        owned, done = info["inventory"], info["achievements"]
        if self.source.random() < 0.1:
            return self._note(self.source.randrange(len(ACTIONS)))
        if owned["energy"] < 4 or (not done["wake_up"] and owned["energy"] < 9):
            return ACTIONS.index("sleep")
        made = self._make(owned, done, info)
        if made is not None:
            return made
        return self._go(info, self._wanted(owned, done))

    def _make(self, owned: Any, done: Any, info: dict[str, Any]) -> int | None:
        x, y = info["player_pos"]
        near = set(np.unique(info["semantic"][max(x - 1, 0) : x + 2, max(y - 1, 0) : y + 2]).tolist())
        front = self._front(info)
        if owned["sapling"] and front == GRASS:
            return ACTIONS.index("place_plant")
        for tool, costs in TOOLS.items():
            if owned[tool] or any(owned[item] < count for item, count in costs.items()):
                continue
            if TABLE not in near:
                if owned["wood"] >= 3 and front in WALKABLE:
                    return ACTIONS.index("place_table")
            elif tool.startswith("iron") and FURNACE not in near:
                if owned["stone"] >= 4 and front in WALKABLE:
                    return ACTIONS.index("place_furnace")
            else:
                return ACTIONS.index(f"make_{tool}")
        if owned["stone"] >= 6 and front in (*WALKABLE, WATER) and not done["place_stone"]:
            return ACTIONS.index("place_stone")
        return None

    @staticmethod
    def _wanted(owned: Any, done: Any) -> tuple[int, ...]:
        if owned["drink"] < 5:
            return (WATER,)
        if owned["food"] < 5:
            return (COW, PLANT)
        if not done["collect_sapling"]:
            return (GRASS,)
        if owned["wood"] < 5:
            return (TREE,)
        if not done["collect_drink"]:
            return (WATER,)
        if owned["wood_pickaxe"] and owned["stone"] < 6:
            return (STONE,)
        if owned["stone_pickaxe"] and owned["coal"] < 2 and not owned["iron_pickaxe"]:
            return (COAL,)
        if (
            owned["stone_pickaxe"]
            and owned["iron"] < 1
            and not (owned["iron_pickaxe"] and owned["iron_sword"])
        ):
            return (IRON,)
        wanted = [name for name in (ZOMBIE, SKELETON) if not done[FIGHTS[name]]]
        if owned["iron_pickaxe"] and not done["collect_diamond"]:
            wanted.append(DIAMOND)
        return tuple(wanted or [COW, ZOMBIE, SKELETON, PLANT])

    def _front(self, info: dict[str, Any]) -> int:
        x, y = np.asarray(info["player_pos"]) + self.facing
        inside = 0 <= x < info["semantic"].shape[0] and 0 <= y < info["semantic"].shape[1]
        return int(info["semantic"][x, y]) if inside else 0

    def _go(self, info: dict[str, Any], wanted: tuple[int, ...]) -> int:
        if self._front(info) in wanted:
            return ACTIONS.index("do")
        cells = info["semantic"]
        start = tuple(int(n) for n in info["player_pos"])
        passable = {*WALKABLE, *((STONE,) if info["inventory"]["wood_pickaxe"] else ())}
        first: dict[tuple[int, int], int] = {start: -1}
        queue = deque([start])
        while queue:
            x, y = queue.popleft()
            for number, (dx, dy) in enumerate(DIRECTIONS):
                cell = (x + dx, y + dy)
                if cell in first or not (0 <= cell[0] < cells.shape[0] and 0 <= cell[1] < cells.shape[1]):
                    continue
                first[cell] = first[x, y] if first[x, y] >= 0 else number
                if cells[cell] in wanted:
                    return self._step(first[cell], info)
                if cells[cell] in passable:
                    queue.append(cell)
        return self._note(self.source.choice((1, 2, 3, 4, 5)))

    def _step(self, direction: int, info: dict[str, Any]) -> int:
        if self.facing == DIRECTIONS[direction] and self._front(info) not in WALKABLE:
            return ACTIONS.index("do")
        return self._note(1 + direction)

    def _note(self, action: int) -> int:
        if 1 <= action <= 4:
            self.facing = DIRECTIONS[action - 1]
        return action


def foraging(seed: int, steps: int) -> Iterator[int]:
    """The actions of a forager in a world of its own that goes along."""
    env, player = CrafterEnv(seed), Forager(seed)
    _, info = env.reset()
    for _ in range(steps):
        action = player.act(info)
        yield action
        *_, dead, over, info = env.step(action)
        if dead or over:
            _, info = env.reset()
            player.facing = (0, 1)


def agreement(seed: int, steps: int) -> int:
    """Steps that the package as it is agrees with us."""
    ours, theirs = CrafterEnv(seed, textures="crafter"), parity.crafter.Env(seed=seed)
    ours.reset()
    theirs.reset()
    for step, action in enumerate(parity.actions(seed, steps)):
        *_, info = ours.step(action)
        _, _, done, theirs_info = theirs.step(action)
        if not np.array_equal(info["semantic"], theirs_info["semantic"]):
            return step
        if done:
            return step + 1
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--first", type=int, default=None, help="first seed (default: a fresh one)")
    given = parser.parse_args()
    first = random.SystemRandom().randrange(2**31) if given.first is None else given.first
    apart = [agreement(first + number, 400) for number in range(min(given.seeds, 5))]
    print(f"the package as it is agrees for {apart} steps (of 400, or until the first death)", flush=True)
    patch = pytest.MonkeyPatch()
    parity.order(patch)
    total, reached = 0, set()
    with Progress(given.seeds, "parity") as bar:
        for number in range(given.seeds):
            seed = first + number
            options = parity.SHAPES[number // 4 % len(parity.SHAPES)] if number % 4 == 3 else {}
            plays = parity.actions(seed, given.steps) if number % 2 else foraging(seed, given.steps)
            if options:
                plays = parity.actions(seed, given.steps)
            found: set[str] = set()
            total += parity.compare(seed, plays, found, **options)
            reached |= found
            kind = "random play" if number % 2 else "foraging"
            print(
                f"seed {seed}: {given.steps} steps of {kind} {options or ''} equal, {len(found)} unlocked",
                flush=True,
            )
            bar.update(number + 1)
    run = parity.SCRIPTS[2]
    found = set()
    total += parity.compare(2, (ord(letter) - ord("a") for letter in run), found)
    print(f"seed 2: {len(run)} recorded steps equal, {len(found)} unlocked")
    print(f"{total:,} steps without a difference, {len(reached | found)} of 22 achievements")


if __name__ == "__main__":
    sys.exit(main())
