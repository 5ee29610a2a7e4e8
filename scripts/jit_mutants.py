"""Leave out each bound that the code generator of the JIT emits, one after the other: a test must fail.

    python scripts/jit_mutants.py

The test binary of ale-jit leaves out the bound that `ALE_JIT_MUTANT=file:line` names. The exit code is 1
when one is missed.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODEGEN = ROOT / "crates" / "ale-jit" / "src" / "codegen"
BOUND = re.compile(r"\bself\.(exit_if|jump_if|mask)\(")
EMITTERS = re.compile(r"\bfn (exit_if|jump_if|mask)\b|let jump = self\.jump_if\(condition\)")
SECONDS = 20
"""Processor time of a test: code without a bound may never return."""


def bounds() -> list[tuple[str, str]]:
    """Places of bounds as `file:line`, and what is written there."""
    found = []
    for path in sorted(CODEGEN.glob("*.rs")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if BOUND.search(line) and not EMITTERS.search(line):
                found.append((f"{path.name}:{number}", line.strip()))
    return found


def test_binary() -> str:
    """Build the unit tests of ale-jit."""
    built = subprocess.run(
        ["cargo", "test", "-p", "ale-jit", "--lib", "--no-run", "--message-format", "json"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    artifacts = map(json.loads, built.stdout.splitlines())
    return next(str(one["executable"]) for one in artifacts if one.get("executable"))


def outcome(binary: str, place: str | None) -> str:
    """`passed`, or how the tests noticed: `failed`, `crashed`, `hung`."""
    environment = os.environ | ({} if place is None else {"ALE_JIT_MUTANT": place})
    command = [binary, "--quiet", "tests::bounds"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))

    run = subprocess.run(command, env=environment, capture_output=True, preexec_fn=limit, check=False)
    if run.returncode == 0:
        return "passed"
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "hung"
    return "crashed" if run.returncode < 0 else "failed"


def main() -> int:
    """Print a row for each bound."""
    binary = test_binary()
    if outcome(binary, None) != "passed":
        print("the tests fail without a mutant")
        return 1
    missed = 0
    places = bounds()
    for place, line in places:
        seen = outcome(binary, place)
        missed += seen == "passed"
        print(f"{'MISSED' if seen == 'passed' else seen:8} {place:20} {line}", flush=True)
    print(f"{len(places)} bounds, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
