//! The worker pool: the threads of a rayon pool, and one task queue that feeds them.
//!
//! Workers help with calls of a whole batch (see [`crate::jobs`]) and run single sub-environments. A worker spins for a
//! while before it sleeps, and none of this allocates, unlike tasks of the rayon pool itself.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use rayon::ThreadPool;

use crate::pool::lock;

/// What a worker can do for an environment pool, of whatever world.
pub(crate) trait Serve: Send + Sync {
    /// Runs one sub-environment, which was told what to do; the caller receives it later.
    fn deliver(&self, index: usize);

    /// Helps with the call that has begun, if it still goes on.
    fn help(&self);

    /// Does a little work that a later call can use. Says whether there was any.
    fn work_ahead(&self) -> bool;
}

/// How often an idle thread looks at the queue before it sleeps.
const SPINS: usize = 256;

struct Task {
    pool: Arc<dyn Serve>,
    /// A single sub-environment. Otherwise the call that has begun.
    single: Option<usize>,
}

struct Tasks {
    waiting: VecDeque<Task>,
    /// Workers that spin, work ahead or were woken up: they will look here soon.
    looking: usize,
    /// For each worker, whether it has to be woken up.
    asleep: Vec<bool>,
    quit: bool,
}

/// Where workers find their tasks.
struct TaskQueue {
    /// How often something was put here.
    puts: AtomicUsize,
    tasks: Mutex<Tasks>,
    /// Wakes one worker each.
    wake: Vec<Condvar>,
}

impl TaskQueue {
    fn new(workers: usize) -> Self {
        let tasks = Tasks { waiting: VecDeque::new(), looking: 0, asleep: vec![false; workers], quit: false };
        let wake = std::iter::repeat_with(Condvar::new).take(workers).collect();
        Self { puts: AtomicUsize::new(0), tasks: Mutex::new(tasks), wake }
    }

    /// Changes the tasks and wakes as many workers as are needed, those with low numbers first: a caller that works
    /// itself needs one worker less than there are, and the same ones in each call find their worlds in their caches.
    fn put(&self, change: impl FnOnce(&mut Tasks)) {
        let mut guard = lock(&self.tasks);
        let tasks = &mut *guard;
        change(tasks);
        self.puts.fetch_add(1, Ordering::AcqRel);
        let needed = tasks.waiting.len().saturating_sub(tasks.looking);
        let sleepers = tasks.asleep.iter_mut().zip(&self.wake).filter(|(asleep, _)| **asleep);
        for (asleep, wake) in sleepers.take(needed) {
            *asleep = false;
            tasks.looking += 1;
            wake.notify_one();
        }
    }

    /// Works ahead for a pool until there is a task or nothing more to do. A worker counts as looking meanwhile: its
    /// next task is not worth another thread.
    fn work_ahead(&self, pool: &dyn Serve) {
        let mut more = true;
        while more {
            let mut tasks = lock(&self.tasks);
            if !tasks.waiting.is_empty() || tasks.quit {
                return;
            }
            tasks.looking += 1;
            drop(tasks);
            more = pool.work_ahead();
            lock(&self.tasks).looking -= 1;
        }
    }

    /// Lets worker `number` wait for a task. `None` when there will be no more.
    fn take(&self, number: usize) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        let mut spins = 0;
        while tasks.waiting.is_empty() && !tasks.quit {
            if spins < SPINS {
                tasks.looking += 1;
                let seen = self.puts.load(Ordering::Acquire);
                drop(tasks);
                while spins < SPINS && self.puts.load(Ordering::Acquire) == seen {
                    thread::yield_now();
                    spins += 1;
                }
                tasks = lock(&self.tasks);
                tasks.looking -= 1;
            } else {
                tasks.asleep[number] = true;
                let resting = |tasks: &mut Tasks| tasks.asleep[number] && !tasks.quit;
                tasks = self.wake[number].wait_while(tasks, resting).unwrap_or_else(PoisonError::into_inner);
                if !tasks.asleep[number] {
                    tasks.looking -= 1;
                }
                spins = 0;
            }
        }
        tasks.waiting.pop_front()
    }
}

/// The workers of one environment or of many.
pub(crate) struct WorkerPool {
    queue: Arc<TaskQueue>,
    /// Its threads do nothing else.
    _threads: ThreadPool,
}

impl WorkerPool {
    /// Lets all threads of a rayon pool work.
    pub(crate) fn new(threads: ThreadPool) -> Self {
        let queue = Arc::new(TaskQueue::new(threads.current_num_threads()));
        let theirs = Arc::clone(&queue);
        let there = Arc::new(AtomicUsize::new(0));
        let arrived = Arc::clone(&there);
        threads.spawn_broadcast(move |_| {
            arrived.fetch_add(1, Ordering::Release);
            while let Some(Task { pool, single }) = theirs.take(worker_number()) {
                match single {
                    Some(index) => pool.deliver(index),
                    None => pool.help(),
                }
                theirs.work_ahead(&*pool);
            }
        });
        // What a thread allocates when it starts is not to be part of a step.
        while there.load(Ordering::Acquire) < threads.current_num_threads() {
            thread::yield_now();
        }
        Self { queue, _threads: threads }
    }

    /// Asks so many workers to help with the call that has begun.
    pub(crate) fn call(&self, count: usize, pool: &Arc<dyn Serve>) {
        let task = || Task { pool: Arc::clone(pool), single: None };
        self.queue.put(|tasks| tasks.waiting.extend(std::iter::repeat_with(task).take(count)));
    }

    /// The call is over: workers that have not come need not come.
    pub(crate) fn call_off(&self, pool: &Arc<dyn Serve>) {
        let mut tasks = lock(&self.queue.tasks);
        tasks.waiting.retain(|task| task.single.is_some() || !Arc::ptr_eq(&task.pool, pool));
    }

    /// Asks one worker to run a single sub-environment, which was told what to do.
    pub(crate) fn start(&self, pool: &Arc<dyn Serve>, index: usize) {
        let task = Task { pool: Arc::clone(pool), single: Some(index) };
        self.queue.put(|tasks| tasks.waiting.push_back(task));
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let mut tasks = lock(&self.queue.tasks);
        tasks.quit = true;
        tasks.waiting.clear();
        self.queue.wake.iter().for_each(Condvar::notify_one);
    }
}

/// Which thread of the pool this one is.
pub(crate) fn worker_number() -> usize {
    rayon::current_thread_index().unwrap_or_default()
}
