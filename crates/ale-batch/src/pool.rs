//! The environment pool: all sub-environments of a batch, and how threads run them.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ale_sim::{Context, Error, Simulator};

use crate::jobs::{BatchLatch, Job, Jobs};
use crate::queue::{Serve, WorkerPool, worker_number};
use crate::rows::{RecordOf, Rows};
use crate::slot::{Command, Episode, Shared, Slot};

/// How often a waiting caller is asked whether it wants to go on.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Calls that take no longer are finished before the caller is asked.
const BRIEF_NANOSECONDS: u64 = 300_000_000;

/// Questions of a world on the caller's thread, one each frame, from one to the next that the caller hears.
const QUESTIONS: u32 = 64;

/// What callers and workers share.
pub(crate) struct EnvPool<S: Simulator> {
    pub(crate) shared: Shared<S>,
    pub(crate) slots: Vec<Mutex<Slot<S>>>,
    /// One for each worker and one for the caller, each in the cache of its thread's core.
    workspaces: Vec<Mutex<Option<Box<S::Workspace>>>>,
    /// What went wrong since it was last asked, with the number of the sub-environment.
    failures: Mutex<Vec<(usize, String)>>,
    /// Sub-environments that came back from their workers and were not received, in this order.
    returned: Mutex<VecDeque<usize>>,
    arrival: Condvar,
    latch: BatchLatch,
    /// Workers that work ahead.
    ahead: AtomicUsize,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic is caught before it leaves the lock, so there is nothing to protect from.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Simulator> Serve for EnvPool<S> {
    fn deliver(&self, index: usize) {
        self.with_workspace_of(worker_number(), |workspace| {
            let mut slot = lock(&self.slots[index]);
            let context =
                &mut Context { options: &self.shared.options, workspace, poll: &mut || self.stopped() };
            self.guard(index, &mut slot, |slot| slot.work(&self.shared, context));
        });
        lock(&self.returned).push_back(index);
        self.arrival.notify_all();
    }

    fn help(&self) {
        self.latch.lent.help();
    }

    fn work_ahead(&self) -> bool {
        // The caller is one of the threads that were asked for, so that one fewer works beside it.
        let others = self.workspaces.len().saturating_sub(1);
        let may = !self.stopped() && self.ahead.fetch_add(1, Ordering::Relaxed) < others;
        // A panic must not end a worker: the worlds that need what is missing make it themselves.
        let work = || S::work_ahead(&self.shared.options);
        let worked = may && catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
        self.ahead.fetch_sub(1, Ordering::Relaxed);
        worked
    }
}

impl<S: Simulator> EnvPool<S> {
    pub(crate) fn new(shared: Shared<S>, sims: Vec<S>, threads: usize) -> Self {
        // Each thread may have a last observation that is not yet in its row.
        lock(&shared.spare).extend((0..threads).map(|_| shared.new_last_obs()));
        if threads > 1 {
            S::prepare_ahead(&shared.options, threads - 1);
        }
        let mut workspaces = Vec::with_capacity(threads);
        if let Some(sim) = sims.first() {
            workspaces.resize_with(threads, || Mutex::new(Some(Box::new(sim.new_workspace()))));
        }
        Self {
            shared,
            returned: Mutex::new(VecDeque::with_capacity(sims.len())),
            slots: sims.into_iter().map(|sim| Mutex::new(Slot::new(sim, Episode::Running))).collect(),
            workspaces,
            failures: Mutex::default(),
            arrival: Condvar::new(),
            latch: BatchLatch::default(),
            ahead: AtomicUsize::new(0),
        }
    }

    /// Lends this thread a workspace of its own.
    pub(crate) fn with_workspace<T>(&self, work: impl FnOnce(&mut S::Workspace) -> T) -> T {
        self.with_workspace_of(0, work)
    }

    /// The same, if possible the one that thread `number` had before.
    fn with_workspace_of<T>(&self, number: usize, work: impl FnOnce(&mut S::Workspace) -> T) -> T {
        let (before, from) = self.workspaces.split_at(number.min(self.workspaces.len()));
        let free = from.iter().chain(before).find_map(|place| Some((place, lock(place).take()?)));
        let Some((place, mut workspace)) = free else {
            // A worker may still have its own when the caller has all results. The lock ends before the work, which may
            // lock the same sub-environment.
            let mut new = lock(&self.slots[0]).sim.new_workspace();
            return work(&mut new);
        };
        let result = work(&mut workspace);
        *lock(place) = Some(workspace);
        result
    }

    /// Tells an idle sub-environment what to do next.
    pub(crate) fn tell(&self, index: usize, command: Command<S::Action>) {
        lock(&self.slots[index]).told = command;
    }

    /// Runs one job of a call.
    fn run_job(&self, job: Job<'_, S>, workspace: &mut S::Workspace, poll: &mut dyn FnMut() -> bool) {
        let Job { index, command, mut row } = job;
        let context = &mut Context { options: &self.shared.options, workspace, poll };
        row.records[0].env_id = index as i32;
        let mut slot = lock(&self.slots[index]);
        slot.told = command;
        self.guard(index, &mut slot, |slot| {
            slot.work(&self.shared, context)?;
            slot.write_done(&self.shared, &mut row);
            Ok(())
        });
    }

    /// Runs jobs of a call, as worker `number` of so many.
    fn run_jobs(&self, jobs: &Jobs<'_, S>, number: usize, workers: usize, poll: &mut dyn FnMut() -> bool) {
        let mut done = 0;
        self.with_workspace_of(number, |workspace| {
            for job in jobs.of(number, workers) {
                if !self.stopped() {
                    self.run_job(job, workspace, poll);
                }
                done += 1;
            }
        });
        // Once for all of them: a count that two threads write in turns would go from cache to cache with every job.
        self.latch.finish(done);
    }

    /// Notes what goes wrong in a sub-environment; it does not leave this function.
    fn guard(&self, index: usize, slot: &mut Slot<S>, work: impl FnOnce(&mut Slot<S>) -> Result<(), Error>) {
        let result = catch_unwind(AssertUnwindSafe(|| work(slot)));
        let failure = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => {
                slot.episode = Episode::Broken;
                format!("a defect of this library: {}", text_of(&*panic))
            }
        };
        lock(&self.failures).push((index, failure));
    }

    /// Runs all sub-environments on this thread, a row each. `poll` is asked now and then; when it says yes, work ends
    /// somewhere in the middle, and the answer is `false`.
    pub(crate) fn run_alone(
        &self,
        commands: &[Command<S::Action>],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        self.shared.stop.store(false, Ordering::Relaxed);
        let jobs = Jobs::<S>::new(commands, rows, self.shared.layout);
        self.with_workspace(|workspace| {
            for job in jobs.of(0, 1) {
                let last = job.index + 1 == commands.len();
                self.run_job(job, workspace, &mut self.asking(poll));
                if self.stopped() || (poll() && !last) {
                    return false;
                }
            }
            true
        })
    }

    /// Runs all sub-environments, a row each, on this thread and `count` workers. `poll` is asked now and then, as in
    /// [`Self::run_alone`].
    pub(crate) fn run_together(
        self: &Arc<Self>,
        workers: &WorkerPool,
        count: usize,
        commands: &[Command<S::Action>],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        let jobs = self.begin(commands, rows);
        let help = || self.run_jobs(&jobs, 1 + worker_number() % count, 1 + count, &mut || self.stopped());
        self.latch.lent.lend(&help, || {
            let pool = self.erased();
            let mut ask = self.asking(poll);
            workers.call(count, &pool);
            self.run_jobs(&jobs, 0, 1 + count, &mut ask);
            workers.call_off(&pool);
            // What the workers have begun ends soon, unless it is a long reset.
            while !self.latch.is_over() && !ask() {
                std::thread::yield_now();
            }
            !self.stopped()
        })
    }

    /// Lets `count` workers run all sub-environments, a row each, and waits for them. `poll` is asked now and then; when
    /// it says yes, work ends soon and somewhere in the middle, and the answer is `false`.
    pub(crate) fn run_elsewhere(
        self: &Arc<Self>,
        workers: &WorkerPool,
        count: usize,
        commands: &[Command<S::Action>],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        let jobs = self.begin(commands, rows);
        let help = || self.run_jobs(&jobs, worker_number(), count, &mut || self.stopped());
        self.latch.lent.lend(&help, || {
            let pool = self.erased();
            workers.call(count, &pool);
            let mut complete = true;
            while !self.latch.wait(POLL_INTERVAL) {
                if complete && poll() {
                    self.stop();
                    complete = false;
                }
            }
            workers.call_off(&pool);
            complete
        })
    }

    /// This pool for the task queue, which serves pools of all worlds.
    pub(crate) fn erased(self: &Arc<Self>) -> Arc<dyn Serve> {
        Arc::clone(self) as Arc<dyn Serve>
    }

    /// Begins a call.
    fn begin<'a>(&self, commands: &'a [Command<S::Action>], rows: Rows<'a, RecordOf<S>>) -> Jobs<'a, S> {
        self.shared.stop.store(false, Ordering::Relaxed);
        self.latch.begin(commands.len());
        Jobs::new(commands, rows, self.shared.layout)
    }

    /// Whether a call ends before its caller could want to stop it.
    pub(crate) fn is_brief(&self, commands: &[Command<S::Action>]) -> bool {
        let step = S::step_nanoseconds(&self.shared.options);
        let reset = S::reset_nanoseconds(&self.shared.options);
        let cost = |command: &Command<S::Action>| match command {
            Command::Step(_) => step,
            Command::Reset(_) => reset,
            Command::Report | Command::Panic => 0,
        };
        commands.iter().fold(0_u64, |sum, command| sum.saturating_add(cost(command))) <= BRIEF_NANOSECONDS
    }

    /// Waits for so many sub-environments and writes their rows: in the order in which they came, or, when it is all of
    /// them, in their own. `false` when `poll` said yes before.
    pub(crate) fn receive(
        &self,
        ids: &mut Vec<usize>,
        count: usize,
        mut rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut returned = lock(&self.returned);
        while returned.len() < count {
            (returned, _) =
                self.arrival.wait_timeout(returned, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            if returned.len() < count && poll() {
                return false;
            }
        }
        ids.clear();
        ids.extend(returned.drain(..count));
        drop(returned);
        if count == self.slots.len() {
            ids.sort_unstable();
        }
        for (row, &index) in ids.iter().enumerate() {
            let mut row = rows.row(self.shared.layout, row);
            row.records[0].env_id = index as i32;
            let mut slot = lock(&self.slots[index]);
            self.guard(index, &mut slot, |slot| {
                slot.write_done(&self.shared, &mut row);
                Ok(())
            });
        }
        true
    }

    /// Waits for so many sub-environments whose results are not wanted.
    pub(crate) fn drain(&self, in_flight: usize) {
        self.stop();
        let mut returned = lock(&self.returned);
        while returned.len() < in_flight {
            returned = self.arrival.wait(returned).unwrap_or_else(PoisonError::into_inner);
        }
        returned.clear();
        self.shared.stop.store(false, Ordering::Relaxed);
        lock(&self.failures).clear();
    }

    /// Ends all work soon.
    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// For work on the caller's thread: asks `poll` after every so many questions, and ends all work when it says yes.
    fn asking(&self, poll: &mut dyn FnMut() -> bool) -> impl FnMut() -> bool {
        let mut questions = 0_u32;
        move || {
            questions = questions.wrapping_add(1);
            if questions.is_multiple_of(QUESTIONS) && poll() {
                self.stop();
            }
            self.stopped()
        }
    }

    /// What went wrong since the last call.
    pub(crate) fn failure(&self) -> Option<Error> {
        let mut failures = lock(&self.failures);
        failures.sort_unstable();
        let (index, text) = failures.first()?;
        let others = match failures.len() - 1 {
            0 => String::new(),
            n => format!(" ({n} more failed)"),
        };
        let error = Error::Worker(format!("sub-environment {index} failed: {text}{others}"));
        failures.clear();
        Some(error)
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text")
}
