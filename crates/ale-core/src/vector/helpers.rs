//! Threads that help the caller with a step.
//!
//! The caller works, too: it has to wait for nobody before it begins, and nobody has to wake it up at the end. Helpers
//! do not touch the caller's memory; they leave results in the sub-environments, and the caller writes the rows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::workers::{Crew, lock};
use crate::error::Error;

/// How often an idle thread looks around before it sleeps.
const ROUNDS: usize = 64;

/// Which sub-environments are still to be worked on in this call, and which are ready.
#[derive(Debug)]
pub(super) struct Turn {
    next: AtomicUsize,
    ready: Vec<AtomicBool>,
}

impl Turn {
    pub(super) fn new(count: usize) -> Self {
        Self { next: AtomicUsize::new(count), ready: (0..count).map(|_| AtomicBool::new(true)).collect() }
    }

    /// All are to be worked on. A helper that comes late from the last call may already take one of them.
    pub(super) fn begin(&self) {
        for ready in &self.ready {
            ready.store(false, Ordering::Relaxed);
        }
        self.next.store(0, Ordering::Release);
    }

    /// One that nobody works on yet.
    pub(super) fn take(&self) -> Option<usize> {
        if self.next.load(Ordering::Relaxed) >= self.ready.len() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::AcqRel);
        (index < self.ready.len()).then_some(index)
    }

    pub(super) fn finish(&self, index: usize) {
        self.ready[index].store(true, Ordering::Release);
    }

    pub(super) fn is_ready(&self, index: usize) -> bool {
        self.ready[index].load(Ordering::Acquire)
    }
}

/// The bell that calls helpers.
#[derive(Default)]
struct Bell {
    /// Calls so far.
    calls: AtomicUsize,
    quit: AtomicBool,
    asleep: Mutex<()>,
    rung: Condvar,
}

impl Bell {
    fn ring(&self) {
        // Who is about to sleep has looked at the calls under this lock.
        drop(lock(&self.asleep));
        self.rung.notify_all();
    }

    /// Waits for a call after the first `seen`; gives the calls so far.
    fn wait(&self, seen: usize) -> usize {
        for _ in 0..ROUNDS {
            let calls = self.calls.load(Ordering::Acquire);
            if calls != seen {
                return calls;
            }
            thread::yield_now();
        }
        let mut asleep = lock(&self.asleep);
        loop {
            let calls = self.calls.load(Ordering::Acquire);
            if calls != seen {
                return calls;
            }
            asleep = self.rung.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The helpers of one environment.
pub(super) struct Helpers {
    bell: Arc<Bell>,
    threads: Vec<JoinHandle<()>>,
}

impl Helpers {
    /// So many threads, each with a workspace of its own.
    pub(super) fn new(count: usize, crew: &Arc<Crew>) -> Result<Self, Error> {
        let bell = Arc::new(Bell::default());
        let mut helpers = Self { bell, threads: Vec::with_capacity(count) };
        for worker in 0..count {
            let (bell, crew) = (Arc::clone(&helpers.bell), Arc::clone(crew));
            let help = move || {
                let mut seen = 0;
                loop {
                    seen = bell.wait(seen);
                    if bell.quit.load(Ordering::Acquire) {
                        return;
                    }
                    while let Some(index) = crew.turn.take() {
                        crew.work(index, worker);
                        crew.turn.finish(index);
                    }
                }
            };
            let thread = thread::Builder::new().name(format!("ale-rs-{worker}")).spawn(help);
            let thread =
                thread.map_err(|error| Error::Worker(format!("worker threads could not start: {error}")))?;
            helpers.threads.push(thread);
        }
        Ok(helpers)
    }

    /// Asks all to help with the turn that has begun.
    pub(super) fn call(&self) {
        self.bell.calls.fetch_add(1, Ordering::AcqRel);
        self.bell.ring();
    }

    /// Lets go of threads that are in another process.
    pub(super) fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.bell.quit.store(true, Ordering::Release);
        self.call();
        for thread in self.threads.drain(..) {
            // A helper does not panic: whatever happens in a sub-environment is caught there.
            drop(thread.join());
        }
    }
}
