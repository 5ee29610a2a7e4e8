//! LSH: 2,000 locality-sensitive hashes of the screen's bits, each with 50 values.
//!
//! The screen is a vector of 235,200 bits: bit `b` of the colour of the pixel in column x of row y is number
//! `7 * (160 y + x) + b`. Hash `i` adds up the values of those of its 1,000 bits that are set, modulo 50.
//!
//! The sums are kept from screen to screen. For every bit the table lists the hashes that contain it (8.5 in the
//! mean), so a bit that flips costs 8.5 additions; 2 million would be needed from scratch.

use std::sync::Arc;

use ale_sim::rng::Xoshiro256;

use crate::input::{Error, Input, InputKind, Screen};
use crate::{Active, COLUMNS, Fact, FeatureSet, ROWS};

const HASHES: usize = 2000;
const BITS_PER_HASH: usize = 1000;
const VALUES: usize = 50;
const BITS: usize = 7 * ROWS * COLUMNS;

/// Which bits each hash contains, listed by bit.
struct Table {
    /// Where the entries of each bit begin; one more at the end.
    first: Vec<u32>,
    /// Hash in the upper bits, its value for this bit in the lower eight.
    entries: Vec<u32>,
}

impl Table {
    /// For each hash in turn 1,000 different bits, each draw followed by the draw of its value.
    fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256::new(seed);
        let mut drawn_for = vec![u32::MAX; BITS];
        let mut draws = Vec::with_capacity(HASHES * BITS_PER_HASH);
        let mut first = vec![0; BITS + 1];
        for hash in 0..HASHES as u32 {
            for _ in 0..BITS_PER_HASH {
                let bit = loop {
                    let bit = rng.below(BITS as u64) as usize;
                    if drawn_for[bit] != hash {
                        break bit;
                    }
                };
                drawn_for[bit] = hash;
                draws.push((bit as u32, hash << 8 | rng.below(VALUES as u64) as u32));
                first[bit + 1] += 1;
            }
        }
        for bit in 0..BITS {
            first[bit + 1] += first[bit];
        }
        let mut next = first.clone();
        let mut entries = vec![0; draws.len()];
        for (bit, entry) in draws {
            entries[next[bit as usize] as usize] = entry;
            next[bit as usize] += 1;
        }
        Self { first, entries }
    }
}

/// Index `50 * hash + value`; facts are `lsh` with hash and value. Exactly 2,000 features are on.
#[derive(Clone)]
pub struct Lsh {
    table: Arc<Table>,
    /// Sums of the hashes for the screen in `before`, not yet modulo 50. Values of 1,000 bits fit.
    sums: Vec<i32>,
    before: Vec<u8>,
}

impl Lsh {
    /// The set whose bits and values are drawn with this seed.
    pub fn new(seed: u64) -> Self {
        Self::with_table(Arc::new(Table::new(seed)))
    }

    fn with_table(table: Arc<Table>) -> Self {
        Self { table, sums: vec![0; HASHES], before: vec![0; ROWS * COLUMNS] }
    }

    /// Brings the sums from the screen before to this one.
    fn update(&mut self, screen: Screen<'_>) {
        let words = screen.pixels().chunks_exact(8).zip(self.before.chunks_exact_mut(8));
        for (at, (now, before)) in words.enumerate() {
            let new = u64::from_le_bytes(now.try_into().expect("eight pixels"));
            let old = u64::from_le_bytes((&*before).try_into().expect("eight pixels"));
            let mut changes = (new ^ old) & 0xFEFE_FEFE_FEFE_FEFE;
            before.copy_from_slice(now);
            while changes != 0 {
                let place = changes.trailing_zeros();
                changes &= changes - 1;
                let (pixel, bit) = (at * 8 + place as usize / 8, place as usize % 8 - 1);
                let number = 7 * pixel + bit;
                let entries = self.table.first[number] as usize..self.table.first[number + 1] as usize;
                let sign = if new >> place & 1 == 1 { 1 } else { -1 };
                for entry in &self.table.entries[entries] {
                    self.sums[(entry >> 8) as usize] += sign * (entry & 0xFF) as i32;
                }
            }
        }
    }
}

impl FeatureSet for Lsh {
    fn input(&self) -> InputKind {
        InputKind::Screen
    }

    fn len(&self) -> usize {
        HASHES * VALUES
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let screen = input.screen("LSH")?;
        self.update(screen);
        let feature = |(hash, sum): (usize, &i32)| (VALUES * hash) as u32 + *sum as u32 % VALUES as u32;
        out.indices.extend(self.sums.iter().enumerate().map(feature));
        Ok(())
    }

    /// Nothing is remembered that changes a result: the sums are exact for any screen before.
    fn reset(&mut self) {}

    fn describe(&self, index: u32) -> Option<Fact> {
        let (hash, value) = (index as usize / VALUES, index as usize % VALUES);
        (hash < HASHES).then(|| Fact::new("lsh", [hash as i32, value as i32]))
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self::with_table(Arc::clone(&self.table)))
    }
}
