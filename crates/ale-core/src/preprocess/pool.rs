//! Rows of bytes made from pictures of palette indices: colour lookup and the maximum of two frames.

use multiversion::multiversion;

use crate::frame::WIDTH;
use crate::palette::{Luma, Shades};

/// The longest row: 160 pixels of three channels.
pub const MAX_ROW: usize = 3 * WIDTH;

/// A picture that a resize can read row by row.
pub trait Rows {
    /// Whether `row`, not the first, has the same bytes as the row above it.
    fn repeats(&self, row: usize) -> bool;
    /// Writes the bytes of `row`.
    fn read(&self, row: usize, out: &mut [u8]);
    /// Writes a picture of 160 bytes a row.
    fn gather(&self, height: usize, rows: &mut Gathered) {
        for row in 0..height.min(MAX_HEIGHT) {
            let changed = row == 0 || !self.repeats(row);
            rows.changed[row] = changed;
            if changed {
                self.read(row, &mut rows.bytes.0[row + 1][..WIDTH]);
            } else {
                rows.bytes.0[row + 1] = rows.bytes.0[row];
            }
        }
    }
}

/// The highest picture that can be gathered.
pub(super) const MAX_HEIGHT: usize = 320;
/// From one row of [`Gathered`] to the next: rows begin at multiples of the longest vectors.
const STRIDE: usize = WIDTH.next_multiple_of(64);
/// Bytes before a row that can be read with it.
pub(super) const MARGIN: usize = 32;
/// A row with bytes before and behind it.
pub(super) type RowWithMargins = [u8; 256];

/// A picture in memory, and where it changes.
#[derive(Debug, Clone)]
pub struct Gathered {
    bytes: Box<Aligned>,
    /// Which rows differ from the one above; the first one does.
    pub(super) changed: [bool; MAX_HEIGHT],
}

/// With a row more at both ends, for the margins.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Aligned([[u8; STRIDE]; MAX_HEIGHT + 2]);

impl Default for Gathered {
    #[expect(clippy::large_stack_arrays, reason = "there is no other way to aligned memory; it is made once")]
    fn default() -> Self {
        Self { bytes: Box::new(Aligned([[0; STRIDE]; MAX_HEIGHT + 2])), changed: [true; MAX_HEIGHT] }
    }
}

impl Gathered {
    /// A row, [`MARGIN`] bytes behind the begin of its window.
    #[inline(always)]
    pub(super) fn row_with_margins(&self, row: usize) -> &RowWithMargins {
        const EMPTY: &RowWithMargins = &[0; 256];
        let from = (row + 1) * STRIDE - MARGIN;
        self.bytes.0.as_flattened()[from..].first_chunk().unwrap_or(EMPTY)
    }
}

/// A picture that already is bytes.
pub struct Bytes<'a> {
    bytes: &'a [u8],
    row_len: usize,
}

impl<'a> Bytes<'a> {
    /// Rows of `row_len` bytes.
    pub fn new(bytes: &'a [u8], row_len: usize) -> Self {
        Self { bytes, row_len }
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.bytes[row * self.row_len..][..self.row_len]
    }
}

impl Rows for Bytes<'_> {
    fn repeats(&self, row: usize) -> bool {
        self.row(row) == self.row(row - 1)
    }

    fn read(&self, row: usize, out: &mut [u8]) {
        out.copy_from_slice(self.row(row));
    }
}

/// What a palette index becomes: one byte of gray or three of colour.
pub trait Colors {
    /// Bytes a pixel.
    const CHANNELS: usize;
    /// Looks up a row of indices.
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]);
}

impl Colors for [u8; 256] {
    const CHANNELS: usize = 1;

    #[inline]
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]) {
        for (&index, out) in indices.iter().zip(out) {
            *out = self[usize::from(index)];
        }
    }
}

impl Colors for Shades {
    const CHANNELS: usize = 1;

    #[inline]
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]) {
        self.write(indices, out);
    }
}

impl Colors for [[u8; 3]; 256] {
    const CHANNELS: usize = 3;

    #[inline]
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]) {
        for (&index, out) in indices.iter().zip(out.as_chunks_mut::<3>().0) {
            *out = self[usize::from(index)];
        }
    }
}

/// One picture of palette indices, or the bytewise maximum of two after the colour lookup.
pub struct Pooled<'a, C> {
    last: &'a [[u8; WIDTH]],
    before: Option<&'a [[u8; WIDTH]]>,
    colors: &'a C,
}

impl<'a, C: Colors> Pooled<'a, C> {
    /// The maximum of the pictures `last` and `before`; just `last` if there is no other.
    pub fn new(last: &'a [u8], before: Option<&'a [u8]>, colors: &'a C) -> Self {
        Self { last: last.as_chunks().0, before: before.map(|picture| picture.as_chunks().0), colors }
    }
}

impl<C: Colors> Rows for Pooled<'_, C> {
    #[inline]
    fn repeats(&self, row: usize) -> bool {
        let repeated = |picture: &[[u8; WIDTH]]| picture[row] == picture[row - 1];
        repeated(self.last) && self.before.is_none_or(repeated)
    }

    #[inline]
    fn read(&self, row: usize, out: &mut [u8]) {
        let indices = &self.last[row];
        self.colors.look_up(indices, out);
        // Two frames in a row agree in most rows.
        if let Some(others) = self.before.map(|before| &before[row]).filter(|others| *others != indices) {
            let mut other = [0; MAX_ROW];
            let other = &mut other[..WIDTH * C::CHANNELS];
            self.colors.look_up(others, other);
            for (byte, &other) in out.iter_mut().zip(&*other) {
                *byte = (*byte).max(other);
            }
        }
    }
}

/// One picture of palette indices, or the brighter red, green and blue of two, as gray values.
pub struct Brighter<'a> {
    last: &'a [[u8; WIDTH]],
    before: &'a [[u8; WIDTH]],
    luma: &'a Luma,
}

impl<'a> Brighter<'a> {
    /// The brighter colours of the pictures `last` and `before`; just `last` if there is no other.
    pub fn new(last: &'a [u8], before: Option<&'a [u8]>, luma: &'a Luma) -> Self {
        Self { last: last.as_chunks().0, before: before.unwrap_or(last).as_chunks().0, luma }
    }
}

impl Rows for Brighter<'_> {
    #[inline]
    fn repeats(&self, row: usize) -> bool {
        self.last[row] == self.last[row - 1] && self.before[row] == self.before[row - 1]
    }

    #[inline]
    fn read(&self, row: usize, out: &mut [u8]) {
        let (last, before) = (&self.last[row], &self.before[row]);
        if last == before {
            return self.luma.one.write(last, out);
        }
        for ((out, &one), &other) in out.iter_mut().zip(last).zip(before) {
            *out = self.luma.two[usize::from(one)][usize::from(other)];
        }
    }
}

/// One picture of gray values, or the maximum of two.
pub struct Brightest<'a> {
    last: &'a [[u8; WIDTH]],
    before: &'a [[u8; WIDTH]],
}

impl<'a> Brightest<'a> {
    /// The maximum of the pictures `last` and `before`; just `last` if there is no other.
    pub fn new(last: &'a [u8], before: Option<&'a [u8]>) -> Self {
        let (last, before) = (last.as_chunks().0, before.unwrap_or(last).as_chunks().0);
        Self { last, before }
    }
}

impl Rows for Brightest<'_> {
    fn repeats(&self, row: usize) -> bool {
        self.last[row] == self.last[row - 1] && self.before[row] == self.before[row - 1]
    }

    fn gather(&self, height: usize, rows: &mut Gathered) {
        gather(&self.last[..height], &self.before[..height], rows);
    }

    #[inline]
    fn read(&self, row: usize, out: &mut [u8]) {
        let (last, before) = (&self.last[row], &self.before[row]);
        for ((out, &one), &other) in out.iter_mut().zip(last).zip(before) {
            *out = one.max(other);
        }
    }
}

/// The brighter pixels of two pictures. Writes and compares all rows, whether they change or not: what does not depend
/// on the row before can be done at the same time.
// No iterators: their closures are not inlined into what is compiled for one processor.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn gather(last: &[[u8; WIDTH]], before: &[[u8; WIDTH]], rows: &mut Gathered) {
    /// The part of a row that fills the longest vectors.
    const WIDE: usize = WIDTH / 64 * 64;
    let Gathered { bytes, changed } = rows;
    let height = changed.len().min(last.len()).min(before.len());
    for row in 0..height {
        let (last, before) = (&last[row], &before[row]);
        let [above, bytes] = &mut bytes.0[row..row + 2] else { return };
        // What was just written is read in the same words, which is faster.
        for x in 0..WIDE {
            bytes[x] = if last[x] > before[x] { last[x] } else { before[x] };
        }
        for x in WIDE..WIDTH {
            bytes[x] = if last[x] > before[x] { last[x] } else { before[x] };
        }
        let (words, words_above) = (bytes.as_chunks().0, above.as_chunks().0);
        let (mut differences, mut more) = (0, 0);
        for x in 0..WIDE / 8 {
            differences |= u64::from_ne_bytes(words[x]) ^ u64::from_ne_bytes(words_above[x]);
        }
        for x in WIDE / 8..WIDTH / 8 {
            more |= u64::from_ne_bytes(words[x]) ^ u64::from_ne_bytes(words_above[x]);
        }
        changed[row] = differences != 0 || more != 0;
    }
    changed[0] = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(seed: u32, rows: usize) -> Vec<u8> {
        let mut rng = crate::rng::Mt19937::new(seed);
        (0..rows * WIDTH).map(|i| if i % 16 < 8 { 4 } else { rng.next_u32() as u8 }).collect()
    }

    #[test]
    fn gray_is_one_lookup_a_pixel() {
        let table: [u8; 256] = std::array::from_fn(|i| (i * 37 % 251) as u8);
        let picture = picture(1, 2);
        let rows = Pooled::new(&picture, None, &table);
        let mut out = [0; WIDTH];
        rows.read(1, &mut out);
        assert!(out.iter().zip(&picture[WIDTH..]).all(|(&byte, &index)| byte == table[usize::from(index)]));
    }

    #[test]
    fn the_maximum_is_taken_of_colours_not_of_indices() {
        let mut table = [[0; 3]; 256];
        table[2] = [200, 1, 30];
        table[9] = [100, 7, 30];
        let rows_of = |index| vec![index; WIDTH];
        let (last, before) = (rows_of(9), rows_of(2));
        let mut out = [0; MAX_ROW];
        Pooled::new(&last, Some(&before), &table).read(0, &mut out);
        assert_eq!(out[..6], [200, 7, 30, 200, 7, 30]);
    }

    #[test]
    fn a_row_repeats_when_both_frames_do() {
        let table: [u8; 256] = std::array::from_fn(|i| i as u8);
        let last = vec![1; 3 * WIDTH];
        let mut before = last.clone();
        before[2 * WIDTH + 5] = 2;
        let rows = Pooled::new(&last, Some(&before), &table);
        assert!(rows.repeats(1));
        assert!(!rows.repeats(2));
        let mut gathered = Gathered::default();
        rows.gather(3, &mut gathered);
        assert_eq!(gathered.changed[..3], [true, false, true]);
    }
}
