"""Atari-k: models, predictions and the search, against golden data and a plain twin."""

import itertools
import os

import numpy as np
import pytest

from ale_rs import evaluation as ev
from ale_rs.evaluation import dataset
from ale_rs.evaluation.dataset import Dataset, Fit, fold_of_rows
from api.evaluation.golden import GOLDEN

G = GOLDEN["atari5"]


@pytest.fixture(scope="module")
def data() -> Dataset:
    if not os.environ.get(dataset.ENVIRONMENT):
        pytest.skip(f"{dataset.ENVIRONMENT} names no Atari-5 data set")
    return ev.read_dataset()


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Dataset:
    """A table of our own with missing scores: 45 algorithms, 12 games."""
    chance = np.random.default_rng(request.config.option.fresh_seed)
    strength = chance.normal(2, 0.5, (45, 1))
    percent = 10 ** (strength * chance.uniform(0.4, 1.2, 12) + chance.normal(0, 0.2, (45, 12))) - 1
    percent[chance.random((45, 12)) < 0.04] = np.nan
    return Dataset(tuple(f"a{i:02}" for i in range(45)), tuple(f"g{i}" for i in range(12)), percent)


def test_folds_are_numpys_frozen_shuffle() -> None:
    for n, order in G["fold_permutations"]["n"].items():
        folds = fold_of_rows(int(n))
        sizes = [len(order) // 10 + (i < len(order) % 10) for i in range(10)]
        expected = np.repeat(np.arange(10), sizes)
        assert [folds[row] for row in order] == expected.tolist()


def test_the_table_of_estimates() -> None:
    for name, g in G["table3"].items():
        fitted = ev.estimate(g["normalised_percent"], ev.model("atari5", "fitted"))
        assert fitted == pytest.approx(g["estimate"], abs=1e-3), name
        assert int(fitted) == g["published"][1]
    muzero = G["table3"]["MuZero"]["normalised_percent"]
    fractions = [[z / 100 for z in muzero]]
    found = ev.atari_k(fractions, "atari5", games=ev.subset("atari5"))
    assert found.value == pytest.approx(2091.457, abs=1e-3)
    assert (found.relative_error, found.low) == (10.4, None)


def test_estimates_rise_with_every_game_and_need_all_of_them() -> None:
    games = ev.subset("atari5")
    base = ev.atari_k([[0.5] * 5, [0.7] * 5], games=games)
    assert base.low is not None
    assert base.high is not None
    assert base.low < base.value < base.high
    for game in range(5):
        row = [0.6] * 5
        row[game] = 2.0
        assert ev.atari_k([row], games=games).value > ev.atari_k([[0.6] * 5], games=games).value
    assert ev.atari_k([[-1.0] * 5], games=games).value == 0
    with pytest.raises(ValueError, match="no score of qbert"):
        ev.atari_k([[1.0] * 4], games=games[:4])
    with pytest.raises(ValueError, match='unknown model "atari4"'):
        ev.atari_k([[1.0] * 5], "atari4", games=games)


def test_predictions_of_single_games() -> None:
    games = ev.subset("atari5")
    found = {row.game: row for row in ev.predict_games([[1.0] * 5], games=games)}
    assert len(found) == 57
    assert found["qbert"].percent == pytest.approx(100.0)
    assert found["qbert"].score == pytest.approx(13455.0)
    g = G["game_models"]["atari5"]["models"]["alien"]
    expected = 10 ** (g["intercept"] + sum(g["coefficients"]) * np.log10(101)) - 1
    assert found["alien"].percent == pytest.approx(expected, rel=1e-5)


def test_the_search_finds_what_plain_least_squares_finds(table: Dataset) -> None:
    logs, target = table.logs(), table.target()
    fits = [
        Fit.of(logs[:, list(columns)], target, [table.games[c] for c in columns])
        for columns in itertools.combinations(range(12), 3)
    ]
    for non_negative in (True, False):
        good = [fit for fit in fits if min(fit.coefficients) >= 0] if non_negative else fits
        for measure in ("cv_mse", "cv_mae", "mse"):
            order = sorted(good, key=lambda fit: getattr(fit, measure))
            found = ev.search_subset(table, 3, measure=measure, non_negative=non_negative, keep=4)
            assert found.games == order[0].games
            assert [games for games, _ in found.next_best] == [fit.games for fit in order[1:4]]
            errors = [error for _, error in found.next_best]
            assert errors == pytest.approx([getattr(fit, measure) for fit in order[1:4]], abs=1e-9)
            assert found.subsets == 220
            assert found.non_negative == sum(min(fit.coefficients) >= 0 for fit in fits)


def test_the_number_of_threads_does_not_show_in_a_search(table: Dataset) -> None:
    found = [ev.search_subset(table, 4, always=["g3"], keep=5, threads=threads) for threads in (1, 2, 4)]
    assert found[0] == found[1] == found[2]
    assert found[0].games[-1] == "g3"


def test_arrays_and_dicts_are_searched_alike(table: Dataset) -> None:
    expected = ev.search_subset(table, 2)
    assert ev.search_subset(table.percent, 2, games=table.games) == expected
    cells = {
        name: {game: v for game, v in zip(table.games, row, strict=True) if not np.isnan(v)}
        for name, row in zip(table.algorithms, table.percent.tolist(), strict=True)
    }
    assert ev.search_subset(cells, 2, games=table.games) == expected
    medians = np.nanmedian(table.percent, axis=1)
    assert ev.search_subset(table, 2, target=medians) == expected
    assert ev.search_subset(table, 2, target="mean").cv_mse != expected.cv_mse


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "a subset of 0 games"),
        ({"size": 13}, "13 games to choose from 12"),
        ({"measure": "r2"}, 'unknown measure "r2"'),
        ({"target": "mode"}, 'unknown target "mode"'),
        ({"target": [1.0]}, "one value per algorithm"),
        ({"transform": "logs"}, 'did you mean "log"'),
        ({"always": ["pong"]}, 'unknown game "pong"'),
        ({"folds": 1}, "folds is 1"),
        ({"min_algorithms": 46}, "games to choose from 0"),
        ({"size": 2, "always": ["g1", "g2", "g3"]}, "3 games are always there"),
    ],
)
def test_bad_searches_are_refused(table: Dataset, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ev.search_subset(table, **options)  # type: ignore[arg-type]


def test_inversions() -> None:
    assert ev.inversions("abcd", "abcd") == 0
    assert ev.inversions("abcd", "dcba") == 6
    with pytest.raises(ValueError, match="same names"):
        ev.inversions("ab", "ac")


def test_a_data_set_that_is_missing_or_wrong_says_so(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(dataset.ENVIRONMENT, raising=False)
    with pytest.raises(ValueError, match=dataset.ENVIRONMENT):
        ev.read_dataset()


# With the public data set:


def test_medians_of_all_algorithms(data: Dataset) -> None:
    assert list(data.algorithms) == G["data"]["row_order"]
    counts = (~np.isnan(data.percent)).sum(axis=0)
    assert dict(zip(data.games, counts.tolist(), strict=True)) == G["data"]["algorithms_per_game"]
    medians, target = data.medians(), data.target()
    for index, (name, g) in enumerate(G["median_scores"].items()):
        assert medians[name] == pytest.approx(g["median"], abs=1e-4)
        assert target[index] == pytest.approx(g["target"], abs=1e-8)


@pytest.mark.parametrize("name", list(G["models"]))
def test_models_and_table_2(data: Dataset, name: str) -> None:
    g = G["models"][name]
    logs = data.logs()[:, [data.column(game) for game in g["games"]]]
    fit = Fit.of(logs, data.target(), g["games"])
    assert fit.n == g["n"]
    assert fit.coefficients == pytest.approx(g["coefficients"], abs=1e-8)
    assert (fit.mse, fit.cv_mse, fit.cv_mae) == pytest.approx((g["mse"], g["cv_mse"], g["cv_mae"]), abs=1e-8)
    assert round(fit.r2, 3) == g["published"]["r2"]
    assert round(fit.relative_error, 1) == g["published"]["relative_error_percent"]


def test_all_seven_searches(data: Dataset) -> None:
    found = ev.atari5_searches()
    assert list(found) == [row["name"] for row in G["search"]["order"]]
    for row in G["search"]["order"]:
        search = found[row["name"]]
        assert list(search.games) == row["best"][0]
        assert search.cv_mse == pytest.approx(row["best"][1], abs=1e-10)
        assert (search.subsets, search.non_negative) == (row["subsets"], row["non_negative"])


def test_the_next_best_subsets_and_the_sign_rule(data: Dataset) -> None:
    first = G["search"]["order"][0]
    found = ev.search_subset(data, 5, min_games=40, min_algorithms=40, keep=5)
    assert [[list(games), pytest.approx(error, abs=1e-10)] for games, error in found.next_best] == first[
        "next"
    ]
    whole = ev.search_subset(data, 5)
    assert (whole.subsets, whole.non_negative) == (4_187_106, 2_310_211)
    assert whole.games == found.games


def test_ranking_of_single_games(data: Dataset) -> None:
    ranking = ev.rank_games(data)
    assert [row.game for row in ranking] == [row["game"] for row in G["single_game_ranking"]]
    for row, g in zip(ranking, G["single_game_ranking"], strict=True):
        assert row.n == g["n"]
        assert (row.r2, row.intercept, row.slope) == pytest.approx(
            (g["r2"], g["intercept"], g["slope"]), abs=1e-5
        )


@pytest.mark.parametrize("name", ["atari5", "atari10"])
def test_models_of_single_games(data: Dataset, name: str) -> None:
    g = G["game_models"][name]
    found = ev.fit_games(data, g["predictors"])
    assert found.explained_variance == pytest.approx(g["explained_variance_pooled"], abs=1e-5)
    assert sum(row.r2 > 0.8 for row in found.models) == g["games_with_r2_above_0.8"]
    for row in found.models:
        expected = g["models"][row.game]
        assert (row.n, row.r2) == (expected["n"], pytest.approx(expected["r2"], abs=1e-5))
        assert row.coefficients == pytest.approx(expected["coefficients"], abs=1e-5)


def test_correlations_and_fairness(data: Dataset) -> None:
    found = ev.correlations(data)
    assert [list(row[:2]) for row in found[:6]] == [row[:2] for row in G["correlations"]["top"][:6]]
    assert [row[2] for row in found[:6]] == pytest.approx(
        [r[2] for r in G["correlations"]["top"][:6]], abs=1e-5
    )
    assert sum(row[2] > 0.9 for row in found) == 4
    by_pair = {frozenset(row[:2]): row[2] for row in found}
    for game, value in G["correlations"]["skiing"].items():
        assert by_pair[frozenset((game, "skiing"))] == pytest.approx(value, abs=1e-5)
    fair = ev.fairness(data, ev.subset("atari5"))
    for group, g in zip(fair["groups_low_mid_high"], G["fairness"]["groups_low_mid_high"], strict=True):
        assert group == pytest.approx(g, abs=1e-5)
    for pair, tests in G["fairness"]["welch_p"].items():
        assert fair["welch_p"][pair] == pytest.approx(tests, abs=1e-5)
    assert fair["share_within_10_percent"] == pytest.approx(
        G["fairness"]["share_within_10_percent"], abs=1e-5
    )
