//! Planners: search over exact states of a [`Model`](ale_sim::Model), one file per planner.
//!
//! ```text
//! full_tree     breadth-first to a budget of frames
//! uct           Monte-Carlo tree search with UCB1
//! iw            breadth-first, pruned by novelty: IW(1)
//! rollout_iw    rollouts with depth-aware novelty: Rollout-IW(1)
//!
//! tree          the arena of nodes, values, re-rooting        budget    frames and seconds
//! novelty       atoms of a state, tables of those seen        planner   what all planners share
//! expand        many nodes at once, on several threads        states    a store of states, for searches of one's own
//! ```
//!
//! A planner knows the trait and never a game. The environment does not move while a planner searches: it works on a
//! model of its own and is handed the state to search from.
#![forbid(unsafe_code)]

mod budget;
mod expand;
mod full_tree;
mod iw;
mod novelty;
mod planner;
mod rollout_iw;
mod states;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod toys;
mod tree;
mod uct;

pub use budget::Budget;
pub use full_tree::{FullTree, FullTreeOptions};
pub use iw::{Iw, IwOptions};
pub use novelty::{Atoms, FeatureAtoms, MAX_ATOM, RamAtoms};
pub use planner::{Error, Planner, Stats};
pub use rollout_iw::{RolloutIw, RolloutIwOptions};
pub use states::{Expanded, States, deduplicate};
pub use tree::{Node, TreeView};
pub use uct::{Uct, UctOptions, ucb};
