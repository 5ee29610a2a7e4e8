//! RAM: the 1,024 bits of memory, and all pairs of bits that are both set.

use crate::input::{Error, Input, InputKind};
use crate::pairs::{pair_of, pairs, push_pairs, write_pairs};
use crate::{Active, Fact, FeatureSet};

/// Features that are no pairs.
const BASE: usize = 1024;

/// Index `8 * byte + bit`, bit 0 the lowest, then pairs.
///
/// Facts are `bit` with byte and bit, and `pair` with byte and bit of both.
#[derive(Debug, Clone, Default)]
pub struct Ram;

/// Calls a function with each bit that is set.
fn for_each_bit(ram: &[u8; 128], mut each: impl FnMut(u32)) {
    for (word, bytes) in ram.chunks_exact(8).enumerate() {
        let mut bits = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        while bits != 0 {
            each(word as u32 * 64 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// The memory of an input.
fn memory(input: Input<'_>) -> Result<&[u8; 128], Error> {
    match input {
        Input::Ram(ram) => Ok(ram),
        Input::Screen(_) => Err(Error::Kind { set: "RAM", wanted: InputKind::Ram, given: InputKind::Screen }),
    }
}

impl FeatureSet for Ram {
    fn input(&self) -> InputKind {
        InputKind::Ram
    }

    fn len(&self) -> usize {
        BASE + pairs(BASE)
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let ram = memory(input)?;
        let first = out.indices.len();
        for_each_bit(ram, |bit| out.indices.push(bit));
        push_pairs(&mut out.indices, first, BASE as u32);
        Ok(())
    }

    fn count(&self, input: Input<'_>) -> Result<Option<usize>, Error> {
        let bits = memory(input)?.iter().map(|byte| byte.count_ones() as usize).sum();
        Ok(Some(bits + pairs(bits)))
    }

    fn write(&mut self, input: Input<'_>, out: &mut [u32]) -> Result<(), Error> {
        let mut bits = 0;
        for_each_bit(memory(input)?, |bit| {
            out[bits] = bit;
            bits += 1;
        });
        let (bases, rest) = out.split_at_mut(bits);
        write_pairs(bases, rest, BASE as u32);
        Ok(())
    }

    fn reset(&mut self) {}

    fn describe(&self, index: u32) -> Option<Fact> {
        let bit = |index: u32| [index as i32 / 8, index as i32 % 8];
        if (index as usize) < BASE {
            return Some(Fact::new("bit", bit(index)));
        }
        ((index as usize) < self.len()).then(|| {
            let (first, second) = pair_of(index, BASE as u32);
            Fact::new("pair", [bit(first), bit(second)].concat())
        })
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self)
    }
}
