"""How fast is Crafter? `CrafterVectorEnv` in turns with the package `crafter`, where that is installed.

Four rows: pixels or symbols, fresh worlds (random play until death) or long episodes (a sheltered player that
sleeps, eats and drinks little: no-ops that are cut off after 300 steps, a whole day). Then worlds alone, two
threads against one, and the memory of 1,024 worlds.
"""

import argparse
import importlib
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import number

from ale_rs.crafter import CrafterEnv, CrafterVectorEnv

# This file has the name of the package: its directory must not be looked at any more.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parent.resolve()]
sys.modules.pop("crafter", None)
crafter: Any = importlib.import_module("crafter") if importlib.util.find_spec("crafter") else None

ACTIONS = 17
ROWS = [
    ("pixels, fresh worlds", "pixels", 10_000, True),
    ("pixels, long episodes", "pixels", 300, False),
    ("symbols, fresh worlds", "symbolic", 10_000, True),
    ("symbols, long episodes", "symbolic", 300, False),
]
Round = Callable[[], tuple[float, float]]
"""Steps per second on the wall, and per second of the processor."""


def timed(steps: int, run: Callable[[], None]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return steps / (time.perf_counter() - wall), steps / (time.process_time() - cpu)


def ours(args: argparse.Namespace, kind: str, length: int, random: bool, threads: int) -> Round:
    """A round of the batch; it goes on where the last one ended."""
    envs = CrafterVectorEnv(
        args.envs, observation=kind, length=length, autoreset_mode="SameStep", num_threads=threads
    )
    envs.reset(seed=0)
    source = np.random.default_rng(0)
    steps = max(1, args.steps // args.envs)
    plays = source.integers(ACTIONS, size=(steps, args.envs)) if random else np.zeros((steps, args.envs), int)

    def run() -> None:
        for actions in plays:
            envs.step(actions)

    for _ in range(args.warm_up):
        run()
    return lambda: timed(steps * args.envs, run)


def package(args: argparse.Namespace, length: int, random: bool) -> Round:
    """A round of the package, resets included."""
    env = crafter.Env(seed=0, length=length)
    env.reset()
    source = np.random.default_rng(0)
    plays = source.integers(ACTIONS, size=args.package_steps) if random else np.zeros(args.package_steps, int)

    def run() -> None:
        for action in plays:
            if env.step(action)[2]:
                env.reset()

    return lambda: timed(args.package_steps, run)


def in_turns(contestants: dict[str, Round], rounds: int) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for turn in range(rounds):
        for name in list(contestants)[:: 1 if turn % 2 == 0 else -1]:
            found[name].append(contestants[name]())
    return found


def median(rounds: list[tuple[float, float]]) -> tuple[float, float]:
    wall, cpu = zip(*rounds, strict=True)
    return statistics.median(wall), statistics.median(cpu)


def check(args: argparse.Namespace) -> None:
    """What is measured is the same game: worlds of the batch, of single environments and of the package."""
    envs = CrafterVectorEnv(3, observation="pixels", textures="crafter" if crafter else "own")
    first, _ = envs.reset(seed=0)
    for seed in range(3):
        single = CrafterEnv(seed, textures="crafter" if crafter else "own").reset()[0]
        assert np.array_equal(first[seed], single), "a world of the batch differs from a single one"
        if crafter:
            assert np.array_equal(single, crafter.Env(seed=seed).reset()), (
                "a world differs from the package's"
            )


def memory() -> dict[str, float]:
    """Megabytes of 1,024 worlds, measured in a process of its own."""
    code = (
        "import resource, numpy as np\n"
        "from ale_rs.crafter import CrafterVectorEnv\n"
        "size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "small = CrafterVectorEnv(1); small.reset(seed=0)\n"
        "before = size()\n"
        "envs = CrafterVectorEnv(1024); envs.reset(seed=0)\n"
        "for _ in range(20): obs = envs.step(np.zeros(1024, int))[0]\n"
        "print(size() - before, obs.nbytes / 2**20)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    grown, observations = map(float, out.split())
    return {"grown": grown, "observations": observations}


def worlds(count: int) -> tuple[float, float]:
    """Microseconds of a fresh world, on the wall and of the processor, by one thread."""
    envs = CrafterVectorEnv(16, observation="symbolic", num_threads=1)
    envs.reset(seed=0)

    def run() -> None:
        for _ in range(count // 16):
            envs.reset()

    run()
    wall, cpu = median([timed(count, run) for _ in range(7)])
    return 1e6 / wall, 1e6 / cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--envs", type=int, default=64, help="worlds of a batch (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=300_000, help="our steps of a round")
    parser.add_argument("--package-steps", type=int, default=600, help="the package's steps of a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each side (default: %(default)s)")
    parser.add_argument("--warm-up", type=int, default=1, help="our rounds before the first that counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="(default: 1 2)")
    parser.add_argument("--json", help="write the figures to this file")
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {args.envs} worlds, {args.rounds} rounds")
    check(args)
    results: dict[str, Any] = {"rows": {}}
    for title, kind, length, random in ROWS:
        contestants = {
            f"{threads} thread{'s' * (threads > 1)}": ours(args, kind, length, random, threads)
            for threads in args.threads
        }
        if crafter:
            contestants["package"] = package(args, length, random)
        found = {name: median(rounds) for name, rounds in in_turns(contestants, args.rounds).items()}
        results["rows"][title] = found
        print(f"\n{title}")
        for name, (wall, cpu) in found.items():
            line = f"  {name:9}  {number(wall):>9} steps/s   {number(cpu):>9} steps per CPU second"
            if crafter and name != "package":
                line += f"   x{wall / found['package'][0]:,.0f} wall, x{cpu / found['package'][1]:,.0f} CPU"
            print(line, flush=True)
        if len(args.threads) > 1:
            (one, _), (more, _) = list(found.values())[:2]
            print(f"  {args.threads[1]} threads against {args.threads[0]}: {more / one:.2f}x")
    wall, cpu = worlds(320)
    print(f"\na fresh world: {wall:.0f} us, {cpu:.0f} us of the processor")
    grown = memory()
    print(
        f"1,024 worlds: {grown['grown']:.0f} MB, of which observations {grown['observations']:.0f} MB a batch"
    )
    results |= {"world_us": wall, "world_cpu_us": cpu, "memory_mb": grown}
    results["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1), "utf-8")


if __name__ == "__main__":
    main()
