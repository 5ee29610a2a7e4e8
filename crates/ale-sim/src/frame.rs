//! The picture of a console: 160 pixels a row, one palette index a pixel.

/// Pixels in a row.
pub const WIDTH: usize = 160;
/// Rows a picture buffer has; a console shows the first `height` of them.
pub const MAX_HEIGHT: usize = 300;

/// A picture of palette indices, borrowed from whoever drew it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Rows that are shown.
    pub height: usize,
    /// `height` rows of [`WIDTH`] palette indices.
    pub pixels: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The picture in `pixels`, whole rows of it; `None` when the last row is incomplete.
    pub fn new(pixels: &'a [u8]) -> Option<Self> {
        pixels.len().is_multiple_of(WIDTH).then_some(Self { height: pixels.len() / WIDTH, pixels })
    }

    /// One row.
    pub fn row(&self, row: usize) -> &'a [u8] {
        &self.pixels[row * WIDTH..][..WIDTH]
    }
}
