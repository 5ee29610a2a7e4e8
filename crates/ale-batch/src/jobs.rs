//! One call for all sub-environments, cut into jobs of one row, and the latch that tells the caller when all are done.
//!
//! A thread takes a sub-environment with its row and writes the row itself. Each thread begins where it began in the last
//! call, so that most sub-environments stay with a core: their state would have to go from cache to cache otherwise.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use ale_lend::Lent;
use ale_sim::Simulator;

use crate::pool::lock;
use crate::rows::{Layout, RecordOf, Rows};
use crate::slot::Command;

/// What one sub-environment has to do, and where the result goes.
pub(crate) struct Job<'a, S: Simulator> {
    pub(crate) index: usize,
    pub(crate) command: Command<S::Action>,
    pub(crate) row: Rows<'a, RecordOf<S>>,
}

/// Jobs side by side that no thread has taken.
struct Block<'a, S: Simulator> {
    first: usize,
    commands: &'a [Command<S::Action>],
    rows: Rows<'a, RecordOf<S>>,
}

impl<'a, S: Simulator> Block<'a, S> {
    fn take(&mut self, layout: &Layout) -> Option<Job<'a, S>> {
        let (&command, others) = self.commands.split_first()?;
        let row = self.rows.split_off(layout, 1);
        let index = self.first;
        self.commands = others;
        self.first += 1;
        Some(Job { index, command, row })
    }
}

/// Blocks of a call. More threads than that share some.
const BLOCKS: usize = 32;

/// The jobs of a call.
pub(crate) struct Jobs<'a, S: Simulator> {
    blocks: [Mutex<Block<'a, S>>; BLOCKS],
    layout: Layout,
}

impl<'a, S: Simulator> Jobs<'a, S> {
    pub(crate) fn new(
        commands: &'a [Command<S::Action>],
        mut rows: Rows<'a, RecordOf<S>>,
        layout: Layout,
    ) -> Self {
        let mut first = 0;
        let blocks = std::array::from_fn(|number| {
            let end = (number + 1) * commands.len() / BLOCKS;
            let commands = &commands[first..end];
            let block = Block { first, commands, rows: rows.split_off(&layout, commands.len()) };
            first = end;
            Mutex::new(block)
        });
        Self { blocks, layout }
    }

    /// All that no other thread takes, for worker `number` of so many: first its own block, then what others have left.
    pub(crate) fn of(&self, number: usize, workers: usize) -> impl Iterator<Item = Job<'a, S>> {
        let home = number % workers * BLOCKS / workers;
        let blocks = self.blocks[home..].iter().chain(&self.blocks[..home]);
        blocks.flat_map(|block| std::iter::from_fn(|| lock(block).take(&self.layout)))
    }
}

/// Counts the jobs of a call down. Workers find the call here, and the caller waits here for its end.
#[derive(Default)]
pub(crate) struct BatchLatch {
    pub(crate) lent: Lent,
    /// Jobs that are not done.
    left: AtomicUsize,
    waiting: Mutex<()>,
    over: Condvar,
}

impl BatchLatch {
    /// So many jobs are to be done.
    pub(crate) fn begin(&self, jobs: usize) {
        self.left.store(jobs, Ordering::Relaxed);
    }

    /// So many more are done.
    pub(crate) fn finish(&self, jobs: usize) {
        if jobs > 0 && self.left.fetch_sub(jobs, Ordering::AcqRel) == jobs {
            // A caller that is about to wait has read the number under this lock.
            drop(lock(&self.waiting));
            self.over.notify_all();
        }
    }

    /// Whether all are done.
    pub(crate) fn is_over(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// Waits until all are done, but not for longer than `limit`. Says whether they are.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let waiting = lock(&self.waiting);
        let working = |(): &mut ()| self.left.load(Ordering::Acquire) > 0;
        let result = self.over.wait_timeout_while(waiting, limit, working);
        !result.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}
