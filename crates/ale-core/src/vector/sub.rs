//! One sub-environment: an environment, its idle frames, its episode and its row of the batch.

use std::mem::swap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::{Facts, Record, Rows};
use super::config::{Autoreset, Player, VectorConfig};
use super::past::{CALM, Kept, Past, Replay, Spare};
use super::view::{Shown, View};
use crate::action::Action;
use crate::console::Picture;
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
}

/// Memory that the sub-environments of a worker share.
#[derive(Default)]
pub(super) struct Workspace {
    scratch: Scratch,
    /// The frame before the last one of a step, where the console does not keep it.
    before: Vec<u8>,
    /// Bytes of a picture of the native size.
    native: Vec<u8>,
    spare: Spare,
    /// The moment before the step.
    start: Option<Moment>,
}

/// A sub-environment. Between calls its environment has no picture buffers.
#[derive(Clone)]
pub(super) struct Sub {
    env: Env,
    /// To start anew from, when this one breaks down.
    prototype: Arc<Env>,
    broken: bool,
    mode: Option<u32>,
    difficulty: Option<u32>,
    has_fire: bool,
    /// Draws the number of idle frames.
    idle: Mt19937,
    view: View,
    past: Past,
    /// Rows of the screen.
    height: usize,
    /// Frames of steps in this episode.
    elapsed: i64,
    /// The next step starts another episode.
    over: bool,
    /// The episode ended with a lost life only.
    continues: bool,
    facts: Facts,
    lives: i32,
    episode_return: f64,
}

/// How an episode starts.
#[derive(Clone, Copy)]
struct Start {
    seed: Option<u32>,
    /// The game goes on with the next life instead of a reset.
    next_life: bool,
    fires: bool,
    idle: u32,
}

/// How the frames of a step went.
struct Ran {
    /// Frames that were to come when the step ended.
    left: u32,
    reward: i32,
    elapsed: i64,
    over: bool,
    continues: bool,
    /// The frame before the last one had to be copied.
    copied: bool,
}

impl Sub {
    pub(super) fn new(mut env: Env, prototype: Arc<Env>, player: &Player, view: View) -> Self {
        let height = env.height();
        let mut kept = Kept::default();
        env.swap_picture(&mut kept.picture);
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
            past: Past::Kept(Box::new(kept)),
            height,
            elapsed: 0,
            over: false,
            continues: false,
            facts: Facts::default(),
            episode_return: 0.0,
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

    /// Does what it is told and writes its row.
    pub(super) fn obey(
        &mut self,
        command: Command,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
        row: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let mut record = Record { env_id: row.records[0].env_id, ..Record::default() };
        match command {
            Command::Step(..) if self.over && config.autoreset != Autoreset::SameStep => {
                self.begin(None, config, work)?;
                record.truncated = self.over;
            }
            Command::Step(action, strength) => {
                self.step(action, strength, config, stop, work);
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
                    self.write_observation(row.final_obs, work);
                    record.last = Some(self.facts);
                    self.begin(None, config, work)?;
                }
            }
            Command::Reset(seed) => self.begin(seed, config, work)?,
            Command::Report => {}
        }
        self.look();
        record.now = self.facts;
        row.records[0] = record;
        self.write_observation(row.obs, work);
        if !row.ram.is_empty() {
            row.ram.copy_from_slice(self.env.ram());
        }
        if !row.sound.is_empty() {
            row.sound.copy_from_slice(self.env.sound());
        }
        Ok(())
    }

    fn write_observation(&mut self, out: &mut [u8], work: &mut Workspace) {
        if let View::Screen { .. } = self.view {
            let view = self.view.clone();
            self.show(work, |env| view.write(env, out));
        } else {
            self.view.write(&self.env, out);
        }
    }

    /// Starts an episode.
    fn begin(&mut self, seed: Option<u32>, config: &VectorConfig, work: &mut Workspace) -> Result<(), Error> {
        if self.broken {
            self.env = (*self.prototype).clone();
            self.env.swap_picture(&mut Picture::default());
            self.choose()?;
            self.broken = false;
        }
        if let Some(seed) = seed {
            self.idle = Mt19937::new(seed);
        }
        let next_life = self.continues && seed.is_none();
        let fires = config.use_fire_reset && self.has_fire;
        let idle = if next_life {
            u32::from(!fires)
        } else {
            // Drawn in every reset; FIRE counts as one of the idle frames.
            self.idle.below(config.noop_max.max(1)).saturating_sub(u32::from(fires))
        };
        let start = Start { seed, next_life, fires, idle };
        if config.keep_pictures || !self.begin_undrawn(start, work) {
            self.begin_drawn(start, work)?;
        }
        self.elapsed = 0;
        // Reference: with a limit of no frames at all every step is a reset that is truncated at once.
        self.over = config.autoreset == Autoreset::NextStep && config.max_num_frames_per_episode <= 0;
        self.continues = false;
        self.lives = self.env.lives();
        self.facts = Facts::default();
        self.episode_return = 0.0;
        Ok(())
    }

    /// Starts an episode of which only the last two frames are drawn. `false` when that does not do; nothing has
    /// changed then.
    fn begin_undrawn(&mut self, start: Start, work: &mut Workspace) -> bool {
        // Seeded starts are copied; there is little to win.
        if start.seed.is_some() || start.next_life || start.idle < 2 || !self.view.needs_pictures() {
            return false;
        }
        let now = self.env.moment();
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        self.env.set_drawing(false);
        let result = self.env.reset();
        if start.fires {
            self.env.act(Action::Fire, 1.0);
        }
        let mut replay = None;
        for left in (1..=start.idle).rev() {
            if left == 2 {
                self.env.set_drawing(true);
                let start = self.env.moment();
                let pooled = false;
                replay = Some(Replay { start, action: Action::Noop, strength: 1.0, frames: 2, pooled });
            }
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() {
                replay = None;
                break;
            }
        }
        self.env.set_drawing(true);
        let replay = replay.filter(|_| covered(&self.env) && result.is_ok());
        let done = replay.is_some();
        if let Some(replay) = replay {
            self.view.start(&self.env, &mut work.scratch);
            self.past = Past::Replay(Box::new(replay));
        } else {
            self.env.go_to(&now);
        }
        self.env.swap_picture(&mut picture);
        work.spare.give(picture);
        done
    }

    /// Starts an episode and keeps its pictures.
    fn begin_drawn(&mut self, start: Start, work: &mut Workspace) -> Result<(), Error> {
        let mut kept = match &mut self.past {
            Past::Kept(kept) => std::mem::take(kept),
            Past::Replay(_) if start.next_life => self.play_again(work),
            // A reset clears the buffers.
            Past::Replay(_) => Box::new(Kept { picture: work.spare.take(self.height), ..Kept::default() }),
        };
        self.env.swap_picture(&mut kept.picture);
        let result = self.begin_with_picture(start);
        self.view.start(&self.env, &mut work.scratch);
        kept.remember(self.env.screen(), None);
        kept.calm = CALM - 1;
        self.env.swap_picture(&mut kept.picture);
        self.past = Past::Kept(kept);
        result
    }

    fn begin_with_picture(&mut self, start: Start) -> Result<(), Error> {
        if let Some(seed) = start.seed {
            self.env.reload(seed)?;
            self.choose()?;
        }
        if !start.next_life {
            self.env.reset()?;
        }
        if start.fires {
            self.env.act(Action::Fire, 1.0);
        }
        for _ in 0..start.idle {
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() && !start.next_life {
                self.env.reset()?;
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) {
        match &mut work.start {
            Some(start) => self.env.write_moment(start),
            start => *start = Some(self.env.moment()),
        }
        let lean = matches!(self.past, Past::Replay(_));
        let ran = lean.then(|| self.step_lean(action, strength, config, stop, work)).flatten();
        let ran = ran.unwrap_or_else(|| self.step_drawn(action, strength, config, stop, work));

        let calm = match &self.past {
            Past::Replay(_) => true,
            Past::Kept(kept) => kept.calm >= CALM && config.frameskip > 1 && !config.keep_pictures,
        };
        if calm || !(self.view.needs_pictures() || config.keep_pictures) {
            let frames = config.frameskip - ran.left + u32::from(ran.left > 0);
            self.remember_start(action, strength, frames, pools(config) && ran.left == 0, work);
        }
        self.elapsed = ran.elapsed;
        self.over = ran.over;
        self.continues = ran.continues;
        self.facts.raw_reward = ran.reward;
        self.facts.episode_length += 1;
        self.episode_return += f64::from(ran.reward);
    }

    /// A step of which only the last two frames are drawn, into buffers of the worker. `None` when that does not do;
    /// the pictures are kept then and nothing else has changed.
    fn step_lean(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) -> Option<Ran> {
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        let drawn = if self.view.needs_pictures() { 2 } else { 0 };
        let ran = self.run_frames(action, strength, config, stop, drawn, &mut work.before);
        let done = match (&self.view, ran.left) {
            (View::Ram, _) => true,
            (_, 0) => covered(&self.env),
            (View::Screen { .. }, _) => false,
            // Brightening needs the pictures of the step before.
            (View::Frames { .. }, left) => left > 1 || !pools(config),
        };
        if done && ran.left == 0 {
            let before = pools(config).then(|| self.env.console().previous_screen());
            self.view.push(&self.env, &Shown { last: self.env.screen(), before }, &mut work.scratch);
        } else if done {
            self.view.push_again();
        }
        self.env.swap_picture(&mut picture);
        work.spare.give(picture);
        if done {
            return Some(ran);
        }
        self.past = Past::Kept(self.play_again(work));
        if let Some(start) = &work.start {
            self.env.go_to(start);
        }
        None
    }

    /// A step of which every frame is drawn into buffers that are kept.
    fn step_drawn(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) -> Ran {
        let mut kept = match &mut self.past {
            Past::Kept(kept) => std::mem::take(kept),
            Past::Replay(_) => self.play_again(work),
        };
        // Not because they are wrong, but to see whether this step covers them.
        kept.picture.forget();
        self.env.swap_picture(&mut kept.picture);
        let ran = self.run_frames(action, strength, config, stop, u32::MAX, &mut work.before);
        let previous = self.env.console().previous_screen();
        let before = pools(config).then_some(if ran.copied { &work.before } else { previous });
        match (ran.left, before) {
            (0, before) => {
                let last = self.env.screen();
                self.view.push(&self.env, &Shown { last, before }, &mut work.scratch);
                kept.remember(last, before);
            }
            (1, Some(before)) => {
                let Workspace { scratch, native, .. } = work;
                self.view.push_brightened(&self.env, &kept, before, scratch, native);
            }
            _ => self.view.push_again(),
        }
        kept.calm = if ran.left == 0 && covered(&self.env) { kept.calm.saturating_add(1) } else { 0 };
        self.env.swap_picture(&mut kept.picture);
        self.past = Past::Kept(kept);
        ran
    }

    /// Makes the pictures of the last step again. The state is that after the step.
    fn play_again(&mut self, work: &mut Workspace) -> Box<Kept> {
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        let mut kept = match &self.past {
            Past::Replay(replay) => replay.play(&mut self.env),
            Past::Kept(kept) => (**kept).clone(),
        };
        self.env.swap_picture(&mut picture);
        kept.picture = picture;
        Box::new(kept)
    }

    /// Gives the pictures up: this step can be played again from `work.start`.
    fn remember_start(
        &mut self,
        action: Action,
        strength: f32,
        frames: u32,
        pooled: bool,
        work: &mut Workspace,
    ) {
        let Some(start) = &mut work.start else { return };
        match &mut self.past {
            Past::Replay(replay) => {
                swap(&mut replay.start, start);
                (replay.action, replay.strength) = (action, strength);
                (replay.frames, replay.pooled) = (frames, pooled);
            }
            Past::Kept(kept) => {
                work.spare.give(std::mem::take(&mut kept.picture));
                let start = start.clone();
                self.past = Past::Replay(Box::new(Replay { start, action, strength, frames, pooled }));
            }
        }
    }

    /// Runs the frames of a step, the last `drawn` of them with pixels.
    fn run_frames(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        drawn: u32,
        before: &mut Vec<u8>,
    ) -> Ran {
        let mut ran = Ran {
            left: config.frameskip,
            reward: 0,
            elapsed: self.elapsed,
            over: false,
            continues: false,
            copied: false,
        };
        self.env.set_drawing(drawn >= ran.left);
        while ran.left > 0 {
            if ran.left == drawn {
                self.env.set_drawing(true);
            }
            ran.reward += self.env.act(action, strength);
            ran.elapsed += 1;
            let limited = ran.elapsed >= config.max_num_frames_per_episode;
            let life_ended = config.episodic_life && self.lost_life();
            if self.env.game_over() || limited || life_ended {
                ran.over = true;
                ran.continues = config.continue_lives && !self.env.game_over() && !limited;
                break;
            }
            // The next call would go on drawing this very frame.
            if ran.left == 2 && pools(config) && self.env.console().unfinished() {
                before.clear();
                before.extend_from_slice(self.env.screen());
                ran.copied = true;
            }
            ran.left -= 1;
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.env.set_drawing(true);
        ran
    }

    fn lost_life(&self) -> bool {
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

/// Whether two frames of a step are shown as one. With one frame there is no other.
fn pools(config: &VectorConfig) -> bool {
    config.maxpool && config.frameskip > 1
}

/// Whether both buffers hold frames that were drawn since they were forgotten, and nothing older.
fn covered(env: &Env) -> bool {
    env.picture().current_is_exact() && env.picture().previous_is_exact()
}
