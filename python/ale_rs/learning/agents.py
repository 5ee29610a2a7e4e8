"""What an agent is called, and which parameters it has: names and a table, no code per agent.

>>> resolve("const:FIRE", None, "machado2018").name
'const:FIRE'
>>> resolve("random", None, "bellemare2013").decision_frames
1
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ale_rs import features as feature_sets
from ale_rs._arguments import did_you_mean
from ale_rs.enums import Action
from ale_rs.evaluation import Protocol, protocol
from ale_rs.evaluation._data import read_toml

__all__ = ["AGENTS", "AgentSpec", "resolve"]

AGENTS = ("sarsa", "brute", "random", "const:ACTION", "perturb:ACTION")
"""How agents are written."""
ACTIONS = tuple(action.name for action in Action)[:18]
"""The names that stand for `ACTION`."""
SWITCHES: Mapping[str, Any] = {"color_averaging": False, "clear_other_actions": False, "shuffled": False}
"""Parameters of `sarsa` that are off unless the table says otherwise."""
LARGE = ("b-pros", "b-prost", "blob-prost")
"""Sets whose features get their weights on first sight."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent with all its parameters.

    Attributes:
        kind: `sarsa`, `brute`, `random`, `const` or `perturb`.
        name: its name in run logs, `"sarsa:blob-prost"` or `"const:FIRE"`.
        features: the set of features, for `sarsa`.
        parameters: all parameters by name.
        decision_frames: frames of a decision.
    """

    kind: str
    name: str
    features: str | None
    parameters: Mapping[str, Any]
    decision_frames: int

    @property
    def learns(self) -> bool:
        """Whether there is anything to train."""
        return self.kind in ("sarsa", "brute")

    @property
    def config(self) -> dict[str, Any]:
        """What a run log says of the agent; what changes nothing but the speed is left out."""
        sets = {} if self.features is None else {"features": self.features}
        shown = {name: value for name, value in self.parameters.items() if name != "skip_known"}
        return {**sets, **shown, "decision_frames": self.decision_frames}


@functools.cache
def _table() -> dict[str, Any]:
    return read_toml(Path(__file__).parent / "parameters.toml")


def resolve(
    agent: str,
    features: str | None,
    protocol_: str | Protocol,
    parameters: Mapping[str, Any] | None = None,
) -> AgentSpec:
    """The agent of a name, with the papers' parameters where none are given.

    Raises:
        ValueError: an unknown name or parameter, or a combination that makes no sense.
    """
    rules = protocol(protocol_) if not isinstance(protocol_, Protocol) else protocol_
    if rules.world != "atari":
        raise ValueError(f"the protocol {rules.name} is of {rules.world}; native agents play Atari games")
    kind, colon, action = agent.partition(":")
    if kind not in _table():
        raise ValueError(
            f'unknown agent "{agent}"{did_you_mean(kind, _table())}; accepted: {", ".join(AGENTS)}'
        )
    if (kind in ("const", "perturb")) != bool(colon):
        wanted = "needs an action" if kind in ("const", "perturb") else "takes no action"
        raise ValueError(f'the agent "{agent}" {wanted}; accepted: {", ".join(AGENTS)}')
    if colon and action not in ACTIONS:
        raise ValueError(
            f'unknown action "{action}"{did_you_mean(action, ACTIONS)}; accepted: {", ".join(ACTIONS)}'
        )
    table: dict[str, Any] = dict(_table()[kind])
    if kind == "sarsa":
        table = {**SWITCHES, **_sarsa(table, features)}
    elif features is not None:
        raise ValueError(f'"{agent}" looks at no features; features="{features}" is for "sarsa"')
    every_frame = rules.name in table.pop("every_frame", ())
    table["decision_frames"] = 1 if every_frame else rules.env["frameskip"]
    for name, value in (parameters or {}).items():
        if name not in table:
            hint = did_you_mean(name, table)
            raise ValueError(f'"{agent}" has no parameter "{name}"{hint}; accepted: {", ".join(table)}')
        table[name] = _checked(name, value, table[name])
    frames = table.pop("decision_frames")
    if features == "ram" and table.get("color_averaging"):
        raise ValueError('features="ram" looks at no picture, so color_averaging has no meaning')
    if table.get("shuffled") and features in LARGE:
        raise ValueError(f'shuffled needs a set with a row for each feature, and "{features}" has none')
    name = f"sarsa:{features}" if kind == "sarsa" else agent
    return AgentSpec(kind, name, features, table, frames)


def _sarsa(tables: Mapping[str, Any], features: str | None) -> Mapping[str, Any]:
    known = [name for name in tables if name in feature_sets.SETS]
    if features is None:
        raise ValueError(
            f'"sarsa" needs features, such as features="blob-prost"; accepted: {", ".join(known)}'
        )
    if features not in known:
        hint = did_you_mean(features, known)
        raise ValueError(f'unknown features "{features}"{hint}; accepted: {", ".join(known)}')
    table: Mapping[str, Any] = tables[features]
    return table


BOUNDS: Mapping[str, tuple[float, float]] = {
    "step_size": (0, float("inf")), "discount": (0, 1), "trace_decay": (0, 1), "exploration": (0, 1),
    "chance": (0, 1), "decision_frames": (1, 1000), "max_nodes": (1, 2**32 - 2),
}  # fmt: skip


def _checked(name: str, value: Any, default: Any) -> Any:
    """A parameter of the type of its default and within its bounds."""
    if isinstance(default, (bool, str)):
        choices = [False, True] if isinstance(default, bool) else ["a", "b2"]
        if type(value) is not type(default) or value not in choices:
            raise ValueError(f"{name} is {value!r}; accepted: {', '.join(map(repr, choices))}")
        return value
    whole = isinstance(default, int)
    least, most = BOUNDS[name]
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise TypeError(f"{name} is {value!r}; accepted: a {'whole number' if whole else 'number'}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; accepted: {least} to {most}")
    return value if whole else float(value)
