//! What can go wrong when worlds are run, one by one or in a batch.

/// A mistake of the caller, or a failure of a world or of the system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that is not accepted; the text names both.
    #[error("{0}")]
    Config(String),
    /// Bytes of a saved state cannot be read or do not fit; the text says why.
    #[error("{0}")]
    State(String),
    /// A call at a time when it makes no sense; the text says what to do first.
    #[error("{0}")]
    Order(String),
    /// Too many or too few of something.
    #[error("{0}")]
    Count(String),
    /// No sub-environment has this number.
    #[error("there is no sub-environment {index}; accepted: 0 to {last}")]
    Env {
        /// The number asked for.
        index: usize,
        /// The greatest number there is.
        last: usize,
    },
    /// The action is not one of the world's.
    #[error("action {action} does not exist; accepted: 0 to {max}")]
    Action {
        /// The action asked for.
        action: i64,
        /// The greatest action accepted.
        max: u32,
    },
    /// The system does not give the memory that is needed; the text says how much.
    #[error("{0}")]
    Memory(String),
    /// A sub-environment or its worker failed; the text names it.
    #[error("{0}")]
    Worker(String),
    /// A world refuses something that only worlds of its kind know; the text says what.
    #[error("{0}")]
    World(String),
    /// The caller wanted to stop while it waited.
    #[error("interrupted")]
    Interrupted,
}
