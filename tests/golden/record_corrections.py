"""Look for scores that start again at 0, by experiment with the reference; `corrections.json` keeps them.

    python tests/golden/record_corrections.py [game ...]      (needs ale-py 0.12.1)

The experiment: play at random until points are made. Go back some frames, write a score just below the limit
into memory and play the same actions again. If the game goes on and its score is what it would be, minus the
limit, then the score wraps there: the points were made, and the right reward is that of the undisturbed play.
If the game goes on with something else in place of a score, marks in most cases, nothing is counted any more
and the right reward is 0. Kept are the games in which the reference gives another one.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import math
import os
import pathlib
import random
import sys
from typing import Any

import ale_py

from ale_rs import _native

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from record_games import cells_of, rules_of

HERE = pathlib.Path(__file__).resolve().parent
FRAMES = 15_000
"""How long points are waited for."""
WINDOW = 10
"""How many frames before the points the score is written."""
LIMITS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
NO_DIGITS = {("turmoil", 0x53)}
"""Counted by the reference, but always 0 in a play."""
# The score of these games ends far below the limit, whatever the player does.
OUT_OF_REACH = {"breakout", "double_dunk", "ice_hockey", "othello", "space_war", "boxing", "fishing_derby"}


class Play:
    """Random play that can be repeated: the same seed gives the same actions in every emulator."""

    def __init__(self, package: Any, game: str, seed: int, **flags: bool) -> None:
        self.random = random.Random(f"{game} {seed}")
        self.ale = package.ALEInterface()
        self.ale.setInt("random_seed", seed)
        self.ale.setFloat("repeat_action_probability", 0.0)
        for key, value in flags.items():
            self.ale.setBool(key, value)
        rom = pathlib.Path(ale_py.__file__).parent / "roms" / f"{game}.bin"
        self.ale.loadROM(str(rom))
        self.actions = [action.value for action in self.ale.getMinimalActionSet()]
        self.action = self.held = 0

    def frame(self) -> int:
        if self.ale.game_over(with_truncation=False):
            self.ale.reset_game()
        if self.held == 0:
            self.action, self.held = self.random.choice(self.actions), self.random.randint(1, 10)
        self.held -= 1
        return int(self.ale.act(self.action))

    def ram(self) -> bytes:
        return bytes(self.ale.getRAM())


def window(
    package: Any, game: str, proof: dict[str, Any], write: bool, **flags: bool
) -> tuple[int, bytes, bytes, bool]:
    """Repeat an experiment: the sum of the rewards, memory before and after, and whether the game is over."""
    play = Play(package, game, proof["seed"], **flags)
    for _ in range(proof["frame"] - WINDOW):
        play.frame()
    for cell, value in proof["writes"].items() if write else ():
        play.ale.setRAM(int(cell), value)
    play.frame()  # what was written is taken in
    before = play.ram()
    rewards = sum(play.frame() for _ in range(WINDOW - 1))
    return rewards, before, play.ram(), bool(play.ale.game_over(with_truncation=False))


facts_of = functools.cache(_native.game_by_name)


def score(game: str, ram: bytes) -> int:
    return facts_of(game).values(ram)["score"]


def odd(value: int) -> int:
    """How many of the two digits are none: games that count in decimal never hold them."""
    return (value >> 4 > 9) + (value & 15 > 9)


def writes_for(game: str, ram: bytes, target: int) -> dict[int, int] | None:
    """Bytes that make the score `target`, the weightiest cell first."""
    facts = facts_of(game)

    def with_byte(base: bytes, cell: int, value: int) -> int:
        return facts.values(base[:cell] + bytes([value]) + base[cell + 1 :])["score"]

    mentioned = [c for c in cells_of(rules_of(facts.source)) if c < 128 and (game, c) not in NO_DIGITS]
    values = {cell: [with_byte(ram, cell, value) for value in range(256)] for cell in mentioned}
    cells = sorted(
        (c for c in values if len(set(values[c])) > 1), key=lambda c: -max(values[c]) + min(values[c])
    )
    now = ram
    for cell in cells:  # all digits 0
        best = min(
            range(256),
            key=lambda value: (abs(with_byte(now, cell, value)), odd(value), abs(value - now[cell])),
        )
        now = now[:cell] + bytes([best]) + now[cell + 1 :]
    for cell in cells:
        below = [value for value in range(256) if with_byte(now, cell, value) <= target]
        if not below:
            return None
        best = max(
            below, key=lambda value: (with_byte(now, cell, value), -odd(value), -abs(value - now[cell]))
        )
        now = now[:cell] + bytes([best]) + now[cell + 1 :]
    if facts.values(now)["score"] != target:
        return None
    return {cell: now[cell] for cell in cells if now[cell] != ram[cell]}


@dataclasses.dataclass
class Event:
    """Points that were made: when, and what came before them."""

    frame: int
    state: Any
    actions: list[int]

    def again(self, ale: Any, writes: dict[int, int]) -> tuple[int, bytes, bytes, bool]:
        """What `window` does, without playing up to it."""
        ale.restoreState(self.state)
        for cell, value in writes.items():
            ale.setRAM(cell, value)
        ale.act(self.actions[0])
        before = bytes(ale.getRAM())
        rewards = sum(int(ale.act(action)) for action in self.actions[1:])
        return rewards, before, bytes(ale.getRAM()), bool(ale.game_over(with_truncation=False))


def events(play: Play) -> tuple[list[Event], int]:
    """Points that were made, and what all of them are multiples of."""
    found: list[Event] = []
    unit = 0
    last: collections.deque[tuple[Any, int]] = collections.deque(maxlen=WINDOW)
    for frame in range(1, FRAMES):
        if play.ale.game_over(with_truncation=False):
            last.clear()
        state = play.ale.cloneState()
        reward = play.frame()
        last.append((state, play.action))
        if reward > 0:
            unit = math.gcd(unit, reward)
            if len(last) == WINDOW:
                found.append(Event(frame, last[0][0], [action for _, action in last]))
            if len(found) == 12:
                break
    return found, unit


def prove(game: str) -> dict[str, Any] | None:
    """The first experiment in which the reference does not pay the points that were made."""
    for seed in range(1, 4):
        play = Play(ale_py, game, seed)
        found, unit = events(play)
        for event in found:
            delta, ram, _, over = event.again(play.ale, {})
            if delta <= 0 or over:
                continue
            for limit in LIMITS:
                # A score that ends at 0 may have been cleared, so others are tried first.
                lows = [low for low in dict.fromkeys((unit, 10, 1)) if low < delta]
                for low in (*lows, delta):
                    writes = writes_for(game, ram, limit - low)
                    if writes is None:
                        continue
                    paid, before, after, over = event.again(play.ale, writes)
                    if score(game, before) != limit - low or over:
                        continue
                    proof = {"seed": seed, "frame": event.frame, "writes": writes}
                    if window(ale_py, game, proof, write=True) != (paid, before, after, over):
                        continue
                    if score(game, after) == delta - low:
                        proof |= {"wraps_at": limit, "reward": delta, "reference": paid}
                        return proof if paid != delta else None
                    if low % unit == 0 and not 0 <= paid <= delta:
                        # Something else stands where the score was: nothing is counted any more.
                        return proof | {"stops_at": limit, "reward": 0, "reference": paid}
    return None


def main() -> None:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # odd opcodes met on the way are reported there
    path = HERE / "corrections.json"
    proofs = json.loads(path.read_text()) if path.exists() and sys.argv[1:] else {}
    for game in sys.argv[1:] or [name for name in _native.game_names()[:104] if name not in OUT_OF_REACH]:
        proof = prove(game)
        print(game, proof and {key: proof[key] for key in proof if key not in ("seed", "writes")}, flush=True)
        if proof is not None:
            proofs[game] = proof
        rows = [f"{json.dumps(name)}: {json.dumps(proofs[name])}" for name in sorted(proofs)]
        path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
