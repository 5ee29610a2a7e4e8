"""How fast ale_rs is beside ale-py, and beside envpool where that is installed.

    python benches/python/compare.py                     # everything: some ten minutes on two idle cores
    python benches/python/compare.py --quick             # a few games, short rounds
    python benches/python/compare.py --section act       # one section alone
    python benches/python/compare.py --games pong breakout --rounds 9

Every section asserts that both libraries give the same results before it measures. Rounds of the libraries
alternate; a figure is the median of its rounds, ± half the distance between the fastest and the slowest.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

try:
    import ale_py  # noqa: F401
except ImportError:
    sys.exit("the comparison needs ale-py: pip install 'ale-rs[roms]'")

import chart
from measure import Options, measure, summary
from sections import SECTIONS

from ale_rs import _native, roms

GAMES = [
    "pong", "breakout", "space_invaders", "seaquest", "ms_pacman", "qbert", "beam_rider",
    "montezuma_revenge", "freeway", "asteroids", "alien", "assault", "asterix", "boxing",
    "crazy_climber", "demon_attack", "double_dunk", "enduro", "frostbite", "gopher", "hero", "kangaroo",
    "pitfall", "pitfall2", "private_eye", "riverraid", "robotank", "solaris", "up_n_down",
    "video_pinball",
]  # fmt: skip
QUICK_GAMES = GAMES[:6]
NAMES = [section.name for section in SECTIONS]
RESULTS = Path(__file__).parents[2] / "target" / "compare"


def main() -> None:
    given = arguments()
    for game in given.games:
        try:
            roms.load(game)
        except (ValueError, roms.RomNotFoundError) as problem:
            sys.exit(str(problem))
    facts = machine_facts(given.threads)
    facts["clock"] = "processor" if given.cpu_time else "wall"
    for key, value in facts.items():
        print(f"{key}: {value}")
    if not _native.OPTIMISED:
        sys.exit("ale_rs was built without optimisation; build it with: make build")
    chosen = [section for section in SECTIONS if section.name in (given.section or NAMES)]
    options = Options(
        games=given.games,
        rounds=given.rounds,
        envs=given.envs,
        threads=given.threads,
        clock=time.process_time if given.cpu_time else time.perf_counter,
        scale=0.25 if given.quick else 1.0,
    )
    start = time.monotonic()
    tables = [measure(section, options) for section in chosen]
    given.output.mkdir(parents=True, exist_ok=True)
    path = given.output / "compare.json"
    results = {"machine": facts, "sections": [table.as_dict() for table in tables]}
    path.write_text(json.dumps(results, indent=1))
    print(f"\n{summary(tables)}\n")
    print(f"{len(chosen)} sections in {(time.monotonic() - start) / 60:.1f} minutes; wrote {path}")
    print(chart.write(tables, facts, given.output / "compare.png"))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--section", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--games", nargs="+", metavar="GAME", help=f"default: {len(GAMES)} games")
    parser.add_argument("--rounds", type=positive, help="rounds of a game (default: 5, quick: 3)")
    parser.add_argument("--envs", type=positive, default=64, help="sub-environments (default: %(default)s)")
    parser.add_argument(
        "--threads", type=positive, default=os.cpu_count() or 1, help="threads (default: one for each core)"
    )
    parser.add_argument("--quick", action="store_true", help="few games and short rounds: a rough idea")
    parser.add_argument(
        "--cpu-time", action="store_true", help="for a busy machine: processor time of all threads"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="directory of the results")
    given = parser.parse_args()
    given.games = given.games or (QUICK_GAMES if given.quick else GAMES)
    given.rounds = given.rounds or (3 if given.quick else 5)
    return given


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not accepted; give 1 or more")
    return number


def machine_facts(threads: int) -> dict[str, Any]:
    facts = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": ", ".join(filter(None, map(version, ("ale-rs", "ale-py", "envpool", "numpy")))),
    }
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        rough = " (the machine is busy: take the figures as rough)"
        facts["load before"] = f"{load:.1f}{rough if load > 0.5 * (os.cpu_count() or 1) else ''}"
    return facts


def version(package: str) -> str | None:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


if __name__ == "__main__":
    main()
