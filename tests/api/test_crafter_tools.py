"""Scores, recorder, reader and commands of Crafter."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import _png, cli
from ale_rs.crafter import ACHIEVEMENTS, CrafterEnv, Recorder, load_episode, score

DATA = Path(__file__).parents[3] / "shared" / "data" / "crafter"


def episode(length: int, *unlocked: str) -> dict[str, Any]:
    return {"length": length, "reward": 0.0} | {
        f"achievement_{name}": 3 * (name in unlocked) for name in ACHIEVEMENTS
    }


@pytest.mark.skipif(not DATA.exists(), reason="the published data is not here")
@pytest.mark.parametrize(("name", "expected"), [("human", "50.527 +- 6.788"), ("random", "1.550 +- 0.013")])
def test_published_data_gives_the_published_scores(name: str, expected: str) -> None:
    assert str(score(DATA / f"{name}.json")).startswith(expected)


def test_a_score_is_the_geometric_mean_of_success_rates() -> None:
    result = score([episode(10, "wake_up"), episode(10, "wake_up", "eat_cow")])
    assert result.success_rates["wake_up"] == 100
    assert result.success_rates["eat_cow"] == 50
    assert result.mean == pytest.approx(np.exp((np.log(101) + np.log(51)) / 22) - 1)
    assert result.std == 0


def test_the_episode_that_crosses_the_budget_is_left_out() -> None:
    run = [episode(60), episode(40), episode(1, "eat_cow")]
    assert score([run], budget=100).episodes.tolist() == [2]
    assert score([run, run], budget=None).episodes.tolist() == [3, 3]
    with pytest.raises(ValueError, match="no episode ends within 50"):
        score([run], budget=50)


def test_half_a_line_at_the_end_is_forgiven_and_other_mistakes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "stats.jsonl"
    path.write_text(json.dumps(episode(5)) + "\n" + '{"length": 3, "rew')
    assert score(path).episodes.tolist() == [1]
    path.write_text('{"length": 3, "rew\n' + json.dumps(episode(5)))
    with pytest.raises(ValueError, match=r"stats\.jsonl"):
        score(path)
    with pytest.raises(ValueError, match="achievement_collect_coal"):
        score([{"length": 3}])
    with pytest.raises(ValueError, match="no runs"):
        score([])


def test_the_recorder_writes_stats_and_episodes_and_changes_nothing(tmp_path: Path) -> None:
    plain, recorded = CrafterEnv(seed=2), Recorder(CrafterEnv(seed=2), tmp_path, save_video=False)
    plain.reset()
    recorded.reset()
    total, images = 0.0, []
    for step in range(400):
        action = step % 17
        expected, reward, dead, _, info = plain.step(action)
        obs, *_ = recorded.step(action)
        assert np.array_equal(obs, expected)
        total += reward
        images.append(obs)
        if dead:
            break
    row = json.loads((tmp_path / "stats.jsonl").read_text())
    assert row["length"] == len(images)
    assert row["reward"] == round(total, 1)
    assert row["achievement_wake_up"] == info["achievements"]["wake_up"]
    (path,) = tmp_path.glob("*.npz")
    assert path.stem.endswith(f"-len{len(images)}")
    arrays = load_episode(path)
    assert arrays["image"].shape == (len(images) + 1, 64, 64, 3)
    assert np.array_equal(arrays["image"][1:], images)
    assert arrays["action"][:3].tolist() == [0, 0, 1]
    assert arrays["inventory_health"][-1] == 0
    assert arrays["done"].tolist() == [False] * len(images) + [True]
    assert arrays["semantic"].shape[1:] == (64, 64)
    assert score(tmp_path / "stats.jsonl").episodes.tolist() == [1]


def test_the_recorder_writes_videos(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="needs ffmpeg")
    env = Recorder(
        CrafterEnv(seed=0, length=5), tmp_path, save_stats=False, save_episode=False, video_size=(128, 128)
    )
    env.reset()
    while not env.step(0)[3]:
        pass
    env.close()
    (path,) = tmp_path.iterdir()
    assert path.name.endswith("-ach0-len5.mp4")
    assert path.stat().st_size > 500


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04broken", b"text"])
def test_files_that_are_no_episodes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.npz"):
        load_episode(path)


def test_an_episode_without_an_array_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", image=np.zeros((3, 2)), action=np.zeros(3), reward=np.zeros(2))
    with pytest.raises(ValueError, match="'done'"):
        load_episode(tmp_path / "x.npz")


def test_terrain_and_textures_are_drawn(tmp_path: Path) -> None:
    out = tmp_path / "map.png"
    assert (
        cli.main(
            ["crafter", "terrain", "--seed", "3", "--cell", "4", "--area", "40", "30", "--out", str(out)]
        )
        == 0
    )
    assert _png.decode(out.read_bytes()).shape == (120, 160, 4)
    assert cli.main(["crafter", "textures", "--out", str(out)]) == 0
    assert _png.decode(out.read_bytes()).shape[2] == 4
    assert cli.main(["crafter", "terrain", "--episode", "0"]) == 1


def test_play_runs_without_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pygame = pytest.importorskip("pygame", reason="needs pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pressed = iter([pygame.K_w, pygame.K_SPACE, pygame.K_x])
    get = pygame.event.get

    def events() -> list[Any]:
        key = next(pressed, pygame.K_ESCAPE)
        return [*get(), pygame.event.Event(pygame.KEYDOWN, key=key)]

    monkeypatch.setattr(pygame.event, "get", events)
    assert cli.main(["crafter", "play", "--seed", "1", "--window", "90", "90", "--fps", "1000"]) == 0
    assert next(pressed, None) is None
    monkeypatch.setattr(pygame.event, "get", get)
    arguments = [
        "crafter",
        "play",
        "--seed",
        "1",
        "--window",
        "90",
        "90",
        "--fps",
        "10000",
        "--death",
        "quit",
    ]
    assert cli.main(arguments) == 0
    assert "end after" in capsys.readouterr().out


def test_png_files_are_read_as_they_were_written() -> None:
    source = np.random.default_rng(0)
    for shape in ((5, 7), (5, 7, 3), (1, 1, 3)):
        picture = source.integers(0, 256, shape, np.uint8)
        read = _png.decode(_png.encode(picture))
        assert np.array_equal(
            read[..., :3], picture if picture.ndim == 3 else picture[..., None].repeat(3, 2)
        )
        assert (read[..., 3] == 255).all()
