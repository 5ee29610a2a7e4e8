//! MT19937, the Mersenne Twister: the only source of chance of a machine and of an environment.

use multiversion::multiversion;

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
        let y = self.words[self.next as usize];
        self.next += 1;
        temper(y)
    }

    /// A number in [0, 1): one output divided by 2^32.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }

    /// A number in [0, 1) with 53 bits: two outputs.
    #[inline]
    pub fn next_double53(&mut self) -> f64 {
        let (high, low) = (self.next_u32(), self.next_u32());
        double53(high, low)
    }

    /// Fills `out` with what [`Mt19937::next_double53`] would give.
    pub fn fill_double53(&mut self, mut out: &mut [f64]) {
        while !out.is_empty() {
            if self.next as usize >= N {
                self.twist();
            }
            let rest = &self.words[self.next as usize..];
            let whole = (rest.len() / 2).min(out.len());
            if whole == 0 {
                // One word is left in this block.
                out[0] = self.next_double53();
                out = &mut out[1..];
                continue;
            }
            let (now, later) = out.split_at_mut(whole);
            doubles(rest, now);
            self.next += 2 * whole as u32;
            out = later;
        }
    }

    /// Goes past `count` outputs.
    pub fn skip(&mut self, mut count: usize) {
        loop {
            let left = N - (self.next as usize).min(N);
            if count <= left {
                self.next += count as u32;
                return;
            }
            count -= left;
            self.twist();
        }
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

    /// The same generator for many single draws: a whole block of outputs is computed at once.
    pub fn in_blocks(&mut self) -> Blocks<'_> {
        let mut outputs = [0; N];
        temper_all(&self.words, &mut outputs);
        Blocks { generator: self, outputs }
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
        // The indices wrap twice; three loops without a remainder run eight words at a time.
        let words = &mut self.words;
        for i in 0..N - M {
            words[i] = words[i + M] ^ mix(words[i], words[i + 1]);
        }
        for i in N - M..N - 1 {
            words[i] = words[i + M - N] ^ mix(words[i], words[i + 1]);
        }
        words[N - 1] = words[M - 1] ^ mix(words[N - 1], words[0]);
        self.next = 0;
    }
}

/// Draws of a generator, a block of outputs computed ahead. The generator always knows what was drawn.
#[derive(Debug)]
pub struct Blocks<'a> {
    generator: &'a mut Mt19937,
    /// What the generator's words give.
    outputs: [u32; N],
}

impl Blocks<'_> {
    /// The next 32 bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let Some(&output) = self.outputs.get(self.generator.next as usize) else {
            return self.first_of_next();
        };
        self.generator.next += 1;
        output
    }

    /// A number in [0, 1) with 53 bits: two outputs.
    #[inline]
    pub fn next_double53(&mut self) -> f64 {
        let (high, low) = (self.next_u32(), self.next_u32());
        double53(high, low)
    }

    #[cold]
    fn first_of_next(&mut self) -> u32 {
        self.generator.twist();
        temper_all(&self.generator.words, &mut self.outputs);
        self.generator.next = 1;
        self.outputs[0]
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn temper_all(words: &[u32; N], outputs: &mut [u32; N]) {
    for (output, word) in outputs.iter_mut().zip(words) {
        *output = temper(*word);
    }
}

/// Tempers pairs of words into numbers in [0, 1).
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn doubles(words: &[u32], out: &mut [f64]) {
    for (value, pair) in out.iter_mut().zip(words.as_chunks::<2>().0) {
        *value = double53(temper(pair[0]), temper(pair[1]));
    }
}

#[inline(always)]
fn mix(upper: u32, lower: u32) -> u32 {
    let y = (upper & 0x8000_0000) | (lower & 0x7FFF_FFFF);
    (y >> 1) ^ ((y & 1).wrapping_neg() & 0x9908_B0DF)
}

#[inline(always)]
fn temper(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C_5680;
    y ^= (y << 15) & 0xEFC6_0000;
    y ^ (y >> 18)
}

#[inline(always)]
fn double53(high: u32, low: u32) -> f64 {
    (f64::from(high >> 5) * 67_108_864.0 + f64::from(low >> 6)) / 9_007_199_254_740_992.0
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
    fn filling_and_skipping_equal_single_draws() {
        let mut literal = Mt19937::new(7);
        let (mut filled, mut skipped) = (literal.clone(), literal.clone());
        for count in [0, 1, 2, 311, 312, 313, 3087, 5] {
            // An odd word in between moves pairs across the ends of blocks.
            assert_eq!(literal.next_u32(), filled.next_u32());
            skipped.next_u32();
            let mut out = vec![0.0; count];
            filled.fill_double53(&mut out);
            let mut of_blocks = literal.clone();
            let mut blocks = of_blocks.in_blocks();
            let drawn: Vec<f64> = (0..count).map(|_| blocks.next_double53()).collect();
            assert_eq!(drawn, out);
            assert!(of_blocks.next_u32() == filled.clone().next_u32());
            skipped.skip(2 * count);
            assert!(out.iter().all(|value| value.to_bits() == literal.next_double53().to_bits()));
            assert_eq!(literal.clone().next_u32(), filled.clone().next_u32());
            assert_eq!(literal.clone().next_u32(), skipped.clone().next_u32());
        }
    }

    #[test]
    fn below_stays_below() {
        let mut rng = Mt19937::new(1);
        assert!((0..1000).all(|_| rng.below(30) < 30));
        assert_eq!(rng.below(1), 0);
    }
}
