//! LAYER 2, the meaning of memory: score, reward, lives and end of a game.
//!
//! A game is a fact sheet (`games/<name>.toml`, the format is in `docs/games-format.md`). A sheet is parsed
//! once into a [`Game`]; while it is played, [`Game::observe`] runs a flat list of small operations on a
//! [`GameState`], which is a plain value.

mod compile;
mod console_facts;
mod explain;
mod expr;
mod facts;
mod link;
mod program;
mod registry;
mod script;
mod state;
#[cfg(test)]
mod tests;
mod token;

use std::sync::Arc;

pub use explain::Explain;
pub use program::Memory;
pub use state::GameState;

use crate::action::Action;
use crate::console::{Console, Properties};
use crate::error::Error;
use program::{Op, REGISTERS, SLOTS, Source, run};
use script::{Failure, Script};
use state::Keep;

impl Memory for Console {
    fn ram(&self, index: u8) -> u8 {
        self.ram()[usize::from(index & 0x7F)]
    }

    fn peek(&self, address: u16) -> u8 {
        self.peek(address)
    }
}

/// One frame of what happens right after a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartingAction {
    /// The player's move.
    Act(Action),
    /// The console's RESET switch is held.
    Reset,
}

/// What a mode script does to an environment. The two looks of [`Memory`] read the console as it is.
pub trait ModeHost: Memory {
    /// Holds SELECT for `frames` frames the game does not observe, then one observed frame without input.
    fn select(&mut self, frames: u32);
    /// Holds RESET for four observed frames.
    fn soft_reset(&mut self);
    /// One full step of the agent.
    fn act(&mut self, action: Action);
    /// The next number of the environment's generator.
    fn random(&mut self) -> u32;
    /// The running game.
    fn game_state(&mut self) -> &mut GameState;
    /// The caller does not want to wait any longer.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// A fact sheet, ready to be played. Immutable; share it as `Arc<Game>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    name: String,
    title: String,
    md5: String,
    source: Arc<str>,
    notes: Vec<String>,
    minimal_actions: Vec<Action>,
    legal_actions: Vec<Action>,
    starting_actions: Vec<StartingAction>,
    modes: Vec<u32>,
    default_mode: u32,
    difficulties: Vec<u32>,
    settings: Vec<(String, i32)>,
    properties: Option<Properties>,
    script: Script,
    program: Box<[Op]>,
    initial: GameState,
    lives_at_reset: bool,
    /// Name of each remembered quantity, and what a restore of the reference does with it.
    slots: Vec<(String, Keep)>,
    /// What the reference works out anew after a restore.
    after_restore: Box<[Op]>,
    /// What the corrected variant is called in states.
    identity: Option<String>,
    corrected: Option<Arc<Game>>,
}

impl Game {
    /// Reads a fact sheet. `file_name` gives the game its name and stands in front of every complaint.
    ///
    /// # Errors
    /// [`Error::Sheet`], for instance `pong.toml: terminal: unknown name 'ends' at column 4`.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, Error> {
        facts::read(file_name, text).map_err(|reason| Error::Sheet(format!("{file_name}: {reason}")))
    }

    /// The name, `"space_invaders"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title, `"Space Invaders"`.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The MD5 of the supported image in lower-case hexadecimal.
    pub fn md5(&self) -> &str {
        &self.md5
    }

    /// The text of the sheet.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Remarks on the game's rules.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The modes that can be chosen.
    pub fn modes(&self) -> &[u32] {
        &self.modes
    }

    /// The mode a fresh environment has.
    pub fn default_mode(&self) -> u32 {
        self.default_mode
    }

    /// The difficulties that can be chosen. A fresh environment has 0, also where 0 is not among them.
    pub fn difficulties(&self) -> &[u32] {
        &self.difficulties
    }

    /// The moves that differ in this game.
    pub fn minimal_actions(&self) -> &[Action] {
        &self.minimal_actions
    }

    /// The moves that are allowed; any other is played as NOOP.
    pub fn legal_actions(&self) -> &[Action] {
        &self.legal_actions
    }

    /// Whether the move is allowed.
    pub fn is_legal(&self, action: Action) -> bool {
        self.legal_actions.contains(&action)
    }

    /// What happens after a reset, frame by frame.
    pub fn starting_actions(&self) -> &[StartingAction] {
        &self.starting_actions
    }

    /// Settings of the environment the game forces, by name: `paddle_min` or `paddle_max`.
    pub fn settings_overrides(&self) -> &[(String, i32)] {
        &self.settings
    }

    /// Facts of the machine, if the sheet gives them; they replace those known for the image.
    pub fn properties(&self) -> Option<&Properties> {
        self.properties.as_ref()
    }

    /// The variant of this game with the reference's mistakes put right, if the sheet has one.
    pub fn corrected(&self) -> Option<Arc<Self>> {
        self.corrected.clone()
    }

    /// This game, or its corrected variant if that is asked for and there is one.
    #[must_use]
    pub fn rules(self: &Arc<Self>, corrected: bool) -> Arc<Self> {
        let variant = self.corrected.as_ref().filter(|_| corrected);
        Arc::clone(variant.unwrap_or(self))
    }

    /// The name, told apart from that of the corrected variant: states fit only the rules they come from.
    pub fn identity(&self) -> &str {
        self.identity.as_deref().unwrap_or(&self.name)
    }

    /// Whether this is such a variant.
    pub fn is_corrected(&self) -> bool {
        self.identity.is_some()
    }

    /// Lives before any frame; `None` if the sheet measures them after each reset.
    pub fn lives_initial(&self) -> Option<i32> {
        (!self.lives_at_reset).then(|| self.initial.lives())
    }

    /// What "loss of life" is measured against, given the game right after an environment reset: in most games
    /// the lives before any frame.
    pub fn full_lives(&self, start: &GameState) -> i32 {
        if self.lives_at_reset { start.lives() } else { self.initial.lives() }
    }

    /// Checks that the mode can be chosen.
    ///
    /// # Errors
    /// [`Error::Mode`] with the modes there are.
    pub fn check_mode(&self, mode: u32) -> Result<(), Error> {
        if self.modes.contains(&mode) {
            return Ok(());
        }
        Err(Error::Mode { game: self.name.clone(), mode, available: list(&self.modes) })
    }

    /// Checks that the difficulty can be chosen.
    ///
    /// # Errors
    /// [`Error::Difficulty`] with the difficulties there are.
    pub fn check_difficulty(&self, difficulty: u32) -> Result<(), Error> {
        if self.difficulties.contains(&difficulty) {
            return Ok(());
        }
        let available = list(&self.difficulties);
        Err(Error::Difficulty { game: self.name.clone(), difficulty, available })
    }

    /// A game before its first frame.
    pub fn new_state(&self) -> GameState {
        self.initial
    }

    /// The game's part of an environment reset.
    pub fn reset(&self, state: &mut GameState) {
        *state = self.initial;
    }

    /// Takes in one frame, after it has run.
    #[inline]
    pub fn observe<M: Memory>(&self, state: &mut GameState, memory: &M) {
        let mut registers = [0; REGISTERS];
        run(&self.program, &mut Looking(memory), &state.values, &mut registers);
        state.values.copy_from_slice(&registers[..SLOTS]);
    }

    /// Switches the console to a mode, as part of an environment reset.
    ///
    /// # Errors
    /// [`Error::Mode`] when there is no such mode, [`Error::Config`] when it cannot be reached, [`Error::Interrupted`]
    /// when the host was stopped on the way.
    pub fn set_mode(&self, mode: u32, host: &mut impl ModeHost) -> Result<(), Error> {
        self.check_mode(mode)?;
        let reason = match self.script.run(mode, host) {
            Ok(()) => return Ok(()),
            Err(Failure::Unsupported) => {
                return Err(Error::Mode { game: self.name.clone(), mode, available: list(&self.modes) });
            }
            Err(Failure::Stopped) => return Err(Error::Interrupted),
            Err(Failure::NotReached) => "the console does not show it after the last step".to_owned(),
            Err(Failure::Endless) => format!("gave up after {} frames and rounds", script::MAX_ROUNDS),
            Err(Failure::Select(frames)) => format!("select({frames}) must be at least 1"),
        };
        Err(Error::Config(format!("mode {mode} of \"{}\" was not reached: {reason}", self.name)))
    }
}

struct Looking<'m, M>(&'m M);

impl<M: Memory> Source for Looking<'_, M> {
    #[inline(always)]
    fn ram(&self, index: u8) -> u8 {
        self.0.ram(index)
    }

    #[inline(always)]
    fn peek(&self, address: u16) -> u8 {
        self.0.peek(address)
    }

    fn random(&mut self) -> u32 {
        0
    }
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
