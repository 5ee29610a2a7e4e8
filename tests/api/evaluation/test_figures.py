"""The papers' figures, and what goes with them."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from ale_rs import evaluation as ev
from ale_rs.cli import main
from ale_rs.evaluation import figures
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from api.evaluation.sweeping import GAME, learner

DATA = os.environ.get(ev.dataset.ENVIRONMENT)


def curves(root: Path) -> ev.RunSet:
    rules = ev.protocol("machado2018")
    for seed in range(3):
        with ev.Writer(root, rules.run("dqn", "pong", seed)) as log:
            for index in range(40):
                log.episode(
                    "train", float(index + seed), frames=1_000, steps=9, terminated=True, truncated=False
                )
    rules = ev.protocol("crafter")
    for seed in range(2):
        with ev.Writer(root, rules.run("random", "crafter", seed)) as log:
            for index in range(10):
                counts = dict.fromkeys(ACHIEVEMENTS, 0) | {"wake_up": index % 2}
                log.episode(
                    "train", 1.0, frames=5_000, steps=5_000, terminated=True, truncated=False,
                    achievements=counts,
                )  # fmt: skip
    return ev.load(root)


def bars(svg: str) -> int:
    return len(re.findall(r"<rect [^>]*><title>", svg))


def test_the_figures_of_2013_show_the_numbers_of_table_4() -> None:
    assert bars(figures.inter_averages().svg()) == 10
    svg = figures.inter_averages().svg()
    for text in ("bass, mean: 0.6829", "bass, median: 0.806", "disco, median: 0", "ram, mean: 0.5698"):
        assert text in svg
    assert bars(figures.inter_scores().svg()) == 5 * 55
    assert figures.score_distributions().svg().count("<polyline") > 5
    assert "bass, games: 17" in figures.times_best_2013().svg()


def test_a_learning_curve_has_its_trials_and_their_mean(tmp_path: Path) -> None:
    runs = curves(tmp_path)
    svg = figures.learning_curves(runs, "pong", "dqn").svg()
    assert svg.count("stroke:var(--muted);stroke-width:0.8") == 3
    assert svg.count("stroke-width:2.4") == 1
    with pytest.raises(ValueError, match="there is no training log of dqn on breakout"):
        figures.learning_curves(runs, "breakout", "dqn")


def test_crafters_figures(tmp_path: Path) -> None:
    runs = curves(tmp_path)
    published = figures.crafter_rates()
    assert bars(published.svg()) > 22 * 5
    assert "collect coal, human_experts: 86" in published.svg()
    line = next(shape for kind, shape in figures.achievement_curves(runs, "wake_up").shapes if kind == "area")
    assert len(line["points"]) == 10  # five bins of 10,000 steps, there and back
    assert figures.crafter_rewards(runs).shapes
    with pytest.raises(ValueError, match='"wake" is no achievement'):
        figures.achievement_curves(runs, "wake")
    assert figures.within_95_percent([2.0, 1.91, 1.89]) == [True, True, False]


def test_the_command_writes_them_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ev.dataset.ENVIRONMENT, raising=False)
    curves(tmp_path / "runs")
    assert main(["figures", str(tmp_path / "runs"), "--out", str(tmp_path / "a")]) == 0
    names = {path.stem for path in (tmp_path / "a").glob("*.svg")}
    assert {"bellemare2013_figure4", "learning_dqn_pong", "crafter_reward", "crafter_wake_up"} <= names
    assert len(names) == 5 + 1 + 2 + 22
    said = capsys.readouterr().out
    assert "need its data set" in said
    assert "(replaced)" not in said
    assert main(["figures", str(tmp_path / "runs"), "--out", str(tmp_path / "b")]) == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert main(["figures", "--out", str(tmp_path / "b")]) == 0
    assert "bellemare2013_figure4.svg (replaced)" in capsys.readouterr().out


@pytest.mark.skipif(not DATA, reason="the Atari-5 data set is found through ALE_RS_ATARI5_DATA")
def test_the_figures_of_atari_5() -> None:
    data = ev.read_dataset()
    assert "zaxxon, R²: 0.903" in figures.game_ranking(data).svg()
    assert bars(figures.game_predictability(data).svg()) == 2 * 57
    strong = [
        s for kind, s in figures.correlation_graph(data).shapes if kind == "line" and s["colour"] == "s0"
    ]
    assert len(strong) == 4
    assert "low (n 15)" in figures.fairness_bars(data).svg()


def test_robustness_plays_under_growing_disturbance() -> None:
    some: dict[str, Any] = {
        "no-ops": ("noop_max", (0, 8)), "sticky actions": ("repeat_action_probability", (0.0, 0.5)),
    }  # fmt: skip
    agent = ev.agent(learner)
    found = ev.robustness(agent, [GAME], episodes=2, max_frames=500, disturbances=some)
    again = ev.robustness(agent, [GAME], episodes=2, max_frames=500, disturbances=some)
    assert found == again
    assert found.scores["no-ops"][0] == found.scores["sticky actions"][0.0]
    for levels in found.z.values():
        assert sum(levels.values()) == pytest.approx(0)
    assert "sticky actions (0, 0.5)" in figures.robustness_curves(found).svg()
