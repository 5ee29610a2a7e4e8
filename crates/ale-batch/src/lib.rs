//! Many simulators in one call: one batch of results, all workers busy.
//!
//! ```text
//! VectorEnv      the calls and their order                              env.rs, snapshot.rs
//!   EnvPool      slots, workspaces, failures, results to be received    pool.rs
//!     Slot       one world: autoreset, its record                       slot.rs
//!   Jobs         a call cut into rows, and the latch that ends it       jobs.rs
//!   WorkerPool   threads of a rayon pool with one task queue            workers.rs, queue.rs
//! run_parts      other work on the workers of the process               lending.rs
//! ```
//!
//! Sub-environment `i` depends on the seed it was given and its actions only: neither on the other ones, nor on the
//! number of threads. Rows are written into the caller's memory; in the steady state nothing is allocated.
#![forbid(unsafe_code)]

mod env;
mod jobs;
mod lending;
pub mod memory;
mod options;
mod pool;
mod queue;
mod rows;
mod slot;
mod snapshot;
mod workers;

pub use ale_sim::simulator::PARTS;
pub use ale_sim::{Context, Error, Parts, Simulator, Step};
pub use env::{Choice, VectorEnv};
pub use lending::run_parts;
pub use options::{Autoreset, BatchOptions};
pub use rows::{Batch, Layout, Record, RecordOf, Rows};
pub use snapshot::{VectorSnapshot, check_sealed};
