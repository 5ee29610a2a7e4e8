//! The fast path of [`super::Resize`]: gray pictures of 160 columns to 84 by 84, what most agents see.
//!
//! The shares of this area resize are fortieths across, and for the usual 210 rows fifths down, so that a target pixel
//! is a sum of whole numbers over 200. Such sums are exact in any order, which allows three savings:
//!
//! - A source row that repeats the one above adds what that one added.
//! - 40 source pixels make 21 target pixels, in all four quarters of a row alike. Target pixel `x` of a quarter is made
//!   of the source pixels `2x - 2` to `2x + 1`, some of them with weight 0: of two pairs. So the pairs of neighbours in
//!   the target are neighbours in the source, and a quarter is made at once.
//! - A target row that is made of rows without a change is a copy.
//!
//! The reference rounds binary32 sums: its error is far below a 200th, so that it can only differ in exact halves,
//! and those pixels are computed again in its own way. Pictures of another height have other shares down; their sums
//! are made in binary32 of the exact ones across, and all that comes near a half is computed again.

use std::array;

use multiversion::multiversion;

use super::pool::{Gathered, MARGIN, MAX_HEIGHT, RowWithMargins, Rows};
use super::weights::Span;
use crate::frame::WIDTH;

/// The usual height.
const HEIGHT: usize = 210;
const SIDE: usize = 84;
const ACROSS: u16 = 40;
const DOWN: u16 = 5;
const DENOMINATOR: u16 = ACROSS * DOWN;
/// Rows that make a target row, of the usual pictures and of any.
const TAPS: usize = 3;
const MAX_TAPS: usize = 5;
/// What is nearer to a half may be one: the errors of two binary32 sums of bytes stay below a third of it.
const NEAR: f32 = 1e-3;
/// Rows whose sums are made before they are needed.
const AHEAD: usize = 20;
/// Rows whose sums are kept: a power of two above those of a target row and those ahead.
const KEPT: usize = 32;
const _: () = assert!(MAX_TAPS + AHEAD < KEPT);
/// Target pixels of a quarter, and source pixels.
const QUARTER: usize = 21;
const QUARTER_SOURCE: usize = 40;
const QUARTERS: usize = 4;
/// Target pixels that are made together: a quarter and some more, which are zero or overwritten by the next quarter.
const LANES: usize = 32;
/// Target pixels of a row and some more.
const ROW_LANES: usize = SIDE.next_multiple_of(LANES);

/// The weights of both directions as whole numbers.
#[derive(Debug, Clone)]
pub(super) struct Shrink {
    across: Weights,
    /// Where weights down are fifths: which target rows weigh 1, 2, 2. The others weigh 2, 2, 1.
    fifths: Option<[bool; SIDE]>,
    height: usize,
    /// Which target rows have the same weights as the second one above.
    like_second_above: [bool; SIDE],
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

/// The weights of the target pixels of a quarter: of the pairs before their own, of their own.
type Weights = [[[u8; 2]; LANES]; 2];

/// The sums of a source row, each of weight 40.
type Sums = [u16; ROW_LANES];

/// A target row and some more.
type Line = [u8; ROW_LANES];

/// A byte for each target pixel of a row and some more.
type Marks = [u8; ROW_LANES];

/// Working memory: the rows of the picture, and the sums of the last ones.
#[derive(Debug, Clone)]
pub(super) struct Work {
    rows: Gathered,
    sums: [Sums; KEPT],
}

impl Default for Work {
    fn default() -> Self {
        Self { rows: Gathered::default(), sums: [[0; ROW_LANES]; KEPT] }
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
        let like_second_above = array::from_fn(|y| y >= 2 && rows[y].weights == rows[y - 2].weights);
        let (columns, rows) = (self::columns(columns)?, rows.to_vec());
        Some(Self { across, fifths, height, like_second_above, columns, rows })
    }

    /// Shrinks the gray picture `source`.
    pub(super) fn apply(&self, source: &impl Rows, target: &mut [u8], work: &mut Work) {
        source.gather(self.height, &mut work.rows);
        shrink(self, work, target);
    }

    /// Computes the pixels that lie between two bytes, or may do so, as the reference does.
    #[cold]
    fn round_halves(&self, y: usize, work: &Work, marks: &Marks, line: &mut Line) {
        let span = &self.rows[y];
        for (word, marks) in marks.as_chunks().0.iter().enumerate() {
            let mut marks = u64::from_le_bytes(*marks);
            while marks != 0 {
                let x = 8 * word + marks.trailing_zeros() as usize / 8;
                marks &= marks - 1;
                let Column { first, shares } = self.columns[x];
                let mut sum = 0.0;
                for (row, weight) in (span.first..).zip(&span.weights) {
                    let row = work.rows.row_with_margins(row);
                    let pixel = |k: u8| f32::from(row[MARGIN + usize::from(first.wrapping_add(k))]);
                    sum += weight * (shares[0] * pixel(0) + shares[1] * pixel(1) + shares[2] * pixel(2));
                }
                line[x] = super::resize::round(sum);
            }
        }
    }
}

/// Makes target rows of the rows in `work`.
// No closures: one that is compiled for a processor is not inlined into what is compiled for all.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn shrink(shrink: &Shrink, work: &mut Work, target: &mut [u8]) {
    // Where the sums of each row are. Of rows near each other, those with the same bytes have the same place.
    let mut places = [0_u8; MAX_HEIGHT];
    let mut place = 0;
    let mut ready = 0;
    // The first of the last target rows that are all made of one source row, and the place of that.
    let (mut first_alike, mut alike) = (0, KEPT);
    // Halves depend on the order of the weights too, which is not the same in the next row.
    let mut halves = false;
    for y in 0..SIDE.min(target.len() / SIDE) {
        let span = &shrink.rows[y];
        let end = span.first + span.weights.len();
        // Some rows ahead: sums that were just written are slow to read.
        let wanted = if ready < end { (end + AHEAD).min(shrink.height) } else { ready };
        while ready < wanted {
            if work.rows.changed[ready] {
                place = (place + 1) % KEPT;
                let (row, sums) = (work.rows.row_with_margins(ready), &mut work.sums[place]);
                add_across(&shrink.across, row, sums);
            }
            places[ready] = place as u8;
            ready += 1;
        }
        let places = &places[span.first..end];
        let last = usize::from(places[places.len() - 1]);
        if usize::from(places[0]) != last {
            alike = KEPT;
        } else if alike != last {
            (first_alike, alike) = (y, last);
        }
        let from = SIDE * y;
        let is_alike = alike == last && y > first_alike;
        if is_alike && !halves {
            target.copy_within(from - SIDE..from, from);
            continue;
        }
        if is_alike && y >= first_alike + 2 && shrink.like_second_above[y] {
            target.copy_within(from - 2 * SIDE..from - SIDE, from);
            continue;
        }
        // Its lanes reach into the next row, which comes later. Behind the last one there is none.
        let mut last_line = [0; ROW_LANES];
        let is_last = target.len() - from < ROW_LANES;
        let line = target[from..].first_chunk_mut().unwrap_or(&mut last_line);
        halves = match &shrink.fifths {
            Some(fifths) => add_fifths(fifths[y], places, work, line),
            None => add_shares(places, work, &span.weights, line),
        };
        if halves {
            let marks = match &shrink.fifths {
                Some(fifths) => mark_fifths(fifths[y], places, work),
                None => mark_shares(places, work, &span.weights, line),
            };
            shrink.round_halves(y, work, &marks, line);
        }
        if is_last {
            target[from..from + SIDE].copy_from_slice(&last_line[..SIDE]);
        }
    }
}

/// The sums of a row.
#[inline(always)]
fn add_across(weights: &Weights, row: &RowWithMargins, sums: &mut Sums) {
    let [before_weights, own_weights] = weights;
    for quarter in 0..QUARTERS {
        let from = MARGIN + QUARTER_SOURCE * quarter;
        let before = &row[from - 2..from - 2 + 2 * LANES];
        let own = &row[from..from + 2 * LANES];
        let sums = &mut sums[QUARTER * quarter..QUARTER * quarter + LANES];
        for x in 0..LANES {
            let (before, own) = (&before[2 * x..2 * x + 2], &own[2 * x..2 * x + 2]);
            let [a, b] = before_weights[x].map(u16::from);
            let [c, d] = own_weights[x].map(u16::from);
            let before = u16::from_le_bytes([before[0], before[1]]);
            let own = u16::from_le_bytes([own[0], own[1]]);
            sums[x] = a * (before & 0xFF) + b * (before >> 8) + c * (own & 0xFF) + d * (own >> 8);
        }
    }
}

/// The weights of a quarter, if all fit and all quarters are alike.
fn shares(columns: &[Span]) -> Option<Weights> {
    let mut quarters = [[[[0; 2]; LANES]; 2]; QUARTERS];
    for (x, span) in columns.iter().enumerate() {
        let (quarter, place) = (x / QUARTER, x % QUARTER);
        let start = QUARTER_SOURCE * quarter + 2 * place;
        for (pixel, &weight) in (span.first..).zip(&span.weights) {
            let slot = (pixel + 2).checked_sub(start)?;
            quarters[quarter].get_mut(slot / 2)?[place][slot % 2] = whole(weight, ACROSS)?.try_into().ok()?;
        }
    }
    let [first, others @ ..] = quarters;
    others.iter().all(|other| *other == first).then_some(first)
}

/// Five times the sums of a target row of three rows, rounded half up.
#[inline(always)]
fn fifth(first_is_half: bool, places: &[u8], work: &Work) -> Sums {
    // Two rows count twice, the first or the last one once.
    let [a, b, c] = [places[0], places[1], places[2]];
    let (once, twice) = if first_is_half { (a, c) } else { (c, a) };
    let once = &work.sums[usize::from(once) % KEPT];
    let middle = &work.sums[usize::from(b) % KEPT];
    let twice = &work.sums[usize::from(twice) % KEPT];
    let mut sums = [0; ROW_LANES];
    for x in 0..ROW_LANES {
        sums[x] = 2 * (twice[x] + middle[x]) + once[x] + DENOMINATOR / 2;
    }
    sums
}

/// A target row of three rows, except its halves. Tells whether there are any.
#[inline(always)]
fn add_fifths(first_is_half: bool, places: &[u8], work: &Work, line: &mut Line) -> bool {
    let sums = fifth(first_is_half, places, work);
    let mut halves = false;
    for x in 0..ROW_LANES {
        let quotient = sums[x] / DENOMINATOR;
        line[x] = quotient as u8;
        halves |= quotient * DENOMINATOR == sums[x];
    }
    halves
}

/// Marks the halves of such a row by 1.
#[inline(always)]
fn mark_fifths(first_is_half: bool, places: &[u8], work: &Work) -> Marks {
    let sums = fifth(first_is_half, places, work);
    let mut marks = [0; ROW_LANES];
    for x in 0..ROW_LANES {
        marks[x] = u8::from(sums[x] / DENOMINATOR * DENOMINATOR == sums[x]);
    }
    marks
}

/// A target row of any rows, except what comes near a half. Tells whether anything does.
#[inline(always)]
fn add_shares(places: &[u8], work: &Work, weights: &[f32], line: &mut Line) -> bool {
    let sums = add_weighted(places, work, weights);
    let mut halves = false;
    for x in 0..ROW_LANES {
        line[x] = super::resize::round(sums[x]);
        halves |= is_near_half(sums[x], line[x]);
    }
    halves
}

/// Marks what comes near a half in such a row by 1.
#[inline(always)]
fn mark_shares(places: &[u8], work: &Work, weights: &[f32], line: &Line) -> Marks {
    let sums = add_weighted(places, work, weights);
    let mut marks = [0; ROW_LANES];
    for x in 0..ROW_LANES {
        marks[x] = u8::from(is_near_half(sums[x], line[x]));
    }
    marks
}

/// The sums of a target row in binary32.
#[inline(always)]
fn add_weighted(places: &[u8], work: &Work, weights: &[f32]) -> [f32; ROW_LANES] {
    let mut sums = [0.0; ROW_LANES];
    for k in 0..places.len().min(weights.len()) {
        let row = &work.sums[usize::from(places[k]) % KEPT];
        let weight = weights[k] / f32::from(ACROSS);
        for x in 0..ROW_LANES {
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
