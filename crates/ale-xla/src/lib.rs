//! XLA's typed foreign-function interface (FFI) for worlds that step and reset.
//!
//! ```text
//! abi        the C structs of the interface that we read or write, with their sizes checked at compile time
//! frame      a call frame as a safe view: arrays to read, arrays to write        (the unsafe code of this crate)
//! handles    which target a handle of eight bytes stands for
//! handler    what XLA calls: checks, catches panics, reports errors
//! ```
//!
//! A compiled program of XLA calls [`reset_address`] or [`step_address`] with arrays in XLA's own memory. The first
//! argument and the first result are the handle; the handler finds the [`Target`] behind it and lets it read the other
//! arguments and write the other results in place. Order comes from threading the handle through a program.

mod abi;
mod fault;
mod frame;
mod handler;
mod handles;
#[cfg(test)]
mod tests;

pub use fault::{Code, Fault};
pub use frame::{Array, ArrayMut, DType};
pub use handler::{reset_address, step_address};
pub use handles::{Handle, close, register};

/// What is behind a handle.
///
/// A call may come from any thread, several at once. It must write every byte of every result before it returns
/// `Ok`: XLA's memory is uninitialised, and what is not written reaches the user.
pub trait Target: Send + Sync {
    /// Starts episodes.
    ///
    /// # Errors
    /// [`Fault`] becomes the error that the caller of the compiled program sees.
    fn reset(&self, arguments: &[Array<'_>], results: &mut [ArrayMut<'_>]) -> Result<(), Fault>;

    /// Plays one step.
    ///
    /// # Errors
    /// As [`Target::reset`].
    fn step(&self, arguments: &[Array<'_>], results: &mut [ArrayMut<'_>]) -> Result<(), Fault>;
}
