"""Fuzzes guided by coverage for SECONDS of processor time per target: `make fuzz-guided SECONDS=1200`.

    python scripts/fuzz_guided.py --seconds 1200          all targets in turn, rounds until all had their time
    python scripts/fuzz_guided.py --seconds 600 rom state these only

Processor time is what counts: on a machine that does other things, too, the clock on the wall says little.
An input that breaks a promise is kept in `fuzz/artifacts/TARGET`; the exit code is 1 then. Needs
`cargo install cargo-fuzz`.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGETS = sorted(path.stem for path in (ROOT / "fuzz/fuzz_targets").glob("*.rs"))
ROUND = 60
"""Seconds on the wall that a round takes at most."""


@dataclass
class Tally:
    """What a target did so far."""

    seconds: float = 0.0
    executions: int = 0
    coverage: int = 0
    corpus: int = 0
    broken: int = 0


def build() -> None:
    """The seed inputs and the targets, optimised, with overflow checks and debug assertions."""
    seeds = ["cargo", "run", "--profile", "quick", "--quiet", "-p", "ale-fuzz", "--", "--seconds", "0"]
    subprocess.run(seeds, cwd=ROOT, check=True)
    # The stable toolchain has what cargo-fuzz needs, except for the sanitizers.
    stable = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    subprocess.run(["cargo", "fuzz", "build", "-s", "none"], cwd=ROOT, env=stable, check=True)


def round_of(target: str, tally: Tally) -> str:
    """Runs a target for a round and adds what it did; returns what it wrote when an input broke a promise."""
    (program,) = (ROOT / "fuzz/target").glob(f"*/release/{target}")
    kept = [ROOT / f"crates/ale-fuzz/{folder}/{target}" for folder in ("corpus", "regressions")]
    folders = [ROOT / f"fuzz/corpus/{target}", *(folder for folder in kept if folder.is_dir())]
    artifacts = ROOT / f"fuzz/artifacts/{target}"
    artifacts.mkdir(parents=True, exist_ok=True)
    limits = [
        f"-max_total_time={ROUND}",
        "-timeout=120",
        "-print_final_stats=1",
        f"-artifact_prefix={artifacts}/",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [program, *limits, *folders], cwd=ROOT, capture_output=True, text=True, errors="replace"
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    tally.seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tally.executions += sum(map(int, re.findall(r"number_of_executed_units:\s+(\d+)", done.stderr)))
    for seen, inputs in re.findall(r"cov: (\d+) .*?corp: (\d+)", done.stderr):
        tally.coverage, tally.corpus = int(seen), int(inputs)
    if done.returncode == 0:
        return ""
    tally.broken += 1
    return done.stderr[-3000:]


def main(arguments: list[str] | None = None) -> int:
    """Rounds in turn until every target had its time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600, help="of processor time, for each target")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    options = parser.parse_args(arguments)
    for name in options.targets:
        if name not in TARGETS:
            parser.error(f'there is no target "{name}"; accepted: {", ".join(TARGETS)}')
    build()
    tallies = {target: Tally() for target in options.targets or TARGETS}
    while waiting := [target for target, tally in tallies.items() if tally.seconds < options.seconds]:
        for target in waiting:
            tally = tallies[target]
            trouble = round_of(target, tally)
            print(
                f"{target:8} {tally.seconds:6.0f} s of processor time, {tally.executions} executions, "
                f"{tally.coverage} edges, {tally.corpus} inputs, {tally.broken} broken",
                flush=True,
            )
            if trouble:
                print(trouble, flush=True)
    total = sum(tally.seconds for tally in tallies.values())
    broken = sum(tally.broken for tally in tallies.values())
    print(f"{total:.0f} s of processor time over {len(tallies)} targets, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
