"""Record what the reference makes of memory in `games.json`, which `game_traces.rs` of ale-core replays.

    python tests/golden/record_games.py [game ...]      (needs ale-py 0.12.1)

Only the memory cells that a game's sheet mentions are kept. Events of a trace, in order:

    R<cells>=<end><lives>      environment reset; the cells afterwards
    <cells>=<reward>,<end>,<lives>   one frame; cells as index:value pairs that changed
    +<n>                       n frames in which neither cells, reward (0), end nor lives changed
    S                          save the state
    L<k>=<end>,<lives>         restore save number k

Random play is interleaved with bytes written into the cells, because play alone seldom comes to an end.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import struct
import sys
from typing import Any

import ale_py

HERE = pathlib.Path(__file__).resolve().parent
SHEETS = HERE.parents[1] / "crates" / "ale-core" / "games"
BUDGET = 2200
# A return address lives in these cells; other values make the reference run wild and crash.
NOT_WRITTEN = {"tic_tac_toe_3d": {0x7E, 0x7F}}


def rules_of(text: str) -> str:
    """The part of a sheet that a frame is judged by."""
    return re.sub(r"(?ms)^(notes|set_mode|modes|md5|title) = (\[.*?\]|\"[^\n]*)$", "", text).split(
        "[corrected]"
    )[0]


def cells_of(rules: str) -> list[int]:
    """RAM cells (0 to 127) and other addresses (from 0x1000) that the expressions mention."""
    ram = {int(n, 0) for n in re.findall(r"ram\[(\w+)\]", rules)}
    return sorted(ram) + sorted({int(n, 0) for n in re.findall(r"peek\((\w+)\)", rules)})


def constants_of(rules: str) -> list[int]:
    numbers = {int(n, 0) & 0xFF for n in re.findall(r"(?<![\w\[])(0x\w+|\d+)", rules) if len(n) < 5}
    numbers |= {0, 1, 0xFF, 0x99, 0x80}
    return sorted({(n + d) & 0xFF for n in numbers for d in (-1, 0, 1)})


class Recorder:
    def __init__(self, name: str, text: str, seed: int) -> None:
        rules = rules_of(text)
        self.cells, self.constants = cells_of(rules), constants_of(rules)
        self.writable = [c for c in self.cells if c < 128 and c not in NOT_WRITTEN.get(name, set())]
        self.live = "saved = false" in rules or "unsaved" in rules
        self.random = random.Random(f"{name} {seed}")
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("random_seed", seed)
        rom = pathlib.Path(ale_py.__file__).parent / "roms" / f"{name}.bin"
        self.ale.loadROM(str(rom))
        self.actions = self.ale.getMinimalActionSet()
        self.events: list[str] = []
        self.saves: list[Any] = []
        self.shown: list[int] = [0] * len(self.cells)
        self.last = (-1, -1)
        self.size = 0

    def look(self) -> list[int]:
        ram = self.ale.getRAM()
        extra: list[int] = []
        if self.cells and self.cells[-1] > 127:
            state = self.ale.cloneState().serialize()
            start = re.search(rb"Cartridge\w\wSC", state).end()  # type: ignore[union-attr]
            extra = list(struct.unpack_from("<128i", state, start + 8))
        return [int(ram[c]) if c < 128 else extra[c & 0x7F] for c in self.cells]

    def put(self, event: str) -> None:
        if event == "+1" and self.events and self.events[-1].startswith("+"):
            event = f"+{int(self.events.pop()[1:]) + 1}"
        self.events.append(event)
        self.size += 4 if event.startswith("+") else len(event) + 3

    def changes(self) -> str:
        now = self.look()
        pairs = [f"{i}:{b}" for i, (a, b) in enumerate(zip(self.shown, now, strict=True)) if a != b]
        self.shown = now
        return " ".join(pairs)

    def outcome(self) -> tuple[int, int]:
        self.last = (int(self.ale.game_over(with_truncation=False)), self.ale.lives())
        return self.last

    def reset(self) -> None:
        self.ale.reset_game()
        self.put("R{}={},{}".format(self.changes(), *self.outcome()))

    def frame(self) -> None:
        reward = self.ale.act(self.random.choice(self.actions))
        changed, before = self.changes(), self.last
        now = self.outcome()
        quiet = not changed and reward == 0 and now == before
        self.put("+1" if quiet else "{}={},{},{}".format(changed, reward, *now))

    def save(self) -> None:
        self.saves.append((self.ale.cloneState(), list(self.shown)))
        self.put("S")

    def restore(self, number: int) -> None:
        state, _ = self.saves[number]
        self.ale.restoreState(state)
        self.put("L{}={},{}".format(number, *self.outcome()))

    def write(self) -> None:
        if self.random.random() < 0.1:  # boards of one piece, counters that agree
            value = self.random.choice(self.constants)
            for cell in self.writable:
                self.ale.setRAM(cell, value)
        for cell in self.random.sample(self.writable, self.random.randint(1, min(4, len(self.writable)))):
            kind = self.random.random()
            value = self.random.randint(0, 9) * 16 + self.random.randint(0, 9)
            if kind < 0.4:
                value = self.random.choice(self.constants)
            elif kind > 0.8:
                value = self.random.randint(0, 255)
            self.ale.setRAM(cell, value)

    def round(self) -> None:
        if self.saves:
            self.restore(self.random.randrange(len(self.saves)))
        for _ in range(self.random.randint(1, 4)):
            if self.last[0]:
                break
            self.write()
            self.frame()

    def record(self) -> dict[str, Any]:
        self.reset()
        for _ in range(3):
            for _ in range(40):
                if self.last[0] or self.size > BUDGET * (1 + len(self.saves)) // 8:
                    break
                self.frame()
            if not self.last[0]:
                self.save()
        while self.size < BUDGET:
            if not self.saves or self.random.random() < 0.05:
                self.reset()
                self.frame()
            # What is not saved goes on through a restore, so a round can only be left out if all is saved.
            tries = 1 if self.live or not self.saves or self.random.random() < 0.6 else 60
            for attempt in range(tries):
                mark = (len(self.events), self.size, list(self.shown), self.last)
                self.round()
                if self.last[0] or attempt == tries - 1:
                    break
                count, self.size, self.shown, self.last = mark
                del self.events[count:]
        return {"cells": self.cells, "events": self.events}


def main() -> None:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # odd opcodes met on the way are reported there
    path = HERE / "games.json"
    traces = json.loads(path.read_text()) if path.exists() and sys.argv[1:] else {}
    for name in sys.argv[1:] or sorted(p.stem for p in SHEETS.glob("*.toml")):
        if not (pathlib.Path(ale_py.__file__).parent / "roms" / f"{name}.bin").exists():
            continue
        text = (SHEETS / f"{name}.toml").read_text()
        traces[name] = Recorder(name, text, 1).record()
    rows = [f"{json.dumps(k)}: {json.dumps(traces[k], separators=(',', ':'))}" for k in sorted(traces)]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
