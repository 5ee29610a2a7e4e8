//! Reads: collision latches and inputs.

use super::super::input::{Charge, Levels};
use super::picture::Picture;
use super::{Tia, clock, what};

/// The latch bits that a read of registers 0 to 7 shows in D7 and D6.
const COLLISION_READ: [[u16; 2]; 8] = {
    const fn bits(d7: u32, d6: u32) -> [u16; 2] {
        [1 << d7, if d6 == 15 { 0 } else { 1 << d6 }]
    }
    [bits(0, 1), bits(2, 3), bits(4, 5), bits(6, 7), bits(8, 9), bits(10, 11), bits(12, 15), bits(13, 14)]
};

impl Tia {
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
}
