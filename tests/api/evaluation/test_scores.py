"""Reference scores, normalisation of trials, published tables, Crafter's score."""

import json
import math
import os
from pathlib import Path

import pytest

from ale_rs import evaluation as ev
from ale_rs.evaluation.trials import mean_and_sd
from api.evaluation.golden import GOLDEN

C = GOLDEN["crafter"]


def rows(*cells: tuple[str, str, int, float]) -> list[ev.TrialScore]:
    return [ev.TrialScore(agent, game, seed, None, score, 1) for agent, game, seed, score in cells]


def test_the_reference_tables() -> None:
    expected = GOLDEN["reference_scores"]
    assert {game: list(span) for game, span in ev.reference().items()} == expected["games"]
    other = ev.reference("dqn_zoo")
    differences = expected["dqn_zoo_differences"]
    for game, (low, high) in ev.reference().items():
        if game in differences:
            assert list(other[game]) == differences[game]
        else:
            assert other[game] == pytest.approx((low, high), abs=0.0501)


def test_human_normalisation_with_missing_and_undefined_games() -> None:
    trials = rows(
        ("a", "pong", 0, -20.71),
        ("a", "pong", 1, 14.6),
        ("a", "carnival", 0, 5.0),
        ("b", "qbert", 0, 13455.0),
    )
    x = ev.normalise(trials, "human")
    assert x["a"].games == ("pong",)
    assert x["a"].values[:, 0].tolist() == [0.0, 1.0]
    assert set(x["a"].missing) == {"carnival", "qbert"}
    assert x["b"].means() == {"qbert": 1.0}
    with pytest.raises(ValueError, match="a has no score of qbert"):
        ev.normalise(trials, "human", games=["pong", "qbert"], require_all=True)
    with pytest.raises(ValueError, match='unknown normalisation "humane", did you mean "human"'):
        ev.normalise(trials, "humane")
    with pytest.raises(ValueError, match="unknown agent"):
        x["c"]


def test_ties_of_inter_are_one_and_empty_ranges_undefined() -> None:
    trials = rows(
        ("a", "pong", 0, 3.0), ("b", "pong", 0, 3.0), ("a", "qbert", 0, 1.0), ("b", "qbert", 0, 2.0)
    )
    x = ev.normalise(trials, "inter")
    assert x["a"].means() == {"pong": 1.0, "qbert": 0.0}
    flat = ev.normalise(
        trials, "baseline", baselines={"r": {"pong": 1.0, "qbert": 0.0}, "s": {"pong": 1.0, "qbert": 4.0}}
    )
    assert flat.undefined == ("pong",)
    assert flat["b"].means() == {"qbert": 0.5}


def test_published_tables_are_read() -> None:
    assert ev.published("machado2018_table8")["10m_mean"]["alien"] == 1910.2
    assert "journey_escape" not in ev.published("machado2018_table8")["200m_mean"]
    for name in ev.published_tables():
        assert ev.published(name)
    with pytest.raises(ValueError, match="unknown published table"):
        ev.published("machado2018_table99")


def test_a_csv_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("agent,game,score,seed,checkpoint\ndqn,pong,20.5,1,10000000\n")
    assert ev.read_scores(path) == [ev.TrialScore("dqn", "pong", 1, 10_000_000, 20.5, 0)]
    path.write_text("agent,game,score\ndqn,pong,x\n")
    with pytest.raises(ValueError, match=r"scores\.csv:2: score is 'x'"):
        ev.read_scores(path)
    path.write_text("agent,score\n")
    with pytest.raises(ValueError, match=r"scores\.csv:1: the column 'game' is missing"):
        ev.read_scores(path)
    path.write_text("agent,game,score\ndqn,pong,1\ndqn,pong,2\n")
    with pytest.raises(ValueError, match="twice"):
        ev.read_scores(path)


@pytest.mark.parametrize("method", list(C["methods"]))
def test_crafter_scores_of_mean_rates(method: str) -> None:
    g = C["methods"][method]
    found = ev.crafter_score(g["success_rates_percent"].values())
    assert found == pytest.approx(g["score_of_the_mean_rates"], abs=1e-5)


def test_crafter_scores_of_two_seeds() -> None:
    g = C["two_seed_example"]
    scores = [ev.crafter_score(rates) for rates in g["rates"]]
    assert scores == pytest.approx(g["scores"], abs=1e-7)
    assert mean_and_sd(scores, "population") == pytest.approx((g["mean"], g["sd_population"]), abs=1e-7)
    assert ev.crafter_score([100.0] * 22) == 100.0
    with pytest.raises(ValueError, match="percentages"):
        ev.crafter_score([101.0])


@pytest.mark.parametrize(("name", "mean", "sd"), [("human", 50.527, 6.788), ("random", 1.550, 0.013)])
def test_the_public_data_of_crafter_gives_the_published_scores(name: str, mean: float, sd: float) -> None:
    directory = os.environ.get("ALE_RS_CRAFTER_DATA")
    if not directory:
        pytest.skip("ALE_RS_CRAFTER_DATA names no directory with the public per-episode data")
    scores = []
    for run in json.loads((Path(directory) / f"{name}.json").read_text()):
        within = [i for i, x in enumerate(run["xs"]) if x <= 1_000_000]
        counts = [{a: run[f"achievement_{a}"][i] for a in ev.ACHIEVEMENTS} for i in within]
        scores.append(ev.crafter_score(ev.success_rates(counts).values()))
    found, spread = mean_and_sd(scores, "population")
    assert (round(found or math.nan, 3), round(spread, 3)) == (mean, sd)
