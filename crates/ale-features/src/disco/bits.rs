//! Rows of up to 160 bits, and the mask of the pixels in front of the background.

use crate::background::Background;
use crate::input::Screen;
use crate::{COLUMNS, ROWS};

const LOW_SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// Moves the lowest bit of each byte to the top byte of a product.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// Bit `x` is the pixel in column `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Row([u64; 3]);

impl Row {
    pub(crate) const EMPTY: Self = Self([0; 3]);

    /// The lowest `count` bits, at most 160.
    pub(crate) fn ones(count: usize) -> Self {
        Self([0, 64, 128].map(|first| match count.saturating_sub(first) {
            0 => 0,
            bits if bits >= 64 => u64::MAX,
            bits => (1 << bits) - 1,
        }))
    }

    /// Columns `start` to `end`, both included.
    pub(crate) fn run(start: u8, end: u8) -> Self {
        Self::ones(usize::from(end) + 1).without(Self::ones(usize::from(start)))
    }

    #[inline]
    pub(crate) fn get(self, x: usize) -> bool {
        self.0[x / 64] >> (x % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, x: usize) {
        self.0[x / 64] |= 1 << (x % 64);
    }

    #[inline]
    pub(crate) fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1], self.0[2] & other.0[2]])
    }

    #[inline]
    pub(crate) fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1], self.0[2] | other.0[2]])
    }

    #[inline]
    pub(crate) fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1], self.0[2] & !other.0[2]])
    }

    /// Every pixel `count` columns to the left.
    #[inline]
    pub(crate) fn left(self, count: usize) -> Self {
        let (words, bits) = (count / 64, count % 64);
        let word = |index: usize| self.0.get(index).copied().unwrap_or(0);
        Self([0, 1, 2].map(|index| {
            let low = word(index + words) >> bits;
            if bits == 0 { low } else { low | word(index + words + 1) << (64 - bits) }
        }))
    }

    /// Every pixel `count` columns to the right.
    #[inline]
    pub(crate) fn right(self, count: usize) -> Self {
        let (words, bits) = (count / 64, count % 64);
        let word = |index: usize, back: usize| index.checked_sub(back).map_or(0, |index| self.0[index]);
        Self([0, 1, 2].map(|index| {
            let high = word(index, words) << bits;
            if bits == 0 { high } else { high | word(index, words + 1) >> (64 - bits) }
        }))
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    #[inline]
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The first column that is set; 192 when none is.
    #[inline]
    pub(crate) fn first(self) -> usize {
        match self.0 {
            [0, 0, high] => 128 + high.trailing_zeros() as usize,
            [0, middle, _] => 64 + middle.trailing_zeros() as usize,
            [low, ..] => low.trailing_zeros() as usize,
        }
    }

    /// The lowest `width` bits in the other order.
    pub(crate) fn mirrored(self, width: usize) -> Self {
        let all = Self([2, 1, 0].map(|index| self.0[index].reverse_bits()));
        all.left(192 - width)
    }
}

/// Which pixels of a screen differ from the background.
#[derive(Debug, Clone)]
pub(crate) struct Mask {
    pub(crate) rows: Vec<Row>,
}

impl Mask {
    pub(crate) fn new() -> Self {
        Self { rows: vec![Row::EMPTY; ROWS] }
    }

    pub(crate) fn fill(&mut self, screen: Screen<'_>, background: &Background) {
        let background = background.screen();
        for (number, row) in self.rows.iter_mut().enumerate() {
            *row = differing(screen.row(number), background.row(number));
        }
    }
}

fn differing(pixels: &[u8; COLUMNS], background: &[u8; COLUMNS]) -> Row {
    let mut row = Row::EMPTY;
    if pixels == background {
        return row;
    }
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight pixels"));
    for (at, (now, back)) in pixels.chunks_exact(8).zip(background.chunks_exact(8)).enumerate() {
        let differing = word(now) ^ word(back);
        let marks = (((differing & LOW_SEVEN) + LOW_SEVEN) | differing) & HIGH;
        row.0[at / 8] |= ((marks >> 7).wrapping_mul(GATHER) >> 56) << (at % 8 * 8);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(row: Row) -> Vec<usize> {
        (0..COLUMNS).filter(|&x| row.get(x)).collect()
    }

    #[test]
    fn shifts_and_mirrors_move_every_column() {
        let mut row = Row::EMPTY;
        for x in [0, 1, 63, 64, 100, 127, 128, 159] {
            row.set(x);
        }
        for by in [0, 1, 5, 63, 64, 65, 127, 128, 150] {
            let expected: Vec<usize> =
                columns(row).into_iter().filter(|&x| x >= by).map(|x| x - by).collect();
            assert_eq!(columns(row.left(by)), expected, "left {by}");
            let expected: Vec<usize> =
                columns(row).into_iter().map(|x| x + by).filter(|&x| x < COLUMNS).collect();
            assert_eq!(columns(row.right(by)), expected, "right {by}");
        }
        let mut expected: Vec<usize> = columns(row).into_iter().map(|x| 159 - x).collect();
        expected.sort_unstable();
        assert_eq!(columns(row.mirrored(160)), expected);
        assert_eq!(columns(Row::run(3, 5).mirrored(7)), [1, 2, 3]);
        assert_eq!(columns(Row::run(62, 66)), [62, 63, 64, 65, 66]);
        assert_eq!((Row::EMPTY.first(), row.left(65).first(), row.count()), (192, 35, 8));
    }

    #[test]
    fn the_mask_is_where_pixels_differ() {
        let mut pixels = vec![0x84; ROWS * COLUMNS];
        let background = Background::plain(0x84);
        for at in [0, 7, 8, 159, 160 * 3 + 77] {
            pixels[at] = [0x04, 0x86, 0x85][at % 3];
        }
        let mut mask = Mask::new();
        mask.fill(Screen::new(&pixels).expect("a screen"), &background);
        assert_eq!(columns(mask.rows[0]), [0, 7, 8, 159]);
        assert_eq!(columns(mask.rows[3]), [77]);
        assert!(mask.rows[1].is_empty());
    }
}
