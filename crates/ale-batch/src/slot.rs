//! One sub-environment of a batch: a world, whether its episode is over, and its row.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use ale_sim::simulator::PARTS;
use ale_sim::{Context, Error, Simulator};

use crate::options::Autoreset;
use crate::pool::lock;
use crate::rows::{Layout, Record, RecordOf, Rows};

/// What a sub-environment is told to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Command<A> {
    /// Act for a step, or start the next episode if this one is over.
    Step(A),
    /// Start an episode, with this seed if there is one.
    Reset(Option<u64>),
    /// Only report.
    Report,
    /// Panic, to see what happens then.
    Panic,
}

/// Where the episode of a sub-environment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Episode {
    Running,
    /// The next step starts another one.
    Over,
    /// The world panicked: only a new one helps.
    Broken,
}

/// What all slots of a pool share.
pub(crate) struct Shared<S: Simulator> {
    pub(crate) options: S::Options,
    pub(crate) autoreset: Autoreset,
    pub(crate) layout: Layout,
    /// The caller wants all work to end soon.
    pub(crate) stop: AtomicBool,
    /// Memory for last observations that no slot has.
    pub(crate) spare: Mutex<Vec<LastObs>>,
}

impl<S: Simulator> Shared<S> {
    /// Memory for a last observation; empty where the layout has none.
    pub(crate) fn new_last_obs(&self) -> LastObs {
        self.layout.final_obs.map(|len| vec![0; len])
    }
}

/// The last observation of an episode that another one followed at once.
pub(crate) type LastObs = [Vec<u8>; PARTS];

/// A world and what the batch knows of it.
pub(crate) struct Slot<S: Simulator> {
    pub(crate) sim: S,
    pub(crate) episode: Episode,
    /// What it is to do next.
    pub(crate) told: Command<S::Action>,
    /// What it has done, as long as its row is not written.
    done: Option<RecordOf<S>>,
    /// The last observation of an episode that another one followed at once, as long as its row is not written.
    last_obs: LastObs,
}

impl<S: Simulator> Slot<S> {
    pub(crate) fn new(sim: S, episode: Episode) -> Self {
        Self { sim, episode, told: Command::Report, done: None, last_obs: Default::default() }
    }

    /// A world of a snapshot takes the place of this one.
    pub(crate) fn put(&mut self, sim: S, episode: Episode) {
        *self = Self::new(sim, episode);
    }

    /// Whether there is something to look at.
    ///
    /// # Errors
    /// [`Error::Order`] after it panicked.
    pub(crate) fn check_whole(&self) -> Result<(), Error> {
        if self.episode == Episode::Broken {
            return Err(Error::Order(
                "it panicked in an earlier step; the next step or reset starts it anew".to_owned(),
            ));
        }
        Ok(())
    }

    /// Does what it was told. What there is to report stays here until [`Slot::write_done`].
    pub(crate) fn work(&mut self, shared: &Shared<S>, context: &mut Context<'_, S>) -> Result<(), Error> {
        let mut record = Record::default();
        self.done = None;
        match self.told {
            Command::Step(action) => self.step(action, &mut record, shared, context)?,
            Command::Reset(seed) => self.reset(seed, shared, context)?,
            Command::Report => self.check_whole()?,
            Command::Panic => panic!("it was told to"),
        }
        record.now = self.sim.info();
        self.done = Some(record);
        Ok(())
    }

    fn step(
        &mut self,
        action: S::Action,
        record: &mut RecordOf<S>,
        shared: &Shared<S>,
        context: &mut Context<'_, S>,
    ) -> Result<(), Error> {
        let at_once = shared.autoreset == Autoreset::SameStep;
        if self.episode == Episode::Broken || (self.episode == Episode::Over && !at_once) {
            self.reset(None, shared, context)?;
            record.truncated = self.episode == Episode::Over;
            return Ok(());
        }
        let step = self.sim.step(action, context);
        (record.reward, record.terminated, record.truncated) = (step.reward, step.terminated, step.truncated);
        self.episode = if step.over { Episode::Over } else { Episode::Running };
        if step.over && at_once {
            let spare = lock(&shared.spare).pop();
            self.last_obs = spare.unwrap_or_else(|| shared.new_last_obs());
            self.sim.write_obs(&shared.options, &mut self.last_obs.each_mut().map(Vec::as_mut_slice));
            record.last = Some(self.sim.info());
            self.reset(None, shared, context)?;
        }
        Ok(())
    }

    fn reset(
        &mut self,
        seed: Option<u64>,
        shared: &Shared<S>,
        context: &mut Context<'_, S>,
    ) -> Result<(), Error> {
        if self.episode == Episode::Broken {
            self.sim.rebuild()?;
        }
        // An error on the way leaves an episode that has to be started again.
        self.episode = Episode::Over;
        let over = self.sim.reset(seed, context)?;
        if !(over && shared.autoreset == Autoreset::NextStep) {
            self.episode = Episode::Running;
        }
        Ok(())
    }

    /// Writes the row of what was done, unless that failed.
    pub(crate) fn write_done(&mut self, shared: &Shared<S>, row: &mut Rows<'_, RecordOf<S>>) {
        let Some(record) = self.done.take() else { return };
        if record.last.is_some() {
            let last_obs = std::mem::take(&mut self.last_obs);
            for (part, last) in row.final_obs.iter_mut().zip(&last_obs) {
                part.copy_from_slice(last);
            }
            lock(&shared.spare).push(last_obs);
        }
        row.records[0] = Record { env_id: row.records[0].env_id, ..record };
        self.sim.write_obs(&shared.options, &mut row.obs);
        self.sim.write_extra(&shared.options, &mut row.extra);
    }
}
