//! Rows of bytes made from pictures of palette indices: colour lookup and the maximum of two frames.

use multiversion::multiversion;

use crate::frame::WIDTH;
use crate::palette::Shades;

/// The longest row: 160 pixels of three channels.
pub const MAX_ROW: usize = 3 * WIDTH;

/// A picture that a resize can read row by row.
pub trait Rows {
    /// Whether `row`, not the first, has the same bytes as the row above it.
    fn repeats(&self, row: usize) -> bool;
    /// Marks the rows that differ from the one above; the first one always does.
    fn mark_changes(&self, changed: &mut [bool]) {
        for (row, changed) in changed.iter_mut().enumerate() {
            *changed = row == 0 || !self.repeats(row);
        }
    }
    /// Writes the bytes of `row`.
    fn read(&self, row: usize, out: &mut [u8]);
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

    fn mark_changes(&self, changed: &mut [bool]) {
        mark_changes(self.last, self.before.unwrap_or(self.last), changed);
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

    fn mark_changes(&self, changed: &mut [bool]) {
        mark_changes(self.last, self.before, changed);
    }

    #[inline]
    fn read(&self, row: usize, out: &mut [u8]) {
        let (last, before) = (&self.last[row], &self.before[row]);
        for ((out, &one), &other) in out.iter_mut().zip(last).zip(before) {
            *out = one.max(other);
        }
    }
}

/// Marks the rows of two pictures that differ from the one above. Looks at all bytes, which is faster than an end as
/// soon as one differs.
// No iterators: their closures are not inlined into what is compiled for one processor.
#[multiversion(targets("x86_64+avx2"))]
fn mark_changes(last: &[[u8; WIDTH]], before: &[[u8; WIDTH]], changed: &mut [bool]) {
    let rows = changed.len().min(last.len()).min(before.len());
    for row in 1..rows {
        let (a, above_a) = (&last[row], &last[row - 1]);
        let (b, above_b) = (&before[row], &before[row - 1]);
        let mut differences = 0;
        for x in 0..WIDTH {
            differences |= (a[x] ^ above_a[x]) | (b[x] ^ above_b[x]);
        }
        changed[row] = differences != 0;
    }
    if let Some(first) = changed.first_mut() {
        *first = true;
    }
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
        let mut changed = [false; 3];
        rows.mark_changes(&mut changed);
        assert_eq!(changed, [true, false, true]);
    }
}
