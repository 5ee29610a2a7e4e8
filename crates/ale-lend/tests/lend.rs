//! Borrowed work is done by workers during the call, and by no thread after it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ale_lend::Lent;

/// Threads that help all the time, until the test has ended.
struct Crowd {
    lent: Arc<Lent>,
    home: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Crowd {
    fn new(count: usize) -> Self {
        let (lent, home) = (Arc::<Lent>::default(), Arc::<AtomicBool>::default());
        let help = || {
            let (lent, home) = (Arc::clone(&lent), Arc::clone(&home));
            thread::spawn(move || {
                while !home.load(Ordering::Relaxed) {
                    if catch_unwind(AssertUnwindSafe(|| lent.help())).is_err() {
                        thread::yield_now();
                    }
                }
            })
        };
        let threads = std::iter::repeat_with(help).take(count).collect();
        Self { lent, home, threads }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.home.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("workers catch what they do");
        }
    }
}

#[test]
fn all_of_it_is_done_before_the_call_returns() {
    let crowd = Crowd::new(3);
    for round in 0..2_000 {
        // Gone after each round: a worker that came late would write into memory that has another owner.
        let mut rows = vec![0_usize; 64];
        let left = Mutex::new(rows.iter_mut());
        let work = || {
            while let Some(row) = { left.lock().expect("no thread panics").next() } {
                *row = round;
            }
        };
        crowd.lent.lend(&work, work);
        assert!(rows.iter().all(|&row| row == round), "round {round}: {rows:?}");
    }
}

#[test]
fn nothing_is_done_before_and_after() {
    let lent = Lent::default();
    assert!(!lent.help());
    let done = AtomicUsize::new(0);
    let work = || _ = done.fetch_add(1, Ordering::Relaxed);
    lent.lend(&work, || {
        assert!(lent.help());
        assert!(lent.help());
    });
    assert!(!lent.help());
    assert_eq!(done.into_inner(), 2);
}

#[test]
fn a_call_waits_for_those_who_have_begun() {
    let crowd = Crowd::new(2);
    let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        begun.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(20));
        ended.fetch_add(1, Ordering::Relaxed);
    };
    crowd.lent.lend(&work, || {
        while begun.load(Ordering::Relaxed) < 2 {
            thread::yield_now();
        }
    });
    assert_eq!(begun.load(Ordering::Relaxed), ended.load(Ordering::Relaxed));
}

#[test]
fn a_panic_of_the_caller_takes_the_work_back() {
    let crowd = Crowd::new(2);
    for _ in 0..200 {
        let seen = AtomicUsize::new(0);
        let work = || {
            seen.fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
        };
        let result = catch_unwind(AssertUnwindSafe(|| crowd.lent.lend(&work, || panic!("on purpose"))));
        assert!(result.is_err());
        let before = seen.load(Ordering::Relaxed);
        assert!(!crowd.lent.help());
        assert_eq!(seen.load(Ordering::Relaxed), before);
    }
}

#[test]
fn the_call_returns_when_a_worker_panics() {
    let crowd = Crowd::new(2);
    let begun = AtomicUsize::new(0);
    let work = || {
        begun.fetch_add(1, Ordering::Relaxed);
        panic!("on purpose");
    };
    crowd.lent.lend(&work, || {
        while begun.load(Ordering::Relaxed) < 2 {
            thread::yield_now();
        }
    });
}

#[test]
fn one_caller_at_a_time() {
    let lent = Lent::default();
    let result = lent.lend(&|| {}, || catch_unwind(AssertUnwindSafe(|| lent.lend(&|| {}, || {}))));
    assert!(result.is_err());
    // The first one has not been disturbed, and the place is free again.
    assert!(!lent.help());
    lent.lend(&|| {}, || assert!(lent.help()));
}
