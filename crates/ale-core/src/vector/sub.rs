//! One sub-environment: an environment, its idle frames, its frame stack and its episode.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::{Facts, Record, Rows};
use super::config::{Autoreset, Observation, Player, VectorConfig};
use crate::action::Action;
use crate::env::Env;
use crate::error::Error;
use crate::frame::WIDTH;
use crate::preprocess::{Bytes, Colors, Pooled, Resize, Rows as PictureRows, Scratch, Size, Stack};
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
#[derive(Debug, Default)]
pub(super) struct Workspace {
    scratch: Scratch,
    /// The frame before the last one of a step.
    before: Vec<u8>,
    /// Bytes of a picture of the native size.
    native: Vec<u8>,
}

/// A sub-environment.
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

/// How the observation is made, and what it needs of earlier steps.
#[derive(Clone)]
enum View {
    Frames { resize: Arc<Resize>, stack: Stack, color: bool, padded: bool, shown: Shown },
    Screen { color: bool },
    Ram,
}

/// The two pictures that the newest frame of a stack was made of.
#[derive(Debug, Clone, Default)]
struct Shown {
    last: Vec<u8>,
    before: Vec<u8>,
}

impl Sub {
    pub(super) fn new(
        env: Env,
        prototype: Arc<Env>,
        player: &Player,
        observation: Observation,
        resize: Option<Arc<Resize>>,
    ) -> Self {
        let view = match (observation, resize) {
            (Observation::Frames { color, stack, padded, .. }, Some(resize)) => {
                let stack = Stack::new(stack, resize.target_len());
                View::Frames { resize, stack, color, padded, shown: Shown::default() }
            }
            (Observation::Screen { color }, _) => View::Screen { color },
            _ => View::Ram,
        };
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

    pub(super) fn env(&self) -> &Env {
        &self.env
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
                    self.write_observation(row.final_obs);
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
        self.write_observation(row.obs);
        if !row.ram.is_empty() {
            row.ram.copy_from_slice(self.env.ram());
        }
        if !row.sound.is_empty() {
            row.sound.copy_from_slice(self.env.sound());
        }
        Ok(())
    }

    /// Starts an episode.
    fn begin(&mut self, seed: Option<u32>, config: &VectorConfig, work: &mut Workspace) -> Result<(), Error> {
        if self.broken {
            self.env = (*self.prototype).clone();
            self.choose()?;
            self.broken = false;
        }
        if let Some(seed) = seed {
            self.env.reload(seed)?;
            self.idle = Mt19937::new(seed);
            self.choose()?;
        }
        let next_life = self.continues && seed.is_none();
        if !next_life {
            self.env.reset()?;
        }
        let fires = config.use_fire_reset && self.has_fire;
        if fires {
            self.env.act(Action::Fire, 1.0);
        }
        if next_life {
            if !fires {
                self.env.act(Action::Noop, 1.0);
            }
        } else {
            // Drawn in every reset; FIRE counts as one of the idle frames.
            let idle = self.idle.below(config.noop_max.max(1));
            for _ in u32::from(fires)..idle {
                self.env.act(Action::Noop, 1.0);
                if self.env.game_over() {
                    self.env.reset()?;
                }
            }
        }
        self.show_start(work);
        self.elapsed = 0;
        // Reference: with a limit of no frames at all every step is a reset that is truncated at once.
        self.over = config.autoreset == Autoreset::NextStep && config.max_num_frames_per_episode <= 0;
        self.continues = false;
        self.lives = self.env.lives();
        self.facts = Facts::default();
        self.episode_return = 0.0;
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

    fn step(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) {
        let pools = config.maxpool && config.frameskip > 1;
        let mut reward = 0;
        let mut left = config.frameskip;
        while left > 0 {
            reward += self.env.act(action, strength);
            self.elapsed += 1;
            let limited = self.elapsed >= config.max_num_frames_per_episode;
            let life_ended = config.episodic_life && self.lost_life();
            if self.env.game_over() || limited || life_ended {
                self.over = true;
                self.continues = config.continue_lives && !self.env.game_over() && !limited;
                break;
            }
            if left == 2 && pools && matches!(self.view, View::Frames { .. }) {
                work.before.clear();
                work.before.extend_from_slice(self.env.screen());
            }
            left -= 1;
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.show_step(left, pools, work);
        self.facts.raw_reward = reward;
        self.facts.episode_length += 1;
        self.episode_return += f64::from(reward);
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

    /// The stack after a reset: nothing but the screen as it is now.
    fn show_start(&mut self, work: &mut Workspace) {
        let View::Frames { resize, stack, color, padded, shown } = &mut self.view else { return };
        let palette = self.env.palette();
        let screen = self.env.screen();
        stack.clear();
        if *color {
            resize.apply(&Pooled::new(screen, None, &palette.rgb), stack.push(), &mut work.scratch);
        } else {
            resize.apply(&Pooled::new(screen, None, &palette.gray), stack.push(), &mut work.scratch);
        }
        if *padded {
            stack.fill();
        }
        shown.last.clear();
        shown.last.extend_from_slice(screen);
        shown.before.clear();
        shown.before.extend_from_slice(screen);
    }

    /// The newest frame after a step that had `left` frames to go when it ended.
    ///
    /// Reference: a step that ends early never shows its last frame. It repeats the frame before, brightened by
    /// the second-to-last frame if that one was reached.
    fn show_step(&mut self, left: u32, pools: bool, work: &mut Workspace) {
        let View::Frames { resize, stack, color, shown, .. } = &mut self.view else { return };
        let palette = self.env.palette();
        let screen = self.env.screen();
        let Workspace { scratch, before, native } = work;
        match left {
            0 if *color => {
                let rows = Pooled::new(screen, pools.then_some(&**before), &palette.rgb);
                resize.apply(&rows, stack.push(), scratch);
            }
            0 => {
                let rows = Pooled::new(screen, pools.then_some(&**before), &palette.gray);
                resize.apply(&rows, stack.push(), scratch);
            }
            1 if pools && *color => {
                brightest(shown, before, &palette.rgb, native);
                resize.apply(&Bytes::new(native, 3 * WIDTH), stack.push(), scratch);
            }
            1 if pools => {
                brightest(shown, before, &palette.gray, native);
                resize.apply(&Bytes::new(native, WIDTH), stack.push(), scratch);
            }
            _ => stack.push_again(),
        }
        if left == 0 && pools {
            shown.last.clear();
            shown.last.extend_from_slice(screen);
            std::mem::swap(&mut shown.before, before);
        }
    }

    fn write_observation(&self, out: &mut [u8]) {
        match &self.view {
            View::Frames { stack, .. } => stack.write(out),
            View::Screen { color } => {
                let len = self.env.height() * WIDTH * if *color { 3 } else { 1 };
                let (screen, below) = out.split_at_mut(len);
                if *color {
                    self.env.write_rgb(screen);
                } else {
                    self.env.write_gray(screen);
                }
                below.fill(0);
            }
            View::Ram => out.copy_from_slice(self.env.ram()),
        }
    }
}

/// The bytewise maximum of three pictures.
fn brightest<C: Colors>(shown: &Shown, before: &[u8], colors: &C, out: &mut Vec<u8>) {
    let row_len = WIDTH * C::CHANNELS;
    out.clear();
    out.resize(before.len() * C::CHANNELS, 0);
    let two = Pooled::new(&shown.last, Some(&shown.before), colors);
    let third = Pooled::new(before, None, colors);
    let mut row_of_third = [0; 3 * WIDTH];
    let row_of_third = &mut row_of_third[..row_len];
    for (row, bytes) in out.chunks_exact_mut(row_len).enumerate() {
        two.read(row, bytes);
        third.read(row, row_of_third);
        for (byte, &other) in bytes.iter_mut().zip(&*row_of_third) {
            *byte = (*byte).max(other);
        }
    }
}

/// The resize of a screen of this height.
pub(super) fn resize_of(height: usize, size: Size, color: bool) -> Resize {
    Resize::new(Size { height, width: WIDTH }, size, if color { 3 } else { 1 })
}
