//! Messages on stderr, by level. The level is that of the process.

use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};

/// How much a message matters; the values of Python's `LoggerMode`.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

static LEAST: AtomicU8 = AtomicU8::new(Level::Info as u8);

/// Messages below this level are not written from now on.
pub(crate) fn set_level(level: u8) {
    LEAST.store(level, Ordering::Relaxed);
}

/// Writes a message if its level is wanted; the text is made only then.
pub(crate) fn log(level: Level, message: impl FnOnce() -> String) {
    if level as u8 >= LEAST.load(Ordering::Relaxed) {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "{}", message());
    }
}
