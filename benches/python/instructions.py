"""Where a step of the vector environment goes: instructions of the processor, counted by valgrind.

    python benches/python/instructions.py                    # three games
    python benches/python/instructions.py pong --steps 100

Counts are repeatable, whatever else the machine does; seconds are not. Each game is played twice by
callgrind, for few steps and for many, and what both have in common, such as imports and the first reset, is
taken away. It knows no vectors of 512 bits, so preprocessing is counted as on a processor with AVX2, and it
counts every byte that one instruction of the processor copies. What is installed has no names of functions
any more, so the extension is compiled once more, as `make build` does it, into a copy of the package.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVS = 16
FRAMESKIP = 4
WARM_UP = 10
PLAY = f"""
import sys
import numpy as np
import ale_rs
env = ale_rs.AtariVectorEnv(sys.argv[1], num_envs={ENVS}, num_threads=1)
env.reset(seed=1)
rng = np.random.default_rng(1)
for _ in range(int(sys.argv[2])):
    env.step(rng.integers(0, int(env.single_action_space.n), {ENVS}))
"""
LINE = re.compile(r"^ *([\d,]+) \([^)]*\) +(\S+?):(.*?)(?: \[(\S+)\])?$")
OTHERS = "the rest, Python too"
SHARES = [
    ("JIT code", r"^0x[0-9a-f]+"),
    (
        "bail-outs: handlers, and the way back",
        r"console::(run|cpu|cart|board|riot)",
    ),
    (
        "writes to the video chip and reads from it",
        r"tia::(write|write_log|fast_write|read|motion|scanline_cache)|tia::Tia::",
    ),
    ("lines: shapes, collisions, pixels", r"tia::"),
    ("preprocessing", r"preprocess::"),
    ("the game layer", r"ale_core::game"),
    ("frames, environments and the batch", r"ale_core::(console|env|vector)"),
    ("copies of memory, byte by byte", r"^__mem(cpy|move|set)"),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=["pong", "seaquest", "ms_pacman"])
    parser.add_argument("--steps", type=int, default=30, help="steps that count (default: %(default)s)")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("this needs valgrind, for its tool callgrind")
    with tempfile.TemporaryDirectory() as folder:
        package = compiled(Path(folder))
        columns = [shares(package, game, given.steps) for game in given.games]
    totals = [column.total() for column in columns]
    print(f"| share of a frame | {' | '.join(given.games)} |")
    print("|---" * (1 + len(columns)) + "|")
    for name in [name for name, _ in SHARES] + [OTHERS]:
        cells = (f"{column[name] / total:.0%}" for column, total in zip(columns, totals, strict=True))
        print(f"| {name} | {' | '.join(cells)} |")
    frames = given.steps * ENVS * FRAMESKIP
    print(f"| all instructions per frame | {' | '.join(f'{total / frames:,.0f}' for total in totals)} |")


def compiled(folder: Path) -> Path:
    """A copy of the package whose extension has names of functions."""
    run(["cargo", "build", "--release", "--quiet", "-p", "ale-py"], PYO3_PYTHON=sys.executable)
    package = folder / "ale_rs"
    shutil.copytree(ROOT / "python" / "ale_rs", package, ignore=shutil.ignore_patterns("_native*.so"))
    shutil.copy(ROOT / "target" / "release" / "lib_native.so", package / "_native.abi3.so")
    return folder


def shares(package: Path, game: str, steps: int) -> Counter[str]:
    """Instructions of some steps by what they are for."""
    few, many = (count(package, game, number) for number in (WARM_UP, WARM_UP + steps))
    found: Counter[str] = Counter()
    for function, instructions in many.items():
        name = next((name for name, pattern in SHARES if re.search(pattern, function)), OTHERS)
        found[name] += instructions - few[function]
    return found


def count(package: Path, game: str, steps: int) -> Counter[str]:
    """Instructions of all functions."""
    path = package / "counts"
    play = [sys.executable, "-c", PLAY, game, str(steps)]
    callgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={path}"]
    run([*callgrind, *play], PYTHONPATH=str(package), OPENBLAS_NUM_THREADS="1")
    text = run(["callgrind_annotate", "--threshold=100", "--auto=no", str(path)])
    functions: Counter[str] = Counter()
    for line in text.splitlines():
        if (match := LINE.match(line)) is not None:
            functions[match[3]] += int(match[1].replace(",", ""))
    return functions


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | environment
    )
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
