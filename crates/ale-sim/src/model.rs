//! The generative model that a planner searches in.

use crate::Frame;

/// What one decision gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Sum of the rewards of the decision's frames.
    pub reward: f64,
    /// The game is over.
    pub over: bool,
}

/// A world that can be snapshotted, restored and played decision by decision.
///
/// The model draws its own chance (sticky actions) from a generator that is not part of a snapshot: a planner must not
/// see which future actions will stick.
pub trait Model {
    /// A state to come back to: the machine and the game's counters, no picture, no generator.
    type State: Clone;

    /// Number of actions; an action is an index below it.
    fn actions(&self) -> usize;

    /// The state now.
    fn snapshot(&mut self) -> Self::State;

    /// Goes back to `state`.
    fn restore(&mut self, state: &Self::State);

    /// Plays one decision.
    fn act(&mut self, action: usize) -> Outcome;

    /// A hash of everything in `state` that the future depends on. Equal keys mean equal futures; this is not equality
    /// of states, since held joystick lines are left out.
    fn key(&self, state: &Self::State) -> u64;

    /// Frames emulated so far.
    fn frames(&self) -> u64;

    /// Frames of one decision, at most.
    fn frames_per_decision(&self) -> u64;

    /// Starts the model's own generator anew.
    fn seed(&mut self, seed: u64);

    /// The bytes of the state now that novelty is measured on: RAM.
    fn ram(&self) -> &[u8];

    /// Lives left in the state now; 0 where there are none.
    fn lives(&self) -> i32 {
        0
    }

    /// The picture of the state now, for models that draw; `None` for the others, and for a state that was restored
    /// and not played from yet.
    fn frame(&self) -> Option<Frame<'_>> {
        None
    }
}
