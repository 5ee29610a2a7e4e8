"""`make clients`: install the libraries that people use and run their recipes on the built package.

Each environment is a directory below `.venv/clients`; `clients.toml` says what is in it. A client runs the
code of its section of docs/recipes.md and a file of checks. Names as arguments choose clients. ROMs come by
`ale-rs roms install` into a directory beside the environments. The exit code is 1 when a client fails.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOME = ROOT / ".venv" / "clients"
RECIPES = ROOT / "docs" / "recipes.md"
LIMIT = 1800
"""Seconds that a client may take."""


def recipes() -> dict[str, list[tuple[str, str]]]:
    """Section → its blocks of code, each with its language."""
    sections = re.split(r"^## (.+)$", RECIPES.read_text(), flags=re.MULTILINE)[1:]
    blocks = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return {name: blocks.findall(text) for name, text in zip(sections[::2], sections[1::2], strict=True)}


def command(*words: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in words], text=True, check=True, **options)


def python_of(name: str) -> Path:
    return HOME / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def packages_of(name: str) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(command(python_of(name), "-c", code, stdout=subprocess.PIPE).stdout.strip())


def install(name: str, environments: dict[str, Any]) -> None:
    """Make an environment, unless it is as it should be."""
    wanted = environments[name]
    if "above" in wanted:
        install(wanted["above"], environments)
    mark = HOME / name / "installed"
    state = hashlib.sha256(repr(sorted(wanted.items())).encode()).hexdigest()
    if mark.exists() and mark.read_text() == state:
        return
    print(f"installing {name}: {', '.join(wanted['packages'])}", flush=True)
    if not python_of(name).exists():
        command(sys.executable, "-m", "venv", HOME / name)
    paths = [ROOT / "python", *([packages_of(wanted["above"])] if "above" in wanted else [])]
    (packages_of(name) / "clients.pth").write_text("".join(f"{path}\n" for path in paths))
    pip = [python_of(name), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    command(*pip, "install", *wanted["packages"])
    if "scripts" in wanted:
        wheels = HOME / name / "wheels"
        choice = ["--no-deps", "--only-binary=:all:", "--python-version", "3.10", "--dest", wheels]
        command(*pip, "download", *choice, wanted["scripts"])
        for wheel in wheels.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(HOME / name / "scripts")
    mark.write_text(state)


def run(name: str, client: dict[str, Any]) -> tuple[str, float]:
    """Run a client: what came of it, and the seconds that it took."""
    work = HOME / "run" / name
    work.mkdir(parents=True, exist_ok=True)
    python = python_of(client["environment"])
    steps: list[list[str]] = []
    for number, (language, code) in enumerate(recipes()[client["recipe"]]):
        file = work / f"recipe_{number}.{'py' if language == 'python' else 'sh'}"
        file.write_text(code)
        steps.append([str(python), file.name] if language == "python" else ["sh", "-eu", file.name])
    if "check" in client:
        steps.append([str(python), str(HERE / client["check"])])
    environment = {
        **os.environ,
        "ALE_RS_DATA_DIR": str(HOME / "data"),
        "CLEANRL": str(HOME / "cleanrl" / "scripts" / "cleanrl"),
        "OMP_NUM_THREADS": "1",
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
    }
    start = time.perf_counter()
    result = "ok"
    with (work / "log").open("w") as log:
        for step in steps:
            log.write(f"$ {' '.join(step)}\n")
            log.flush()
            try:
                subprocess.run(
                    step, cwd=work, env=environment, stdout=log, stderr=log, timeout=LIMIT, check=True
                )
            except subprocess.SubprocessError as problem:
                result = f"FAILED, see {(work / 'log').relative_to(ROOT)}: {problem}"
                break
    return result, time.perf_counter() - start


def versions(client: dict[str, Any]) -> str:
    names = client["versions"]
    code = f"import importlib.metadata as m; print(', '.join(f'{{n}} {{m.version(n)}}' for n in {names!r}))"
    done = command(python_of(client["environment"]), "-c", code, stdout=subprocess.PIPE)
    return str(done.stdout.strip())


def main(names: list[str]) -> int:
    table = tomllib.loads((HERE / "clients.toml").read_text())
    clients, environments = table["clients"], table["environments"]
    unknown = [name for name in names if name not in clients]
    if unknown:
        print(f"no client is called {', '.join(unknown)}; accepted: {', '.join(clients)}", file=sys.stderr)
        return 2
    code = "import sys; from ale_rs.cli import main; sys.exit(main(['roms', 'install']))"
    if not (HOME / "data").exists():
        command(sys.executable, "-c", code, env={**os.environ, "ALE_RS_DATA_DIR": str(HOME / "data")})
    rows = []
    for name in names or clients:
        try:
            install(clients[name]["environment"], environments)
        except subprocess.CalledProcessError as problem:
            rows.append((name, "", 0.0, f"NOT INSTALLED: {problem}"))
            continue
        print(f"running {name} ...", flush=True)
        result, seconds = run(name, clients[name])
        rows.append((name, versions(clients[name]), seconds, result))
    print(f"\n{'client':20} {'versions':45} {'seconds':>7}  result")
    for name, found, seconds, result in rows:
        print(f"{name:20} {found:45} {seconds:7.0f}  {result}")
    return int(any(result != "ok" for *_, result in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
