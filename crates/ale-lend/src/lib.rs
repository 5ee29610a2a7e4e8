//! Work on borrowed memory that other threads can share.
//!
//! Threads that wait for calls outlive each of them, so they cannot be given what a caller has borrowed. A [`Lent`] is
//! where they find it all the same: work is put there for the time of a call, whoever comes by in that time does it too,
//! and the call returns only when the work was taken away and all of them have left. Nothing is allocated.

mod lent;

pub use lent::Lent;

/// What the protocol is made of.
mod threads {
    pub(crate) use std::sync::atomic::{AtomicUsize, Ordering};
    pub(crate) use std::sync::{Mutex, MutexGuard};
    pub(crate) use std::thread::yield_now;
}
