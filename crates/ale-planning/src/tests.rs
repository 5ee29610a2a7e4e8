//! Planners on toy problems.

use std::sync::atomic::AtomicBool;

mod full_tree;
mod states;
mod uct;
mod width;

use crate::toys::{Toy, scramble};

/// Searches of tests are not stopped.
static GO: AtomicBool = AtomicBool::new(false);

const NEVER: fn(&[u8]) -> bool = |_| false;

/// Rewards everywhere, some of them negative, and some ends.
fn scrambled(actions: usize) -> Toy {
    Toy::new(actions, |path| scramble(path) as f64 - 40.0, |path| scramble(path) % 11 == 3)
}
