//! Fact sheets of the games, and what a sheet reads from a running game.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ale_core::console::properties::Controller;
use ale_core::env::{Env, EnvConfig};
use ale_core::game::{Explain, Game, GameState, Memory, StartingAction};
use ale_core::{Action, Rom};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments::{ActionNumber, action_list};
use crate::errors::{to_py_err, value_error};

/// The facts of one game.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct GameFacts {
    game: Arc<Game>,
    explain: OnceLock<Explain>,
}

impl From<Arc<Game>> for GameFacts {
    fn from(game: Arc<Game>) -> Self {
        Self { game, explain: OnceLock::new() }
    }
}

impl GameFacts {
    fn explain(&self) -> &Explain {
        self.explain.get_or_init(|| Explain::of(&self.game))
    }
}

/// Names of all games: the reference's in its order, our own, those registered.
#[pyfunction]
pub(crate) fn game_names() -> Vec<String> {
    Game::all().iter().map(|game| game.name().to_owned()).collect()
}

/// The facts of the game with this name.
#[pyfunction]
pub(crate) fn game_by_name(name: &str) -> PyResult<GameFacts> {
    Game::by_name(name).map(GameFacts::from).map_err(to_py_err)
}

/// The facts of the game whose image has this checksum.
#[pyfunction]
pub(crate) fn game_by_md5(md5: &str) -> Option<GameFacts> {
    Game::by_md5(md5).map(GameFacts::from)
}

/// Reads a sheet; with `register` the game is known to the whole process from now on.
#[pyfunction]
pub(crate) fn read_sheet(file_name: &str, text: &str, register: bool) -> PyResult<GameFacts> {
    let game = Game::parse(file_name, text).map_err(to_py_err)?;
    let game = if register { Game::register(game).map_err(to_py_err)? } else { Arc::new(game) };
    Ok(game.into())
}

#[pymethods]
impl GameFacts {
    #[getter]
    fn name(&self) -> &str {
        self.game.name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.game.title()
    }

    #[getter]
    fn md5(&self) -> &str {
        self.game.md5()
    }

    #[getter]
    fn source(&self) -> &str {
        self.game.source()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.game.notes().to_vec()
    }

    #[getter]
    fn modes(&self) -> Vec<u32> {
        self.game.modes().to_vec()
    }

    #[getter]
    fn default_mode(&self) -> u32 {
        self.game.default_mode()
    }

    #[getter]
    fn difficulties(&self) -> Vec<u32> {
        self.game.difficulties().to_vec()
    }

    #[getter]
    fn minimal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        action_list(py, self.game.minimal_actions())
    }

    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        action_list(py, self.game.legal_actions())
    }

    /// Names of actions, or "RESET", frame by frame.
    #[getter]
    fn starting_actions(&self) -> Vec<&str> {
        let name = |action: &StartingAction| match action {
            StartingAction::Act(action) => action.name(),
            StartingAction::Reset => "RESET",
        };
        self.game.starting_actions().iter().map(name).collect()
    }

    #[getter]
    fn settings_overrides(&self) -> BTreeMap<String, i32> {
        self.game.settings_overrides().iter().cloned().collect()
    }

    /// "joystick" or "paddles", left and right.
    #[getter]
    fn controllers(&self) -> [&str; 2] {
        self.game.properties().cloned().unwrap_or_default().controllers.map(|controller| match controller {
            Controller::Joystick => "joystick",
            Controller::Paddles => "paddles",
        })
    }

    #[getter]
    fn lives_initial(&self) -> Option<i32> {
        self.game.lives_initial()
    }

    #[getter]
    fn corrected(&self) -> Option<Self> {
        self.game.corrected().map(Self::from)
    }

    #[getter]
    fn is_corrected(&self) -> bool {
        self.game.is_corrected()
    }

    /// Every quantity on the first frame after a reset, with this RAM.
    fn values(&self, ram: [u8; 128]) -> BTreeMap<String, i32> {
        let values = self.explain().values(&self.game.new_state(), &Ram(ram));
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Names of the sheet that no formula uses.
    fn unused(&self) -> Vec<String> {
        self.explain().unused().to_vec()
    }
}

/// RAM and nothing else.
struct Ram([u8; 128]);

impl Memory for Ram {
    fn ram(&self, index: u8) -> u8 {
        self.0[usize::from(index & 0x7F)]
    }

    fn peek(&self, address: u16) -> u8 {
        if address & 0x1280 == 0x80 { self.0[usize::from(address & 0x7F)] } else { 0 }
    }
}

/// A game that is played to see what its sheet makes of it.
#[pyclass(module = "ale_rs._native")]
pub(crate) struct GameProbe {
    env: Env,
    explain: Explain,
    before: GameState,
}

#[pymethods]
impl GameProbe {
    /// Switches a console on with this image, whatever checksum it has, and goes to the start of the game.
    #[new]
    fn new(py: Python<'_>, facts: &GameFacts, rom: &[u8], seed: u32) -> PyResult<Self> {
        let config = EnvConfig { seed, repeat_action_probability: 0.0, ..EnvConfig::default() };
        let env =
            py.detach(|| Env::load(&Rom::new(rom), &facts.game, &config)).map_err(|e| value_error(&e))?;
        let before = *env.game_state();
        Ok(Self { env, explain: facts.explain().clone(), before })
    }

    /// A new episode in this mode and difficulty.
    fn reset(&mut self, py: Python<'_>, mode: u32, difficulty: u32) -> PyResult<()> {
        self.env.set_mode(mode).map_err(|e| value_error(&e))?;
        self.env.set_difficulty(difficulty).map_err(|e| value_error(&e))?;
        py.detach(|| self.env.reset()).map_err(|e| value_error(&e))?;
        self.before = *self.env.game_state();
        Ok(())
    }

    /// One frame; the reward.
    fn act(&mut self, action: ActionNumber) -> i32 {
        self.before = *self.env.game_state();
        self.env.act(Action::from_number(action.0 as usize).unwrap_or_default(), 1.0)
    }

    /// Every quantity of the sheet on the last frame, helpers included.
    fn values(&self) -> BTreeMap<String, i32> {
        let values = self.explain.values(&self.before, self.env.console());
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn terminal(&self) -> bool {
        self.env.terminal()
    }

    fn lives(&self) -> i32 {
        self.env.lives()
    }

    fn score(&self) -> i32 {
        self.env.game_state().score()
    }

    fn episode_frame_number(&self) -> u64 {
        self.env.episode_frame_number()
    }
}
