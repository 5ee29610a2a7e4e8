//! The protocol. The model checker in `model` compiles this file with its own threads and locks.

use std::mem::transmute;
use std::sync::PoisonError;

use super::threads::{AtomicUsize, Mutex, MutexGuard, Ordering, yield_now};

/// Something to do, by several threads at once.
type Work<'a> = dyn Fn() + Sync + 'a;

/// A place for work that is lent for the time of a call.
#[derive(Default)]
pub struct Lent {
    work: Mutex<Option<&'static Work<'static>>>,
    /// Threads that are doing it.
    at_work: AtomicUsize,
}

impl Lent {
    /// Lets others do `work` while `meanwhile` runs, and waits for those who have begun.
    ///
    /// # Panics
    /// When something is already lent here.
    pub fn lend<T>(&self, work: &Work<'_>, meanwhile: impl FnOnce() -> T) -> T {
        {
            let mut place = self.place();
            assert!(place.is_none(), "two callers lend at once");
            // SAFETY: only the lifetime changes. The reference leaves this module never, and `self.work` only in
            // `help`, which counts its thread in `at_work` under the lock that it read the reference under. `Taken`
            // is dropped before `work` ends, also when `meanwhile` panics: it empties the place under the same lock
            // and then waits until no thread is counted. So no thread has the reference when this call is left.
            #[expect(
                unsafe_code,
                reason = "threads that wait for calls live longer than what a call borrows"
            )]
            let work = unsafe { transmute::<&Work<'_>, &'static Work<'static>>(work) };
            *place = Some(work);
        }
        let _taken = Taken(self);
        meanwhile()
    }

    /// Does what is lent at the moment, if anything.
    pub fn help(&self) -> bool {
        let place = self.place();
        let Some(work) = *place else { return false };
        self.at_work.fetch_add(1, Ordering::AcqRel);
        drop(place);
        let _left = Left(&self.at_work);
        work();
        true
    }

    fn place(&self) -> MutexGuard<'_, Option<&'static Work<'static>>> {
        // Nothing panics while it is locked but the assertion above, which has changed nothing.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes back what was lent when it is dropped.
struct Taken<'a>(&'a Lent);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.0.place() = None;
        while self.0.at_work.load(Ordering::Acquire) > 0 {
            yield_now();
        }
    }
}

/// A thread that has done its work when this is dropped.
struct Left<'a>(&'a AtomicUsize);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
