//! A store of states of an environment: arrays in, arrays out, and its file format.
//!
//! ```text
//! sealed "ALSTATES": MD5 of the ROM · game · different states (count, parts) · all states (count, number and end of each)
//! ```

use ale_core::Error;
use ale_core::env::EnvModel;
use ale_planning::{Expanded, States, deduplicate};
use ale_sim::Model;
use ale_sim::bytes::{Reader, Writer, seal, unseal};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::Threads;
use crate::env::AleInterface;
use crate::errors::to_py_err;
use crate::planning::{model_of, planning_error};

const KIND: [u8; 8] = *b"ALSTATES";
const VERSION: u32 = 1;

/// What is seen of a child.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Ram,
    Rgb,
    Grayscale,
    Indices,
}

impl View {
    fn shape(self, height: usize) -> Vec<usize> {
        match self {
            Self::Ram => vec![128],
            Self::Rgb => vec![height, 160, 3],
            Self::Grayscale | Self::Indices => vec![height, 160],
        }
    }

    fn write(self, model: &EnvModel, row: &mut [u8]) {
        match self {
            Self::Ram => row.copy_from_slice(model.ram()),
            Self::Rgb => model.env().write_rgb(row),
            Self::Grayscale => model.env().write_gray(row),
            Self::Indices => row.copy_from_slice(model.env().screen()),
        }
    }
}

/// States of one environment by number.
#[pyclass(module = "ale_rs._native")]
pub(crate) struct NativeStates {
    states: States<EnvModel>,
    view: View,
}

type Numbers<'py> = PyReadonlyArray1<'py, i64>;
type Arrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArrayDyn<u8>>,
);

impl NativeStates {
    /// Numbers of states, checked.
    fn numbers(&self, name: &str, given: &Numbers<'_>) -> PyResult<Vec<usize>> {
        checked(name, given, self.states.len(), "states")
    }
}

fn checked(name: &str, given: &Numbers<'_>, count: usize, what: &str) -> PyResult<Vec<usize>> {
    let one = |number: &i64| usize::try_from(*number).ok().filter(|&number| number < count);
    let refuse = |number: i64| {
        PyIndexError::new_err(format!(
            "{name} has {number}; accepted: 0 to {}, there are {count} {what}",
            count as i64 - 1
        ))
    };
    given.as_array().iter().map(|number| one(number).ok_or_else(|| refuse(*number))).collect()
}

#[pymethods]
impl NativeStates {
    #[new]
    fn new(
        ale: &AleInterface,
        actions: Vec<usize>,
        skip: (u32, u32),
        view: &str,
        threads: Threads,
        max_states: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let view = match view {
            "ram" => View::Ram,
            "rgb" => View::Rgb,
            "grayscale" => View::Grayscale,
            "indices" => View::Indices,
            _ => return Err(PyValueError::new_err(format!("observation is {view:?}"))),
        };
        let model = model_of(ale.env()?, &actions, skip, view != View::Ram)?;
        Ok(Self { states: States::new(model, threads.0, max_states, seed), view })
    }

    fn __len__(&self) -> usize {
        self.states.len()
    }

    /// Adds the state that the environment is in; its number.
    fn add(&mut self, ale: &AleInterface) -> PyResult<usize> {
        let env = ale.env()?;
        self.states.model().env().check_same_game_as(env).map_err(to_py_err)?;
        self.states.add(env.core_state(), env.terminal()).map_err(|error| planning_error(&error))
    }

    /// Takes `actions[i]` in state `parents[i]` and adds where it leads.
    fn expand<'py>(
        &mut self,
        py: Python<'py>,
        parents: Numbers<'py>,
        actions: Numbers<'py>,
    ) -> PyResult<Arrays<'py>> {
        let count = self.states.model().actions();
        let (rows, height) = (parents.as_array().len(), self.states.model().env().height());
        if actions.as_array().len() != rows {
            let text = format!("{rows} parents and {} actions; accepted: as many", actions.as_array().len());
            return Err(PyValueError::new_err(text));
        }
        let parents = self.numbers("parents", &parents)?;
        let actions = checked("actions", &actions, count, "actions")?;
        if let Some(&over) = parents.iter().find(|&&parent| self.states.is_over(parent)) {
            return Err(PyValueError::new_err(format!(
                "the game has ended in state {over}; accepted: parents whose `over` was False"
            )));
        }
        let view = self.view;
        let mut shape = vec![rows];
        shape.extend(view.shape(height));
        let observations = PyArrayDyn::zeros(py, shape, false);
        let expanded = {
            let mut writer = observations.readwrite();
            let bytes = writer.as_slice_mut()?;
            let states = &mut self.states;
            py.detach(|| states.expand(&parents, &actions, bytes, |model, row| view.write(model, row)))
        };
        let Expanded { first, outcomes } = expanded.map_err(|error| planning_error(&error))?;
        Ok((
            PyArray1::from_iter(py, (first..first + rows).map(|number| number as i64)),
            PyArray1::from_iter(py, outcomes.iter().map(|outcome| outcome.reward)),
            PyArray1::from_iter(py, outcomes.iter().map(|outcome| outcome.over)),
            observations,
        ))
    }

    /// The environment goes on from a state.
    fn restore(&mut self, ale: &mut AleInterface, number: i64) -> PyResult<()> {
        let count = self.states.len();
        let state = usize::try_from(number).ok().and_then(|number| self.states.state(number)).cloned();
        let Some(state) = state else {
            let text = format!("there is no state {number}; accepted: 0 to {}", count as i64 - 1);
            return Err(PyIndexError::new_err(text));
        };
        let env = ale.env_mut()?;
        self.states.model().env().check_same_game_as(env).map_err(to_py_err)?;
        env.set_core_state(&state);
        Ok(())
    }

    /// Hashes of the futures of some states.
    fn keys<'py>(&self, py: Python<'py>, numbers: Numbers<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let numbers = self.numbers("states", &numbers)?;
        Ok(PyArray1::from_iter(py, numbers.iter().map(|&number| self.states.key(number))))
    }

    /// RAM of some states.
    fn ram<'py>(&self, py: Python<'py>, numbers: Numbers<'py>) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let numbers = self.numbers("states", &numbers)?;
        let ram = PyArrayDyn::zeros(py, vec![numbers.len(), 128], false);
        let mut writer = ram.readwrite();
        for (row, &number) in writer.as_slice_mut()?.chunks_exact_mut(128).zip(&numbers) {
            if let Some(state) = self.states.state(number) {
                row.copy_from_slice(state.ram());
            }
        }
        Ok(ram)
    }

    /// Whether the game has ended in some states.
    fn over<'py>(&self, py: Python<'py>, numbers: Numbers<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let numbers = self.numbers("states", &numbers)?;
        Ok(PyArray1::from_iter(py, numbers.iter().map(|&number| self.states.is_over(number))))
    }

    /// Keeps some states, in this order, and forgets the others.
    fn keep(&mut self, numbers: Numbers<'_>) -> PyResult<()> {
        let numbers = self.numbers("states", &numbers)?;
        self.states.keep(&numbers);
        Ok(())
    }

    /// All states as bytes; equal ones are written once.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let states = &self.states;
        let bytes = py.detach(|| {
            let mut env = states.model().env().clone();
            let all = (0..states.len()).filter_map(|number| states.state(number));
            let (different, order) = deduplicate(all.map(|state| env.core_state_bytes(state)));
            let mut writer = Writer::new();
            writer.raw(env.rom().md5()).part(env.game().identity().as_bytes());
            writer.u32(different.len() as u32);
            for state in &different {
                writer.part(state);
            }
            writer.u32(order.len() as u32);
            for (number, &record) in order.iter().enumerate() {
                writer.u32(record).flag(states.is_over(number));
            }
            seal(KIND, VERSION, &writer.finish())
        });
        PyBytes::new(py, &bytes)
    }

    /// Adds the states of `to_bytes`.
    fn add_bytes(&mut self, py: Python<'_>, content: &[u8]) -> PyResult<()> {
        let states = &mut self.states;
        py.detach(|| read(states, content)).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn read(states: &mut States<EnvModel>, bytes: &[u8]) -> Result<(), Error> {
    let damaged = |error: ale_sim::Error| Error::State(error.to_string());
    let mut env = states.model().env().clone();
    let mut reader = Reader::new(unseal(KIND, VERSION, bytes).map_err(damaged)?);
    let md5 = reader.array::<16>().map_err(damaged)?;
    let game = reader.part().map_err(damaged)?;
    if md5 != *env.rom().md5() || game != env.game().identity().as_bytes() {
        return Err(Error::State(format!(
            "the states are of \"{}\" (ROM {:032x}), the environment plays \"{}\" (ROM {})",
            game.escape_ascii(),
            u128::from_be_bytes(md5),
            env.game().identity(),
            env.rom().md5_hex()
        )));
    }
    let count = reader.u32().map_err(damaged)?;
    let mut different = Vec::new();
    for _ in 0..count {
        different.push(env.read_core_state(reader.part().map_err(damaged)?)?);
    }
    for _ in 0..reader.u32().map_err(damaged)? {
        let (record, over) = (reader.u32().map_err(damaged)?, reader.flag().map_err(damaged)?);
        let state = different.get(record as usize).cloned();
        let state = state.ok_or_else(|| damaged(ale_sim::bytes::damaged()))?;
        states.add(state, over).map_err(|error| Error::State(error.to_string()))?;
    }
    reader.finish().map_err(damaged)
}
