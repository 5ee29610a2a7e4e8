//! Every quantity of a sheet by name, for those who write one.

use super::compile::Row;
use super::program::run;
use super::{Game, GameState, Looking, Memory, facts};

/// A game's quantities, helpers included. Slower than [`Game::observe`] and meant for people.
#[derive(Debug, Clone)]
pub struct Explain {
    rows: Vec<Row>,
    unused: Vec<String>,
}

/// Quantities are numbered by one byte here.
const NUMBERS: usize = 256;

impl Explain {
    /// All quantities of a game.
    pub fn of(game: &Game) -> Self {
        // The sheet was compiled before, so it compiles.
        let (rows, unused) = facts::explain(game).unwrap_or_default();
        Self { rows, unused }
    }

    /// Names of the sheet that no formula uses.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// What each quantity is on a frame, given what was remembered before it.
    pub fn values<M: Memory>(&self, before: &GameState, memory: &M) -> Vec<(&str, i32)> {
        let mut registers = [0; NUMBERS];
        let mut values = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let value = run(&row.code, &mut Looking(memory), &before.values, &mut registers);
            registers[usize::from(row.number)] = value;
            values.push((row.name.as_str(), value));
        }
        values
    }
}
