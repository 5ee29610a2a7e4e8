//! Learners, and the loops that let them play.
//!
//! Learners see features, frames and rewards, never an environment. Only [`survey`] plays a game itself, for what is
//! gathered of it before anything is learnt.
#![forbid(unsafe_code)]

pub mod replay;
pub mod survey;
