//! Composes a line: collisions of the shapes, then their pixels.

use super::super::picture::Picture;
use super::super::shape::{self, Mask, Shapes};
use super::super::span::{Paint, blend, spread};
use super::super::{PAIRS, Tia, object};
use super::{LineView, PF, WITH_PLAYFIELD};
use crate::frame::WIDTH;

impl Tia {
    /// Spreads the columns of the playfield to pixels, unless that was done for the same columns before.
    #[inline(always)]
    pub(super) fn spread_playfield(&mut self, columns: u64) {
        if columns != self.scanline.spread_columns {
            self.scanline.spread_columns = columns;
            self.scanline.playfield_pixels = shape::columns(columns);
        }
    }

    /// Latches the collisions before pixel `x`.
    pub(super) fn collide_to(&mut self, x: u32) {
        let from = std::mem::replace(&mut self.scanline.collided, x);
        if from >= x || self.open_latches() == 0 || self.vblank & 2 != 0 {
            return;
        }
        if self.shapes.dirty != 0 {
            self.rebuild(self.shapes.dirty);
        }
        let (columns, open) = (self.columns(), self.open_latches());
        if open & WITH_PLAYFIELD != 0 {
            self.spread_playfield(columns);
        }
        let merged;
        let masks = if self.shapes.split & !object::PF == 0 {
            self.shapes.movable()
        } else {
            merged = self.merged();
            &merged
        };
        let whole = LineView { masks, columns, playfield: &self.scanline.playfield_pixels };
        self.collisions |= collisions(&whole, open, from, x);
    }

    /// [`Self::paint_to`] for a part of a line.
    #[inline(never)]
    pub(super) fn paint_some(&mut self, x: u32, picture: &mut Picture) {
        self.paint_to(x, picture);
    }

    /// Paints what is before pixel `x` and latches its collisions.
    #[inline(always)]
    pub(super) fn paint_to(&mut self, x: u32, picture: &mut Picture) {
        let from = std::mem::replace(&mut self.scanline.painted, x) as usize;
        let to = x as usize;
        if from >= to || !self.drawing {
            return;
        }
        let collided = std::mem::replace(&mut self.scanline.collided, x);
        if self.vblank & 2 != 0 {
            if let Some(row) = picture.row(self.row) {
                row[from..to].fill(0);
            }
            return;
        }
        if self.shapes.dirty != 0 {
            self.rebuild(self.shapes.dirty);
        }
        if self.paint.dirty {
            self.paint = self.mix_paint();
        }
        let (columns, open) = (self.columns(), self.open_latches());
        if open & WITH_PLAYFIELD != 0 || self.paint.priority || self.paint.score {
            self.spread_playfield(columns);
        }
        let merged;
        let masks = if self.shapes.split & !object::PF == 0 {
            self.shapes.movable()
        } else {
            merged = self.merged();
            &merged
        };
        let whole = LineView { masks, columns, playfield: &self.scanline.playfield_pixels };
        if let Some(row) = picture.row(self.row) {
            let objects = (self.shapes.enabled | self.shapes.split) & !object::PF != 0;
            if to - from == WIDTH {
                paint_row(&self.paint, &whole, objects, row);
            } else {
                paint_part(&self.paint, &whole, objects, &mut row[from..to], from);
            }
        }
        if open != 0 && collided < x {
            self.collisions |= collisions(&whole, open, collided, x);
        }
    }
}

/// Which of some latches the objects set that meet among the pixels `from..to`.
#[inline(never)]
fn collisions(whole: &LineView<'_>, mut open: u16, from: u32, to: u32) -> u16 {
    let playfield = whole.playfield;
    let span = shape::span(from, to);
    let but_one = open & open.wrapping_sub(1);
    if but_one & but_one.wrapping_sub(1) != 0 && !some_meet(whole.masks, playfield, &span) {
        return 0;
    }
    let mut latched = 0;
    while open != 0 {
        let latch = open.trailing_zeros() as usize;
        open &= open - 1;
        let pair = PAIRS[latch % 15];
        let mask_of = |object: usize| if object < PF { &whole.masks[object] } else { playfield };
        let one = mask_of(pair.trailing_zeros() as usize);
        let other = mask_of(7 - pair.leading_zeros() as usize);
        let both = one[0] & other[0] & span[0] | one[1] & other[1] & span[1] | one[2] & other[2] & span[2];
        latched |= u16::from(both != 0) << latch;
    }
    latched
}

/// Whether any two objects meet.
#[inline(always)]
fn some_meet([p0, m0, p1, m1, bl]: &[Mask; 5], playfield: &Mask, span: &Mask) -> bool {
    let mut meet = 0;
    for i in 0..3 {
        let first = p0[i] | m0[i];
        let second = p1[i] | m1[i];
        let players = first | second;
        let all = players | bl[i];
        let here = p0[i] & m0[i] | p1[i] & m1[i] | first & second | players & bl[i] | all & playfield[i];
        meet |= here & span[i];
    }
    meet != 0
}

/// Paints the part of a line that begins at pixel `from`.
#[inline(never)]
fn paint_part(paint: &Paint, whole: &LineView<'_>, objects: bool, part: &mut [u8], from: usize) {
    let mut line = [0; WIDTH];
    paint_row(paint, whole, objects, &mut line);
    part.copy_from_slice(&line[from..from + part.len()]);
}

/// The columns that lie wholly before a pixel.
#[inline(always)]
pub(super) fn below_column(x: u32) -> u64 {
    (1 << (x / 4)) - 1
}

/// Four columns of the playfield as the bytes of 16 pixels.
static FOUR_COLUMNS: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut i = 0;
        while i < 16 {
            table[bits][i] = if bits >> (i / 4) & 1 == 1 { 0xFF } else { 0 };
            i += 1;
        }
        bits += 1;
    }
    table
};

/// Paints a whole line.
#[inline(always)]
fn paint_row(paint: &Paint, whole: &LineView<'_>, objects: bool, row: &mut [u8; WIDTH]) {
    let background = paint.background as u8;
    if whole.columns == 0 {
        row.fill(background);
    } else {
        let mut columns = whole.columns;
        let (chunks, _) = row.as_chunks_mut::<16>();
        let (left, right) = chunks.split_at_mut(5);
        for (half, part) in [left, right].into_iter().enumerate() {
            let difference = background ^ paint.playfield[half] as u8;
            for pixels in part {
                let lit = &FOUR_COLUMNS[(columns & 15) as usize];
                *pixels = lit.map(|lit| background ^ difference & lit);
                columns >>= 4;
            }
        }
    }
    if objects {
        paint_objects(paint, whole, row);
    }
}

/// Paints the movable objects over background and playfield.
#[inline]
fn paint_objects(paint: &Paint, whole: &LineView<'_>, row: &mut [u8; WIDTH]) {
    let [p0, m0, p1, m1, bl] = whole.masks;
    let mut first = [p0[0] | m0[0], p0[1] | m0[1], p0[2] | m0[2]];
    let mut second = [p1[0] | m1[0], p1[1] | m1[1], p1[2] | m1[2]];
    let mut ball = *bl;
    if (paint.priority || paint.score) && whole.columns != 0 {
        // The playfield hides objects.
        let playfield = whole.playfield;
        let left = shape::below(WIDTH as u32 / 2);
        for i in 0..3 {
            if paint.priority {
                first[i] &= !playfield[i];
                second[i] &= !playfield[i];
            } else {
                second[i] &= !(playfield[i] & left[i]);
                ball[i] &= !playfield[i];
            }
        }
    }
    if paint.priority {
        paint_layer(&second, paint.players[1], row);
        paint_layer(&first, paint.players[0], row);
        paint_layer(&ball, paint.ball, row);
    } else {
        paint_layer(&ball, paint.ball, row);
        paint_layer(&second, paint.players[1], row);
        paint_layer(&first, paint.players[0], row);
    }
}

/// Paints a set of pixels, eight at a time.
#[inline(always)]
fn paint_layer(mask: &Mask, color: u64, row: &mut [u8; WIDTH]) {
    let (words, _) = row.as_chunks_mut::<8>();
    for (i, mut left) in mask.iter().copied().enumerate() {
        while left != 0 {
            let shift = left.trailing_zeros() & 0x38;
            let lit = spread((left >> shift) as u8);
            left &= !(0xFF << shift);
            if let Some(word) = words.get_mut(8 * i + shift as usize / 8) {
                *word = blend(u64::from_le_bytes(*word), color, lit).to_le_bytes();
            }
        }
    }
}

impl Shapes {
    /// Whether colours depend on which objects are enabled.
    pub(in super::super) fn alone(&self) -> bool {
        self.enabled == object::PF
    }
}

impl Paint {
    /// Eight pixels: where the first player and its missile, the second and its own, and the ball are.
    #[inline(always)]
    pub(in super::super) fn compose(
        &self,
        right: bool,
        [first, second, ball]: [u64; 3],
        columns: u64,
    ) -> u64 {
        if self.priority {
            let pixels = blend(self.background, self.players[1], second);
            let pixels = blend(pixels, self.players[0], first);
            return blend(pixels, self.ball, ball | columns);
        }
        let half = usize::from(right);
        let second = if self.score && !right { second & !columns } else { second };
        let pixels = blend(self.background, self.ball, ball);
        let pixels = blend(pixels, self.playfield[half], columns);
        let pixels = blend(pixels, self.players[1], second);
        blend(pixels, self.players[0], first)
    }
}
