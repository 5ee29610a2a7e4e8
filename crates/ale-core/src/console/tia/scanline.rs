//! The scanline renderer, which ships: composes a scanline at a time.
//!
//! A write that changes an object only splits the object's shape at that pixel. The scanline is composed once, when an
//! access comes that lies on a later one: the shapes of all objects over the whole line, their collisions, then the
//! pixels. Colours that change within a line are painted up to there. A line that is the same as the one above is copied.
//!
//! This is speculative: what the last line of a frame that ends within the picture holds depends on every access to
//! it, which this renderer does not record. Such frames are rolled back and run again with the renderer of `span`.

mod compose;

use self::compose::below_column;
use super::motion::MOVABLE;
use super::picture::Picture;
use super::shape::{self, EMPTY, EXTENT, Mask};
use super::{BL, BLANK, COLLISIONS, LINE, Tia, clock, object, what};
use crate::frame::WIDTH;

/// All objects, as a set.
const OBJECTS: u8 = 63;
const PF: usize = 5;
/// The latch of both players.
const PLAYERS: u16 = 1 << 13;
/// The latches of pairs with the playfield.
const WITH_PLAYFIELD: u16 = 0x1550;
/// No access is as late as this.
pub(super) const FAR: i32 = i32::MAX / 2;

/// The scanline that is being composed.
#[derive(Debug, Clone)]
pub(super) struct Scanline {
    /// Clock at which it begins; far away once the picture is complete.
    pub(super) start: i32,
    /// The pixel from which on the registers tell where an object is, and its shape before that.
    from: [u8; 6],
    done: [Mask; 5],
    done_columns: u64,
    /// How much of the line is painted, and how much has collided.
    painted: u32,
    collided: u32,
    /// The last playfield that was spread to pixels, and these pixels.
    spread_columns: u64,
    playfield_pixels: Mask,
    /// HMOVE in the last cycle of the line is to blank the next one.
    blanks_next: bool,
    /// The clock of the last HMOVE that came, without pixels, while an earlier line was still to be finished; otherwise
    /// [`FAR`].
    pub(super) hmove: i32,
    /// CXCLR has forgotten collisions of this line.
    pub(super) forgot: bool,
    /// The line above is blanked at its left edge.
    blanked: bool,
    /// Unless something changes, the line looks like the one above it.
    pub(super) same_as_above: bool,
}

impl Default for Scanline {
    fn default() -> Self {
        Self {
            start: FAR,
            from: [0; 6],
            done: [EMPTY; 5],
            done_columns: 0,
            painted: 0,
            collided: 0,
            spread_columns: 0,
            playfield_pixels: EMPTY,
            blanks_next: false,
            hmove: FAR,
            forgot: false,
            blanked: false,
            same_as_above: false,
        }
    }
}

impl Scanline {
    /// Before the first line, which begins at this clock.
    pub(super) fn begin(&mut self, start: i32) {
        *self = Self { start, ..Self::default() };
    }

    /// Forgets all splits of the line that begins, and that it may be the same as the one above.
    pub(super) fn begin_anew(&mut self) {
        self.from = [0; 6];
        self.done = [EMPTY; 5];
        self.done_columns = 0;
        self.painted = 0;
        self.collided = 0;
        self.blanks_next = false;
        self.forgot = false;
        self.blanked = false;
        self.same_as_above = false;
    }
}

/// Where on a line everything is: the movable objects, the columns of the playfield and, if collisions or priority need
/// them, its pixels.
struct LineView<'a> {
    masks: &'a [Mask; 5],
    columns: u64,
    playfield: &'a Mask,
}

impl Tia {
    /// Whether a frame that begins may run speculatively.
    // One that is too long is noticed only when it has ended, so it must have shown all of the picture by then.
    pub(crate) fn can_speculate(&self) -> bool {
        !self.literal && self.window[1].wrapping_sub(self.frame_start) as u32 <= self.overlong
    }

    /// Catches up with the beam before something changes from the clock `target` on.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, what: u8, target: i32, picture: &mut Picture) {
        self.finish_lines_before(target, picture);
        let target = target.max(self.drawn);
        self.drawn = target;
        let clock = target.wrapping_sub(self.scanline.start);
        if clock > BLANK as i32 {
            self.split_at(what, clock as u32 - BLANK, picture);
        }
    }

    /// [`Self::catch_up`] before movable objects change that stay where they are, or their colour (`what`): it does not matter
    /// when they do so if that is before their first pixel.
    #[inline(always)]
    pub(super) fn catch_up_in_place(&mut self, what: u8, objects: u8, target: i32, picture: &mut Picture) {
        self.finish_lines_before(target, picture);
        let target = target.max(self.drawn);
        self.drawn = target;
        let x = target.wrapping_sub(self.scanline.start) - BLANK as i32;
        if x > 0 {
            self.cursor.changed |= objects;
            if x > self.first_pixel(objects) {
                self.split_at(what, x as u32, picture);
            }
        }
    }

    /// The pixel before which some movable objects have none.
    #[inline(always)]
    fn first_pixel(&self, objects: u8) -> i32 {
        let mut first = WIDTH as u8;
        for (index, object) in MOVABLE.into_iter().enumerate() {
            if objects & object != 0 {
                let position = self.positions[index];
                let mode = if index < BL { self.nusiz[index & 1] & 7 } else { 0 };
                // Beyond the right edge it goes on at the left one.
                let last = WIDTH as u8 - EXTENT[usize::from(mode)];
                first = first.min(if position <= last { position } else { 0 });
            }
        }
        i32::from(first)
    }

    /// [`Self::catch_up`] before the playfield changes, which many programs do several times on a line.
    #[inline(always)]
    pub(super) fn split_playfield(&mut self, target: i32, picture: &mut Picture) {
        self.finish_lines_before(target, picture);
        let target = target.max(self.drawn);
        self.drawn = target;
        let clock = target.wrapping_sub(self.scanline.start);
        if clock <= BLANK as i32 {
            return;
        }
        let x = clock as u32 - BLANK;
        if !x.is_multiple_of(4) || self.colors_by_objects() || !self.drawing {
            self.split_at(object::PF, x, picture);
            return;
        }
        if self.shapes.dirty & object::PF != 0 {
            self.shapes.dirty &= !object::PF;
            self.scanline.same_as_above = false;
            self.rebuild_playfield();
        }
        let shown = self.shapes.columns & below_column(x) & !below_column(u32::from(self.scanline.from[PF]));
        self.scanline.done_columns |= shown;
        self.scanline.from[PF] = x as u8;
        self.shapes.split |= object::PF;
    }

    /// Completes the picture when a frame has ended; not if it has ended within a line that shows something.
    pub(crate) fn finish_speculative(&mut self, cycles: u32, picture: &mut Picture) -> bool {
        let fails = self.partial || self.is_overlong(cycles);
        self.end_cache((!fails).then_some(clock(cycles)), picture);
        if fails {
            return false;
        }
        let end = self.pending.max(self.drawn);
        if end < self.window[1] {
            self.catch_up(0, end, picture);
            if self.vblank & 2 == 0 || self.scanline.painted != 0 || self.hmove_blank {
                return false;
            }
            self.drawn = self.drawn.min(self.scanline.start).max(self.window[0]);
            self.column = 0;
            self.speculative = false;
            self.run_to(end, picture);
            return true;
        }
        if self.scanline.start != FAR {
            self.finish_lines(self.window[1].wrapping_add(1), picture);
        }
        self.drawn = self.window[1];
        self.column = LINE as u32;
        true
    }

    /// Finishes all lines that end before `target`, if there are any.
    #[inline(always)]
    pub(super) fn finish_lines_before(&mut self, target: i32, picture: &mut Picture) {
        let target = target.max(self.drawn);
        if target.wrapping_sub(self.scanline.start) > LINE {
            self.finish_lines(target, picture);
        }
    }

    /// The same if there are some.
    #[inline(never)]
    pub(super) fn finish_lines(&mut self, target: i32, picture: &mut Picture) {
        if !self.drawing && self.open_latches() == 0 && !self.ark.on {
            self.pass_lines(target);
        } else {
            self.finish_each(target, picture);
        }
        if self.scanline.hmove != FAR {
            // Its line is the one that begins now, or none of the picture; otherwise it has been blanked.
            let first = self.scanline.start.min(self.window[1]);
            self.hmove_blank |= self.hmove_blanks && self.scanline.hmove >= first;
            self.scanline.hmove = FAR;
        }
    }

    #[inline(always)]
    fn finish_each(&mut self, target: i32, picture: &mut Picture) {
        loop {
            self.finish_line(picture);
            let next = self.scanline.start + LINE;
            if next >= self.window[1] {
                self.scanline.start = FAR;
                return;
            }
            self.scanline.start = next;
            self.end_line();
            self.row += 1;
            if target - next <= LINE {
                return;
            }
            if target - next > 3 * LINE {
                self.repeat_lines(target, picture);
            }
        }
    }

    /// Finishes all lines that end before `target` when nothing of them matters.
    fn pass_lines(&mut self, target: i32) {
        let whole =
            (target.min(self.window[1].wrapping_add(1)) - self.scanline.start - 1) as u32 / LINE as u32;
        let end = self.scanline.start + whole as i32 * LINE;
        // The last line of the picture does not end.
        let is_last = end >= self.window[1];
        let ended = whole - u32::from(is_last);
        self.scanline.start = if is_last { FAR } else { end };
        self.row += ended;
        if ended > 0 {
            self.end_line();
        }
        self.hmove_blank &= self.scanline.blanks_next && whole == 1;
        self.scanline.blanks_next = false;
        self.scanline.same_as_above = false;
        self.scanline.forgot = false;
        self.begin_line();
    }

    /// A new line has no splits.
    #[inline(always)]
    fn begin_line(&mut self) {
        self.scanline.painted = 0;
        self.scanline.collided = 0;
        if self.shapes.split != 0 {
            self.shapes.split = 0;
            self.scanline.from = [0; 6];
            self.scanline.done = [EMPTY; 5];
            self.scanline.done_columns = 0;
        }
    }

    /// Finishes many lines that look like the one above, but leaves at least one.
    fn repeat_lines(&mut self, target: i32, picture: &mut Picture) {
        let unchanged = self.scanline.same_as_above
            && self.shapes.dirty == 0
            && !(self.paint.dirty && self.drawing)
            && !self.hmove_blank
            && !self.scanline.blanked
            && self.reflected == (self.ctrlpf & 1 != 0)
            && !self.ark.on;
        if !unchanged {
            return;
        }
        let left = target.min(self.window[1]) - self.scanline.start;
        let lines = (left as u32 / LINE as u32).saturating_sub(2);
        if self.drawing {
            picture.repeat_rows(self.row, lines);
        }
        self.row += lines;
        self.scanline.start += lines as i32 * LINE;
    }

    #[inline(always)]
    fn finish_line(&mut self, picture: &mut Picture) {
        let whole = self.shapes.split == 0 && self.scanline.painted == 0;
        let changed = self.shapes.dirty != 0 || self.paint.dirty && self.drawing;
        let blanks = self.hmove_blank && !self.scanline.blanks_next;
        if self.scanline.same_as_above && whole && !changed && blanks == self.scanline.blanked {
            self.scanline.collided = 0;
            if self.drawing {
                picture.repeat_row(self.row);
            }
        } else {
            self.compose_scanline(whole, picture);
            if blanks {
                self.blank(picture);
            }
        }
        self.hmove_blank &= !blanks;
        self.scanline.blanked = blanks;
        self.scanline.blanks_next = false;
    }

    /// Composes what is left of the line: collisions and pixels.
    #[inline(always)]
    fn compose_scanline(&mut self, whole: bool, picture: &mut Picture) {
        if self.drawing {
            self.paint_to(WIDTH as u32, picture);
        } else {
            self.collide_to(WIDTH as u32);
        }
        self.scanline.same_as_above = whole && !self.scanline.forgot;
        self.scanline.forgot = false;
        self.begin_line();
    }

    /// What HMOVE does to the left edge of the line.
    fn blank(&self, picture: &mut Picture) {
        if let Some(row) = picture.row(self.row).filter(|_| self.drawing) {
            row[..8].fill(0);
        }
    }

    /// HMOVE blanks the left edge of the next line to begin.
    pub(super) fn begin_blank(&mut self, now: i32, picture: &mut Picture) {
        let clock = now.wrapping_sub(self.scanline.start);
        if self.speculative && clock > BLANK as i32 {
            if self.hmove_blank && !self.scanline.blanks_next {
                // This line's is still to be done.
                self.paint_some(clock as u32 - BLANK, picture);
                self.blank(picture);
                self.scanline.same_as_above = false;
            }
            self.scanline.blanks_next = true;
        }
        self.hmove_blank = true;
    }

    /// Splits the shapes of objects that change at pixel `x`; paints or collides all before it if that is asked for.
    #[inline(never)]
    fn split_at(&mut self, what: u8, x: u32, picture: &mut Picture) {
        if !self.drawing && self.open_latches() == 0 {
            // Nothing before this pixel matters.
            self.scanline.painted = x;
            self.scanline.collided = x;
            return;
        }
        let mut objects = what & OBJECTS;
        let mut paints = what & what::PAINT != 0;
        let mut collides = what & what::COLLISIONS != 0;
        if objects & object::PF != 0 && !x.is_multiple_of(4) {
            // Columns are not cut: what is left of this pixel is done with.
            objects &= !object::PF;
            paints = true;
            collides = true;
        }
        // Which objects are enabled may decide a colour.
        paints |= objects != 0 && self.colors_by_objects();
        if paints {
            self.paint_some(x, picture);
        }
        if collides {
            self.collide_to(x);
        }
        if objects & !object::PF != 0 {
            self.shapes.forget_reach();
        }
        self.shapes.split |= objects;
        while objects != 0 {
            let index = objects.trailing_zeros() as usize;
            let object = 1 << index;
            objects &= objects - 1;
            let from = std::mem::replace(&mut self.scanline.from[index], x as u8);
            if self.shapes.dirty & object != 0 {
                self.rebuild(object);
            }
            if self.shapes.enabled & object == 0 {
                continue;
            }
            if index == PF {
                let columns = self.shapes.columns & below_column(x) & !below_column(u32::from(from));
                self.scanline.done_columns |= columns;
                continue;
            }
            if let Some(done) = self.scanline.done.get_mut(index) {
                *done = shape::joined(done, &shape::cut(&self.shapes.masks[index], x), u32::from(from));
            }
        }
    }

    /// Where the movable objects are, if some have changed on this line.
    #[inline(never)]
    fn merged(&self) -> [Mask; 5] {
        let [mut masks @ .., _] = self.shapes.masks;
        let mut split = self.shapes.split & !object::PF;
        while split != 0 {
            let index = split.trailing_zeros() as usize % 5;
            split &= split - 1;
            let since = u32::from(self.scanline.from[index]);
            masks[index] = shape::joined(&self.scanline.done[index], &self.shapes.masks[index], since);
        }
        masks
    }

    /// Where the playfield is.
    #[inline(always)]
    fn columns(&self) -> u64 {
        let since = u32::from(self.scanline.from[PF]);
        self.shapes.columns & !below_column(since) | self.scanline.done_columns
    }

    /// The latches that are not set yet and that the objects on this line may set.
    #[inline(always)]
    pub(super) fn open_latches(&mut self) -> u16 {
        let present = self.shapes.enabled | self.shapes.dirty | self.shapes.split;
        let open = COLLISIONS[usize::from(present & OBJECTS)] & !self.collisions;
        if open & !WITH_PLAYFIELD == 0 {
            // The playfield is everywhere.
            return open;
        }
        if self.shapes.moved {
            self.find_reach();
        }
        open & self.shapes.in_reach
    }

    /// Finds out which objects are too far from each other to meet.
    #[inline(never)]
    fn find_reach(&mut self) {
        if self.shapes.split & !object::PF != 0 || self.ark.on {
            // They may have been elsewhere before, or move at the end of the line.
            return;
        }
        self.shapes.moved = false;
        let [p0, p1, m0, m1, bl] = self.positions.map(|position| usize::from(position) % WIDTH);
        let [mode0, mode1] = self.nusiz.map(|nusiz| &shape::REACH[usize::from(nusiz & 7)]);
        let meets = |one: u64, other: u64, latch: u16| u16::from(one & other != 0) << latch;
        let (p0, p1) = (mode0[p0], mode1[p1]);
        let players = meets(p0, p1, 13) | WITH_PLAYFIELD;
        let present = self.shapes.enabled | self.shapes.dirty | self.shapes.split;
        self.shapes.in_reach = if present & (object::M0 | object::M1 | object::BL) == 0 {
            players | !PLAYERS
        } else {
            let (m0, m1, bl) = (mode0[m0], mode1[m1], shape::REACH[0][bl]);
            players
                | meets(m0, p1, 0)
                | meets(m0, p0, 1)
                | meets(m1, p0, 2)
                | meets(m1, p1, 3)
                | meets(p0, bl, 5)
                | meets(p1, bl, 7)
                | meets(m0, bl, 9)
                | meets(m1, bl, 11)
                | meets(m0, m1, 14)
        };
    }
}
