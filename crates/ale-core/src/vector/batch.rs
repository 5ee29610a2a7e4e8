//! The results of a batch: bytes of observations, a record a row, and columns made of the records.

use crate::env::SOUND_LEN;

/// Numbers of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record {
    /// The sub-environment.
    pub env_id: i32,
    /// Sum of the rewards of the step, clipped if configured.
    pub reward: i32,
    /// The end of the game, or of a life if configured.
    pub terminated: bool,
    /// The episode was cut short.
    pub truncated: bool,
    /// What the sub-environment is now.
    pub now: Facts,
    /// What it was at the end of the episode, if it started another one within the step.
    pub last: Option<Facts>,
}

/// Numbers that describe a sub-environment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Facts {
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

/// Bytes of a row of each part; a part that nobody wants has 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The observation.
    pub obs: usize,
    /// The last observation of an episode.
    pub final_obs: usize,
    /// RAM.
    pub ram: usize,
    /// Sound.
    pub sound: usize,
}

impl Layout {
    /// RAM and sound as asked for.
    pub(super) fn new(obs: usize, with_final: bool, with_ram: bool, with_sound: bool) -> Self {
        let when = |wanted, len| if wanted { len } else { 0 };
        Self {
            obs,
            final_obs: when(with_final, obs),
            ram: when(with_ram, 128),
            sound: when(with_sound, SOUND_LEN),
        }
    }
}

/// The memory of a batch. Parts are separate, so that each can have its own owner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Observations, a row each.
    pub obs: Vec<u8>,
    /// Last observations of episodes that ended; rows of others are what they were.
    pub final_obs: Vec<u8>,
    /// RAM, a row each.
    pub ram: Vec<u8>,
    /// Sound, a row each.
    pub sound: Vec<u8>,
    /// Numbers, a row each.
    pub records: Vec<Record>,
}

impl Batch {
    /// Memory for `rows` rows.
    pub fn new(layout: Layout, rows: usize) -> Self {
        Self {
            obs: vec![0; layout.obs * rows],
            final_obs: vec![0; layout.final_obs * rows],
            ram: vec![0; layout.ram * rows],
            sound: vec![0; layout.sound * rows],
            records: vec![Record::default(); rows],
        }
    }

    /// The rows, to be written.
    pub fn rows(&mut self) -> Rows<'_> {
        Rows {
            obs: &mut self.obs,
            final_obs: &mut self.final_obs,
            ram: &mut self.ram,
            sound: &mut self.sound,
            records: &mut self.records,
        }
    }
}

/// Rows of a batch that are written now, whoever owns the memory.
#[derive(Debug)]
pub struct Rows<'a> {
    /// Observations.
    pub obs: &'a mut [u8],
    /// Last observations of episodes.
    pub final_obs: &'a mut [u8],
    /// RAM.
    pub ram: &'a mut [u8],
    /// Sound.
    pub sound: &'a mut [u8],
    /// Numbers.
    pub records: &'a mut [Record],
}

impl<'a> Rows<'a> {
    /// One row.
    pub(super) fn row(&mut self, layout: Layout, row: usize) -> Rows<'_> {
        Rows {
            obs: &mut self.obs[row * layout.obs..][..layout.obs],
            final_obs: &mut self.final_obs[row * layout.final_obs..][..layout.final_obs],
            ram: &mut self.ram[row * layout.ram..][..layout.ram],
            sound: &mut self.sound[row * layout.sound..][..layout.sound],
            records: &mut self.records[row..=row],
        }
    }

    /// Gives the first `count` rows away.
    pub(super) fn split_off(&mut self, layout: Layout, count: usize) -> Option<Rows<'a>> {
        Some(Rows {
            obs: self.obs.split_off_mut(..count * layout.obs)?,
            final_obs: self.final_obs.split_off_mut(..count * layout.final_obs)?,
            ram: self.ram.split_off_mut(..count * layout.ram)?,
            sound: self.sound.split_off_mut(..count * layout.sound)?,
            records: self.records.split_off_mut(..count)?,
        })
    }
}
