"""The examples run; that they learn takes minutes and is no test."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_short_run_of_learning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "plot.png"
    options = ["--generations", "2", "--envs", "6", "--steps", "40", "--plot", str(picture)]
    learn = load("learn_numpy")
    history = learn.main(options)
    assert len(history) == 2
    assert all(mean <= elite <= best for mean, best, elite in history)
    assert "mean score" in capsys.readouterr().out
    assert picture.exists() == (importlib.util.find_spec("matplotlib") is not None)
    assert learn.main(options) == history


def test_features_are_relative_to_the_basket() -> None:
    learn = load("learn_numpy")
    ram = np.zeros((2, 128), np.uint8)
    ram[:, learn.BASKET] = 72  # its middle is that of the screen
    ram[0, 0x14], ram[0, 0x19] = 120, 1  # the lowest piece: an apple, a quarter of the screen to the right
    ram[1, 0x14], ram[1, 0x19] = 40, 4  # a wasp to the left
    apple, wasp = learn.features(ram)
    assert apple.shape == (learn.FEATURES,)
    assert (apple[0], apple[6]) == (0.25, 0.0)
    assert (wasp[0], wasp[6]) == (0.0, -0.25)


def test_mistakes_are_told() -> None:
    command = [sys.executable, str(EXAMPLES / "learn_numpy.py"), "--envs", "0"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "--envs is 0; accepted: 1 and more" in result.stderr


def test_a_short_run_of_ppo(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(EXAMPLES / "ppo.py"),
        "--envs",
        "2",
        "--rollout",
        "8",
        "--total-steps",
        "32",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    if importlib.util.find_spec("torch") is None:
        assert result.returncode == 1
        assert "pip install torch" in result.stderr
        assert "Traceback" not in result.stderr
    else:
        assert result.returncode == 0, result.stderr
        *lines, plot = result.stdout.splitlines()
        assert len(lines) == 2
        drawn = importlib.util.find_spec("matplotlib") is not None
        assert plot == ("wrote ppo.png" if drawn else "no plot: pip install matplotlib")
        assert (tmp_path / "ppo.png").exists() == drawn


def test_a_short_run_of_tree_search(capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--walks", "20", "--length", "60", "--simulations", "2", "--decisions", "5", "--episodes", "1"]
    means = load("mcts").main(size)
    assert list(means) == ["random", "mcts, values 0", "mcts, value function"]
    assert "600 states of random play" in capsys.readouterr().out
