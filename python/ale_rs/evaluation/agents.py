"""Names of agents on the command line, and what is behind them.

| kind      | the factory gets                               | and gives                                     |
|-----------|------------------------------------------------|-----------------------------------------------|
| `policy`  | observation space, action space, seed, config  | an object with `act(observation, info)`       |
| `planner` | the environment, `seed=`, `config=`            | an object with `plan()` and `advance(action)` |
| `trial`   | a `Job` and where it starts                    | an iterator over the messages of the trial    |

A policy may also have `begin(seed)` (before each evaluation episode), `learn(transition)`, `save(path)` and
`load(path)`. Modules of agents are imported when an agent is made, never by this package itself.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ale_rs import _native
from ale_rs.evaluation._data import unknown
from ale_rs.evaluation.protocol import Protocol
from ale_rs.evaluation.worlds import check_pipeline

__all__ = ["BUILT_IN", "KINDS_OF_AGENTS", "AgentSpec", "agent", "baselines"]

KINDS_OF_AGENTS = ("policy", "planner", "trial")

PRESETS = ("dqn_machado2018", "dqn_comper100k", "dqn_mnih2015", "comper_single", "comper_stacked")
"""Deep agents, which need the extra `deep`."""
OWN = "ale_rs.evaluation.policies"
BUILT_IN: dict[str, str] = {
    "random": f"{OWN}:random",
    "noop": f"{OWN}:noop",
    "const": f"{OWN}:const",
    "perturb": f"{OWN}:perturb",
    "sarsa": "ale_rs.evaluation.natives:trial",
    "brute": "ale_rs.evaluation.natives:trial",
    "full-tree": "ale_rs.planning.agents:full_tree",
    "uct": "ale_rs.planning.agents:uct",
    "iw": "ale_rs.planning.agents:iw",
    "rollout-iw": "ale_rs.planning.agents:rollout_iw",
    **dict.fromkeys(PRESETS, "ale_rs.deep.agents:trial"),
}
"""Name -> `module:factory`. `const` and `perturb` take an action: `const:FIRE`; `sarsa` takes features."""
NATIVE = {f"{OWN}:{name}": "ale_rs.evaluation.natives:trial" for name in ("random", "const", "perturb")}
"""Policies that play Atari games as native trials."""
WITH_ACTION = ("const", "perturb")
ACTIONS = (
    "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT", "UPFIRE",
    "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE",
)  # fmt: skip
"""The 18 actions of a joystick."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent by name.

    Attributes:
        name: its name in logs.
        target: `module:factory`, or the factory itself.
        config: its parameters.
        text: what was asked for, `"const:FIRE"`; `name` may be another.
    """

    name: str
    target: str | Callable[..., Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""

    def factory(self, protocol: Protocol | None = None) -> Callable[..., Any]:
        """The factory; this imports the agent's module."""
        if not isinstance(self.target, str):
            return self.target
        native = protocol is not None and protocol.world == "atari" and not _disturbed(protocol)
        return _import(NATIVE.get(self.target, self.target) if native else self.target)

    def kind(self, protocol: Protocol) -> str:
        """`"policy"`, `"planner"` or `"trial"`: the factory's attribute `kind`."""
        kind = str(getattr(self.factory(protocol), "kind", "policy"))
        if kind not in KINDS_OF_AGENTS:
            raise ValueError(f"{self.name}: {unknown('kind', kind, KINDS_OF_AGENTS)}")
        return kind

    def pipeline(self, protocol: Protocol) -> dict[str, Any]:
        """How the agent wants to observe: the factory's attribute `pipeline`, a mapping or a function."""
        blind = {"obs_type": "ram"} if protocol.world == "atari" else {}
        factory, kind = self.factory(protocol), self.kind(protocol)
        found = getattr(factory, "pipeline", blind if kind == "planner" else {})
        pipeline = dict(found(protocol) if callable(found) else found)
        if kind != "trial":
            check_pipeline(protocol, pipeline)
        return pipeline

    def described(self, protocol: Protocol) -> dict[str, Any]:
        """What the log says of the agent: its parameters, and its pipeline."""
        describe = getattr(self.factory(protocol), "describe", None)
        if describe is not None:
            found: dict[str, Any] = describe(self, protocol)
            return found
        pipeline = self.pipeline(protocol)
        return dict(self.config) | ({"pipeline": pipeline} if pipeline else {})


def agent(
    name: str | Callable[..., Any] | AgentSpec,
    config: Mapping[str, Any] | None = None,
    *,
    as_name: str | None = None,
) -> AgentSpec:
    """An agent by name: `"random"`, `"const:FIRE"`, `"my_module:factory"`, or a factory.

    Args:
        name: a built-in name, `module:factory`, or a function.
        config: parameters of the agent.
        as_name: what logs call it; by default the name.

    Raises:
        ValueError: there is none; the text names the nearest.
    """
    if isinstance(name, AgentSpec):
        return name
    values = dict(config or {})
    if not isinstance(name, str):
        return AgentSpec(as_name or str(getattr(name, "__name__", "agent")), name, values)
    first, _, rest = name.partition(":")
    if first in BUILT_IN:
        if first in WITH_ACTION:
            if not rest:
                raise ValueError(f'"{name}" needs an action: "{first}:FIRE"')
            if rest.upper() not in (*ACTIONS, *_crafter_actions()):
                raise unknown("action", rest, ACTIONS)
            values = {"action": rest.upper()} | values
            name = f"{first}:{rest.upper()}"
        elif first == "sarsa" and not rest:
            raise ValueError('"sarsa" needs its features: "sarsa:blob-prost"')
        elif rest and first != "sarsa":
            raise ValueError(f'"{first}" takes nothing after the colon, not "{rest}"')
        return AgentSpec(as_name or name, BUILT_IN[first], values, name)
    if not rest:
        raise unknown("agent", name, [*BUILT_IN, "baselines", "module:factory"])
    spec = AgentSpec(as_name or name, name, values)
    spec.factory()
    return spec


def _disturbed(protocol: Protocol) -> bool:
    """Whether the environment does what native trials cannot."""
    return bool(protocol.env.get("noop_max") or protocol.env.get("action_noise"))


def _crafter_actions() -> tuple[str, ...]:
    return tuple(name.upper() for name in _native.crafter_names()[0])


def baselines() -> list[AgentSpec]:
    """The 37 reference policies of Bellemare et al. 2013: random, 18 constant ones, 18 with noise."""
    held = [f"{name}:{action}" for name in WITH_ACTION for action in ACTIONS]
    return [agent(name) for name in ("random", *held)]


def _import(target: str) -> Callable[..., Any]:
    module_name, _, attribute = target.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # a factory may stand in the directory that the command is called from
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name.partition(".")[0] and error.name != module_name:
            raise
        raise ValueError(f'"{target}": there is no module {module_name} on the path or in {here}') from None
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if callable(getattr(module, name)) and name[0] != "_"]
        raise ValueError(f"{module_name}: {unknown('factory', attribute, names)}")
    found = getattr(module, attribute)
    if not callable(found):
        raise ValueError(f'"{target}" is {found!r}; expected a function that makes the agent')
    factory: Callable[..., Any] = found
    return factory
