//! `VectorEnv`: the calls of a batch, in which order they may come, and who waits for what.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ale_sim::{Error, Simulator};

use crate::options::{Autoreset, BatchOptions};
use crate::pool::{EnvPool, lock};
use crate::rows::{Batch, Layout, RecordOf, Rows};
use crate::slot::{Command, Episode, Shared};
use crate::workers::Workers;

/// Many worlds run at once by one agent.
///
/// Results are written into the caller's memory ([`Rows`]); in the steady state nothing is allocated.
pub struct VectorEnv<S: Simulator> {
    pub(crate) pool: Arc<EnvPool<S>>,
    workers: Workers,
    batch_options: BatchOptions,
    batch_size: usize,
    commands: Vec<Command<S::Action>>,
    /// The sub-environments of the rows of the last batch, to which the next actions go.
    answered: Vec<usize>,
    /// Results that were asked for and not yet received.
    in_flight: usize,
    waits: Vec<Wait>,
    phase: Phase,
    /// The sub-environment that panics when it next works.
    fault: Option<usize>,
}

/// Whether the whole batch can be stepped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// There was no reset.
    New,
    Ready,
    /// Only a full reset helps, for this reason.
    Poisoned(&'static str),
}

/// What a sub-environment is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// An action.
    Action,
    /// A reset by the caller: its episode is over and autoreset is disabled.
    Reset,
    /// Its worker.
    Worker,
}

/// The seed of one sub-environment in a reset: leave it as it is, just reset it, or reset it with a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Not reset at all.
    Leave,
    /// The generators go on.
    Reset,
    /// As if built anew with this seed.
    Seed(u64),
}

impl<S: Simulator> VectorEnv<S> {
    /// A batch of these worlds, whose rows have this layout.
    ///
    /// # Errors
    /// [`Error::Config`] when there are no worlds or fewer than rows.
    pub fn new(
        sims: Vec<S>,
        layout: Layout,
        options: S::Options,
        batch_options: &BatchOptions,
    ) -> Result<Self, Error> {
        let batch_size = batch_options.rows(sims.len())?;
        let workers = Workers::new(batch_options, batch_size);
        let num_envs = sims.len();
        let mut commands = Vec::new();
        commands.resize(num_envs, Command::Report);
        let autoreset = batch_options.autoreset;
        let shared =
            Shared { options, autoreset, layout, stop: AtomicBool::default(), spare: Mutex::default() };
        Ok(Self {
            pool: Arc::new(EnvPool::new(shared, sims, workers.threads())),
            workers,
            batch_options: *batch_options,
            batch_size,
            commands,
            answered: Vec::with_capacity(num_envs),
            in_flight: 0,
            waits: vec![Wait::Reset; num_envs],
            phase: Phase::New,
            fault: None,
        })
    }

    /// Number of sub-environments.
    pub fn num_envs(&self) -> usize {
        self.pool.slots.len()
    }

    /// Rows of a batch.
    pub fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// Threads that work.
    pub fn threads(&self) -> usize {
        self.workers.threads()
    }

    /// Results that were asked for and not yet received.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether every batch has a row of each sub-environment, in order.
    pub fn synchronous(&self) -> bool {
        self.batch_size == self.num_envs()
    }

    /// What all worlds share.
    pub fn options(&self) -> &S::Options {
        &self.pool.shared.options
    }

    /// Threads, batches and autoreset.
    pub fn batch_options(&self) -> &BatchOptions {
        &self.batch_options
    }

    /// Bytes of the rows of a batch.
    pub fn layout(&self) -> Layout {
        self.pool.shared.layout
    }

    /// Memory for a batch.
    pub fn new_batch(&self) -> Batch<RecordOf<S>> {
        Batch::new(self.layout(), self.batch_size)
    }

    /// Shows one world between calls, with the working memory of a thread.
    ///
    /// # Errors
    /// [`Error::Order`] while its worker has it, before the first reset, and after it panicked.
    pub fn look_at<T>(
        &self,
        index: usize,
        look: impl FnOnce(&mut S, &mut S::Workspace) -> T,
    ) -> Result<T, Error> {
        self.check_ready("render")?;
        self.check_whole(index)?;
        let pool = &self.pool;
        Ok(pool.with_workspace(|workspace| look(&mut lock(&pool.slots[index]).sim, workspace)))
    }

    /// Lets the code of one sub-environment panic when it next works. For tests of what happens then.
    ///
    /// # Errors
    /// [`Error::Env`] when there is no such sub-environment.
    pub fn break_next(&mut self, index: usize) -> Result<(), Error> {
        self.check_known(index)?;
        self.fault = Some(index);
        Ok(())
    }

    /// Starts episodes: `choices` has one entry for each sub-environment. Writes all rows.
    ///
    /// # Errors
    /// [`Error::Order`] when the first reset leaves some out, or when it is asynchronous; [`Error::Worker`] when a
    /// sub-environment fails; [`Error::Interrupted`] when `poll` said yes.
    pub fn reset(
        &mut self,
        choices: &[Choice],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.check_reset(choices)?;
        self.check_synchronous("reset", "send_reset")?;
        self.check_rows(&rows)?;
        self.drain();
        self.set_reset_commands(choices);
        if choices.iter().all(|choice| *choice != Choice::Leave) {
            self.phase = Phase::Ready;
        }
        self.run(rows, poll)
    }

    /// Starts full episodes everywhere without waiting; the results come with [`VectorEnv::recv`].
    ///
    /// # Errors
    /// As [`VectorEnv::reset`].
    pub fn send_reset(&mut self, choices: &[Choice]) -> Result<(), Error> {
        self.check_reset(choices)?;
        self.drain();
        self.set_reset_commands(choices);
        self.phase = Phase::Ready;
        (0..self.num_envs()).try_for_each(|index| self.start(index))
    }

    fn check_reset(&self, choices: &[Choice]) -> Result<(), Error> {
        self.check_not_forked()?;
        let all = self.num_envs();
        if choices.len() != all {
            return Err(Error::Count(format!("{} choices for {all} sub-environments", choices.len())));
        }
        let chosen = choices.iter().filter(|choice| **choice != Choice::Leave).count();
        if chosen == all {
            return Ok(());
        }
        if !self.synchronous() {
            return Err(Error::Config(format!(
                "Partial reset is not supported for async mode where batch_size < num_envs \
                 (got {chosen} of {all})"
            )));
        }
        if self.phase != Phase::Ready {
            return Err(Error::Order(format!(
                "The first reset() must reset every environment (got {chosen} of {all})"
            )));
        }
        if self.in_flight > 0 {
            return Err(Error::Order("reset() called before recv() returned what was sent".to_owned()));
        }
        Ok(())
    }

    fn set_reset_commands(&mut self, choices: &[Choice]) {
        for (command, choice) in self.commands.iter_mut().zip(choices) {
            *command = match *choice {
                Choice::Leave => Command::Report,
                Choice::Reset => Command::Reset(None),
                Choice::Seed(seed) => Command::Reset(Some(seed)),
            };
        }
    }

    /// One step of all sub-environments. Writes all rows.
    ///
    /// # Errors
    /// As [`VectorEnv::send`], and [`Error::Worker`] when a sub-environment fails, [`Error::Interrupted`] when `poll`
    /// said yes.
    pub fn step(
        &mut self,
        actions: &[S::Action],
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.check_synchronous("step", "send")?;
        self.check_send(None, actions.len(), "step")?;
        self.check_rows(&rows)?;
        for (command, &action) in self.commands.iter_mut().zip(actions) {
            *command = Command::Step(action);
        }
        self.run(rows, poll)
    }

    /// Writes what all sub-environments show now.
    ///
    /// # Errors
    /// [`Error::Order`] before the first reset and while steps are in flight; [`Error::Config`] when a batch has fewer
    /// rows than there are sub-environments.
    pub fn observe(
        &mut self,
        rows: Rows<'_, RecordOf<S>>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.check_ready("observe")?;
        if !self.synchronous() {
            return Err(Error::Config(format!(
                "a batch has {} rows, too few to show {} sub-environments; accepted: synchronous mode, \
                 where batch_size is num_envs",
                self.batch_size,
                self.num_envs()
            )));
        }
        (0..self.num_envs()).try_for_each(|index| self.check_idle(index))?;
        self.check_rows(&rows)?;
        self.commands.fill(Command::Report);
        self.run(rows, poll)
    }

    fn run(&mut self, rows: Rows<'_, RecordOf<S>>, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        if let Some(index) = self.fault.take() {
            self.commands[index] = Command::Panic;
        }
        let complete = self.workers.run(&self.pool, &self.commands, rows, poll)?;
        let failure = self.pool.failure();
        if !complete {
            self.phase =
                Phase::Poisoned("a call was interrupted in the middle of a step; call reset() first");
            return Err(Error::Interrupted);
        }
        self.answered.clear();
        self.answered.extend(0..self.num_envs());
        (0..self.num_envs()).for_each(|index| self.mark_returned(index));
        failure.map_or(Ok(()), Err)
    }

    /// A sub-environment has come back from its worker.
    pub(crate) fn mark_returned(&mut self, index: usize) {
        let stuck = self.batch_options.autoreset == Autoreset::Disabled
            && lock(&self.pool.slots[index]).episode != Episode::Running;
        self.waits[index] = if stuck { Wait::Reset } else { Wait::Action };
    }

    /// Starts a step of the sub-environments that were the rows of the last batch, or of those in `ids`.
    ///
    /// # Errors
    /// [`Error::Order`] before a reset, twice without receiving, or when an episode is over and autoreset is disabled;
    /// [`Error::Count`] when there are too many or too few actions; [`Error::Env`] for an unknown sub-environment.
    pub fn send(&mut self, ids: Option<&[usize]>, actions: &[S::Action]) -> Result<(), Error> {
        self.check_send(ids, actions.len(), "send")?;
        let answered = std::mem::take(&mut self.answered);
        for (&index, &action) in ids.unwrap_or(&answered).iter().zip(actions) {
            self.commands[index] = Command::Step(action);
            self.start(index)?;
        }
        // Its memory serves again.
        self.answered = answered;
        self.answered.clear();
        Ok(())
    }

    fn start(&mut self, index: usize) -> Result<(), Error> {
        let workers = self.workers.pool()?;
        if self.in_flight == 0 {
            self.pool.drain(0);
        }
        self.waits[index] = Wait::Worker;
        self.in_flight += 1;
        let fault = self.fault.take_if(|fault| *fault == index);
        let command = if fault.is_some() { Command::Panic } else { self.commands[index] };
        self.pool.tell(index, command);
        workers.start(&self.pool.erased(), index);
        Ok(())
    }

    /// Waits for the next batch and writes its rows.
    ///
    /// # Errors
    /// [`Error::Order`] when less than a batch was asked for; [`Error::Interrupted`] when `poll` said yes: nothing is
    /// lost then, receive again; [`Error::Worker`] when a sub-environment failed: the others' rows of this batch are
    /// written, all can go on.
    pub fn recv(&mut self, rows: Rows<'_, RecordOf<S>>, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        self.check_not_forked()?;
        if self.in_flight < self.batch_size {
            return Err(Error::Order(format!(
                "recv() called with {} results to come; a batch has {}: call send() or reset() first",
                self.in_flight, self.batch_size
            )));
        }
        self.check_rows(&rows)?;
        if !self.pool.receive(&mut self.answered, self.batch_size, rows, poll) {
            return Err(Error::Interrupted);
        }
        self.in_flight -= self.batch_size;
        for row in 0..self.answered.len() {
            self.mark_returned(self.answered[row]);
        }
        self.pool.failure().map_or(Ok(()), Err)
    }

    fn check_send(&self, ids: Option<&[usize]>, count: usize, call: &str) -> Result<(), Error> {
        self.check_not_forked()?;
        self.check_ready(call)?;
        if ids.is_none() && self.answered.is_empty() {
            return Err(Error::Order(format!("{call}() called twice without recv()")));
        }
        let chosen = ids.is_some();
        let ids = ids.unwrap_or(&self.answered);
        if count != ids.len() {
            return Err(Error::Count(format!("Expected {} actions, got {count}", ids.len())));
        }
        let mut stuck = Vec::new();
        let mut named = vec![false; if chosen { self.num_envs() } else { 0 }];
        for &index in ids {
            self.check_known(index)?;
            if chosen && std::mem::replace(&mut named[index], true) {
                return Err(Error::Count(format!("sub-environment {index} is named twice")));
            }
            match self.waits[index] {
                Wait::Action => {}
                Wait::Reset => stuck.push(index.to_string()),
                Wait::Worker => self.check_idle(index)?,
            }
        }
        if !stuck.is_empty() {
            return Err(Error::Order(format!(
                "the episodes of sub-environments {} are over and autoreset is disabled; \
                 call reset() with a reset_mask of them",
                stuck.join(", ")
            )));
        }
        Ok(())
    }

    pub(crate) fn check_ready(&self, call: &str) -> Result<(), Error> {
        match self.phase {
            Phase::Ready => Ok(()),
            Phase::Poisoned(reason) => Err(Error::Order(reason.to_owned())),
            Phase::New => Err(Error::Order(format!("{call}() called before reset(); call reset() first"))),
        }
    }

    /// Calls that write the rows of all sub-environments need a batch of that size.
    fn check_synchronous(&self, call: &str, instead: &str) -> Result<(), Error> {
        if self.synchronous() {
            return Ok(());
        }
        let (rows, all) = (self.batch_size, self.num_envs());
        Err(Error::Config(format!(
            "{call}() needs a batch_size of num_envs, and it is {rows} of {all}; accepted: {instead}() and recv()"
        )))
    }

    /// Whether the caller's memory is that of a batch.
    fn check_rows(&self, rows: &Rows<'_, RecordOf<S>>) -> Result<(), Error> {
        if rows.fit(self.layout(), self.batch_size) {
            return Ok(());
        }
        Err(Error::Count("the memory for the results has not the size of a batch (any more)".to_owned()))
    }

    /// All sub-environments were restored.
    pub(crate) fn set_ready(&mut self) {
        self.phase = Phase::Ready;
        self.answered.clear();
        self.answered.extend(0..self.batch_size);
    }

    pub(crate) fn check_known(&self, index: usize) -> Result<(), Error> {
        let last = self.num_envs() - 1;
        if index <= last { Ok(()) } else { Err(Error::Env { index, last }) }
    }

    pub(crate) fn check_idle(&self, index: usize) -> Result<(), Error> {
        self.check_known(index)?;
        if self.waits[index] != Wait::Worker {
            return Ok(());
        }
        Err(Error::Order(format!("sub-environment {index} is at work; call recv() until it has come back")))
    }

    /// The sub-environment is here and can be looked at.
    pub(crate) fn check_whole(&self, index: usize) -> Result<(), Error> {
        self.check_idle(index)?;
        let name = |text: Error| Error::Order(format!("sub-environment {index} cannot be looked at: {text}"));
        lock(&self.pool.slots[index]).check_whole().map_err(name)
    }

    fn check_not_forked(&self) -> Result<(), Error> {
        if self.in_flight > 0 && self.workers.forked() {
            return Err(Error::Order(
                "the process was forked while steps were in flight, and they are lost; \
                 make a new environment here"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Takes all work back that was not received.
    fn drain(&mut self) {
        if self.in_flight > 0 {
            self.pool.drain(self.in_flight);
            self.in_flight = 0;
        }
        self.answered.clear();
    }
}

impl<S: Simulator> Drop for VectorEnv<S> {
    fn drop(&mut self) {
        // Workers with a step in hand finish it soon and let go of the rest; this thread does not wait for them.
        self.pool.stop();
    }
}
