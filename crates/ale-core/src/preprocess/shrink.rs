//! The fast path of [`super::Resize`]: gray pictures of 160 columns to 84 by 84, what most agents see.
//!
//! The shares of this area resize are fortieths across, and for the usual 210 rows fifths down, so that a target pixel
//! is a sum of whole numbers over 200. Such sums are exact in any order, which allows three savings:
//!
//! - A source row differs from the one above in few places. Only words (eight pixels) that changed are looked up and
//!   multiplied; the others add what they added to the row above.
//! - A word touches two blocks of four target pixels: its own and the next one. A block is a number of four 16-bit
//!   lanes, so that one multiplication makes four products; adding two blocks adds eight sums.
//! - A target row that is made of rows without a change is a copy.
//!
//! The reference rounds binary32 sums: its error is far below a 200th, so that it can only differ in exact halves,
//! and those pixels are computed again in its own way. Pictures of another height have other shares down; their sums
//! are made in binary32 of the exact ones across, and all that comes near a half is computed again.

use super::pool::{PLACES, Rows, WORD};
use super::weights::Span;
use crate::frame::WIDTH;

/// The usual height, and one that no picture has.
const HEIGHT: usize = 210;
const MAX_HEIGHT: usize = 320;
const SIDE: usize = 84;
const ACROSS: u16 = 40;
const DOWN: u16 = 5;
const DENOMINATOR: u16 = ACROSS * DOWN;
/// Rows that make a target row, of the usual pictures and of any.
const TAPS: usize = 3;
const MAX_TAPS: usize = 5;
/// What is nearer to a half may be one: the errors of two binary32 sums of bytes stay below a third of it.
const NEAR: f32 = 1e-3;
/// Target pixels of a block, the 16-bit lanes of a number.
const BLOCK: usize = 4;
const BLOCKS: usize = SIDE / BLOCK;
/// Rows whose sums are kept: a power of two above those of a target row.
const KEPT: usize = 8;

/// The weights of both directions as whole numbers.
#[derive(Debug, Clone)]
pub(super) struct Shrink {
    /// What each pixel of a word adds to its block and to the next one.
    words: [[[u64; 2]; WORD]; PLACES],
    /// Whole weights down, where they are fifths.
    fifths: Option<[[u16; TAPS]; SIDE]>,
    /// All weights as they are; they decide about halves.
    spans: [Vec<Span>; 2],
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
        let [height, width] = source;
        let taps = rows.iter().map(|span| span.weights.len()).max()?;
        if width != WIDTH
            || height > MAX_HEIGHT
            || [rows.len(), columns.len()] != [SIDE; 2]
            || taps > MAX_TAPS
        {
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
        let fifths = if height == HEIGHT { Some(fifths(rows)?) } else { None };
        Some(Self { words, fifths, spans: [columns.to_vec(), rows.to_vec()] })
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
        for ((y, line), span) in lines.iter_mut().enumerate().zip(&self.spans[1]) {
            let end = span.first + span.weights.len();
            while ready < end {
                let count = source.changed_words(ready, &mut changed);
                if count > 0 {
                    number += 1;
                    self.change(source, ready, changed.iter().take(count), work);
                    add_blocks(&work.own, &work.next, &mut work.sums[number % KEPT]);
                }
                numbers[ready % KEPT] = number;
                ready += 1;
            }
            let (first, last) = (numbers[span.first % KEPT], numbers[(end - 1) % KEPT]);
            if above.0 == Some(last) {
                *line = above.1;
                continue;
            }
            let mut sums = [&work.sums[0]; MAX_TAPS];
            for (row, sums) in (span.first..end).zip(&mut sums) {
                *sums = &work.sums[numbers[row % KEPT] % KEPT];
            }
            let halves = match &self.fifths {
                Some(fifths) => add_fifths([sums[0], sums[1], sums[2]], fifths[y], line),
                None => add_shares(&sums, &span.weights, line),
            };
            if halves.any() {
                self.settle_halves(source, y, &halves, line);
            }
            // Halves depend on the order of the weights too, which is not the same in the next row.
            above = ((first == last && !halves.any()).then_some(last), *line);
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

    /// Computes the pixels that lie between two bytes as the reference does.
    #[cold]
    fn settle_halves(&self, source: &impl Rows, y: usize, halves: &Halves, line: &mut [u8; SIDE]) {
        let span = &self.spans[1][y];
        for (x, byte) in line.iter_mut().enumerate().filter(|(x, _)| halves.0[*x] != 0) {
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

/// Where the pixels of a target row lie between two bytes.
struct Halves([u8; SIDE]);

impl Halves {
    fn any(&self) -> bool {
        self.0 != [0; SIDE]
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

/// A target row of three rows, except its halves.
#[inline]
fn add_fifths([a, b, c]: [&Sums; TAPS], weights: [u16; TAPS], line: &mut [u8; SIDE]) -> Halves {
    let mut halves = [0; SIDE];
    for x in 0..SIDE {
        let sum = weights[0] * a[x] + weights[1] * b[x] + weights[2] * c[x] + DENOMINATOR / 2;
        let quotient = sum / DENOMINATOR;
        line[x] = quotient as u8;
        halves[x] = u8::from(quotient * DENOMINATOR == sum);
    }
    Halves(halves)
}

/// A target row of any rows, except what comes near a half.
#[inline]
fn add_shares(rows: &[&Sums; MAX_TAPS], weights: &[f32], line: &mut [u8; SIDE]) -> Halves {
    let mut sums = [0.0; SIDE];
    for (row, weight) in rows.iter().zip(weights) {
        let weight = weight / f32::from(ACROSS);
        for x in 0..SIDE {
            sums[x] += weight * f32::from(row[x]);
        }
    }
    let mut halves = [0; SIDE];
    for x in 0..SIDE {
        let byte = super::resize::round(sums[x]);
        line[x] = byte;
        halves[x] = u8::from((sums[x] - f32::from(byte)).abs() > 0.5 - NEAR);
    }
    Halves(halves)
}

/// The weights of the usual rows.
fn fifths(rows: &[Span]) -> Option<[[u16; TAPS]; SIDE]> {
    let mut fifths = [[0; TAPS]; SIDE];
    for (span, fifths) in rows.iter().zip(&mut fifths) {
        let weights: &[f32; TAPS] = span.weights.as_slice().try_into().ok()?;
        for (fifth, &weight) in fifths.iter_mut().zip(weights) {
            *fifth = whole(weight, DOWN)?;
        }
    }
    Some(fifths)
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
