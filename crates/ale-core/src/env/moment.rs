//! The state of an environment as nested values, each a part of the next:
//!
//! ```text
//! Progress    the game's counters, actions, paddles           a few words      part of all below
//! CoreState   Progress + machine, without generators          about 1 KB       planners         core_state.rs
//! Moment      Progress + machine + generators                 about 6 KB       replays          this file
//! Now         Moment + pictures and sound                     about 100 KB     snapshots        this file
//! ```
//!
//! What a moment leaves out, the picture buffers, can be made again by running a few frames from an earlier moment.

use super::paddles::Paddles;
use super::sticky::Moves;
use super::{Env, SOUND_LEN};
use crate::console::{Console, Machine, Picture};
use crate::game::GameState;
use crate::rng::Mt19937;

/// The part of a state that is neither machine, generator nor picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progress {
    /// What has been observed of the game: reward, score, lives, terminal, latches.
    pub(super) game: GameState,
    /// The actions that the last frame executed.
    pub(super) latched: Moves,
    pub(super) paddles: Paddles,
    pub(super) frame_number: u64,
    pub(super) episode_frame_number: u64,
    pub(super) mode: u32,
    pub(super) difficulty: u32,
    /// Lives that "loss of life" is measured against.
    pub(super) full_lives: i32,
}

/// Everything that play changes: the one value that snapshots and reset caches copy.
#[derive(Clone)]
pub(super) struct Now {
    pub(super) console: Console,
    pub(super) rng: Mt19937,
    pub(super) progress: Progress,
    /// The picture that is shown when it is not the console's: averaged, or older than a restored state.
    pub(super) screen_copy: Vec<u8>,
    pub(super) show_copy: bool,
    pub(super) sound: Box<[u8; SOUND_LEN]>,
}

impl Now {
    /// Copies into the memory that is there already. Whether frames store pixels stays as it is.
    pub(super) fn copy_from(&mut self, source: &Self, drawing: bool) {
        let Self { console, rng, progress, screen_copy, show_copy, sound } = self;
        console.clone_from(&source.console);
        console.set_drawing(drawing);
        rng.clone_from(&source.rng);
        *progress = source.progress;
        *show_copy = source.show_copy;
        if source.show_copy {
            screen_copy.clone_from(&source.screen_copy);
        }
        sound.clone_from(&source.sound);
    }
}

/// An environment at one moment, without pictures and sound samples.
#[derive(Clone)]
pub struct Moment {
    machine: Machine,
    rng: Mt19937,
    progress: Progress,
}

impl Env {
    /// This moment.
    pub fn moment(&self) -> Moment {
        let machine = self.now.console.machine().clone();
        Moment { machine, rng: self.now.rng.clone(), progress: self.now.progress }
    }

    /// This moment, into memory that is there already.
    pub fn write_moment(&self, moment: &mut Moment) {
        let Moment { machine, rng, progress } = moment;
        machine.clone_from(self.now.console.machine());
        rng.clone_from(&self.now.rng);
        *progress = self.now.progress;
    }

    /// Goes on from a moment of this environment or of one like it. The picture stays as it is.
    pub fn go_to(&mut self, moment: &Moment) {
        let Moment { machine, rng, progress } = moment;
        self.now.console.set_machine(machine);
        self.now.console.set_drawing(self.drawing);
        self.now.rng.clone_from(rng);
        self.now.progress = *progress;
        self.fresh = false;
        self.now.show_copy = self.shared.config.color_averaging;
    }

    /// The picture buffers.
    pub fn picture(&self) -> &Picture {
        self.now.console.picture()
    }

    /// Draws into other picture buffers from now on; those in use go out.
    pub fn swap_picture(&mut self, picture: &mut Picture) {
        self.now.console.swap_picture(picture);
    }

    /// From now on the picture buffers count as undefined: see [`Picture::forget`].
    pub fn forget_picture(&mut self) {
        self.now.console.forget_picture();
    }
}
