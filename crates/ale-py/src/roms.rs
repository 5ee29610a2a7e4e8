//! The ROM images that are known, and those that are built in.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Name and MD5 of every known image, in the order in which games are listed.
#[pyfunction]
pub(crate) fn known_roms() -> Vec<(&'static str, &'static str)> {
    ale_core::console::known::known_roms().collect()
}

/// Name and bytes of the images that are part of the library.
#[pyfunction]
pub(crate) fn embedded_roms(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let roms = PyDict::new(py);
    for game in ale_core::embedded::GAMES {
        roms.set_item(game.name, PyBytes::new(py, game.image))?;
    }
    Ok(roms)
}
