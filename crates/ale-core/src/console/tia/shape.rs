//! Shapes: where on a line each object has pixels, as sets of 160 bits.

use super::object;

/// A set of the 160 pixels of a line; bit `x` of the 160 is pixel `x`.
pub(crate) type Mask = [u64; 3];

pub(crate) const EMPTY: Mask = [0; 3];

/// Offsets of the copies by NUSIZ bits 0 to 2.
pub(crate) const COPIES: [&[u8]; 8] =
    [&[0], &[0, 16], &[0, 32], &[0, 16, 32], &[0, 64], &[0], &[0, 32, 64], &[0]];

/// Pixels a player's copy covers, by NUSIZ bits 0 to 2.
pub(crate) const PLAYER_WIDTH: [u8; 8] = [8, 8, 8, 8, 8, 16, 8, 32];

/// Pixels from the position to the end of the last copy of a player or missile, by NUSIZ bits 0 to 2. Wide players begin a
/// pixel late. The first is enough for the ball.
pub(crate) const EXTENT: [u8; 8] = {
    let mut table = PLAYER_WIDTH;
    let mut mode = 0;
    while mode < 8 {
        let late = if PLAYER_WIDTH[mode] > 8 { 1 } else { 0 };
        table[mode] += COPIES[mode][COPIES[mode].len() - 1] + late;
        mode += 1;
    }
    table
};

/// Up to 72 pixels that begin at `start` (below 256), going round at the right edge.
#[inline(always)]
fn place(pattern: u128, start: u32) -> Mask {
    let start = if start >= 160 { start - 160 } else { start };
    let (word, bit) = (start / 64, start % 64);
    let wide = pattern << bit;
    let [low, middle] = [wide as u64, (wide >> 64) as u64];
    let high = ((pattern >> 64) as u64) >> 1 >> (63 - bit);
    // A line is two and a half words long.
    let fold = |word: u64, next: u64| word >> 32 | next << 32;
    match word {
        0 => [low, middle, high],
        1 => [fold(middle, high), low, middle & 0xFFFF_FFFF],
        _ => [fold(low, middle), fold(middle, high), low & 0xFFFF_FFFF],
    }
}

/// What a pattern is multiplied with to have its copies, by NUSIZ bits 0 to 2.
const COPIED: [u128; 8] = {
    let mut table = [0; 8];
    let mut mode = 0;
    while mode < 8 {
        let mut copy = 0;
        while copy < COPIES[mode].len() {
            table[mode] |= 1 << COPIES[mode][copy];
            copy += 1;
        }
        mode += 1;
    }
    table
};

/// Each bit of a byte twice, four times.
const fn widen(byte: u8, times: u32) -> u32 {
    let mut wide = 0;
    let mut i = 0;
    while i < 8 * times {
        if byte >> (i / times) & 1 == 1 {
            wide |= 1 << i;
        }
        i += 1;
    }
    wide
}

const fn widen_all(times: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = widen(byte as u8, times);
        byte += 1;
    }
    table
}

/// Bytes with their bits in the other order.
pub(super) static REVERSED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).reverse_bits();
        byte += 1;
    }
    table
};
static DOUBLE: [u32; 256] = widen_all(2);
static QUAD: [u32; 256] = widen_all(4);

/// A player; `pixels` has its leftmost pixel in bit 0.
#[inline]
pub(crate) fn player(pixels: u8, position: u8, mode: u8, suppressed: bool) -> Mask {
    let position = u32::from(position);
    if let 5 | 7 = mode {
        let table = if mode == 5 { &DOUBLE } else { &QUAD };
        let pattern = if suppressed { 0 } else { table[usize::from(pixels)] };
        return place(u128::from(pattern), position + 1);
    }
    let copies = COPIED[usize::from(mode & 7)] & !u128::from(suppressed);
    place(u128::from(pixels) * copies, position)
}

/// A missile of `width` pixels.
#[inline]
pub(crate) fn missile(width: u32, position: u8, mode: u8) -> Mask {
    place(u128::from((1_u64 << width) - 1) * COPIED[usize::from(mode & 7)], u32::from(position))
}

/// The ball: `width` pixels.
#[inline]
pub(crate) fn ball(width: u32, position: u8) -> Mask {
    place((1 << width) - 1, u32::from(position))
}

/// The playfield's 40 columns from its 20-bit word: bit `j` is column `j`.
#[inline]
pub(crate) fn playfield(word: u32, reflected: bool) -> u64 {
    // PF1 is shown from bit 7 down, the others from bit 0 up.
    let pf1 = (word >> 4) as u8;
    let left = word & 0xF_F00F | u32::from(REVERSED[usize::from(pf1)]) << 4;
    // 20 bits, backwards.
    let backwards = || {
        let [low, middle, high, _] = left.to_le_bytes().map(|byte| u32::from(REVERSED[usize::from(byte)]));
        (low << 16 | middle << 8 | high) >> 4
    };
    let right = if reflected { backwards() } else { left };
    u64::from(left) | u64::from(right) << 20
}

/// The pixels of 40 columns.
#[inline]
pub(crate) fn columns(bits: u64) -> Mask {
    // 16 columns are 64 pixels.
    let spread = |bits: u64| {
        let mut x = bits & 0xFFFF;
        x = (x | x << 24) & 0x0000_00FF_0000_00FF;
        x = (x | x << 12) & 0x000F_000F_000F_000F;
        x = (x | x << 6) & 0x0303_0303_0303_0303;
        x = (x | x << 3) & 0x1111_1111_1111_1111;
        x * 15
    };
    [spread(bits), spread(bits >> 16), spread(bits >> 32)]
}

/// The pixels before each.
static BELOW: [Mask; 161] = {
    let mut table = [EMPTY; 161];
    let mut x = 0;
    while x < 160 {
        table[x + 1] = table[x];
        table[x + 1][x / 64] |= 1 << (x % 64);
        x += 1;
    }
    table
};

/// The pixels before `x`.
#[inline(always)]
pub(crate) fn below(x: u32) -> &'static Mask {
    &BELOW[x.min(160) as usize]
}

/// The pixels `from..to`.
#[inline]
pub(crate) fn span(from: u32, to: u32) -> Mask {
    let (to, from) = (below(to), below(from));
    [to[0] & !from[0], to[1] & !from[1], to[2] & !from[2]]
}

/// The first 128 pixels.
#[inline(always)]
fn low(mask: &Mask) -> u128 {
    u128::from(mask[0]) | u128::from(mask[1]) << 64
}

#[inline(always)]
fn from_parts(low: u128, high: u64) -> Mask {
    [low as u64, (low >> 64) as u64, high]
}

/// `mask` from pixel `since` on, and what was `done` before.
// In two parts: the compiler would load 16 bytes at once, and wait for two words that were stored just now.
#[inline(always)]
pub(crate) fn joined(done: &Mask, mask: &Mask, since: u32) -> Mask {
    let since = below(since);
    from_parts(low(mask) & !low(since) | low(done), mask[2] & !since[2] | done[2])
}

/// The pixels of a mask before pixel `until`.
#[inline(always)]
pub(crate) fn cut(mask: &Mask, until: u32) -> Mask {
    let until = below(until);
    from_parts(low(mask) & low(until), mask[2] & until[2])
}

/// Which groups of eight pixels are not empty.
#[inline(always)]
fn groups(mask: &Mask) -> u32 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let [low, middle, high] = mask.map(|word| {
        // Bit 7 of each byte that is not 0, then those eight bits side by side.
        let bits = (((word & LOW) + LOW) | word) & !LOW;
        ((bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    });
    low | middle << 8 | high << 16
}

/// The shapes of all six objects; derived from the registers, rebuilt when they changed.
#[derive(Debug, Clone)]
pub(crate) struct Shapes {
    /// By object bit: P0, M0, P1, M1, BL, PF.
    pub(crate) masks: [Mask; 6],
    /// The playfield's columns.
    pub(crate) columns: u64,
    /// The groups of eight pixels that have one of them: bit `i` for pixels `8 * i` and on.
    pub(crate) touched: u32,
    /// The groups of eight pixels in which two objects meet.
    pub(crate) crossed: u32,
    /// The enabled objects; an object may be enabled and yet have no pixel.
    pub(crate) enabled: u8,
    /// Objects whose registers changed since their shapes were built.
    pub(crate) dirty: u8,
    /// Objects that have changed on the line that is being composed: see `scanline`.
    pub(crate) split: u8,
    /// Something has moved since it was last found out which objects may meet.
    pub(crate) moved: bool,
    /// The latches of pairs that may meet, whatever their graphics are; also those not looked at, as of
    /// pairs with the playfield.
    pub(crate) in_reach: u16,
}

/// The columns that players and missiles may touch, by NUSIZ bits 0 to 2 and by position. Those of the ball are in the
/// first row.
pub(crate) static REACH: [[u64; 160]; 8] = {
    let mut table = [[0; 160]; 8];
    let mut mode = 0;
    while mode < 8 {
        let mut position = 0;
        while position < 160 {
            let mut copy = 0;
            while copy < COPIES[mode].len() {
                let mut x = position + COPIES[mode][copy] as usize;
                // Wide players begin a pixel later.
                let last = x + PLAYER_WIDTH[mode] as usize;
                while x <= last {
                    table[mode][position] |= 1 << (x % 160 / 4);
                    x += 1;
                }
                copy += 1;
            }
            position += 1;
        }
        mode += 1;
    }
    table
};

impl Default for Shapes {
    fn default() -> Self {
        Self {
            masks: [EMPTY; 6],
            columns: 0,
            touched: 0,
            crossed: 0,
            enabled: 0,
            dirty: 0x3F,
            split: 0,
            moved: true,
            in_reach: u16::MAX,
        }
    }
}

impl Shapes {
    /// Those of the movable objects.
    #[inline(always)]
    pub(crate) fn movable(&self) -> &[Mask; 5] {
        let [movable @ .., _] = &self.masks;
        movable
    }

    #[inline(always)]
    pub(crate) fn mark_dirty(&mut self, objects: u8) {
        self.dirty |= objects;
    }

    /// Those of some objects that may show something now: to the others it does not matter if they move.
    #[inline(always)]
    pub(crate) fn shown(&self, objects: u8) -> u8 {
        objects & (self.enabled | self.dirty)
    }

    /// Objects have moved or changed their size.
    #[inline(always)]
    pub(crate) fn move_some(&mut self, objects: u8) {
        self.dirty |= objects & self.enabled;
        self.forget_reach();
    }

    /// All pairs may meet until `find_reach` looks again.
    #[inline(always)]
    pub(crate) fn forget_reach(&mut self) {
        self.moved = true;
        self.in_reach = u16::MAX;
    }

    #[inline(always)]
    pub(crate) fn mark_dirty_if(&mut self, changed: bool, objects: u8) {
        if changed {
            self.mark_dirty(objects);
        }
    }

    /// Whether one of the objects may have a pixel; certainly not if all are disabled.
    #[inline(always)]
    pub(crate) fn may_show(&self, objects: u8) -> bool {
        (self.dirty | self.enabled | self.split) & objects != 0
    }

    /// Gathers what the objects have in common, after one of them changed.
    pub(crate) fn gather(&mut self) {
        if self.enabled & !object::PF == 0 {
            self.touched = 0;
            return;
        }
        let [p0, m0, p1, m1, bl, pf] = &self.masks;
        let mut touched = EMPTY;
        let mut crossed = EMPTY;
        for i in 0..3 {
            let first = p0[i] | m0[i];
            let second = p1[i] | m1[i];
            let players = first | second;
            touched[i] = players | bl[i];
            crossed[i] =
                p0[i] & m0[i] | p1[i] & m1[i] | first & second | players & bl[i] | touched[i] & pf[i];
        }
        self.touched = groups(&touched);
        self.crossed = groups(&crossed);
    }

    /// Eight pixels of P0 and M0, of P1 and M1, and of BL.
    #[inline(always)]
    pub(crate) fn layers(&self, index: usize) -> [u8; 3] {
        let [p0, m0, p1, m1, bl, _] = &self.masks;
        let (word, shift) = (index / 8 % 3, index % 8 * 8);
        [p0[word] | m0[word], p1[word] | m1[word], bl[word]].map(|word| (word >> shift) as u8)
    }

    /// Sets one object's shape.
    #[inline]
    pub(crate) fn set(&mut self, object: u8, enabled: bool, mask: impl FnOnce() -> Mask) {
        if enabled {
            self.enabled |= object;
            self.masks[object.trailing_zeros() as usize] = mask();
        } else {
            self.enabled &= !object;
            self.masks[object.trailing_zeros() as usize] = EMPTY;
        }
    }
}
