//! `VectorConfig`: the options of a vector environment, and what each sub-environment plays.

use std::sync::Arc;

use crate::error::Error;
use crate::game::Game;
use crate::preprocess::Size;
use crate::rom::Rom;

/// What one sub-environment plays.
#[derive(Debug, Clone)]
pub struct Player {
    /// The cartridge.
    pub rom: Rom,
    /// Its facts.
    pub game: Arc<Game>,
    /// The game's mode; `None` for its default.
    pub mode: Option<u32>,
    /// The difficulty; `None` for 0.
    pub difficulty: Option<u32>,
}

/// When a sub-environment whose episode is over starts the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Autoreset {
    /// With the next step, whose action is ignored.
    #[default]
    NextStep,
    /// At once; the last observation is kept apart.
    SameStep,
    /// When the caller says so.
    Disabled,
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
    /// The 128 bytes of RAM.
    Ram,
}

/// What can be chosen when a vector environment is built.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent options, each with a name")]
pub struct VectorConfig {
    /// Results per batch; 0 for one of each sub-environment. Fewer make it asynchronous.
    pub batch_size: usize,
    /// Worker threads; 0 for as many as the machine runs at once.
    pub num_threads: usize,
    /// Binds worker `i` to core `offset + i`.
    pub thread_affinity_offset: Option<usize>,
    /// Use the workers that all such environments of the process share.
    pub shared_pool: bool,
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
    /// When the next episode starts.
    pub autoreset: Autoreset,
    /// Make sound.
    pub sound: bool,
    /// Draw every frame and keep all pictures: slower, larger, and the same results. For tests.
    pub keep_pictures: bool,
    /// Where the seeds of environments that are never seeded come from.
    pub entropy: u64,
}

impl Default for VectorConfig {
    fn default() -> Self {
        let size = Size { height: 84, width: 84 };
        Self {
            batch_size: 0,
            num_threads: 0,
            thread_affinity_offset: None,
            shared_pool: false,
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
            autoreset: Autoreset::NextStep,
            sound: false,
            keep_pictures: false,
            entropy: 0,
        }
    }
}

impl VectorConfig {
    /// Checks everything that does not depend on the games, and gives the effective batch size.
    pub(super) fn check(&self, num_envs: usize) -> Result<usize, Error> {
        let refuse = |text: String| Err(Error::Config(text));
        if num_envs == 0 {
            return refuse("num_envs is 0; accepted: 1 and more".to_owned());
        }
        if self.batch_size > num_envs {
            return refuse(format!(
                "batch_size is {}; accepted: 1 to num_envs, which is {num_envs}, or 0 for num_envs",
                self.batch_size
            ));
        }
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
        Ok(if self.batch_size == 0 { num_envs } else { self.batch_size })
    }
}

/// Larger pictures and stacks are mistakes.
const MAX_DIMENSION: usize = 4096;
