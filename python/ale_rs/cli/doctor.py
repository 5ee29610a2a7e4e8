"""`ale-rs doctor`: what is installed, what is used, and what to type for what is missing."""

import argparse
import collections
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs import __version__, _native, registration, roms

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FEATURES = ("sse4_2", "avx", "avx2", "bmi2", "avx512f", "neon", "asimd")
"""Features of processors that matter for speed, by their names in /proc/cpuinfo."""

OPTIONAL = (
    ("pygame", "windows and sound", 'pip install "ale-rs[play]"'),
    ("imageio-ffmpeg", "recording .mp4", 'pip install "ale-rs[play]"'),
    ("matplotlib", "figures", 'pip install "ale-rs[plot]"'),
    ("jax", "AtariVectorEnv.xla", "pip install jax"),
    ("torch", "tensors", "pip install torch"),
    ("stable-baselines3", "ale_rs.sb3", "pip install stable-baselines3"),
    ("ale-py", "the reference, for comparisons", ""),
    ("envpool", "its ROMs are found", ""),
)
"""Packages that something can use: name, what for, what to type for those that are worth it."""


@dataclass
class Report:
    """Rows of text under titles, and advice at the end."""

    sections: dict[str, dict[str, str]] = field(default_factory=dict)
    advice: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines: list[str] = []
        for title, rows in self.sections.items():
            lines += [title, *(f"  {key:24} {value}".rstrip() for key, value in rows.items()), ""]
        lines += ["what to type", *(f"  {line}" for line in self.advice or ["nothing is missing"])]
        return "\n".join(lines)


def add_cli(commands: "Commands") -> None:
    """Add `doctor` to the command line."""
    top = commands.add_parser(
        "doctor",
        help="what is installed and used, and what to type for what is missing",
        description="Print versions, who owns gymnasium's ids, where ROMs come from, features of the "
        "processor, whether the JIT is on and why, optional packages, and what to type for what is missing.",
    )
    top.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print the report."""
    print(examine())
    return 0


def examine() -> Report:
    """Look at everything."""
    report = Report()
    report.sections["versions"] = dict(_versions())
    _examine_ids(report)
    _examine_roms(report)
    report.sections["processor"] = dict(_processor())
    _examine_packages(report)
    if not _native.OPTIMISED:
        report.advice.append("make build                      # this build is not optimised, and slow")
    return report


def _versions() -> Iterator[tuple[str, str]]:
    build = "optimised" if _native.OPTIMISED else "NOT OPTIMISED"
    yield "ale_rs", f"{__version__} ({build}), {Path(_native.__file__ or '').parent}"
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    for package in ("numpy", "gymnasium"):
        yield package, importlib.metadata.version(package)


def _examine_ids(report: Report) -> None:
    owners = registration.owners()
    shown = ", ".join(f"{owner} ({count} ids)" for owner, count in owners.items())
    installed = _version("ale-py")
    rows = {"ALE/* and *-v0, *-v4": shown, "ale_rs/*": "ale_rs, always"}
    if installed is not None:
        rows["ale_py"] = f"{installed} is installed: it takes the ids over when it is imported after ale_rs"
        report.advice.append("ale_rs.register(override=True)  # in Python, after an import of ale_py")
    report.sections["gymnasium ids"] = rows


def _examine_roms(report: Report) -> None:
    games = sorted({*roms.get_all_rom_ids(), *roms.embedded_ids()})
    places = collections.Counter(
        str(place.parent) if isinstance(place, Path) else place or "missing"
        for place in map(roms.locate, games)
    )
    rows = {f"{count:3} {'ROM' if count == 1 else 'ROMs'}": place for place, count in places.most_common()}
    if len(rows) < len(places):  # two places with as many ROMs
        rows = {f"{count:3} ROMs ({row})": place for row, (place, count) in enumerate(places.most_common())}
    for variable in ("ALE_ROM_DIR", "ALE_ROMS_DIR", "ALE_RS_DATA_DIR"):
        if variable in os.environ:
            rows[variable] = os.environ[variable]
    rows["imported ROMs go to"] = str(roms.user_directory())
    report.sections["ROMs"] = rows
    if places["missing"]:
        report.advice.append("ale-rs roms install             # fetch the ROMs that ale-py brings")


def _processor() -> Iterator[tuple[str, str]]:
    model, features = _cpu()
    yield "model", model
    yield "cores", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    yield "features", " ".join(features) or "unknown"
    on, why = _native.jit_status()
    yield "JIT", f"{'on' if on else 'off'}: {why}"


def _cpu() -> tuple[str, list[str]]:
    """Model and features, as far as the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine(), []
    rows = (line.partition(":") for line in text.splitlines())
    facts = {key.strip(): value.strip() for key, _, value in rows}
    flags = (facts.get("flags") or facts.get("Features") or "").split()
    return facts.get("model name", platform.machine()), [name for name in FEATURES if name in flags]


def _examine_packages(report: Report) -> None:
    rows = {}
    for package, purpose, command in OPTIONAL:
        version = _version(package)
        if package == "pygame" and version is None:
            version = _version("pygame-ce")
        rows[package] = f"{version or 'not installed':14} {purpose}"
        if version is None and command:
            report.advice.append(f"{command:31} # {purpose}")
    report.sections["optional packages"] = rows


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
