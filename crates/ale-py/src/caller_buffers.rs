//! Arrays of the caller that results are written into, checked anew before each call.

use ale_batch::PARTS;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// One array and the shape that it must have.
pub(crate) struct CallerBuffer<T> {
    name: String,
    shape: Vec<usize>,
    array: Py<PyArrayDyn<T>>,
}

impl<T: Element + Copy> CallerBuffer<T> {
    /// The array that was given for `name`, if there is one.
    pub(crate) fn new(
        py: Python<'_>,
        name: &str,
        shape: &[usize],
        array: Option<Py<PyArrayDyn<T>>>,
    ) -> PyResult<Option<Self>> {
        let Some(array) = array else { return Ok(None) };
        let buffer = Self { name: name.to_owned(), shape: shape.to_vec(), array };
        buffer.check(py)?;
        Ok(Some(buffer))
    }

    /// Whether results can be written into it: it may have been resized or made read-only since the last call.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let Self { name, shape, .. } = self;
        let array = self.array.bind(py);
        if array.shape() != shape || !array.is_c_contiguous() {
            let text = format!(
                "the buffer for {name} has the shape {:?}; accepted: C-contiguous of shape {shape:?}",
                array.shape()
            );
            return Err(PyValueError::new_err(text));
        }
        array.try_readwrite().map(|_| ()).map_err(borrowed)
    }

    /// The array.
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<T>> {
        self.array.bind(py).clone()
    }
}

/// The arrays for all results, with rewards of type `R`.
pub(crate) struct CallerBuffers<R> {
    pub(crate) obs: [Option<CallerBuffer<u8>>; PARTS],
    pub(crate) rewards: Option<CallerBuffer<R>>,
    pub(crate) terminations: Option<CallerBuffer<bool>>,
    pub(crate) truncations: Option<CallerBuffer<bool>>,
}

impl<R> Default for CallerBuffers<R> {
    fn default() -> Self {
        Self { obs: Default::default(), rewards: None, terminations: None, truncations: None }
    }
}

impl<R: Element + Copy> CallerBuffers<R> {
    /// Refuses arrays that cannot be written any more, before anything is done.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.obs.iter().flatten().try_for_each(|buffer| buffer.check(py))?;
        self.rewards.as_ref().map_or(Ok(()), |buffer| buffer.check(py))?;
        self.terminations.as_ref().map_or(Ok(()), |buffer| buffer.check(py))?;
        self.truncations.as_ref().map_or(Ok(()), |buffer| buffer.check(py))
    }
}

/// A column of results: as it is, or copied into the caller's array for it.
pub(crate) fn column_or_copy<'py, T: Element + Copy>(
    py: Python<'py>,
    column: Bound<'py, PyArrayDyn<T>>,
    buffer: Option<&CallerBuffer<T>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(buffer) = buffer else { return Ok(column.into_any()) };
    let array = buffer.bind(py);
    column.copy_to(&array)?;
    Ok(array.into_any())
}

/// The exception of a buffer that another call uses or that is read-only.
pub(crate) fn borrowed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("a buffer given to use_buffers() cannot be written: {error}"))
}
