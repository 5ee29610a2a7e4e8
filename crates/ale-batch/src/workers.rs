//! The worker pool of an environment, made when it is first needed: its own, or the one that the process shares.

use std::sync::{Arc, Mutex};

use ale_sim::{Error, Simulator};
use rayon::ThreadPoolBuilder;

use crate::options::BatchOptions;
use crate::pool::{EnvPool, lock};
use crate::queue::WorkerPool;
use crate::rows::{RecordOf, Rows};
use crate::slot::Command;

/// The workers of an environment. Threads do not survive a fork, so a child makes its own.
pub(crate) struct Workers {
    threads: usize,
    affinity: Option<usize>,
    shared: bool,
    pool: Option<Arc<WorkerPool>>,
    process: u32,
}

/// The workers that environments share, and the process they belong to.
static SHARED: Mutex<Option<(u32, Arc<WorkerPool>)>> = Mutex::new(None);

impl Workers {
    pub(crate) fn new(options: &BatchOptions, batch_size: usize) -> Self {
        let hardware = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if options.num_threads == 0 { batch_size } else { options.num_threads }.min(hardware);
        Self {
            threads: if options.shared_pool { hardware } else { threads },
            affinity: options.thread_affinity_offset,
            shared: options.shared_pool,
            pool: None,
            process: std::process::id(),
        }
    }

    /// The workers that the process shares.
    pub(crate) fn of_the_process() -> Self {
        Self::new(&BatchOptions { shared_pool: true, ..BatchOptions::default() }, 1)
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Whether this process is a child of the one that made the workers.
    pub(crate) fn forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs all sub-environments, a row each, and waits. `poll` is asked now and then on this thread; when it says yes, work ends soon and somewhere in the middle, and the answer is `false`.
    pub(crate) fn run<S: Simulator>(
        &mut self,
        envs: &Arc<EnvPool<S>>,
        commands: &[Command<S::Action>],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        // The caller's thread works only where it can wait for the end, and where the cores were not chosen.
        if envs.is_brief(commands) && self.affinity.is_none() {
            return Ok(match self.threads - 1 {
                0 => envs.run_alone(commands, rows, poll),
                others => envs.run_together(self.pool()?, others, commands, rows, poll),
            });
        }
        let threads = self.threads;
        Ok(envs.run_elsewhere(self.pool()?, threads, commands, rows, poll))
    }

    /// Threads in another process are let go: waking them up could wait for ever.
    fn leave_parent(&mut self) {
        if self.forked() {
            self.process = std::process::id();
            std::mem::forget(self.pool.take());
        }
    }

    /// The worker pool, made when it is first needed.
    pub(crate) fn pool(&mut self) -> Result<&WorkerPool, Error> {
        self.leave_parent();
        let pool = match self.pool.take() {
            Some(pool) => pool,
            None if self.shared => self.shared_pool()?,
            None => Arc::new(self.build()?),
        };
        Ok(self.pool.insert(pool))
    }

    fn shared_pool(&self) -> Result<Arc<WorkerPool>, Error> {
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

    fn build(&self) -> Result<WorkerPool, Error> {
        let mut builder =
            ThreadPoolBuilder::new().num_threads(self.threads).thread_name(|index| format!("ale-rs-{index}"));
        if let Some(offset) = self.affinity {
            builder = builder.start_handler(move |index| bind(offset, index));
        }
        let threads = builder.build();
        let threads =
            threads.map_err(|error| Error::Worker(format!("worker threads could not start: {error}")))?;
        Ok(WorkerPool::new(threads))
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.leave_parent();
    }
}

/// Binds this thread to core `offset + index`, counted modulo their number. A wish: where it fails nothing happens.
fn bind(offset: usize, index: usize) {
    if let Some(cores) = core_affinity::get_core_ids()
        && !cores.is_empty()
    {
        let core = (offset % cores.len() + index % cores.len()) % cores.len();
        core_affinity::set_for_current(cores[core]);
    }
}
