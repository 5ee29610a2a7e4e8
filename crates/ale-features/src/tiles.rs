//! Which colours each of the 16 x 14 tiles of 10 x 15 pixels shows.
//!
//! A row is read in words of eight pixels. Background pixels become a colour of their own (128), so that runs of one
//! colour can be found by comparing neighbouring bytes; each run sets one bit in every tile it touches. A row that
//! equals the one above it, background included, adds nothing within a tile and is skipped.

use crate::COLUMNS;
use crate::background::Background;
use crate::input::Screen;

pub(crate) const TILE_ROWS: usize = 14;
pub(crate) const TILE_COLUMNS: usize = 16;
const TILE_HEIGHT: usize = 15;
const TILE_WIDTH: usize = 10;
const LOW_SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The colours of each tile as bits.
#[derive(Debug, Clone)]
pub(crate) struct Tiles {
    pub(crate) colours: [[u128; TILE_COLUMNS]; TILE_ROWS],
}

impl Tiles {
    pub(crate) fn new() -> Self {
        Self { colours: [[0; TILE_COLUMNS]; TILE_ROWS] }
    }

    /// Looks at a screen; pixels that equal the background are left out.
    pub(crate) fn fill(&mut self, screen: Screen<'_>, background: Option<&Background>) {
        let background = background.map(Background::screen);
        for (tile_row, tiles) in self.colours.iter_mut().enumerate() {
            *tiles = [0; TILE_COLUMNS];
            let first = tile_row * TILE_HEIGHT;
            for row in first..first + TILE_HEIGHT {
                let pixels = screen.row(row);
                let repeated = row > first && pixels == screen.row(row - 1);
                match background {
                    None if repeated => {}
                    None => add_row(tiles, pixels, None),
                    Some(back) if repeated && back.row(row) == back.row(row - 1) => {}
                    Some(back) if pixels == back.row(row) => {}
                    Some(back) => add_row(tiles, pixels, Some(back.row(row))),
                }
            }
        }
    }

    /// Every tile with its colours, in the order of indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, u128)> {
        self.colours.iter().flatten().copied().enumerate().filter(|&(_, colours)| colours != 0)
    }
}

/// Byte `i` of the word is the colour of pixel `i`, or 128 for background.
#[inline]
fn word(pixels: &[u8], background: Option<&[u8]>) -> u64 {
    let indices = u64::from_le_bytes(pixels.try_into().expect("eight pixels"));
    let colours = indices >> 1 & LOW_SEVEN;
    let Some(background) = background else { return colours };
    let differing = indices ^ u64::from_le_bytes(background.try_into().expect("eight pixels"));
    // The high bit of each byte that is not zero, then all bits of those bytes.
    let marks = (((differing & LOW_SEVEN) + LOW_SEVEN) | differing) & HIGH;
    let foreground = (marks >> 7) * 0xFF;
    colours & foreground | HIGH & !foreground
}

fn add_row(tiles: &mut [u128; TILE_COLUMNS], pixels: &[u8; COLUMNS], background: Option<&[u8; COLUMNS]>) {
    let mut start = 0;
    let mut colour = word(&pixels[..8], background.map(|row| &row[..8])) as u8;
    let mut before = u64::from(colour);
    for at in (0..COLUMNS).step_by(8) {
        let word = word(&pixels[at..at + 8], background.map(|row| &row[at..at + 8]));
        let mut changes = word ^ (word << 8 | before);
        before = word >> 56;
        while changes != 0 {
            let byte = changes.trailing_zeros() / 8;
            changes &= !(0xFF << (8 * byte));
            let end = at + byte as usize;
            add_run(tiles, start, end, colour);
            start = end;
            colour = (word >> (8 * byte)) as u8;
        }
    }
    add_run(tiles, start, COLUMNS, colour);
}

#[inline]
fn add_run(tiles: &mut [u128; TILE_COLUMNS], start: usize, end: usize, colour: u8) {
    if colour < 128 && start < end {
        for tile in &mut tiles[start / TILE_WIDTH..=(end - 1) / TILE_WIDTH] {
            *tile |= 1 << colour;
        }
    }
}

/// Calls `each` for every bit of `bits`, lowest first.
#[inline]
pub(crate) fn for_each_bit(bits: u128, mut each: impl FnMut(u32)) {
    for (half, first) in [(bits as u64, 0), ((bits >> 64) as u64, 64)] {
        let mut half = half;
        while half != 0 {
            each(first + half.trailing_zeros());
            half &= half - 1;
        }
    }
}
