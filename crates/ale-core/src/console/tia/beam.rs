//! The beam: lines, spans of lines, and what happens at the end of each displayed line.

use super::picture::Picture;
use super::{BLANK, LINE, Tia, object};

impl Tia {
    /// Draws everything before the clock `target` with the registers as they are.
    ///
    /// Only lines of the display window are drawn, collide and have end-of-line actions. A line
    /// that ends exactly at `target` is finished, but its end-of-line actions wait for the next call.
    #[inline(never)]
    pub(super) fn run_to(&mut self, target: i32, picture: &mut Picture) {
        self.pending = i32::MIN;
        let [first, end] = self.window;
        if target < first || self.drawn >= end || self.drawn >= target {
            return;
        }
        // Several registers are written while nothing of a line is visible yet.
        let to = target.saturating_sub(self.drawn).saturating_add(self.column as i32);
        if to <= BLANK as i32 && !self.literal {
            self.drawn = target;
            self.column = to as u32;
            if self.hmove_blank {
                self.blanked = self.blanked.max(BLANK + 8 - to as u32);
            }
            return;
        }
        self.run_lines(target.min(end), picture);
    }

    #[inline(never)]
    fn run_lines(&mut self, target: i32, picture: &mut Picture) {
        while self.drawn < target {
            let from = self.column;
            let rest = LINE - from as i32;
            let line_ends = target > self.drawn + rest;
            let length = if line_ends { rest } else { target - self.drawn };
            let to = from + length as u32;
            self.drawn += length;
            if to <= BLANK && !self.literal {
                if self.hmove_blank {
                    self.blanked = self.blanked.max(BLANK + 8 - to);
                }
            } else {
                self.draw_span(from, to, picture);
            }
            if line_ends {
                self.column = 0;
                self.blanked = 0;
                self.end_line();
                self.row += 1;
            } else {
                self.column = to;
            }
        }
    }

    /// Draws the clocks `from..to` of the current line, some of which are visible unless it is done literally.
    #[inline]
    fn draw_span(&mut self, from: u32, to: u32, picture: &mut Picture) {
        if self.blanked > to - BLANK.min(to) {
            self.black_out(picture);
        }
        self.blanked = 0;
        let start = if from >= BLANK { from } else { to.min(BLANK) };
        let mut row = if self.drawing { picture.row(self.row) } else { None };
        if self.literal {
            self.draw_literally(start, to, row.as_deref_mut());
        } else if start < to {
            self.draw(start - BLANK, to - BLANK, row.as_deref_mut());
        }
        if self.hmove_blank && start < BLANK + 8 {
            match row {
                Some(row) if start == BLANK => row[..8].fill(0),
                Some(row) => {
                    let first = start.saturating_sub(BLANK) as usize;
                    row[first..first + (BLANK + 8 - start) as usize].fill(0);
                }
                None => {}
            }
            if to >= BLANK + 8 {
                self.hmove_blank = false;
            }
        }
    }

    /// Draws all that was deferred; to be called when a frame call ends.
    pub(crate) fn finish(&mut self, picture: &mut Picture) {
        let target = self.pending;
        self.run_to(target, picture);
        self.black_out(picture);
    }

    /// Blacks out what HMOVE has blanked ahead of drawing.
    // Reference: a span that ends in the horizontal blank blacks out more than eight pixels. The line
    // paints over them, so they are seen only if it does not go on.
    #[cold]
    fn black_out(&mut self, picture: &mut Picture) {
        let blanked = std::mem::take(&mut self.blanked) as usize;
        if let Some(row) = picture.row(self.row).filter(|_| self.drawing) {
            row[..blanked].fill(0);
        }
    }

    pub(super) fn end_line(&mut self) {
        let reflect = self.ctrlpf & 1 != 0;
        if reflect != self.reflected {
            self.reflected = reflect;
            self.shapes.mark_dirty(object::PF);
        }
        if self.suppressed != [false; 2] {
            self.suppressed = [false; 2];
            self.shapes.move_some(object::P0 | object::P1);
        }
        if self.ark.on {
            self.step_ark();
        }
    }

    /// What is left of the picture when a frame call ends before the frame: it fades, once.
    pub(crate) fn grey_out(&mut self, cycles: u32, picture: &mut Picture) {
        if self.greyed {
            return;
        }
        self.greyed = true;
        if self.shades.is_some() {
            // Only colours fade.
            picture.forget();
            return;
        }
        let first = (self.lines(cycles) as i32).max(self.ystart) - self.ystart;
        for row in first..self.height {
            if let Some(row) = picture.row(row as u32) {
                for pixel in row {
                    *pixel = (*pixel & 0x0F) >> 1;
                }
            }
        }
    }
}
