//! Statistics of evaluations that are too slow in Python: the stratified bootstrap and the search for the subset of
//! games that predicts a target best.
//!
//! Results are the same for any number of threads: chance is a counter hash ([`counter`]), and the winner of a search
//! does not depend on the order of the work.
#![forbid(unsafe_code)]

pub mod bootstrap;
pub mod counter;
mod gram;
pub mod profile;
pub mod search;
mod solve;
pub mod strata;

pub use bootstrap::{Metric, Over, metric_replicates};
pub use profile::{improvement_replicates, profile_replicates};
pub use search::{Found, Measure, Outcome, Search, search};
pub use strata::Strata;

/// Runs work in a pool of so many threads; 0 for the common pool with one thread per core.
///
/// # Errors
/// The system cannot start the threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    if threads == 0 {
        return Ok(work());
    }
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    Ok(pool.install(work))
}
