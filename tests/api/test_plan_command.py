"""`ale-rs plan` and pictures of trees."""

from pathlib import Path

import numpy as np
import pytest

from ale_rs import AtariEnv, _png, cli, planning


def run(*arguments: str) -> int:
    return cli.main(["plan", *arguments])


@pytest.mark.parametrize(
    "flags",
    [
        ("--planner", "full-tree", "--frames", "500", "--threads", "2"),
        ("--planner", "uct", "--simulations", "10", "--depth-frames", "50"),
        ("--planner", "iw", "--frames", "500", "--atoms", "ram", "--minimal-actions"),
        ("--frames", "500", "--risk-averse", "--sticky", "0.25", "--frameskip", "8"),
    ],
)
def test_a_short_game_prints_what_was_played(
    flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for _ in range(2):
        assert run("glowdelve", *flags, "--max-frames", "60", "--episodes", "2", "--seed", "4") == 0
        out = capsys.readouterr().out
        assert "decisions, 60 frames" in out or "decisions, 64 frames" in out
        assert "mean score of 2 episodes" in out
        lines.append([line.split(" frames/decision")[0] for line in out.splitlines()])
    assert lines[0] == lines[1], "the seed decides everything but the time"


def test_a_recording_and_a_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gif, tree = tmp_path / "play.gif", tmp_path / "tree.png"
    flags = ("--frames", "300", "--max-frames", "45", "--record", str(gif), "--tree", str(tree))
    assert run("glowdelve", *flags) == 0
    data = gif.read_bytes()
    assert data.startswith(b"GIF89a")
    assert data.endswith(b"\x3b")
    assert data.count(b"\x21\xf9\x04") == 23, "every second of 45 frames"
    picture = _png.decode(tree.read_bytes())
    assert picture.shape == (600, 1200, 4)
    assert f"wrote {gif}" in capsys.readouterr().out


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, text in [
        (("pongg",), 'did you mean "pong"'),
        (
            ("glowdelve", "--planner", "uct", "--seconds", "1"),
            "uct has no --seconds; accepted: --simulations",
        ),
        (("glowdelve", "--frames", "0"), "frames is 0; accepted: 1 to"),
        (("glowdelve", "--seconds", "nan"), "seconds is nan"),
        (("glowdelve", "--discount", "2"), "discount is 2.0"),
        (("glowdelve", "--seed", "-1"), "seed is -1"),
        (("glowdelve", "--record", str(tmp_path / "a.avi")), 'no video ends with ".avi"'),
    ]:
        assert run(*arguments) == 1, arguments
        assert text in capsys.readouterr().err


def test_a_tree_is_drawn_with_its_best_line() -> None:
    env = AtariEnv("glowdelve", frameskip=5, repeat_action_probability=0.0)
    env.reset(seed=0)
    planner = planning.UCT(env, simulations=50, depth_frames=60)
    with pytest.raises(ValueError, match=r"call plan\(\) first"):
        planning.draw(planner.tree())
    planner.plan()
    picture = planning.draw(planner.tree(), 300, 200)
    assert picture.shape == (200, 300, 3)
    colours = {tuple(pixel) for pixel in picture.reshape(-1, 3)}
    assert (20, 20, 28) in colours
    assert np.mean((picture == 255).all(2)) > 0.5
