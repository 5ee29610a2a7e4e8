//! PCG64 (XSL-RR 128/64) seeded through a hash of the seed: the generator that numpy and gymnasium give their users.
//!
//! The streams are those of `numpy.random.default_rng(seed)`, so that code of a native batch can draw what a Python
//! environment with the same seed draws.

/// Turns a seed into as many words as wanted, all of which depend on all of its bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedSequence {
    pool: [u32; POOL],
}

const POOL: usize = 4;

impl SeedSequence {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        let mut hash = Hash { constant: 0x43B0_D7E5, factor: 0x931E_8875 };
        let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(|word| hash.apply(word));
        for from in 0..POOL {
            for to in (0..POOL).filter(|&to| to != from) {
                pool[to] = mix(pool[to], hash.apply(pool[from]));
            }
        }
        Self { pool }
    }

    /// The first `N` words of 32 bits.
    pub fn words<const N: usize>(&self) -> [u32; N] {
        let mut hash = Hash { constant: 0x8B51_F9DD, factor: 0x58F3_8DED };
        std::array::from_fn(|index| hash.apply(self.pool[index % POOL]))
    }
}

/// A hash whose constant changes with every word.
struct Hash {
    constant: u32,
    factor: u32,
}

impl Hash {
    fn apply(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.factor);
        let word = word.wrapping_mul(self.constant);
        word ^ (word >> 16)
    }
}

fn mix(x: u32, y: u32) -> u32 {
    let word = x.wrapping_mul(0xCA01_F9DD).wrapping_sub(y.wrapping_mul(0x4973_F715));
    word ^ (word >> 16)
}

/// PCG64 with numpy's buffer of half a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of the last word of which only 32 bits were drawn.
    half: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Pcg64 {
    /// The generator that `numpy.random.default_rng(seed)` is.
    pub fn new(seed: u64) -> Self {
        let words = SeedSequence::new(seed).words::<8>().map(u128::from);
        // Words of 64 bits have their lower half first, numbers of 128 bits their upper one.
        let [state, stream] =
            [0, 4].map(|at| words[at + 1] << 96 | words[at] << 64 | words[at + 3] << 32 | words[at + 2]);
        let mut rng = Self { state: 0, increment: stream << 1 | 1, half: None };
        rng.advance();
        rng.state = rng.state.wrapping_add(state);
        rng.advance();
        rng
    }

    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.advance();
        ((self.state >> 64) as u64 ^ self.state as u64).rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 bits: the lower half of a word, then its upper half.
    pub fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let word = self.next_u64();
            self.half = Some((word >> 32) as u32);
            word as u32
        })
    }

    /// `Generator.random()`: a number in [0, 1) with 53 bits.
    pub fn next_double(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `Generator.integers(n)`: a number below `n`, which is at least 1; nothing is drawn for 1.
    pub fn below(&mut self, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// State, increment and the half word, for a saved state.
    pub fn parts(&self) -> (u128, u128, Option<u32>) {
        (self.state, self.increment, self.half)
    }

    /// The generator with these parts.
    pub fn from_parts(state: u128, increment: u128, half: Option<u32>) -> Self {
        Self { state, increment: increment | 1, half }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `numpy.random` 2.4 gives for a seed.
    struct Numpy {
        seed: u64,
        words: [u32; 5],
        raw: u64,
        starts: [u32; 8],
        double: f64,
        more: [u32; 3],
        large: u32,
        last: u32,
    }

    const NUMPY: [Numpy; 3] = [
        Numpy {
            seed: 0,
            words: [2_968_811_710, 3_677_149_159, 745_650_761, 2_884_920_346, 2_642_120_001],
            raw: 11_749_869_230_777_074_271,
            starts: [26, 20, 16, 9, 10, 2, 3, 1],
            double: 0.813_270_239_200_272_4,
            more: [20, 28, 16],
            large: 1_819_907_326,
            last: 4,
        },
        Numpy {
            seed: 4_294_967_295,
            words: [1_992_424_968, 705_021_410, 3_255_730_584, 540_206_095, 2_021_606_294],
            raw: 4_647_538_520_743_280_031,
            starts: [6, 8, 22, 7, 28, 9, 7, 19],
            double: 0.935_012_291_117_389_8,
            more: [4, 9, 26],
            large: 1_317_365_339,
            last: 5,
        },
        Numpy {
            seed: 1_099_511_627_781,
            words: [3_767_146_251, 3_672_381_269, 2_127_416_108, 2_216_012_776, 1_267_800_272],
            raw: 87_427_594_128_977_387,
            starts: [1, 1, 14, 12, 28, 18, 27, 5],
            double: 0.419_960_015_921_357_8,
            more: [27, 30, 3],
            large: 1_083_584_994,
            last: 0,
        },
    ];

    #[test]
    fn the_streams_are_those_of_numpy() {
        for numpy in NUMPY {
            assert_eq!(SeedSequence::new(numpy.seed).words(), numpy.words, "{}", numpy.seed);
            assert_eq!(Pcg64::new(numpy.seed).next_u64(), numpy.raw, "{}", numpy.seed);
            let mut rng = Pcg64::new(numpy.seed);
            assert_eq!(numpy.starts.map(|_| 1 + rng.below(30)), numpy.starts);
            assert_eq!(rng.next_double().to_bits(), numpy.double.to_bits());
            assert_eq!(numpy.more.map(|_| 1 + rng.below(30)), numpy.more);
            rng.next_double();
            assert_eq!(rng.below(3_000_000_000), numpy.large);
            let before = rng.clone();
            assert_eq!((rng.below(1), &rng), (0, &before));
            assert_eq!(rng.below(7), numpy.last);
        }
    }

    #[test]
    fn a_generator_goes_on_from_its_parts() {
        let mut rng = Pcg64::new(7);
        rng.next_u32();
        let (state, increment, half) = rng.parts();
        assert!(half.is_some());
        let mut other = Pcg64::from_parts(state, increment, half);
        assert!((0..20).all(|_| rng.next_u32() == other.next_u32()));
    }
}
