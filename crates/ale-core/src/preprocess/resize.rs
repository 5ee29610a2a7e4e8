//! The picture in another size: the reference's area interpolation, bit for bit and without a library.
//!
//! | ratio | method |
//! |---|---|
//! | shrinking by whole numbers | sums of blocks |
//! | shrinking otherwise | weighted areas in binary32, rows first, then columns |
//! | enlarging in any direction | two neighbours with weights in 2048ths |
//!
//! Products and sums are rounded one by one and in a fixed order, so every platform gets the same bytes.

use super::pool::{MAX_ROW, Rows};
use super::shrink::{Shrink, Work};
use super::weights::{self, Blend, Span};

/// Rows and columns of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    /// Rows.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
}

/// A resize from one size to another, with its tables.
#[derive(Debug, Clone)]
pub struct Resize {
    source: Size,
    target: Size,
    channels: usize,
    method: Method,
}

#[derive(Debug, Clone)]
enum Method {
    Copy,
    Blocks { across: usize, down: usize },
    Shrink(Box<Shrink>),
    Area { columns: Columns, rows: Vec<Span> },
    Linear { columns: Vec<Blend>, rows: Vec<Blend> },
}

/// Working memory of a resize; one for each thread is enough.
#[derive(Debug, Clone)]
pub struct Scratch {
    bytes: [u8; MAX_ROW],
    source: [f32; PADDED_ROW],
    row: Vec<f32>,
    sums: Vec<f32>,
    counts: Vec<u32>,
    lines: [Vec<i32>; 2],
    work: Work,
}

/// The power of two above the longest row: indices masked by it need no check.
const PADDED_ROW: usize = 512;

impl Default for Scratch {
    fn default() -> Self {
        Self {
            bytes: [0; MAX_ROW],
            source: [0.0; PADDED_ROW],
            row: Vec::new(),
            sums: Vec::new(),
            counts: Vec::new(),
            lines: [Vec::new(), Vec::new()],
            work: Work::default(),
        }
    }
}

impl Resize {
    /// The resize of pictures with `channels` bytes a pixel and at most 160 pixels a row; no size may be 0.
    pub fn new(source: Size, target: Size, channels: usize) -> Self {
        debug_assert!(source.width * channels <= MAX_ROW);
        let across = weights::scale(source.width, target.width);
        let down = weights::scale(source.height, target.height);
        let method = if source == target {
            Method::Copy
        } else if across < 1.0 || down < 1.0 {
            Method::Linear {
                columns: weights::linear(source.width, target.width),
                rows: weights::linear(source.height, target.height),
            }
        } else if let (Some(across), Some(down)) = (weights::whole(across), weights::whole(down)) {
            Method::Blocks { across, down }
        } else {
            let columns = weights::area(source.width, target.width);
            let rows = weights::area(source.height, target.height);
            let shrink = Shrink::find(&columns, &rows, [source.height, source.width]);
            match shrink.filter(|_| channels == 1) {
                Some(shrink) => Method::Shrink(Box::new(shrink)),
                None => Method::Area { columns: Columns::new(&columns, source.width, channels), rows },
            }
        };
        Self { source, target, channels, method }
    }

    /// Size of a target picture.
    pub fn target(&self) -> Size {
        self.target
    }

    /// Bytes of a target picture.
    pub fn target_len(&self) -> usize {
        self.target.height * self.target.width * self.channels
    }

    /// Reads `rows`, a picture of the source size, and writes the target picture.
    pub fn apply(&self, rows: &impl Rows, target: &mut [u8], scratch: &mut Scratch) {
        if let Method::Shrink(shrink) = &self.method {
            return shrink.apply(rows, target, &mut scratch.work);
        }
        let lines = target.chunks_exact_mut(self.target.width * self.channels);
        match &self.method {
            Method::Shrink(_) => {}
            Method::Copy => lines.enumerate().for_each(|(y, line)| rows.read(y, line)),
            &Method::Blocks { across, down } => self.blocks(across, down, rows, lines, scratch),
            Method::Area { columns, rows: spans } => self.area(columns, spans, rows, lines, scratch),
            Method::Linear { columns, rows: blends } => self.linear(columns, blends, rows, lines, scratch),
        }
    }

    fn source_len(&self) -> usize {
        self.source.width * self.channels
    }

    fn blocks<'a>(
        &self,
        across: usize,
        down: usize,
        rows: &impl Rows,
        lines: impl Iterator<Item = &'a mut [u8]>,
        scratch: &mut Scratch,
    ) {
        let bytes = &mut scratch.bytes[..self.source_len()];
        let counts = &mut scratch.counts;
        let factor = (1.0 / (across * down) as f64) as f32;
        for (y, line) in lines.enumerate() {
            counts.clear();
            counts.resize(line.len(), 0);
            for row in y * down..(y + 1) * down {
                rows.read(row, bytes);
                for (x, block) in bytes.chunks_exact(across * self.channels).enumerate() {
                    for (i, &byte) in block.iter().enumerate() {
                        counts[x * self.channels + i % self.channels] += u32::from(byte);
                    }
                }
            }
            for (byte, &count) in line.iter_mut().zip(&*counts) {
                // Reference: blocks of 2 by 2 round halves up, all others to even.
                *byte = if across == 2 && down == 2 {
                    ((count + 2) >> 2) as u8
                } else {
                    round(count as f32 * factor)
                };
            }
        }
    }

    fn area<'a>(
        &self,
        columns: &Columns,
        spans: &[Span],
        rows: &impl Rows,
        lines: impl Iterator<Item = &'a mut [u8]>,
        scratch: &mut Scratch,
    ) {
        let Scratch { bytes, source, row: shrunk, sums, .. } = scratch;
        let bytes = &mut bytes[..self.source_len()];
        shrunk.resize(columns.len(), 0.0);
        sums.resize(columns.len(), 0.0);
        let mut ready = None; // the source row that `shrunk` is made of
        for (line, span) in lines.zip(spans) {
            for (k, &weight) in span.weights.iter().enumerate() {
                let row = span.first + k;
                // A repeated row, frequent in these pictures, needs no second look.
                if ready.is_none_or(|ready| (ready + 1..=row).any(|row| !rows.repeats(row))) {
                    rows.read(row, bytes);
                    for (float, &byte) in source.iter_mut().zip(&*bytes) {
                        *float = f32::from(byte);
                    }
                    columns.apply(source, shrunk);
                }
                ready = Some(row);
                if k == 0 {
                    for (sum, &value) in sums.iter_mut().zip(&*shrunk) {
                        *sum = weight * value;
                    }
                } else {
                    for (sum, &value) in sums.iter_mut().zip(&*shrunk) {
                        *sum += weight * value;
                    }
                }
            }
            for (byte, &sum) in line.iter_mut().zip(&*sums) {
                *byte = round(sum);
            }
        }
    }

    fn linear<'a>(
        &self,
        columns: &[Blend],
        blends: &[Blend],
        rows: &impl Rows,
        lines: impl Iterator<Item = &'a mut [u8]>,
        scratch: &mut Scratch,
    ) {
        let bytes = &mut scratch.bytes[..self.source_len()];
        let mut ready = [None; 2];
        for (line, blend) in lines.zip(blends) {
            for ((ready, wide), &row) in ready.iter_mut().zip(&mut scratch.lines).zip(&blend.pixels) {
                if *ready == Some(row) {
                    continue;
                }
                *ready = Some(row);
                rows.read(row, bytes);
                wide.clear();
                for column in columns {
                    wide.extend((0..self.channels).map(|channel| {
                        let pixel = |k: usize| i32::from(bytes[column.pixels[k] * self.channels + channel]);
                        column.weights[0] * pixel(0) + column.weights[1] * pixel(1)
                    }));
                }
            }
            let [upper, lower] = &scratch.lines;
            for ((byte, &upper), &lower) in line.iter_mut().zip(upper).zip(lower) {
                let part = |weight: i32, sum: i32| (weight * (sum >> 4)) >> 16;
                let sum = part(blend.weights[0], upper) + part(blend.weights[1], lower);
                *byte = ((sum + 2) >> 2).clamp(0, 255) as u8;
            }
        }
    }
}

/// To the nearest byte, halves to even. Sums of pixels are never negative.
#[inline]
pub(super) fn round(sum: f32) -> u8 {
    // Adding 2^23 leaves no room for a fraction, so the addition itself rounds; the integer is in the low bits.
    const NO_FRACTION: f32 = 8_388_608.0;
    (sum.min(255.0) + NO_FRACTION).to_bits() as u8
}

/// The horizontal half of an area resize: every target byte has the same number of taps, padded by zero weights,
/// which add nothing to a sum that is never negative.
#[derive(Debug, Clone)]
struct Columns {
    taps: usize,
    channels: usize,
    first: Vec<u32>,
    /// The first weights of all target bytes, then the second ones, and so on.
    weights: Vec<f32>,
}

impl Columns {
    fn new(spans: &[Span], source: usize, channels: usize) -> Self {
        let taps = spans.iter().map(|span| span.weights.len()).max().unwrap_or(0);
        let mut first = Vec::new();
        let mut weights = vec![0.0; taps * spans.len() * channels];
        for span in spans {
            let start = span.first.min(source - taps);
            for channel in 0..channels {
                for (k, &weight) in span.weights.iter().enumerate() {
                    weights[(span.first - start + k) * spans.len() * channels + first.len()] = weight;
                }
                first.push((start * channels + channel) as u32);
            }
        }
        Self { taps, channels, first, weights }
    }

    fn len(&self) -> usize {
        self.first.len()
    }

    fn apply(&self, source: &[f32; PADDED_ROW], out: &mut [f32]) {
        match (self.taps, self.channels) {
            (2, 1) => self.unrolled::<2, 1>(source, out),
            (3, 1) => self.unrolled::<3, 1>(source, out),
            (4, 1) => self.unrolled::<4, 1>(source, out),
            (2, 3) => self.unrolled::<2, 3>(source, out),
            (3, 3) => self.unrolled::<3, 3>(source, out),
            (4, 3) => self.unrolled::<4, 3>(source, out),
            _ => self.looped(source, out),
        }
    }

    #[inline]
    fn unrolled<const TAPS: usize, const CHANNELS: usize>(
        &self,
        source: &[f32; PADDED_ROW],
        out: &mut [f32],
    ) {
        let len = out.len();
        let weights: [&[f32]; TAPS] = std::array::from_fn(|k| &self.weights[k * len..][..len]);
        let first = &self.first[..len];
        for x in 0..len {
            let at = first[x] as usize;
            let mut sum = weights[0][x] * source[at % PADDED_ROW];
            for k in 1..TAPS {
                sum += weights[k][x] * source[(at + k * CHANNELS) % PADDED_ROW];
            }
            out[x] = sum;
        }
    }

    fn looped(&self, source: &[f32; PADDED_ROW], out: &mut [f32]) {
        for (x, out) in out.iter_mut().enumerate() {
            let weights = self.weights[x..].iter().step_by(self.first.len());
            let pixels = source[self.first[x] as usize..].iter().step_by(self.channels);
            *out = weights.zip(pixels).fold(0.0, |sum, (weight, pixel)| sum + weight * pixel);
        }
    }
}
