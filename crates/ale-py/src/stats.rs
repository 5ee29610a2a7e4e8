//! `ale-stats`: bootstrap replicates and the search for subsets, without the interpreter's lock.

use ale_stats::{
    Measure, Metric, Over, Search, Strata, improvement_replicates, metric_replicates, profile_replicates,
    search, with_threads,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments::{Replicates, Threads};

/// The columns of a subset and its error.
type Subset = (Vec<usize>, f64);

fn value_error(text: String) -> PyErr {
    PyValueError::new_err(text)
}

fn metric(name: &str, parameters: Vec<f64>) -> PyResult<Metric> {
    match (name, parameters.as_slice()) {
        ("mean", []) => Ok(Metric::Mean),
        ("median", []) => Ok(Metric::Median),
        ("iqm", []) => Ok(Metric::InterquartileMean),
        ("gap", [gamma]) => Ok(Metric::OptimalityGap(*gamma)),
        ("estimate", _) => Ok(Metric::Estimate(parameters)),
        _ => Err(value_error(format!("metric {name:?} with {} parameters", parameters.len()))),
    }
}

/// The value of an aggregate for each replicate.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one private caller, which names them")]
pub(crate) fn bootstrap_metric<'py>(
    py: Python<'py>,
    games: Vec<Vec<f64>>,
    metric: &str,
    parameters: Vec<f64>,
    count: Replicates,
    seed: u64,
    over_games: bool,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let metric = self::metric(metric, parameters)?;
    let strata = Strata::new(&games).map_err(value_error)?;
    let over = if over_games { Over::Games } else { Over::Trials };
    let work =
        || with_threads(threads.0, || metric_replicates(&strata, &metric, count.0, seed, over)).flatten();
    Ok(py.detach(work).map_err(value_error)?.to_pyarray(py))
}

/// The profile of each replicate, one row each.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one private caller, which names them")]
pub(crate) fn bootstrap_profile(
    py: Python<'_>,
    games: Vec<Vec<f64>>,
    taus: Vec<f64>,
    at_least: bool,
    by_game: bool,
    count: Replicates,
    seed: u64,
    threads: Threads,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let strata = Strata::new(&games).map_err(value_error)?;
    let work =
        || with_threads(threads.0, || profile_replicates(&strata, &taus, at_least, by_game, count.0, seed));
    py.detach(work).map_err(value_error)?.to_pyarray(py).reshape([count.0, taus.len()])
}

/// The probability of improvement of each replicate.
#[pyfunction]
pub(crate) fn bootstrap_improvement(
    py: Python<'_>,
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    count: Replicates,
    seed: u64,
    threads: Threads,
) -> PyResult<Bound<'_, PyArray1<f64>>> {
    let (x, y) = (Strata::new(&x).map_err(value_error)?, Strata::new(&y).map_err(value_error)?);
    let work = || with_threads(threads.0, || improvement_replicates(&x, &y, count.0, seed)).flatten();
    Ok(py.detach(work).map_err(value_error)?.to_pyarray(py))
}

/// The best subsets with their errors, how many subsets there are, and how many pass the sign rule.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one private caller, which names them")]
pub(crate) fn search_subsets(
    py: Python<'_>,
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
    folds: Vec<Vec<usize>>,
    pool: Vec<usize>,
    always: Vec<usize>,
    choose: usize,
    non_negative: bool,
    measure: &str,
    keep: usize,
    threads: Threads,
) -> PyResult<(Vec<Subset>, u64, u64)> {
    let measure = match measure {
        "cv_mse" => Measure::CrossValidatedSquares,
        "cv_mae" => Measure::CrossValidatedAbsolute,
        "mse" => Measure::InSample,
        _ => return Err(value_error(format!("unknown measure {measure:?}"))),
    };
    let what = Search {
        columns: &columns,
        target: &target,
        folds: &folds,
        pool: &pool,
        always: &always,
        choose,
        non_negative,
        measure,
        keep,
    };
    let outcome = py.detach(|| with_threads(threads.0, || search(&what)).flatten()).map_err(value_error)?;
    let best = outcome.best.into_iter().map(|found| (found.columns, found.error)).collect();
    Ok((best, outcome.subsets, outcome.non_negative))
}
