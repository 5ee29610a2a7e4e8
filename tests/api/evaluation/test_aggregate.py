"""Aggregates, profiles, improvement and intervals: golden data, NumPy twins, properties."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ale_rs import evaluation as ev
from api.evaluation.golden import GOLDEN

G = GOLDEN["modern"]
X, Y = G["scores_x"], G["scores_y"]
NAMES = ["a", "b", "c", "d"]
KEYS = {"mean": "mean", "median": "median", "iqm": "iqm", "gap": "optimality_gap"}


def words(seed: int, index: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The counter hash in NumPy: the twin of `counter.rs`."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (index + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def draws(x: NDArray[np.float64], count: int, seed: int) -> NDArray[np.float64]:
    """All resampled matrices in NumPy: the twin of `Strata::draw`."""
    n, games = x.shape
    index = np.arange(count * n * games, dtype=np.uint64)
    rows = ((words(seed, index) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)
    return x[rows.reshape(count, n, games).astype(int), np.arange(games)]


def middle_half(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    cut = rows.shape[1] // 4
    return rows[:, cut : rows.shape[1] - cut]


TWINS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "mean": lambda d: d.mean(axis=(1, 2)),
    "median": lambda d: np.median(d.mean(axis=1), axis=1),
    "iqm": lambda d: middle_half(np.sort(d.reshape(len(d), -1))).mean(axis=1),
    "gap": lambda d: 1 - np.minimum(d, 1).mean(axis=(1, 2)),
}


@pytest.mark.parametrize("metric", ev.METRICS)
def test_point_values_are_those_of_the_specification(metric: str) -> None:
    assert ev.point(X, metric) == pytest.approx(G["aggregates_x"][KEYS[metric]], abs=1e-9)
    assert ev.point(Y, metric) == pytest.approx(G["aggregates_y"][KEYS[metric]], abs=1e-9)


def test_the_small_example() -> None:
    small = G["small_reference_example"]
    for index, table in enumerate((small["x"], small["y"])):
        for metric in ("mean", "median", "iqm"):
            assert ev.point(table, metric, games=["a", "b"]) == pytest.approx(small[metric][index])
    poi = ev.probability_of_improvement(small["x"], small["y"], games=["a", "b"])
    assert poi == pytest.approx(small["poi_x_over_y"], abs=1e-9)


def test_profiles() -> None:
    for tau, expected in G["profile_x_strictly_above"].items():
        assert ev.profile(X, [float(tau)])[0] == pytest.approx(expected["runs"], abs=1e-9)
        assert ev.profile(X, [float(tau)], by="means")[0] == pytest.approx(expected["means"], abs=1e-9)
    assert ev.profile(X, [1.0], tie="at_least")[0] == pytest.approx(5 / 12)


def test_improvement() -> None:
    assert ev.probability_of_improvement(X, Y) == pytest.approx(
        G["probability_of_improvement_x_over_y"], abs=1e-9
    )


@pytest.mark.parametrize(("metric", "key"), [("iqm", "iqm_95"), ("mean", "mean_95")])
def test_intervals_are_those_of_the_specification(metric: str, key: str) -> None:
    golden = G["bootstrap"]
    found = ev.interval(X, metric, golden["replicates"], 0.95, golden["seed"])
    assert found == pytest.approx(golden[key], abs=1e-9)


@pytest.fixture
def matrices(request: pytest.FixtureRequest) -> list[NDArray[np.float64]]:
    """Random matrices of a fixed and of a fresh seed."""
    result = []
    for seed in (1, request.config.option.fresh_seed):
        chance = np.random.default_rng(seed)
        shape = (int(chance.integers(2, 7)), int(chance.integers(7, 30)))
        result.append(np.round(chance.normal(0.8, 1.5, shape), 2))
    return result


def test_intervals_equal_the_numpy_twin(matrices: list[NDArray[np.float64]]) -> None:
    for x in matrices:
        drawn = draws(x, 700, 11)
        for metric, twin in TWINS.items():
            expected = np.quantile(twin(drawn), [0.05, 0.95])
            assert ev.interval(x, metric, 700, 0.9, 11) == pytest.approx(tuple(expected), abs=1e-12)


def test_bands_and_improvement_intervals_equal_the_numpy_twins(matrices: list[NDArray[np.float64]]) -> None:
    x = matrices[1]
    y = np.round(x[:2] + 0.3, 1)
    taus = np.linspace(-1, 3, 17)
    band = ev.profile_band(x, taus, replications=300, seed=5)
    above = (draws(x, 300, 5)[:, None] > taus[None, :, None, None]).mean(axis=(2, 3))
    assert band.low == pytest.approx(np.quantile(above, 0.025, axis=0), abs=1e-12)
    assert band.high == pytest.approx(np.quantile(above, 0.975, axis=0), abs=1e-12)
    a, b = draws(x, 300, 5), draws(y, 300, 6)
    pairs = (a[:, :, None] > b[:, None]) + 0.5 * (a[:, :, None] == b[:, None])
    expected = np.quantile(pairs.mean(axis=(1, 2, 3)), [0.025, 0.975])
    names = [f"g{i}" for i in range(x.shape[1])]
    found = ev.improvement_interval(x, y, 300, 0.95, 5, games=names)
    assert found == pytest.approx(tuple(expected), abs=1e-12)


def test_the_number_of_threads_does_not_show(matrices: list[NDArray[np.float64]]) -> None:
    for metric in ev.METRICS:
        found = {ev.interval(matrices[1], metric, 500, threads=threads) for threads in (0, 1, 2, 5)}
        assert len(found) == 1


def test_aggregates_do_not_change_under_permutation(matrices: list[NDArray[np.float64]]) -> None:
    chance = np.random.default_rng(3)
    for x in matrices:
        shuffled = chance.permuted(x, axis=0)[:, chance.permutation(x.shape[1])]
        for metric in ev.METRICS:
            assert ev.point(shuffled, metric) == pytest.approx(ev.point(x, metric), abs=1e-12)


def test_improvements_of_both_sides_make_one_and_profiles_fall(matrices: list[NDArray[np.float64]]) -> None:
    x = matrices[1]
    y = x[::-1] * 0.9
    total = ev.probability_of_improvement(x, y) + ev.probability_of_improvement(y, x)
    assert total == pytest.approx(1, abs=1e-12)
    assert ev.probability_of_improvement(x, x) == pytest.approx(0.5, abs=1e-12)
    assert (np.diff(ev.profile(x)) <= 0).all()


def test_games_with_different_numbers_of_runs() -> None:
    ragged = {"pong": [1.0, 3.0], "qbert": [4.0]}
    assert ev.point(ragged, "mean") == 3.0
    assert ev.point(ragged, "gap", gamma=2.0) == pytest.approx(2 - (1.5 + 2) / 2)
    with pytest.raises(ValueError, match="same number of runs"):
        ev.point(ragged, "iqm")
    assert ev.profile(ragged, [2.0])[0] == 0.75


def test_one_run_has_no_interval() -> None:
    with pytest.raises(ValueError, match="one run only"):
        ev.interval([[1.0, 2.0]], "mean")
    matrix = ev.as_matrix([[1.0, 2.0]])
    found = ev.aggregate({"a": matrix})["a"]["mean"]
    assert (found.value, found.low) == (1.5, None)
    assert "one trial" in found.note


def test_exchanged_axes_are_refused_or_warned_about() -> None:
    x = np.zeros((57, 5))
    names = [f"game {i}" for i in range(57)]
    with pytest.raises(ValueError, match=r"57 names of games; its rows are games: transpose it.*redraw"):
        ev.point(x, "mean", games=names)
    with pytest.warns(ev.AxesWarning, match=r"more runs than games.*intervals would redraw games"):
        ev.point(x, "mean")
    assert ev.point(x.T, "mean", games=names) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ev.point(X, "iqr"), 'unknown metric "iqr", did you mean "iqm"'),
        (lambda: ev.point([1.0, 2.0], "mean"), r"shape \(2,\); expected a matrix of runs x games"),
        (lambda: ev.point([[1.0, math.inf]], "mean"), "infinite score: run 0, game 1"),
        (lambda: ev.point([[1.0, 2.0]], "mean", games=["a", "a"]), "two columns with the name a"),
        (lambda: ev.point([[math.nan, math.nan]], "mean"), "has no scores"),
        (lambda: ev.interval(X, "mean", level=1.0), "level is 1.0"),
        (lambda: ev.interval(X, "mean", 0), "replications is 0"),
        (lambda: ev.interval(X, "mean", over="game"), 'did you mean "games"'),
        (lambda: ev.profile(X, [0.0], tie="equal"), 'unknown tie "equal"'),
        (lambda: ev.probability_of_improvement(X, [[1.0]]), "x has 4 games, y has 1"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_redrawing_games_as_well_is_wider() -> None:
    low, high = ev.interval(X, "mean", 3000)
    lower, higher = ev.interval(X, "mean", 3000, over="games")
    assert higher - lower > high - low
