"""The hyper-parameters of the papers' tables, as data.

A count has its unit in its name: a decision is one action of the agent, a frame one picture of the emulator
(five or four of them make a decision).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import Any, Literal

__all__ = ["Preset", "find", "presets"]

Network = Literal["conv", "dense"]
Qt = Literal["lstm", "mlp", "cnn"]
Pooling = Literal["max", "average"]


@dataclass(frozen=True)
class Preset:
    """All choices of one agent."""

    algorithm: Literal["dqn", "comper"]
    protocol: str
    source: str
    step_size: float = 0.00025
    discount: float = 0.99
    epsilon_start: float = 1.0
    epsilon_end: float = 0.01
    epsilon_decisions: int | None = None
    """Decisions over which epsilon falls; or `epsilon_frames`."""
    epsilon_frames: int | None = None
    batch_size: int = 32
    replay_frames: int = 1_000_000
    """Frames that the replay buffer keeps (one a decision)."""
    replay_start_decisions: int = 50_000
    decisions_per_update: int = 4
    target_decisions: int | None = 10_000
    """Decisions between copies of the network to the target; or `target_updates`."""
    target_updates: int | None = None
    frameskip: int = 5
    pooling: Pooling = "max"
    """What a state shows of the last two frames of a decision."""
    stack: int = 4
    life_loss_ends_episode: bool = False
    noop_max: int = 0
    network: Network = "conv"
    hidden: int = 512
    # COMPER only.
    qt: Qt = "lstm"
    estimate: Literal["next", "action"] = "next"
    """The Q value stored with a transition, which QT learns and the target discounts: `"next"` is
    max Q(s', b), with which the target is Bellman's; `"action"` is Q(s, a), with which no value passes from a
    state to the one before it."""
    similarity: float = 0.0
    """Distance up to which transitions are similar; 0 is equality."""
    sets: int = 100_000
    sets_per_fit: int = 1_000
    decisions_per_fit: int = 100
    fit_epochs: int = 15
    fit_batch_size: int = 16

    def with_(self, **changes: Any) -> Preset:
        """A copy with other values.

        Raises:
            ValueError: a name that a preset does not have.
        """
        names = set(self.__dataclass_fields__)
        for name in changes:
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"a preset has no {name!r}{hint} accepted: {', '.join(sorted(names))}")
        return replace(self, **changes).check()

    def check(self) -> Preset:
        """This preset, if its values can be.

        Raises:
            ValueError: which value cannot be, and what is accepted.
        """

        def refuse(name: str, accepted: str) -> None:
            raise ValueError(f"{name} is {getattr(self, name)!r}; accepted: {accepted}")

        if self.algorithm not in ("dqn", "comper"):
            refuse("algorithm", "'dqn', 'comper'")
        if self.pooling not in ("max", "average"):
            refuse("pooling", "'max', 'average'")
        if self.qt not in ("lstm", "mlp", "cnn"):
            refuse("qt", "'lstm', 'mlp', 'cnn'")
        if self.estimate not in ("next", "action"):
            refuse("estimate", "'next', 'action'")
        if self.network not in ("conv", "dense"):
            refuse("network", "'conv', 'dense'")
        for name in ("discount", "epsilon_start", "epsilon_end"):
            if not 0 <= getattr(self, name) <= 1:
                refuse(name, "0 to 1")
        for name in ("batch_size", "decisions_per_update", "frameskip", "stack", "sets", "hidden"):
            if getattr(self, name) < 1:
                refuse(name, "1 and more")
        if not self.step_size > 0:
            refuse("step_size", "above 0")
        if not self.similarity >= 0:
            refuse("similarity", "0 and more")
        return self

    def epsilon(self, decision: int) -> float:
        """The probability of a random action at a decision, linear between its ends."""
        if self.epsilon_frames is not None:
            done = decision * self.frameskip / self.epsilon_frames
        else:
            done = decision / (self.epsilon_decisions or 1)
        return self.epsilon_start + (self.epsilon_end - self.epsilon_start) * min(done, 1.0)


_COMPER = Preset(
    "comper",
    "comper100k",
    "COMPER appendices, Tables 1 to 5",
    epsilon_end=0.001,
    epsilon_frames=90_000,
    replay_start_decisions=100,
    pooling="average",
    stack=1,
)

presets: dict[str, Preset] = {
    "dqn_machado2018": Preset(
        "dqn", "machado2018", "Machado et al. 2018, Tables 5 and 6", epsilon_decisions=1_000_000
    ),
    "dqn_comper100k": Preset(
        "dqn",
        "comper100k",
        "COMPER appendices, Table 6",
        epsilon_end=0.001,
        epsilon_frames=90_000,
        replay_frames=100_000,
        replay_start_decisions=1_000,
        target_decisions=1_000,
    ),
    "dqn_mnih2015": Preset(
        "dqn",
        "atari100k",
        "Mnih et al. 2015, extended data table 1",
        epsilon_end=0.1,
        epsilon_decisions=1_000_000,
        target_decisions=None,
        target_updates=10_000,
        frameskip=4,
        life_loss_ends_episode=True,
        noop_max=31,
    ),
    "comper_single": _COMPER,
    "comper_stacked": _COMPER.with_(stack=4),
}
"""Preset by name."""


def find(name: str) -> Preset:
    """The preset of this name.

    Raises:
        ValueError: there is none; the message has the nearest name.
    """
    if name in presets:
        return presets[name]
    near = difflib.get_close_matches(str(name), presets, 1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"no preset {name!r};{hint} accepted: {', '.join(presets)}")
