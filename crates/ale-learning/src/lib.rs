//! Learners: they see features, frames and rewards, never an environment.
#![forbid(unsafe_code)]

pub mod replay;
