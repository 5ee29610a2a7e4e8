//! Lines that were put together before.
//!
//! What a line shows, what collides on it and how the next one begins depend on nothing but the registers at its begin
//! and the writes to it. Most lines of a frame are like those of the frame before. So they are remembered, line by
//! line of the picture: while the writes of a program are those that are remembered, they are only compared, and
//! the pixels are copied, or stay if they are there already. The chip *follows* what is remembered. With the first
//! difference the registers are set to what they were when the line began, and the writes so far are done.
//!
//! A line with writes and the lines without any behind it are remembered together: a *slot*. Registers that do not
//! matter to it, such as those of hidden objects, may be different. Nothing is remembered that could become wrong: a
//! slot tells what follows from what, whoever uses it.
//!
//! | file | what |
//! |---|---|
//! | `slots` | what is remembered of lines |
//! | `bits`, `effects` | registers as bytes, and which of them matter to a line |
//! | `follow` | following, and the end of it |

mod bits;
mod effects;
mod follow;
mod slots;

use ale_jit::TiaWrite;

use self::bits::Registers;
use self::effects::{APPEARING, DELAYS, one_of};
pub(crate) use self::slots::Recall;
use self::slots::{LONGEST_REST, Slot, key};
use super::super::picture::Picture;
use super::lines::FAR;
use super::noted::write_in_turn;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::registers::*;
use super::{COLLISIONS, LINE, Tia, clock, object};

/// All latches.
const LATCHES: u16 = 0x7FFF;
/// Longer ago than this, no strobe cares for the last HMOVE.
const LONG_AGO: i32 = 64;
/// Up to this clock of the line, HMOVE moves by what is set alone.
const EARLY: i32 = 38;
/// Lines with these writes are not remembered.
const FORGETTABLE: u64 = one_of(&[VSYNC, VBLANK, CXCLR]);
/// Where the chip is in what is remembered.
#[derive(Debug, Clone, Default)]
pub(super) struct Follower {
    /// Lines are remembered in this frame.
    pub(super) active: bool,
    /// The chip follows: its registers are those below.
    follows: bool,
    /// They are all the same as those that are remembered.
    exact: bool,
    /// The line is being remembered.
    records: bool,
    /// Where the line begins whose writes are compared or remembered.
    begin: Option<i32>,
    /// The registers when it began, and the cycle; and where a line begins whose registers they are.
    registers: Registers,
    cycles: u32,
    known: Option<i32>,
    /// The registers when the chip began to follow: those that it has.
    old: Registers,
    /// Writes that were compared or remembered.
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
    /// Lines are remembered from here on until the frame ends.
    pub(crate) fn begin_recall(&mut self, picture: &mut Picture) {
        let plain = self.frame_start % 3 == 0 && self.height as usize <= picture.rows();
        if !self.by_lines || self.literal || !plain || !self.drawing {
            return;
        }
        if !picture.prepare_recall(self.height, self.shades) {
            return;
        }
        let loss = self.color_loss && self.last_lines & 1 != 0;
        let chip = u8::from(self.hmove_blanks) | u8::from(self.color_loss) << 1 | u8::from(loss) << 2;
        self.follower = Follower { active: true, chip, ..Follower::default() };
    }

    /// The end of a frame, at a clock unless the frame is given up.
    pub(super) fn end_recall(&mut self, end: Option<i32>, picture: &mut Picture) {
        if let Some(now) = end.filter(|_| self.follower.active) {
            self.before_write(now, picture);
            if let Some(recall) = &mut picture.recall {
                recall.end();
            }
        }
        self.follower = Follower::default();
        picture.painter = 0;
    }

    /// Does all writes that native code has noted, while lines are drawn as wholes.
    #[inline]
    pub(crate) fn write_all(&mut self, notes: &[TiaWrite], picture: &mut Picture) {
        if notes.is_empty() {
            return;
        }
        if !self.follower.active {
            write_in_turn(self, picture, notes);
        } else if let Some(mut recall) = picture.recall.take() {
            self.write_lines(notes, &mut recall, picture);
            picture.recall = Some(recall);
        }
    }

    #[inline(always)]
    fn clock_of_line(&self, note: TiaWrite) -> i32 {
        clock(note.now()).wrapping_sub(self.lines.start)
    }

    fn write_lines(&mut self, mut notes: &[TiaWrite], recall: &mut Recall, picture: &mut Picture) {
        loop {
            if self.follower.follows {
                notes = self.follow_on(notes, recall, picture);
            }
            let Some(first) = notes.first() else { return };
            let at = self.clock_of_line(*first);
            if at > LINE {
                self.pass_to(clock(first.now()), recall, picture);
            } else if at <= 0 {
                // Before the picture or after it.
                let count = notes.iter().take_while(|note| self.clock_of_line(**note) <= 0).count();
                let (now, then) = notes.split_at(count);
                write_in_turn(self, picture, now);
                notes = then;
            } else if self.follower.begin != Some(self.lines.start) {
                self.begin_lines(recall, picture);
            } else if !self.follower.follows {
                notes = self.write_and_record(notes, recall, picture);
            } else if is_sound(first.register()) {
                self.audio.write(first.register() - AUDC0, first.value());
                notes = &notes[1..];
            } else {
                self.wake(recall, picture);
            }
        }
    }

    /// Does the writes to this line and remembers them; gives those that are left.
    #[inline(always)]
    fn write_and_record<'a>(
        &mut self,
        notes: &'a [TiaWrite],
        recall: &mut Recall,
        picture: &mut Picture,
    ) -> &'a [TiaWrite] {
        let start = self.lines.start;
        let on_line = |note: &TiaWrite| clock(note.now()).wrapping_sub(start) <= LINE;
        let count = notes.iter().take_while(|note| on_line(note)).count();
        let (now, then) = notes.split_at(count);
        if self.follower.records {
            let slot = &mut recall.slots[self.row as usize];
            for note in now {
                if !is_sound(note.register()) {
                    self.follower.record(*note, clock(note.now()).wrapping_sub(start), slot);
                }
            }
            if !self.follower.records {
                picture.painter = 0;
            }
        }
        write_in_turn(self, picture, now);
        then
    }

    /// Before the first write or read on a line: follows what is remembered or remembers it.
    fn begin_lines(&mut self, recall: &mut Recall, picture: &mut Picture) {
        self.follower.begin = Some(self.lines.start);
        self.follower.records = false;
        picture.painter = 0;
        recall.missed += 1;
        let Some(slot) = recall.slots.get_mut(self.row as usize) else { return };
        if slot.rest > 0 {
            slot.rest -= 1;
            return;
        }
        if self.drawn > self.lines.start || self.ark.is_active() || self.row >= self.height as u32 {
            return;
        }
        let known = self.follower.known == Some(self.lines.start);
        let registers = if known { self.follower.registers } else { self.registers() };
        self.follower.registers = registers;
        self.follower.cycles = (self.lines.start / 3) as u32;
        if self.can_follow(registers, recall, picture) {
            self.follower.old = registers;
            recall.missed -= 1;
            self.follower.follows = true;
            self.follower.count = 0;
        } else {
            self.record_if_worth_while(recall, picture);
        }
    }

    /// What is remembered of this line does not hold.
    fn record_if_worth_while(&mut self, recall: &mut Recall, picture: &mut Picture) {
        let Some(slot) = recall.slots.get_mut(self.row as usize) else { return };
        if slot.is_worth_while() {
            self.record(recall, picture);
        } else {
            self.follower.begin = Some(self.lines.start);
            self.follower.records = false;
            picture.painter = 0;
        }
    }

    /// Remembers the lines that begin here.
    fn record(&mut self, recall: &mut Recall, picture: &mut Picture) {
        let id = recall.new_id();
        let slot = &mut recall.slots[self.row as usize];
        slot.begin = self.follower.registers;
        slot.id = id;
        slot.lines = 0;
        let follower = &mut self.follower;
        follower.records = true;
        follower.begin = Some(self.lines.start);
        follower.count = 0;
        follower.before = self.collisions;
        follower.present = self.shapes.enabled | self.shapes.spoiled | self.shapes.split;
        follower.changed = 0;
        follower.hmove = 0;
        follower.moves_late = false;
        follower.written = 0;
        picture.painter = id;
    }

    #[inline(never)]
    fn finish_and_record(&mut self, now: i32, recall: &mut Recall, picture: &mut Picture) {
        let row = self.row as usize;
        let records = self.follower.begin == Some(self.lines.start) && !self.ark.is_active();
        if records {
            let shown = self.objects_that_matter();
            self.follower.sum_up(shown, &mut recall.slots[row]);
        }
        self.finish_lines(now, picture);
        self.follower.begin = None;
        self.follower.records = false;
        picture.painter = 0;
        if !records {
            return;
        }
        let complete = self.lines.start == FAR;
        let end = if complete { self.height as usize } else { self.row as usize };
        let before = self.follower.before;
        let present = self.follower.present | object::PF;
        let registers = self.registers();
        self.follower.registers = registers;
        self.follower.known = Some(self.lines.start);
        let slot = &mut recall.slots[row];
        slot.lines = (end - row) as u16;
        slot.set = self.collisions & !before;
        slot.known = !before | !COLLISIONS[usize::from(present & 63)];
        slot.end = registers;
    }

    /// The objects whose places and colours matter to the line, since it shows them.
    fn objects_that_matter(&mut self) -> u8 {
        let shapes = &self.shapes;
        self.follower.present |= shapes.enabled | shapes.spoiled | shapes.split;
        let of = |is: bool, object: u8| if is { object } else { 0 };
        shapes.split
            | self.follower.changed
            | shapes.enabled & !shapes.spoiled
            | of(self.player_pixels(0) != 0, object::P0)
            | of(self.player_pixels(1) != 0, object::P1)
            | of(self.missile_enabled(0), object::M0)
            | of(self.missile_enabled(1), object::M1)
            | of(self.ball_enabled(), object::BL)
    }

    /// Before a read of collisions at the clock `now`. Whether the latches are as they are to be read already.
    #[inline(never)]
    pub(super) fn before_read(&mut self, latches: u16, now: i32, picture: &mut Picture) -> bool {
        let Some(mut recall) = picture.recall.take() else { return false };
        if now.wrapping_sub(self.lines.start) > LINE {
            self.pass_to(now, &mut recall, picture);
        }
        if now.wrapping_sub(self.lines.start) > 0 && self.follower.begin != Some(self.lines.start) {
            self.begin_lines(&mut recall, picture);
        }
        let mut known = false;
        if self.follower.follows {
            known = latches & !self.collisions & recall.slots[self.row as usize].set == 0;
            if !known {
                self.wake(&mut recall, picture);
            }
        }
        picture.recall = Some(recall);
        known
    }

    /// Before something else than native code writes.
    #[inline(always)]
    pub(crate) fn rouse(&mut self, cycles: impl Fn() -> u32, picture: &mut Picture) {
        if self.follower.active {
            self.before_write(clock(cycles()), picture);
        }
    }

    /// [`Self::rouse`] at the clock `now`.
    #[inline(never)]
    fn before_write(&mut self, now: i32, picture: &mut Picture) {
        let Some(mut recall) = picture.recall.take() else { return };
        if now.wrapping_sub(self.lines.start) > LINE {
            self.pass_to(now, &mut recall, picture);
        }
        if self.follower.follows {
            self.wake(&mut recall, picture);
        }
        self.follower.records = false;
        self.follower.known = None;
        let has_begun = now.wrapping_sub(self.lines.start) > 0;
        self.follower.begin = has_begun.then_some(self.lines.start);
        picture.painter = 0;
        picture.recall = Some(recall);
    }
}

impl Follower {
    /// Remembers a write.
    #[inline(always)]
    fn record(&mut self, note: TiaWrite, at: i32, slot: &mut Slot) {
        let register = note.register();
        let index = usize::from(register & 63);
        self.written |= 1 << index;
        self.present |= APPEARING[index];
        if register == HMOVE {
            self.hmove = at as u8;
            self.moves_late |= at > EARLY;
        }
        let late = at + i32::from(DELAYS[index]) >= LINE;
        match slot.notes.get_mut(usize::from(self.count)) {
            Some(remembered) if !late && self.written & FORGETTABLE == 0 => {
                *remembered = key(note, self.cycles);
                self.count += 1;
            }
            _ => {
                self.records = false;
                slot.rest = LONGEST_REST;
            }
        }
    }

    /// What the lines are to be known by later. `shown` are the objects that they show.
    #[inline(always)]
    fn sum_up(&self, shown: u8, slot: &mut Slot) {
        slot.shown = shown;
        slot.written = self.written;
        slot.moves_late = self.moves_late;
        slot.hmove = self.hmove;
        slot.count = self.count;
        slot.classified = false;
    }
}
