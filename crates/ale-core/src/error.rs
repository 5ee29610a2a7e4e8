//! Everything a caller can do wrong, one variant each.

/// A mistake of the caller: a bad ROM, option, action, sheet or state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes cannot be a cartridge.
    #[error(
        "a ROM image of {size} bytes is no known cartridge; \
         accepted: 2, 4, 8, 10, 12, 16, 32, 64 or 128 KiB, a multiple of 8448 bytes, or an image with 3F/3E bank switching"
    )]
    RomSize {
        /// Length of the image in bytes.
        size: usize,
    },
    /// No fact sheet has this name or checksum.
    #[error("no game is known as \"{name}\"{hint}")]
    UnknownGame {
        /// What was asked for.
        name: String,
        /// " (did you mean …?)" or nothing.
        hint: String,
    },
    /// The mode is not one of the game's.
    #[error("mode {mode} of \"{game}\" does not exist; available: {available}")]
    Mode {
        /// The game's name.
        game: String,
        /// The mode asked for.
        mode: u32,
        /// The modes there are.
        available: String,
    },
    /// The difficulty is not one of the game's.
    #[error("difficulty {difficulty} of \"{game}\" does not exist; available: {available}")]
    Difficulty {
        /// The game's name.
        game: String,
        /// The difficulty asked for.
        difficulty: u32,
        /// The difficulties there are.
        available: String,
    },
    /// The action is not one of the environment's.
    #[error("action {action} does not exist; accepted: 0 to {max}")]
    Action {
        /// The action asked for.
        action: i64,
        /// The greatest action accepted.
        max: u32,
    },
    /// A fact sheet is wrong; the text names file, key and reason.
    #[error("{0}")]
    Sheet(String),
    /// An option has a value that is not accepted; the text names both.
    #[error("{0}")]
    Config(String),
    /// State bytes cannot be read; the text says why.
    #[error("{0}")]
    State(String),
    /// A call at a time when it makes no sense; the text says what to do first.
    #[error("{0}")]
    Order(String),
    /// A batch or one of its worlds refuses something.
    #[error(transparent)]
    Batch(#[from] ale_sim::Error),
    /// The caller wanted to stop while it waited.
    #[error("interrupted")]
    Interrupted,
}

impl From<Error> for ale_sim::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Batch(error) => error,
            Error::Config(text) => Self::Config(text),
            Error::State(text) => Self::State(text),
            Error::Order(text) => Self::Order(text),
            Error::Action { action, max } => Self::Action { action, max },
            Error::Interrupted => Self::Interrupted,
            error => Self::World(error.to_string()),
        }
    }
}
