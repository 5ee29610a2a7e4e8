"""Crafter's success rates and score."""

import math
from collections.abc import Iterable, Mapping

__all__ = ["ACHIEVEMENTS", "crafter_score", "success_rates"]

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling", "collect_stone",
    "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant", "make_iron_pickaxe",
    "make_iron_sword", "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe", "make_wood_sword",
    "place_furnace", "place_plant", "place_stone", "place_table", "wake_up",
)  # fmt: skip
"""The 22 achievements."""


def success_rates(episodes: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """The share of episodes with each achievement, in percent. Several unlocks in an episode count once.

    Raises:
        ValueError: there is no episode, or an achievement is missing in one.
    """
    counted = list(episodes)
    if not counted:
        raise ValueError("success rates of no episode are undefined")
    for index, counts in enumerate(counted):
        missing = [name for name in ACHIEVEMENTS if name not in counts]
        if missing:
            raise ValueError(f"episode {index} has no count of {', '.join(missing)}")
    return {name: 100 * sum(c[name] >= 1 for c in counted) / len(counted) for name in ACHIEVEMENTS}


def crafter_score(rates: Iterable[float]) -> float:
    """The geometric mean of success rates in percent: `exp(mean(ln(1 + rate))) - 1`.

    >>> crafter_score([100.0] * 22), crafter_score([0.0] * 22)
    (100.0, 0.0)
    """
    values = list(rates)
    if not values or not all(0 <= rate <= 100 for rate in values):
        raise ValueError(f"success rates are percentages from 0 to 100, not {values}")
    return round(math.expm1(math.fsum(map(math.log1p, values)) / len(values)), 12)
