//! The threads of a pool, as helpers of those who call.
//!
//! They help with turns (see [`super::turn`]) and with single sub-environments. A helper looks for work for a while before
//! it sleeps, and none of this allocates, unlike tasks of the pool itself.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use rayon::ThreadPool;

use super::workers::{Crew, lock};

/// How often an idle thread looks around before it sleeps.
const ROUNDS: usize = 64;

/// Something to do for a crew.
struct Task {
    crew: Arc<Crew>,
    /// A single sub-environment. Otherwise the turn of the crew.
    single: Option<usize>,
}

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<Task>,
    /// Helpers that look for one.
    looking: usize,
    /// Helpers that have to be woken up.
    asleep: usize,
    quit: bool,
}

/// Where helpers find their tasks.
#[derive(Default)]
struct Desk {
    /// How often something was put here.
    calls: AtomicUsize,
    tasks: Mutex<Tasks>,
    rung: Condvar,
}

impl Desk {
    /// Changes the tasks and calls as many helpers as are needed.
    fn put(&self, change: impl FnOnce(&mut Tasks)) {
        let mut tasks = lock(&self.tasks);
        change(&mut tasks);
        self.calls.fetch_add(1, Ordering::AcqRel);
        for _ in 0..tasks.waiting.len().saturating_sub(tasks.looking).min(tasks.asleep) {
            self.rung.notify_one();
        }
    }

    /// Waits for a task. `None` when there will be no more.
    fn take(&self) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        let mut rounds = 0;
        while tasks.waiting.is_empty() && !tasks.quit {
            if rounds < ROUNDS {
                tasks.looking += 1;
                let seen = self.calls.load(Ordering::Acquire);
                drop(tasks);
                while rounds < ROUNDS && self.calls.load(Ordering::Acquire) == seen {
                    thread::yield_now();
                    rounds += 1;
                }
                tasks = lock(&self.tasks);
                tasks.looking -= 1;
            } else {
                tasks.asleep += 1;
                tasks = self.rung.wait(tasks).unwrap_or_else(PoisonError::into_inner);
                tasks.asleep -= 1;
                rounds = 0;
            }
        }
        tasks.waiting.pop_front()
    }
}

/// The helpers of one environment or of many.
pub(super) struct Helpers {
    desk: Arc<Desk>,
    /// Its threads do nothing else.
    _pool: ThreadPool,
}

impl Helpers {
    /// Lets all threads of a pool help.
    pub(super) fn new(pool: ThreadPool) -> Self {
        let desk = Arc::<Desk>::default();
        let theirs = Arc::clone(&desk);
        let there = Arc::new(AtomicUsize::new(0));
        let arrived = Arc::clone(&there);
        pool.spawn_broadcast(move |_| {
            arrived.fetch_add(1, Ordering::Release);
            while let Some(Task { crew, single }) = theirs.take() {
                match single {
                    Some(index) => crew.deliver(index),
                    None => _ = crew.turn.lent.help(),
                }
            }
        });
        // What a thread allocates when it starts is not to be part of somebody's step.
        while there.load(Ordering::Acquire) < pool.current_num_threads() {
            thread::yield_now();
        }
        Self { desk, _pool: pool }
    }

    /// Asks so many to help with the turn that has begun.
    pub(super) fn call(&self, count: usize, crew: &Arc<Crew>) {
        let task = || Task { crew: Arc::clone(crew), single: None };
        self.desk.put(|tasks| tasks.waiting.extend(std::iter::repeat_with(task).take(count)));
    }

    /// The turn is over: nobody has to come any more.
    pub(super) fn call_off(&self, crew: &Arc<Crew>) {
        let mut tasks = lock(&self.desk.tasks);
        tasks.waiting.retain(|task| task.single.is_some() || !Arc::ptr_eq(&task.crew, crew));
    }

    /// Asks one to work on a single sub-environment, which was told what to do.
    pub(super) fn start(&self, crew: &Arc<Crew>, index: usize) {
        let task = Task { crew: Arc::clone(crew), single: Some(index) };
        self.desk.put(|tasks| tasks.waiting.push_back(task));
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        let mut tasks = lock(&self.desk.tasks);
        tasks.quit = true;
        tasks.waiting.clear();
        self.desk.rung.notify_all();
    }
}
