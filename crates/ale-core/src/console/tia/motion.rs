//! Where the objects are: position strobes, RESMP, HMOVE and its oddities.

use super::picture::Picture;
use super::registers::{HMM0, HMP0, RESM0, RESP0, delay};
use super::shape::{COPIES, PLAYER_WIDTH};
use super::{BL, BLANK, M0, M1, MISSILE, P0, P1, PLAYER, Tia, object};

/// The "Cosmic Ark" state of missile 0: a motion register rewritten 21 cycles after HMOVE keeps it moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ark {
    pub(crate) on: bool,
    pub(crate) counter: u8,
    pub(crate) missile: ArkMissile,
}

/// How the Cosmic Ark state changes missile 0's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ArkMissile {
    #[default]
    Plain,
    Widened,
    Invisible,
}

impl Ark {
    pub(super) fn changes_the_missile(self) -> bool {
        self.missile != ArkMissile::Plain
    }

    /// Whether HMOVE would change it.
    pub(super) fn is_active(self) -> bool {
        self.on || self.changes_the_missile()
    }

    pub(super) fn restore_missile_shape(&mut self) {
        self.missile = ArkMissile::Plain;
    }
}

/// The motion nibbles of all objects.
// One word, which every access loads and stores as a whole: the processor waits for loads of what was just stored in
// smaller pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Motions(pub(super) u64);

impl Motions {
    /// Nothing moves.
    pub(super) const NONE: Self = Self(0);
    /// All bits of it.
    pub(super) const BITS: u64 = 0x0F_0F0F_0F0F;

    #[inline(always)]
    pub(super) fn get(self, index: usize) -> u8 {
        (self.0 >> (8 * index)) as u8
    }

    #[inline(always)]
    pub(super) fn set(&mut self, index: usize, nibble: u8) {
        self.0 = self.0 & !(0xFF << (8 * index)) | u64::from(nibble) << (8 * index);
    }
}

/// Pixels that an HMOVE at a cycle of the line moves an object, by its motion nibble; positive is right.
static MOTION: [[i8; 16]; 76] = {
    const LEAST: [i8; 21] = [-7, -7, -7, -7, -6, -5, -5, -4, -3, -2, -2, -1, 0, 1, 1, 2, 3, 4, 4, 5, 6];
    const LATE: [i8; 20] = [6, 5, 4, 4, 3, 2, 1, 1, 0, -1, -2, -2, -3, -4, -5, -5, -6, -7, -8, -8];
    let mut table = [[0; 16]; 76];
    let mut cycle = 0;
    while cycle < 76 {
        let mut nibble = 0;
        while nibble < 16 {
            let full = if nibble < 8 { -(nibble as i8) } else { 16 - nibble as i8 };
            table[cycle][nibble] = match cycle {
                0..=20 if full < LEAST[cycle] => LEAST[cycle],
                21..=54 => 0,
                55..=74 if full + LATE[cycle - 55] > 0 => 0,
                55..=74 => full + LATE[cycle - 55],
                _ => full,
            };
            nibble += 1;
        }
        cycle += 1;
    }
    table
};

/// An HMOVE moves an object so many pixels to the left at most, and fewer to the right.
const FARTHEST: usize = 16;

/// Positions from so many pixels before the line on, and as many behind it.
static NEAR: [u8; 256] = {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 160 + 2 * FARTHEST {
        table[x] = ((x + 160 - FARTHEST) % 160) as u8;
        x += 1;
    }
    table
};

/// Where an object is after a motion.
#[inline(always)]
fn moved_by(position: u8, motion: i8) -> u8 {
    NEAR[usize::from(position).wrapping_add_signed(FARTHEST as isize + isize::from(motion)) % NEAR.len()]
}

/// What HMOVE moves, in the order of positions.
pub(super) const MOVABLE: [u8; 5] = {
    let mut table = [0; 5];
    table[P0] = object::P0;
    table[P1] = object::P1;
    table[M0] = object::M0;
    table[M1] = object::M1;
    table[BL] = object::BL;
    table
};

impl Tia {
    #[inline(never)]
    pub(super) fn strobe_player(&mut self, n: usize, now: i32, picture: &mut Picture) {
        let h = self.horizontal(now);
        let new = if h < BLANK { 3 } else { ((h - BLANK + 5) % 160) as u8 };
        let mode = usize::from(self.nusiz[n] & 7);
        let distance = (i32::from(new) - i32::from(self.positions[n])).rem_euclid(160);
        let width = i32::from(PLAYER_WIDTH[mode]);
        let in_zone = |from: i32, to: i32| {
            COPIES[mode].iter().any(|&copy| (from..to).contains(&(distance - i32::from(copy))))
        };
        let delayed = in_zone(0, 4);
        self.sync(self.shapes.shown(PLAYER[n]), now, picture);
        if in_zone(4, 4 + width) {
            self.sync(self.shapes.shown(PLAYER[n]), now.wrapping_add(const { delay(RESP0) }), picture);
        }
        self.positions[n] = new;
        self.suppressed[n] = !delayed;
        self.shapes.move_some(PLAYER[n]);
    }

    #[inline(never)]
    pub(super) fn strobe_missile(&mut self, n: usize, now: i32, picture: &mut Picture) {
        self.sync(MISSILE[n], now.wrapping_add(const { delay(RESM0) }), picture);
        let since_hmove = now.wrapping_sub(self.hmove_time);
        // Reference: positions that particular games rely on.
        self.positions[M0 + n] = match (n, since_hmove, self.horizontal(now)) {
            (0, 60, 69) => 8,
            (1, 9, 18) => 3,
            (_, _, h) => missile_position(h),
        };
        if n == 0 {
            self.ark.restore_missile_shape();
        }
        self.shapes.move_some(MISSILE[n]);
    }

    #[inline(never)]
    pub(super) fn strobe_ball(&mut self, now: i32, picture: &mut Picture) {
        self.sync(object::BL, now, picture);
        // Reference: positions that particular games rely on.
        self.positions[BL] = match (now.wrapping_sub(self.hmove_time), self.horizontal(now)) {
            (54, 60 | 69) => 10,
            (9, 18) => 3,
            (21, 30) => 6,
            (18, 27) => 5,
            (_, h) => missile_position(h),
        };
        self.shapes.move_some(object::BL);
    }

    /// RESMP: locks the missile into its player; released, it is at the player's middle.
    #[inline(never)]
    pub(super) fn write_resmp(&mut self, n: usize, lock: bool, now: i32, picture: &mut Picture) {
        let changes = lock != self.resmp[n];
        self.sync_if(changes, MISSILE[n], now, picture);
        if self.resmp[n] && !lock {
            let middle = match self.nusiz[n] & 7 {
                5 => 8,
                7 => 16,
                _ => 4,
            };
            self.positions[M0 + n] = (self.positions[n] + middle) % 160;
            if n == 0 {
                self.ark.restore_missile_shape();
            }
        }
        self.resmp[n] = lock;
        self.shapes.mark_dirty_if(changes, MISSILE[n]);
        self.shapes.forget_reach();
    }

    #[inline(always)]
    pub(super) fn write_motion(&mut self, register: u8, nibble: u8, now: i32, picture: &mut Picture) {
        let index = usize::from(register - HMP0);
        let starts_ark = register == HMM0
            && now == self.hmove_time.wrapping_add(63)
            && self.motion.get(index) == 7
            && nibble == 6;
        self.sync_if(starts_ark, 0, now, picture);
        if starts_ark {
            self.ark.on = true;
            self.ark.counter = 0;
            self.shapes.forget_reach();
        }
        self.motion.set(index, nibble);
    }

    #[inline(always)]
    pub(super) fn strobe_hmove(&mut self, now: i32, picture: &mut Picture) {
        // The end of a line changes objects, too.
        self.sync(0, now, picture);
        if !(self.speculative && self.try_strobe_hmove_fast(now)) {
            self.strobe_hmove_slow(now, picture);
        }
    }

    #[inline(never)]
    fn strobe_hmove_slow(&mut self, now: i32, picture: &mut Picture) {
        let cycle = self.horizontal(now) / 3;
        let row = &MOTION[cycle as usize];
        let mut positions = self.positions;
        let mut moved = 0;
        // Without branches, which would be mispredicted.
        for (index, position) in positions.iter_mut().enumerate() {
            let motion = row[usize::from(self.motion.get(index) & 15)];
            *position = moved_by(*position, motion);
            moved |= MOVABLE[index] * u8::from(motion != 0);
        }
        if self.suppressed != [false; 2] {
            moved |= object::P0 | object::P1;
        }
        if self.ark.changes_the_missile() {
            moved |= object::M0;
        }
        self.sync(self.shapes.shown(moved), now, picture);
        if self.hmove_blanks && (cycle <= 20 || cycle == 75) {
            self.begin_blank(now, picture);
        }
        self.positions = positions;
        self.suppressed = [false; 2];
        self.ark.restore_missile_shape();
        self.shapes.move_some(moved);
        self.hmove_time = now;
        self.ark.on = false;
    }

    /// One displayed line of the Cosmic Ark state.
    pub(super) fn step_ark(&mut self) {
        const STEPS: [i16; 4] = [18, 33, 0, 17];
        let counter = (self.ark.counter + 1) % 4;
        self.ark.counter = counter;
        self.positions[M0] = around(i16::from(self.positions[M0]) - STEPS[usize::from(counter)]);
        self.ark.missile = match counter {
            1 => ArkMissile::Widened,
            2 => ArkMissile::Invisible,
            _ => ArkMissile::Plain,
        };
        self.shapes.move_some(object::M0);
    }
}

fn missile_position(h: u32) -> u8 {
    if h < BLANK { 2 } else { ((h - BLANK + 4) % 160) as u8 }
}

/// Once around the line.
fn around(position: i16) -> u8 {
    (match position {
        ..0 => position + 160,
        0..160 => position,
        _ => position - 160,
    }) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_motion_goes_once_around_the_line() {
        for motion in MOTION.as_flattened() {
            for position in 0..160 {
                let expected = around(i16::from(position) + i16::from(*motion));
                assert_eq!(moved_by(position, *motion), expected, "from {position} by {motion}");
            }
        }
    }
}
