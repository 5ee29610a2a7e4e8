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
//! | `read` | reads: collision latches and inputs |
//! | `write` | the slow path of writes |
//! | `motion` | strobes and HMOVE |
//! | `picture` | the two picture buffers |
//! | `audio` | sound |
//! | `state` | the fields of a saved state |

pub(crate) mod audio;
mod beam;
mod fast_write;
mod literal;
mod motion;
mod picture;
mod read;
pub(crate) mod registers;
mod scanline;
mod scanline_cache;
mod shape;
mod span;
mod state;
#[cfg(test)]
mod tests;
mod write;
mod write_log;

use self::audio::Audio;
use self::motion::{Ark, Motions};
pub use self::picture::Picture;
use self::scanline::Scanline;
use self::scanline_cache::CacheCursor;
pub(crate) use self::scanline_cache::ScanlineCache;
use self::shape::Shapes;
use self::span::Paint;
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
