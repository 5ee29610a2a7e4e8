//! What the engine says of itself: whether the JIT is on.

use pyo3::prelude::*;

/// Whether games that are loaded now run as JIT code, and why or why not.
#[pyfunction]
pub(crate) fn jit_status() -> (bool, String) {
    ale_core::console::jit::status()
}
