//! Trials and learners of `ale-learning`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ale_core::env::EnvConfig;
use ale_core::game::Game;
use ale_core::{Action, Rom};
use ale_learning::baselines::Baseline;
use ale_learning::trial::{Agent, Checkpoint, Episode, Phase, Setup, Stop, Trial};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::to_py_err;

/// Records are handed over in batches, at least this far apart.
const BATCH: Duration = Duration::from_millis(100);

/// One agent in one game; see `ale_rs.learning`.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct NativeTrial {
    trial: Mutex<Trial>,
    stop: Stop,
}

fn number<'py, T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(
    options: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<T> {
    let value = options.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))?;
    value.extract()
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
        _ => return Err(PyKeyError::new_err(kind.to_owned())),
    })
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
