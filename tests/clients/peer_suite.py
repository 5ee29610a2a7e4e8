"""Run ALE's own Python tests on ale_rs, from a folder that the user has: `make peer-suite ALE_TESTS=DIR`.

The tests are not part of this repository. They `import ale_py`; this script makes that name another one of
`ale_rs`, as users do who switch, so that none of `ale_py` runs. Its installed ROM files are found all the same.
"""

import sys
from pathlib import Path

import pytest

import ale_rs

DIFFERENT = (
    # gymnasium's contract for SAME_STEP has `final_info`; the reference leaves it out. See docs/environment.md.
    "final_info",
)
"""Words in the names or reasons of tests that may fail, each with its reason in the docs."""


def main(arguments: list[str]) -> int:
    """Run the tests; the exit code is pytest's."""
    if not arguments or not Path(arguments[0]).is_dir():
        print("usage: make peer-suite ALE_TESTS=DIR   (the folder tests/python of ALE's sources)")
        return 2
    sys.modules["ale_py"] = ale_rs
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", arguments[0], *arguments]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
