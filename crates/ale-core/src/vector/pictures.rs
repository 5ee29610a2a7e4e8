//! What a sub-environment keeps of its pictures between steps.
//!
//! A step shows two frames, which are in the two picture buffers of the console. Most often they cover the whole
//! buffers, and nothing of older frames matters. Then it is enough to keep the [`Moment`] before the step: the buffers
//! belong to the worker, the first frames of a step need not be drawn, and when an older picture is needed after all,
//! the step before is played again. Otherwise a sub-environment keeps its own buffers and draws every frame.

use crate::action::Action;
use crate::console::Picture;
use crate::env::{Env, Moment};

/// The pictures of the last step, or how to get them.
#[derive(Clone)]
pub(super) enum Pictures {
    /// They are here.
    Stored(Box<Stored>),
    /// Playing again from here makes them.
    Replay(Box<Replay>),
}

/// Pictures as they are.
#[derive(Clone, Default)]
pub(super) struct Stored {
    /// The console's buffers.
    pub(super) picture: Picture,
    /// The last frame that was shown.
    pub(super) last: Vec<u8>,
    /// The frame before, if the two were shown as one.
    pub(super) before: Option<Vec<u8>>,
    /// Steps in a row that covered both buffers.
    pub(super) covered_steps: u8,
}

/// Steps in a row that have to cover both buffers before they are given up.
pub(super) const MIN_COVERED_STEPS: u8 = 3;

/// A few frames with the same action.
#[derive(Clone)]
pub(super) struct Replay {
    /// Apart, so that a step exchanges it without moving its bytes.
    pub(super) start: Box<Moment>,
    pub(super) action: Action,
    pub(super) strength: f32,
    pub(super) frames: u32,
    /// The last two frames were shown as one.
    pub(super) pooled: bool,
}

impl Pictures {
    /// The console's buffers, if they are stored. Others have to be put in their place.
    pub(super) fn take_picture(&mut self) -> Option<Picture> {
        match self {
            Self::Stored(stored) => Some(std::mem::take(&mut stored.picture)),
            Self::Replay(_) => None,
        }
    }
}

impl Stored {
    /// Remembers what is shown: the last screen, and perhaps the one before.
    pub(super) fn remember(&mut self, last: &[u8], before: Option<&[u8]>) {
        self.last.clear();
        self.last.extend_from_slice(last);
        match before {
            Some(before) => {
                let memory = self.before.get_or_insert_default();
                memory.clear();
                memory.extend_from_slice(before);
            }
            None => self.before = None,
        }
    }
}

impl Replay {
    /// Plays again, every frame drawn into the buffers that `env` has. The state is that after the frames.
    pub(super) fn play(&self, env: &mut Env) -> Stored {
        env.go_to(&self.start);
        let mut before = None;
        for left in (1..=self.frames).rev() {
            env.act(self.action, self.strength);
            if left == 2 && self.pooled {
                before = Some(env.screen().to_vec());
            }
        }
        Stored { last: env.screen().to_vec(), before, ..Stored::default() }
    }
}

/// Picture buffers without an owner.
#[derive(Debug, Default)]
pub(super) struct PicturePool(Vec<Picture>);

impl PicturePool {
    /// A worker needs one at a time. More come from sub-environments that stored their own.
    const MOST: usize = 2;

    /// Picture buffers with unknown contents.
    pub(super) fn take(&mut self, rows: usize) -> Picture {
        let fitting = self.0.iter().position(|picture| picture.rows() == rows);
        let mut picture = fitting.map_or_else(|| Picture::new(rows), |index| self.0.swap_remove(index));
        picture.forget();
        picture.disable_scanline_cache();
        picture
    }

    pub(super) fn give(&mut self, picture: Picture) {
        if self.0.len() < Self::MOST {
            self.0.push(picture);
        }
    }
}
