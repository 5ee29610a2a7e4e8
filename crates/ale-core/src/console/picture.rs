//! The two picture buffers of a console.

use crate::frame::WIDTH;

/// Two buffers; a frame is drawn into one, the other holds the frame before.
#[derive(Debug, Default)]
pub struct Picture {
    buffers: [Vec<[u8; WIDTH]>; 2],
    current: usize,
    /// Which buffers hold what they would hold if every frame had been drawn.
    exact: [bool; 2],
    /// The current frame has been drawn from its first call on.
    drawn: bool,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        (self.current(), self.previous()) == (other.current(), other.previous())
    }
}

impl Eq for Picture {}

impl Clone for Picture {
    fn clone(&self) -> Self {
        Self { buffers: self.buffers.clone(), ..*self }
    }

    /// Copies into the memory that is there already.
    fn clone_from(&mut self, source: &Self) {
        let Self { buffers, current, exact, drawn } = self;
        buffers.clone_from(&source.buffers);
        *current = source.current;
        *exact = source.exact;
        *drawn = source.drawn;
    }
}

impl Picture {
    /// Black, with this many rows.
    pub fn new(rows: usize) -> Self {
        let buffer = vec![[0; WIDTH]; rows];
        Self { buffers: [buffer.clone(), buffer], current: 0, exact: [true; 2], drawn: true }
    }

    /// From now on nothing is known of what the buffers hold.
    pub fn forget(&mut self) {
        self.exact = [false; 2];
        self.drawn = false;
    }

    /// Whether the picture of the last frame is what it would be if every frame had been drawn.
    pub fn current_is_exact(&self) -> bool {
        self.exact[self.current & 1]
    }

    /// The same of the frame before.
    pub fn previous_is_exact(&self) -> bool {
        self.exact[self.current & 1 ^ 1]
    }

    /// After each frame call: whether it was drawn, and whether the frame has now covered all rows.
    pub(crate) fn note(&mut self, drawn: bool, filled: bool) {
        self.drawn &= drawn;
        let exact = &mut self.exact[self.current & 1];
        // What a frame leaves as it was is exact if it was exact before.
        *exact = self.drawn && (filled || *exact);
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.buffers[0].len()
    }

    /// Black again.
    pub(crate) fn clear(&mut self) {
        for buffer in &mut self.buffers {
            buffer.fill([0; WIDTH]);
        }
        self.exact = [true; 2];
        self.drawn = true;
    }

    /// The buffer of the frame before becomes the current one, with what it held.
    pub(crate) fn swap(&mut self) {
        self.current ^= 1;
        self.drawn = true;
    }

    /// A row of the current buffer, if it has that many.
    #[inline]
    pub(crate) fn row(&mut self, row: u32) -> Option<&mut [u8; WIDTH]> {
        self.buffers[self.current & 1].get_mut(row as usize)
    }

    /// A row becomes like the one above it.
    #[inline]
    pub(crate) fn repeat_row(&mut self, row: u32) {
        let above = (row as usize).wrapping_sub(1);
        if let Some([above, row]) = self.buffers[self.current & 1].get_mut(above..above.wrapping_add(2)) {
            // Not a call of `memcpy`.
            for (pixels, above) in row.as_chunks_mut::<16>().0.iter_mut().zip(above.as_chunks::<16>().0) {
                *pixels = *above;
            }
        }
    }

    /// Some rows become like the one above them.
    pub(crate) fn repeat_rows(&mut self, first: u32, rows: u32) {
        let first = first as usize;
        let rows_in_all = self.rows();
        let (above, below) = self.buffers[self.current & 1].split_at_mut(first.min(rows_in_all));
        if let Some(above) = above.last() {
            for row in below.iter_mut().take(rows as usize) {
                *row = *above;
            }
        }
    }

    pub(crate) fn current(&self) -> &[u8] {
        self.buffers[self.current & 1].as_flattened()
    }

    pub(crate) fn previous(&self) -> &[u8] {
        self.buffers[self.current & 1 ^ 1].as_flattened()
    }

    /// Both buffers, the current one first, for a saved state.
    pub(crate) fn buffers_mut(&mut self) -> [&mut [u8]; 2] {
        let [one, other] = self.buffers.each_mut().map(|buffer| buffer.as_flattened_mut());
        if self.current & 1 == 0 { [one, other] } else { [other, one] }
    }
}
