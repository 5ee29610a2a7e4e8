"""The two libraries, and the assertion that they do the same."""

from typing import Any

import ale_py
import numpy as np

import ale_rs

FRAMESKIP = 4
SEED = 1
LIBRARIES: dict[str, Any] = {"ale_rs": ale_rs, "ale-py": ale_py}


def same(ours: Any, theirs: Any, what: str) -> None:
    """Stop unless both are equal: a comparison of different work means nothing."""
    if not np.array_equal(ours, theirs):
        raise AssertionError(f"ale_rs and ale-py differ in {what}")
