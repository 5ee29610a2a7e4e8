//! The fast path of writes: those that need no more than a register to be set, which are most of them.
//!
//! While a frame runs speculatively, a write that does not change its register has no effect, one before the visible part
//! of a line splits no shape, and one that can set no new latch does not matter while no pixels are stored. Such writes
//! are done here, at once; all others take the slow path, [`Tia::write_to`], which can do these as well.
//!
//! A write with a long delay is overtaken by the next one only if that comes within three cycles, which no two
//! instructions of the decoded program do; so delays need no bookkeeping here.

use super::motion::Motions;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::registers::*;
use super::{BLANK, COLLISIONS, LINE, M0, MISSILE, PLAYER, Tia, clock, object};

impl Tia {
    /// Whether a change at this clock comes before the visible part of the current line.
    #[inline(always)]
    fn is_before_line(&self, target: i32) -> bool {
        self.is_before_pixel(0, target)
    }

    /// Whether a change at this clock comes before a pixel of the current line.
    #[inline(always)]
    fn is_before_pixel(&self, first: i32, target: i32) -> bool {
        target.max(self.drawn).wrapping_sub(self.scanline.start) <= BLANK as i32 + first
    }

    /// Whether it does not matter when some objects appear, vanish or change: no pixels are stored, and each of their
    /// collisions is latched already or out of reach.
    #[inline(always)]
    fn is_invisible(&self, objects: u8) -> bool {
        let present = self.shapes.enabled | self.shapes.dirty | self.shapes.split | objects;
        !self.drawing && COLLISIONS[usize::from(present & 63)] & !self.collisions & self.shapes.in_reach == 0
    }

    /// A write on the fast path; `false` if it needs the slow one, and then nothing has changed.
    #[inline(always)]
    pub(crate) fn try_write_fast<const REGISTER: u8>(&mut self, value: u8, cycles: impl Fn() -> u32) -> bool {
        let on = value & 2 != 0;
        match REGISTER {
            WSYNC | 0x03 | 0x2D.. => true,
            COLUP0..=COLUBK => {
                let index = usize::from(REGISTER - COLUP0);
                let color = self.color_of(value);
                if color == self.colors[index] {
                    return true;
                }
                if self.drawing && self.color_in_use(index) && !self.is_before_line(clock(cycles())) {
                    return false;
                }
                self.colors[index] = color;
                self.paint.dirty = true;
                true
            }
            PF0 => self.try_write_playfield_fast(0x0000F, u32::from(value >> 4), 0, cycles),
            PF1 => self.try_write_playfield_fast(0x00FF0, u32::from(value) << 4, 16, cycles),
            PF2 => self.try_write_playfield_fast(0xFF000, u32::from(value) << 12, 48, cycles),
            GRP0 | GRP1 => self.try_write_grp_fast(usize::from(REGISTER - GRP0), value, cycles),
            ENAM0 | ENAM1 => {
                let n = usize::from(REGISTER - ENAM0);
                if on != self.enam[n] {
                    if !self.is_before_line(clock(cycles())) && !self.is_invisible(MISSILE[n]) {
                        return false;
                    }
                    self.enam[n] = on;
                    self.shapes.mark_dirty(MISSILE[n]);
                }
                true
            }
            ENABL => {
                if on != self.enabl && !self.vdelbl {
                    if !self.is_before_line(clock(cycles())) && !self.is_invisible(object::BL) {
                        return false;
                    }
                    self.shapes.mark_dirty(object::BL);
                }
                self.enabl = on;
                true
            }
            HMM0 if value >> 4 == 6 && self.motion.get(M0) == 7 => false,
            HMP0..=HMBL => {
                self.motion.set(usize::from(REGISTER - HMP0), value >> 4);
                true
            }
            HMCLR => {
                self.motion = Motions::NONE;
                true
            }
            REFP0 | REFP1 => (value & 8 != 0) == self.refp[usize::from(REGISTER - REFP0)],
            NUSIZ0 | NUSIZ1 => {
                let n = usize::from(REGISTER - NUSIZ0);
                let changes =
                    (value ^ self.nusiz[n]) & 0x37 != 0 && self.shapes.may_show(PLAYER[n] | MISSILE[n]);
                if changes || self.suppressed[n] || n == 0 && self.ark.is_active() {
                    return false;
                }
                self.nusiz[n] = value;
                self.shapes.forget_reach();
                true
            }
            CTRLPF => value == self.ctrlpf && self.reflected == (value & 1 != 0),
            VDELP0 | VDELP1 => {
                let n = usize::from(REGISTER - VDELP0);
                let same = self.grp[n] == self.grp_delayed[n];
                if same {
                    self.vdelp[n] = value & 1 != 0;
                }
                same || self.vdelp[n] == (value & 1 != 0)
            }
            AUDC0..=AUDV1 => {
                self.audio.write(REGISTER - AUDC0, value);
                true
            }
            HMOVE => self.try_strobe_hmove_fast(clock(cycles())),
            _ => false,
        }
    }

    /// `first` is the first pixel of this part.
    #[inline(always)]
    fn try_write_playfield_fast(
        &mut self,
        part: u32,
        bits: u32,
        first: i32,
        cycles: impl Fn() -> u32,
    ) -> bool {
        if self.playfield & part == bits {
            return true;
        }
        if !self.is_before_pixel(first, clock(cycles()).wrapping_add(const { delay(PF0) }))
            && !self.is_invisible(object::PF)
        {
            return false;
        }
        self.playfield = self.playfield & !part | bits;
        self.shapes.mark_dirty(object::PF);
        true
    }

    #[inline(always)]
    fn try_write_grp_fast(&mut self, n: usize, value: u8, cycles: impl Fn() -> u32) -> bool {
        let other = 1 - n;
        let own = !self.vdelp[n] && value != self.grp[n];
        let others = self.vdelp[other] && self.grp[other] != self.grp_delayed[other];
        let ball = n == 1 && self.vdelbl && self.enabl != self.enabl_delayed;
        if own || others || ball {
            let part = |is: bool, object: u8| if is { object } else { 0 };
            let parts = part(own, PLAYER[n]) | part(others, PLAYER[other]) | part(ball, object::BL);
            if !self.is_before_line(clock(cycles()).wrapping_add(const { delay(GRP0) }))
                && !self.is_invisible(parts)
            {
                return false;
            }
            self.shapes.mark_dirty(parts);
        }
        self.grp[n] = value;
        self.grp_delayed[other] = self.grp[other];
        if n == 1 {
            self.enabl_delayed = self.enabl;
        }
        true
    }

    /// An HMOVE that moves nothing.
    #[inline(always)]
    pub(super) fn try_strobe_hmove_fast(&mut self, now: i32) -> bool {
        /// Up to this clock it blanks the line, and motion 0 means none.
        const EARLY: i32 = 38;
        let plain = self.motion == Motions::NONE && self.suppressed == [false; 2];
        if !plain || self.ark.is_active() {
            return false;
        }
        let clock = now.wrapping_sub(self.scanline.start);
        if (0..=EARLY).contains(&clock) && self.is_before_line(now) {
            self.hmove_blank |= self.hmove_blanks;
        } else if !self.drawing && clock > LINE && clock as u32 % LINE as u32 <= EARLY as u32 {
            // Whether the blank is still to come shows when lines are finished.
            self.scanline.hmove = now;
        } else {
            return false;
        }
        self.hmove_time = now;
        true
    }
}
