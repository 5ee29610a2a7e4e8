//! Trials and learners of `ale-learning`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ale_core::env::EnvConfig;
use ale_core::game::Game;
use ale_core::{Action, Rom};
use ale_learning::baselines::Baseline;
use ale_learning::brute::{self, Brute, Exploration};
use ale_learning::sarsa::{self, Features, Sarsa};
use ale_learning::trial::{Agent, Checkpoint, Episode, Linear, Memory, Phase, Setup, Stop, Trial};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::errors::to_py_err;
use crate::features::FeatureSets;

/// Records are handed over in batches, at least this far apart.
const BATCH: Duration = Duration::from_millis(100);

/// One agent in one game; see `ale_rs.learning`.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct NativeTrial {
    trial: Mutex<Trial>,
    stop: Stop,
}

fn number<'py, T>(options: &Bound<'py, PyDict>, key: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let value = options.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))?;
    value.extract().map_err(Into::into)
}

fn setup(options: &Bound<'_, PyDict>) -> PyResult<Setup> {
    let numbers: Vec<usize> = number(options, "actions")?;
    let actions: Option<Vec<Action>> = numbers.iter().map(|&number| Action::from_number(number)).collect();
    let Some(actions) = actions.filter(|actions| !actions.is_empty()) else {
        return Err(PyValueError::new_err("actions; accepted: numbers from 0 to 17"));
    };
    Ok(Setup {
        env: EnvConfig {
            seed: number(options, "env_seed")?,
            repeat_action_probability: number(options, "repeat_action_probability")?,
            frame_skip: number(options, "decision_frames")?,
            max_num_frames_per_episode: number(options, "max_num_frames_per_episode")?,
            ..EnvConfig::default()
        },
        mode: number(options, "mode")?,
        difficulty: number(options, "difficulty")?,
        actions,
    })
}

fn agent(kind: &str, options: &Bound<'_, PyDict>, num_actions: usize) -> PyResult<Agent> {
    let seed = number(options, "seed")?;
    let action = || -> PyResult<usize> {
        let action = number(options, "action")?;
        if action < num_actions { Ok(action) } else { Err(PyValueError::new_err("action")) }
    };
    Ok(match kind {
        "random" => Agent::Baseline(Baseline::random(num_actions, seed)),
        "const" => Agent::Baseline(Baseline::constant(action()?, num_actions)),
        "perturb" => {
            Agent::Baseline(Baseline::perturb(action()?, number(options, "chance")?, num_actions, seed))
        }
        "sarsa" => {
            let features: PyRef<'_, FeatureSets> = number(options, "features")?;
            let set = features.fork();
            let learner = Sarsa::new(sarsa::Config {
                num_features: set.len() + usize::from(set.has_bias()),
                num_actions,
                step_size: number(options, "step_size")?,
                discount: number(options, "discount")?,
                trace_decay: number(options, "trace_decay")?,
                exploration: number(options, "exploration")?,
                seed,
                clear_other_actions: number(options, "clear_other_actions")?,
            })
            .map_err(PyValueError::new_err)?;
            let averages = number(options, "color_averaging")?;
            Agent::Sarsa(Box::new(Linear::new(set, learner, averages, number(options, "shuffled")?)))
        }
        "brute" => {
            let learner = Brute::new(brute::Config {
                num_actions,
                discount: number(options, "discount")?,
                exploration: formula(&number::<String>(options, "exploration")?)?,
                max_nodes: number(options, "max_nodes")?,
                seed,
            })
            .map_err(PyValueError::new_err)?;
            let looks = number::<f32>(options, "repeat_action_probability")? > 0.0;
            Agent::Brute(Box::new(Memory::new(learner, looks, number(options, "skip_known")?)))
        }
        _ => return Err(PyKeyError::new_err(kind.to_owned())),
    })
}

fn formula(name: &str) -> PyResult<Exploration> {
    match name {
        "a" => Ok(Exploration::A),
        "b2" => Ok(Exploration::B2),
        _ => Err(PyValueError::new_err(format!("exploration is \"{name}\"; accepted: \"b2\", \"a\""))),
    }
}

/// Return, frames, decisions, terminated, truncated.
type Record = (f64, u64, u64, bool, bool);

fn record(episode: &Episode) -> Record {
    (episode.score, episode.frames, episode.steps, episode.terminated, episode.truncated)
}

#[pymethods]
impl NativeTrial {
    /// A trial of the agent `kind`; `options` has a value for everything that this kind needs.
    #[new]
    fn new(
        py: Python<'_>,
        rom: Vec<u8>,
        name: &str,
        kind: &str,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let rom = Rom::new(rom);
        let game =
            Game::for_rom(&rom.md5_hex(), name).map_or_else(|| Game::by_name(name), Ok).map_err(to_py_err)?;
        let setup = setup(options)?;
        let agent = agent(kind, options, setup.actions.len())?;
        let trial = py.detach(|| Trial::new(&rom, &game, &setup, agent)).map_err(to_py_err)?;
        Ok(Self { trial: Mutex::new(trial), stop: Stop::default() })
    }

    /// Plays episodes until `frames` frames or `episodes` episodes are reached, the seeds are used up, or it is stopped.
    /// `report` gets lists of records in their order and returns whether to go on.
    ///
    /// # Returns
    /// The frames and episodes of this call.
    #[pyo3(signature = (*, learn, frames, episodes, seeds, report))]
    fn run(
        &self,
        py: Python<'_>,
        learn: bool,
        frames: Option<u64>,
        episodes: Option<u64>,
        seeds: Option<Vec<u32>>,
        report: Py<PyAny>,
    ) -> PyResult<(u64, u64)> {
        let phase = if learn { Phase::Train } else { Phase::Evaluate };
        let (mut played, mut count) = (0_u64, 0_u64);
        py.detach(|| {
            let mut trial = self.trial.try_lock().map_err(|_| {
                PyRuntimeError::new_err("the trial is running already; a trial runs in one thread at a time")
            })?;
            let mut batch: Vec<Record> = Vec::new();
            let mut handed = Instant::now();
            let enough = |played, count| {
                frames.is_some_and(|frames| played >= frames)
                    || episodes.is_some_and(|episodes| count >= episodes)
                    || seeds.as_ref().is_some_and(|seeds| count >= seeds.len() as u64)
            };
            while !self.stop.is_set() && !enough(played, count) {
                let seed = seeds.as_ref().map(|seeds| seeds[count as usize]);
                let Some(episode) = trial.episode(phase, seed, &self.stop).map_err(to_py_err)? else {
                    break;
                };
                played += episode.frames;
                count += 1;
                batch.push(record(&episode));
                if handed.elapsed() >= BATCH {
                    if !hand_over(&report, &mut batch)? {
                        break;
                    }
                    handed = Instant::now();
                }
            }
            if !batch.is_empty() {
                hand_over(&report, &mut batch)?;
            }
            Ok((played, count))
        })
    }

    /// Asks from another thread to stop, after the running episode or at once.
    fn stop(&self, at_once: bool) {
        if at_once { self.stop.now() } else { self.stop.after_episode() }
    }

    /// Rows of weights, or histories; and whether there is no room for more.
    fn size(&self) -> (usize, bool) {
        match self.lock().agent() {
            Agent::Baseline(_) => (0, false),
            Agent::Sarsa(agent) => (agent.learner().rows_in_use(), false),
            Agent::Brute(agent) => (agent.learner().nodes(), agent.learner().is_full()),
        }
    }

    /// Writes a checkpoint between two episodes.
    fn save(&self, py: Python<'_>, path: PathBuf, identity: &str, progress: &str) -> PyResult<()> {
        py.detach(|| self.lock().save(&path, identity, progress)).map_err(to_py_err)
    }

    /// Goes on from a checkpoint if its identity is this one; gives back its identity and its progress.
    fn load(&self, py: Python<'_>, path: PathBuf, identity: &str) -> PyResult<(String, String)> {
        py.detach(|| {
            let checkpoint = Checkpoint::read(&path)?;
            if checkpoint.identity() == identity {
                self.lock().load(&checkpoint)?;
            }
            Ok((checkpoint.identity().to_owned(), checkpoint.progress().to_owned()))
        })
        .map_err(to_py_err)
    }
}

impl NativeTrial {
    fn lock(&self) -> std::sync::MutexGuard<'_, Trial> {
        self.trial.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands records to Python; whether to go on.
fn hand_over(report: &Py<PyAny>, batch: &mut Vec<Record>) -> PyResult<bool> {
    Python::attach(|py| {
        let rows = std::mem::take(batch)
            .into_iter()
            .map(|row| row.into_pyobject(py))
            .collect::<PyResult<Vec<Bound<'_, PyTuple>>>>()?;
        report.call1(py, (rows,))?.extract(py)
    })
}

/// SARSA(lambda); see `ale_rs.learning.Sarsa`.
#[pyclass(name = "Sarsa", module = "ale_rs._native")]
pub(crate) struct NativeSarsa(Sarsa);

impl NativeSarsa {
    /// Features that are in range, with as many counts or none.
    fn features<'a>(&self, active: &'a [u32], counts: Option<&'a [u32]>) -> PyResult<Features<'a>> {
        let last = self.0.config().num_features - 1;
        if let Some(index) = active.iter().find(|&&index| index as usize > last) {
            return Err(PyValueError::new_err(format!(
                "feature {index} does not exist; accepted: 0 to {last}"
            )));
        }
        let counts = counts.unwrap_or(&[]);
        if !counts.is_empty() && counts.len() != active.len() {
            let text =
                format!("{} counts for {} features; accepted: one for each", counts.len(), active.len());
            return Err(PyValueError::new_err(text));
        }
        Ok(Features { indices: active, counts })
    }
}

type Numbers<'py> = PyReadonlyArray1<'py, u32>;

#[pymethods]
impl NativeSarsa {
    #[new]
    #[pyo3(signature = (num_features, num_actions, *, step_size, discount, trace_decay, exploration, seed, clear_other_actions))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the algorithm")]
    fn new(
        num_features: usize,
        num_actions: usize,
        step_size: f64,
        discount: f64,
        trace_decay: f64,
        exploration: f64,
        seed: u64,
        clear_other_actions: bool,
    ) -> PyResult<Self> {
        let config = sarsa::Config {
            num_features,
            num_actions,
            step_size,
            discount,
            trace_decay,
            exploration,
            seed,
            clear_other_actions,
        };
        Sarsa::new(config).map(Self).map_err(PyValueError::new_err)
    }

    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Sarsa::from_bytes(data).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Number of features, number of actions.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.config().num_features, self.0.config().num_actions)
    }

    fn begin(&mut self, active: Numbers<'_>, counts: Option<Numbers<'_>>) -> PyResult<usize> {
        let counts = counts.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let features = self.features(active.as_slice()?, counts)?;
        Ok(self.0.begin(features))
    }

    fn step(&mut self, reward: f64, active: Numbers<'_>, counts: Option<Numbers<'_>>) -> PyResult<usize> {
        let counts = counts.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let features = self.features(active.as_slice()?, counts)?;
        Ok(self.0.step(reward, features))
    }

    fn end(&mut self, reward: f64) {
        self.0.end(reward);
    }

    fn q<'py>(
        &self,
        py: Python<'py>,
        active: Numbers<'py>,
        counts: Option<Numbers<'py>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let counts = counts.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let mut values = vec![0.0; self.0.config().num_actions];
        self.0.q(self.features(active.as_slice()?, counts)?, &mut values);
        Ok(PyArray1::from_vec(py, values))
    }
}

/// The Brute; see `ale_rs.learning.Brute`.
#[pyclass(name = "Brute", module = "ale_rs._native")]
pub(crate) struct NativeBrute(Brute);

#[pymethods]
impl NativeBrute {
    #[new]
    #[pyo3(signature = (num_actions, *, discount, exploration, max_nodes, seed))]
    fn new(
        num_actions: usize,
        discount: f64,
        exploration: &str,
        max_nodes: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let exploration = formula(exploration)?;
        let config = brute::Config { num_actions, discount, exploration, max_nodes, seed };
        Brute::new(config).map(Self).map_err(PyValueError::new_err)
    }

    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Brute::from_bytes(data).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Number of actions, histories in the tree, whether it has stopped growing.
    #[getter]
    fn size(&self) -> (usize, usize, bool) {
        (self.0.config().num_actions, self.0.nodes(), self.0.is_full())
    }

    fn begin(&mut self, observation: u64) -> usize {
        self.0.begin(observation)
    }

    fn step(&mut self, reward: f64, observation: u64) -> usize {
        self.0.step(reward, observation)
    }

    fn end(&mut self, reward: f64) {
        self.0.end(reward);
    }

    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut values = vec![0.0; self.0.config().num_actions];
        self.0.q(&mut values);
        PyArray1::from_vec(py, values)
    }
}
