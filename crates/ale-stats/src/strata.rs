//! Scores per game: the strata that the bootstrap draws from.

use crate::counter::{below, word};

/// The scores of the trials of each game.
#[derive(Clone, Debug)]
pub struct Strata {
    values: Vec<f64>,
    /// Where the scores of a game begin; one more than there are games.
    starts: Vec<usize>,
    /// The most trials that a game has.
    most: usize,
}

impl Strata {
    /// Scores of each game, at least one per game.
    ///
    /// # Errors
    /// There is no game, a game has no score, or a score is not finite.
    pub fn new(games: &[Vec<f64>]) -> Result<Self, String> {
        if games.is_empty() {
            return Err("no game has a score".into());
        }
        let mut starts = vec![0];
        for (index, scores) in games.iter().enumerate() {
            if scores.is_empty() {
                return Err(format!("game {index} has no score"));
            }
            if let Some(bad) = scores.iter().find(|score| !score.is_finite()) {
                return Err(format!("game {index} has the score {bad}; scores must be finite"));
            }
            starts.push(starts[index] + scores.len());
        }
        let most = games.iter().map(Vec::len).max().unwrap_or(0);
        Ok(Self { values: games.concat(), starts, most })
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether all games have the same number of trials.
    pub fn is_matrix(&self) -> bool {
        self.values.len() == self.games() * self.most
    }

    /// All scores, game by game.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The scores of a game.
    pub fn of(&self, game: usize) -> &[f64] {
        &self.values[self.starts[game]..self.starts[game + 1]]
    }

    /// Calls `take(game, value index)` for every trial that a replicate draws: for each game as many as it has, with
    /// replacement.
    #[inline]
    pub(crate) fn draw(&self, seed: u64, replicate: usize, mut take: impl FnMut(usize, usize)) {
        let games = self.games();
        for game in 0..games {
            let (start, n) = (self.starts[game], self.starts[game + 1] - self.starts[game]);
            for trial in 0..n {
                let index = (replicate * self.most + trial) * games + game;
                take(game, start + below(word(seed, index as u64), n));
            }
        }
    }

    /// The order of all values from low to high.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        order
    }
}
