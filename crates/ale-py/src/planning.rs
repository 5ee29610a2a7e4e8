//! Planners: an environment's state in, the index of an action out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ale_core::Action;
use ale_core::env::{CoreState, Env, EnvModel};
use ale_learning::survey::Survey;
use ale_planning::{
    Atoms, Budget, Error, FeatureAtoms, FullTree, FullTreeOptions, Iw, IwOptions, MAX_ATOM, Planner,
    RamAtoms, RolloutIw, RolloutIwOptions, Uct, UctOptions,
};
use ale_sim::Model;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arguments::Threads;
use crate::env::AleInterface;
use crate::errors::to_py_err;
use crate::features::FeatureSets;
use crate::signals::check_signals;

/// How often Ctrl-C is looked for during a search.
const POLL: Duration = Duration::from_millis(50);

type Raised = Arc<Mutex<Option<PyErr>>>;

/// A planner and the model that it searches in.
#[pyclass(module = "ale_rs._native")]
pub(crate) struct NativePlanner {
    planner: Box<dyn Planner<EnvModel> + Sync>,
    model: Option<EnvModel>,
    actions: Vec<usize>,
    skip: (u32, u32),
    draws: bool,
    /// What a callable for atoms has raised.
    raised: Raised,
}

impl NativePlanner {
    fn of(planner: impl Planner<EnvModel> + Sync + 'static, draws: bool, raised: Raised) -> Self {
        Self { planner: Box::new(planner), model: None, actions: Vec::new(), skip: (0, 0), draws, raised }
    }
}

/// A model of an environment; `actions` are numbers of the legal actions.
pub(crate) fn model_of(env: &Env, actions: &[usize], skip: (u32, u32), draws: bool) -> PyResult<EnvModel> {
    let known: Option<Vec<Action>> = actions.iter().map(|&number| Action::from_number(number)).collect();
    let known = known.filter(|known| !known.is_empty() && known.len() <= 64);
    let known = known.ok_or_else(|| PyValueError::new_err("actions; accepted: numbers from 0 to 17"))?;
    Ok(EnvModel::new(env, known, skip, draws))
}

/// The background of the game that an environment plays, from so many screens of random play.
#[pyfunction]
pub(crate) fn background_of_env<'py>(
    py: Python<'py>,
    ale: &Bound<'py, AleInterface>,
    screens: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let (rom, game) = {
        let ale = ale.borrow();
        let env = ale.env()?;
        (env.rom().clone(), Arc::clone(env.game()))
    };
    let survey = Survey { screens, seed: 0, trajectory: &[] };
    let found = py.detach(|| survey.background(&rom, &game, |_| true)).map_err(to_py_err)?;
    Ok(PyBytes::new(py, found.screen().pixels()))
}

#[pymethods]
impl NativePlanner {
    #[staticmethod]
    fn full_tree(
        frames: u64,
        discount: f64,
        duplicates: bool,
        charge_reused: bool,
        max_nodes: usize,
        seed: u64,
        threads: Threads,
    ) -> Self {
        let budget = Budget::frames(frames);
        let options = FullTreeOptions {
            budget,
            discount,
            duplicates,
            charge_reused,
            max_nodes,
            seed,
            threads: threads.0,
        };
        Self::of(FullTree::new(options), false, Raised::default())
    }

    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the options of a planner")]
    fn uct(
        simulations: u32,
        depth: u32,
        exploration: f64,
        discount: f64,
        duplicates: bool,
        max_nodes: usize,
        seed: u64,
        threads: Threads,
    ) -> Self {
        let options = UctOptions {
            simulations,
            depth,
            exploration,
            discount,
            duplicates,
            max_nodes,
            seed,
            threads: threads.0,
        };
        Self::of(Uct::new(options), false, Raised::default())
    }

    #[staticmethod]
    fn iw(
        frames: u64,
        discount: f64,
        atoms: &Bound<'_, PyAny>,
        max_branch: usize,
        max_nodes: usize,
        seed: u64,
        threads: Threads,
    ) -> Self {
        let budget = Budget::frames(frames);
        let options = IwOptions { budget, discount, max_branch, max_nodes, seed, threads: threads.0 };
        let (atoms, draws, raised) = atoms_of(atoms);
        Self::of(Iw::new(options, atoms), draws, raised)
    }

    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the options of a planner")]
    fn rollout_iw(
        frames: Option<u64>,
        seconds: Option<f64>,
        discount: f64,
        atoms: &Bound<'_, PyAny>,
        risk_averse: bool,
        max_depth: u32,
        max_repeats: u16,
        max_kept: usize,
        max_nodes: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let time = seconds.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PyValueError::new_err(format!("seconds: {error}")))?;
        let options = RolloutIwOptions {
            budget: Budget { frames, time },
            discount,
            max_depth,
            max_repeats,
            max_kept,
            max_nodes,
            risk_averse,
            seed,
        };
        let (atoms, draws, raised) = atoms_of(atoms);
        Ok(Self::of(RolloutIw::new(options, atoms), draws, raised))
    }

    /// Searches from the environment's state. Action `n` of the answer is `actions[n]`, held for `skip[0]` to `skip[1]`
    /// frames.
    fn plan(
        &mut self,
        py: Python<'_>,
        ale: &Bound<'_, AleInterface>,
        actions: Vec<usize>,
        skip: (u32, u32),
    ) -> PyResult<usize> {
        let (root, over) = {
            let ale = ale.borrow();
            let env = ale.env()?;
            let same = self.actions == actions && self.skip == skip;
            if !same || !self.model.as_ref().is_some_and(|model| model.fits(env)) {
                self.model = Some(model_of(env, &actions, skip, self.draws)?);
                (self.actions, self.skip) = (actions, skip);
                self.planner.advance(usize::MAX); // no child: the tree is dropped
            }
            (env.core_state(), env.terminal())
        };
        let Some(model) = &mut self.model else { unreachable!("it was made above") };
        search(py, &mut *self.planner, model, &root, over, &self.raised)
    }

    /// The environment has taken this action.
    fn advance(&mut self, action: usize) {
        self.planner.advance(action);
    }

    /// Frames, nodes, duplicates, depth, seconds.
    fn stats(&self) -> (u64, u64, u64, u32, f64) {
        let stats = self.planner.stats();
        (stats.frames, stats.nodes, stats.duplicates, stats.depth, stats.seconds)
    }

    /// The nodes as arrays by name.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let nodes = self.planner.tree().nodes;
        let arrays = PyDict::new(py);
        let ints = |of: &dyn Fn(&ale_planning::Node) -> i64| PyArray1::from_iter(py, nodes.iter().map(of));
        let floats = |of: &dyn Fn(&ale_planning::Node) -> f64| PyArray1::from_iter(py, nodes.iter().map(of));
        let flags = |of: &dyn Fn(&ale_planning::Node) -> bool| PyArray1::from_iter(py, nodes.iter().map(of));
        arrays.set_item("parent", ints(&|node| i64::from(node.parent)))?;
        arrays.set_item("action", ints(&|node| i64::from(node.action)))?;
        arrays.set_item("depth", ints(&|node| i64::from(node.depth)))?;
        arrays.set_item("frames", ints(&|node| i64::from(node.frames)))?;
        arrays.set_item("visits", ints(&|node| i64::from(node.visits)))?;
        arrays.set_item("reward", floats(&|node| node.reward))?;
        arrays.set_item("value", floats(&|node| node.value))?;
        arrays.set_item("over", flags(&|node| node.over))?;
        arrays.set_item("duplicate", flags(&|node| node.duplicate))?;
        arrays.set_item("pruned", flags(&|node| node.pruned))?;
        Ok(arrays)
    }
}

/// One search, in a thread of its own so that this one can look for Ctrl-C.
fn search(
    py: Python<'_>,
    planner: &mut (dyn Planner<EnvModel> + Sync),
    model: &mut EnvModel,
    root: &CoreState,
    over: bool,
    raised: &Raised,
) -> PyResult<usize> {
    let stop = AtomicBool::new(false);
    let mut interrupt = None;
    let result = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, waiting) = mpsc::channel::<()>();
            let stop = &stop;
            let search = scope.spawn(move || {
                let _done = done;
                planner.plan(model, root, over, stop)
            });
            while waiting.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(check_signals) {
                    interrupt = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    let from_callable = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (interrupt, from_callable, result) {
        (Some(error), ..) | (None, Some(error), _) => Err(error),
        (None, None, Ok(action)) => Ok(action),
        (None, None, Err(error)) => Err(planning_error(&error)),
    }
}

/// The exception of an error of a search.
pub(crate) fn planning_error(error: &Error) -> PyErr {
    match error {
        Error::Atoms(_) => PyValueError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Atoms of a feature set, of a callable, or (for `None`) of RAM; and whether they need a picture.
fn atoms_of(atoms: &Bound<'_, PyAny>) -> (Box<dyn Atoms<EnvModel>>, bool, Raised) {
    let raised = Raised::default();
    if atoms.is_none() {
        return (Box::new(RamAtoms), false, raised);
    }
    if let Ok(set) = atoms.cast::<FeatureSets>() {
        let set = set.borrow().fork();
        let draws = set.input() == ale_features::InputKind::Screen;
        return (Box::new(FeatureAtoms::new(set)), draws, raised);
    }
    let atoms = CallableAtoms { function: Arc::new(atoms.clone().unbind()), raised: Arc::clone(&raised) };
    (Box::new(atoms), true, raised)
}

/// Atoms that a Python callable computes from the screen and RAM.
struct CallableAtoms {
    function: Arc<Py<PyAny>>,
    raised: Raised,
}

impl Atoms<EnvModel> for CallableAtoms {
    fn active(&mut self, model: &EnvModel, _parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error> {
        out.clear();
        let Some(frame) = model.frame() else { return Ok(()) };
        let shape = vec![frame.height, frame.pixels.len() / frame.height.max(1)];
        let called = Python::attach(|py| -> PyResult<()> {
            let screen = PyArrayDyn::zeros(py, shape, false);
            screen.readwrite().as_slice_mut()?.copy_from_slice(frame.pixels);
            let ram = PyArray1::from_slice(py, model.ram());
            let found = self.function.call1(py, (screen, ram))?;
            let numpy = py.import("numpy")?;
            let found = numpy.call_method1("asarray", (found,))?.call_method0("ravel")?;
            let kind: String = found.getattr("dtype")?.getattr("kind")?.extract()?;
            let whole = found.call_method1("astype", (numpy.getattr("int64")?,))?;
            let whole = whole.cast::<PyArray1<i64>>()?.readonly();
            for &atom in whole.as_slice()? {
                let fits = u32::try_from(atom).ok().filter(|&atom| atom <= MAX_ATOM);
                let atom = fits.filter(|_| kind == "i" || kind == "u").ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "atoms gave {atom} (dtype kind \"{kind}\"); accepted: whole numbers from 0 to {MAX_ATOM}"
                    ))
                })?;
                out.push(atom);
            }
            Ok(())
        });
        called.map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Atoms("the callable has raised".to_owned())
        })
    }

    fn fork(&self) -> Box<dyn Atoms<EnvModel>> {
        Box::new(Self { function: Arc::clone(&self.function), raised: Arc::clone(&self.raised) })
    }
}
