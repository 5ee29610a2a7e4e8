//! What the player holds: joysticks, paddles and the console's switches.
//!
//! Inputs are set between frames and constant while one runs.

/// The state of everything a player can touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Input {
    /// Joysticks 0 and 1: bits of [`crate::action::pressed`].
    pub joysticks: [u8; 2],
    /// Buttons of paddles 0 to 3.
    pub paddle_fire: [bool; 4],
    /// Resistances of paddles 0 to 3.
    pub paddle_resistance: [i32; 4],
    /// The RESET switch is held.
    pub reset: bool,
    /// The SELECT switch is held.
    pub select: bool,
    /// Position of the left difficulty switch, `Some(true)` for A; `None` leaves it where it is.
    pub left_difficulty_a: Option<bool>,
    /// Position of the right difficulty switch, `Some(true)` for A; `None` leaves it where it is.
    pub right_difficulty_a: Option<bool>,
}
