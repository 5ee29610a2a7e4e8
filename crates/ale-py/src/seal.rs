//! Kind, version and checksum around the bytes of a pickle.

use ale_sim::bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// First letters of the bytes.
const KIND: [u8; 8] = *b"ale-rs p";
/// Changes with every change of what pickles contain.
const VERSION: u32 = 1;

/// The content with kind, version and checksum around it.
#[pyfunction]
#[pyo3(signature = (content, /))]
pub(crate) fn seal<'py>(py: Python<'py>, content: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &bytes::seal(KIND, VERSION, content))
}

/// The content of what `seal` made; a `ValueError` with the reason when a byte of it is another one.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn unseal<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let content = bytes::unseal(KIND, VERSION, data);
    content.map(|content| PyBytes::new(py, content)).map_err(|error| PyValueError::new_err(error.to_string()))
}
