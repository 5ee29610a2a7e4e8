//! The background of a game: the colour that each pixel shows most often.

use crate::input::{Error, Screen};
use crate::{COLUMNS, ROWS};

/// A picture of what does not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    rows: Box<[[u8; COLUMNS]; ROWS]>,
}

impl Background {
    /// The upper 210 rows of a picture.
    ///
    /// # Errors
    /// [`Error::Screen`] for less than 210 rows or an incomplete row.
    pub fn new(pixels: &[u8]) -> Result<Self, Error> {
        Ok(Self { rows: Box::new(*Screen::new(pixels)?.rows()) })
    }

    /// One colour everywhere.
    #[expect(clippy::large_stack_arrays, reason = "33,600 bytes, once per game")]
    pub fn plain(index: u8) -> Self {
        Self { rows: Box::new([[index; COLUMNS]; ROWS]) }
    }

    /// The picture itself.
    pub fn screen(&self) -> Screen<'_> {
        Screen::from(&*self.rows)
    }
}

/// For each pixel how often it had each of the 128 colours.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Vec<u16>,
    screens: u32,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; ROWS * COLUMNS * 128], screens: 0 }
    }
}

impl Histogram {
    /// Screens after which a counter could overflow; further ones are refused.
    pub const MAX_SCREENS: u32 = u16::MAX as u32;

    /// Counts one screen.
    ///
    /// # Panics
    /// After [`Histogram::MAX_SCREENS`] screens.
    pub fn add(&mut self, screen: Screen<'_>) {
        assert!(self.screens < Self::MAX_SCREENS, "a histogram of {} screens is full", self.screens);
        self.screens += 1;
        for (counts, &index) in self.counts.chunks_exact_mut(128).zip(screen.pixels()) {
            counts[usize::from(index >> 1)] += 1;
        }
    }

    /// Screens counted.
    pub fn screens(&self) -> u32 {
        self.screens
    }

    /// The most frequent colour of each pixel, the lower one of two that are equally frequent.
    pub fn background(&self) -> Background {
        let most = |counts: &[u16]| {
            let mut best = 0;
            for colour in 1..128 {
                if counts[colour] > counts[best] {
                    best = colour;
                }
            }
            best as u8 * 2
        };
        let mut background = Background::plain(0);
        for (pixel, counts) in
            background.rows.as_flattened_mut().iter_mut().zip(self.counts.chunks_exact(128))
        {
            *pixel = most(counts);
        }
        background
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_colour_wins_and_ties_go_to_the_lower_index() {
        let mut histogram = Histogram::default();
        for colours in [[2, 8], [4, 6], [4, 6], [2, 8], [2, 254]] {
            let mut pixels = vec![0; ROWS * COLUMNS];
            pixels[..2].copy_from_slice(&colours);
            histogram.add(Screen::new(&pixels).expect("210 rows"));
        }
        assert_eq!(histogram.background().screen().pixels()[..3], [2, 6, 0]);
    }
}
