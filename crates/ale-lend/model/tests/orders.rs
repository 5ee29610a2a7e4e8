//! In every order of the threads' steps, no thread touches what was lent after the call that lent it.
//!
//! What is lent is a `loom::cell::UnsafeCell`: loom fails when two threads touch it without order between them, one of
//! them to write. Workers read it, the caller writes it before and after; so a worker that came late, or one whose
//! end the caller does not see, is found. `LOOM_MAX_PREEMPTIONS=2` makes it short, without it all orders are tried.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ale_lend_model::Lent;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread::{self, JoinHandle};

/// Memory that a call borrows.
struct Row(UnsafeCell<usize>);

// SAFETY: this is what is tested; loom watches every access.
unsafe impl Sync for Row {}

impl Row {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn read(&self) -> usize {
        // SAFETY: loom fails the test if another thread may write now.
        self.0.with(|value| unsafe { *value })
    }

    fn write(&self, number: usize) {
        // SAFETY: loom fails the test if another thread may read or write now.
        self.0.with_mut(|value| unsafe { *value = number });
    }
}

/// Threads that look for work so many times each.
fn workers(lent: &Arc<Lent>, count: usize, times: usize) -> Vec<JoinHandle<usize>> {
    let help = || {
        let lent = Arc::clone(lent);
        thread::spawn(move || (0..times).filter(|_| lent.help()).count())
    };
    std::iter::repeat_with(help).take(count).collect()
}

/// Lends a row that only this call has.
fn lend(lent: &Lent, number: usize) {
    let row = Row::new();
    row.write(number);
    let work = || assert_eq!(row.read(), number);
    lent.lend(&work, work);
    row.write(0);
}

fn join(threads: Vec<JoinHandle<usize>>) -> usize {
    threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
}

#[test]
fn one_worker_and_one_call() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let threads = workers(&lent, 1, 1);
        lend(&lent, 1);
        join(threads);
        assert!(!lent.help());
    });
}

#[test]
fn two_workers_and_one_call() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let threads = workers(&lent, 2, 1);
        lend(&lent, 1);
        join(threads);
    });
}

#[test]
fn one_worker_and_two_calls() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let threads = workers(&lent, 1, 2);
        lend(&lent, 1);
        lend(&lent, 2);
        join(threads);
    });
}

#[test]
fn a_caller_that_panics_and_a_worker() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let threads = workers(&lent, 1, 1);
        let row = Row::new();
        row.write(1);
        let work = || assert_eq!(row.read(), 1);
        let result = catch_unwind(AssertUnwindSafe(|| lent.lend(&work, || panic!("on purpose"))));
        assert!(result.is_err());
        row.write(0);
        join(threads);
    });
}

#[test]
fn the_call_returns_when_a_worker_panics() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let worker = {
            let lent = Arc::clone(&lent);
            thread::spawn(move || catch_unwind(AssertUnwindSafe(|| lent.help())).is_err())
        };
        let row = Row::new();
        row.write(1);
        let work = || {
            assert_eq!(row.read(), 1);
            panic!("on purpose");
        };
        lent.lend(&work, || ());
        row.write(0);
        worker.join().expect("it catches the panic");
    });
}

#[test]
fn what_workers_did_is_seen_after_the_call() {
    loom::model(|| {
        let lent = Arc::new(Lent::default());
        let threads = workers(&lent, 2, 1);
        let done = AtomicUsize::new(0);
        let work = || _ = done.fetch_add(1, Ordering::Relaxed);
        lent.lend(&work, || ());
        let seen = done.load(Ordering::Relaxed);
        assert_eq!(join(threads), seen);
    });
}
