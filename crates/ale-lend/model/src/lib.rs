//! [`Lent`], the very source of `ale-lend`, on the threads and locks of loom, which tries every order of their steps.

#[path = "../../src/lent.rs"]
mod lent;

pub use lent::Lent;

/// What the protocol is made of.
mod threads {
    pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(crate) use loom::sync::{Mutex, MutexGuard};
    pub(crate) use loom::thread::yield_now;
}
