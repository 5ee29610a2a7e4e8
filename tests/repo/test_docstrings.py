"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import pkgutil

import pytest

import ale_rs
from ale_rs import roms

MODULES = ["ale_rs", *(module.name for module in pkgutil.walk_packages(ale_rs.__path__, "ale_rs."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("__main__", "_native"))])
def test_the_examples_of_a_module_hold(name: str) -> None:
    if roms.locate("pong") is None:
        pytest.skip('the examples play "pong", and its ROM is missing')
    if name.endswith("sb3"):
        pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is optional")
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
