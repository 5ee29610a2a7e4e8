//! Chance as a counter hash: the n-th number of a seed needs no numbers before it, so that the order of the work and
//! the number of threads do not show.

/// The increment of `SplitMix64`.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The `SplitMix64` output for the state `seed + (index + 1) * GOLDEN`.
#[inline]
pub const fn word(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number below `n` from a word.
#[inline]
pub const fn below(word: u64, n: usize) -> usize {
    (((word >> 32) * n as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_specification() {
        let words = [0, 1, 2, 3].map(|i| word(7, i));
        let expected = [
            7_191_089_600_892_374_487,
            309_689_372_594_955_804,
            16_616_101_746_815_609_346,
            10_753_165_928_301_472_203,
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn the_first_replicate_draws_the_trials_of_the_specification() {
        let draw = |trial: u64, game: u64| below(word(7, trial * 4 + game), 3);
        let rows = [0, 1, 2].map(|trial| [0, 1, 2, 3].map(|game| draw(trial, game)));
        assert_eq!(rows, [[1, 0, 2, 1], [1, 0, 1, 0], [0, 1, 0, 2]]);
    }
}
