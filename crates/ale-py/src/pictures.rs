//! Pictures for files.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Pixels of one byte as the image data of a GIF file.
#[pyfunction]
#[pyo3(signature = (pixels, /))]
pub(crate) fn gif_data<'py>(py: Python<'py>, pixels: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &ale_sim::lzw::gif_data(pixels))
}
