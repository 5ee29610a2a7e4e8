//! The fast path of [`super::Resize`]: shrinking gray pictures with small whole-number weights.
//!
//! The shares of an area resize are fractions, for 210 rows by 160 columns to 84 by 84 fifths and fortieths, so that
//! a target pixel is a sum of whole numbers over 200. Sums are exact in any order; eight target rows are worked on
//! side by side in 16-bit lanes. The reference rounds binary32 sums: its error is far below a 200th, so that it can
//! only differ in exact halves, and those pixels are computed again in its own way.

use super::weights::Span;

/// Target rows worked on side by side.
const LANES: usize = 8;
type Lanes = [u16; LANES];

/// Whole-number weights of both directions, and how to divide by their common denominator.
#[derive(Debug, Clone)]
pub(super) struct Shrink {
    columns: Vec<Taps>,
    rows: Vec<Taps>,
    /// The spans these weights stand for; they decide about halves.
    spans: [Vec<Span>; 2],
    source_width: usize,
    denominator: u16,
    division: Division,
}

/// Three neighbours, the last ones perhaps of weight 0.
#[derive(Debug, Clone, Copy)]
struct Taps {
    first: usize,
    weights: [u16; 3],
}

/// Working memory for eight target rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Source columns: sums over rows, and room to transpose them.
    tall: Vec<u16>,
    columns: Vec<u16>,
    /// Target columns and room to transpose them; where halves are.
    bytes: Vec<u8>,
    lines: Vec<u8>,
    halves: Vec<u8>,
}

impl Shrink {
    /// The fast path for these spans, if their weights are small fractions.
    pub(super) fn find(columns: &[Span], rows: &[Span], source: [usize; 2]) -> Option<Self> {
        let [height, width] = source;
        let across = whole_weights(columns, width)?;
        let down = whole_weights(rows, height)?;
        let denominator = across.1.checked_mul(down.1)?;
        // The largest sum and half a denominator for rounding have to fit into a lane.
        let largest = u16::try_from(denominator * 511 / 2).ok()?;
        let denominator = denominator as u16;
        let division = Division::find(denominator, largest)?;
        (rows.len() >= LANES).then(|| Self {
            columns: across.0,
            rows: down.0,
            spans: [columns.to_vec(), rows.to_vec()],
            source_width: width,
            denominator,
            division,
        })
    }

    /// Shrinks the gray picture `source`.
    pub(super) fn apply(&self, source: &[u8], target: &mut [u8], work: &mut Work) {
        let (height, width) = (self.rows.len(), self.columns.len());
        let Work { tall, columns, bytes, lines, halves } = work;
        tall.resize(LANES * self.source_width, 0);
        columns.resize(LANES * self.source_width, 0);
        for buffer in [&mut *bytes, lines, halves] {
            buffer.resize(LANES * width, 0);
        }
        let mut top = 0;
        while top < height {
            // The last group overlaps the one before, when the height is no multiple of eight.
            top = top.min(height - LANES);
            self.add_rows(source, top, tall);
            interleave(tall, columns);
            interleave(columns, tall);
            interleave(tall, columns);
            let any_half =
                self.add_columns(columns.as_chunks().0, bytes.as_chunks_mut().0, halves.as_chunks_mut().0);
            if any_half {
                self.settle_halves(source, top, halves.as_chunks().0, bytes.as_chunks_mut().0);
            }
            deinterleave(bytes, lines);
            deinterleave(lines, bytes);
            deinterleave(bytes, &mut target[top * width..][..LANES * width]);
            top += LANES;
        }
    }

    fn add_rows(&self, source: &[u8], top: usize, tall: &mut [u16]) {
        let width = self.source_width;
        for (sums, taps) in tall.chunks_exact_mut(width).zip(&self.rows[top..]) {
            let rows = &source[taps.first * width..][..3 * width];
            let (a, rest) = rows.split_at(width);
            let (b, c) = rest.split_at(width);
            let [wa, wb, wc] = taps.weights;
            for (((sum, &a), &b), &c) in sums.iter_mut().zip(a).zip(b).zip(c) {
                *sum = wa * u16::from(a) + wb * u16::from(b) + wc * u16::from(c);
            }
        }
    }

    fn add_columns(&self, columns: &[Lanes], bytes: &mut [[u8; LANES]], halves: &mut [[u8; LANES]]) -> bool {
        let half = self.denominator / 2;
        let mut any = [0; LANES];
        for ((bytes, halves), taps) in bytes.iter_mut().zip(halves).zip(&self.columns) {
            let pixels: &[Lanes; 3] = columns[taps.first..].first_chunk().expect("taps are inside the row");
            let [wa, wb, wc] = taps.weights;
            for lane in 0..LANES {
                let sum = wa * pixels[0][lane] + wb * pixels[1][lane] + wc * pixels[2][lane] + half;
                let quotient = self.division.quotient(sum);
                let is_half = u8::from(quotient * self.denominator == sum);
                bytes[lane] = quotient as u8;
                halves[lane] = is_half;
                any[lane] |= is_half;
            }
        }
        any != [0; LANES]
    }

    /// Computes the pixels that lie exactly between two bytes as the reference does.
    #[cold]
    fn settle_halves(&self, source: &[u8], top: usize, halves: &[[u8; LANES]], bytes: &mut [[u8; LANES]]) {
        for ((column, halves), bytes) in self.spans[0].iter().zip(halves).zip(bytes) {
            if *halves == [0; LANES] {
                continue;
            }
            for lane in (0..LANES).filter(|&lane| halves[lane] != 0) {
                let span = &self.spans[1][top + lane];
                let mut sum = 0.0;
                for (k, &weight) in span.weights.iter().enumerate() {
                    let row = &source[(span.first + k) * self.source_width + column.first..];
                    let pixels = column.weights.iter().zip(row);
                    sum += weight * pixels.fold(0.0, |sum, (weight, &pixel)| sum + weight * f32::from(pixel));
                }
                bytes[lane] = super::resize::round(sum);
            }
        }
    }
}

/// A division by a constant as a multiplication, exact for all sums that occur.
#[derive(Debug, Clone, Copy)]
struct Division {
    factor: u16,
    before: u32,
    after: u32,
}

impl Division {
    fn find(denominator: u16, largest: u16) -> Option<Self> {
        (0..=1).flat_map(|before| (0..16).map(move |after| (before, after))).find_map(|(before, after)| {
            let factor = (1u64 << (16 + after + before)).div_ceil(u64::from(denominator));
            let division = Self { factor: u16::try_from(factor).ok()?, before, after };
            (0..=largest).all(|n| division.quotient(n) == n / denominator).then_some(division)
        })
    }

    #[inline]
    fn quotient(self, n: u16) -> u16 {
        ((u32::from(n >> self.before) * u32::from(self.factor)) >> 16) as u16 >> self.after
    }
}

/// The weights as whole numbers over a common denominator, at most three a span.
fn whole_weights(spans: &[Span], source: usize) -> Option<(Vec<Taps>, u32)> {
    let denominator = (1..=255u32).find(|&n| {
        spans.iter().flat_map(|span| &span.weights).all(|&weight| {
            let scaled = weight * n as f32;
            (scaled - scaled.round()).abs() < 1e-4
        })
    })?;
    let taps = spans.iter().map(|span| {
        let first = span.first.min(source.checked_sub(3)?);
        let mut weights = [0; 3];
        for (k, &weight) in span.weights.iter().enumerate() {
            *weights.get_mut(span.first - first + k)? = (weight * denominator as f32).round() as u16;
        }
        (u32::from(weights.iter().sum::<u16>()) == denominator).then_some(Taps { first, weights })
    });
    Some((taps.collect::<Option<_>>()?, denominator))
}

/// Shuffles the two halves together. Three times this turns eight rows into columns of eight.
fn interleave(source: &[u16], target: &mut [u16]) {
    let (left, right) = source.split_at(source.len() / 2);
    for ((pair, &left), &right) in target.as_chunks_mut::<2>().0.iter_mut().zip(left).zip(right) {
        *pair = [left, right];
    }
}

/// The opposite of [`interleave`].
fn deinterleave(source: &[u8], target: &mut [u8]) {
    let (left, right) = target.split_at_mut(source.len() / 2);
    for ((&pair, left), right) in source.as_chunks().0.iter().zip(left).zip(right) {
        // As one word, because shifts and packs of words are vectorised, bytes with a stride are not.
        let pair = u16::from_le_bytes(pair);
        *left = pair as u8;
        *right = (pair >> 8) as u8;
    }
}
