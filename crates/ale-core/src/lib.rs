//! An Atari 2600 and the reinforcement-learning environment around it.
//!
//! Data flows one way, and no layer knows the next:
//!
//! ```text
//! ROM → console → frame → game → env → preprocess → vector
//! ```
//!
//! A game that is part of the library, played for a while:
//!
//! ```
//! use ale_core::env::{Env, EnvConfig};
//! use ale_core::{Action, Rom, embedded, game::Game};
//!
//! # fn main() -> Result<(), ale_core::Error> {
//! let rom = Rom::new(embedded::find("glowdelve").expect("an embedded game").image);
//! let config = EnvConfig { frame_skip: 4, ..EnvConfig::default() };
//! let mut env = Env::load(&rom, &Game::by_name("glowdelve")?, &config)?;
//! let score: i32 = (0..50).map(|_| env.act(Action::RightFire, 1.0)).sum();
//! println!("{score} points, {} lives", env.lives());
//! # assert_eq!(env.screen().len(), env.height() * 160);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod action;
pub mod catalogue;
pub mod console;
pub mod embedded;
pub mod env;
pub mod error;
pub mod game;
pub mod palette;
pub mod preprocess;
pub mod rom;
pub mod vector;

pub use action::Action;
pub use ale_sim::{frame, rng};
pub use console::Console;
pub use error::Error;
pub use rom::Rom;
