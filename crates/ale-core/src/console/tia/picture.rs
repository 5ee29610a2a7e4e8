//! The two picture buffers of a console.

use super::ScanlineCache;
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
    /// By row: the slot of the scanline cache whose pixels each of the buffers holds, 0 for none.
    row_ids: Vec<[u32; 2]>,
    /// The slot that rows which are drawn now belong to.
    pub(crate) painting_id: u32,
    /// The scanline cache, while it is in use.
    pub(crate) cache: Option<Box<ScanlineCache>>,
    cache_enabled: bool,
    /// Rows that the cache gave since they were last counted.
    hit_rows: u32,
    /// What is stored for colours in the rows of cached lines.
    shades: Option<&'static [u8; 256]>,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        (self.current(), self.previous()) == (other.current(), other.previous())
    }
}

impl Eq for Picture {}

impl Clone for Picture {
    fn clone(&self) -> Self {
        Self {
            buffers: self.buffers.clone(),
            current: self.current,
            exact: self.exact,
            drawn: self.drawn,
            row_ids: vec![[0; 2]; self.rows()],
            painting_id: 0,
            cache: None,
            cache_enabled: self.cache_enabled,
            hit_rows: 0,
            shades: None,
        }
    }

    /// Copies into the memory that is there already.
    fn clone_from(&mut self, source: &Self) {
        self.buffers.clone_from(&source.buffers);
        self.current = source.current;
        self.exact = source.exact;
        self.drawn = source.drawn;
        self.forget_rows();
    }
}

impl Picture {
    /// Black, with this many rows.
    pub fn new(rows: usize) -> Self {
        let buffer = vec![[0; WIDTH]; rows];
        Self {
            buffers: [buffer.clone(), buffer],
            exact: [true; 2],
            drawn: true,
            row_ids: vec![[0; 2]; rows],
            cache_enabled: true,
            ..Self::default()
        }
    }

    /// Switches the scanline cache off: it is of no use where many machines take turns with one picture.
    pub fn disable_scanline_cache(&mut self) {
        self.cache_enabled = false;
        self.cache = None;
    }

    /// A hit of the scanline cache.
    #[inline(always)]
    pub(crate) fn count_hit(&mut self, rows: u32) {
        self.hit_rows += rows;
    }

    /// The rows that were hits since the last call.
    pub(crate) fn take_hit_rows(&mut self) -> u64 {
        u64::from(std::mem::take(&mut self.hit_rows))
    }

    /// No row holds a cached line any more.
    fn forget_rows(&mut self) {
        let rows = self.rows();
        if self.row_ids.len() != rows {
            self.cache = None;
        }
        self.row_ids.clear();
        self.row_ids.resize(rows, [0; 2]);
        self.painting_id = 0;
    }

    /// Before a frame: whether it is to use the scanline cache. `shades` tells what pixels are stored as.
    pub(crate) fn prepare_cache(&mut self, height: i32, shades: Option<&'static [u8; 256]>) -> bool {
        if !self.cache_enabled {
            return false;
        }
        if self.shades.map(|table| table.as_ptr()) != shades.map(|table| table.as_ptr()) {
            self.forget_rows();
            self.shades = shades;
        }
        self.painting_id = 0;
        if self.cache.as_ref().is_some_and(|cache| cache.is_out_of_ids()) {
            self.cache = None;
            self.forget_rows();
        }
        let rows = self.rows();
        let cache = self.cache.get_or_insert_with(|| Box::new(ScanlineCache::new(rows)));
        cache.set_height(height);
        cache.begin()
    }

    /// Whether one of the buffers has rows that were drawn as this.
    #[inline(always)]
    pub(crate) fn has_rows(&self, first: u32, rows: u16, id: u32) -> bool {
        if rows == 1 {
            return self.row_ids.get(first as usize).is_some_and(|&[one, other]| one == id || other == id);
        }
        self.has_many_rows(first as usize, usize::from(rows), id)
    }

    #[inline(never)]
    fn has_many_rows(&self, first: usize, rows: usize, id: u32) -> bool {
        self.row_ids
            .get(first..first + rows)
            .is_some_and(|row_ids| row_ids.iter().all(|&[one, other]| one == id || other == id))
    }

    /// The current buffer gets such rows from the other one, where it has them not already.
    #[inline(always)]
    pub(crate) fn take_rows(&mut self, first: u32, rows: u16, id: u32) {
        if rows == 1
            && self.row_ids.get(first as usize).is_some_and(|row_ids| row_ids[self.current & 1] == id)
        {
            return;
        }
        self.take_many_rows(first as usize, usize::from(rows), id);
    }

    #[inline(never)]
    fn take_many_rows(&mut self, first: usize, rows: usize, id: u32) {
        let current = self.current & 1;
        let [one, other] = &mut self.buffers;
        let (to, from) = if current == 0 { (one, other) } else { (other, one) };
        let rows = first..first + rows;
        let row_ids = self.row_ids.get_mut(rows.clone()).unwrap_or_default();
        let pairs =
            to.get_mut(rows.clone()).unwrap_or_default().iter_mut().zip(from.get(rows).unwrap_or_default());
        for (row_ids, (to, from)) in row_ids.iter_mut().zip(pairs) {
            if row_ids[current] != id {
                row_ids[current] = id;
                *to = *from;
            }
        }
    }

    /// From now on the buffers do not count as exact.
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
    pub(crate) fn frame_done(&mut self, drawn: bool, filled: bool) {
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
        self.forget_rows();
    }

    /// The buffer of the frame before becomes the current one, with what it held.
    pub(crate) fn swap(&mut self) {
        self.current ^= 1;
        self.drawn = true;
    }

    /// A row of the current buffer, if it has that many.
    #[inline]
    pub(crate) fn row(&mut self, row: u32) -> Option<&mut [u8; WIDTH]> {
        let current = self.current & 1;
        if let Some(row_ids) = self.row_ids.get_mut(row as usize) {
            row_ids[current] = self.painting_id;
        }
        self.buffers[current].get_mut(row as usize)
    }

    /// A row becomes like the one above it.
    #[inline]
    pub(crate) fn repeat_row(&mut self, row: u32) {
        let above = (row as usize).wrapping_sub(1);
        if let Some(row_ids) = self.row_ids.get_mut(row as usize) {
            row_ids[self.current & 1] = self.painting_id;
        }
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
        for row_ids in self.row_ids.iter_mut().skip(first).take(rows as usize) {
            row_ids[self.current & 1] = self.painting_id;
        }
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
        self.forget_rows();
        let [one, other] = self.buffers.each_mut().map(|buffer| buffer.as_flattened_mut());
        if self.current & 1 == 0 { [one, other] } else { [other, one] }
    }
}
