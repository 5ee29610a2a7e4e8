//! The scanline cache: memoizes scanlines from one frame to the next.
//!
//! What a line shows, what collides on it and how the next one begins depend on nothing but the registers at its begin
//! and the writes to it. Most lines of a frame are like those of the frame before. So each row of the picture has a *slot*
//! with the registers and the writes of a line, and the registers after it. While the logged writes are those of the slot,
//! they are only compared: a cache hit copies the pixels, or leaves them where they are. At the first difference, a miss
//! within the line, the registers are set to those at its begin and the writes so far are replayed.
//!
//! A slot covers a line with writes and the lines without any behind it. Registers that do not matter to them, such as
//! those of hidden objects, may differ. A slot never becomes stale: it tells what follows from what, in any machine.
//!
//! | file | what |
//! |---|---|
//! | `slots` | slots and their classes |
//! | `bits`, `effects` | registers as bytes, and which of them matter to a line |
//! | `cursor` | where a frame is in the cache: hits and misses |

pub(super) mod bits;
mod cursor;
mod effects;
mod slots;

use ale_jit::TiaWrite;

use self::bits::Registers;
use self::effects::one_of;
pub(crate) use self::slots::ScanlineCache;
use self::slots::{MAX_SLOT_BACKOFF, Slot, key};
use super::picture::Picture;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::registers::*;
use super::scanline::FAR;
use super::write_log::apply_write_log;
use super::{COLLISIONS, LINE, Tia, clock, object};

/// All latches.
const LATCHES: u16 = 0x7FFF;
/// Longer ago than this, the last HMOVE has no effect on strobes.
const LONG_AGO: i32 = 64;
/// Up to this clock of the line, HMOVE moves by what is set alone.
const EARLY: i32 = 38;
/// Lines with these writes are not cached.
const UNCACHEABLE: u64 = one_of(&[VSYNC, VBLANK, CXCLR]);

/// Where the frame is in the scanline cache.
#[derive(Debug, Clone, Default)]
pub(super) struct CacheCursor {
    /// This frame uses the cache.
    pub(super) active: bool,
    /// The line is a hit so far: the registers are those below, not those of the chip.
    hit: bool,
    /// They are all the same as those of the slot.
    exact: bool,
    /// The line is being recorded into its slot.
    records: bool,
    /// Where the line begins whose writes are compared or recorded.
    begin: Option<i32>,
    /// The registers when it began, and the cycle; and where a line begins whose registers they are.
    registers: Registers,
    cycles: u32,
    known: Option<i32>,
    /// The registers when the hits began: those of the chip.
    old: Registers,
    /// Writes that were compared or recorded.
    count: u8,
    /// Latches when the line began.
    before: u16,
    /// Objects that may have been on the line.
    present: u8,
    /// Objects that have changed where it depends on their places whether that matters.
    pub(super) changed: u8,
    /// The clock of the last HMOVE, 0 for none; and whether one of them moves objects for which no motion is set.
    hmove: u8,
    moves_late: bool,
    /// The registers that were written to.
    written: u64,
    /// What is of the chip and not of its registers.
    chip: u8,
}

#[inline(always)]
fn is_sound(register: u8) -> bool {
    matches!(register, AUDC0..=AUDV1)
}

impl Tia {
    /// Uses the cache from here on until the frame ends.
    pub(crate) fn begin_cache(&mut self, picture: &mut Picture) {
        let plain = self.frame_start % 3 == 0 && self.height as usize <= picture.rows();
        if !self.speculative || self.literal || !plain || !self.drawing {
            return;
        }
        if !picture.prepare_cache(self.height, self.shades) {
            return;
        }
        let loss = self.color_loss && self.last_lines & 1 != 0;
        let chip = u8::from(self.hmove_blanks) | u8::from(self.color_loss) << 1 | u8::from(loss) << 2;
        self.cursor = CacheCursor { active: true, chip, ..CacheCursor::default() };
    }

    /// The end of a frame, at a clock unless the frame is given up.
    pub(super) fn end_cache(&mut self, end: Option<i32>, picture: &mut Picture) {
        if let Some(now) = end.filter(|_| self.cursor.active) {
            self.detach_cursor_at(now, picture);
            if let Some(cache) = &mut picture.cache {
                cache.end();
            }
        }
        self.cursor = CacheCursor::default();
        picture.painting_id = 0;
    }

    /// Applies the write log of JIT code, in a speculative frame.
    #[inline]
    pub(crate) fn write_all(&mut self, writes: &[TiaWrite], picture: &mut Picture) {
        if writes.is_empty() {
            return;
        }
        if !self.cursor.active {
            apply_write_log(self, picture, writes);
        } else if let Some(mut cache) = picture.cache.take() {
            self.write_through_cache(writes, &mut cache, picture);
            picture.cache = Some(cache);
        }
    }

    #[inline(always)]
    fn clock_of_line(&self, write: TiaWrite) -> i32 {
        clock(write.now()).wrapping_sub(self.scanline.start)
    }

    fn write_through_cache(
        &mut self,
        mut writes: &[TiaWrite],
        cache: &mut ScanlineCache,
        picture: &mut Picture,
    ) {
        loop {
            if self.cursor.hit {
                writes = self.compare_writes(writes, cache, picture);
            }
            let Some(first) = writes.first() else { return };
            let at = self.clock_of_line(*first);
            if at > LINE {
                self.advance_cursor(clock(first.now()), cache, picture);
            } else if at <= 0 {
                // Before the picture or after it.
                let count = writes.iter().take_while(|write| self.clock_of_line(**write) <= 0).count();
                let (now, then) = writes.split_at(count);
                apply_write_log(self, picture, now);
                writes = then;
            } else if self.cursor.begin != Some(self.scanline.start) {
                self.look_up(cache, picture);
            } else if !self.cursor.hit {
                writes = self.write_and_record(writes, cache, picture);
            } else if is_sound(first.register()) {
                self.audio.write(first.register() - AUDC0, first.value());
                writes = &writes[1..];
            } else {
                self.replay_miss(cache, picture);
            }
        }
    }

    /// Applies and records the writes to this line; gives those that are left.
    #[inline(always)]
    fn write_and_record<'a>(
        &mut self,
        writes: &'a [TiaWrite],
        cache: &mut ScanlineCache,
        picture: &mut Picture,
    ) -> &'a [TiaWrite] {
        let start = self.scanline.start;
        let on_line = |write: &TiaWrite| clock(write.now()).wrapping_sub(start) <= LINE;
        let count = writes.iter().take_while(|write| on_line(write)).count();
        let (now, then) = writes.split_at(count);
        if self.cursor.records {
            let slot = &mut cache.slots[self.row as usize];
            for write in now {
                if !is_sound(write.register()) {
                    self.cursor.record(*write, clock(write.now()).wrapping_sub(start), slot);
                }
            }
            if !self.cursor.records {
                picture.painting_id = 0;
            }
        }
        apply_write_log(self, picture, now);
        then
    }

    /// Before the first write or read on a line: a hit so far, or a line to record.
    fn look_up(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) {
        self.cursor.begin = Some(self.scanline.start);
        self.cursor.records = false;
        picture.painting_id = 0;
        cache.missed += 1;
        let Some(slot) = cache.slots.get_mut(self.row as usize) else { return };
        if slot.backoff > 0 {
            slot.backoff -= 1;
            return;
        }
        if self.drawn > self.scanline.start || self.ark.is_active() || self.row >= self.height as u32 {
            return;
        }
        let known = self.cursor.known == Some(self.scanline.start);
        let registers = if known { self.cursor.registers } else { self.registers() };
        self.cursor.registers = registers;
        self.cursor.cycles = (self.scanline.start / 3) as u32;
        if self.is_hit(registers, cache, picture) {
            self.cursor.old = registers;
            cache.missed -= 1;
            self.cursor.hit = true;
            self.cursor.count = 0;
        } else {
            self.record_unless_backing_off(cache, picture);
        }
    }

    /// A miss: records the line, unless its slot backs off.
    fn record_unless_backing_off(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) {
        let Some(slot) = cache.slots.get_mut(self.row as usize) else { return };
        if slot.should_record() {
            self.record(cache, picture);
        } else {
            self.cursor.begin = Some(self.scanline.start);
            self.cursor.records = false;
            picture.painting_id = 0;
        }
    }

    /// Records the lines that begin here.
    fn record(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) {
        let id = cache.new_id();
        let slot = &mut cache.slots[self.row as usize];
        slot.begin = self.cursor.registers;
        slot.id = id;
        slot.lines = 0;
        let cursor = &mut self.cursor;
        cursor.records = true;
        cursor.begin = Some(self.scanline.start);
        cursor.count = 0;
        cursor.before = self.collisions;
        cursor.present = self.shapes.enabled | self.shapes.dirty | self.shapes.split;
        cursor.changed = 0;
        cursor.hmove = 0;
        cursor.moves_late = false;
        cursor.written = 0;
        picture.painting_id = id;
    }

    #[inline(never)]
    fn finish_and_store(&mut self, now: i32, cache: &mut ScanlineCache, picture: &mut Picture) {
        let row = self.row as usize;
        let records = self.cursor.begin == Some(self.scanline.start) && !self.ark.is_active();
        if records {
            let shown = self.objects_that_matter();
            self.cursor.store(shown, &mut cache.slots[row]);
        }
        self.finish_lines(now, picture);
        self.cursor.begin = None;
        self.cursor.records = false;
        picture.painting_id = 0;
        if !records {
            return;
        }
        let complete = self.scanline.start == FAR;
        let end = if complete { self.height as usize } else { self.row as usize };
        let before = self.cursor.before;
        let present = self.cursor.present | object::PF;
        let registers = self.registers();
        self.cursor.registers = registers;
        self.cursor.known = Some(self.scanline.start);
        let slot = &mut cache.slots[row];
        slot.lines = (end - row) as u16;
        slot.set = self.collisions & !before;
        slot.known = !before | !COLLISIONS[usize::from(present & 63)];
        slot.end = registers;
    }

    /// The objects whose places and colours matter to the line, since it shows them.
    fn objects_that_matter(&mut self) -> u8 {
        let shapes = &self.shapes;
        self.cursor.present |= shapes.enabled | shapes.dirty | shapes.split;
        let of = |is: bool, object: u8| if is { object } else { 0 };
        shapes.split
            | self.cursor.changed
            | shapes.enabled & !shapes.dirty
            | of(self.player_pixels(0) != 0, object::P0)
            | of(self.player_pixels(1) != 0, object::P1)
            | of(self.missile_enabled(0), object::M0)
            | of(self.missile_enabled(1), object::M1)
            | of(self.ball_enabled(), object::BL)
    }

    /// Before a read of collisions at the clock `now`. Whether the latches are as they are to be read already.
    #[inline(never)]
    pub(super) fn cursor_before_read(&mut self, latches: u16, now: i32, picture: &mut Picture) -> bool {
        let Some(mut cache) = picture.cache.take() else { return false };
        if now.wrapping_sub(self.scanline.start) > LINE {
            self.advance_cursor(now, &mut cache, picture);
        }
        if now.wrapping_sub(self.scanline.start) > 0 && self.cursor.begin != Some(self.scanline.start) {
            self.look_up(&mut cache, picture);
        }
        let mut known = false;
        if self.cursor.hit {
            known = latches & !self.collisions & cache.slots[self.row as usize].set == 0;
            if !known {
                self.replay_miss(&mut cache, picture);
            }
        }
        picture.cache = Some(cache);
        known
    }

    /// Before the interpreter writes: the chip has its own registers again.
    #[inline(always)]
    pub(crate) fn detach_cursor(&mut self, cycles: impl Fn() -> u32, picture: &mut Picture) {
        if self.cursor.active {
            self.detach_cursor_at(clock(cycles()), picture);
        }
    }

    /// [`Self::detach_cursor`] at the clock `now`.
    #[inline(never)]
    fn detach_cursor_at(&mut self, now: i32, picture: &mut Picture) {
        let Some(mut cache) = picture.cache.take() else { return };
        if now.wrapping_sub(self.scanline.start) > LINE {
            self.advance_cursor(now, &mut cache, picture);
        }
        if self.cursor.hit {
            self.replay_miss(&mut cache, picture);
        }
        self.cursor.records = false;
        self.cursor.known = None;
        let has_begun = now.wrapping_sub(self.scanline.start) > 0;
        self.cursor.begin = has_begun.then_some(self.scanline.start);
        picture.painting_id = 0;
        picture.cache = Some(cache);
    }
}

impl CacheCursor {
    /// Records a write.
    #[inline(always)]
    fn record(&mut self, write: TiaWrite, at: i32, slot: &mut Slot) {
        let register = write.register();
        let index = usize::from(register & 63);
        self.written |= 1 << index;
        self.present |= REGISTERS[index].appears;
        if register == HMOVE {
            self.hmove = at as u8;
            self.moves_late |= at > EARLY;
        }
        let late = at + delay(register) >= LINE;
        match slot.writes.get_mut(usize::from(self.count)) {
            Some(cached) if !late && self.written & UNCACHEABLE == 0 => {
                *cached = key(write, self.cycles);
                self.count += 1;
            }
            _ => {
                self.records = false;
                slot.backoff = MAX_SLOT_BACKOFF;
            }
        }
    }

    /// Stores in the slot what its class is derived from. `shown` are the objects that the lines show.
    #[inline(always)]
    fn store(&self, shown: u8, slot: &mut Slot) {
        slot.shown = shown;
        slot.written = self.written;
        slot.moves_late = self.moves_late;
        slot.hmove = self.hmove;
        slot.count = self.count;
        slot.classified = false;
    }
}
