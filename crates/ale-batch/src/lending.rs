//! Work that is no simulator's, on the workers that environments share.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ale_lend::Lent;
use ale_sim::Error;

use crate::pool::lock;
use crate::queue::Serve;
use crate::workers::Workers;

/// A call that workers can join.
#[derive(Default)]
struct Call(Lent);

impl Serve for Call {
    fn deliver(&self, _index: usize) {
        unreachable!("a call has no sub-environments");
    }

    fn help(&self) {
        self.0.help();
    }

    fn work_ahead(&self) -> bool {
        false
    }
}

/// Calls `work` with every number below `parts`, each once, on this thread and on workers of the process.
///
/// # Errors
/// When worker threads cannot be started.
///
/// # Panics
/// When `work` did.
pub fn run_parts(parts: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
    if parts <= 1 {
        (0..parts).for_each(work);
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let panic: Mutex<Option<Box<dyn Any + Send>>> = Mutex::default();
    let run = || {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                break;
            }
            // A panic must not end a worker: it goes on in the caller's thread.
            if let Err(caught) = catch_unwind(AssertUnwindSafe(|| work(part))) {
                *lock(&panic) = Some(caught);
            }
        }
    };
    let mut workers = Workers::of_the_process();
    let pool = workers.pool()?;
    let call = Arc::<Call>::default();
    let erased = Arc::clone(&call) as Arc<dyn Serve>;
    call.0.lend(&run, || {
        pool.call(parts - 1, &erased);
        run();
        pool.call_off(&erased);
    });
    match lock(&panic).take() {
        Some(caught) => resume_unwind(caught),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_runs_once_and_a_panic_comes_back() {
        for parts in [0, 1, 2, 7, 100] {
            let runs: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            run_parts(parts, &|part| _ = runs[part].fetch_add(1, Ordering::Relaxed)).expect("workers");
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{runs:?}");
        }
        let caught = catch_unwind(|| run_parts(8, &|part| assert!(part != 5, "part 5")));
        assert!(caught.is_err());
        run_parts(8, &|_| ()).expect("the workers are still there");
    }
}
