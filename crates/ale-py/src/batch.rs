//! What the vector environments of all worlds need: names of options, the caller's buffers, calls that can be interrupted.

use std::time::{Duration, Instant};

use ale_batch::{Autoreset, Choice, Error};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::batch_error;

/// How often a long call looks for signals such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The autoreset mode of a name of gymnasium's.
pub(crate) fn autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "NextStep" => Ok(Autoreset::NextStep),
        "SameStep" => Ok(Autoreset::SameStep),
        "Disabled" => Ok(Autoreset::Disabled),
        _ => Err(PyValueError::new_err(format!("Invalid autoreset_mode: {name}"))),
    }
}

/// What a reset does with each sub-environment: 0 leaves it, 1 resets it, 2 resets it with its seed.
pub(crate) fn choices(
    kinds: &PyReadonlyArray1<'_, u8>,
    seeds: &PyReadonlyArray1<'_, i64>,
    num_envs: usize,
) -> PyResult<Vec<Choice>> {
    let (kinds, seeds) = (kinds.as_array(), seeds.as_array());
    if kinds.len() != num_envs || seeds.len() != num_envs {
        let (have, also) = (kinds.len(), seeds.len());
        return Err(PyValueError::new_err(format!(
            "{have} choices and {also} seeds for {num_envs} sub-environments"
        )));
    }
    let choice = |(kind, seed): (&u8, &i64)| match kind {
        0 => Choice::Leave,
        1 => Choice::Reset,
        _ => Choice::Seed(*seed as u64),
    };
    Ok(kinds.iter().zip(seeds).map(choice).collect())
}

/// The bytes of the caller's array, if there is one.
pub(crate) fn own_slice<'a>(
    own: Option<&'a mut PyReadwriteArrayDyn<'_, u8>>,
) -> PyResult<Option<&'a mut [u8]>> {
    Ok(own.map(|array| array.as_slice_mut()).transpose()?)
}

/// The exception of a buffer that somebody else uses or that is read-only.
pub(crate) fn borrowed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("a buffer given to use_buffers() cannot be written: {error}"))
}

/// Whether results can be written into an array of the caller.
pub(crate) fn check_buffer<T: numpy::Element>(
    py: Python<'_>,
    name: &str,
    buffer: Option<&Py<PyArrayDyn<T>>>,
    shape: &[usize],
) -> PyResult<()> {
    let Some(buffer) = buffer else { return Ok(()) };
    let buffer = buffer.bind(py);
    if buffer.shape() != shape || !buffer.is_c_contiguous() {
        let text = format!(
            "the buffer for {name} has the shape {:?}; accepted: C-contiguous of shape {shape:?}",
            buffer.shape()
        );
        return Err(PyValueError::new_err(text));
    }
    buffer.try_readwrite().map(|_| ()).map_err(borrowed)
}

/// Runs a call without the interpreter; other Python threads go on. Looks for signals now and then.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    call: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut signal = None;
    let mut looked = Instant::now();
    let result = py.detach(|| {
        call(&mut || {
            if looked.elapsed() >= SIGNAL_INTERVAL {
                #[expect(
                    clippy::redundant_closure_for_method_calls,
                    reason = "the method is not general enough"
                )]
                let checked = Python::attach(|py| py.check_signals());
                signal = checked.err();
                looked = Instant::now();
            }
            signal.is_some()
        })
    });
    match signal {
        Some(signal) => Err(signal),
        None => result.map_err(batch_error),
    }
}
