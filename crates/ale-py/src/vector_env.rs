//! `VectorEnv`: batches in and out of [`ale_core::vector::VectorEnv`].

use std::sync::{Arc, Mutex, MutexGuard};

use ale_core::vector::{self, Atari};
use numpy::{PyArrayDyn, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::batch::{Snapshot, exclusive};
use crate::caller_buffers::{CallerBuffer, CallerBuffers};
use crate::errors::{batch_error, vector_error};
use crate::vector_options::{OptionArguments, SpecArguments};
use crate::vector_rows::{Inner, without_rewards};
use crate::xla::{Described, Known, Results, XlaArgument};

/// Many environments stepped by native threads.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct VectorEnv {
    inner: Arc<Mutex<Inner>>,
    xla: Known<Inner>,
}

/// Some sub-environments as they were at one moment.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct VectorSnapshot(Snapshot<Atari>);

#[pymethods]
impl VectorSnapshot {
    /// What `to_bytes` gave; a `ValueError` with the reason when a byte of it is another one.
    #[staticmethod]
    fn from_bytes(data: Vec<u8>) -> PyResult<Self> {
        Snapshot::from_bytes(data).map(Self)
    }

    /// The numbers of the sub-environments it has.
    #[getter]
    fn ids(&self) -> Vec<usize> {
        self.0.ids()
    }

    /// All of it as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let snapshot = &self.0;
        PyBytes::new(py, &py.detach(|| snapshot.to_bytes()))
    }

    fn __len__(&self) -> usize {
        self.0.ids().len()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        (slf.getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)).into_pyobject(slf.py())
    }
}

#[pymethods]
impl VectorEnv {
    /// `specs` has image, game, mode and difficulty of each sub-environment.
    #[new]
    fn new(py: Python<'_>, specs: Vec<SpecArguments>, options: Bound<'_, PyAny>) -> PyResult<Self> {
        let options = OptionArguments(options);
        let info = options.info()?;
        let specs = options.specs(&specs)?;
        let options = options.options(&info)?;
        let env = py.detach(|| vector::load(&specs, options)).map_err(vector_error)?;
        let inner = Arc::new(Mutex::new(Inner::new(env, info)));
        Ok(Self { xla: Known::new(&inner), inner })
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
        let mut callers = CallerBuffers::<i32> {
            rewards: CallerBuffer::new(py, "rewards", &rows, rewards)?,
            terminations: CallerBuffer::new(py, "terminations", &rows, terminations)?,
            truncations: CallerBuffer::new(py, "truncations", &rows, truncations)?,
            ..CallerBuffers::default()
        };
        callers.obs[0] = CallerBuffer::new(py, "observations", &inner.shape, obs)?;
        inner.callers = callers;
        Ok(())
    }

    /// Sub-environments as they are now; all of them without `ids`.
    #[pyo3(signature = (ids=None))]
    fn snapshot(&self, py: Python<'_>, ids: Option<Vec<usize>>) -> PyResult<VectorSnapshot> {
        let inner = self.lock()?;
        let env = &inner.env;
        let ids = ids.unwrap_or_else(|| (0..env.num_envs()).collect());
        let snapshot = py.detach(|| env.snapshot(&ids)).map_err(batch_error)?;
        Ok(VectorSnapshot(Snapshot::Worlds(snapshot)))
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
        py.detach(|| snapshot.restore_into(env, ids.as_deref())).map_err(batch_error)
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

    /// Eight bytes that compiled programs of XLA know this environment by.
    fn xla_handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.xla.handle(py)
    }

    /// Ends the handle: programs that use it get an error from now on.
    fn xla_close(&self) {
        self.xla.close();
    }

    /// Name, type and shape of each array that a reset and a step give.
    fn xla_columns(&self) -> (Described, Described) {
        self.xla.columns()
    }

    /// The reset of compiled programs, for those that call back into Python.
    #[pyo3(signature = (*arguments))]
    fn xla_reset<'py>(&self, py: Python<'py>, arguments: Vec<XlaArgument<'py>>) -> PyResult<Results<'py>> {
        self.xla.reset(py, &arguments)
    }

    /// The step of compiled programs, for those that call back into Python.
    #[pyo3(signature = (*arguments))]
    fn xla_step<'py>(&self, py: Python<'py>, arguments: Vec<XlaArgument<'py>>) -> PyResult<Results<'py>> {
        self.xla.step(py, &arguments)
    }

    /// Lets the code of one sub-environment panic when it next works; for tests of what happens then.
    fn break_next(&self, index: usize) -> PyResult<()> {
        self.lock()?.env.break_next(index).map_err(batch_error)
    }

    /// Panics in the middle of a call; for tests of what the next call says.
    fn break_call(&self) -> PyResult<()> {
        let _inner = self.lock()?;
        panic!("it was told to");
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
        exclusive(&self.inner)
    }
}
