//! `CrafterVectorEnv`: batches of Crafter worlds in and out of [`ale_batch::VectorEnv`].

use std::sync::{Arc, Mutex, MutexGuard};

use ale_batch::{BatchOptions, Layout};
use ale_crafter::{Crafter, PIXELS, Playing, SEMANTIC, SYMBOLIC, Sights, Workspace, symbolic_len};
use numpy::{PyArray3, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::batch::{autoreset, choices, exclusive};
use crate::caller_buffers::{CallerBuffer, CallerBuffers};
use crate::crafter::{CrafterTextures, options};
use crate::crafter_rows::{Inner, Memory, World, without_rewards};
use crate::errors::batch_error;
use crate::xla::{Described, Known, Results, XlaArgument};

/// Names of the parts of an observation, by number.
const KINDS: [(&str, usize); 3] = [("pixels", PIXELS), ("semantic", SEMANTIC), ("symbolic", SYMBOLIC)];

/// Many Crafter worlds stepped by native threads.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct CrafterVectorEnv {
    inner: Arc<Mutex<Inner>>,
    xla: Known<Inner>,
}

/// Some Crafter worlds as they were at one moment.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct CrafterVectorSnapshot(ale_batch::VectorSnapshot<Crafter>);

#[pymethods]
impl CrafterVectorSnapshot {
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

#[pymethods]
impl CrafterVectorEnv {
    /// `bases` are the hashes of the base seeds, one for each sub-environment.
    #[new]
    #[pyo3(signature = (
        bases, textures, *, area, view, size, length, noise, reward, observation, dictionary, semantic, batch_size,
        num_threads, thread_affinity_offset, shared_pool, autoreset_mode, first_env_index,
    ))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keywords of the Python class"
    )]
    fn new(
        py: Python<'_>,
        bases: Vec<i64>,
        textures: &CrafterTextures,
        area: (usize, usize),
        view: (usize, usize),
        size: (usize, usize),
        length: u64,
        noise: &str,
        reward: bool,
        observation: Vec<String>,
        dictionary: bool,
        semantic: bool,
        batch_size: usize,
        num_threads: usize,
        thread_affinity_offset: Option<usize>,
        shared_pool: bool,
        autoreset_mode: &str,
        first_env_index: i64,
    ) -> PyResult<Self> {
        let options = options(area, view, size, length, noise)?;
        let has = |kind: &str| observation.iter().any(|name| name == kind);
        let sights = Sights {
            pixels: has("pixels"),
            semantic: has("semantic"),
            symbolic: has("symbolic"),
            map: semantic,
        };
        let autoreset = autoreset(autoreset_mode)?;
        let batch = BatchOptions { batch_size, num_threads, thread_affinity_offset, shared_pool, autoreset };
        let with_final = autoreset == ale_batch::Autoreset::SameStep;
        let layout = Layout::new(sights.obs(&options), sights.extra(&options), with_final);
        let rows = batch.rows(bases.len()).map_err(batch_error)?;
        let worlds = Playing::bytes(&options, sights, bases.len());
        let needed = worlds.saturating_add(rows.saturating_mul(layout.row_bytes()));
        ale_batch::memory::check(bases.len(), needed).map_err(batch_error)?;
        let textures = Arc::clone(&textures.inner);
        let env = py.detach(|| {
            let playing = Playing::new(&textures, &options, sights, bases.len());
            let worlds = bases.iter().map(|&base| Crafter::new(options, base, sights)).collect();
            World::new(worlds, layout, playing, &batch)
        });
        let (columns, grid_rows) = options.grid();
        let shape = |part: usize| match part {
            PIXELS => vec![rows, options.size.1, options.size.0, 3],
            SEMANTIC => vec![rows, columns, grid_rows],
            _ => vec![rows, size_of::<f32>() * symbolic_len(&options)],
        };
        let part = |name: &String| {
            KINDS.iter().find(|(kind, _)| kind == name).map(|&(kind, part)| (kind, part, shape(part)))
        };
        let inner = Arc::new(Mutex::new(Inner {
            env: env.map_err(batch_error)?,
            parts: observation.iter().filter_map(part).collect(),
            dictionary,
            reward,
            map_shape: [rows, options.area.0, options.area.1],
            first: first_env_index,
            memory: Memory::default(),
            callers: CallerBuffers::default(),
        }));
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

    /// Starts episodes: 0 leaves a sub-environment, 1 resets it, 2 resets it with the seed whose hash is given.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        kinds: PyReadonlyArray1<'py, u8>,
        seeds: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        let choices = choices(&kinds, &seeds, inner.env.num_envs())?;
        if inner.env.synchronous() {
            return inner
                .run(py, &choices, |env, choices, _, rows, poll| env.reset(choices, rows, poll))
                .map(without_rewards)?;
        }
        let env = &mut inner.env;
        py.detach(|| env.send_reset(&choices)).map_err(batch_error)?;
        inner.receive(py).map(without_rewards)?
    }

    /// Starts episodes everywhere without waiting for them.
    fn send_reset(
        &self,
        py: Python<'_>,
        kinds: PyReadonlyArray1<'_, u8>,
        seeds: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let choices = choices(&kinds, &seeds, inner.env.num_envs())?;
        let env = &mut inner.env;
        py.detach(|| env.send_reset(&choices)).map_err(batch_error)
    }

    /// One step of all, or of the last batch when it is asynchronous.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        inner.set_actions(&actions)?;
        if inner.env.synchronous() {
            return inner.run(py, &[], |env, _, actions, rows, poll| env.step(actions, rows, poll));
        }
        let Inner { env, memory, .. } = &mut *inner;
        py.detach(|| env.send(None, memory.actions())).map_err(batch_error)?;
        inner.receive(py)
    }

    /// Starts a step of the last batch, or of the sub-environments in `ids`.
    #[pyo3(signature = (actions, ids=None))]
    fn send(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        ids: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.set_actions(&actions)?;
        let Inner { env, memory, .. } = &mut *inner;
        py.detach(|| env.send(ids.as_deref(), memory.actions())).map_err(batch_error)
    }

    /// Waits for a batch.
    fn recv<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.lock()?.receive(py)
    }

    /// Lets results be written into arrays of the caller from now on; `None` for our own.
    #[pyo3(signature = (obs, rewards=None, terminations=None, truncations=None))]
    fn use_buffers(
        &self,
        py: Python<'_>,
        obs: Vec<Option<Py<PyArrayDyn<u8>>>>,
        rewards: Option<Py<PyArrayDyn<f64>>>,
        terminations: Option<Py<PyArrayDyn<bool>>>,
        truncations: Option<Py<PyArrayDyn<bool>>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let rows = [inner.env.batch_size()];
        let mut callers = CallerBuffers::<f64> {
            rewards: CallerBuffer::new(py, "rewards", &rows, rewards)?,
            terminations: CallerBuffer::new(py, "terminations", &rows, terminations)?,
            truncations: CallerBuffer::new(py, "truncations", &rows, truncations)?,
            ..CallerBuffers::default()
        };
        for ((name, part, shape), array) in inner.parts.iter().zip(obs) {
            callers.obs[*part] = CallerBuffer::new(py, name, shape, array)?;
        }
        inner.callers = callers;
        Ok(())
    }

    /// Sub-environments as they are now; all of them without `ids`.
    #[pyo3(signature = (ids=None))]
    fn snapshot(&self, py: Python<'_>, ids: Option<Vec<usize>>) -> PyResult<CrafterVectorSnapshot> {
        let inner = self.lock()?;
        let env = &inner.env;
        let ids = ids.unwrap_or_else(|| (0..env.num_envs()).collect());
        py.detach(|| env.snapshot(&ids)).map(CrafterVectorSnapshot).map_err(batch_error)
    }

    /// Brings sub-environments back, those of the snapshot or those in `ids`.
    #[pyo3(signature = (snapshot, ids=None))]
    fn restore(
        &self,
        py: Python<'_>,
        snapshot: &Bound<'_, CrafterVectorSnapshot>,
        ids: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let snapshot = &snapshot.get().0;
        let env = &mut inner.env;
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
        inner.run(py, &[], |env, _, _, rows, poll| env.observe(rows, poll)).map(without_rewards)?
    }

    /// The snapshot that `CrafterVectorSnapshot.to_bytes` made of an environment like this one.
    fn parse_snapshot(&self, py: Python<'_>, data: &[u8]) -> PyResult<CrafterVectorSnapshot> {
        let inner = self.lock()?;
        let env = &inner.env;
        py.detach(|| env.parse_snapshot(data)).map(CrafterVectorSnapshot).map_err(batch_error)
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

    /// A picture of a sub-environment that the game does not notice, `(height, width, 3)`.
    fn screen<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let inner = self.lock()?;
        let playing = inner.env.options();
        let array = inner.env.look_at(index, |world: &mut Crafter, workspace: &mut Workspace| {
            let (width, height) = world.game().options().size;
            let array = PyArray3::zeros(py, [height, width, 3], false);
            workspace.renderer.render(world.game(), &playing.atlas, array.readwrite().as_slice_mut()?);
            Ok(array)
        });
        array.map_err(batch_error)?
    }
}

impl CrafterVectorEnv {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        exclusive(&self.inner)
    }
}
