//! The replay buffer of `ale-learning`.

use std::path::PathBuf;

use ale_learning::replay::{Batch, Error, Padding, Replay, Shape, Transition};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

fn to_py(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::Stream { .. } => PyIndexError::new_err(text),
        Error::Order { .. } | Error::Empty => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Frames stored once, states assembled by index; see `ale_rs.replay`.
#[pyclass(name = "Replay", module = "ale_rs._native")]
pub(crate) struct NativeReplay(Replay);

#[pymethods]
impl NativeReplay {
    #[new]
    #[pyo3(signature = (*, capacity, frame, stack, streams, repeat_first, seed))]
    fn new(
        capacity: usize,
        frame: usize,
        stack: usize,
        streams: usize,
        repeat_first: bool,
        seed: u64,
    ) -> PyResult<Self> {
        let padding = if repeat_first { Padding::First } else { Padding::Zeros };
        Replay::new(Shape { capacity, frame, stack, streams, padding }, seed).map(Self).map_err(to_py)
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Replay::load(&path)).map(Self).map_err(to_py)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(&path)).map_err(to_py)
    }

    /// Capacity, bytes of a frame, frames of a state, streams.
    #[getter]
    fn shape(&self) -> (usize, usize, usize, usize) {
        let shape = self.0.shape();
        (shape.capacity, shape.frame, shape.stack, shape.streams)
    }

    #[getter]
    fn repeats_first(&self) -> bool {
        self.0.shape().padding == Padding::First
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn begin(&mut self, stream: usize, frame: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        self.0.begin(stream, frame.as_slice()?).map_err(to_py)
    }

    fn append(
        &mut self,
        stream: usize,
        action: i32,
        reward: f32,
        terminal: bool,
        frame: PyReadonlyArray1<'_, u8>,
    ) -> PyResult<()> {
        let transition = Transition { action, reward, terminal };
        self.0.append(stream, transition, frame.as_slice()?).map_err(to_py)
    }

    /// One row for each stream: the start of an episode where `begins` says so, a transition elsewhere.
    fn extend(
        &mut self,
        py: Python<'_>,
        frames: PyReadonlyArray2<'_, u8>,
        actions: PyReadonlyArray1<'_, i32>,
        rewards: PyReadonlyArray1<'_, f32>,
        terminals: PyReadonlyArray1<'_, bool>,
        begins: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (frames, actions, rewards) = (frames.as_slice()?, actions.as_slice()?, rewards.as_slice()?);
        let (terminals, begins) = (terminals.as_slice()?, begins.as_slice()?);
        let Shape { frame, streams, .. } = self.0.shape();
        let rows = [frames.len() / frame, actions.len(), rewards.len(), terminals.len(), begins.len()];
        if rows != [streams; 5] || !frames.len().is_multiple_of(frame) {
            return Err(PyValueError::new_err(format!(
                "rows of frames, actions, rewards, terminations and begins: {rows:?}; accepted: {streams} of each"
            )));
        }
        py.detach(|| {
            for (stream, frame) in frames.chunks_exact(frame).enumerate() {
                if begins[stream] {
                    self.0.begin(stream, frame)?;
                    continue;
                }
                let transition = Transition {
                    action: actions[stream],
                    reward: rewards[stream],
                    terminal: terminals[stream],
                };
                self.0.append(stream, transition, frame)?;
            }
            Ok(())
        })
        .map_err(to_py)
    }

    fn sample(
        &mut self,
        py: Python<'_>,
        mut frames: PyReadwriteArray2<'_, u8>,
        mut actions: PyReadwriteArray1<'_, i32>,
        mut rewards: PyReadwriteArray1<'_, f32>,
        mut terminals: PyReadwriteArray1<'_, bool>,
        mut slots: PyReadwriteArray1<'_, u64>,
    ) -> PyResult<()> {
        let mut batch = Batch {
            frames: frames.as_slice_mut()?,
            actions: actions.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            terminals: terminals.as_slice_mut()?,
            slots: slots.as_slice_mut()?,
        };
        py.detach(|| self.0.sample(&mut batch)).map_err(to_py)
    }
}
