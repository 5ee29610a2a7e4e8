//! What strangers may do to the library, as functions of bytes. Whatever the bytes are, a target returns; a broken
//! promise is a panic.
//!
//! The same bodies run three ways: bounded in `cargo test`, for as long as one likes by `cargo run --profile checked
//! -p ale-fuzz -- --seconds 600`, and guided by coverage in `fuzz/` (cargo-fuzz).
#![forbid(unsafe_code)]

mod actions;
pub mod cartridges;
mod crafter;
mod files;
mod input;
pub mod mutate;
mod rom;
mod sheet;
mod state;
mod vector;
mod worlds;

/// A function of bytes that must not panic, and inputs to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, that of the file in `fuzz/fuzz_targets` too.
    pub name: &'static str,
    /// Runs one input.
    pub run: fn(&[u8]),
    /// The seed corpus.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Inputs in the bounded test, which makes all targets take about as long.
    pub bounded: usize,
}

/// All of them.
pub const TARGETS: [Target; 7] = [
    Target { name: "rom", run: rom::run, seeds: rom::seeds, bounded: 400 },
    Target { name: "state", run: state::run, seeds: state::seeds, bounded: 3000 },
    Target { name: "sheet", run: sheet::run, seeds: sheet::seeds, bounded: 3000 },
    Target { name: "actions", run: actions::run, seeds: actions::seeds, bounded: 150 },
    Target { name: "vector", run: vector::run, seeds: vector::seeds, bounded: 60 },
    Target { name: "crafter", run: crafter::run, seeds: crafter::seeds, bounded: 150 },
    Target { name: "files", run: files::run, seeds: files::seeds, bounded: 2000 },
];

/// The target of this name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
