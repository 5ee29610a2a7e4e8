"""Welch's test, paired tests and times best: golden data of the first two papers."""

import math

import pytest

from ale_rs import evaluation as ev
from ale_rs.evaluation.compare import incomplete_beta
from api.evaluation.golden import GOLDEN

P, B, M = GOLDEN["protocol"], GOLDEN["bellemare2013"], GOLDEN["machado2018"]


def test_welch_from_trials() -> None:
    g = P["welch_from_trials"]
    found = ev.welch(g["a"], g["b"])
    assert (found.t, found.dof, found.p) == pytest.approx((g["t"], g["df"], g["p"]), abs=1e-9)
    assert found.verdict(0.05) == "worse"
    assert found.verdict(0.01) == "same"


def test_welch_of_constants() -> None:
    assert ev.welch([3, 3, 3], [3, 3]).p == 1.0
    found = ev.welch([3, 3, 3], [4, 4])
    assert (found.p, found.verdict(0.01)) == (0.0, "worse")
    assert ev.welch([3], [4, 4]).verdict(0.01) == "unknown"
    assert ev.welch([3, 3, 3], [4, 5]).p > 0


@pytest.mark.parametrize("agent", ["sarsa_blobprost", "dqn"])
def test_welch_of_the_printed_tables_finds_the_published_games(agent: str) -> None:
    g = M["welch_100M_against_200M"][agent]
    verdicts = {}
    for game, marks in M[agent].items():
        (mean, sd), (late_mean, late_sd) = marks[2], marks[3]
        if late_mean is None:
            continue
        test = ev.welch(ev.Summary(late_mean, late_sd, g["trials"]), ev.Summary(mean, sd, g["trials"]))
        verdicts[game] = test.verdict(g["alpha"])
        example = g["examples"].get(game)
        if example:
            assert test.t == pytest.approx(example["t"], abs=1e-6)
            assert test.p == pytest.approx(example["p"], abs=1e-8)
    assert [game for game, verdict in verdicts.items() if verdict == "better"] == g["better"]
    assert [game for game, verdict in verdicts.items() if verdict == "worse"] == g["worse"]


def test_the_beta_function_is_symmetric_and_known_at_some_points() -> None:
    assert incomplete_beta(1.0, 1.0, 0.3) == pytest.approx(0.3, abs=1e-14)
    assert incomplete_beta(0.5, 0.5, 0.25) == pytest.approx(2 / math.pi * math.asin(0.5), abs=1e-13)
    for a, b, x in ((2.5, 0.5, 0.9), (30.0, 0.5, 0.2), (0.5, 8.0, 0.01)):
        assert incomplete_beta(a, b, x) == pytest.approx(1 - incomplete_beta(b, a, 1 - x), abs=1e-13)
    assert (incomplete_beta(2, 3, 0), incomplete_beta(2, 3, 1)) == (0.0, 1.0)


def columns(table: dict[str, object]) -> dict[str, dict[str, float]]:
    names, games = table["columns"], table["games"]
    return {name: {g: row[i] for g, row in games.items()} for i, name in enumerate(names)}  # type: ignore[arg-type, attr-defined, misc]


def test_times_best_reproduces_both_published_rows() -> None:
    assert ev.times_best(columns(B["table4"])) == B["times_best"]
    assert list(ev.times_best(columns(B["table5"])).values()) == [4, 45, 3, 3]
    assert sum(ev.times_best(columns(B["table4"]), ties="none").values()) == 54
    assert sum(ev.times_best(columns(B["table4"]), ties="all").values()) == 59
    assert ev.times_best({"a": {"x": -0.0}, "b": {"x": 0.0}, "c": {"x": None}}) == {"a": 1, "b": 0, "c": 0}


def test_inter_algorithm_scores() -> None:
    g = B["inter_algorithm"]
    table = {name: row for name, row in columns(B["table4"]).items() if name in g["columns"]}
    z = ev.normalise_table(table, "inter")
    for game, row in g["z"].items():
        assert [z[name][game] for name in g["columns"]] == pytest.approx(row, abs=1e-7)
    assert all(0 <= value <= 1 for row in z.values() for value in row.values())
    for subset, games in (("all55", None), ("train5", ev.subset("train5")), ("test50", ev.subset("test50"))):
        for name in g["columns"]:
            kept = {game: [value] for game, value in z[name].items() if games is None or game in games}
            assert ev.point(kept, "mean") == pytest.approx(g[subset][name]["mean"], abs=1e-7)
            assert ev.point(kept, "median") == pytest.approx(g[subset][name]["median"], abs=1e-7)
    for tau, shares in g["distribution_at_least"].items():
        found = [
            ev.profile({game: [v] for game, v in z[name].items()}, [float(tau)], tie="at_least")[0]
            for name in g["columns"]
        ]
        assert found == pytest.approx(shares, abs=1e-7)


def test_random_and_baseline_normalisation() -> None:
    table = columns(B["table4"])
    z = ev.normalise_table(table, "random", baselines={"random": table["Random"]})
    for key, expected in B["random_normalised"].items():
        game, name = key.split("/")
        assert (
            math.isnan(z[name][game])
            if expected is None
            else z[name][game] == pytest.approx(expected, abs=1e-7)
        )
    g = B["baseline_range_from_three_columns"]
    three = {name: table[name] for name in ("Random", "Const", "Perturb")}
    z = ev.normalise_table(table, "baseline", baselines=three)
    assert z["LSH"]["zaxxon"] == pytest.approx(g["zaxxon/LSH"], abs=1e-2)
    for name, mean in g["mean"].items():
        kept = {game: [value] for game, value in z[name].items() if not math.isnan(value)}
        assert ev.point(kept, "mean") == pytest.approx(mean, abs=1e-6)
        assert ev.point(kept, "median") == pytest.approx(g["median"][name], abs=1e-6)


def test_paired_tests_count_games() -> None:
    rows = []
    for seed, value in enumerate((1.0, 1.1, 0.9)):
        rows += [
            ev.TrialScore("a", "pong", seed, None, value, 1),
            ev.TrialScore("b", "pong", seed, None, value + 5, 1),
        ]
        rows += [
            ev.TrialScore("a", "qbert", seed, None, value, 1),
            ev.TrialScore("b", "qbert", seed, None, value, 1),
        ]
    tests = ev.paired_tests(rows, alpha=0.01)
    assert tests.count("b", "a") == (1, 0)
    assert tests.count("a", "b") == (0, 1)
    assert tests.verdicts["a", "b"] == {"pong": "worse", "qbert": "same"}
