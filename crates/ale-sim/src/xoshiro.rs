//! xoshiro256++ seeded by `SplitMix64`: the generator of agents and planners.
//!
//! Written down here, so that results never depend on another crate's version.

/// `SplitMix64`, which turns one word into many; used to seed [`Xoshiro256`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator at the start of the sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// xoshiro256++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xoshiro256 {
    words: [u64; 4],
}

impl Xoshiro256 {
    /// A generator whose words are the first four of [`SplitMix64`].
    pub fn new(seed: u64) -> Self {
        let mut source = SplitMix64::new(seed);
        Self { words: std::array::from_fn(|_| source.next_u64()) }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.words;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.words = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number in [0, 1): the top 53 bits divided by 2^53.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number below `n` (at least 1), by multiply and shift with rejection.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// The four words, for a saved state.
    pub fn words(&self) -> [u64; 4] {
        self.words
    }

    /// The generator with these words; all zeros would stay zero for ever and are refused.
    pub fn from_words(words: [u64; 4]) -> Option<Self> {
        (words != [0; 4]).then_some(Self { words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence_of_seed_1234567() {
        let mut source = SplitMix64::new(1_234_567);
        let draws: Vec<u64> = (0..3).map(|_| source.next_u64()).collect();
        assert_eq!(draws, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn xoshiro_gives_the_published_sequence_of_the_words_1_2_3_4() {
        let mut rng = Xoshiro256::from_words([1, 2, 3, 4]).expect("not all zero");
        let draws: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(draws, [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn below_and_double_stay_in_range() {
        let mut rng = Xoshiro256::new(1);
        assert!((0..1000).all(|_| rng.below(18) < 18));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.next_double())));
    }
}
