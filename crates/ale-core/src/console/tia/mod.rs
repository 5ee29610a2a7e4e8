//! The TIA: picture, collisions, sound, and the end of a frame.
//!
//! Nothing is drawn while the CPU runs. Each access first brings the picture up to the clock at
//! which it takes effect, with the registers as they were, and only then takes effect. Accesses
//! that do not change the picture only store that clock.
//!
//! | file | what |
//! |---|---|
//! | `registers` | addresses |
//! | `beam` | lines, spans of lines, end-of-line actions |
//! | `shape` | pixels of the objects as 160-bit sets |
//! | `fast_write` | the fast path: writes that only set a register |
//! | `write_log` | applies the writes that JIT code has logged |
//! | `scanline_cache` | scanlines that were composed in an earlier frame |
//! | `scanline` | the renderer that ships: a scanline at a time, speculative |
//! | `span` | the exact renderer, for frames that end within the picture: spans of lines |
//! | `literal` | the reference renderer, for tests: pixel by pixel |
//! | `motion` | strobes and HMOVE |
//! | `audio` | sound |
//! | `state` | the fields of a saved state |

pub(crate) mod audio;
mod beam;
mod fast_write;
mod literal;
mod motion;
pub(crate) mod registers;
mod scanline;
mod scanline_cache;
mod shape;
mod span;
mod state;
#[cfg(test)]
mod tests;
mod write_log;

use self::audio::Audio;
use self::motion::{Ark, Motions};
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use self::registers::*;
use self::scanline::Scanline;
use self::scanline_cache::CacheCursor;
pub(crate) use self::scanline_cache::ScanlineCache;
use self::shape::Shapes;
use self::span::{Paint, SCORE};
use super::input::{Charge, Levels};
use super::picture::Picture;
use super::properties::Properties;

/// Clocks of a line; the first 68 are blank.
pub(crate) const LINE: i32 = 228;
/// First visible clock of a line.
pub(crate) const BLANK: u32 = 68;
const NEVER: i32 = 0x7FFF_FFFF;

/// The objects as bits of a set, in the order of the shapes.
pub(crate) mod object {
    pub(crate) const P0: u8 = 1;
    pub(crate) const M0: u8 = 2;
    pub(crate) const P1: u8 = 4;
    pub(crate) const M1: u8 = 8;
    pub(crate) const BL: u8 = 16;
    pub(crate) const PF: u8 = 32;
}

/// What else an access may change, beside objects.
mod what {
    /// Colours or their order.
    pub(super) const PAINT: u8 = 64;
    /// Nothing; but the collisions so far have to be latched.
    pub(super) const COLLISIONS: u8 = 128;
}

/// The fifteen pairs of objects in the order of the latch bits.
pub(crate) const PAIRS: [u8; 15] = {
    use object::{BL, M0, M1, P0, P1, PF};
    [
        M0 | P1,
        M0 | P0,
        M1 | P0,
        M1 | P1,
        P0 | PF,
        P0 | BL,
        P1 | PF,
        P1 | BL,
        M0 | PF,
        M0 | BL,
        M1 | PF,
        M1 | BL,
        BL | PF,
        P0 | P1,
        M0 | M1,
    ]
};

/// The latches that a set of objects at one pixel sets.
pub(crate) const COLLISIONS: [u16; 64] = {
    let mut table = [0; 64];
    let mut set = 0;
    while set < 64 {
        let mut pair = 0;
        while pair < 15 {
            if set as u8 & PAIRS[pair] == PAIRS[pair] {
                table[set] |= 1 << pair;
            }
            pair += 1;
        }
        set += 1;
    }
    table
};

/// The latch bits that a read of registers 0 to 7 shows in D7 and D6.
const COLLISION_READ: [[u16; 2]; 8] = {
    const fn bits(d7: u32, d6: u32) -> [u16; 2] {
        [1 << d7, if d6 == 15 { 0 } else { 1 << d6 }]
    }
    [bits(0, 1), bits(2, 3), bits(4, 5), bits(6, 7), bits(8, 9), bits(10, 11), bits(12, 15), bits(13, 14)]
};

/// The order of positions and motion nibbles: that of HMP0 … HMBL.
const P0: usize = 0;
const P1: usize = 1;
const M0: usize = 2;
const M1: usize = 3;
const BL: usize = 4;

/// The order of colours: that of COLUP0 … COLUBK.
const COLOR_P0: usize = 0;
const COLOR_P1: usize = 1;
const COLOR_PF: usize = 2;
const COLOR_BK: usize = 3;

/// The chip. Plain state; `shapes` is derived and rebuilt when needed.
#[repr(C)]
#[derive(Debug, Clone)]
pub(crate) struct Tia {
    // In this order: see `scanline_cache`. What is used most comes first.
    pub(crate) vblank: u8,
    pub(crate) nusiz: [u8; 2],
    pub(crate) ctrlpf: u8,
    pub(crate) colors: [u8; 4],
    pub(crate) playfield: u32,
    pub(crate) grp: [u8; 2],
    pub(crate) grp_delayed: [u8; 2],
    pub(crate) refp: [bool; 2],
    pub(crate) enam: [bool; 2],
    pub(crate) enabl: bool,
    pub(crate) enabl_delayed: bool,
    pub(crate) vdelp: [bool; 2],
    pub(crate) vdelbl: bool,
    pub(crate) resmp: [bool; 2],
    /// The first copy of the player is not drawn.
    pub(crate) suppressed: [bool; 2],
    /// Right half of the playfield mirrored, as latched.
    pub(crate) reflected: bool,
    pub(crate) hmove_blank: bool,
    pub(crate) positions: [u8; 5],
    pub(crate) motion: Motions,

    pub(crate) collisions: u16,
    /// Clock up to which the picture is drawn, and where on its line that is.
    pub(crate) drawn: i32,
    pub(crate) row: u32,
    /// Clock at which line 0 of the frame began.
    pub(crate) frame_start: i32,
    pub(crate) hmove_time: i32,
    /// First clock of the display window and the first after it.
    pub(crate) window: [i32; 2],
    /// Pixels are stored.
    pub(crate) drawing: bool,
    /// The frame runs speculatively: see `scanline`.
    pub(crate) speculative: bool,
    pub(crate) color_loss: bool,
    pub(crate) hmove_blanks: bool,
    pub(crate) ark: Ark,
    paint: Paint,
    shapes: Shapes,
    scanline: Scanline,
    cursor: CacheCursor,

    // What the cartridge's properties and the television decide.
    pub(crate) ystart: i32,
    pub(crate) height: i32,
    /// A frame ends when a register is written so many clocks after its begin.
    pub(crate) overlong: u32,

    pub(crate) column: u32,
    /// Latest clock up to which drawing is deferred.
    pending: i32,
    pub(crate) vsync_end: i32,
    pub(crate) last_lines: u32,
    /// The frame call ended before the frame did.
    pub(crate) partial: bool,
    pub(crate) greyed: bool,
    /// The CPU is to stop after its instruction.
    pub(crate) stop: bool,
    /// The paddle capacitors are grounded.
    pub(crate) dump: bool,
    pub(crate) dump_cycle: i32,
    pub(crate) audio: Audio,

    /// Pixels of the current line that HMOVE has blacked out ahead of drawing; 0 once a frame call ends.
    blanked: u32,
    /// The interpreter, not JIT code, has written.
    pub(crate) written: bool,
    /// What is stored in the place of colours.
    pub(crate) shades: Option<&'static [u8; 256]>,
    /// Pixel by pixel, at every access.
    pub(crate) literal: bool,
}

impl Tia {
    pub(crate) fn new(properties: &Properties) -> Self {
        let mut tia = Self {
            ystart: i32::from(properties.ystart),
            height: i32::from(properties.height),
            overlong: 291 * LINE as u32,
            color_loss: false,
            hmove_blanks: properties.hmove_blanks,
            frame_start: 0,
            window: [0; 2],
            drawn: 0,
            column: 0,
            row: 0,
            pending: i32::MIN,
            vsync_end: NEVER,
            hmove_time: 0,
            last_lines: 0,
            partial: false,
            greyed: false,
            stop: false,
            vblank: 0,
            nusiz: [0; 2],
            colors: [0; 4],
            ctrlpf: 0,
            refp: [false; 2],
            playfield: 0,
            grp: [0; 2],
            grp_delayed: [0; 2],
            enam: [false; 2],
            enabl: false,
            enabl_delayed: false,
            motion: Motions::NONE,
            vdelp: [false; 2],
            vdelbl: false,
            resmp: [false; 2],
            collisions: 0,
            positions: [0; 5],
            suppressed: [false; 2],
            reflected: false,
            hmove_blank: false,
            ark: Ark::default(),
            dump: false,
            dump_cycle: 0,
            audio: Audio::default(),
            blanked: 0,
            shapes: Shapes::default(),
            paint: Paint::default(),
            scanline: Scanline::default(),
            cursor: CacheCursor::default(),
            written: false,
            speculative: false,
            drawing: true,
            shades: None,
            literal: false,
        };
        tia.set_window();
        tia
    }

    /// The chip's part of a system reset, at cycle 0. The pictures are cleared by the caller.
    pub(crate) fn reset(&mut self) {
        let kept = self.clone();
        let fresh = Self::new(&Properties { hmove_blanks: kept.hmove_blanks, ..Properties::default() });
        *self = Self {
            ystart: kept.ystart,
            height: kept.height,
            overlong: kept.overlong,
            color_loss: kept.color_loss,
            partial: kept.partial,
            greyed: kept.greyed,
            audio: kept.audio,
            drawing: kept.drawing,
            shades: kept.shades,
            literal: kept.literal,
            ..fresh
        };
        self.set_window();
        self.drawn = self.frame_start;
    }

    fn set_window(&mut self) {
        let first = self.frame_start + LINE * self.ystart;
        self.window = [first, first + LINE * self.height];
    }

    /// Moves all stored times when the cycle counter goes back by `cycles`.
    pub(crate) fn rebase(&mut self, cycles: u32) {
        let clocks = (cycles as i32).wrapping_mul(3);
        for time in [&mut self.frame_start, &mut self.vsync_end, &mut self.hmove_time, &mut self.drawn] {
            *time = time.wrapping_sub(clocks);
        }
        self.window = self.window.map(|time| time.wrapping_sub(clocks));
        self.dump_cycle = self.dump_cycle.wrapping_sub(cycles as i32);
        self.pending = i32::MIN;
    }

    /// Starts a frame; the counter has just been set to 0, `phase` clocks of line 0 have passed.
    pub(crate) fn begin_frame(&mut self, phase: i32) {
        self.frame_start = -phase;
        self.set_window();
        self.drawn = self.window[0];
        self.column = 0;
        self.row = 0;
        self.scanline.begin(self.window[0]);
        self.cursor = CacheCursor::default();
        self.pending = i32::MIN;
        self.blanked = 0;
        self.greyed = false;
        if self.color_loss {
            let loss = (self.last_lines & 1) as u8;
            for color in &mut self.colors {
                *color = *color & 0xFE | loss;
            }
            self.paint.dirty = true;
        }
    }

    /// What a pixel of this colour is stored as.
    #[inline]
    fn shade(&self, color: u8) -> u8 {
        self.shades.map_or(color, |shades| shades[usize::from(color)])
    }

    /// Pixels are stored as these shades from now on.
    pub(crate) fn set_shades(&mut self, shades: Option<&'static [u8; 256]>) {
        self.shades = shades;
        self.paint.dirty = true;
    }

    /// Marks all that is derived from the registers as dirty.
    pub(crate) fn mark_all_dirty(&mut self) {
        self.shapes = Shapes::default();
        self.paint.dirty = true;
    }

    /// Whole lines since the frame began.
    pub(crate) fn lines(&self, cycles: u32) -> u32 {
        (clock(cycles).wrapping_sub(self.frame_start) as u32) / LINE as u32
    }

    /// Clocks of the line that have passed at `now`.
    #[inline]
    fn horizontal(&self, now: i32) -> u32 {
        (now.wrapping_sub(self.frame_start) as u32) % LINE as u32
    }

    /// An access that leaves the picture as it is.
    #[inline(always)]
    fn touch(&mut self, target: i32, picture: &mut Picture) {
        if self.speculative {
            return;
        }
        // While the blank flag is set, where a span ends decides how much of the line is blanked.
        if self.hmove_blank || self.literal {
            self.run_to(target, picture);
        } else if target > self.pending {
            self.pending = target;
        }
    }

    /// An access that changes some of the picture from `target` on: objects, or a bit of [`what`].
    #[inline(always)]
    fn sync(&mut self, what: u8, target: i32, picture: &mut Picture) {
        if self.speculative {
            self.catch_up(what, target, picture);
        } else {
            self.sync_spans(target, picture);
        }
    }

    #[inline(never)]
    fn sync_spans(&mut self, target: i32, picture: &mut Picture) {
        let target = target.max(self.pending);
        if target >= self.window[0] && self.drawn < self.window[1] {
            self.run_to(target, picture);
        }
    }

    /// [`Self::sync`] if something changes, else [`Self::touch`].
    #[inline(always)]
    fn sync_if(&mut self, changes: bool, what: u8, target: i32, picture: &mut Picture) {
        if changes {
            self.sync(what, target, picture);
        } else {
            self.touch(target, picture);
        }
    }

    /// [`Self::sync_if`] for an access that takes effect later than others, which may overtake it.
    #[inline(always)]
    fn sync_later_if(&mut self, changes: bool, what: u8, target: i32, picture: &mut Picture) {
        if !changes && self.speculative {
            self.drawn = self.drawn.max(target);
        } else {
            self.sync_if(changes, what, target, picture);
        }
    }

    /// A read: the driven bits, D7 and D6.
    #[inline]
    pub(crate) fn read(&mut self, address: u16, cycles: u32, levels: &Levels, picture: &mut Picture) -> u8 {
        let now = clock(cycles);
        let register = usize::from(address & 15);
        if register < 8 {
            let [d7, d6] = COLLISION_READ[register];
            let known = self.cursor.active && self.cursor_before_read(d7 | d6, now, picture);
            if !known && (!self.speculative || self.open_latches() & (d7 | d6) != 0) {
                self.sync(what::COLLISIONS, now, picture);
            }
        } else {
            self.touch(now, picture);
        }
        self.peek(address, cycles, levels)
    }

    /// The driven bits as they are now.
    pub(crate) fn peek(&self, address: u16, cycles: u32, levels: &Levels) -> u8 {
        let register = usize::from(address & 15);
        let high = |is: bool| u8::from(is) << 7;
        match register {
            0..=7 => {
                let [d7, d6] = COLLISION_READ[register];
                high(self.collisions & d7 != 0) | high(self.collisions & d6 != 0) >> 1
            }
            8..=11 => high(match levels.charge[register - 8] {
                Charge::Always => true,
                Charge::Never => false,
                Charge::After(_) if self.dump => false,
                // Reference: unsigned, so a capacitor full before this frame began reads empty.
                Charge::After(needed) => cycles > (self.dump_cycle as u32).wrapping_add(needed),
            }),
            12 | 13 => high(levels.trigger[register - 12]),
            _ => 0,
        }
    }

    /// The first cycle from which on INPT0 to INPT5, by number, would read high; the largest for never.
    pub(crate) fn high_from(&self, number: usize, levels: &Levels) -> u32 {
        let high = match number {
            0..=3 => match levels.charge[number] {
                Charge::Always => true,
                Charge::Never => false,
                Charge::After(_) if self.dump => false,
                Charge::After(needed) => {
                    return (self.dump_cycle as u32).wrapping_add(needed).saturating_add(1);
                }
            },
            4 | 5 => levels.trigger[number - 4],
            _ => false,
        };
        if high { 0 } else { u32::MAX }
    }

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
    fn color_of(&self, value: u8) -> u8 {
        let loss = if self.color_loss { (self.last_lines & 1) as u8 } else { 0 };
        value & 0xFE | loss
    }

    #[inline(always)]
    fn write_color(&mut self, index: usize, value: u8, now: i32, picture: &mut Picture) {
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
    fn write_refp(&mut self, n: usize, reflect: bool, now: i32, picture: &mut Picture) {
        let changes = reflect != self.refp[n] && self.shapes.may_show(PLAYER[n]);
        self.sync_later_if(changes, PLAYER[n], now.wrapping_add(1), picture);
        self.refp[n] = reflect;
        self.shapes.mark_dirty_if(changes, PLAYER[n]);
    }

    #[inline(always)]
    fn write_enam(&mut self, n: usize, on: bool, now: i32, picture: &mut Picture) {
        let changes = on != self.enam[n];
        self.sync_if(changes, MISSILE[n], now, picture);
        self.enam[n] = on;
        self.shapes.mark_dirty_if(changes, MISSILE[n]);
    }

    #[inline(always)]
    fn write_enabl(&mut self, on: bool, now: i32, picture: &mut Picture) {
        let changes = !self.vdelbl && on != self.enabl;
        self.sync_if(changes, object::BL, now, picture);
        self.enabl = on;
        self.shapes.mark_dirty_if(changes, object::BL);
    }

    #[inline(always)]
    fn write_vdelp(&mut self, n: usize, delay: bool, now: i32, picture: &mut Picture) {
        let changes = delay != self.vdelp[n] && self.grp[n] != self.grp_delayed[n];
        self.sync_if(changes, PLAYER[n], now, picture);
        self.vdelp[n] = delay;
        self.shapes.mark_dirty_if(changes, PLAYER[n]);
    }

    #[inline(always)]
    fn write_vdelbl(&mut self, delay: bool, now: i32, picture: &mut Picture) {
        let changes = delay != self.vdelbl && self.enabl != self.enabl_delayed;
        self.sync_if(changes, object::BL, now, picture);
        self.vdelbl = delay;
        self.shapes.mark_dirty_if(changes, object::BL);
    }

    #[inline(always)]
    fn strobe_cxclr(&mut self, now: i32, picture: &mut Picture) {
        self.sync(what::COLLISIONS, now, picture);
        self.scanline.same_as_above = false;
        self.scanline.forgot = true;
        self.collisions = 0;
    }

    #[inline(never)]
    fn write_vsync(&mut self, on: bool, now: i32, picture: &mut Picture) {
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
    fn write_vblank(&mut self, value: u8, cycles: u32, picture: &mut Picture) {
        let changes = (value ^ self.vblank) & 2 != 0;
        let target = clock(cycles).wrapping_add(1);
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
    fn write_nusiz(&mut self, n: usize, value: u8, now: i32, picture: &mut Picture) {
        let changes = (value ^ self.nusiz[n]) & 0x37 != 0
            || self.suppressed[n]
            || n == 0 && (self.ark.on || self.ark.changes_the_missile());
        self.sync_later_if(changes, PLAYER[n] | MISSILE[n], now.wrapping_add(8), picture);
        self.nusiz[n] = value;
        self.suppressed[n] = false;
        if n == 0 {
            self.ark.show_the_missile_plainly();
        }
        if changes {
            self.shapes.move_some(PLAYER[n] | MISSILE[n]);
        }
    }

    #[inline(never)]
    fn write_ctrlpf(&mut self, value: u8, now: i32, picture: &mut Picture) {
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
    fn has_score(&self) -> bool {
        self.ctrlpf & SCORE != 0
    }

    /// Whether a pixel may have this colour.
    #[inline(always)]
    fn color_in_use(&self, index: usize) -> bool {
        const USERS: [u8; 4] = [
            object::P0 | object::M0 | object::PF,
            object::P1 | object::M1 | object::PF,
            object::PF | object::BL,
            0,
        ];
        index == COLOR_BK || self.shapes.may_show(USERS[index])
    }

    #[inline(always)]
    fn write_playfield(&mut self, part: u32, bits: u32, cycles: u32, picture: &mut Picture) {
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
    fn write_grp(&mut self, n: usize, value: u8, now: i32, picture: &mut Picture) {
        let other = 1 - n;
        let own = !self.vdelp[n] && value != self.grp[n];
        let others = self.vdelp[other] && self.grp[other] != self.grp_delayed[other];
        let ball = n == 1 && self.vdelbl && self.enabl != self.enabl_delayed;
        let part = |is: bool, object: u8| if is { object } else { 0 };
        let parts = part(own, PLAYER[n]) | part(others, PLAYER[other]) | part(ball, object::BL);
        let target = now.wrapping_add(1);
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

    /// The graphics a player shows, leftmost pixel in bit 0.
    #[inline]
    fn player_pixels(&self, n: usize) -> u8 {
        let graphics = if self.vdelp[n] { self.grp_delayed[n] } else { self.grp[n] };
        if self.refp[n] { graphics } else { shape::REVERSED[usize::from(graphics)] }
    }

    #[inline]
    fn ball_enabled(&self) -> bool {
        if self.vdelbl { self.enabl_delayed } else { self.enabl }
    }

    #[inline]
    fn missile_enabled(&self, n: usize) -> bool {
        self.enam[n] && !self.resmp[n]
    }
}

const PLAYER: [u8; 2] = [object::P0, object::P1];
const MISSILE: [u8; 2] = [object::M0, object::M1];

/// The colour clock of a cycle.
#[inline(always)]
const fn clock(cycles: u32) -> i32 {
    (cycles as i32).wrapping_mul(3)
}
