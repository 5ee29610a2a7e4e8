//! What a running game remembers: a plain value, and its bytes.

use super::Game;
use super::program::{REGISTERS, SLOTS, Source, run};
use crate::error::Error;

/// Where the four standard quantities are remembered.
pub(super) const REWARD: usize = 0;
pub(super) const SCORE: usize = 1;
pub(super) const TERMINAL: usize = 2;
pub(super) const LIVES: usize = 3;

/// A game in progress, as of the last observed frame. Cloning it copies 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameState {
    pub(super) values: [i32; SLOTS],
}

impl GameState {
    /// Reward of the last observed frame.
    pub fn reward(&self) -> i32 {
        self.values[REWARD]
    }

    /// Score after the last observed frame.
    pub fn score(&self) -> i32 {
        self.values[SCORE]
    }

    /// Whether the game is over.
    pub fn terminal(&self) -> bool {
        self.values[TERMINAL] != 0
    }

    /// Lives left.
    pub fn lives(&self) -> i32 {
        self.values[LIVES]
    }

    /// Appends all that is remembered.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.values.iter().for_each(|value| out.extend(value.to_le_bytes()));
    }
}

/// What becomes of a remembered quantity when the reference restores a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// It is part of the saved state.
    Saved,
    /// It is not; the running value stays.
    Live,
    /// It is saved as a truth value and read back as a number.
    Flag,
}

// Reference: a truth value is stored as one of these patterns, and miniature_golf reads them as numbers.
const STORED_TRUE: i32 = 0xFAB1_FAB2_u32 as i32;
const STORED_FALSE: i32 = 0xBAD1_BAD2_u32 as i32;

impl Game {
    /// Appends the state's bytes, for [`Game::restore`] of the same sheet.
    pub fn save(&self, state: &GameState, bytes: &mut Vec<u8>) {
        for value in &state.values[..self.slots.len()] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Number of bytes [`Game::save`] appends.
    pub fn saved_len(&self) -> usize {
        4 * self.slots.len()
    }

    /// Reads the bytes of [`Game::save`].
    ///
    /// # Errors
    /// [`Error::State`] when their number is not that of this game.
    pub fn restore(&self, bytes: &[u8]) -> Result<GameState, Error> {
        if bytes.len() != self.saved_len() {
            return Err(Error::State(format!(
                "the state of \"{}\" has {} bytes; {} came",
                self.name,
                self.saved_len(),
                bytes.len()
            )));
        }
        let mut values = [0; SLOTS];
        for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(4)) {
            *value = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(GameState { values })
    }

    /// Restores `saved` the way the reference does: what it does not save stays as it is in `live`.
    pub fn restore_like_reference(&self, live: &mut GameState, saved: &GameState) {
        for (slot, (_, keep)) in self.slots.iter().enumerate() {
            match keep {
                Keep::Saved => live.values[slot] = saved.values[slot],
                Keep::Live => {}
                Keep::Flag if saved.values[slot] != 0 => live.values[slot] = STORED_TRUE,
                Keep::Flag => live.values[slot] = STORED_FALSE,
            }
        }
        if !self.after_restore.is_empty() {
            let mut registers = [0; REGISTERS];
            registers[..SLOTS].copy_from_slice(&live.values);
            run(&self.after_restore, &mut Nothing, &live.values, &mut registers);
            live.values.copy_from_slice(&registers[..SLOTS]);
        }
    }

    /// Whether the parts the reference saves are equal.
    pub fn equal_like_reference(&self, a: &GameState, b: &GameState) -> bool {
        self.slots.iter().enumerate().all(|(slot, (_, keep))| match keep {
            Keep::Saved => a.values[slot] == b.values[slot],
            Keep::Live => true,
            Keep::Flag => (a.values[slot] != 0) == (b.values[slot] != 0),
        })
    }

    /// The remembered quantities by name: the four standard ones first, then latches and what `prev` asks for.
    pub fn values<'g>(&'g self, state: &'g GameState) -> impl Iterator<Item = (&'g str, i32)> {
        self.slots.iter().zip(state.values).map(|((name, _), value)| (name.as_str(), value))
    }
}

/// No memory at all: what is worked out after a restore only looks at remembered values.
struct Nothing;

impl Source for Nothing {
    fn ram(&self, _: u8) -> u8 {
        0
    }

    fn peek(&self, _: u16) -> u8 {
        0
    }

    fn random(&mut self) -> u32 {
        0
    }
}
