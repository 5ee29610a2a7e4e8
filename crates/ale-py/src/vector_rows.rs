//! Rows of a batch of Atari games: their memory, and the Python objects that show it.

use std::sync::Arc;

use ale_core::Action;
use ale_core::vector::{Batch, Choice, Error, RAM, Record, Rows, SOUND, VectorEnv};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::batch::own_slice;
use crate::buffers::{AlignedBytes, BufferPool, Columns, SharedColumns, aligned_array, byte_array};
use crate::caller_buffers::{CallerBuffers, borrowed, column_or_copy};
use crate::signals::watched;
use crate::vector_info::InfoSchema;

/// A batch, and how its rows become Python objects.
pub(crate) struct Inner {
    pub(crate) env: VectorEnv,
    pub(crate) info: InfoSchema,
    /// Shape of a batch of observations.
    pub(crate) shape: Vec<usize>,
    pub(crate) actions: Vec<(Action, f32)>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) records: Vec<Record>,
    obs: Arc<BufferPool<AlignedBytes>>,
    final_obs: Arc<BufferPool<Vec<u8>>>,
    ram: Arc<BufferPool<Vec<u8>>>,
    sound: Arc<BufferPool<Vec<u8>>>,
    columns: Arc<BufferPool<Columns>>,
    pub(crate) callers: CallerBuffers<i32>,
}

impl Inner {
    pub(crate) fn new(env: VectorEnv, info: InfoSchema) -> Self {
        let mut shape = vec![env.batch_size()];
        shape.extend_from_slice(&env.options().obs_shape);
        Self {
            env,
            info,
            shape,
            actions: Vec::new(),
            choices: Vec::new(),
            records: Vec::new(),
            obs: BufferPool::new(),
            final_obs: BufferPool::new(),
            ram: BufferPool::new(),
            sound: BufferPool::new(),
            columns: BufferPool::new(),
            callers: CallerBuffers::default(),
        }
    }

    pub(crate) fn set_choices(&mut self, seeds: &[i64]) -> PyResult<()> {
        if seeds.len() != self.env.num_envs() {
            let (have, want) = (seeds.len(), self.env.num_envs());
            return Err(PyValueError::new_err(format!("{have} seeds for {want} sub-environments")));
        }
        self.choices.clear();
        for &seed in seeds {
            self.choices.push(match seed {
                ..=-2 => Choice::Leave,
                -1 => Choice::Reset,
                seed => Choice::Seed(seed as u64),
            });
        }
        Ok(())
    }

    pub(crate) fn set_actions(
        &mut self,
        actions: &PyReadonlyArray1<'_, i64>,
        strengths: Option<&PyReadonlyArray1<'_, f32>>,
        by_number: bool,
    ) -> PyResult<()> {
        let actions = actions.as_array();
        let strengths = strengths.map(|strengths| strengths.as_array());
        if let Some(strengths) = &strengths
            && strengths.len() != actions.len()
        {
            let (a, b) = (actions.len(), strengths.len());
            return Err(PyValueError::new_err(format!("{a} actions and {b} strengths; accepted: as many")));
        }
        self.actions.clear();
        for (row, &index) in actions.iter().enumerate() {
            let found = if by_number {
                let number = usize::try_from(index).ok().and_then(Action::from_number);
                number.ok_or(Error::Action { action: index, max: 17 })
            } else {
                self.env.options().action(index)
            };
            let action = found.map_err(|error| {
                let actions = if by_number { Action::ALL.len() } else { self.env.options().actions.len() };
                PyIndexError::new_err(format!(
                    "Invalid action_id: {index}, available actions: {actions} (row {row}: {error})"
                ))
            })?;
            let strength = strengths.as_ref().map_or(1.0, |strengths| strengths[row]);
            if !strength.is_finite() {
                let text =
                    format!("the action of row {row} has the strength {strength}; accepted: finite numbers");
                return Err(PyValueError::new_err(text));
            }
            self.actions.push((action, strength));
        }
        Ok(())
    }

    /// Runs a call that writes rows, into the caller's arrays or ours.
    pub(crate) fn run<'py>(
        &mut self,
        py: Python<'py>,
        call: impl FnOnce(
            &mut VectorEnv,
            &[Choice],
            &[(Action, f32)],
            Rows<'_>,
            &mut dyn FnMut() -> bool,
        ) -> Result<(), Error>
        + Send,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.callers.check(py)?;
        let own_obs = self.callers.obs[0].as_ref().map(|buffer| buffer.bind(py));
        let mut own = own_obs.as_ref().map(PyArrayMethods::try_readwrite).transpose().map_err(borrowed)?;
        let mut batch = self.memory();
        let len = batch.records.len() * self.env.layout().obs[0];
        let mut ours = match own {
            Some(_) => AlignedBytes::default(),
            None => self.obs.take().unwrap_or_else(|| AlignedBytes::new(len)),
        };
        {
            let Self { env, choices, actions, .. } = self;
            let obs = own_slice(own.as_mut())?;
            let obs = obs.unwrap_or(&mut ours);
            let rows = Rows {
                obs: [obs, &mut [], &mut [], &mut []],
                final_obs: batch.final_obs.each_mut().map(Vec::as_mut_slice),
                extra: batch.extra.each_mut().map(Vec::as_mut_slice),
                records: &mut batch.records,
            };
            watched(py, |poll| call(env, choices, actions, rows, poll))?;
        }
        drop(own);
        self.publish(py, batch, ours, own_obs)
    }

    pub(crate) fn receive<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.run(py, |env, _, _, rows, poll| env.recv(rows, poll))
    }

    /// Takes back the memory of a batch whose observations went elsewhere, and keeps its records.
    pub(crate) fn keep(&mut self, batch: Batch) {
        let Batch { final_obs: [final_obs, ..], extra: [ram, sound, ..], records, .. } = batch;
        for (bytes, pool) in [(final_obs, &self.final_obs), (ram, &self.ram), (sound, &self.sound)] {
            if !bytes.is_empty() {
                pool.put(bytes);
            }
        }
        self.records = records;
    }

    /// Memory for a batch without its observations, used before if possible.
    pub(crate) fn memory(&mut self) -> Batch {
        let layout = self.env.layout();
        let rows = self.env.batch_size();
        let bytes = |pool: &BufferPool<Vec<u8>>, len: usize| {
            if len == 0 { Vec::new() } else { pool.take().unwrap_or_else(|| vec![0; len]) }
        };
        let mut records = std::mem::take(&mut self.records);
        records.resize(rows, Record::default());
        let mut batch = Batch { records, ..Batch::default() };
        batch.final_obs[0] = bytes(&self.final_obs, rows * layout.final_obs[0]);
        batch.extra[RAM] = bytes(&self.ram, rows * layout.extra[RAM]);
        batch.extra[SOUND] = bytes(&self.sound, rows * layout.extra[SOUND]);
        batch
    }

    /// A batch as Python objects: observations, rewards, terminations, truncations, info.
    fn publish<'py>(
        &mut self,
        py: Python<'py>,
        batch: Batch,
        obs: AlignedBytes,
        own_obs: Option<Bound<'py, PyArrayDyn<u8>>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows = batch.records.len();
        let Batch { final_obs: [mut final_obs, ..], extra: [ram, sound, ..], records, .. } = batch;
        let mut columns = self.columns.take().unwrap_or_default();
        self.info.fill(&records, &mut columns);
        let any_end = records.iter().any(|record| record.terminated || record.truncated);
        let show_final = any_end && !final_obs.is_empty();

        let shared = SharedColumns::new(py, columns, &self.columns)?;
        let mut reader = self.info.reader(&shared, rows);
        let info = PyDict::new(py);
        let rewards = reader.int();
        info.set_item("env_id", reader.int())?;
        let (terminations, truncations, finished) = (reader.flag(), reader.flag(), reader.flag());
        reader.fields(&info)?;
        if !ram.is_empty() {
            info.set_item("ram", byte_array(py, ram, &self.ram, &[rows, 128])?)?;
        }
        if !sound.is_empty() {
            info.set_item("sound", byte_array(py, sound, &self.sound, &[rows, 512])?)?;
        }
        if show_final {
            // Rows whose episode goes on show what they show now.
            let own = own_obs.as_ref().map(PyArrayMethods::try_readonly).transpose().map_err(borrowed)?;
            let seen = match &own {
                Some(array) => array.as_slice()?,
                None => &obs,
            };
            let len = final_obs.len() / rows;
            for (row, _) in records.iter().enumerate().filter(|(_, record)| record.last.is_none()) {
                final_obs[row * len..][..len].copy_from_slice(&seen[row * len..][..len]);
            }
            let last = PyDict::new(py);
            reader.fields(&last)?;
            info.set_item("final_obs", byte_array(py, final_obs, &self.final_obs, &self.shape)?)?;
            info.set_item("_final_obs", &finished)?;
            info.set_item("final_info", last)?;
            info.set_item("_final_info", &finished)?;
        } else if !final_obs.is_empty() {
            self.final_obs.put(final_obs);
        }
        let obs = match own_obs {
            Some(array) => array,
            None => aligned_array(py, obs, &self.obs, &self.shape)?,
        };
        let rewards = column_or_copy(py, rewards, self.callers.rewards.as_ref())?;
        let terminations = column_or_copy(py, terminations, self.callers.terminations.as_ref())?;
        let truncations = column_or_copy(py, truncations, self.callers.truncations.as_ref())?;
        self.records = records;
        PyTuple::new(py, [obs.into_any(), rewards, terminations, truncations, info.into_any()])
    }
}

/// Observation and info of a result; what a reset returns.
pub(crate) fn without_rewards(result: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(result.py(), [result.get_item(0)?, result.get_item(4)?])
}
