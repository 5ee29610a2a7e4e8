//! Random, Const and Perturb: agents that do not look and do not learn.
//!
//! All three are one rule: with some probability a uniform action, else always the same one. Random has probability 1,
//! Const 0, Perturb 0.05 in the first paper.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, damaged};
use ale_sim::rng::Xoshiro256;

/// An agent that chooses without looking.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    action: usize,
    /// Probability of a uniform action instead of `action`.
    chance: f64,
    num_actions: u64,
    rng: Xoshiro256,
}

impl Baseline {
    /// Uniform over all actions.
    pub fn random(num_actions: usize, seed: u64) -> Self {
        Self::perturb(0, 1.0, num_actions, seed)
    }

    /// Always the same action.
    pub fn constant(action: usize, num_actions: usize) -> Self {
        Self::perturb(action, 0.0, num_actions, 0)
    }

    /// `action`, or with probability `chance` a uniform one, `action` included.
    ///
    /// # Panics
    /// When `action` is none of `num_actions`.
    pub fn perturb(action: usize, chance: f64, num_actions: usize, seed: u64) -> Self {
        assert!(action < num_actions, "action {action} of {num_actions}");
        Self { action, chance, num_actions: num_actions as u64, rng: Xoshiro256::new(seed) }
    }

    /// The next action. A coin is tossed only where it can fall on either side.
    pub fn act(&mut self) -> usize {
        let uniform = self.chance >= 1.0 || (self.chance > 0.0 && self.rng.next_double() < self.chance);
        if uniform { self.rng.below(self.num_actions) as usize } else { self.action }
    }

    /// Writes what changes: the generator.
    pub fn save(&self, out: &mut Writer) {
        self.rng.words().into_iter().for_each(|word| _ = out.u64(word));
    }

    /// Reads [`Baseline::save`].
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        self.rng = generator(bytes)?;
        Ok(())
    }
}

/// Reads the words of a generator.
pub(crate) fn generator(bytes: &mut Reader<'_>) -> Result<Xoshiro256, Error> {
    let words = [bytes.u64()?, bytes.u64()?, bytes.u64()?, bytes.u64()?];
    Xoshiro256::from_words(words).ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(mut agent: Baseline) -> [f64; 18] {
        let mut counts = [0.0; 18];
        (0..100_000).for_each(|_| counts[agent.act()] += 1.0);
        counts
    }

    /// Pearson's statistic against expected counts.
    fn chi_squared(counts: &[f64; 18], expected: impl Fn(usize) -> f64) -> f64 {
        counts.iter().enumerate().map(|(n, count)| (count - expected(n)).powi(2) / expected(n)).sum()
    }

    /// Chi-squared with 17 degrees of freedom exceeds this with probability 1e-4.
    const BOUND: f64 = 46.7;

    #[test]
    fn perturb_with_probability_0_is_const_and_with_1_is_random() {
        let mut constant = Baseline::perturb(5, 0.0, 18, 1);
        assert!((0..1000).all(|_| constant.act() == 5));
        let uniform = |_| 100_000.0 / 18.0;
        for agent in [Baseline::random(18, 3), Baseline::perturb(7, 1.0, 18, 4)] {
            assert!(chi_squared(&counts(agent), uniform) < BOUND);
        }
    }

    #[test]
    fn perturb_is_uniform_in_a_twentieth_of_the_cases() {
        let expected = |action| 100_000.0 * (0.05 / 18.0 + if action == 2 { 0.95 } else { 0.0 });
        assert!(chi_squared(&counts(Baseline::perturb(2, 0.05, 18, 5)), expected) < BOUND);
    }

    #[test]
    fn a_loaded_agent_goes_on_as_the_saved_one() {
        let mut agent = Baseline::perturb(2, 0.5, 18, 5);
        (0..10).for_each(|_| _ = agent.act());
        let mut out = Writer::new();
        agent.save(&mut out);
        let mut twin = Baseline::perturb(2, 0.5, 18, 6);
        twin.load(&mut Reader::new(&out.finish())).expect("a generator");
        assert_eq!(twin, agent);
    }
}
