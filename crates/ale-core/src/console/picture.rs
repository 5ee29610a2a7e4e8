//! The two picture buffers of a console.

use crate::frame::WIDTH;

/// Two buffers; a frame is drawn into one, the other holds the frame before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    buffers: [Vec<u8>; 2],
    current: usize,
}

impl Clone for Picture {
    fn clone(&self) -> Self {
        Self { buffers: self.buffers.clone(), current: self.current }
    }

    /// Copies into the memory that is there already.
    fn clone_from(&mut self, source: &Self) {
        self.buffers.clone_from(&source.buffers);
        self.current = source.current;
    }
}

impl Picture {
    /// Black, with this many rows.
    pub(crate) fn new(rows: usize) -> Self {
        Self { buffers: [vec![0; rows * WIDTH], vec![0; rows * WIDTH]], current: 0 }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.buffers[0].len() / WIDTH
    }

    /// Black again.
    pub(crate) fn clear(&mut self) {
        for buffer in &mut self.buffers {
            buffer.fill(0);
        }
    }

    /// The buffer of the frame before becomes the current one, with what it held.
    pub(crate) fn swap(&mut self) {
        self.current ^= 1;
    }

    /// A row of the current buffer, if it has that many.
    #[inline]
    pub(crate) fn row(&mut self, row: u32) -> Option<&mut [u8; WIDTH]> {
        let (rows, _) = self.buffers[self.current & 1].as_chunks_mut();
        rows.get_mut(row as usize)
    }

    pub(crate) fn current(&self) -> &[u8] {
        &self.buffers[self.current & 1]
    }

    pub(crate) fn previous(&self) -> &[u8] {
        &self.buffers[self.current & 1 ^ 1]
    }

    /// Both buffers, the current one first, for a saved state.
    pub(crate) fn buffers_mut(&mut self) -> [&mut Vec<u8>; 2] {
        let [one, other] = &mut self.buffers;
        if self.current & 1 == 0 { [one, other] } else { [other, one] }
    }
}
