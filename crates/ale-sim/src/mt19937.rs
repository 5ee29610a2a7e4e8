//! MT19937, the Mersenne Twister: the only source of chance of a machine and of an environment.

const N: usize = 624;
const M: usize = 397;

/// The 32-bit Mersenne Twister with its standard seeding by one word.
#[derive(Clone, PartialEq, Eq)]
pub struct Mt19937 {
    words: [u32; N],
    next: u32,
}

impl Mt19937 {
    /// A generator at the start of the sequence of `seed`.
    pub fn new(seed: u32) -> Self {
        let mut words = [seed; N];
        for i in 1..N {
            let last = words[i - 1];
            words[i] = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
        }
        Self { words, next: N as u32 }
    }

    /// The next 32 bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.next as usize >= N {
            self.twist();
        }
        let mut y = self.words[self.next as usize];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    /// A number in [0, 1): one output divided by 2^32.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }

    /// A number below `n` (at least 1), by multiply and shift with rejection.
    pub fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// The 624 words and the index of the next one, for a saved state.
    pub fn parts(&self) -> (&[u32; N], u32) {
        (&self.words, self.next)
    }

    /// The generator with these words; an index past the end means "twist first".
    pub fn from_parts(words: [u32; N], next: u32) -> Self {
        Self { words, next: next.min(N as u32) }
    }

    #[cold]
    fn twist(&mut self) {
        for i in 0..N {
            let y = (self.words[i] & 0x8000_0000) | (self.words[(i + 1) % N] & 0x7FFF_FFFF);
            let odd = if y & 1 == 1 { 0x9908_B0DF } else { 0 };
            self.words[i] = self.words[(i + M) % N] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }
}

impl std::fmt::Debug for Mt19937 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mt19937").field("next", &self.next).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_seed_gives_the_published_first_draws() {
        let mut rng = Mt19937::new(4_753_849);
        let draws: Vec<u32> = (0..4).map(|_| rng.next_u32()).collect();
        assert_eq!(draws, [0xBF11_AEB8, 0xA68B_E096, 0xFC86_C4C0, 0x7A04_1249]);
    }

    #[test]
    fn the_standard_seed_gives_the_standard_ten_thousandth_draw() {
        let mut rng = Mt19937::new(5489);
        let last = (0..10_000).map(|_| rng.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
    }

    #[test]
    fn below_stays_below() {
        let mut rng = Mt19937::new(1);
        assert!((0..1000).all(|_| rng.below(30) < 30));
        assert_eq!(rng.below(1), 0);
    }
}
