//! One sub-environment: an environment, its idle frames, its episode and its row of the batch.

use std::sync::Arc;

use super::batch::{Facts, Record, Rows};
use super::config::{Autoreset, Player};
use super::past::{Past, Spare};
use super::view::View;
use super::workers::Crew;
use crate::action::Action;
use crate::env::{Env, Moment};
use crate::error::Error;
use crate::preprocess::Scratch;
use crate::rng::Mt19937;

/// What a sub-environment is told to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Command {
    /// Act for a step, or start the next episode if this one is over.
    Step(Action, f32),
    /// Start an episode, with this seed if there is one.
    Reset(Option<u32>),
    /// Only report.
    Report,
    /// Break down, to see what happens then.
    Panic,
}

/// Memory that the sub-environments of a worker share.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) scratch: Scratch,
    /// The frame before the last one of a step, where the console does not keep it.
    pub(super) before: Vec<u8>,
    /// Bytes of a picture of the native size.
    pub(super) native: Vec<u8>,
    pub(super) spare: Spare,
    /// The moment before the step.
    pub(super) start: Option<Box<Moment>>,
}

impl Workspace {
    /// With picture buffers of this height.
    pub(super) fn with_picture(height: usize) -> Self {
        let mut workspace = Self::default();
        let picture = workspace.spare.take(height);
        workspace.spare.give(picture);
        workspace
    }
}

/// A sub-environment. Between calls its environment has no picture buffers.
#[derive(Clone)]
pub(super) struct Sub {
    pub(super) env: Env,
    /// To start anew from, when this one breaks down.
    pub(super) prototype: Arc<Env>,
    pub(super) broken: bool,
    pub(super) mode: Option<u32>,
    pub(super) difficulty: Option<u32>,
    pub(super) has_fire: bool,
    /// Draws the number of idle frames.
    pub(super) idle: Mt19937,
    pub(super) view: View,
    pub(super) past: Past,
    /// Rows of the screen.
    pub(super) height: usize,
    /// Frames of steps in this episode.
    pub(super) elapsed: i64,
    /// The next step starts another episode.
    pub(super) over: bool,
    /// The episode ended with a lost life only.
    pub(super) continues: bool,
    pub(super) facts: Facts,
    pub(super) lives: i32,
    pub(super) episode_return: f64,
    /// What it is to do next.
    pub(super) told: Command,
    /// What it has done, as long as its row is not written.
    pub(super) done: Option<Record>,
    /// The last observation of an episode that another one followed at once, as long as its row is not written.
    pub(super) last_seen: Vec<u8>,
}

impl Sub {
    pub(super) fn new(env: Env, prototype: Arc<Env>, player: &Player, view: View, height: usize) -> Self {
        Self {
            lives: env.lives(),
            env,
            prototype,
            broken: false,
            mode: player.mode,
            difficulty: player.difficulty,
            has_fire: false,
            idle: Mt19937::new(0),
            view,
            // Before the first reset there is nothing to show.
            past: Past::Kept(Box::default()),
            height,
            elapsed: 0,
            over: false,
            continues: false,
            facts: Facts::default(),
            episode_return: 0.0,
            told: Command::Report,
            done: None,
            last_seen: Vec::new(),
        }
    }

    /// Whether FIRE is among the actions, and where the idle frames of one that is never seeded come from.
    pub(super) fn prepare(&mut self, has_fire: bool, idle_seed: u32) {
        self.has_fire = has_fire;
        self.idle = Mt19937::new(idle_seed);
    }

    pub(super) fn over(&self) -> bool {
        self.over
    }

    /// Something inside went wrong: only a new start can help.
    pub(super) fn break_down(&mut self) {
        self.over = true;
        self.continues = false;
        self.broken = true;
    }

    /// Whether there is something to look at.
    ///
    /// # Errors
    /// [`Error::Order`] after it broke down.
    pub(super) fn check_whole(&self) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Order(
                "it broke down in an earlier step; the next step or reset starts it anew".to_owned(),
            ));
        }
        Ok(())
    }

    /// Sets mode and difficulty for the next reset.
    pub(super) fn choose(&mut self) -> Result<(), Error> {
        if let Some(mode) = self.mode {
            self.env.set_mode(mode)?;
        }
        if let Some(difficulty) = self.difficulty {
            self.env.set_difficulty(difficulty)?;
        }
        Ok(())
    }

    /// Shows the environment with its pictures.
    pub(super) fn show<T>(&mut self, work: &mut Workspace, look: impl FnOnce(&Env) -> T) -> T {
        let mut picture = match &mut self.past {
            Past::Kept(kept) => std::mem::take(&mut kept.picture),
            Past::Replay(replay) => {
                let now = self.env.moment();
                let mut picture = work.spare.take(self.height);
                // Where nobody needs pictures nobody knows whether these frames cover them, and what they leave
                // out must not be of another sub-environment.
                picture.clear();
                self.env.swap_picture(&mut picture);
                replay.play(&mut self.env);
                self.env.go_to(&now);
                self.env.swap_picture(&mut picture);
                picture
            }
        };
        self.env.swap_picture(&mut picture);
        let seen = look(&self.env);
        self.env.swap_picture(&mut picture);
        match &mut self.past {
            Past::Kept(kept) => kept.picture = picture,
            Past::Replay(_) => work.spare.give(picture),
        }
        seen
    }

    /// Writes the row of what was done, unless that failed.
    pub(super) fn write_done(&mut self, row: &mut Rows<'_>) {
        let Some(record) = self.done.take() else { return };
        if record.last.is_some() {
            row.final_obs.copy_from_slice(&std::mem::take(&mut self.last_seen));
        }
        row.records[0] = Record { env_id: row.records[0].env_id, ..record };
        self.view.write(&self.env, row.obs);
        if !row.ram.is_empty() {
            row.ram.copy_from_slice(self.env.ram());
        }
        if !row.sound.is_empty() {
            row.sound.copy_from_slice(self.env.sound());
        }
    }

    /// Does what it was told. What there is to report stays here until [`Sub::write_done`].
    pub(super) fn work(&mut self, crew: &Crew, work: &mut Workspace) -> Result<(), Error> {
        let config = &crew.config;
        let mut record = Record::default();
        self.done = None;
        match self.told {
            Command::Step(..) if self.broken || (self.over && config.autoreset != Autoreset::SameStep) => {
                self.begin(None, config, work)?;
                record.truncated = self.over;
            }
            Command::Step(action, strength) => {
                self.step(action, strength, config, &crew.stop, work);
                record.reward = self.facts.raw_reward;
                if config.reward_clipping {
                    record.reward = record.reward.clamp(-1, 1);
                }
                let life_counts = config.life_loss_info || config.episodic_life;
                record.terminated = self.env.terminal() || (life_counts && self.lost_life());
                record.truncated = self.elapsed >= config.max_num_frames_per_episode && !record.terminated;
                self.lives = self.env.lives();
                if self.over && config.autoreset == Autoreset::SameStep {
                    self.look();
                    self.last_seen = vec![0; crew.layout.final_obs];
                    self.view.write(&self.env, &mut self.last_seen);
                    record.last = Some(self.facts);
                    self.begin(None, config, work)?;
                }
            }
            Command::Reset(seed) => self.begin(seed, config, work)?,
            Command::Report => self.check_whole()?,
            Command::Panic => panic!("it was told to"),
        }
        self.look();
        record.now = self.facts;
        self.done = Some(record);
        Ok(())
    }

    pub(super) fn lost_life(&self) -> bool {
        let lives = self.env.lives();
        lives < self.lives && lives > 0
    }

    /// Brings the facts up to date that are not counted.
    fn look(&mut self) {
        self.facts.lives = self.env.lives();
        self.facts.frame_number = self.env.frame_number() as i32;
        self.facts.episode_frame_number = self.env.episode_frame_number() as i32;
        self.facts.episode_return = self.episode_return as f32;
        self.facts.executed_action = self.env.executed_action() as i32;
        self.facts.game_over = self.env.terminal();
    }
}
