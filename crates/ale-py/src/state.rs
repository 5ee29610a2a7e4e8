//! `ALEState` and `Snapshot`: saved games as Python objects.

use std::sync::{LazyLock, OnceLock};

use ale_core::env::{self, Env, State};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::errors::{incompatible, to_py_err, value_error};

/// A saved state of an `ALEInterface`. It can be compared, copied, pickled, and restored any number of times.
#[pyclass(frozen, name = "ALEState", module = "ale_rs")]
pub(crate) struct AleState(OnceLock<State>);

/// What a state holds before `__setstate__` has filled it.
static EMPTY: LazyLock<State> = LazyLock::new(State::default);

impl AleState {
    pub(crate) fn of(state: State) -> Self {
        Self(state.into())
    }

    fn state(&self) -> &State {
        self.0.get().unwrap_or(&EMPTY)
    }
}

#[pymethods]
impl AleState {
    #[new]
    #[pyo3(signature = (state=None, serialized=None, /), text_signature = "(*args)")]
    fn new(state: Option<&Bound<'_, PyAny>>, serialized: Option<&Bound<'_, PyBytes>>) -> PyResult<Self> {
        let accepted = "nothing, bytes, or an ALEState and bytes";
        match (state, serialized) {
            (None, None) => Ok(Self(OnceLock::new())),
            (Some(bytes), None) => {
                let Ok(bytes) = bytes.cast::<PyBytes>() else {
                    return Err(incompatible(accepted, &bytes.get_type().to_string()));
                };
                State::from_bytes(bytes.as_bytes()).map(Self::of).map_err(|error| value_error(&error))
            }
            (Some(state), Some(bytes)) => {
                let Ok(state) = state.cast::<Self>() else {
                    return Err(incompatible(accepted, &state.get_type().to_string()));
                };
                let bytes = bytes.as_bytes();
                let state = state.get().state();
                Ok(Self::of(match State::from_bytes(bytes) {
                    Ok(whole) => state.with_machine(&whole.machine()),
                    Err(_) => state.with_machine(bytes),
                }))
            }
            (None, Some(_)) => Err(incompatible(accepted, "None and bytes")),
        }
    }

    /// Whether the game goes on the same from both: machine, paddles, frame counters, mode and difficulty.
    #[pyo3(signature = (other, /))]
    fn equals(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => Ok(self.state() == other.get().state()),
            Err(_) => Err(incompatible("ALEState", &other.get_type().to_string())),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.equals(other)
    }

    fn __ne__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.equals(other).map(|equal| !equal)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> isize {
        slf.as_ptr() as isize
    }

    /// Frames since the ROM was loaded.
    #[pyo3(name = "getFrameNumber")]
    fn frame_number(&self) -> u64 {
        self.state().frame_number()
    }

    /// Frames since the last reset.
    #[pyo3(name = "getEpisodeFrameNumber")]
    fn episode_frame_number(&self) -> u64 {
        self.state().episode_frame_number()
    }

    /// The difficulty.
    #[pyo3(name = "getDifficulty")]
    fn difficulty(&self) -> u32 {
        self.state().difficulty()
    }

    /// The mode.
    #[pyo3(name = "getCurrentMode")]
    fn mode(&self) -> u32 {
        self.state().mode()
    }

    /// The state as bytes; `ALEState(bytes)` reads them.
    fn serialize<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.state().to_bytes())
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.serialize(py)
    }

    /// Fill what `ALEState()` or `ALEState.__new__` made; a state that holds something never changes.
    #[pyo3(signature = (serialized, /))]
    fn __setstate__(&self, serialized: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(bytes) = serialized.cast::<PyBytes>() else {
            return Err(incompatible("bytes", &serialized.get_type().to_string()));
        };
        let state = State::from_bytes(bytes.as_bytes()).map_err(|error| value_error(&error))?;
        self.0.set(state).map_err(|_| {
            PyTypeError::new_err("this ALEState holds a state and does not change; make another")
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (slf.get_type(), (slf.get().serialize(py),)).into_pyobject(py)
    }
}

/// Everything of an `ALEInterface` at one moment, screen, sound and generator included. It can be pickled.
#[pyclass(frozen, module = "ale_rs")]
pub(crate) struct Snapshot(Content);

enum Content {
    Live(env::Snapshot),
    /// Unpickled; the ROM is not known until it is restored.
    Bytes(Vec<u8>),
}

impl Snapshot {
    pub(crate) fn of(env: &Env) -> Self {
        Self(Content::Live(env.snapshot()))
    }

    pub(crate) fn restore(&self, env: &mut Env, include_rng: bool) -> PyResult<()> {
        let generator = env.generator().clone();
        match &self.0 {
            Content::Live(snapshot) => env.restore(snapshot),
            Content::Bytes(bytes) => env.restore_bytes(bytes),
        }
        .map_err(to_py_err)?;
        if !include_rng {
            env.set_generator(generator);
        }
        Ok(())
    }
}

#[pymethods]
impl Snapshot {
    /// The snapshot as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match &self.0 {
            Content::Live(snapshot) => PyBytes::new(py, &snapshot.to_bytes()),
            Content::Bytes(bytes) => PyBytes::new(py, bytes),
        }
    }

    /// The snapshot that `to_bytes` wrote. `ValueError` when the bytes are damaged.
    #[classmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(_class: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        State::from_bytes(data).map_err(|error| value_error(&error))?;
        Ok(Self(Content::Bytes(data.to_owned())))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (slf.getattr("from_bytes")?, (slf.get().to_bytes(py),)).into_pyobject(py)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        let _ = memo;
        slf
    }
}

/// The state that `restoreState` was given.
pub(crate) fn state_argument<'a>(state: &'a Bound<'_, PyAny>) -> PyResult<&'a State> {
    match state.cast::<AleState>() {
        Ok(state) => Ok(state.get().state()),
        Err(_) => Err(PyTypeError::new_err(format!(
            "incompatible function arguments. The following argument types are supported: ALEState; got {}",
            state.get_type()
        ))),
    }
}
