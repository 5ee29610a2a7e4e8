"""The cells of the README's table of features that speak of ale-py, beside ale-py itself.

`tests/clients/check_envpool.py` does the same for EnvPool, which is not installed here.
"""

import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gymnasium.vector import AutoresetMode

ale_py = pytest.importorskip("ale_py", reason="the table compares with ale-py")
from ale_py import vector_env  # noqa: E402

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "README.md").read_text().split("| proved by |")[1].split("\n\n")[0]
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| `", TABLE, re.MULTILINE)
COUNTS = ("no", "one", "two", "yes")


def yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def accepts(**options: object) -> bool:
    try:
        vector_env.AtariVectorEnv(**{"game": "pong", "num_envs": 2, **options})
    except (ValueError, AssertionError):
        return False
    return True


def modes_of_xla() -> str:
    pytest.importorskip("jax")
    # It asserts that the mode is the one that it knows; without its own extra it gives up after that.
    source = inspect.getsource(vector_env.AtariVectorEnv.xla)
    return COUNTS[sum(f"AutoresetMode.{mode.name}" in source for mode in AutoresetMode)]


def survives(code: str) -> bool:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    return done.returncode >= 0


def has_room() -> str:
    """Whether there is a module besides those of the environments."""
    modules = {module.name for module in pkgutil.iter_modules(ale_py.__path__)}
    return yes(bool(modules - {"_ale_py", "env", "registration", "roms", "vector_env"}))


CELLS: dict[str, Callable[[], str]] = {
    "the same frames, rewards and info, seed for seed": lambda: "reference",
    "vector environment with threads": lambda: yes(accepts(num_threads=2)),
    "all three autoreset modes of gymnasium": lambda: COUNTS[
        sum(accepts(autoreset_mode=mode) for mode in AutoresetMode)
    ],
    "several games in one batch": lambda: yes(accepts(game=["pong", "breakout"])),
    "snapshot, restore and branch of a whole batch": lambda: yes(
        hasattr(vector_env.AtariVectorEnv, "snapshot") or hasattr(vector_env.AtariVectorEnv, "branch")
    ),
    "games without any ROM file": lambda: yes(
        not all(Path(str(ale_py.roms.get_rom_path(name))).is_file() for name in ale_py.roms.get_all_rom_ids())
    ),
    "your own game from a text file": has_room,
    "Crafter in the same library": has_room,
    "feature sets of linear agents and planners": has_room,
    "replay buffer that stores a frame once": has_room,
    "planners (full tree, UCT, IW, Rollout-IW) on exact snapshots": has_room,
    "DQN, COMPER, PPO": has_room,
    "linear agents and the Brute as native trials": has_room,
    "steps inside compiled jax programs, all autoreset modes": modes_of_xla,
    "run logs, protocols, aggregates with intervals, Atari-5": has_room,
    "the papers' tables played again by a command": has_room,
    "hostile ROMs, states and calls are refused, never a crash": lambda: yes(
        survives("import ale_py; ale_py.ALEInterface().getScreenRGB()")
    ),
}


def test_the_table_has_these_rows() -> None:
    assert [title for title, *_ in ROWS] == list(CELLS)
    assert {ours for _, ours, *_ in ROWS} <= {"yes", "two"}


@pytest.mark.filterwarnings("ignore:Rom .* not supported")
@pytest.mark.parametrize(("title", "cell"), [(title, theirs) for title, _, theirs, _ in ROWS])
def test_a_cell_of_ale_py(title: str, cell: str) -> None:
    assert CELLS[title]() == cell
