//! The exact renderer, for frames that end within the picture: eight pixels at a time, objects as 160-bit sets.
//!
//! Per span of a line: rebuild the shapes whose registers changed; latch the collisions of the
//! objects that have pixels in the span; paint background and playfield in words of eight pixels,
//! and compose the words that another object touches. `literal` does the same pixel by pixel.

use super::motion::ArkMissile;
use super::shape::{self, Mask};
use super::{
    BL, COLLISIONS, COLOR_BK, COLOR_P0, COLOR_P1, COLOR_PF, M0, MISSILE, PAIRS, PLAYER, Tia, object,
};
use crate::frame::WIDTH;

pub(super) const SCORE: u8 = 2;
const PRIORITY: u8 = 4;

/// A byte's bits as bytes of 0 or 255, bit 0 first.
static BYTES: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut i = 0;
        while i < 8 {
            if bits >> i & 1 == 1 {
                table[bits] |= 0xFF << (8 * i);
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// Eight bits as eight bytes.
#[inline(always)]
pub(super) fn spread(bits: u8) -> u64 {
    BYTES[usize::from(bits)]
}

/// Two playfield columns as the bytes of eight pixels.
const COLUMNS: [u64; 4] = [0, 0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_0000_0000, u64::MAX];

/// The colours of a span, each in all eight bytes of a word; derived from the registers.
#[derive(Debug, Clone)]
pub(super) struct Paint {
    pub(super) background: u64,
    /// Of playfield pixels left and right of the middle.
    pub(super) playfield: [u64; 2],
    pub(super) ball: u64,
    pub(super) players: [u64; 2],
    pub(super) priority: bool,
    /// Left of the middle the playfield hides player 1.
    pub(super) score: bool,
    /// A colour register has changed since.
    pub(super) dirty: bool,
}

impl Default for Paint {
    fn default() -> Self {
        Self {
            background: 0,
            playfield: [0; 2],
            ball: 0,
            players: [0; 2],
            priority: false,
            score: false,
            dirty: true,
        }
    }
}

#[inline(always)]
const fn eight(color: u8) -> u64 {
    color as u64 * 0x0101_0101_0101_0101
}

#[inline(always)]
pub(super) const fn blend(below: u64, color: u64, mask: u64) -> u64 {
    below ^ (below ^ color) & mask
}

impl Tia {
    /// Draws the pixels `from..to` of the current line; `row` is absent in frames without pixels.
    #[inline]
    pub(super) fn draw(&mut self, from: u32, to: u32, row: Option<&mut [u8; WIDTH]>) {
        if self.vblank & 2 != 0 {
            if let Some(row) = row {
                row[from as usize..to as usize].fill(0);
            }
            return;
        }
        if self.shapes.dirty != 0 {
            // Without pixels only new collisions count.
            let possible = self.shapes.enabled | self.shapes.dirty;
            if row.is_none() && COLLISIONS[usize::from(possible & 63)] & !self.collisions == 0 {
                return;
            }
            self.rebuild(self.shapes.dirty);
            self.shapes.gather();
        }
        let (first, last) = (from / 8, (to - 1) / 8);
        let touched = self.shapes.touched & ((2 << last) - (1 << first));
        if touched & self.shapes.crossed != 0 {
            self.collide(from, to);
        }
        if let Some(row) = row {
            if self.paint.dirty {
                self.paint = self.mix_paint();
            }
            self.fill(from, to, touched, row);
            if to & 3 != 0 {
                self.fill_surplus(from, to, row);
            }
        }
    }

    /// Rebuilds the shapes of some objects.
    #[inline(never)]
    pub(super) fn rebuild(&mut self, dirty: u8) {
        self.shapes.dirty &= !dirty;
        self.scanline.same_as_above = false;
        if dirty & object::P0 != 0 {
            self.rebuild_player(0);
        }
        if dirty & object::P1 != 0 {
            self.rebuild_player(1);
        }
        if dirty & object::PF != 0 {
            self.rebuild_playfield();
        }
        if dirty & (object::M0 | object::M1 | object::BL) != 0 {
            self.rebuild_small(dirty);
        }
        self.paint.dirty |= self.colors_by_objects();
    }

    // Each for itself: together the compiler prepares all of them before it looks which are needed.
    #[inline(never)]
    fn rebuild_player(&mut self, n: usize) {
        let pixels = self.player_pixels(n);
        let (position, mode, suppressed) = (self.positions[n], self.nusiz[n] & 7, self.suppressed[n]);
        self.shapes.set(PLAYER[n], pixels != 0, || shape::player(pixels, position, mode, suppressed));
    }

    #[inline(always)]
    pub(super) fn rebuild_playfield(&mut self) {
        let columns = shape::playfield(self.playfield, self.reflected);
        self.shapes.columns = columns;
        self.shapes.enabled = self.shapes.enabled & !object::PF | (u8::from(columns != 0) * object::PF);
        if !self.speculative {
            self.shapes.masks[5] = shape::columns(columns);
        }
    }

    #[inline(never)]
    fn rebuild_small(&mut self, dirty: u8) {
        if dirty & object::M0 != 0 {
            self.rebuild_missile(0);
        }
        if dirty & object::M1 != 0 {
            self.rebuild_missile(1);
        }
        if dirty & object::BL != 0 {
            let (width, position) = (1 << (self.ctrlpf >> 4 & 3), self.positions[BL]);
            self.shapes.set(object::BL, self.ball_enabled(), || shape::ball(width, position));
        }
    }

    #[inline(never)]
    fn rebuild_missile(&mut self, n: usize) {
        let mut width_code = self.nusiz[n] >> 4 & 3;
        let modifier = if n == 0 { self.ark.missile } else { ArkMissile::Plain };
        if modifier == ArkMissile::Widened {
            width_code |= 1;
        }
        let (position, mode) = (self.positions[M0 + n], self.nusiz[n] & 7);
        let mask = || match modifier {
            ArkMissile::Invisible => shape::EMPTY,
            _ => shape::missile(1 << width_code, position, mode),
        };
        self.shapes.set(MISSILE[n], self.missile_enabled(n), mask);
    }

    /// Whether colours depend on which objects are enabled: only with score and priority together.
    #[inline(always)]
    pub(super) fn colors_by_objects(&self) -> bool {
        self.ctrlpf & (SCORE | PRIORITY) == SCORE | PRIORITY
    }

    /// Latches the collisions of the pixels `from..to`.
    #[inline]
    fn collide(&mut self, from: u32, to: u32) {
        let enabled = self.shapes.enabled;
        if COLLISIONS[usize::from(enabled & 63)] & !self.collisions == 0 {
            return;
        }
        let span = shape::span(from, to);
        let masks = &self.shapes.masks;
        let mut lit = 0;
        for (bit, mask) in masks.iter().enumerate() {
            let inside = mask[0] & span[0] | mask[1] & span[1] | mask[2] & span[2];
            lit |= u8::from(inside != 0) << bit;
        }
        let mut possible = COLLISIONS[usize::from(lit & 63)] & !self.collisions;
        while possible != 0 {
            let latch = possible.trailing_zeros() as usize;
            possible &= possible - 1;
            let pair = PAIRS[latch];
            let one = &masks[pair.trailing_zeros() as usize % 6];
            let other = &masks[(7 - pair.leading_zeros() as usize) % 6];
            let both =
                one[0] & other[0] & span[0] | one[1] & other[1] & span[1] | one[2] & other[2] & span[2];
            self.collisions |= u16::from(both != 0) << latch;
        }
    }

    pub(super) fn mix_paint(&self) -> Paint {
        let colors = self.colors.map(|color| self.shade(color));
        let players = [eight(colors[COLOR_P0]), eight(colors[COLOR_P1])];
        let ball = eight(colors[COLOR_PF]);
        let score = self.has_score();
        let priority = self.ctrlpf & PRIORITY != 0;
        // Reference: score colours with priority only while the playfield is the only enabled object.
        let score_colors = score && (!priority || self.shapes.alone());
        Paint {
            background: eight(colors[COLOR_BK]),
            playfield: if score_colors { players } else { [ball; 2] },
            ball,
            players,
            priority,
            score,
            dirty: false,
        }
    }

    /// Stores the pixels `from..to`; `touched` are the groups of eight that have more than playfield.
    #[inline]
    fn fill(&self, from: u32, to: u32, touched: u32, row: &mut [u8; WIDTH]) {
        let paint = &self.paint;
        let (first, last) = ((from / 8) as usize, ((to - 1) / 8) as usize);
        let (words, _) = row.as_chunks_mut::<8>();
        let Some(words) = words.get_mut(first..=last) else { return };
        let before = u64::from_le_bytes(words[0]);
        let after = u64::from_le_bytes(words[words.len() - 1]);
        if self.shapes.columns == 0 {
            words.fill(paint.background.to_le_bytes());
        } else {
            let mut columns = self.shapes.columns >> (2 * first);
            let (left, right) = words.split_at_mut(10_usize.saturating_sub(first).min(words.len()));
            for (half, part) in [left, right].into_iter().enumerate() {
                let difference = paint.background ^ paint.playfield[half];
                for word in part {
                    let pixels = paint.background ^ difference & COLUMNS[(columns & 3) as usize];
                    *word = pixels.to_le_bytes();
                    columns >>= 2;
                }
            }
        }
        let mut touched = touched;
        while touched != 0 {
            let index = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            if let Some(word) = words.get_mut(index - first) {
                *word = self.compose(index).to_le_bytes();
            }
        }
        // The pixels outside of the span stay.
        if from & 7 != 0 {
            let keep = !(u64::MAX << (8 * (from & 7)));
            words[0] = blend(u64::from_le_bytes(words[0]), before, keep).to_le_bytes();
        }
        if to & 7 != 0 {
            let word = &mut words[last - first];
            *word = blend(u64::from_le_bytes(*word), after, u64::MAX << (8 * (to & 7))).to_le_bytes();
        }
    }

    /// Eight pixels with all objects.
    #[inline]
    fn compose(&self, index: usize) -> u64 {
        let columns = COLUMNS[(self.shapes.columns >> (2 * index) & 3) as usize];
        self.paint.compose(index >= 10, self.shapes.layers(index).map(spread), columns)
    }

    /// Reference: with few objects enabled, pixels are stored in groups of four even if the span
    /// ends inside a group. Seen only if the frame ends before the line goes on.
    fn fill_surplus(&self, from: u32, to: u32, row: &mut [u8; WIDTH]) {
        let paint = &self.paint;
        let group = (to - 1) & !3;
        let enabled = self.shapes.enabled;
        if group < from || !stores_groups(enabled, self.ctrlpf) || self.occupied(group) {
            return;
        }
        let half = usize::from(group >= 80);
        let lit = self.shapes.columns >> (group / 4) & 1 != 0;
        let color = if lit { paint.playfield[half] } else { paint.background };
        row[to as usize..group as usize + 4].fill(color as u8);
    }

    /// Whether an enabled movable object may have a pixel among the four at `group`.
    fn occupied(&self, group: u32) -> bool {
        let span = shape::span(group, group + 4);
        let meets = |mask: &Mask| (0..3).any(|i| mask[i] & span[i] != 0);
        let players = (0..2).any(|n| {
            let area = || shape::player(0xFF, self.positions[n], self.nusiz[n] & 7, self.suppressed[n]);
            self.shapes.enabled & PLAYER[n] != 0 && meets(&area())
        });
        players || [1, 3, 4].iter().any(|&object: &usize| meets(&self.shapes.masks[object]))
    }
}

/// The enabled sets for which the reference stores groups of four.
pub(super) fn stores_groups(enabled: u8, ctrlpf: u8) -> bool {
    use object::{BL, M0, M1, P0, P1, PF};
    const ALWAYS: [u8; 11] = [PF, P0, P1, P0 | P1, M0, M1, BL, M0 | M1, BL | M0, BL | M1, BL | P1];
    const WITHOUT_SCORE: [u8; 3] = [PF | P0, PF | P1, PF | BL];
    ALWAYS.contains(&enabled) || ctrlpf & SCORE == 0 && WITHOUT_SCORE.contains(&enabled)
}
