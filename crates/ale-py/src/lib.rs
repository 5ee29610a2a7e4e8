//! The native module of `ale_rs`: conversion between Python and `ale-core`, nothing else.

use pyo3::prelude::*;

/// Native half of the Python package `ale_rs`.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
