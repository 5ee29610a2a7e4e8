//! What a simulated world is, for code that runs many of them or searches in one.
//!
//! This crate is the lowest layer: it knows no game, no batch and no planner.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod error;
pub mod frame;
pub mod lzw;
pub mod model;
mod mt19937;
mod pcg64;
pub mod simulator;
mod xoshiro;

pub use error::Error;
pub use frame::Frame;
pub use model::{Model, Outcome};
pub use simulator::{Context, Parts, Simulator, Step};

/// Seeded generators: the only sources of chance.
pub mod rng {
    pub use crate::mt19937::{Blocks, Mt19937};
    pub use crate::pcg64::{Pcg64, SeedSequence};
    pub use crate::xoshiro::{SplitMix64, Xoshiro256};
}
