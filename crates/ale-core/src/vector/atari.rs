//! One sub-environment: an environment, its no-op starts, its episode and what it shows.

use std::sync::Arc;

use ale_batch::{Context, Error, Parts, Simulator, Step};

use super::pictures::{PicturePool, Pictures};
use super::view::View;
use super::wrapped::Wrapped;
use super::{EnvSpec, RAM, SOUND, Setup};
use crate::action::Action;
use crate::env::{Env, Moment};
use crate::preprocess::Scratch;
use crate::rng::Mt19937;

/// Nanoseconds that a frame takes at most, but for rare programs: for the decision who waits for a call.
const FRAME_NANOSECONDS: u64 = 9155;
/// No-ops of a reset that take so long that a caller may want to stop it.
const LONG_START: u32 = 10_000;
/// Frames of a reset before its no-ops.
const RESET_FRAMES: u64 = 200;

/// Numbers that describe a sub-environment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Info {
    /// Lives left.
    pub lives: i32,
    /// Frames since the ROM was loaded.
    pub frame_number: i32,
    /// Frames since the start of the game.
    pub episode_frame_number: i32,
    /// Sum of the rewards of the last step, never clipped.
    pub raw_reward: i32,
    /// Sum of the rewards of the episode, never clipped.
    pub episode_return: f32,
    /// Steps of the episode.
    pub episode_length: i32,
    /// Number of the action that the last frame executed.
    pub executed_action: i32,
    /// The game itself has ended, whatever the options make of it.
    pub game_over: bool,
}

/// Memory that the sub-environments of a thread share.
#[derive(Default)]
pub struct Workspace {
    pub(super) scratch: Scratch,
    /// The frame before the last one of a step, where the console does not keep it.
    pub(super) before: Vec<u8>,
    /// Bytes of a picture of the native size.
    pub(super) native: Vec<u8>,
    pub(super) pictures: PicturePool,
    /// The moment before the step.
    pub(super) start: Option<Box<Moment>>,
}

/// A game as a world of a batch. Between calls its environment has no picture buffers.
#[derive(Clone)]
pub struct Atari {
    pub(super) env: Env,
    /// To start anew from, after a panic.
    prototype: Arc<Env>,
    mode: Option<u32>,
    difficulty: Option<u32>,
    pub(super) has_fire: bool,
    /// Draws the number of no-ops after a reset.
    pub(super) noops: Mt19937,
    pub(super) view: View,
    pub(super) pictures: Pictures,
    /// Rows of the screen.
    pub(super) height: usize,
    /// Frames of steps in this episode.
    pub(super) elapsed: i64,
    /// The episode ended with a lost life only, and the game goes on with the next one.
    pub(super) continues: bool,
    /// Lives after the last step.
    pub(super) lives: i32,
    pub(super) raw_reward: i32,
    pub(super) episode_length: i32,
    pub(super) episode_return: f64,
    /// With wrappers: what they keep.
    pub(super) wrapped: Option<Wrapped>,
}

impl Atari {
    pub(super) fn new(
        prototype: &Arc<Env>,
        spec: &EnvSpec,
        view: View,
        height: usize,
        has_fire: bool,
        seed: u32,
    ) -> Self {
        let env = (**prototype).clone();
        Self {
            lives: env.lives(),
            env,
            prototype: Arc::clone(prototype),
            mode: spec.mode,
            difficulty: spec.difficulty,
            has_fire,
            noops: Mt19937::new(seed),
            view,
            // Before the first reset there is nothing to show.
            pictures: Pictures::Stored(Box::default()),
            height,
            elapsed: 0,
            continues: false,
            raw_reward: 0,
            episode_length: 0,
            episode_return: 0.0,
            wrapped: None,
        }
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
    pub fn show<T>(&mut self, workspace: &mut Workspace, look: impl FnOnce(&Env) -> T) -> T {
        let mut picture = match &mut self.pictures {
            Pictures::Stored(stored) => std::mem::take(&mut stored.picture),
            Pictures::Replay(replay) => {
                let now = self.env.moment();
                let mut picture = workspace.pictures.take(self.height);
                // With an observation that needs no pictures it is unknown whether these frames cover them, and what
                // they leave out must not be of another sub-environment.
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
        match &mut self.pictures {
            Pictures::Stored(stored) => stored.picture = picture,
            Pictures::Replay(_) => workspace.pictures.give(picture),
        }
        seen
    }

    pub(super) fn lost_life(&self) -> bool {
        let lives = self.env.lives();
        lives < self.lives && lives > 0
    }
}

impl Simulator for Atari {
    type Action = (Action, f32);
    type Reward = i32;
    type Info = Info;
    type Options = Setup;
    type Workspace = Workspace;

    /// With picture buffers, so that a thread that gets its first work late does not take that much memory in a step.
    fn new_workspace(&self) -> Workspace {
        let mut workspace = Workspace::default();
        let picture = workspace.pictures.take(self.height);
        workspace.pictures.give(picture);
        workspace
    }

    fn reset(&mut self, seed: Option<u64>, context: &mut Context<'_, Self>) -> Result<bool, Error> {
        if self.wrapped.is_some() {
            self.reset_wrapped(seed, context)?;
        } else {
            self.begin(seed.map(|seed| seed as u32), context)?;
        }
        // Reference: with a limit of no frames at all every step is a reset that is truncated at once.
        Ok(context.options.options.max_num_frames_per_episode <= 0)
    }

    fn step(&mut self, (action, strength): Self::Action, context: &mut Context<'_, Self>) -> Step<i32> {
        let options = &context.options.options;
        let clipped = |reward: i32| if options.reward_clipping { reward.clamp(-1, 1) } else { reward };
        if self.wrapped.is_some() {
            let step = self.step_life(action, context);
            return Step { reward: clipped(step.reward), ..step };
        }
        let over = self.play(action, strength, context);
        let reward = clipped(self.raw_reward);
        let life_counts = options.life_loss_info || options.episodic_life;
        let terminated = self.env.terminal() || (life_counts && self.lost_life());
        let truncated = self.elapsed >= options.max_num_frames_per_episode && !terminated;
        self.lives = self.env.lives();
        Step { reward, terminated, truncated, over }
    }

    fn info(&self) -> Info {
        Info {
            lives: self.env.lives(),
            frame_number: self.env.frame_number() as i32,
            episode_frame_number: self.env.episode_frame_number() as i32,
            raw_reward: self.raw_reward,
            episode_return: self.episode_return as f32,
            // `Monitor` counts steps of the environment below the wrappers.
            episode_length: if self.wrapped.is_some() { self.elapsed as i32 } else { self.episode_length },
            executed_action: self.env.executed_action() as i32,
            game_over: self.env.terminal(),
        }
    }

    fn write_obs(&self, _: &Setup, obs: &mut Parts<'_>) {
        self.view.write(&self.env, obs[0]);
    }

    fn write_extra(&self, _: &Setup, extra: &mut Parts<'_>) {
        if !extra[RAM].is_empty() {
            extra[RAM].copy_from_slice(self.env.ram());
        }
        if !extra[SOUND].is_empty() {
            extra[SOUND].copy_from_slice(self.env.sound());
        }
    }

    fn rebuild(&mut self) -> Result<(), Error> {
        self.env = (*self.prototype).clone();
        self.continues = false;
        if let Some(wrapped) = &mut self.wrapped {
            wrapped.forget();
        }
        self.choose()
    }

    fn check_like(&self, other: &Self) -> Result<(), Error> {
        let same_game =
            self.env.rom() == other.env.rom() && self.env.game().identity() == other.env.game().identity();
        if !same_game {
            return Err(Error::State(format!(
                "the snapshot is of \"{}\", the sub-environment plays \"{}\"",
                other.env.game().identity(),
                self.env.game().identity()
            )));
        }
        if self.wrapped.is_some() != other.wrapped.is_some() {
            let text =
                "the snapshot is of other wrappers: with and without them a batch starts games differently";
            return Err(Error::State(text.to_owned()));
        }
        if self.view.is_like(&other.view) {
            return Ok(());
        }
        Err(Error::State("the snapshot has observations of another kind or size".to_owned()))
    }

    fn to_bytes(&self, workspace: &mut Workspace) -> Vec<u8> {
        self.clone().into_bytes(workspace)
    }

    fn restore_bytes(&mut self, bytes: &[u8], workspace: &mut Workspace) -> Result<(), Error> {
        self.read_bytes(bytes, workspace)
    }

    fn step_nanoseconds(setup: &Setup) -> u64 {
        let options = &setup.options;
        // A step that starts an episode takes as long as a reset; that matters where resets are very long.
        let long_start = if options.noop_max > LONG_START { options.noop_max } else { 0 };
        u64::from(options.frameskip).max(long_start.into()) * FRAME_NANOSECONDS
    }

    fn reset_nanoseconds(setup: &Setup) -> u64 {
        (RESET_FRAMES + u64::from(setup.options.noop_max)) * FRAME_NANOSECONDS
    }
}
