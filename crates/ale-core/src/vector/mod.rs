//! LAYER 5, many environments at once: one call, one batch of results, all workers busy.
//!
//! Sub-environment `i` depends on its game, the seed it was given and its actions only: neither on the other ones, nor
//! on the number of threads.

mod batch;
mod bytes;
mod config;
mod helpers;
mod past;
mod prototypes;
mod snapshot;
mod starts;
mod steps;
mod sub;
mod turn;
mod view;
mod workers;

use std::sync::Arc;

pub use batch::{Batch, Facts, Layout, Record, Rows};
pub use config::{Autoreset, Observation, Player, VectorConfig};
pub use snapshot::VectorSnapshot;

use crate::action::Action;
use crate::env::Env;
use crate::error::Error;
use prototypes::{Prototypes, action_set};
use sub::Command;
use workers::{Crew, Workers, lock};

/// Many games played at once by one agent.
///
/// Results are written into the caller's memory ([`Rows`]); in the steady state nothing is allocated.
pub struct VectorEnv {
    crew: Arc<Crew>,
    workers: Workers,
    batch_size: usize,
    obs_shape: Vec<usize>,
    actions: Arc<[Action]>,
    commands: Vec<Command>,
    /// The sub-environments of the rows of the last batch, to which the next actions go.
    answered: Vec<usize>,
    /// Results that were asked for and not yet received.
    in_flight: usize,
    waits: Vec<Wait>,
    /// Why only a full reset helps, if so.
    upset: Option<&'static str>,
    started: bool,
    /// The sub-environment that breaks down when it next works.
    fault: Option<usize>,
}

/// What a sub-environment is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// An action.
    Action,
    /// A reset: its episode is over and nobody else starts the next one.
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
    Seed(u32),
}

impl VectorEnv {
    /// Builds all sub-environments.
    ///
    /// # Errors
    /// When an option or a ROM is not accepted; the text says which sub-environment it is.
    pub fn load(players: &[Player], config: VectorConfig, with_ram: bool) -> Result<Self, Error> {
        let batch_size = config.check(players.len())?;
        let workers = Workers::new(&config, batch_size);
        let prototypes = Prototypes::load(players, &config)?;
        let (row, obs_shape) = prototypes.observation(config.observation);
        let with_final = config.autoreset == Autoreset::SameStep;
        let layout = Layout::new(row, with_final, with_ram, config.sound);
        let actions = action_set(players, config.full_action_space);
        prototypes.check_memory(players.len(), batch_size, layout, &config)?;
        let subs = prototypes.into_subs(players, &config, &actions)?;
        let mut commands = Vec::new();
        commands.resize(subs.len(), Command::Report);
        let num_envs = subs.len();
        Ok(Self {
            waits: vec![Wait::Reset; num_envs],
            crew: Arc::new(Crew::new(config, layout, subs, workers.threads())),
            workers,
            batch_size,
            obs_shape,
            actions,
            commands,
            answered: Vec::with_capacity(num_envs),
            in_flight: 0,
            upset: None,
            started: false,
            fault: None,
        })
    }

    /// Number of sub-environments.
    pub fn num_envs(&self) -> usize {
        self.crew.subs.len()
    }

    /// Rows of a batch.
    pub fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// Worker threads.
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

    /// The options.
    pub fn config(&self) -> &VectorConfig {
        &self.crew.config
    }

    /// Bytes of the rows of a batch.
    pub fn layout(&self) -> Layout {
        self.crew.layout
    }

    /// The shape of one observation.
    pub fn obs_shape(&self) -> &[usize] {
        &self.obs_shape
    }

    /// The actions that an index stands for, the same for all sub-environments.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The action of an index.
    ///
    /// # Errors
    /// [`Error::Action`] when there is no such index.
    pub fn action(&self, index: i64) -> Result<Action, Error> {
        let found = usize::try_from(index).ok().and_then(|index| self.actions.get(index));
        found.copied().ok_or(Error::Action { action: index, max: self.actions.len() as u32 - 1 })
    }

    /// Memory for a batch.
    pub fn new_batch(&self) -> Batch {
        Batch::new(self.crew.layout, self.batch_size)
    }

    /// Looks at one sub-environment between calls.
    ///
    /// # Errors
    /// [`Error::Order`] while its worker has it.
    pub fn look_at<T>(&self, index: usize, look: impl FnOnce(&Env) -> T) -> Result<T, Error> {
        self.check_ready("render")?;
        self.check_whole(index)?;
        Ok(self.crew.show(index, look))
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
        rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.check_reset(choices)?;
        self.recall();
        self.set_reset_commands(choices);
        let full = choices.iter().all(|choice| *choice != Choice::Leave);
        if full {
            self.upset = None;
            self.started = true;
        }
        self.run(rows, poll)
    }

    /// Starts full episodes everywhere without waiting; the results come with [`VectorEnv::recv`].
    ///
    /// # Errors
    /// As [`VectorEnv::reset`].
    pub fn send_reset(&mut self, choices: &[Choice]) -> Result<(), Error> {
        self.check_reset(choices)?;
        self.recall();
        self.set_reset_commands(choices);
        self.upset = None;
        self.started = true;
        for index in 0..self.num_envs() {
            self.start(index)?;
        }
        Ok(())
    }

    fn check_reset(&self, choices: &[Choice]) -> Result<(), Error> {
        debug_assert_eq!(choices.len(), self.num_envs());
        self.check_not_forked()?;
        let chosen = choices.iter().filter(|choice| **choice != Choice::Leave).count();
        let all = choices.len();
        if chosen == all {
            return Ok(());
        }
        if !self.synchronous() {
            return Err(Error::Config(format!(
                "Partial reset is not supported for async mode where batch_size < num_envs \
                 (got {chosen} of {all})"
            )));
        }
        if !self.started || self.upset.is_some() {
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
        actions: &[(Action, f32)],
        rows: Rows<'_>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        debug_assert!(self.synchronous());
        self.check_send(None, actions.len(), "step")?;
        for (command, &(action, strength)) in self.commands.iter_mut().zip(actions) {
            *command = Command::Step(action, strength);
        }
        self.run(rows, poll)
    }

    fn run(&mut self, rows: Rows<'_>, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        if let Some(index) = self.fault.take() {
            self.commands[index] = Command::Panic;
        }
        let complete = self.workers.run(&self.crew, &self.commands, rows, poll)?;
        let failure = self.crew.failure();
        if !complete {
            self.upset = Some("a call was interrupted in the middle of a step; call reset() first");
            return Err(Error::Interrupted);
        }
        self.answered.clear();
        self.answered.extend(0..self.crew.subs.len());
        for index in 0..self.crew.subs.len() {
            self.settle(index);
        }
        failure.map_or(Ok(()), Err)
    }

    /// A sub-environment has come back from its worker.
    fn settle(&mut self, index: usize) {
        let stuck = self.crew.config.autoreset == Autoreset::Disabled && lock(&self.crew.subs[index]).over();
        self.waits[index] = if stuck { Wait::Reset } else { Wait::Action };
    }

    /// Starts a step of the sub-environments that were the rows of the last batch, or of those in `ids`.
    ///
    /// # Errors
    /// [`Error::Order`] before a reset, twice without receiving, or when an episode is over and autoreset is disabled;
    /// [`Error::Count`] when there are too many or too few actions; [`Error::Env`] for an unknown sub-environment.
    pub fn send(&mut self, ids: Option<&[usize]>, actions: &[(Action, f32)]) -> Result<(), Error> {
        self.check_send(ids, actions.len(), "send")?;
        let answered = std::mem::take(&mut self.answered);
        for (&index, &(action, strength)) in ids.unwrap_or(&answered).iter().zip(actions) {
            self.commands[index] = Command::Step(action, strength);
            self.start(index)?;
        }
        // Its memory serves again.
        self.answered = answered;
        self.answered.clear();
        Ok(())
    }

    fn start(&mut self, index: usize) -> Result<(), Error> {
        let helpers = self.workers.helpers()?;
        if self.in_flight == 0 {
            self.crew.drain(0);
        }
        self.waits[index] = Wait::Worker;
        self.in_flight += 1;
        let fault = self.fault.take_if(|fault| *fault == index);
        let command = if fault.is_some() { Command::Panic } else { self.commands[index] };
        self.crew.tell(index, command);
        helpers.start(&self.crew, index);
        Ok(())
    }

    /// Waits for the next batch and writes its rows.
    ///
    /// # Errors
    /// [`Error::Order`] when less than a batch was asked for; [`Error::Interrupted`] when `poll` said yes: nothing is
    /// lost then, receive again; [`Error::Worker`] when a sub-environment failed: the others' rows of this batch are
    /// written, all can go on.
    pub fn recv(&mut self, rows: Rows<'_>, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        self.check_not_forked()?;
        if self.in_flight < self.batch_size {
            return Err(Error::Order(format!(
                "recv() called with {} results to come; a batch has {}: call send() or reset() first",
                self.in_flight, self.batch_size
            )));
        }
        if !self.crew.receive(&mut self.answered, self.batch_size, rows, poll) {
            return Err(Error::Interrupted);
        }
        self.in_flight -= self.batch_size;
        for row in 0..self.answered.len() {
            self.settle(self.answered[row]);
        }
        self.crew.failure().map_or(Ok(()), Err)
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

    fn check_ready(&self, call: &str) -> Result<(), Error> {
        match self.upset {
            Some(reason) => Err(Error::Order(reason.to_owned())),
            None if self.started => Ok(()),
            None => Err(Error::Order(format!("{call}() called before reset(); call reset() first"))),
        }
    }

    /// All sub-environments are as they should be.
    fn forgive(&mut self) {
        self.upset = None;
        self.started = true;
        self.answered.clear();
        self.answered.extend(0..self.batch_size);
    }

    fn report_all(&mut self) {
        self.commands.fill(Command::Report);
    }

    fn check_known(&self, index: usize) -> Result<(), Error> {
        let last = self.num_envs() - 1;
        if index <= last { Ok(()) } else { Err(Error::Env { index, last }) }
    }

    fn check_idle(&self, index: usize) -> Result<(), Error> {
        self.check_known(index)?;
        if self.waits[index] != Wait::Worker {
            return Ok(());
        }
        Err(Error::Order(format!("sub-environment {index} is at work; call recv() until it has come back")))
    }

    /// The sub-environment is here and can be looked at.
    fn check_whole(&self, index: usize) -> Result<(), Error> {
        self.check_idle(index)?;
        let name = |text: Error| Error::Order(format!("sub-environment {index} cannot be looked at: {text}"));
        lock(&self.crew.subs[index]).check_whole().map_err(name)
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

    /// Takes all work back that nobody has received.
    fn recall(&mut self) {
        if self.in_flight > 0 {
            self.crew.drain(self.in_flight);
            self.in_flight = 0;
        }
        self.answered.clear();
    }
}

impl Drop for VectorEnv {
    fn drop(&mut self) {
        // Workers with a step in hand finish it soon and let go of the rest; nobody waits for them.
        self.crew.stop();
    }
}
