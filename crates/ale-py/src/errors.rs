//! What went wrong, as Python exceptions. The only place that chooses them.

use ale_core::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};

/// The exception of an error of the core.
pub(crate) fn to_py_err(error: Error) -> PyErr {
    match error {
        Error::Mode { .. } => PyRuntimeError::new_err(format!("Invalid game mode requested: {error}")),
        Error::Difficulty { .. } => PyRuntimeError::new_err(format!("Invalid difficulty requested: {error}")),
        Error::Config(_) | Error::State(_) | Error::RomSize { .. } | Error::Order(_) | Error::Interrupted => {
            PyRuntimeError::new_err(error.to_string())
        }
        Error::Batch(error) => batch_error(error),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception of an error when a vector environment is built, whose options are arguments.
pub(crate) fn vector_error(error: Error) -> PyErr {
    match error {
        Error::Config(text) => PyValueError::new_err(text),
        _ => to_py_err(error),
    }
}

/// The exception of an error of a batch, whose actions are indices.
#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(crate) fn batch_error(error: ale_sim::Error) -> PyErr {
    use ale_sim::Error;
    let text = error.to_string();
    match error {
        Error::Config(_) | Error::Count(_) => PyValueError::new_err(text),
        Error::Action { .. } | Error::Env { .. } => PyIndexError::new_err(text),
        Error::Memory(_) => PyMemoryError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// The exception of bytes that are no state.
pub(crate) fn value_error(error: &Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception of an argument of a wrong type; users match on its first words.
pub(crate) fn incompatible(accepted: &str, given: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "incompatible function arguments. The following argument types are supported: {accepted}; got {given}"
    ))
}

/// The exception of calls that need a ROM.
pub(crate) fn rom_not_set() -> PyErr {
    PyRuntimeError::new_err("ROM not set")
}
