//! An Atari 2600 and the reinforcement-learning environment around it.
//!
//! Data flows one way, and no layer knows the next:
//!
//! ```text
//! ROM → console → frame → game → env → preprocess → vector
//! ```
#![forbid(unsafe_code)]

pub mod action;
pub mod console;
pub mod embedded;
pub mod env;
pub mod error;
pub mod frame;
pub mod game;
pub mod palette;
pub mod preprocess;
pub mod rng;
pub mod rom;
pub mod vector;

pub use action::Action;
pub use console::Console;
pub use error::Error;
pub use rom::Rom;
