//! Bytes of the core as numpy arrays, new ones and the caller's.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arguments::Optional;
use crate::errors::incompatible;

/// What happens when the caller's array has another shape.
#[derive(Clone, Copy)]
pub(crate) enum Mismatch {
    /// `RuntimeError` that names both shapes.
    Runtime,
    /// `TypeError`.
    Type,
}

/// Writes bytes of this shape into the caller's array, or into a new one that is returned.
pub(crate) fn write_bytes<'py>(
    py: Python<'py>,
    buffer: Optional<'py>,
    shape: &[usize],
    mismatch: Mismatch,
    write: impl FnOnce(&mut [u8]),
) -> PyResult<Option<Bound<'py, PyArrayDyn<u8>>>> {
    match buffer {
        Optional::Missing => {
            let array = PyArrayDyn::zeros(py, shape, false);
            write(array.readwrite().as_slice_mut()?);
            Ok(Some(array))
        }
        Optional::Given(buffer) => {
            let accepted = "a writeable, C-contiguous numpy array of uint8";
            let Ok(array) = buffer.cast::<PyArrayDyn<u8>>() else {
                return Err(incompatible(accepted, &described(&buffer)));
            };
            check_shape(array.shape(), shape, mismatch)?;
            if !array.is_c_contiguous() {
                return Err(incompatible(accepted, "one that is not contiguous"));
            }
            let Ok(mut array) = array.try_readwrite() else {
                return Err(incompatible(accepted, "one that cannot be written"));
            };
            write(array.as_slice_mut()?);
            Ok(None)
        }
    }
}

fn check_shape(shape: &[usize], expected: &[usize], mismatch: Mismatch) -> PyResult<()> {
    if shape == expected {
        return Ok(());
    }
    match mismatch {
        Mismatch::Type => Err(incompatible(
            &format!("a numpy array of shape {}", listed(expected)),
            &format!("shape {}", listed(shape)),
        )),
        Mismatch::Runtime if shape.len() != expected.len() => {
            let count = if expected.len() == 2 { "two" } else { "three" };
            Err(PyRuntimeError::new_err(format!("Expected a numpy array with {count} dimensions.")))
        }
        Mismatch::Runtime => Err(PyRuntimeError::new_err(format!(
            "Invalid shape {}, expecting shape {}",
            listed(shape),
            listed(expected)
        ))),
    }
}

fn listed(shape: &[usize]) -> String {
    let numbers: Vec<_> = shape.iter().map(usize::to_string).collect();
    format!("({})", numbers.join(", "))
}

fn described(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    object.getattr("dtype").map_or_else(|_| class.clone(), |dtype| format!("{class} of {dtype}"))
}
