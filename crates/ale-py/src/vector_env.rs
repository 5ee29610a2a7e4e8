//! `VectorEnv`: batches in and out of [`ale_core::vector::VectorEnv`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::vector::{
    self, Autoreset, Batch, BatchOptions, Choice, EnvSpec, Error, Observation, RAM, Rows, SOUND,
    VectorOptions,
};
use ale_core::{Action, Rom};
use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::buffers::{Columns, SharedColumns, Shelf, byte_array};
use crate::errors::{batch_error, vector_error};
use crate::vector_info::InfoPlan;
use crate::xla::{Column, Endpoint, XlaArgument, XlaBatch, called_back};

/// How often a long call looks for signals such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Many environments stepped by native threads.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct VectorEnv {
    inner: Arc<Mutex<Inner>>,
    /// What compiled programs of XLA know this environment by, once they were asked for.
    handle: Mutex<Option<ale_xla::Handle>>,
}

/// Some sub-environments as they were at one moment.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct VectorSnapshot(vector::VectorSnapshot);

#[pymethods]
impl VectorSnapshot {
    /// The numbers of the sub-environments it has.
    #[getter]
    fn ids(&self) -> Vec<usize> {
        self.0.ids().collect()
    }

    /// All of it as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let snapshot = &self.0;
        PyBytes::new(py, &py.detach(|| snapshot.to_bytes()))
    }

    fn __len__(&self) -> usize {
        self.0.ids().count()
    }
}

pub(crate) struct Inner {
    pub(crate) env: vector::VectorEnv,
    plan: InfoPlan,
    /// Shape of a batch of observations.
    pub(crate) shape: Vec<usize>,
    pub(crate) actions: Vec<(Action, f32)>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) records: Vec<vector::Record>,
    obs: Arc<Shelf<Vec<u8>>>,
    ram: Arc<Shelf<Vec<u8>>>,
    sound: Arc<Shelf<Vec<u8>>>,
    columns: Arc<Shelf<Columns>>,
    own: Own,
}

/// Arrays of the caller that results are written into.
#[derive(Default)]
struct Own {
    obs: Option<Py<PyArrayDyn<u8>>>,
    rewards: Option<Py<PyArrayDyn<i32>>>,
    terminations: Option<Py<PyArrayDyn<bool>>>,
    truncations: Option<Py<PyArrayDyn<bool>>>,
}

/// A sub-environment as Python gives it: image, game, mode, difficulty.
type Given = (PyBackedBytes, String, Option<u32>, Option<u32>);

/// Columns of a result: name, numpy's type, shape.
type Described = Vec<(String, &'static str, Vec<i64>)>;

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (
        players, *, batch_size, num_threads, thread_affinity_offset, shared_pool, obs_type, img_height, img_width,
        grayscale, stack_num, pad_stack, frameskip, maxpool, noop_max, use_fire_reset, episodic_life, continue_lives,
        life_loss_info, reward_clipping, max_num_frames_per_episode, repeat_action_probability, full_action_space,
        autoreset_mode, extra_info, entropy, corrected=false, first_env_index=0,
    ))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keywords of the Python class"
    )]
    fn new(
        py: Python<'_>,
        players: Vec<Given>,
        batch_size: usize,
        num_threads: usize,
        thread_affinity_offset: Option<usize>,
        shared_pool: bool,
        obs_type: &str,
        img_height: usize,
        img_width: usize,
        grayscale: bool,
        stack_num: usize,
        pad_stack: bool,
        frameskip: u32,
        maxpool: bool,
        noop_max: u32,
        use_fire_reset: bool,
        episodic_life: bool,
        continue_lives: bool,
        life_loss_info: bool,
        reward_clipping: bool,
        max_num_frames_per_episode: i64,
        repeat_action_probability: f32,
        full_action_space: bool,
        autoreset_mode: &str,
        extra_info: Vec<String>,
        entropy: u64,
        corrected: bool,
        first_env_index: i32,
    ) -> PyResult<Self> {
        let plan = InfoPlan::new(&extra_info, first_env_index)?;
        let size = Size { height: img_height, width: img_width };
        let batch = BatchOptions {
            batch_size,
            num_threads,
            thread_affinity_offset,
            shared_pool,
            autoreset: match autoreset_mode {
                "NextStep" => Autoreset::NextStep,
                "SameStep" => Autoreset::SameStep,
                "Disabled" => Autoreset::Disabled,
                _ => return Err(PyValueError::new_err(format!("Invalid autoreset_mode: {autoreset_mode}"))),
            },
        };
        let options = VectorOptions {
            batch,
            observation: match obs_type {
                "frames" => {
                    Observation::Frames { size, color: !grayscale, stack: stack_num, padded: pad_stack }
                }
                "rgb" => Observation::Screen { color: true },
                "grayscale" => Observation::Screen { color: false },
                "ram" => Observation::Ram,
                _ => {
                    let accepted = "frames, rgb, grayscale, ram";
                    return Err(PyValueError::new_err(format!(
                        "obs_type is {obs_type:?}; accepted: {accepted}"
                    )));
                }
            },
            frameskip,
            maxpool,
            noop_max,
            use_fire_reset,
            episodic_life,
            continue_lives,
            life_loss_info,
            reward_clipping,
            max_num_frames_per_episode,
            repeat_action_probability,
            full_action_space,
            ram: plan.ram,
            sound: plan.sound,
            keep_pictures: false,
            entropy,
        };
        let specs = specs(&players, corrected).map_err(vector_error)?;
        let env = py.detach(|| vector::load(&specs, options)).map_err(vector_error)?;
        let mut shape = vec![env.batch_size()];
        shape.extend_from_slice(&env.options().obs_shape);
        let inner = Inner {
            env,
            plan,
            shape,
            actions: Vec::new(),
            choices: Vec::new(),
            records: Vec::new(),
            obs: Shelf::new(),
            ram: Shelf::new(),
            sound: Shelf::new(),
            columns: Shelf::new(),
            own: Own::default(),
        };
        Ok(Self { inner: Arc::new(Mutex::new(inner)), handle: Mutex::default() })
    }

    #[getter]
    fn num_envs(&self) -> PyResult<usize> {
        Ok(self.lock()?.env.num_envs())
    }

    #[getter]
    fn batch_size(&self) -> PyResult<usize> {
        Ok(self.lock()?.env.batch_size())
    }

    #[getter]
    fn num_threads(&self) -> PyResult<usize> {
        Ok(self.lock()?.env.threads())
    }

    /// Results that were asked for and not yet received.
    #[getter]
    fn in_flight(&self) -> PyResult<usize> {
        Ok(self.lock()?.env.in_flight())
    }

    /// Shape of one observation.
    #[getter]
    fn obs_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.lock()?.env.options().obs_shape)
    }

    /// The numbers of the actions that an index stands for.
    #[getter]
    fn action_set(&self) -> PyResult<Vec<u8>> {
        Ok(self.lock()?.env.options().actions.iter().map(|action| *action as u8).collect())
    }

    /// Starts episodes: -2 leaves a sub-environment, -1 resets it, anything else is its seed.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seeds: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        inner.set_choices(seeds.as_slice()?)?;
        if inner.env.synchronous() {
            return inner
                .run(py, |env, choices, _, rows, poll| env.reset(choices, rows, poll))
                .map(without_rewards)?;
        }
        let Inner { env, choices, .. } = &mut *inner;
        py.detach(|| env.send_reset(choices)).map_err(batch_error)?;
        inner.receive(py).map(without_rewards)?
    }

    /// Starts episodes everywhere without waiting for them.
    fn send_reset(&self, py: Python<'_>, seeds: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.set_choices(seeds.as_slice()?)?;
        let Inner { env, choices, .. } = &mut *inner;
        py.detach(|| env.send_reset(choices)).map_err(batch_error)
    }

    /// One step of all, or of the last batch when it is asynchronous.
    #[pyo3(signature = (actions, strengths=None, *, by_number=false))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        strengths: Option<PyReadonlyArray1<'py, f32>>,
        by_number: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        inner.set_actions(&actions, strengths.as_ref(), by_number)?;
        if inner.env.synchronous() {
            return inner.run(py, |env, _, actions, rows, poll| env.step(actions, rows, poll));
        }
        let Inner { env, actions, .. } = &mut *inner;
        py.detach(|| env.send(None, actions)).map_err(batch_error)?;
        inner.receive(py)
    }

    /// Starts a step of the last batch, or of the sub-environments in `ids`.
    #[pyo3(signature = (actions, strengths=None, ids=None, *, by_number=false))]
    fn send(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        strengths: Option<PyReadonlyArray1<'_, f32>>,
        ids: Option<Vec<usize>>,
        by_number: bool,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.set_actions(&actions, strengths.as_ref(), by_number)?;
        let Inner { env, actions, .. } = &mut *inner;
        py.detach(|| env.send(ids.as_deref(), actions)).map_err(batch_error)
    }

    /// Waits for a batch.
    fn recv<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.lock()?.receive(py)
    }

    /// Lets results be written into arrays of the caller from now on; `None` for our own.
    #[pyo3(signature = (obs=None, rewards=None, terminations=None, truncations=None))]
    fn use_buffers(
        &self,
        py: Python<'_>,
        obs: Option<Py<PyArrayDyn<u8>>>,
        rewards: Option<Py<PyArrayDyn<i32>>>,
        terminations: Option<Py<PyArrayDyn<bool>>>,
        truncations: Option<Py<PyArrayDyn<bool>>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let rows = [inner.env.batch_size()];
        check_buffer(py, "observations", obs.as_ref(), &inner.shape)?;
        check_buffer(py, "rewards", rewards.as_ref(), &rows)?;
        check_buffer(py, "terminations", terminations.as_ref(), &rows)?;
        check_buffer(py, "truncations", truncations.as_ref(), &rows)?;
        inner.own = Own { obs, rewards, terminations, truncations };
        Ok(())
    }

    /// Sub-environments as they are now; all of them without `ids`.
    #[pyo3(signature = (ids=None))]
    fn snapshot(&self, py: Python<'_>, ids: Option<Vec<usize>>) -> PyResult<VectorSnapshot> {
        let inner = self.lock()?;
        let env = &inner.env;
        let ids = ids.unwrap_or_else(|| (0..env.num_envs()).collect());
        py.detach(|| env.snapshot(&ids)).map(VectorSnapshot).map_err(batch_error)
    }

    /// Brings sub-environments back, those of the snapshot or those in `ids`. Returns what all show now.
    #[pyo3(signature = (snapshot, ids=None))]
    fn restore<'py>(
        &self,
        py: Python<'py>,
        snapshot: &Bound<'py, VectorSnapshot>,
        ids: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let env = &mut inner.env;
        let snapshot = &snapshot.get().0;
        py.detach(|| env.restore(snapshot, ids.as_deref())).map_err(batch_error)
    }

    /// Copies one sub-environment into others.
    fn branch(&self, py: Python<'_>, index: usize, targets: Vec<usize>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let env = &mut inner.env;
        py.detach(|| env.branch(index, &targets)).map_err(batch_error)
    }

    /// Observations and info of all sub-environments as they are now.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        inner.run(py, |env, _, _, rows, poll| env.observe(rows, poll)).map(without_rewards)?
    }

    /// The snapshot that `VectorSnapshot.to_bytes` made of an environment like this one.
    fn parse_snapshot(&self, py: Python<'_>, data: &[u8]) -> PyResult<VectorSnapshot> {
        let inner = self.lock()?;
        let env = &inner.env;
        py.detach(|| env.parse_snapshot(data)).map(VectorSnapshot).map_err(batch_error)
    }

    /// Eight bytes that compiled programs of XLA know this environment by.
    fn xla_handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut known = self.known_handle();
        let handle = match *known {
            Some(handle) => handle,
            None => py
                .detach(|| ale_xla::register(Arc::new(Endpoint::new(&self.inner))))
                .map_err(|fault| PyRuntimeError::new_err(fault.text))?,
        };
        *known = Some(handle);
        Ok(PyBytes::new(py, &handle))
    }

    /// Ends the handle: programs that use it get an error from now on.
    fn xla_close(&self) {
        if let Some(handle) = self.known_handle().take() {
            ale_xla::close(handle);
        }
    }

    /// Name, type and shape of each array that a reset and a step give.
    fn xla_columns(&self) -> PyResult<(Described, Described)> {
        let inner = self.lock()?;
        let described = |columns: Vec<Column>| columns.iter().map(Column::described).collect();
        Ok((described(inner.reset_columns()), described(inner.step_columns())))
    }

    /// The reset of compiled programs, for those that call back into Python.
    #[pyo3(signature = (*arguments))]
    fn xla_reset<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<XlaArgument<'py>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u8>>>> {
        called_back(py, &self.inner, &arguments, false)
    }

    /// The step of compiled programs, for those that call back into Python.
    #[pyo3(signature = (*arguments))]
    fn xla_step<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<XlaArgument<'py>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u8>>>> {
        called_back(py, &self.inner, &arguments, true)
    }

    /// Lets the code of one sub-environment panic when it next works; for tests of what happens then.
    fn break_next(&self, index: usize) -> PyResult<()> {
        self.lock()?.env.break_next(index).map_err(batch_error)
    }

    /// The screen of a sub-environment: height and RGB bytes.
    fn screen<'py>(&self, py: Python<'py>, index: usize) -> PyResult<(usize, Bound<'py, PyBytes>)> {
        let inner = self.lock()?;
        let look = |env: &ale_core::env::Env| {
            let mut bytes = vec![0; env.screen().len() * 3];
            env.write_rgb(&mut bytes);
            (env.height(), bytes)
        };
        let look = |game: &mut vector::Atari, workspace: &mut _| game.show(workspace, look);
        let (height, bytes) = inner.env.look_at(index, look).map_err(batch_error)?;
        Ok((height, PyBytes::new(py, &bytes)))
    }
}

impl VectorEnv {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.inner.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is in a call of this vector environment; make one for each thread",
            )
        })
    }

    fn known_handle(&self) -> MutexGuard<'_, Option<ale_xla::Handle>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for VectorEnv {
    fn drop(&mut self) {
        self.xla_close();
    }
}

impl Inner {
    fn set_choices(&mut self, seeds: &[i64]) -> PyResult<()> {
        if seeds.len() != self.env.num_envs() {
            let (have, want) = (seeds.len(), self.env.num_envs());
            return Err(PyValueError::new_err(format!("{have} seeds for {want} sub-environments")));
        }
        self.choices.clear();
        for &seed in seeds {
            self.choices.push(match seed {
                ..=-2 => Choice::Leave,
                -1 => Choice::Reset,
                seed => Choice::Seed(u64::from(seed as u32)),
            });
        }
        Ok(())
    }

    fn set_actions(
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
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        call: impl FnOnce(
            &mut vector::VectorEnv,
            &[Choice],
            &[(Action, f32)],
            Rows<'_>,
            &mut dyn FnMut() -> bool,
        ) -> Result<(), Error>
        + Send,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let own_obs = self.own.obs.as_ref().map(|array| array.bind(py).clone());
        let mut own = own_obs.as_ref().map(PyArrayMethods::try_readwrite).transpose().map_err(borrowed)?;
        let mut batch = self.memory(own.is_none());
        {
            let Self { env, choices, actions, .. } = self;
            let obs = own_slice(own.as_mut())?;
            let obs = obs.unwrap_or(&mut batch.obs[0]);
            let rows = Rows {
                obs: [obs, &mut [], &mut [], &mut []],
                final_obs: batch.final_obs.each_mut().map(Vec::as_mut_slice),
                extra: batch.extra.each_mut().map(Vec::as_mut_slice),
                records: &mut batch.records,
            };
            watched(py, |poll| call(env, choices, actions, rows, poll))?;
        }
        drop(own);
        self.publish(py, batch, own_obs)
    }

    fn receive<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.run(py, |env, _, _, rows, poll| env.recv(rows, poll))
    }

    /// Takes back the memory of a batch whose observations went elsewhere, and keeps its records.
    pub(crate) fn keep(&mut self, batch: Batch) {
        let Batch { final_obs: [final_obs, ..], extra: [ram, sound, ..], records, .. } = batch;
        for (bytes, shelf) in [(final_obs, &self.obs), (ram, &self.ram), (sound, &self.sound)] {
            if !bytes.is_empty() {
                shelf.put(bytes);
            }
        }
        self.records = records;
    }

    /// Memory for a batch, used before if possible.
    pub(crate) fn memory(&mut self, with_obs: bool) -> Batch {
        let layout = self.env.layout();
        let rows = self.env.batch_size();
        let bytes = |shelf: &Shelf<Vec<u8>>, len: usize| {
            if len == 0 { Vec::new() } else { shelf.take().unwrap_or_else(|| vec![0; len]) }
        };
        let mut records = std::mem::take(&mut self.records);
        records.resize(rows, vector::Record::default());
        let mut batch = Batch { records, ..Batch::default() };
        if with_obs {
            batch.obs[0] = bytes(&self.obs, rows * layout.obs[0]);
        }
        batch.final_obs[0] = bytes(&self.obs, rows * layout.final_obs[0]);
        batch.extra[RAM] = bytes(&self.ram, rows * layout.extra[RAM]);
        batch.extra[SOUND] = bytes(&self.sound, rows * layout.extra[SOUND]);
        batch
    }

    /// A batch as Python objects: observations, rewards, terminations, truncations, info.
    fn publish<'py>(
        &mut self,
        py: Python<'py>,
        batch: Batch,
        own_obs: Option<Bound<'py, PyArrayDyn<u8>>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows = batch.records.len();
        let Batch { obs: [obs, ..], final_obs: [mut final_obs, ..], extra: [ram, sound, ..], records } =
            batch;
        let mut columns = self.columns.take().unwrap_or_default();
        self.plan.fill(&records, &mut columns);
        let any_end = records.iter().any(|record| record.terminated || record.truncated);
        let show_final = any_end && !final_obs.is_empty();

        let shared = SharedColumns::new(py, columns, &self.columns)?;
        let mut reader = self.plan.reader(&shared, rows);
        let info = PyDict::new(py);
        let rewards = reader.int();
        info.set_item("env_id", reader.int())?;
        let (terminations, truncations, finished) = (reader.flag(), reader.flag(), reader.flag());
        reader.facts(&info)?;
        if !ram.is_empty() {
            info.set_item("ram", byte_array(py, ram, &self.ram, &[rows, 128])?)?;
        }
        if !sound.is_empty() {
            info.set_item("sound", byte_array(py, sound, &self.sound, &[rows, 512])?)?;
        }
        if show_final {
            let seen: &[u8] = &obs;
            let len = final_obs.len() / rows;
            for (row, _) in records.iter().enumerate().filter(|(_, record)| record.last.is_none()) {
                final_obs[row * len..][..len].copy_from_slice(&seen[row * len..][..len]);
            }
            let last = PyDict::new(py);
            reader.facts(&last)?;
            info.set_item("final_obs", byte_array(py, final_obs, &self.obs, &self.shape)?)?;
            info.set_item("_final_obs", &finished)?;
            info.set_item("final_info", last)?;
            info.set_item("_final_info", &finished)?;
        } else if !final_obs.is_empty() {
            self.obs.put(final_obs);
        }
        let obs = match own_obs {
            Some(array) => array,
            None => byte_array(py, obs, &self.obs, &self.shape)?,
        };
        let rewards = self.copied_to_own(py, rewards, |own| own.rewards.as_ref())?;
        let terminations = self.copied_to_own(py, terminations, |own| own.terminations.as_ref())?;
        let truncations = self.copied_to_own(py, truncations, |own| own.truncations.as_ref())?;
        self.records = records;
        PyTuple::new(py, [obs.into_any(), rewards, terminations, truncations, info.into_any()])
    }

    /// Copies a column into the caller's array, if there is one.
    fn copied_to_own<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        column: Bound<'py, PyAny>,
        choose: impl FnOnce(&Own) -> Option<&Py<PyArrayDyn<T>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(own) = choose(&self.own) else { return Ok(column) };
        let own = own.bind(py);
        column.cast::<PyArrayDyn<T>>()?.copy_to(own)?;
        Ok(own.clone().into_any())
    }
}

/// Observation and info of a result; what a reset returns.
fn without_rewards(result: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(result.py(), [result.get_item(0)?, result.get_item(4)?])
}

fn own_slice<'a>(own: Option<&'a mut PyReadwriteArrayDyn<'_, u8>>) -> PyResult<Option<&'a mut [u8]>> {
    Ok(own.map(|array| array.as_slice_mut()).transpose()?)
}

fn borrowed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("a buffer given to use_buffers() cannot be written: {error}"))
}

fn check_buffer<T: numpy::Element>(
    py: Python<'_>,
    name: &str,
    buffer: Option<&Py<PyArrayDyn<T>>>,
    shape: &[usize],
) -> PyResult<()> {
    let Some(buffer) = buffer else { return Ok(()) };
    let buffer = buffer.bind(py);
    if buffer.shape() != shape || !buffer.is_c_contiguous() {
        let text = format!(
            "the buffer for {name} has the shape {:?}; accepted: C-contiguous of shape {shape:?}",
            buffer.shape()
        );
        return Err(PyValueError::new_err(text));
    }
    buffer.try_readwrite().map(|_| ()).map_err(borrowed)
}

/// Who plays what. Images that are the same object are taken once.
fn specs(given: &[Given], corrected: bool) -> Result<Vec<EnvSpec>, ale_core::Error> {
    let mut specs = Vec::<EnvSpec>::with_capacity(given.len());
    for (index, (image, name, mode, difficulty)) in given.iter().enumerate() {
        let same = |(other, other_name, ..): &Given| other.as_ptr() == image.as_ptr() && other_name == name;
        let (rom, game) = if let Some(earlier) = given[..index].iter().position(same) {
            (specs[earlier].rom.clone(), Arc::clone(&specs[earlier].game))
        } else {
            let rom = Rom::new(&**image);
            let game = Game::for_rom(&rom.md5_hex(), name).map_or_else(|| Game::by_name(name), Ok)?;
            (rom, game.rules(corrected))
        };
        specs.push(EnvSpec { rom, game, mode: *mode, difficulty: *difficulty });
    }
    Ok(specs)
}

/// Runs a call without the interpreter; other Python threads go on. Looks for signals now and then.
fn watched<T: Send>(
    py: Python<'_>,
    call: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut signal = None;
    let mut looked = Instant::now();
    let result = py.detach(|| {
        call(&mut || {
            if looked.elapsed() >= SIGNAL_INTERVAL {
                #[expect(
                    clippy::redundant_closure_for_method_calls,
                    reason = "the method is not general enough"
                )]
                let checked = Python::attach(|py| py.check_signals());
                signal = checked.err();
                looked = Instant::now();
            }
            signal.is_some()
        })
    });
    match signal {
        Some(signal) => Err(signal),
        None => result.map_err(batch_error),
    }
}
