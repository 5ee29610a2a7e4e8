//! `VectorOptions`: what can be chosen for a vector environment, and what each sub-environment plays.

use std::sync::Arc;

use ale_batch::{BatchOptions, Error};

use crate::game::Game;
use crate::preprocess::Size;
use crate::rom::Rom;

/// What one sub-environment plays.
#[derive(Debug, Clone)]
pub struct EnvSpec {
    /// The cartridge.
    pub rom: Rom,
    /// Its facts.
    pub game: Arc<Game>,
    /// The game's mode; `None` for its default.
    pub mode: Option<u32>,
    /// The difficulty; `None` for 0.
    pub difficulty: Option<u32>,
}

/// What an observation is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Observation {
    /// A stack of resized frames.
    Frames {
        /// Size of a frame.
        size: Size,
        /// Three bytes a pixel instead of one.
        color: bool,
        /// Frames in an observation.
        stack: usize,
        /// A reset fills the whole stack instead of the newest frame only.
        padded: bool,
    },
    /// The screen as it is, three bytes a pixel or one, padded by black rows to the tallest of the batch.
    Screen {
        /// Red, green, blue instead of gray.
        color: bool,
    },
    /// The screen as palette indices, as feature sets look at it; padded as [`Observation::Screen`].
    Indices,
    /// The 128 bytes of RAM.
    Ram,
}

/// The options of gymnasium's usual wrappers, which stand between an agent and an environment. Frames of which the other
/// options speak are steps of that environment, most often of one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrappers {
    /// Least number of frames of a step of the environment, and the one above the greatest.
    pub frames: (u32, u32),
    /// A start waits for 1 to this many steps of the environment; 0 for none.
    pub noop_max: u32,
    /// The loss of a life is the end; the game goes on with the next one.
    pub terminal_on_life_loss: bool,
    /// Probability that a step of the environment repeats the action before, drawn from numpy's generator and not from the machine's.
    pub action_repeat_probability: f64,
    /// Frames of a game, its reset among them, after which it is cut short; 0 for no limit.
    pub max_num_frames_per_episode: u32,
}

/// What can be chosen when a vector environment is built.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorOptions {
    /// Threads, batches and autoreset.
    pub batch: BatchOptions,
    /// What an observation is made of.
    pub observation: Observation,
    /// Frames per step.
    pub frameskip: u32,
    /// A frame is the maximum of the last two of a step.
    pub maxpool: bool,
    /// Number of possible counts of idle frames after a reset, from 0 on.
    pub noop_max: u32,
    /// Press FIRE once after a reset, where the game knows it.
    pub use_fire_reset: bool,
    /// A lost life ends the episode.
    pub episodic_life: bool,
    /// After an episode that ended with a lost life the game goes on with the next one.
    pub continue_lives: bool,
    /// A lost life is reported as the end, though play goes on.
    pub life_loss_info: bool,
    /// Rewards of a step are clipped to -1, 0, 1.
    pub reward_clipping: bool,
    /// Frames of steps after which an episode is cut short.
    pub max_num_frames_per_episode: i64,
    /// Probability that a frame repeats the action before.
    pub repeat_action_probability: f32,
    /// All legal actions instead of those that make a difference.
    pub full_action_space: bool,
    /// Compile the programs to machine code, unless `ALE_RS_JIT=0`. The results are the same.
    pub jit: bool,
    /// `info` has the RAM.
    pub ram: bool,
    /// `info` has the sound.
    pub sound: bool,
    /// Draw every frame and keep all pictures: slower, larger, and the same results. For tests.
    pub keep_pictures: bool,
    /// Where the seeds of environments that are never seeded come from.
    pub entropy: u64,
    /// Resets and steps are those of wrappers. Of the options above `noop_max`, `use_fire_reset`, `episodic_life`,
    /// `continue_lives`, `life_loss_info` and `max_num_frames_per_episode` mean nothing then.
    pub wrappers: Option<Wrappers>,
}

impl Default for VectorOptions {
    fn default() -> Self {
        let size = Size { height: 84, width: 84 };
        Self {
            batch: BatchOptions::default(),
            observation: Observation::Frames { size, color: false, stack: 4, padded: false },
            frameskip: 4,
            maxpool: true,
            noop_max: 30,
            use_fire_reset: true,
            episodic_life: false,
            continue_lives: false,
            life_loss_info: false,
            reward_clipping: true,
            max_num_frames_per_episode: 108_000,
            repeat_action_probability: 0.0,
            full_action_space: false,
            jit: true,
            ram: false,
            sound: false,
            keep_pictures: false,
            entropy: 0,
            wrappers: None,
        }
    }
}

impl VectorOptions {
    /// The options of a vector environment, with those that wrappers force.
    pub(super) fn normalized(self) -> Self {
        let Some(wrappers) = self.wrappers else { return self };
        Self {
            use_fire_reset: true,
            episodic_life: false,
            continue_lives: false,
            life_loss_info: false,
            noop_max: wrappers.noop_max.saturating_mul(wrappers.frames.1),
            max_num_frames_per_episode: i64::MAX,
            // Only a step of so many frames with one action can be played again.
            keep_pictures: self.keep_pictures
                || wrappers.action_repeat_probability > 0.0
                || wrappers.frames != (1, 2),
            ..self
        }
    }

    /// Checks what depends neither on the games nor on their number.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::Config(text));
        if self.frameskip == 0 {
            return refuse("frameskip is 0; accepted: 1 and more".to_owned());
        }
        if let Observation::Frames { size, stack, .. } = self.observation {
            let dimensions = [("img_height", size.height), ("img_width", size.width), ("stack_num", stack)];
            for (name, value) in dimensions {
                if value == 0 || value > MAX_DIMENSION {
                    return refuse(format!("{name} is {value}; accepted: 1 to {MAX_DIMENSION}"));
                }
            }
        }
        let probability = self.repeat_action_probability;
        if !(0.0..=1.0).contains(&probability) {
            return refuse(format!(
                "repeat_action_probability is {probability}; accepted: a number from 0 to 1"
            ));
        }
        if let Some(Wrappers { frames: (low, high), .. }) = self.wrappers
            && !(0 < low && low < high)
        {
            return refuse(format!("frames are from {low} to below {high}; accepted: 1 and more, in order"));
        }
        let sticky = self.wrappers.map_or(0.0, |wrappers| wrappers.action_repeat_probability);
        if !(0.0..=1.0).contains(&sticky) {
            return refuse(format!("action_repeat_probability is {sticky}; accepted: a number from 0 to 1"));
        }
        Ok(())
    }
}

/// Larger pictures and stacks are mistakes.
const MAX_DIMENSION: usize = 4096;
