"""Compiles the extension twice: once to see which code is used, then so that this code is at hand.

    python scripts/profiled.py            # install it where this Python runs, as maturin develop does
    python scripts/profiled.py --out dist # build a wheel

Without llvm-profdata (rustup component add llvm-tools, or the system's llvm of the compiler's version) it is
compiled once, as usual.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "target" / "profiled"
RECORDS = WORK / "records"
PROFILE = WORK / "all.profdata"
TOOLS = Path(sys.executable).parent


def main() -> None:
    """Compiles, trains, compiles."""
    keep_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=keep_lines)
    parser.add_argument("--out", type=Path, help="directory for a wheel")
    out = parser.parse_args().out
    merge = merge_tool()
    if merge is None:
        print("no llvm-profdata: compiled without a profile (rustup component add llvm-tools)")
        compile_extension(out)
        return
    shutil.rmtree(RECORDS, ignore_errors=True)
    # Handlers go on with many others, and which ones is worth knowing.
    compile_extension(None, f"-Cprofile-generate={RECORDS} -Cllvm-args=-vp-counters-per-site=16")
    # The compiler's own helpers have been recorded, too.
    shutil.rmtree(RECORDS, ignore_errors=True)
    run([sys.executable, "benches/python/train.py"])
    run([str(merge), "merge", "-o", str(PROFILE), str(RECORDS)])
    compile_extension(out, f"-Cprofile-use={PROFILE}")


def merge_tool() -> Path | None:
    """The tool of the compiler's own version: the one that comes with it, or a package of the system."""
    library = ask("rustc", "--print", "target-libdir")
    tool = Path(library).parent / "bin" / "llvm-profdata"
    if tool.exists():
        return tool
    version = re.search(r"LLVM version: (\d+)", ask("rustc", "--version", "--verbose"))
    if version is None:
        return None
    for name in (f"llvm-profdata-{version[1]}", "llvm-profdata"):
        path = shutil.which(name)
        # Old ones do not know the question.
        if path and f"LLVM version {version[1]}." in ask(path, "--version", check=False):
            return Path(path)
    return None


def ask(*command: str, check: bool = True) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, check=check, capture_output=True, text=True).stdout.strip()


def compile_extension(out: Path | None, flag: str = "") -> None:
    """Compiles with a flag for rustc; installs the extension, or writes a wheel."""
    if out is None:
        command = ["develop", "--release", "--quiet"]
    else:
        command = ["build", "--release", "--quiet", "--interpreter", sys.executable, "--out", str(out)]
    flags = " ".join([flag, *neutral_paths()])
    run([str(TOOLS / "maturin"), *command, "--target-dir", str(WORK / "cargo")], RUSTFLAGS=flags)


def neutral_paths() -> list[str]:
    """Flags for rustc, so that messages of panics do not tell where the sources were."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    sources = sorted((home / "registry" / "src").glob("*"))
    return [f"--remap-path-prefix={path}=crates" for path in sources] + [f"--remap-path-prefix={ROOT}=ale_rs"]


def run(command: list[str], **environment: str) -> None:
    """Runs a command, which must succeed."""
    environment["VIRTUAL_ENV"] = str(TOOLS.parent)
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | environment)


if __name__ == "__main__":
    main()
