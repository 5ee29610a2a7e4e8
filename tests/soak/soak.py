"""Plays all games at once for a long time: constant memory, equal replay, steady throughput?

    PYTHONPATH=tests python -m soak.soak                    an hour
    PYTHONPATH=tests python -m soak.soak --minutes 2
    PYTHONPATH=tests python -m soak.soak --frames 200000    short: some seconds

Between the steps come, at random: snapshots of some sub-environments, their restores (elsewhere, too),
branches, resets with masks and seeds, and a move of everything into a new environment by a pickle. Every step
has a checksum of all results. Afterwards the beginning is played again from the seed and the end from a
snapshot taken in a fresh environment, by one thread. Throughput is that of the steps, by processor time,
since other programs may run. The exit code is 1 unless all three parts of the verdict hold.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO

from soak.player import FRAMESKIP, Player, every_game

INTERVALS = 60
"""Measurements in a run: one each minute of an hour."""
PAUSE = 5.0
"""Seconds: a step that takes longer was one while the process was stopped; what is above does not count."""
REPLAYED = 1 / 20
"""The share of the steps that is played again, at the beginning and at the end."""

WARM_UP = 8
"""Moves before the first measurement: the allocator takes more memory for each of the first five."""
GROWTH = 8_000_000
"""Bytes by which the process may have grown from the middle third to the last one: the allocator's own."""
SLOWEST = 0.5
"""The share of the median throughput that no interval may fall below."""
FADING = 0.85
"""The share of the throughput of the first third that the last third must have."""


@dataclass
class Sample:
    """One interval."""

    frames_per_second: float
    frames_per_processor_second: float
    resident: int


@dataclass
class Report:
    """What was measured, and the verdict."""

    envs: int
    games: int
    seed: int
    frames: int
    seconds: float
    processor_seconds_of_steps: float
    frames_per_second: int
    frames_per_processor_second: int
    slowest_to_median: float
    last_third_to_first: float
    episodes: int
    events: dict[str, int]
    memory_start: int
    memory_middle: int
    memory_end: int
    memory_most: int
    replayed_from_seed: int
    replayed_from_snapshot: int
    constant_memory: bool
    equal_replay: bool
    steady_throughput: bool

    @property
    def good(self) -> bool:
        """Whether all parts of the verdict hold."""
        return self.constant_memory and self.equal_replay and self.steady_throughput

    def verdict(self) -> str:
        """One line."""
        memory = f"{self.memory_middle / 1e6:.1f} MB, then {self.memory_end / 1e6:.1f} MB"
        replay = (
            f"{self.replayed_from_seed} steps from the seed, {self.replayed_from_snapshot} from a snapshot"
        )
        speed = (
            f"slowest interval {self.slowest_to_median:.2f} of the median, "
            f"last third {self.last_third_to_first:.2f} of the first"
        )
        return "; ".join(
            (
                f"{'constant' if self.constant_memory else 'GROWING'} memory ({memory})",
                f"{'equal' if self.equal_replay else 'DIFFERENT'} replay ({replay})",
                f"{'steady' if self.steady_throughput else 'UNSTEADY'} throughput ({speed})",
            )
        )


def resident() -> int:
    """Bytes of memory that the process has; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def soak(
    frames: float, minutes: float, envs: int, seed: int, quiet: bool = False, threads: int = 0
) -> Report:
    """Plays, then plays parts again."""
    # What the replay starts from waits in a file, so that it does not count as memory.
    with tempfile.TemporaryFile() as file:
        return _soak(frames, minutes, Player(seed, envs, threads), quiet, file)


def _soak(frames: float, minutes: float, player: Player, quiet: bool, file: IO[bytes]) -> Report:
    begin = resident()
    for _ in range(WARM_UP):
        player.move()
    per_step = player.envs * FRAMESKIP
    steps = max(frames / per_step, INTERVALS)
    samples: list[Sample] = []
    kept: int | None = None
    mark = awake = 0.0
    marked, busy, last = 0, 0.0, time.monotonic()
    while (share := max(player.step / steps, awake / (minutes * 60))) < 1:
        if kept is None and share >= 1 - REPLAYED:
            kept = player.step
            file.write(player.save())
        player.play()
        now = time.monotonic()
        awake += min(now - last, PAUSE)
        last = now
        if share * INTERVALS < len(samples) + 1:
            continue
        played = (player.step - marked) * per_step
        samples.append(Sample(played / (awake - mark), played / max(player.busy - busy, 1e-3), resident()))
        mark, busy, marked = awake, player.busy, player.step
        if not quiet:
            made = samples[-1]
            print(
                f"{awake:7.0f} s  {made.frames_per_second:9.0f} frames/s  "
                f"{made.frames_per_processor_second:9.0f} by processor time  {made.resident / 1e6:7.1f} MB",
                flush=True,
            )
    same, again, last_steps = replay(player, kept, file)
    return report(player, samples, (begin, awake), (same, again, last_steps))


def report(
    player: Player,
    samples: list[Sample],
    whole: tuple[int, float],
    replayed: tuple[bool, int, int],
) -> Report:
    """Judges what was measured."""
    begin, seconds = whole
    same, again, last = replayed
    third = max(len(samples) // 3, 1)
    rates = [sample.frames_per_processor_second for sample in samples]
    middle = statistics.median(sample.resident for sample in samples[third:-third] or samples)
    end = statistics.median(sample.resident for sample in samples[-third:])
    slowest = min(rates) / statistics.median(rates)
    fading = statistics.median(rates[-third:]) / statistics.median(rates[:third])
    frames = player.step * player.envs * FRAMESKIP
    return Report(
        envs=player.envs,
        games=len(set(player.names)),
        seed=player.seed,
        frames=frames,
        seconds=round(seconds, 1),
        processor_seconds_of_steps=round(player.busy, 1),
        frames_per_second=round(frames / seconds),
        frames_per_processor_second=round(frames / max(player.busy, 1e-3)),
        slowest_to_median=round(slowest, 3),
        last_third_to_first=round(fading, 3),
        episodes=player.episodes,
        events=player.events,
        memory_start=begin,
        memory_middle=int(middle),
        memory_end=int(end),
        memory_most=max(sample.resident for sample in samples),
        replayed_from_seed=again,
        replayed_from_snapshot=last,
        # The checksums are this script's own: four bytes each, in an array that grows by eighths.
        constant_memory=end <= middle + GROWTH + 5 * player.step,
        equal_replay=same,
        steady_throughput=slowest >= SLOWEST and fading >= FADING,
    )


def replay(player: Player, kept: int | None, file: IO[bytes]) -> tuple[bool, int, int]:
    """Whether the first steps from the seed and the last from the snapshot are the same, and how many."""
    player.env.close()
    count = max(int(player.step * REPLAYED), 20)
    first = Player(player.seed, player.envs, threads=1)
    for _ in range(count):
        first.play()
    same = first.sums == player.sums[:count]
    last = 0
    if kept is not None:
        # From another seed, so that nothing but the snapshot can make it the same.
        end = Player(player.seed + 1, player.envs, threads=1)
        end.seed = player.seed
        file.seek(0)
        end.load(file.read())
        last = player.step - kept
        for _ in range(last):
            end.play()
        same = same and end.sums == player.sums[kept:]
    return same, count, last


def main(arguments: list[str] | None = None) -> int:
    """Runs and prints the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=float, default=float("inf"), help="end after this many")
    parser.add_argument("--minutes", type=float, default=60, help="end after this time")
    parser.add_argument(
        "--envs", type=int, default=2 * len(every_game()), help="sub-environments, the games in turn"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    result = soak(options.frames, options.minutes, options.envs, options.seed, threads=options.threads)
    print(json.dumps(vars(result), indent=2))
    print(result.verdict())
    return 0 if result.good else 1


if __name__ == "__main__":
    sys.exit(main())
