//! The switch of the JIT. It changes the speed, never the results.

use std::env::var_os;

use ale_jit::Status;

use crate::error::Error;

/// The environment variable that switches the JIT off for a whole process: `ALE_RS_JIT=0`.
pub const VARIABLE: &str = "ALE_RS_JIT";

/// Whether [`VARIABLE`] leaves the JIT on: it does unless it is `0`.
///
/// # Errors
/// [`Error::Config`] when it is neither `0` nor `1`.
pub fn is_on_by_environment() -> Result<bool, Error> {
    match var_os(VARIABLE) {
        None => Ok(true),
        Some(value) if value.is_empty() || value == "1" => Ok(true),
        Some(value) if value == "0" => Ok(false),
        Some(value) => {
            let value = value.to_string_lossy();
            Err(Error::Config(format!("{VARIABLE}={value}; accepted: 0 to switch the JIT off, 1")))
        }
    }
}

/// Whether consoles that are loaded now run JIT code, and why.
pub fn status() -> (bool, String) {
    match (is_on_by_environment(), Status::of_process()) {
        (Ok(true), Status::Available) => (true, Status::Available.to_string()),
        (Ok(false), Status::Available) => (false, format!("{VARIABLE}=0")),
        (Err(error), Status::Available) => (false, error.to_string()),
        (_, status) => (false, status.to_string()),
    }
}
