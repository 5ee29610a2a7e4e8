//! From a base seed and an episode number to the seed of a world: `CPython`'s hash of a tuple of two integers.

/// The hash of a Python integer that fits in 64 bits.
pub const fn hash_integer(n: i64) -> i64 {
    const MODULUS: i64 = (1 << 61) - 1;
    let hash = n % MODULUS; // truncated: the sign of `n` stays
    if hash == -1 { -2 } else { hash }
}

/// The hash of the tuple of two integers whose hashes are given.
pub const fn hash_pair(first: i64, second: i64) -> i64 {
    const P1: u64 = 11_400_714_785_074_694_791;
    const P2: u64 = 14_029_467_366_897_019_727;
    const P5: u64 = 2_870_177_450_012_600_261;
    let mut acc = P5;
    let lanes = [first as u64, second as u64];
    let mut i = 0;
    while i < lanes.len() {
        acc = acc.wrapping_add(lanes[i].wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
        i += 1;
    }
    acc = acc.wrapping_add(2 ^ (P5 ^ 0x0035_D373));
    if acc == u64::MAX { 1_546_275_796 } else { acc as i64 }
}

/// The seed of the world of an episode (counted from 1), from the *hash* of the base seed.
pub const fn world_seed(base: i64, episode: u64) -> u32 {
    let episode = hash_integer((episode & i64::MAX as u64) as i64);
    hash_pair(base, episode).rem_euclid((1 << 31) - 1) as u32
}
