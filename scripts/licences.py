"""Checks the licences of all Rust dependencies and writes docs/licences.md.

    python scripts/licences.py            writes the table
    python scripts/licences.py --check    fails when it is out of date

A licence that is not on the list is an error in both cases. Nothing is downloaded when cargo has fetched
the packages before.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "licences.md"

ACCEPTED = {
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}
"""Licences that ask for no more than a notice; every part of MIT OR Apache-2.0 software may use them."""

HEAD = """# Licences of the dependencies

Written by `scripts/licences.py`, which fails on any licence that is not one of
{accepted}.

"""


def metadata() -> dict[str, Any]:
    """What cargo knows of the workspace."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    # Manifests of packages for other systems may not have been fetched yet.
    offline = subprocess.run([*command, "--offline"], cwd=ROOT, capture_output=True, text=True, check=False)
    output = offline.stdout
    if offline.returncode != 0:
        output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    result: dict[str, Any] = json.loads(output)
    return result


def accepted(expression: str) -> bool:
    """Whether an SPDX expression can be satisfied by licences on the list."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    place = 0

    def take() -> str:
        nonlocal place
        place += 1
        return words[place - 1] if place <= len(words) else ""

    def peek() -> str:
        return words[place] if place < len(words) else ""

    def either() -> bool:
        result = both()
        while peek() == "OR":
            take()
            other = both()
            result = result or other
        return result

    def both() -> bool:
        result = one()
        while peek() == "AND":
            take()
            other = one()
            result = result and other
        return result

    def one() -> bool:
        word = take()
        if word == "(":
            result = either()
            if take() != ")":
                raise ValueError(f"{expression!r}: a parenthesis is missing")
            return result
        if peek() == "WITH":
            word = f"{word} {take()} {take()}"
        return word in ACCEPTED

    result = either()
    if place != len(words):
        raise ValueError(f"{expression!r}: not understood from {words[place]!r} on")
    return result


def shipped(data: dict[str, Any]) -> set[str]:
    """The ids of what the extension module is made of: not what only builds and tests need."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    todo = [
        package["id"] for package in data["packages"] if package["name"] == "ale-py" and not package["source"]
    ]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [
                dependency["pkg"]
                for dependency in nodes[name]["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
    return seen


def rows(data: dict[str, Any], ids: set[str], inside: bool) -> Iterator[str]:
    """One line for each foreign package."""
    yield "| package | version | licence |"
    yield "|---|---|---|"
    for package in sorted(data["packages"], key=lambda package: (package["name"], package["version"])):
        if package["source"] and (package["id"] in ids) == inside:
            yield f"| {package['name']} | {package['version']} | {package['license']} |"


def main() -> int:
    """Checks, then writes or compares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing, fail when the table is old")
    options = parser.parse_args()
    data = metadata()
    refused = [
        f"{package['name']} {package['version']}: {package['license']}"
        for package in data["packages"]
        if not accepted(package["license"] or "none")
    ]
    if refused:
        print("licences that are not accepted:", *refused, sep="\n  ", file=sys.stderr)
        return 1
    ids = shipped(data)
    text = HEAD.format(accepted=", ".join(sorted(ACCEPTED)))
    text += "## In the extension module\n\n" + "\n".join(rows(data, ids, True)) + "\n\n"
    text += "## For builds, tests and benches only\n\n" + "\n".join(rows(data, ids, False)) + "\n"
    if not options.check:
        TABLE.write_text(text)
    elif not TABLE.exists() or TABLE.read_text() != text:
        print(f"{TABLE.relative_to(ROOT)} is out of date; run: python scripts/licences.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
