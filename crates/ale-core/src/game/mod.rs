//! LAYER 2, meaning of RAM: score, reward, lives, end.

use std::sync::Arc;

use crate::action::Action;
use crate::console::{Console, Properties};
use crate::error::Error;

/// What mode steps may do to an environment.
pub trait ModeHost {
    /// Holds SELECT for some frames, then runs one frame without it.
    fn select(&mut self, frames: u32);
    /// Holds RESET for four frames.
    fn soft_reset(&mut self);
    /// One act of an agent.
    fn act(&mut self, action: Action);
    /// One draw of the environment's generator.
    fn random(&mut self) -> u32;
    /// One byte of RAM.
    fn ram(&self, index: usize) -> u8;
}

/// One frame of the start of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartingAction {
    /// A move of the joystick.
    Act(Action),
    /// The RESET switch.
    Reset,
}

/// The facts of a game.
#[derive(Debug)]
pub struct Game {
    name: String,
}

/// What has been observed of a game.
#[derive(Debug, Clone)]
pub struct GameState {
    lives: i32,
}

impl GameState {
    /// Reward of the last frame.
    pub fn reward(&self) -> i32 {
        0
    }
    /// The game has ended.
    pub fn terminal(&self) -> bool {
        false
    }
    /// Lives left.
    pub fn lives(&self) -> i32 {
        self.lives
    }
}

impl Game {
    /// The game of this name.
    ///
    /// # Errors
    /// Never in this form.
    pub fn by_name(name: &str) -> Result<Arc<Self>, Error> {
        Ok(Arc::new(Self { name: name.to_owned() }))
    }
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The modes.
    pub fn modes(&self) -> &[u32] {
        &[0]
    }
    /// The mode after power-on.
    pub fn default_mode(&self) -> u32 {
        0
    }
    /// The difficulties.
    pub fn difficulties(&self) -> &[u32] {
        &[0]
    }
    /// Actions that make a difference.
    pub fn minimal_actions(&self) -> &[Action] {
        &Action::ALL
    }
    /// Actions that are not replaced by NOOP.
    pub fn legal_actions(&self) -> &[Action] {
        &Action::ALL
    }
    /// Frames that start a game.
    pub fn starting_actions(&self) -> &[StartingAction] {
        &[]
    }
    /// Settings that the game forces.
    pub fn settings_overrides(&self) -> &[(String, i32)] {
        &[]
    }
    /// Facts of the cartridge.
    pub fn properties(&self) -> Option<&Properties> {
        None
    }
    /// The state before any frame.
    pub fn new_state(&self) -> GameState {
        GameState { lives: 1 }
    }
    /// Back to the state before any frame.
    pub fn reset(&self, state: &mut GameState) {
        *state = self.new_state();
    }
    /// Looks at the machine after a frame.
    pub fn observe(&self, state: &mut GameState, console: &Console) {
        let _ = (state, console);
    }
    /// Brings the machine into a mode.
    ///
    /// # Errors
    /// Never in this form.
    pub fn set_mode(&self, mode: u32, host: &mut impl ModeHost) -> Result<(), Error> {
        let _ = (mode, host);
        Ok(())
    }
}
