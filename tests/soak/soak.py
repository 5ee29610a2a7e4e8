"""Plays many games at once for a long time: memory, throughput, and whether a replay is the same.

    python tests/soak/soak.py                    an hour or 100 million frames, whatever comes first
    python tests/soak/soak.py --minutes 10
    python tests/soak/soak.py --frames 200000    short: some seconds

Afterwards the beginning is played again from the seed, and the end from a snapshot taken in a fresh
environment; every step has a checksum. The exit code is 1 when memory grew or a replay differed.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from array import array
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

import ale_rs
from ale_rs import roms
from ale_rs.registration import SEVERAL_PLAYERS

FRAMESKIP = 4
GROWTH = 8_000_000
"""Bytes that the process may grow after the warm-up: the allocator's own, not ours."""


def games(count: int) -> list[str]:
    """Games in turn: ours and all whose ROM is found."""
    found = [name for name in roms.get_all_rom_ids() if name not in SEVERAL_PLAYERS and roms.locate(name)]
    names = [*roms.embedded_ids(), *found]
    return [names[index % len(names)] for index in range(count)]


def resident() -> int:
    """Bytes of memory that the process has; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


@dataclass
class Player:
    """A vector environment and the checksums of its steps."""

    seed: int
    envs: int
    step: int = 0
    episodes: int = 0
    sums: "array[int]" = field(default_factory=lambda: array("I"))

    def __post_init__(self) -> None:
        options: dict[str, Any] = {"repeat_action_probability": 0.25, "full_action_space": True}
        self.env = ale_rs.AtariVectorEnv(games(self.envs), frameskip=FRAMESKIP, **options)
        self.env.reset(seed=self.seed)

    def play(self) -> None:
        """One step of all; every eighth step the checksum is that of the pictures too."""
        actions = np.random.default_rng((self.seed, self.step)).integers(18, size=self.envs)
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        total = 0
        for part in (rewards, terminated, truncated, info["lives"], info["frame_number"]):
            total = zlib.crc32(np.ascontiguousarray(part), total)
        if self.step % 8 == 0:
            total = zlib.crc32(observations, total)
        self.sums.append(total)
        self.episodes += int((terminated | truncated).sum())
        self.step += 1


@dataclass
class Report:
    """What was measured."""

    envs: int
    seed: int
    frames: int
    seconds: float
    frames_per_second: float
    per_minute: list[float]
    slowest_to_median: float
    per_minute_of_processor: list[float]
    slowest_to_median_of_processor: float
    episodes: int
    memory_start: int
    memory_warm: int
    memory_end: int
    memory_most: int
    replayed_from_seed: int
    replayed_from_snapshot: int
    same: bool
    grew: bool


def soak(frames: int, minutes: float, envs: int, seed: int, quiet: bool = False) -> Report:
    """Plays, then plays parts again."""
    # A snapshot near the end waits in a file, so that it does not count as memory.
    with tempfile.TemporaryFile() as file:
        return _soak(frames, minutes, envs, seed, quiet, file)


def slowest(rates: list[float]) -> float:
    """The lowest rate as a share of the median."""
    return round(min(rates) / statistics.median(rates), 3) if rates else 1.0


def _soak(frames: int, minutes: float, envs: int, seed: int, quiet: bool, file: IO[bytes]) -> Report:
    begin = resident()
    player = Player(seed, envs)
    per_step = envs * FRAMESKIP
    steps = max(frames // per_step, 40)
    start = mark = time.monotonic()
    marked = warm = most = warm_step = 0
    # By the clock on the wall, and by the processor's time: what else runs on the machine counts less there.
    rates: list[float] = []
    busy_rates: list[float] = []
    busy = time.process_time()
    kept: int | None = None
    every = 60.0 if minutes >= 2 else max(minutes * 60 / 10, 0.5)
    while player.step < steps and (now := time.monotonic()) - start < minutes * 60:
        player.play()
        share = max(player.step / steps, (now - start) / (minutes * 60))
        if not warm and share > 1 / 3:
            # What a snapshot takes stays with the allocator, from the second one on; a third takes no more.
            for _ in range(2):
                player.env.snapshot().to_bytes()
            warm, warm_step = resident(), player.step
        if kept is None and share > 0.9:
            kept = player.step
            file.write(player.env.snapshot().to_bytes())
        if now - mark >= every:
            played, used = (player.step - marked) * per_step, time.process_time() - busy
            rates.append(played / (now - mark))
            busy_rates.append(played / max(used, 1e-3))
            busy += used
            most = max(most, resident())
            if not quiet:
                by_processor = f"{busy_rates[-1]:9.0f} by processor time"
                memory = f"{resident() / 1e6:7.1f} MB"
                print(
                    f"{now - start:7.0f} s  {rates[-1]:9.0f} frames/s  {by_processor}  {memory}", flush=True
                )
            mark, marked = now, player.step
    seconds, end = time.monotonic() - start, resident()
    same, again, last = replay(player, min(player.step, max(player.step // 20, 20)), kept, file)
    return Report(
        envs=envs,
        seed=seed,
        frames=player.step * per_step,
        seconds=round(seconds, 1),
        frames_per_second=round(player.step * per_step / seconds),
        per_minute=[round(rate) for rate in rates],
        slowest_to_median=slowest(rates),
        per_minute_of_processor=[round(rate) for rate in busy_rates],
        slowest_to_median_of_processor=slowest(busy_rates),
        episodes=player.episodes,
        memory_start=begin,
        memory_warm=warm,
        memory_end=end,
        memory_most=max(most, end),
        replayed_from_seed=again,
        replayed_from_snapshot=last,
        same=same,
        # Eight bytes for each checksum are this script's own.
        grew=end > warm + GROWTH + 48 * (player.step - warm_step),
    )


def replay(player: Player, count: int, kept: int | None, file: IO[bytes]) -> tuple[bool, int, int]:
    """Whether the first steps from the seed and the last from the snapshot are the same, and how many."""
    first = Player(player.seed, player.envs)
    for _ in range(count):
        first.play()
    same = first.sums == player.sums[:count]
    last = 0
    if kept is not None:
        # From another seed, so that nothing but the snapshot can make it the same.
        end = Player(player.seed + 1, player.envs, kept)
        end.seed = player.seed
        file.seek(0)
        end.env.restore(ale_rs.vector_env.VectorSnapshot.from_bytes(file.read()))
        last = min(player.step - kept, count)
        for _ in range(last):
            end.play()
        same = same and end.sums == player.sums[kept : kept + last]
    return same, count, last


def main(arguments: list[str] | None = None) -> int:
    """Runs and prints the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=int, default=100_000_000, help="end after this many")
    parser.add_argument("--minutes", type=float, default=60, help="end after this time")
    parser.add_argument("--envs", type=int, default=128, help="sub-environments, the games in turn")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    report = soak(options.frames, options.minutes, options.envs, options.seed)
    print(json.dumps(vars(report), indent=2))
    return 0 if report.same and not report.grew else 1


if __name__ == "__main__":
    sys.exit(main())
