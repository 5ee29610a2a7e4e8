//! Long calls that Ctrl-C ends.

use std::time::{Duration, Instant};

use ale_batch::Error;
use pyo3::prelude::*;

use crate::errors::{batch_error, to_py_err};

/// How often a long call looks for signals such as Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(50);

/// When a call looked for signals, and what the handler raised.
struct Signals {
    looked: Instant,
    raised: Option<PyErr>,
}

impl Signals {
    fn new() -> Self {
        Self { looked: Instant::now(), raised: None }
    }

    /// Whether a handler has raised something; looks again when it is time.
    fn came(&mut self, check: impl FnOnce() -> PyResult<()>) -> bool {
        if self.raised.is_none() && self.looked.elapsed() >= INTERVAL {
            self.raised = check().err();
            self.looked = Instant::now();
        }
        self.raised.is_some()
    }
}

/// Lets Python run the handlers of signals that came.
pub(crate) fn check_signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Runs a call without the interpreter; other Python threads go on. Looks for signals now and then.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    call: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut signals = Signals::new();
    let result = py.detach(|| call(&mut || signals.came(|| Python::attach(check_signals))));
    signals.raised.map_or_else(|| result.map_err(batch_error), Err)
}

/// Runs a call with the interpreter, which keeps other Python threads out. Looks for signals now and then.
pub(crate) fn interruptible<T>(
    py: Python<'_>,
    call: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, ale_core::Error>,
) -> PyResult<T> {
    let mut signals = Signals::new();
    let result = call(&mut || signals.came(|| check_signals(py)));
    signals.raised.map_or_else(|| result.map_err(to_py_err), Err)
}
