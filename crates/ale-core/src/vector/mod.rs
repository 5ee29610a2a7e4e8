//! LAYER 5, Atari as a world of a batch: `ale_batch` runs the threads, this module plays.
//!
//! ```text
//! Atari       one sub-environment: reset, step, observation, bytes   atari.rs, starts.rs, steps.rs, bytes.rs
//!   View      how its observation is made                            view.rs
//!   Pictures  what it keeps of its screens between steps             pictures.rs
//!   Wrapped   resets and steps as wrappers in Python make them       wrapped.rs
//! load        builds all of them, each cartridge once                prototypes.rs, options.rs
//! ```
//!
//! Sub-environment `i` depends on its game, the seed it was given and its actions only: neither on the other ones, nor
//! on the number of threads.

mod atari;
mod bytes;
mod options;
mod pictures;
mod prototypes;
mod starts;
mod steps;
mod view;
mod wrapped;

use std::sync::Arc;

pub use ale_batch::{Autoreset, BatchOptions, Choice, Error, Layout, check_sealed};
pub use atari::{Atari, Info};
pub use options::{EnvSpec, Observation, VectorOptions, Wrappers};

use crate::action::Action;
use crate::env::SOUND_LEN;
use prototypes::{Prototypes, action_set};

/// Many games played at once by one agent. An action is a move of the joystick and, for paddles, its strength.
pub type VectorEnv = ale_batch::VectorEnv<Atari>;
/// Some sub-environments as they were at one moment.
pub type VectorSnapshot = ale_batch::VectorSnapshot<Atari>;
/// Numbers of one row.
pub type Record = ale_batch::RecordOf<Atari>;
/// The memory of a batch. The observation is part 0 of `obs`; parts of `extra` are [`RAM`] and [`SOUND`].
pub type Batch = ale_batch::Batch<Record>;
/// Rows of a batch that are written now.
pub type Rows<'a> = ale_batch::Rows<'a, Record>;

/// The part of `extra` that has the RAM.
pub const RAM: usize = 0;
/// The part of `extra` that has the sound.
pub const SOUND: usize = 1;

/// What all sub-environments of a batch share.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The options.
    pub options: VectorOptions,
    /// The actions that an index stands for.
    pub actions: Arc<[Action]>,
    /// The shape of one observation.
    pub obs_shape: Vec<usize>,
}

impl Setup {
    /// The action of an index.
    ///
    /// # Errors
    /// [`Error::Action`] when there is no such index.
    pub fn action(&self, index: i64) -> Result<Action, Error> {
        let found = usize::try_from(index).ok().and_then(|index| self.actions.get(index));
        found.copied().ok_or(Error::Action { action: index, max: self.actions.len() as u32 - 1 })
    }
}

/// Builds a vector environment with a sub-environment for each of `specs`.
///
/// # Errors
/// When an option or a ROM is not accepted, or there is not enough memory.
pub fn load(specs: &[EnvSpec], options: VectorOptions) -> Result<VectorEnv, crate::Error> {
    options.check()?;
    let options = options.normalized();
    let rows = options.batch.rows(specs.len())?;
    let prototypes = Prototypes::load(specs, &options)?;
    let (obs, obs_shape) = prototypes.observation(options.observation);
    let when = |wanted, len| if wanted { len } else { 0 };
    let extra = [when(options.ram, 128), when(options.sound, SOUND_LEN), 0, 0];
    let layout = Layout::new([obs, 0, 0, 0], extra, options.batch.autoreset == Autoreset::SameStep);
    prototypes.check_memory(specs.len(), rows, &layout, &options)?;
    let actions = action_set(specs, options.full_action_space);
    let worlds = prototypes.into_worlds(specs, &options, &actions)?;
    let batch_options = options.batch;
    let setup = Setup { options, actions, obs_shape };
    Ok(VectorEnv::new(worlds, layout, setup, &batch_options)?)
}
