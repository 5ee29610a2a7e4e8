//! Rows of a batch of Crafter worlds: their memory, and the Python objects that show it.

use std::sync::Arc;

use ale_batch::{Batch, Choice, Error, PARTS, Record, Rows};
use ale_crafter::tables::ACTIONS;
use ale_crafter::{Crafter, Info, MAP, SYMBOLIC};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::batch::own_slice;
use crate::buffers::{BufferPool, CrafterColumns, SharedCrafter, byte_array};
use crate::caller_buffers::{CallerBuffers, borrowed, column_or_copy};
use crate::crafter_info::{Columns, finished};
use crate::signals::watched;

pub(crate) type World = ale_batch::VectorEnv<Crafter>;
type WorldRecord = Record<f64, Info>;

/// A batch, and how its rows become Python objects.
pub(crate) struct Inner {
    pub(crate) env: World,
    /// Names of the parts that are observed, in the caller's order, with the shape of a batch of bytes.
    pub(crate) parts: Vec<(&'static str, usize, Vec<usize>)>,
    /// Observations are a dictionary.
    pub(crate) dictionary: bool,
    /// Rewards are returned.
    pub(crate) reward: bool,
    pub(crate) map_shape: [usize; 3],
    /// Where the worlds stand in a larger whole.
    pub(crate) first: i64,
    pub(crate) memory: Memory,
    pub(crate) callers: CallerBuffers<f64>,
}

/// Memory that serves again.
pub(crate) struct Memory {
    actions: Vec<u8>,
    records: Vec<WorldRecord>,
    pools: [Arc<BufferPool<Vec<u8>>>; PARTS],
    maps: Arc<BufferPool<Vec<u8>>>,
    columns: Arc<BufferPool<CrafterColumns>>,
}

impl Memory {
    /// The actions that were checked last.
    pub(crate) fn actions(&self) -> &[u8] {
        &self.actions
    }

    /// Takes the actions of a batch; the first one that does not exist is an error, with its row.
    pub(crate) fn set_actions(&mut self, actions: impl Iterator<Item = i64>) -> Result<(), (usize, i64)> {
        self.actions.clear();
        for (row, action) in actions.enumerate() {
            let valid = u8::try_from(action).ok().filter(|&action| usize::from(action) < ACTIONS);
            self.actions.push(valid.ok_or((row, action))?);
        }
        Ok(())
    }

    /// The numbers of the batch that was played last.
    pub(crate) fn records(&self) -> &[WorldRecord] {
        &self.records
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            actions: Vec::new(),
            records: Vec::new(),
            pools: std::array::from_fn(|_| BufferPool::new()),
            maps: BufferPool::new(),
            columns: BufferPool::new(),
        }
    }
}

impl Inner {
    pub(crate) fn set_actions(&mut self, actions: &PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        self.memory.set_actions(actions.as_array().iter().copied()).map_err(|(row, action)| {
            let last = ACTIONS - 1;
            PyIndexError::new_err(format!("the action of row {row} is {action}; accepted: 0 to {last}"))
        })
    }

    pub(crate) fn receive<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.run(py, &[], |env, _, _, rows, poll| env.recv(rows, poll))
    }

    /// Runs a call that writes rows, into the caller's arrays or ours.
    pub(crate) fn run<'py>(
        &mut self,
        py: Python<'py>,
        choices: &[Choice],
        call: impl FnOnce(
            &mut World,
            &[Choice],
            &[u8],
            Rows<'_, WorldRecord>,
            &mut dyn FnMut() -> bool,
        ) -> Result<(), Error>
        + Send,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.callers.check(py)?;
        let given = self.callers.obs.each_ref().map(|buffer| buffer.as_ref().map(|buffer| buffer.bind(py)));
        let mut batch = self.new_batch(given.each_ref().map(Option::is_some));
        {
            let mut locked = Vec::new();
            for array in &given {
                let array = array.as_ref().map(PyArrayMethods::try_readwrite);
                locked.push(array.transpose().map_err(borrowed)?);
            }
            let mut obs = batch.obs.each_mut().map(Vec::as_mut_slice);
            for (part, array) in obs.iter_mut().zip(&mut locked) {
                if let Some(slice) = own_slice(array.as_mut())? {
                    *part = slice;
                }
            }
            let Self { env, memory: Memory { actions, .. }, .. } = self;
            let rows = Rows {
                obs,
                final_obs: batch.final_obs.each_mut().map(Vec::as_mut_slice),
                extra: batch.extra.each_mut().map(Vec::as_mut_slice),
                records: &mut batch.records,
            };
            watched(py, |poll| call(env, choices, actions, rows, poll))?;
        }
        self.publish(py, batch, given)
    }

    /// Memory for a batch, used before if possible; none for the parts of an observation that go elsewhere.
    pub(crate) fn new_batch(&mut self, elsewhere: [bool; PARTS]) -> Batch<WorldRecord> {
        let (layout, rows) = (self.env.layout(), self.env.batch_size());
        let bytes = |pool: &BufferPool<Vec<u8>>, len: usize| {
            if len == 0 { Vec::new() } else { pool.take().unwrap_or_else(|| vec![0; len]) }
        };
        let mut batch = Batch { records: std::mem::take(&mut self.memory.records), ..Batch::default() };
        batch.records.resize(rows, WorldRecord::default());
        for (part, elsewhere) in elsewhere.into_iter().enumerate() {
            if !elsewhere {
                batch.obs[part] = bytes(&self.memory.pools[part], rows * layout.obs[part]);
            }
            batch.final_obs[part] = bytes(&self.memory.pools[part], rows * layout.final_obs[part]);
        }
        batch.extra[MAP] = bytes(&self.memory.maps, rows * layout.extra[MAP]);
        batch
    }

    /// Takes back the memory of a batch that nothing shows, and keeps its records.
    pub(crate) fn keep(&mut self, batch: Batch<WorldRecord>) {
        let Batch { final_obs, extra: [map, ..], records, .. } = batch;
        let pools = self.memory.pools.iter().chain([&self.memory.maps]);
        for (memory, pool) in final_obs.into_iter().chain([map]).zip(pools) {
            if !memory.is_empty() {
                pool.put(memory);
            }
        }
        self.memory.records = records;
    }

    /// A batch as Python objects: observations, rewards, terminations, truncations, info.
    fn publish<'py>(
        &mut self,
        py: Python<'py>,
        batch: Batch<WorldRecord>,
        mut given: [Option<Bound<'py, PyArrayDyn<u8>>>; PARTS],
    ) -> PyResult<Bound<'py, PyTuple>> {
        let Batch { mut obs, mut final_obs, extra: [map, ..], records } = batch;
        let rows = records.len();
        let any_end = records.iter().any(|record| record.terminated || record.truncated);
        let show_final = any_end && self.env.layout().final_obs != [0; PARTS];
        let mut columns = self.memory.columns.take().unwrap_or_default();
        let plan = Columns::fill(&mut columns, &records, self.reward);
        let shared = SharedCrafter::new(py, columns, &self.memory.columns)?;
        let info = PyDict::new(py);
        plan.put(&info, &shared, false)?;
        info.set_item("env_id", shared.array(&[rows], |columns| &columns.ints))?;
        if !map.is_empty() {
            info.set_item("semantic", byte_array(py, map, &self.memory.maps, &self.map_shape)?)?;
        }
        if any_end {
            info.set_item("episodes", finished(py, &records)?)?;
        }
        if show_final {
            for (part, last) in final_obs.iter_mut().enumerate() {
                // Rows whose episode goes on show what they show now.
                let own = given[part].as_ref().map(PyArrayMethods::try_readonly);
                let own = own.transpose().map_err(borrowed)?;
                let seen = match &own {
                    Some(array) => array.as_slice()?,
                    None => &obs[part],
                };
                let len = last.len() / rows;
                for (row, _) in records.iter().enumerate().filter(|(_, record)| record.last.is_none()) {
                    last[row * len..][..len].copy_from_slice(&seen[row * len..][..len]);
                }
            }
            let last = PyDict::new(py);
            plan.put(&last, &shared, true)?;
            let ended = plan.ended(&shared);
            info.set_item("final_obs", self.observation(py, &mut final_obs, &mut Default::default())?)?;
            info.set_item("_final_obs", &ended)?;
            info.set_item("final_info", last)?;
            info.set_item("_final_info", &ended)?;
        } else {
            for (part, memory) in final_obs.into_iter().enumerate().filter(|(_, memory)| !memory.is_empty()) {
                self.memory.pools[part].put(memory);
            }
        }
        let observation = self.observation(py, &mut obs, &mut given)?;
        let [terminations, truncations] = plan.flags(&shared);
        let rewards = column_or_copy(py, plan.rewards(&shared), self.callers.rewards.as_ref())?;
        let terminations = column_or_copy(py, terminations, self.callers.terminations.as_ref())?;
        let truncations = column_or_copy(py, truncations, self.callers.truncations.as_ref())?;
        self.memory.records = records;
        PyTuple::new(py, [observation, rewards, terminations, truncations, info.into_any()])
    }

    /// The parts that are observed, as one array or a dictionary.
    fn observation<'py>(
        &self,
        py: Python<'py>,
        memory: &mut [Vec<u8>; PARTS],
        given: &mut [Option<Bound<'py, PyArrayDyn<u8>>>; PARTS],
    ) -> PyResult<Bound<'py, PyAny>> {
        let array =
            |part: usize, shape: &[usize], bytes: &mut Vec<u8>, given: Option<Bound<'py, PyArrayDyn<u8>>>| {
                let array = match given {
                    Some(array) => array,
                    None => byte_array(py, std::mem::take(bytes), &self.memory.pools[part], shape)?,
                };
                if part == SYMBOLIC {
                    return array.call_method1("view", ("float32",));
                }
                Ok(array.into_any())
            };
        let mut arrays = Vec::with_capacity(self.parts.len());
        for (name, part, shape) in &self.parts {
            arrays.push((*name, array(*part, shape, &mut memory[*part], given[*part].take())?));
        }
        match arrays.pop() {
            Some((_, array)) if !self.dictionary => Ok(array),
            last => {
                let dictionary = PyDict::new(py);
                for (name, array) in arrays.into_iter().chain(last) {
                    dictionary.set_item(name, array)?;
                }
                Ok(dictionary.into_any())
            }
        }
    }
}

/// Observation and info of a result; what a reset returns.
pub(crate) fn without_rewards(result: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(result.py(), [result.get_item(0)?, result.get_item(4)?])
}
