//! The threads that run sub-environments: all rows of a batch side by side, or one after the other as they come.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch::{Batch, Layout, Rows};
use super::config::{Observation, VectorConfig};
use super::helpers::{Helpers, Turn};
use super::sub::{Command, Sub, Workspace};
use crate::env::Env;
use crate::error::Error;

/// How often a waiting caller is asked whether it wants to go on.
const PATIENCE: Duration = Duration::from_millis(50);
/// Frames of all sub-environments that take some tenths of a second at most.
const BRIEF_FRAMES: u64 = 32_768;
/// Frames of the start of an episode.
const RESET_FRAMES: u64 = 200;

/// What callers and workers share.
pub(super) struct Crew {
    pub(super) config: VectorConfig,
    pub(super) layout: Layout,
    pub(super) subs: Vec<Mutex<Sub>>,
    /// One for each worker and one for the caller.
    workspaces: Vec<Mutex<Workspace>>,
    /// Somebody wants all work to end soon.
    stop: AtomicBool,
    /// What went wrong since it was last asked, with the number of the sub-environment.
    failures: Mutex<Vec<(usize, String)>>,
    tray: Mutex<Tray>,
    tray_filled: Condvar,
    pub(super) turn: Turn,
}

/// Results on their way to the caller.
struct Tray {
    batch: Batch,
    /// Rows of `batch` that are written.
    count: usize,
    /// Row `i` belongs to sub-environment `i`; otherwise rows are taken as they come.
    ordered: bool,
    /// Results that came when the batch was full.
    waiting: VecDeque<Batch>,
    /// Memory for results.
    spare: Vec<Batch>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic is caught before it leaves the lock, so there is nothing to protect from.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew {
    pub(super) fn new(
        config: VectorConfig,
        layout: Layout,
        subs: Vec<Sub>,
        batch_size: usize,
        threads: usize,
    ) -> Self {
        let ordered = batch_size == subs.len();
        Self {
            turn: Turn::new(subs.len()),
            config,
            layout,
            subs: subs.into_iter().map(Mutex::new).collect(),
            workspaces: (0..=threads).map(|_| Mutex::default()).collect(),
            stop: AtomicBool::new(false),
            failures: Mutex::default(),
            tray: Mutex::new(Tray {
                batch: Batch::default(),
                count: 0,
                ordered,
                waiting: VecDeque::new(),
                spare: Vec::new(),
            }),
            tray_filled: Condvar::new(),
        }
    }

    /// Lets one sub-environment work and writes its row. Whatever happens there stays there and is noted.
    fn run(&self, index: usize, command: Command, row: &mut Rows<'_>) {
        let worker = rayon::current_thread_index().unwrap_or(usize::MAX).min(self.workspaces.len() - 1);
        let mut workspace = lock(&self.workspaces[worker]);
        let mut sub = lock(&self.subs[index]);
        row.records[0].env_id = index as i32;
        self.guard(index, &mut sub, |sub| sub.obey(command, &self.config, &self.stop, &mut workspace, row));
    }

    /// Lets one sub-environment do what it was told; its row is not written. See `helpers`.
    pub(super) fn work(&self, index: usize, worker: usize) {
        let mut workspace = lock(&self.workspaces[worker]);
        let mut sub = lock(&self.subs[index]);
        let (command, env_id) = (sub.told, index as i32);
        sub.done = None;
        self.guard(index, &mut sub, |sub| {
            let record = sub.work(command, &self.config, &self.stop, &mut workspace, env_id, &mut [])?;
            sub.done = Some(record);
            Ok(())
        });
    }

    /// What went wrong in a sub-environment is noted.
    fn guard(&self, index: usize, sub: &mut Sub, work: impl FnOnce(&mut Sub) -> Result<(), Error>) {
        let result = catch_unwind(AssertUnwindSafe(|| work(sub)));
        let failure = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => {
                sub.break_down();
                format!("a defect of this library: {}", text_of(&*panic))
            }
        };
        lock(&self.failures).push((index, failure));
    }

    /// Shows an idle sub-environment.
    pub(super) fn show<T>(&self, index: usize, look: impl FnOnce(&Env) -> T) -> T {
        let mut workspace = lock(&self.workspaces[self.workspaces.len() - 1]);
        lock(&self.subs[index]).show(&mut workspace, look)
    }

    /// A copy of an idle sub-environment.
    pub(super) fn clone_of(&self, index: usize) -> Sub {
        lock(&self.subs[index]).clone()
    }

    /// Puts a sub-environment in the place of another one.
    pub(super) fn put(&self, index: usize, sub: Sub) {
        *lock(&self.subs[index]) = sub;
    }

    /// Whether `sub` can be put in this place.
    pub(super) fn check_like(&self, index: usize, sub: &Sub) -> Result<(), Error> {
        lock(&self.subs[index]).check_like(sub)
    }

    /// Runs all sub-environments, a row each, and waits. `poll` is asked now and then on this thread unless the work is
    /// brief; when it says yes, work ends soon and somewhere in the middle, and the answer is `false`.
    pub(super) fn run_all(
        &self,
        pool: Option<&ThreadPool>,
        commands: &[Command],
        mut rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        self.stop.store(false, Ordering::Relaxed);
        let Some(pool) = pool else {
            for (index, &command) in commands.iter().enumerate() {
                self.run(index, command, &mut rows.row(self.layout, index));
                if poll() && index + 1 < commands.len() {
                    return false;
                }
            }
            return true;
        };
        if self.is_brief(commands) {
            // Unlike a task that is watched, this allocates nothing but, now and then, a block of the pool's queue.
            pool.install(|| self.run_part(0, commands, rows));
            return true;
        }
        let done = (Mutex::new(false), Condvar::new());
        let mut complete = true;
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                self.run_part(0, commands, rows);
                *lock(&done.0) = true;
                done.1.notify_one();
            });
            let mut finished = lock(&done.0);
            while !*finished {
                (finished, _) =
                    done.1.wait_timeout(finished, PATIENCE).unwrap_or_else(PoisonError::into_inner);
                if !*finished && complete && poll() {
                    self.stop.store(true, Ordering::Relaxed);
                    complete = false;
                }
            }
        });
        complete
    }

    /// Whether helpers and the caller can share this work: it is brief, and all that a row needs is there afterwards.
    pub(super) fn can_be_helped(&self, commands: &[Command]) -> bool {
        let keeps = !matches!(self.config.observation, Observation::Screen { .. });
        keeps && self.layout.final_obs == 0 && self.is_brief(commands)
    }

    /// Runs all sub-environments, a row each, together with helpers.
    pub(super) fn run_together(&self, helpers: &Helpers, commands: &[Command], mut rows: Rows<'_>) {
        self.stop.store(false, Ordering::Relaxed);
        for (sub, &command) in self.subs.iter().zip(commands) {
            lock(sub).told = command;
        }
        self.turn.begin();
        helpers.call();
        let (own, mut written) = (self.workspaces.len() - 1, 0);
        while written < self.subs.len() {
            let taken = self.turn.take();
            if let Some(index) = taken {
                self.work(index, own);
                self.turn.finish(index);
            }
            if taken.is_none() && !self.turn.is_ready(written) {
                std::thread::yield_now();
            }
            while written < self.subs.len() && self.turn.is_ready(written) {
                let mut row = rows.row(self.layout, written);
                row.records[0].env_id = written as i32;
                lock(&self.subs[written]).write_done(&mut row);
                written += 1;
            }
        }
    }

    /// Whether nobody will get impatient.
    fn is_brief(&self, commands: &[Command]) -> bool {
        let frames = |command: &Command| match command {
            Command::Step(..) => u64::from(self.config.frameskip),
            Command::Reset(_) => RESET_FRAMES,
            _ => 0,
        };
        commands.iter().map(frames).sum::<u64>() <= BRIEF_FRAMES
    }

    /// Halves the rows until one is left; idle workers take over halves of those that are busy.
    fn run_part(&self, first: usize, commands: &[Command], mut rows: Rows<'_>) {
        if let &[command] = commands {
            if !self.stop.load(Ordering::Relaxed) {
                self.run(first, command, &mut rows);
            }
            return;
        }
        let middle = commands.len() / 2;
        let (left, right) = commands.split_at(middle);
        let (upper, lower) = rows.split(self.layout, middle);
        rayon::join(|| self.run_part(first, left, upper), || self.run_part(first + middle, right, lower));
    }

    /// Starts the work of one sub-environment; its result goes to the tray.
    pub(super) fn start(self: &Arc<Self>, pool: &ThreadPool, index: usize, command: Command) {
        let crew = Arc::clone(self);
        pool.spawn(move || {
            let mut result = lock(&crew.tray).spare.pop().unwrap_or_else(|| Batch::new(crew.layout, 1));
            crew.run(index, command, &mut result.rows());
            lock(&crew.tray).put(result, crew.layout);
            crew.tray_filled.notify_all();
        });
    }

    /// Waits for a full batch and gives it away for an empty one. `None` when `poll` said yes before.
    pub(super) fn take(&self, mut empty: Batch, poll: &mut dyn FnMut() -> bool) -> Option<Batch> {
        let mut tray = lock(&self.tray);
        while !tray.full() {
            (tray, _) = self.tray_filled.wait_timeout(tray, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            if !tray.full() && poll() {
                return None;
            }
        }
        std::mem::swap(&mut tray.batch, &mut empty);
        tray.count = 0;
        while let Some(result) = (!tray.full()).then(|| tray.waiting.pop_front()).flatten() {
            tray.put(result, self.layout);
        }
        Some(empty)
    }

    /// Waits for `in_flight` results, throws all away and prepares the tray with an empty batch.
    pub(super) fn drain(&self, in_flight: usize, empty: Batch) {
        self.stop.store(true, Ordering::Relaxed);
        let mut tray = lock(&self.tray);
        while tray.count + tray.waiting.len() < in_flight {
            tray = self.tray_filled.wait(tray).unwrap_or_else(PoisonError::into_inner);
        }
        tray.batch = empty;
        tray.count = 0;
        tray.waiting.clear();
        self.stop.store(false, Ordering::Relaxed);
        lock(&self.failures).clear();
    }

    /// Ends all work soon.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What went wrong since the last call.
    pub(super) fn failure(&self) -> Option<Error> {
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

impl Tray {
    fn full(&self) -> bool {
        self.count == self.batch.records.len()
    }

    fn put(&mut self, mut result: Batch, layout: Layout) {
        if self.full() {
            self.waiting.push_back(result);
            return;
        }
        let row = if self.ordered { result.records[0].env_id as usize } else { self.count };
        self.batch.rows().row(layout, row).copy_from(&result.rows());
        self.count += 1;
        self.spare.push(result);
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text")
}

/// The workers of an environment. Threads do not survive a fork, so a child makes its own.
pub(super) struct Workers {
    threads: usize,
    affinity: Option<usize>,
    shared: bool,
    pool: Option<Arc<ThreadPool>>,
    helpers: Option<Helpers>,
    process: u32,
}

/// The workers that environments share, and the process they belong to.
static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

impl Workers {
    pub(super) fn new(config: &VectorConfig, batch_size: usize) -> Self {
        let hardware = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if config.num_threads == 0 { batch_size } else { config.num_threads }.min(hardware);
        Self {
            threads: if config.shared_pool { hardware } else { threads },
            affinity: config.thread_affinity_offset,
            shared: config.shared_pool,
            pool: None,
            helpers: None,
            process: std::process::id(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Whether this process is a child of the one that made the workers.
    pub(super) fn forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Threads in another process are let go: waking them up could wait for ever.
    fn leave_parent(&mut self) {
        if self.forked() {
            self.process = std::process::id();
            std::mem::forget(self.pool.take());
            if let Some(helpers) = self.helpers.take() {
                helpers.forget();
            }
        }
    }

    /// Threads that help the caller, made when they are first needed. None where the threads are to be bound to cores, or
    /// are shared: callers are neither.
    pub(super) fn helpers(&mut self, crew: &Arc<Crew>) -> Result<Option<&Helpers>, Error> {
        if self.threads < 2 || self.shared || self.affinity.is_some() {
            return Ok(None);
        }
        self.leave_parent();
        if self.helpers.is_none() {
            self.helpers = Some(Helpers::new(self.threads - 1, crew)?);
        }
        Ok(self.helpers.as_ref())
    }

    /// The pool, made when it is first needed.
    pub(super) fn pool(&mut self) -> Result<Arc<ThreadPool>, Error> {
        self.leave_parent();
        if let Some(pool) = &self.pool {
            return Ok(Arc::clone(pool));
        }
        let pool = if self.shared { self.shared_pool()? } else { Arc::new(self.build()?) };
        self.pool = Some(Arc::clone(&pool));
        Ok(pool)
    }

    fn shared_pool(&self) -> Result<Arc<ThreadPool>, Error> {
        let mut shared = lock(&SHARED);
        if let Some((process, pool)) = &*shared
            && *process == self.process
        {
            return Ok(Arc::clone(pool));
        }
        std::mem::forget(shared.take());
        let pool = Arc::new(self.build()?);
        *shared = Some((self.process, Arc::clone(&pool)));
        Ok(pool)
    }

    fn build(&self) -> Result<ThreadPool, Error> {
        let mut builder =
            ThreadPoolBuilder::new().num_threads(self.threads).thread_name(|index| format!("ale-rs-{index}"));
        if let Some(offset) = self.affinity {
            builder = builder.start_handler(move |index| bind(offset + index));
        }
        builder.build().map_err(|error| Error::Worker(format!("worker threads could not start: {error}")))
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.leave_parent();
    }
}

/// Binds this thread to a core, counted modulo their number. A wish: where it fails nothing happens.
fn bind(number: usize) {
    if let Some(cores) = core_affinity::get_core_ids()
        && !cores.is_empty()
    {
        core_affinity::set_for_current(cores[number % cores.len()]);
    }
}
