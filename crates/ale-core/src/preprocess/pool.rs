//! Rows of bytes made from pictures of palette indices: colour lookup and the maximum of two frames.

use crate::frame::WIDTH;

/// The longest row: 160 pixels of three channels.
pub const MAX_ROW: usize = 3 * WIDTH;

/// Bytes that are compared and looked up together.
pub(super) const WORD: usize = 8;
/// Words of a row of gray bytes.
pub(super) const WORDS: usize = WIDTH / WORD;
/// The power of two above their number: indices masked by it need no check.
pub(super) const PLACES: usize = WORDS.next_power_of_two();

/// A picture that a resize can read row by row.
pub trait Rows {
    /// Whether `row`, not the first, has the same bytes as the row above it.
    fn repeats(&self, row: usize) -> bool;
    /// Writes the bytes of `row`.
    fn read(&self, row: usize, out: &mut [u8]);
    /// Lists the words of `row` that differ from those of the row above, at least, and tells how many they are. All
    /// words of the first row do. For rows of 160 bytes.
    fn changed_words(&self, row: usize, words: &mut [u8; PLACES]) -> usize;
    /// The bytes of a word of `row`. For rows of 160 bytes.
    fn word(&self, row: usize, word: usize) -> [u8; WORD];
    /// One byte of `row`. For rows of 160 bytes.
    fn byte(&self, row: usize, x: usize) -> u8;
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

    fn changed_words(&self, row: usize, words: &mut [u8; PLACES]) -> usize {
        let rows: &[[u8; WIDTH]] = self.bytes.as_chunks().0;
        list_changes([rows; 2], row, words)
    }

    fn word(&self, row: usize, word: usize) -> [u8; WORD] {
        self.row(row).as_chunks().0[word]
    }

    fn byte(&self, row: usize, x: usize) -> u8 {
        self.row(row)[x]
    }
}

/// What a palette index becomes: one byte of gray or three of colour.
pub trait Colors {
    /// Bytes a pixel.
    const CHANNELS: usize;
    /// Looks up a row of indices.
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]);
    /// Looks up two rows and takes the bytewise maximum.
    fn look_up_max(&self, indices: &[u8; WIDTH], others: &[u8; WIDTH], out: &mut [u8]);
    /// The gray byte of an index; the first one of a colour.
    fn gray(&self, index: u8) -> u8;
}

impl Colors for [u8; 256] {
    const CHANNELS: usize = 1;

    #[inline]
    fn look_up(&self, indices: &[u8; WIDTH], out: &mut [u8]) {
        let (groups, _) = indices.as_chunks::<8>();
        for (group, out) in groups.iter().zip(out.as_chunks_mut::<8>().0) {
            *out = eight(self, *group);
        }
    }

    #[inline]
    fn look_up_max(&self, indices: &[u8; WIDTH], others: &[u8; WIDTH], out: &mut [u8]) {
        let groups = indices.as_chunks::<8>().0.iter().zip(others.as_chunks::<8>().0);
        for ((group, other), out) in groups.zip(out.as_chunks_mut::<8>().0) {
            *out = eight(self, *group);
            // Two frames in a row agree in most places.
            if group != other {
                let other = eight(self, *other);
                *out = std::array::from_fn(|i| out[i].max(other[i]));
            }
        }
    }

    #[inline]
    fn gray(&self, index: u8) -> u8 {
        self[usize::from(index)]
    }
}

/// The colours of eight neighbours. Most often they are the same, and one lookup serves all.
#[inline]
fn eight(table: &[u8; 256], indices: [u8; 8]) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    if u64::from_le_bytes(indices) == u64::from(indices[0]) * ONES {
        (u64::from(table[usize::from(indices[0])]) * ONES).to_le_bytes()
    } else {
        indices.map(|index| table[usize::from(index)])
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

    #[inline]
    fn look_up_max(&self, indices: &[u8; WIDTH], others: &[u8; WIDTH], out: &mut [u8]) {
        for ((&index, &other), out) in indices.iter().zip(others).zip(out.as_chunks_mut::<3>().0) {
            let (a, b) = (self[usize::from(index)], self[usize::from(other)]);
            *out = std::array::from_fn(|channel: usize| a[channel].max(b[channel]));
        }
    }

    fn gray(&self, index: u8) -> u8 {
        self[usize::from(index)][0]
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
        match self.before {
            Some(before) => self.colors.look_up_max(&self.last[row], &before[row], out),
            None => self.colors.look_up(&self.last[row], out),
        }
    }

    #[inline]
    fn changed_words(&self, row: usize, words: &mut [u8; PLACES]) -> usize {
        list_changes([self.last, self.before.unwrap_or(self.last)], row, words)
    }

    #[inline(always)]
    fn word(&self, row: usize, word: usize) -> [u8; WORD] {
        let indices = |picture: &[[u8; WIDTH]]| picture[row].as_chunks::<WORD>().0[word];
        let (indices, others) = (indices(self.last), indices(self.before.unwrap_or(self.last)));
        let mut bytes = indices.map(|index| self.colors.gray(index));
        if indices != others {
            for (byte, other) in bytes.iter_mut().zip(others) {
                *byte = (*byte).max(self.colors.gray(other));
            }
        }
        bytes
    }

    fn byte(&self, row: usize, x: usize) -> u8 {
        let other = self.before.unwrap_or(self.last)[row][x];
        self.colors.gray(self.last[row][x]).max(self.colors.gray(other))
    }
}

/// Lists the words of `row` that differ from those of the row above in one of the pictures.
#[inline]
fn list_changes(pictures: [&[[u8; WIDTH]]; 2], row: usize, words: &mut [u8; PLACES]) -> usize {
    let Some(above) = row.checked_sub(1) else {
        *words = std::array::from_fn(|word| word as u8);
        return WORDS;
    };
    let [[a, above_a], [b, above_b]] = pictures.map(|picture| [&picture[row], &picture[above]]);
    // By bytes, and by words only when there is something to find: so it is vectorised.
    let mut differences = [0; WIDTH];
    let mut any = 0;
    for x in 0..WIDTH {
        differences[x] = (a[x] ^ above_a[x]) | (b[x] ^ above_b[x]);
        any |= differences[x];
    }
    let mut count = 0;
    if any == 0 {
        return count;
    }
    for (word, difference) in differences.as_chunks::<WORD>().0.iter().enumerate() {
        // Always written and counted only if it changed: nothing here is hard to foresee for the processor.
        words[count % PLACES] = word as u8;
        count += usize::from(*difference != [0; WORD]);
    }
    count
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
    }
}
