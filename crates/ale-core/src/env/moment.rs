//! Moments: all that decides how an environment goes on, without its pictures.
//!
//! A moment is some six kilobytes, a snapshot a hundred. What it leaves out, the picture buffers, can be made again by
//! running a few frames from an earlier moment.

use super::Env;
use super::paddles::Paddles;
use super::sticky::Moves;
use crate::console::{Machine, Picture};
use crate::game::GameState;
use crate::rng::Mt19937;

/// An environment at one moment, without pictures and sound samples.
#[derive(Clone)]
pub struct Moment {
    machine: Machine,
    state: GameState,
    rng: Mt19937,
    latched: Moves,
    paddles: Paddles,
    frame_number: u64,
    episode_frame_number: u64,
    mode: u32,
    difficulty: u32,
}

impl Env {
    /// This moment.
    pub fn moment(&self) -> Moment {
        Moment {
            machine: self.console.machine().clone(),
            state: self.state,
            rng: self.rng.clone(),
            latched: self.latched,
            paddles: self.paddles,
            frame_number: self.frame_number,
            episode_frame_number: self.episode_frame_number,
            mode: self.mode,
            difficulty: self.difficulty,
        }
    }

    /// This moment, into memory that is there already.
    pub fn write_moment(&self, moment: &mut Moment) {
        moment.machine.clone_from(self.console.machine());
        moment.state = self.state;
        moment.rng.clone_from(&self.rng);
        moment.latched = self.latched;
        moment.paddles = self.paddles;
        moment.frame_number = self.frame_number;
        moment.episode_frame_number = self.episode_frame_number;
        moment.mode = self.mode;
        moment.difficulty = self.difficulty;
    }

    /// Goes on from a moment of this environment or of one like it. The picture stays as it is.
    pub fn go_to(&mut self, moment: &Moment) {
        self.console.set_machine(&moment.machine);
        self.console.set_drawing(self.drawing);
        self.state = moment.state;
        self.rng.clone_from(&moment.rng);
        self.latched = moment.latched;
        self.paddles = moment.paddles;
        self.frame_number = moment.frame_number;
        self.episode_frame_number = moment.episode_frame_number;
        self.mode = moment.mode;
        self.difficulty = moment.difficulty;
        self.fresh = false;
        self.show_copy = self.config.color_averaging;
    }

    /// The picture buffers.
    pub fn picture(&self) -> &Picture {
        self.console.picture()
    }

    /// Draws into other picture buffers from now on; those in use go out.
    pub fn swap_picture(&mut self, picture: &mut Picture) {
        self.console.swap_picture(picture);
    }

    /// From now on nothing is known of what the picture buffers hold: see [`Picture::forget`].
    pub fn forget_picture(&mut self) {
        self.console.forget_picture();
    }
}
