//! The threads that run sub-environments: all rows of a batch side by side, or one after the other as they come.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use super::batch::{Layout, Rows};
use super::config::VectorConfig;
use super::helpers::Helpers;
use super::sub::{Command, Sub, Workspace};
use super::turn::{Part, Parts, Turn};
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
    /// Those that nobody works with. The last one that was used is the next one.
    workspaces: Mutex<Vec<Box<Workspace>>>,
    /// Somebody wants all work to end soon.
    pub(super) stop: AtomicBool,
    /// What went wrong since it was last asked, with the number of the sub-environment.
    failures: Mutex<Vec<(usize, String)>>,
    /// Sub-environments that came back from their workers, in this order, and nobody has received.
    returned: Mutex<VecDeque<usize>>,
    somebody_returned: Condvar,
    pub(super) turn: Turn,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic is caught before it leaves the lock, so there is nothing to protect from.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew {
    pub(super) fn new(config: VectorConfig, layout: Layout, subs: Vec<Sub>, threads: usize) -> Self {
        // With pictures, so that a thread that gets its first work late does not take that much memory in a step.
        let height = subs.first().map_or(0, |sub| sub.height);
        let mut workspaces = Vec::with_capacity(threads + 1);
        workspaces.resize_with(threads, || Box::new(Workspace::with_picture(height)));
        Self {
            turn: Turn::default(),
            config,
            layout,
            returned: Mutex::new(VecDeque::with_capacity(subs.len())),
            subs: subs.into_iter().map(Mutex::new).collect(),
            workspaces: Mutex::new(workspaces),
            stop: AtomicBool::new(false),
            failures: Mutex::default(),
            somebody_returned: Condvar::new(),
        }
    }

    /// Lets somebody work with a workspace of its own.
    fn with_workspace<T>(&self, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let workspace = lock(&self.workspaces).pop();
        let mut workspace = workspace.unwrap_or_default();
        let result = work(&mut workspace);
        lock(&self.workspaces).push(workspace);
        result
    }

    /// Tells an idle sub-environment what to do next.
    pub(super) fn tell(&self, index: usize, command: Command) {
        lock(&self.subs[index]).told = command;
    }

    /// Lets one sub-environment do what it was told; its row is not written. Whatever happens there stays there and is
    /// noted.
    fn work(&self, index: usize, workspace: &mut Workspace) {
        let mut sub = lock(&self.subs[index]);
        self.guard(index, &mut sub, |sub| sub.work(self, workspace));
    }

    /// Lets one sub-environment do its part of a call.
    fn do_part(&self, part: Part<'_>, workspace: &mut Workspace) {
        let Part { index, command, mut row } = part;
        row.records[0].env_id = index as i32;
        let mut sub = lock(&self.subs[index]);
        sub.told = command;
        self.guard(index, &mut sub, |sub| {
            sub.work(self, workspace)?;
            sub.write_done(&mut row);
            Ok(())
        });
    }

    /// Works on the parts of a call, as worker `number` of so many.
    fn do_parts(&self, parts: &Parts<'_>, number: usize, workers: usize) {
        self.with_workspace(|workspace| {
            for part in parts.of(number, workers) {
                if !self.stop.load(Ordering::Relaxed) {
                    self.do_part(part, workspace);
                }
                self.turn.finish();
            }
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
        self.with_workspace(|workspace| lock(&self.subs[index]).show(workspace, look))
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

    /// Runs all sub-environments on this thread, a row each. `poll` is asked now and then; when it says yes, work ends
    /// somewhere in the middle, and the answer is `false`.
    pub(super) fn run_alone(
        &self,
        commands: &[Command],
        rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        self.stop.store(false, Ordering::Relaxed);
        let parts = Parts::new(commands, rows, self.layout);
        self.with_workspace(|workspace| {
            for part in parts.of(0, 1) {
                let last = part.index + 1 == commands.len();
                self.do_part(part, workspace);
                if poll() && !last {
                    return false;
                }
            }
            true
        })
    }

    /// Runs all sub-environments, a row each, together with `count` helpers.
    pub(super) fn run_together(
        self: &Arc<Self>,
        helpers: &Helpers,
        count: usize,
        commands: &[Command],
        rows: Rows<'_>,
    ) {
        let parts = self.begin(commands, rows);
        let help = || self.do_parts(&parts, 1 + helper_number() % count, 1 + count);
        self.turn.lent.lend(&help, || {
            helpers.call(count, self);
            self.do_parts(&parts, 0, 1 + count);
            helpers.call_off(self);
        });
    }

    /// Lets `count` helpers run all sub-environments, a row each, and waits for them. `poll` is asked now and then; when
    /// it says yes, work ends soon and somewhere in the middle, and the answer is `false`.
    pub(super) fn run_elsewhere(
        self: &Arc<Self>,
        helpers: &Helpers,
        count: usize,
        commands: &[Command],
        rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        let parts = self.begin(commands, rows);
        let help = || self.do_parts(&parts, helper_number(), count);
        self.turn.lent.lend(&help, || {
            helpers.call(count, self);
            let mut complete = true;
            while !self.turn.wait(PATIENCE) {
                if complete && poll() {
                    self.stop.store(true, Ordering::Relaxed);
                    complete = false;
                }
            }
            helpers.call_off(self);
            complete
        })
    }

    /// Begins a turn.
    fn begin<'a>(&self, commands: &'a [Command], rows: Rows<'a>) -> Parts<'a> {
        self.stop.store(false, Ordering::Relaxed);
        self.turn.begin(commands.len());
        Parts::new(commands, rows, self.layout)
    }

    /// Writes the row of a sub-environment that is ready.
    fn write(&self, index: usize, row: &mut Rows<'_>) {
        row.records[0].env_id = index as i32;
        lock(&self.subs[index]).write_done(row);
    }

    /// Whether nobody will get impatient.
    pub(super) fn is_brief(&self, commands: &[Command]) -> bool {
        let frames = |command: &Command| match command {
            Command::Step(..) => u64::from(self.config.frameskip),
            Command::Reset(_) => RESET_FRAMES,
            _ => 0,
        };
        commands.iter().map(frames).sum::<u64>() <= BRIEF_FRAMES
    }

    /// Lets a sub-environment work that somebody will receive.
    pub(super) fn deliver(&self, index: usize) {
        self.with_workspace(|workspace| self.work(index, workspace));
        lock(&self.returned).push_back(index);
        self.somebody_returned.notify_all();
    }

    /// Waits for so many sub-environments and writes their rows: in the order in which they came, or, when it is all of
    /// them, in their own. `false` when `poll` said yes before.
    pub(super) fn receive(
        &self,
        ids: &mut Vec<usize>,
        count: usize,
        mut rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut returned = lock(&self.returned);
        while returned.len() < count {
            (returned, _) = self
                .somebody_returned
                .wait_timeout(returned, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            if returned.len() < count && poll() {
                return false;
            }
        }
        ids.clear();
        ids.extend(returned.drain(..count));
        drop(returned);
        if count == self.subs.len() {
            ids.sort_unstable();
        }
        for (row, &index) in ids.iter().enumerate() {
            self.write(index, &mut rows.row(self.layout, row));
        }
        true
    }

    /// Waits for so many sub-environments; nobody wants their results.
    pub(super) fn drain(&self, in_flight: usize) {
        self.stop.store(true, Ordering::Relaxed);
        let mut returned = lock(&self.returned);
        while returned.len() < in_flight {
            returned = self.somebody_returned.wait(returned).unwrap_or_else(PoisonError::into_inner);
        }
        returned.clear();
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

/// Which thread of the pool this one is.
fn helper_number() -> usize {
    rayon::current_thread_index().unwrap_or_default()
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
    helpers: Option<Arc<Helpers>>,
    process: u32,
}

/// The workers that environments share, and the process they belong to.
static SHARED: Mutex<Option<(u32, Arc<Helpers>)>> = Mutex::new(None);

impl Workers {
    pub(super) fn new(config: &VectorConfig, batch_size: usize) -> Self {
        let hardware = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if config.num_threads == 0 { batch_size } else { config.num_threads }.min(hardware);
        Self {
            threads: if config.shared_pool { hardware } else { threads },
            affinity: config.thread_affinity_offset,
            shared: config.shared_pool,
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

    /// Runs all sub-environments of the crew, a row each, and waits. `poll` is asked now and then on this thread unless
    /// the work is brief; when it says yes, work ends soon and somewhere in the middle, and the answer is `false`.
    pub(super) fn run(
        &mut self,
        crew: &Arc<Crew>,
        commands: &[Command],
        rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        // A caller works only where it can wait for the end, and where nobody chose the cores.
        if crew.is_brief(commands) && self.affinity.is_none() {
            match self.threads - 1 {
                0 => return Ok(crew.run_alone(commands, rows, poll)),
                others => crew.run_together(self.helpers()?, others, commands, rows),
            }
            return Ok(true);
        }
        let threads = self.threads;
        Ok(crew.run_elsewhere(self.helpers()?, threads, commands, rows, poll))
    }

    /// Threads in another process are let go: waking them up could wait for ever.
    fn leave_parent(&mut self) {
        if self.forked() {
            self.process = std::process::id();
            std::mem::forget(self.helpers.take());
        }
    }

    /// The helpers, made when they are first needed.
    pub(super) fn helpers(&mut self) -> Result<&Helpers, Error> {
        self.leave_parent();
        let helpers = match self.helpers.take() {
            Some(helpers) => helpers,
            None if self.shared => self.shared_helpers()?,
            None => Arc::new(self.build()?),
        };
        Ok(self.helpers.insert(helpers))
    }

    fn shared_helpers(&self) -> Result<Arc<Helpers>, Error> {
        let mut shared = lock(&SHARED);
        if let Some((process, helpers)) = &*shared
            && *process == self.process
        {
            return Ok(Arc::clone(helpers));
        }
        std::mem::forget(shared.take());
        let helpers = Arc::new(self.build()?);
        *shared = Some((self.process, Arc::clone(&helpers)));
        Ok(helpers)
    }

    fn build(&self) -> Result<Helpers, Error> {
        let mut builder =
            ThreadPoolBuilder::new().num_threads(self.threads).thread_name(|index| format!("ale-rs-{index}"));
        if let Some(offset) = self.affinity {
            builder = builder.start_handler(move |index| bind(offset + index));
        }
        let pool = builder.build();
        let pool = pool.map_err(|error| Error::Worker(format!("worker threads could not start: {error}")))?;
        Ok(Helpers::new(pool))
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
