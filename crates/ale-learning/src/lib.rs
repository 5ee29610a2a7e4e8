//! Learners, and the loops that let them play.
//!
//! Learners see features, hashes and rewards, never an environment. [`survey`] plays a game for what is gathered of it
//! before anything is learnt, [`trial`] lets one agent play and learn one game.
#![forbid(unsafe_code)]

pub mod baselines;
pub mod brute;
pub mod replay;
pub mod sarsa;
pub mod survey;
pub mod trial;
