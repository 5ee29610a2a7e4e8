//! Many simulators in one call.
#![forbid(unsafe_code)]
