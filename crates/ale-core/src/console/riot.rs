//! The RIOT (6532): 128 bytes of RAM, the ports and the interval timer.
//!
//! | read A2–A0 | register | write | register |
//! |---|---|---|---|
//! | 0 | SWCHA | A2 = 0, A0 = 1, A1 = 0 | DDRA |
//! | 1 | DDRA | A2 = 1, A4 = 1 | timer, divider by A1 A0 |
//! | 2 | SWCHB | others | no effect |
//! | 4, 6 | INTIM | | |
//! | 5, 7 | timer flag | | |

use super::input::Levels;
use crate::rng::Mt19937;

/// The chip's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Riot {
    pub(crate) ram: [u8; 128],
    pub(crate) timer: Timer,
    pub(crate) ddra: u8,
}

/// The interval timer; all cycle numbers are relative to the machine's counter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Timer {
    /// Value written.
    pub(crate) value: u32,
    /// Log2 of the divider.
    pub(crate) shift: u32,
    /// Cycle of the write.
    pub(crate) set: i32,
    /// Cycle of the first read after expiry.
    pub(crate) late_read: i32,
    /// Whether such a read has happened.
    pub(crate) late: bool,
}

impl Timer {
    /// As JIT code works on it.
    #[inline]
    pub(crate) fn packed(&self) -> ale_jit::Timer {
        let &Self { value, shift, set, late_read, late } = self;
        ale_jit::Timer { value, shift, set: set as u32, late_read: late_read as u32, late }
    }

    #[inline]
    pub(crate) fn unpacked(packed: ale_jit::Timer) -> Self {
        let ale_jit::Timer { value, shift, set, late_read, late } = packed;
        Self { value, shift, set: set as i32, late_read: late_read as i32, late }
    }

    fn elapsed(&self, now: u32) -> u32 {
        now.wrapping_sub(1).wrapping_sub(self.set as u32)
    }

    fn write(&mut self, value: u8, shift: u32, now: u32) {
        self.value = u32::from(value);
        self.shift = shift;
        self.set = now as i32;
        self.late = false;
    }

    /// INTIM. Until expiry it counts at the divided rate.
    fn read(&mut self, now: u32) -> u8 {
        let elapsed = self.elapsed(now);
        let intervals = elapsed >> self.shift;
        let value = (self.value.wrapping_sub(intervals).wrapping_sub(1)) as i32;
        if value >= 0 {
            return value as u8;
        }
        // Reference: after expiry the divided rate goes on, shifted by the delay of the first late read.
        let full = self.value << self.shift;
        let mut value = full.wrapping_sub(elapsed).wrapping_sub(1) as i32;
        if value <= -2 && !self.late {
            self.late = true;
            self.late_read = now as i32;
        }
        if self.late {
            let offset = self.late_read.wrapping_sub(self.set.wrapping_add(full as i32));
            value = (self.value.wrapping_sub(intervals) as i32).wrapping_sub(offset);
        }
        value as u8
    }

    /// How many reads, the first at `now` and then one every `step` cycles, are sure to give a value of at
    /// least `last` (0 or 1) and at most 127 before the timer runs out.
    pub(crate) fn rounds(&self, now: u32, step: u32, last: u32) -> u32 {
        let elapsed = self.elapsed(now);
        let value = self.value.wrapping_sub(elapsed >> self.shift).wrapping_sub(1);
        if self.late || value > 127 || value < last {
            return 0;
        }
        // The first cycle of which the value is too small. Both wrap: a saved state may have been written to its timer in
        // a time to come, and a timer may have run for more cycles than a word can count.
        let end = self.value.wrapping_sub(last) << self.shift;
        end.wrapping_sub(elapsed).div_ceil(step)
    }

    fn flag(&self, now: u32) -> u8 {
        let value = self.value.wrapping_sub(self.elapsed(now) >> self.shift).wrapping_sub(1) as i32;
        if value >= 0 || self.late { 0x00 } else { 0x80 }
    }
}

impl Riot {
    /// Power-on: random RAM, then a reset.
    pub(crate) fn new(rng: &mut Mt19937) -> Self {
        let mut ram = [0; 128];
        for byte in &mut ram {
            *byte = rng.next_u32() as u8;
        }
        let mut riot = Self { ram, timer: Timer::default(), ddra: 0 };
        riot.reset(rng);
        riot
    }

    /// Random timer; RAM is not touched.
    pub(crate) fn reset(&mut self, rng: &mut Mt19937) {
        self.timer = Timer { value: 25 + rng.next_u32() % 75, shift: 6, set: 0, late_read: 0, late: false };
        self.ddra = 0;
    }

    /// Moves the stored cycles when the counter goes back by `cycles`.
    pub(crate) fn rebase(&mut self, cycles: u32) {
        self.timer.set = self.timer.set.wrapping_sub(cycles as i32);
        self.timer.late_read = self.timer.late_read.wrapping_sub(cycles as i32);
    }

    /// What the first four registers read as.
    #[inline]
    pub(crate) fn ports(&self, levels: &Levels) -> [u8; 4] {
        [levels.swcha, self.ddra, levels.swchb, 0]
    }

    #[inline]
    pub(crate) fn read(&mut self, address: u16, levels: &Levels, now: u32) -> u8 {
        match address & 7 {
            port @ 0..=3 => self.ports(levels)[usize::from(port)],
            4 | 6 => self.timer.read(now),
            _ => self.timer.flag(now),
        }
    }

    #[inline]
    pub(crate) fn write(&mut self, address: u16, value: u8, now: u32) {
        match address & 0x17 {
            0x01 | 0x11 => self.ddra = value,
            register @ 0x14..=0x17 => {
                const SHIFT: [u32; 4] = [0, 3, 6, 10];
                self.timer.write(value, SHIFT[usize::from(register & 3)], now);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn riot() -> Riot {
        Riot::new(&mut Mt19937::new(super::super::DEFAULT_SEED))
    }

    /// INTIM after a write at cycle 0, read at 4, 11, 18, …
    fn reads(register: u16, value: u8, first: u32, count: u32) -> Vec<u8> {
        let mut timer = riot();
        timer.write(register, value, 0);
        (0..count).map(|i| timer.read(0x284, &Levels::default(), first + 7 * i)).collect()
    }

    #[test]
    fn power_on_draws_ram_then_the_timer() {
        let riot = riot();
        assert_eq!(riot.ram[..8], [0xB8, 0x96, 0xC0, 0x49, 0xCB, 0x55, 0xC8, 0x7F]);
        assert_eq!((riot.timer.value, riot.timer.shift), (58, 6));
    }

    #[test]
    fn the_timer_counts_down_and_goes_on_after_expiry_as_measured() {
        assert_eq!(reads(0x294, 2, 4, 6), [0xFD, 0xF6, 0xEF, 0xE8, 0xE1, 0xDA]);
        assert_eq!(reads(0x294, 10, 4, 6), [0x06, 0xFF, 0xF1, 0xEA, 0xE3, 0xDC]);
        assert_eq!(reads(0x295, 2, 4, 9), [0x01, 0x00, 0xFE, 0xFD, 0xFD, 0xFC, 0xFB, 0xFA, 0xF9]);
        assert_eq!(reads(0x296, 0, 4, 10), [0xFC, 0xFC, 0xFC, 0xFC, 0xFC, 0xFC, 0xFC, 0xFC, 0xFC, 0xFB]);
        let late = [0, 0, 0, 0xFF, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8, 0xF7];
        assert_eq!(reads(0x296, 1, 44, 14), late);
    }

    #[test]
    fn rounds_of_any_timer_are_those_that_are_counted() {
        let mut rng = Mt19937::new(5);
        let mut going_on = 0;
        for _ in 0..20_000 {
            let shift = [0, 0, 3, 6, 10][rng.below(5) as usize];
            let (now, value) = (rng.below(20_000), rng.below(256));
            // Written lately, long ago, or in a time to come.
            let ago = [rng.below(600), u32::MAX - rng.below(300), rng.next_u32()][rng.below(3) as usize];
            let set = now.wrapping_sub(ago) as i32;
            let timer = Timer { value, shift, set, ..Timer::default() };
            let (step, last) = (7 + rng.below(2), rng.below(2));
            let rounds = timer.rounds(now, step, last);
            going_on += u32::from(rounds > 0);
            for round in [0, 1, rounds / 2, rounds.saturating_sub(1)].into_iter().filter(|n| *n < rounds) {
                let read = timer.clone().read(now.wrapping_add(round * step));
                assert!(
                    (last..128).contains(&u32::from(read)),
                    "{timer:?} at {now}: {read} in round {round}"
                );
            }
        }
        assert!(going_on > 2000, "{going_on}");
    }

    #[test]
    fn the_flag_rises_at_expiry_and_falls_with_a_late_read() {
        let mut riot = riot();
        riot.write(0x294, 5, 0);
        assert_eq!(riot.read(0x285, &Levels::default(), 4), 0x00);
        assert_eq!(riot.read(0x285, &Levels::default(), 20), 0x80);
        assert_eq!(riot.read(0x285, &Levels::default(), 21), 0x80);
        riot.read(0x284, &Levels::default(), 22);
        assert_eq!(riot.read(0x285, &Levels::default(), 23), 0x00);
    }

    #[test]
    fn ddra_reads_back_and_register_three_reads_zero() {
        let mut riot = riot();
        riot.write(0x281, 0xA5, 0);
        riot.write(0x283, 0xA5, 0);
        assert_eq!(riot.read(0x281, &Levels::default(), 0), 0xA5);
        assert_eq!(riot.read(0x283, &Levels::default(), 0), 0x00);
    }
}
