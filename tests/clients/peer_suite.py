"""Run ALE's own Python tests on ale_rs, from a folder that the user has: `make peer-suite ALE_TESTS=DIR`.

The tests are not part of this repository. They `import ale_py`; this script makes that name another one
of `ale_rs`, as users do who switch, so that none of `ale_py` runs. Its ROM files are found all the same. They
need opencv-python and chex; the folder is part of the sdist of ale-py.
"""

import sys
from pathlib import Path

import gymnasium
import pytest

import ale_rs
from ale_rs import registration, roms

DIFFERENT = ("test_same_step_autoreset_mode",)
"""Tests that fail on purpose: `info` of SAME_STEP has gymnasium's `final_info`; see docs/environment.md."""


def main(arguments: list[str]) -> int:
    """Run the tests; the exit code is pytest's."""
    if not arguments or not Path(arguments[0]).is_dir():
        print("usage: make peer-suite ALE_TESTS=DIR   (the folder tests/python of ALE's sources)")
        return 2
    sys.modules["ale_py"] = ale_rs
    for directory in roms.installed_directories():  # the tests look for ROM files beside `ale_py.roms`
        roms.__file__ = str(directory / "__init__.py")
        break
    for id_ in registration.shared_ids():  # the tests find environments by this text; it is our class now
        gymnasium.registry[id_].entry_point = "ale_py.env:AtariEnv"
    print(f"left out, for gymnasium's final_info: {', '.join(DIFFERENT)}")
    without = " and ".join(f"not {name}" for name in DIFFERENT)
    # Workers of pytest-xdist would import ale_py itself.
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    options = ["-q", *plugins, "--rootdir", arguments[0], "-k", without]
    return int(pytest.main([*options, *arguments]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
