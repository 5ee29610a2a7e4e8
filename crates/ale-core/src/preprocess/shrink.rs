//! The fast path of [`super::Resize`]: gray pictures of 210 rows by 160 columns to 84 by 84, what most agents see.
//!
//! The shares of this area resize are fortieths across and fifths down, so that a target pixel is a sum of whole
//! numbers over 200. Such sums are exact in any order, which allows three savings:
//!
//! - A source row differs from the one above in few places. Only words (eight pixels) that changed are looked up and
//!   multiplied; the others add what they added to the row above.
//! - A word touches two blocks of four target pixels: its own and the next one. A block is a number of four 16-bit
//!   lanes, so that one multiplication makes four products; adding two blocks adds eight sums.
//! - A target row that is made of rows without a change is a copy.
//!
//! The reference rounds binary32 sums: its error is far below a 200th, so that it can only differ in exact halves,
//! and those pixels are computed again in its own way.

use super::pool::{PLACES, Rows, WORD};
use super::weights::Span;
use crate::frame::WIDTH;

const HEIGHT: usize = 210;
const SIDE: usize = 84;
const ACROSS: u16 = 40;
const DOWN: u16 = 5;
const DENOMINATOR: u16 = ACROSS * DOWN;
/// Rows that make a target row.
const TAPS: usize = 3;
/// Target pixels of a block, the 16-bit lanes of a number.
const BLOCK: usize = 4;
const BLOCKS: usize = SIDE / BLOCK;
/// Rows whose sums are kept: a power of two above those of a target row.
const KEPT: usize = 4;

/// The weights of both directions as whole numbers.
#[derive(Debug, Clone)]
pub(super) struct Shrink {
    /// What each pixel of a word adds to its block and to the next one.
    words: [[[u64; 2]; WORD]; PLACES],
    rows: Vec<Taps>,
    /// The spans these weights stand for; they decide about halves.
    spans: [Vec<Span>; 2],
}

#[derive(Debug, Clone, Copy)]
struct Taps {
    first: usize,
    weights: [u16; TAPS],
}

/// The sums of a source row, each of weight 40.
type Sums = [u16; SIDE];

/// Working memory.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// What each word of the last row adds to its block and to the next one.
    own: [u64; PLACES],
    next: [u64; PLACES],
    /// The last rows that differed from the one above.
    sums: [Sums; KEPT],
}

impl Default for Work {
    fn default() -> Self {
        Self { own: [0; PLACES], next: [0; PLACES], sums: [[0; SIDE]; KEPT] }
    }
}

impl Shrink {
    /// The fast path for these spans, if it is this one.
    pub(super) fn find(columns: &[Span], rows: &[Span], source: [usize; 2]) -> Option<Self> {
        if source != [HEIGHT, WIDTH] || [rows.len(), columns.len()] != [SIDE, SIDE] {
            return None;
        }
        let mut words = [[[0; 2]; WORD]; PLACES];
        for (x, span) in columns.iter().enumerate() {
            for (pixel, &weight) in (span.first..).zip(&span.weights) {
                let word = pixel / WORD;
                let lane = x.checked_sub(word * BLOCK)?;
                let blocks = &mut words[word][pixel % WORD];
                *blocks.get_mut(lane / BLOCK)? |= u64::from(whole(weight, ACROSS)?) << (16 * (lane % BLOCK));
            }
        }
        let taps = |span: &Span| {
            let weights: &[f32; TAPS] = span.weights.as_slice().try_into().ok()?;
            let mut taps = Taps { first: span.first, weights: [0; TAPS] };
            for (whole_weight, &weight) in taps.weights.iter_mut().zip(weights) {
                *whole_weight = whole(weight, DOWN)?;
            }
            Some(taps)
        };
        let taps = rows.iter().map(taps).collect::<Option<_>>()?;
        Some(Self { words, rows: taps, spans: [columns.to_vec(), rows.to_vec()] })
    }

    /// Shrinks the gray picture `source`.
    pub(super) fn apply(&self, source: &impl Rows, target: &mut [u8], work: &mut Work) {
        let (lines, _) = target.as_chunks_mut::<SIDE>();
        // Rows with the same number have the same bytes; these are the numbers of the last few.
        let mut numbers = [0; KEPT];
        let mut number = 0_usize;
        let mut ready = 0;
        let mut changed = [0; PLACES];
        // The number of all rows of the target row above, and what came of them.
        let mut above = (None, [0; SIDE]);
        for ((y, line), taps) in lines.iter_mut().enumerate().zip(&self.rows) {
            while ready < taps.first + TAPS {
                let count = source.changed_words(ready, &mut changed);
                if count > 0 {
                    number += 1;
                    self.change(source, ready, changed.iter().take(count), work);
                    add_blocks(&work.own, &work.next, &mut work.sums[number % KEPT]);
                }
                numbers[ready % KEPT] = number;
                ready += 1;
            }
            let [first, second, third] = std::array::from_fn(|k| numbers[(taps.first + k) % KEPT]);
            if above.0 == Some(third) {
                *line = above.1;
                continue;
            }
            let sums = [first, second, third].map(|number| &work.sums[number % KEPT]);
            let any_half = add_rows(sums, taps.weights, line);
            if any_half {
                self.settle_halves(source, y, sums, line);
            }
            // Halves depend on the order of the weights too, which is not the same in the next row.
            above = ((first == third && !any_half).then_some(third), *line);
        }
    }

    /// Brings the blocks up to date with the words of `row` that changed.
    #[inline]
    fn change<'a>(
        &self,
        source: &impl Rows,
        row: usize,
        changed: impl Iterator<Item = &'a u8>,
        work: &mut Work,
    ) {
        for &word in changed {
            let word = usize::from(word) % PLACES;
            let pixels = source.word(row, word);
            let (mut own, mut next) = (0, 0);
            for (pixel, [to_own, to_next]) in pixels.into_iter().zip(&self.words[word]) {
                own += u64::from(pixel) * to_own;
                next += u64::from(pixel) * to_next;
            }
            work.own[word] = own;
            work.next[word] = next;
        }
    }

    /// Computes the pixels that lie exactly between two bytes as the reference does.
    #[cold]
    fn settle_halves(&self, source: &impl Rows, y: usize, sums: [&Sums; TAPS], line: &mut [u8; SIDE]) {
        let span = &self.spans[1][y];
        let weights = self.rows[y].weights;
        let is_half: [bool; SIDE] = std::array::from_fn(|x| {
            rounded_sum(sums.map(|sums| sums[x]), weights).is_multiple_of(DENOMINATOR)
        });
        for (x, byte) in line.iter_mut().enumerate().filter(|(x, _)| is_half[*x]) {
            let column = &self.spans[0][x];
            let mut sum = 0.0;
            for (row, &weight) in (span.first..).zip(&span.weights) {
                let pixels = (column.first..).zip(&column.weights);
                sum += weight
                    * pixels.fold(0.0, |sum, (x, weight)| sum + weight * f32::from(source.byte(row, x)));
            }
            *byte = super::resize::round(sum);
        }
    }
}

/// The sums of a row from what its words add.
#[inline]
fn add_blocks(own: &[u64; PLACES], next: &[u64; PLACES], sums: &mut Sums) {
    let mut blocks = [0; BLOCKS];
    for (block, own) in blocks.iter_mut().zip(own) {
        *block = *own;
    }
    for (block, next) in blocks[1..].iter_mut().zip(next) {
        *block += next;
    }
    let (lanes, _) = sums.as_chunks_mut();
    for (lanes, block) in lanes.iter_mut().zip(blocks) {
        *lanes = apart(block);
    }
}

/// A target row, except pixels that lie exactly between two bytes. Whether there are any.
#[inline]
fn add_rows([a, b, c]: [&Sums; TAPS], weights: [u16; TAPS], line: &mut [u8; SIDE]) -> bool {
    let mut any = 0;
    for x in 0..SIDE {
        let sum = rounded_sum([a[x], b[x], c[x]], weights);
        let quotient = sum / DENOMINATOR;
        line[x] = quotient as u8;
        any |= u16::from(quotient * DENOMINATOR == sum);
    }
    any != 0
}

#[inline]
fn rounded_sum(sums: [u16; TAPS], weights: [u16; TAPS]) -> u16 {
    weights[0] * sums[0] + weights[1] * sums[1] + weights[2] * sums[2] + DENOMINATOR / 2
}

/// The lanes of a block, the first in its lowest bits. No sum outgrows its lane.
#[inline]
fn apart(block: u64) -> [u16; BLOCK] {
    [block as u16, (block >> 16) as u16, (block >> 32) as u16, (block >> 48) as u16]
}

/// A weight as a multiple of one over `denominator`.
fn whole(weight: f32, denominator: u16) -> Option<u16> {
    let scaled = weight * f32::from(denominator);
    ((scaled - scaled.round()).abs() < 1e-4).then(|| scaled.round() as u16)
}
