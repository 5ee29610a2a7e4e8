//! The budget of one decision.

use std::time::{Duration, Instant};

/// How much a search may spend: frames, time, or both, whichever ends first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Emulated frames.
    pub frames: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
}

impl Budget {
    /// So many frames.
    pub fn frames(frames: u64) -> Self {
        Self { frames: Some(frames), time: None }
    }

    /// The clock starts.
    pub(crate) fn start(self) -> Running {
        Running {
            frames: self.frames.unwrap_or(u64::MAX),
            deadline: self.time.map(|time| Instant::now() + time),
        }
    }
}

/// A budget that is being spent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Running {
    frames: u64,
    deadline: Option<Instant>,
}

impl Running {
    /// Whether nothing is left after so many frames.
    pub(crate) fn is_spent(&self, frames: u64) -> bool {
        frames >= self.frames || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Frames left after so many.
    pub(crate) fn left(&self, frames: u64) -> u64 {
        self.frames.saturating_sub(frames)
    }
}
