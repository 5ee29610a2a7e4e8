//! One call for all sub-environments, and who works on it.
//!
//! Whoever has nothing to do takes a sub-environment with its row, the caller too if it likes, and writes the row itself.
//! Everybody begins where it began in the last call, so that most sub-environments stay with a core: the results of the
//! last steps, which are part of each row, would have to go from cache to cache otherwise.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use ale_lend::Lent;

use super::batch::{Layout, Rows};
use super::sub::Command;
use super::workers::lock;

/// What one sub-environment has to do, and where the result goes.
pub(super) struct Part<'a> {
    pub(super) index: usize,
    pub(super) command: Command,
    pub(super) row: Rows<'a>,
}

/// Those of sub-environments side by side that nobody has taken.
struct Block<'a> {
    first: usize,
    commands: &'a [Command],
    rows: Option<Rows<'a>>,
}

impl<'a> Block<'a> {
    fn take(&mut self, layout: Layout) -> Option<Part<'a>> {
        let (&command, others) = self.commands.split_first()?;
        let row = self.rows.as_mut()?.split_off(layout, 1)?;
        let index = self.first;
        self.commands = others;
        self.first += 1;
        Some(Part { index, command, row })
    }
}

/// Blocks of a call. More threads than that share some.
const BLOCKS: usize = 32;

/// The parts of a call.
pub(super) struct Parts<'a> {
    blocks: [Mutex<Block<'a>>; BLOCKS],
    layout: Layout,
}

impl<'a> Parts<'a> {
    pub(super) fn new(commands: &'a [Command], mut rows: Rows<'a>, layout: Layout) -> Self {
        let mut first = 0;
        let blocks = std::array::from_fn(|number| {
            let end = (number + 1) * commands.len() / BLOCKS;
            let commands = &commands[first..end];
            let block = Block { first, commands, rows: rows.split_off(layout, commands.len()) };
            first = end;
            Mutex::new(block)
        });
        Self { blocks, layout }
    }

    /// All that nobody else takes, for worker `number` of so many: first its own ones, then what others have left.
    pub(super) fn of(&self, number: usize, workers: usize) -> impl Iterator<Item = Part<'a>> {
        let home = number % workers * BLOCKS / workers;
        let blocks = self.blocks[home..].iter().chain(&self.blocks[..home]);
        blocks.flat_map(|block| std::iter::from_fn(|| lock(block).take(self.layout)))
    }
}

/// Where helpers find what is to be done in a call, and the caller whether it is done.
#[derive(Default)]
pub(super) struct Turn {
    pub(super) lent: Lent,
    /// Parts that are not done.
    left: AtomicUsize,
    waiting: Mutex<()>,
    over: Condvar,
}

impl Turn {
    /// So many parts are to be done.
    pub(super) fn begin(&self, parts: usize) {
        self.left.store(parts, Ordering::Relaxed);
    }

    /// One more is done.
    pub(super) fn finish(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Who is about to wait has looked at the number under this lock.
            drop(lock(&self.waiting));
            self.over.notify_all();
        }
    }

    /// Waits until all are done, but not for longer than `patience`. Says whether they are.
    pub(super) fn wait(&self, patience: Duration) -> bool {
        let waiting = lock(&self.waiting);
        let working = |(): &mut ()| self.left.load(Ordering::Acquire) > 0;
        let result = self.over.wait_timeout_while(waiting, patience, working);
        !result.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}
