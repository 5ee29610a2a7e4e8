//! Other inputs from known ones: bytes changed, taken out, put in, repeated, and two inputs crossed.

use ale_core::rng::Mt19937;

/// Inputs do not grow beyond this.
const MAX_LEN: usize = 1 << 15;

/// Bytes where arithmetic likes to go wrong.
const EDGES: [u8; 8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF, 0x3F, 0x85];

/// An input made of one or two of `seeds`.
///
/// # Panics
/// When there are no seeds.
pub fn mutated(seeds: &[Vec<u8>], rng: &mut Mt19937) -> Vec<u8> {
    let pick = |rng: &mut Mt19937| &seeds[rng.below(seeds.len() as u32) as usize];
    let mut bytes = pick(rng).clone();
    for _ in 0..1 << rng.below(5) {
        let len = bytes.len() as u32;
        let at = rng.below(len + 1) as usize;
        let most = 1 << rng.below(8);
        let end = (at + 1 + rng.below(most) as usize).min(bytes.len()).max(at);
        match rng.below(10) {
            0 => _ = bytes.drain(at..end),
            1 => bytes.insert(at, rng.next_u32() as u8),
            2 => bytes.insert(at, EDGES[rng.below(8) as usize]),
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            4 => {
                let other = pick(rng);
                let from = rng.below(other.len() as u32 + 1) as usize;
                let to = (from + 1 + rng.below(64) as usize).min(other.len()).max(from);
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            5 => bytes.extend((0..rng.below(24)).map(|_| rng.next_u32() as u8)),
            _ if bytes.is_empty() => {}
            6 | 7 => bytes[at % len as usize] = rng.next_u32() as u8,
            8 => bytes[at % len as usize] ^= 1 << rng.below(8),
            _ => bytes[at % len as usize] = EDGES[rng.below(8) as usize],
        }
    }
    bytes.truncate(MAX_LEN);
    bytes
}
