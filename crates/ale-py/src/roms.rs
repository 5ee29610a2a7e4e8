//! The ROM images that are known, and those that are built in.

use ale_core::catalogue;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Name and MD5 of every known image, in the order in which games are listed.
#[pyfunction]
pub(crate) fn known_roms() -> Vec<(&'static str, &'static str)> {
    catalogue::by_image().into_iter().map(|game| (game.name, game.md5)).collect()
}

/// The names of known images that make sense for several players only; they have no environment.
#[pyfunction]
pub(crate) fn multiplayer_roms() -> Vec<&'static str> {
    catalogue::by_image().into_iter().filter(|game| game.players > 1).map(|game| game.name).collect()
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
