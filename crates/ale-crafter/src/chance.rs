//! The draws of a world: numpy's legacy generator on top of the shared Mersenne Twister.

use ale_sim::rng::{Blocks, Mt19937};

/// The generator of an episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chance(Mt19937);

impl Chance {
    /// The generator of a world.
    pub fn new(world_seed: u32) -> Self {
        Self(Mt19937::new(world_seed))
    }

    /// The generator in a state read from a snapshot.
    pub(crate) fn from_generator(generator: Mt19937) -> Self {
        Self(generator)
    }

    /// A number in [0, 1) with 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        self.0.next_double53()
    }

    /// Fills `out` with numbers in [0, 1).
    pub fn fill(&mut self, out: &mut [f64]) {
        self.0.fill_double53(out);
    }

    /// The same draws, many at a time: for world generation.
    pub(crate) fn in_blocks(&mut self) -> Many<'_> {
        Many(self.0.in_blocks())
    }

    /// Draws `count` numbers in [0, 1) that nothing looks at.
    pub fn skip(&mut self, count: usize) {
        self.0.skip(2 * count);
    }

    /// Draws `count` words that nothing looks at.
    pub fn skip_words(&mut self, count: usize) {
        self.0.skip(count);
    }

    /// A number below `n` (at least 1); 1 draws nothing.
    #[inline]
    pub fn pick(&mut self, n: u32) -> u32 {
        let last = n - 1;
        if last == 0 {
            return 0;
        }
        let mask = u32::MAX >> last.leading_zeros();
        loop {
            let value = self.0.next_u32() & mask;
            if value <= last {
                return value;
            }
        }
    }

    /// The generator itself.
    pub fn generator(&self) -> &Mt19937 {
        &self.0
    }
}

/// Draws of a generator, computed ahead.
#[derive(Debug)]
pub(crate) struct Many<'a>(Blocks<'a>);

impl Many<'_> {
    /// A number in [0, 1) with 53 bits.
    #[inline]
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.next_double53()
    }
}
