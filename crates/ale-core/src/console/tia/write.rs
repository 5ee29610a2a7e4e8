//! The slow path of writes: catches up with the beam, then sets the register.

use super::motion::Motions;
use super::picture::Picture;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::registers::*;
use super::span::SCORE;
use super::{COLOR_BK, LINE, MISSILE, NEVER, PLAYER, Tia, clock, object, what};

impl Tia {
    /// Whether a frame is too long at this cycle: the next write ends it.
    #[inline(always)]
    pub(crate) fn is_overlong(&self, cycles: u32) -> bool {
        clock(cycles).wrapping_sub(self.frame_start) as u32 >= self.overlong
    }

    /// A write to one of the 64 addresses. Waiting for WSYNC is the board's part.
    #[inline(never)]
    pub(crate) fn write(&mut self, register: u8, value: u8, cycles: u32, picture: &mut Picture) {
        self.written = true;
        self.detach_cursor(|| cycles, picture);
        if self.is_overlong(cycles) {
            self.stop = true;
            self.partial = false;
        }
        macro_rules! each {
            ($($number:literal)*) => {
                match register {
                    $($number => self.write_to::<$number>(value, cycles, picture),)*
                    _ => self.touch(clock(cycles), picture),
                }
            };
        }
        each!(0 1 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
            39 40 41 42 43 44);
    }

    /// A write to one register, in a frame that is not overlong.
    #[inline(always)]
    pub(crate) fn write_to<const REGISTER: u8>(&mut self, value: u8, cycles: u32, picture: &mut Picture) {
        let now = clock(cycles);
        let on = value & 2 != 0;
        match REGISTER {
            VSYNC => self.write_vsync(on, now, picture),
            VBLANK => self.write_vblank(value, cycles, picture),
            NUSIZ0 | NUSIZ1 => self.write_nusiz(usize::from(REGISTER - NUSIZ0), value, now, picture),
            COLUP0..=COLUBK => self.write_color(usize::from(REGISTER - COLUP0), value, now, picture),
            CTRLPF => self.write_ctrlpf(value, now, picture),
            REFP0 | REFP1 => self.write_refp(usize::from(REGISTER - REFP0), value & 8 != 0, now, picture),
            PF0 => self.write_playfield(0x0000F, u32::from(value >> 4), cycles, picture),
            PF1 => self.write_playfield(0x00FF0, u32::from(value) << 4, cycles, picture),
            PF2 => self.write_playfield(0xFF000, u32::from(value) << 12, cycles, picture),
            RESP0 | RESP1 => self.strobe_player(usize::from(REGISTER - RESP0), now, picture),
            RESM0 | RESM1 => self.strobe_missile(usize::from(REGISTER - RESM0), now, picture),
            RESBL => self.strobe_ball(now, picture),
            AUDC0..=AUDV1 => {
                self.audio.write(REGISTER - AUDC0, value);
                self.touch(now, picture);
            }
            GRP0 | GRP1 => self.write_grp(usize::from(REGISTER - GRP0), value, now, picture),
            ENAM0 | ENAM1 => self.write_enam(usize::from(REGISTER - ENAM0), on, now, picture),
            ENABL => self.write_enabl(on, now, picture),
            HMP0..=HMBL => self.write_motion(REGISTER, value >> 4, now, picture),
            VDELP0 | VDELP1 => {
                self.write_vdelp(usize::from(REGISTER - VDELP0), value & 1 != 0, now, picture);
            }
            VDELBL => self.write_vdelbl(value & 1 != 0, now, picture),
            RESMP0 | RESMP1 => self.write_resmp(usize::from(REGISTER - RESMP0), on, now, picture),
            HMOVE => self.strobe_hmove(now, picture),
            HMCLR => {
                self.motion = Motions::NONE;
                self.touch(now, picture);
            }
            CXCLR => self.strobe_cxclr(now, picture),
            _ => self.touch(now, picture),
        }
    }

    /// The colour that a byte stands for.
    #[inline(always)]
    pub(super) fn color_of(&self, value: u8) -> u8 {
        let loss = if self.color_loss { (self.last_lines & 1) as u8 } else { 0 };
        value & 0xFE | loss
    }

    #[inline(always)]
    pub(super) fn write_color(&mut self, index: usize, value: u8, now: i32, picture: &mut Picture) {
        let color = self.color_of(value);
        let index = index & 3;
        if color == self.colors[index] {
            self.touch(now, picture);
            return;
        }
        let seen = self.drawing && self.color_in_use(index);
        let row_ids = if index < 2 { PLAYER[index] | MISSILE[index] } else { 0 };
        if seen && self.speculative && row_ids != 0 && self.shapes.split & row_ids == 0 && !self.has_score() {
            self.catch_up_in_place(what::PAINT, row_ids, now, picture);
        } else {
            self.sync_if(seen, what::PAINT, now, picture);
        }
        self.colors[index] = color;
        self.paint.dirty = true;
    }

    /// The last colours that JIT code has set without logging them: in frames without pixels.
    #[inline(always)]
    pub(crate) fn take_colors(&mut self, colors: [Option<u8>; 4]) {
        for (index, set) in colors.into_iter().enumerate() {
            if let Some(set) = set {
                self.colors[index] = self.color_of(set);
            }
        }
        self.paint.dirty = true;
    }

    #[inline(always)]
    pub(super) fn write_refp(&mut self, n: usize, reflect: bool, now: i32, picture: &mut Picture) {
        let changes = reflect != self.refp[n] && self.shapes.may_show(PLAYER[n]);
        self.sync_later_if(changes, PLAYER[n], now.wrapping_add(const { delay(REFP0) }), picture);
        self.refp[n] = reflect;
        self.shapes.mark_dirty_if(changes, PLAYER[n]);
    }

    #[inline(always)]
    pub(super) fn write_enam(&mut self, n: usize, on: bool, now: i32, picture: &mut Picture) {
        let changes = on != self.enam[n];
        self.sync_if(changes, MISSILE[n], now, picture);
        self.enam[n] = on;
        self.shapes.mark_dirty_if(changes, MISSILE[n]);
    }

    #[inline(always)]
    pub(super) fn write_enabl(&mut self, on: bool, now: i32, picture: &mut Picture) {
        let changes = !self.vdelbl && on != self.enabl;
        self.sync_if(changes, object::BL, now, picture);
        self.enabl = on;
        self.shapes.mark_dirty_if(changes, object::BL);
    }

    #[inline(always)]
    pub(super) fn write_vdelp(&mut self, n: usize, delay: bool, now: i32, picture: &mut Picture) {
        let changes = delay != self.vdelp[n] && self.grp[n] != self.grp_delayed[n];
        self.sync_if(changes, PLAYER[n], now, picture);
        self.vdelp[n] = delay;
        self.shapes.mark_dirty_if(changes, PLAYER[n]);
    }

    #[inline(always)]
    pub(super) fn write_vdelbl(&mut self, delay: bool, now: i32, picture: &mut Picture) {
        let changes = delay != self.vdelbl && self.enabl != self.enabl_delayed;
        self.sync_if(changes, object::BL, now, picture);
        self.vdelbl = delay;
        self.shapes.mark_dirty_if(changes, object::BL);
    }

    #[inline(always)]
    pub(super) fn strobe_cxclr(&mut self, now: i32, picture: &mut Picture) {
        self.sync(what::COLLISIONS, now, picture);
        self.scanline.same_as_above = false;
        self.scanline.forgot = true;
        self.collisions = 0;
    }

    #[inline(never)]
    pub(super) fn write_vsync(&mut self, on: bool, now: i32, picture: &mut Picture) {
        self.touch(now, picture);
        if on {
            self.vsync_end = now.wrapping_add(LINE);
        } else if now >= self.vsync_end {
            self.vsync_end = NEVER;
            self.stop = true;
            self.partial = false;
            self.pending = self.pending.max(now);
        }
    }

    #[inline(never)]
    pub(super) fn write_vblank(&mut self, value: u8, cycles: u32, picture: &mut Picture) {
        let changes = (value ^ self.vblank) & 2 != 0;
        let target = clock(cycles).wrapping_add(const { delay(VBLANK) });
        self.sync_later_if(changes, what::PAINT | what::COLLISIONS, target, picture);
        self.scanline.same_as_above &= !changes;
        match (self.vblank & 0x80 != 0, value & 0x80 != 0) {
            (false, true) => self.dump = true,
            (true, false) => {
                self.dump = false;
                self.dump_cycle = cycles as i32;
            }
            _ => {}
        }
        self.vblank = value;
    }

    #[inline(always)]
    pub(super) fn write_nusiz(&mut self, n: usize, value: u8, now: i32, picture: &mut Picture) {
        let changes = (value ^ self.nusiz[n]) & 0x37 != 0
            || self.suppressed[n]
            || n == 0 && (self.ark.on || self.ark.changes_the_missile());
        let target = now.wrapping_add(const { delay(NUSIZ0) });
        self.sync_later_if(changes, PLAYER[n] | MISSILE[n], target, picture);
        self.nusiz[n] = value;
        self.suppressed[n] = false;
        if n == 0 {
            self.ark.restore_missile_shape();
        }
        if changes {
            self.shapes.move_some(PLAYER[n] | MISSILE[n]);
        }
    }

    #[inline(never)]
    pub(super) fn write_ctrlpf(&mut self, value: u8, now: i32, picture: &mut Picture) {
        if self.speculative {
            // Lines that end before latch the reflection.
            self.finish_lines_before(now, picture);
        }
        let reflect = value & 1 != 0;
        let latches = self.horizontal(now) < 147;
        let changes = (value ^ self.ctrlpf) & 0x37 != 0 || latches && reflect != self.reflected;
        let differs = |bits: u8| (value ^ self.ctrlpf) & bits != 0;
        let mut parts = if differs(0x30) { object::BL } else { 0 };
        if differs(0x06) {
            parts |= what::PAINT;
        }
        if latches && reflect != self.reflected {
            parts |= object::PF;
        }
        self.sync_if(changes, parts, now, picture);
        self.ctrlpf = value;
        if latches && reflect != self.reflected {
            self.reflected = reflect;
            self.shapes.mark_dirty(object::PF);
        }
        self.shapes.move_some(parts & object::BL);
        self.paint.dirty |= parts & what::PAINT != 0;
    }

    /// Whether the playfield has the colours of the players.
    #[inline(always)]
    pub(super) fn has_score(&self) -> bool {
        self.ctrlpf & SCORE != 0
    }

    /// Whether a pixel may have this colour.
    #[inline(always)]
    pub(super) fn color_in_use(&self, index: usize) -> bool {
        const USERS: [u8; 4] = [
            object::P0 | object::M0 | object::PF,
            object::P1 | object::M1 | object::PF,
            object::PF | object::BL,
            0,
        ];
        index == COLOR_BK || self.shapes.may_show(USERS[index])
    }

    #[inline(always)]
    pub(super) fn write_playfield(&mut self, part: u32, bits: u32, cycles: u32, picture: &mut Picture) {
        /// Clocks until the next column begins, by the cycle of the line modulo 4.
        const DELAY: [i32; 4] = [4, 5, 2, 3];
        let now = clock(cycles);
        let cycle = (now.wrapping_sub(self.frame_start) as u32) / 3;
        let changes = self.playfield & part != bits;
        let target = now.wrapping_add(DELAY[(cycle % 4) as usize]);
        if changes && self.speculative {
            self.split_playfield(target, picture);
        } else {
            self.sync_later_if(changes, object::PF, target, picture);
        }
        if changes {
            self.playfield = self.playfield & !part | bits;
            self.shapes.mark_dirty(object::PF);
        }
    }

    /// GRP0 and GRP1: each write also moves the other player's register into its delayed copy.
    #[inline(always)]
    pub(super) fn write_grp(&mut self, n: usize, value: u8, now: i32, picture: &mut Picture) {
        let other = 1 - n;
        let own = !self.vdelp[n] && value != self.grp[n];
        let others = self.vdelp[other] && self.grp[other] != self.grp_delayed[other];
        let ball = n == 1 && self.vdelbl && self.enabl != self.enabl_delayed;
        let part = |is: bool, object: u8| if is { object } else { 0 };
        let parts = part(own, PLAYER[n]) | part(others, PLAYER[other]) | part(ball, object::BL);
        let target = now.wrapping_add(const { delay(GRP0) });
        if self.speculative && parts != 0 && !self.colors_by_objects() {
            self.catch_up_in_place(parts, parts, target, picture);
        } else {
            self.sync_later_if(parts != 0, parts, target, picture);
        }
        self.grp[n] = value;
        self.grp_delayed[other] = self.grp[other];
        if n == 1 {
            self.enabl_delayed = self.enabl;
        }
        self.shapes.mark_dirty(parts);
    }
}
