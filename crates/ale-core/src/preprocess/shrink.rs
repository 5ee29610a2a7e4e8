//! The fast path of [`super::Resize`]: gray pictures of 160 columns to 84 by 84, what most agents see.
//!
//! The shares of this area resize are fortieths across, and for the usual 210 rows fifths down, so that a target pixel
//! is a sum of whole numbers over 200. Such sums are exact in any order, which allows three savings:
//!
//! - A source row that repeats the one above adds what that one added.
//! - 40 source pixels make 21 target pixels, in all four quarters of a row alike. Target pixel `x` of a quarter is made
//!   of the source pixels `2x - 2` to `2x + 1`, some of them with weight 0: of two pairs. So a row is laid out anew with
//!   the pairs of each target pixel in its place, and neighbours in the target are made together.
//! - A target row that is made of rows without a change is a copy.
//!
//! The reference rounds binary32 sums: its error is far below a 200th, so that it can only differ in exact halves,
//! and those pixels are computed again in its own way. Pictures of another height have other shares down; their sums
//! are made in binary32 of the exact ones across, and all that comes near a half is computed again.

use multiversion::multiversion;

use super::pool::Rows;
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
/// Rows whose sums are kept: a power of two above those of a target row.
const KEPT: usize = 8;
/// Target pixels of a quarter, and pairs of source pixels.
const QUARTER: usize = 21;
const PAIRS: usize = 20;
const QUARTERS: usize = 4;
/// Target pixels of a row and some more: a multiple of those that are made together.
const LANES: usize = SIDE.next_multiple_of(16);
/// Source pixels of a target pixel: even and odd of the pair before its own, even and odd of its own.
const SLOTS: usize = 4;

/// The weights of both directions as whole numbers.
#[derive(Debug, Clone)]
pub(super) struct Shrink {
    /// Weights across by slot.
    across: Weights,
    /// Where weights down are fifths: which target rows weigh 1, 2, 2. The others weigh 2, 2, 1.
    fifths: Option<[bool; SIDE]>,
    height: usize,
    /// The weights as they are, which decide about halves.
    columns: [Column; SIDE],
    rows: Vec<Span>,
}

/// The source pixels of a target pixel, three with 0 as the weight of one that is not needed.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    first: u8,
    shares: [f32; TAPS],
}

/// For each slot the weights of all target pixels.
type Weights = [[u16; LANES]; SLOTS];

/// The sums of a source row, each of weight 40.
type Sums = [u16; LANES];

/// A byte for each target pixel of a row and some more, for words of eight.
const MARKS: usize = SIDE.next_multiple_of(8);
type Marks = [u8; MARKS];

/// The bytes of a row and some more, so that every number of eight bits is the place of one.
const ROW: usize = 256;
type Row = [u8; ROW];

/// Working memory: the last rows that differed from the one above.
#[derive(Debug, Clone)]
pub(super) struct Work {
    rows: [Row; KEPT],
    sums: [Sums; KEPT],
}

impl Default for Work {
    fn default() -> Self {
        Self { rows: [[0; ROW]; KEPT], sums: [[0; LANES]; KEPT] }
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
        let across = shares(columns)?;
        let fifths = if height == HEIGHT { Some(fifths(rows)?) } else { None };
        Some(Self { across, fifths, height, columns: self::columns(columns)?, rows: rows.to_vec() })
    }

    /// Shrinks the gray picture `source`.
    pub(super) fn apply(&self, source: &impl Rows, target: &mut [u8], work: &mut Work) {
        let (lines, _) = target.as_chunks_mut::<SIDE>();
        let mut changed = [true; MAX_HEIGHT];
        source.mark_changes(&mut changed[..self.height]);
        // Where the sums of each row are. Of rows near each other, those with the same bytes have the same place.
        let mut places = [0_u8; MAX_HEIGHT];
        let mut place = 0;
        let mut ready = 0;
        // The place of all rows of the target row above.
        let mut above = None;
        for (y, span) in self.rows.iter().enumerate() {
            let end = (span.first + span.weights.len()).min(MAX_HEIGHT);
            while ready < end {
                if changed[ready] {
                    place = (place + 1) % KEPT;
                    let Some(row) = work.rows[place].first_chunk_mut() else { return };
                    source.read(ready, row);
                    add_across(&self.across, row, &mut work.sums[place]);
                }
                places[ready] = place as u8;
                ready += 1;
            }
            let places = &places[span.first..end];
            let uniform = places[0] == place as u8;
            if uniform && above == Some(place) {
                lines[y] = lines[y - 1];
                continue;
            }
            let halves = self.add_down(y, places, work, &mut lines[y]);
            // Halves depend on the order of the weights too, which is not the same in the next row.
            above = (uniform && !halves).then_some(place);
        }
    }

    /// A target row. Tells whether there were halves.
    #[inline]
    fn add_down(&self, y: usize, places: &[u8], work: &Work, line: &mut [u8; SIDE]) -> bool {
        let row = |k: usize| &work.sums[usize::from(places[k]) % KEPT];
        let halves = match &self.fifths {
            Some(fifths) => add_fifths(fifths[y], row(0), row(1), row(2), line),
            None => add_shares(places, work, &self.rows[y].weights, line),
        };
        if halves {
            self.settle_halves(y, places, work, line);
        }
        halves
    }

    /// Computes the pixels that lie between two bytes, or may do so, as the reference does.
    #[cold]
    fn settle_halves(&self, y: usize, places: &[u8], work: &Work, line: &mut [u8; SIDE]) {
        let weights = &self.rows[y].weights;
        let row = |k: usize| &work.sums[usize::from(places[k]) % KEPT];
        let marks = match &self.fifths {
            Some(fifths) => mark_fifths(fifths[y], row(0), row(1), row(2)),
            None => mark_shares(places, work, weights, line),
        };
        for (word, marks) in marks.as_chunks().0.iter().enumerate() {
            let mut marks = u64::from_le_bytes(*marks);
            while marks != 0 {
                let x = 8 * word + marks.trailing_zeros() as usize / 8;
                marks &= marks - 1;
                let Column { first, shares } = self.columns[x];
                let mut sum = 0.0;
                for (&place, weight) in places.iter().zip(weights) {
                    let row = &work.rows[usize::from(place) % KEPT];
                    let pixel = |k: u8| f32::from(row[usize::from(first.wrapping_add(k))]);
                    sum += weight * (shares[0] * pixel(0) + shares[1] * pixel(1) + shares[2] * pixel(2));
                }
                line[x] = super::resize::round(sum);
            }
        }
    }
}

/// The sums of a row.
// No closures: one that is compiled for a processor is not inlined into what is compiled for all.
#[multiversion(targets("x86_64+avx2"))]
fn add_across(weights: &Weights, row: &[u8; WIDTH], sums: &mut Sums) {
    /// Bytes of the pairs of a quarter of the target.
    const PART: usize = 2 * QUARTER;
    // With a pair of no weight before it and one behind it.
    let mut padded = [0; WIDTH + 4];
    padded[2..WIDTH + 2].copy_from_slice(row);
    let mut pairs = [[0; 2 * LANES]; 2];
    for (k, pairs) in pairs.iter_mut().enumerate() {
        for quarter in 0..QUARTERS {
            let from = 2 * (PAIRS * quarter + k);
            pairs[PART * quarter..][..PART].copy_from_slice(&padded[from..from + PART]);
        }
    }
    let [before, own] = &pairs;
    let (before, own) = (before.as_chunks().0, own.as_chunks().0);
    let [a, b, c, d] = weights;
    for x in 0..LANES {
        let (before, own) = (u16::from_le_bytes(before[x]), u16::from_le_bytes(own[x]));
        sums[x] = a[x] * (before & 0xFF) + b[x] * (before >> 8) + c[x] * (own & 0xFF) + d[x] * (own >> 8);
    }
}

/// The weights of a row by slot, if all fit.
fn shares(columns: &[Span]) -> Option<Weights> {
    let mut weights = [[0; LANES]; SLOTS];
    for (x, span) in columns.iter().enumerate() {
        let (quarter, place) = (x / QUARTER, x % QUARTER);
        let start = 2 * (PAIRS * quarter + place);
        for (pixel, &weight) in (span.first..).zip(&span.weights) {
            let slot = (pixel + 2).checked_sub(start)?;
            *weights.get_mut(slot)?.get_mut(x)? = whole(weight, ACROSS)?;
        }
    }
    Some(weights)
}

/// A target row of three rows, except its halves. Tells whether there are any.
#[multiversion(targets("x86_64+avx2"))]
fn add_fifths(first_is_half: bool, a: &Sums, b: &Sums, c: &Sums, line: &mut [u8; SIDE]) -> bool {
    // Two rows count twice, the first or the last one once.
    let (once, twice) = if first_is_half { (a, c) } else { (c, a) };
    let mut halves = false;
    for x in 0..SIDE {
        let sum = 2 * (twice[x] + b[x]) + once[x] + DENOMINATOR / 2;
        let quotient = sum / DENOMINATOR;
        line[x] = quotient as u8;
        halves |= quotient * DENOMINATOR == sum;
    }
    halves
}

/// Marks the halves of such a row by 1.
#[multiversion(targets("x86_64+avx2"))]
fn mark_fifths(first_is_half: bool, a: &Sums, b: &Sums, c: &Sums) -> Marks {
    let (once, twice) = if first_is_half { (a, c) } else { (c, a) };
    let mut marks = [0; MARKS];
    for x in 0..SIDE {
        let sum = 2 * (twice[x] + b[x]) + once[x] + DENOMINATOR / 2;
        marks[x] = u8::from(sum / DENOMINATOR * DENOMINATOR == sum);
    }
    marks
}

/// A target row of any rows, except what comes near a half. Tells whether anything does.
#[multiversion(targets("x86_64+avx2"))]
fn add_shares(places: &[u8], work: &Work, weights: &[f32], line: &mut [u8; SIDE]) -> bool {
    let sums = add_weighted(places, work, weights);
    let mut halves = false;
    for x in 0..SIDE {
        line[x] = super::resize::round(sums[x]);
        halves |= is_near_half(sums[x], line[x]);
    }
    halves
}

/// Marks what comes near a half in such a row by 1.
#[multiversion(targets("x86_64+avx2"))]
fn mark_shares(places: &[u8], work: &Work, weights: &[f32], line: &[u8; SIDE]) -> Marks {
    let sums = add_weighted(places, work, weights);
    let mut marks = [0; MARKS];
    for x in 0..SIDE {
        marks[x] = u8::from(is_near_half(sums[x], line[x]));
    }
    marks
}

/// The sums of a target row in binary32.
#[inline(always)]
fn add_weighted(places: &[u8], work: &Work, weights: &[f32]) -> [f32; SIDE] {
    let mut sums = [0.0; SIDE];
    for (&place, weight) in places.iter().zip(weights) {
        let row = &work.sums[usize::from(place) % KEPT];
        let weight = weight / f32::from(ACROSS);
        for x in 0..SIDE {
            sums[x] += weight * f32::from(row[x]);
        }
    }
    sums
}

#[inline(always)]
fn is_near_half(sum: f32, rounded: u8) -> bool {
    (sum - f32::from(rounded)).abs() > 0.5 - NEAR
}

/// Whether the first of three rows counts half as much as the others, in each target row; otherwise the last one does.
/// `None` if the weights are others.
fn fifths(rows: &[Span]) -> Option<[bool; SIDE]> {
    let mut first_is_half = [false; SIDE];
    for (span, first_is_half) in rows.iter().zip(&mut first_is_half) {
        let weights: &[f32; TAPS] = span.weights.as_slice().try_into().ok()?;
        *first_is_half = match weights.map(|weight| whole(weight, DOWN)) {
            [Some(1), Some(2), Some(2)] => true,
            [Some(2), Some(2), Some(1)] => false,
            _ => return None,
        };
    }
    Some(first_is_half)
}

/// The columns as they are.
fn columns(spans: &[Span]) -> Option<[Column; SIDE]> {
    let mut columns = [Column::default(); SIDE];
    for (span, column) in spans.iter().zip(&mut columns) {
        let first = span.first.min(WIDTH - TAPS);
        column.first = u8::try_from(first).ok()?;
        let shares = column.shares.get_mut(span.first - first..)?;
        shares.get_mut(..span.weights.len())?.copy_from_slice(&span.weights);
    }
    Some(columns)
}

/// A weight as a multiple of one over `denominator`.
fn whole(weight: f32, denominator: u16) -> Option<u16> {
    let scaled = weight * f32::from(denominator);
    ((scaled - scaled.round()).abs() < 1e-4).then(|| scaled.round() as u16)
}
