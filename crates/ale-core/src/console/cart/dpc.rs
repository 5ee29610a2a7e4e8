//! The Display Processor Chip (DPC): two banks of program, 2 KiB of display data, eight data fetchers, a random
//! number generator, and three voices of music.
//!
//! | window offset | read | write |
//! |---|---|---|
//! | $000–$003 | random number | – |
//! | $004–$007 | loudness of the music | – |
//! | $008–$00F | display data of fetcher 0–7 | – |
//! | $010–$017 | the same, masked by the fetcher's flag | – |
//! | $038–$03F | the flag | – |
//! | $040–$047 | program | top of fetcher 0–7; clears its flag |
//! | $048–$04F | program | bottom |
//! | $050–$057 | program | counter, low eight bits |
//! | $058–$05F | program | counter, high three bits; bit 4 makes 5–7 a voice |
//! | $070–$077 | program | restarts the random numbers |
//! | $FF8, $FF9 | selects bank 0, 1 | selects bank 0, 1 |
//!
//! Reads at $080–$FBF do not reach the chip; everything else does, and every access that does clocks the
//! generator first.

use super::map::{Map, Span};
use super::state::{Bytes, check};
use crate::error::Error;
use crate::rng::Mt19937;

/// Where the display data begin in the image.
const DISPLAY: usize = 8192;
/// Loudness by the voices that are on, bit 0 for fetcher 5.
const LOUDNESS: [u8; 8] = [0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F];
/// The music clock and the CPU clock in Hz.
const MUSIC_CLOCK: f64 = 15750.0;
const CPU_CLOCK: f64 = 1_193_191.666_666_67;

/// The music clocks of few cycles.
static CLOCKS: [f64; 256] = {
    let mut table = [0.0; 256];
    let mut cycles = 0;
    while cycles < table.len() {
        table[cycles] = MUSIC_CLOCK * cycles as u32 as f64 / CPU_CLOCK;
        cycles += 1;
    }
    table
};

/// The music clocks of some cycles.
#[inline]
fn clocks_of(cycles: i32) -> f64 {
    let few = usize::try_from(cycles).ok().and_then(|cycles| CLOCKS.get(cycles));
    few.copied().unwrap_or_else(|| MUSIC_CLOCK * f64::from(cycles) / CPU_CLOCK)
}

/// The random number after each random number.
static AFTER: [u8; 256] = {
    let mut table = [0; 256];
    let mut number = 0;
    while number < 256 {
        let bits = number >> 7 ^ number >> 5 ^ number >> 4 ^ number >> 3;
        table[number] = (number << 1 | (1 ^ bits & 1)) as u8;
        number += 1;
    }
    table
};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dpc {
    bank: u8,
    fetchers: [Fetcher; 8],
    lfsr: u8,
    /// The cycle up to which the music has been played.
    music_cycle: i32,
    /// The part of a music clock that has passed since.
    fraction: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Fetcher {
    top: u8,
    bottom: u8,
    /// 11 bits.
    counter: u16,
    /// The counter is between top and bottom.
    flag: bool,
    /// Counts music clocks instead of reads; only 5 to 7 can.
    music: bool,
}

impl Dpc {
    pub(super) fn new() -> Self {
        Self { bank: 1, fetchers: [Fetcher::default(); 8], lfsr: 1, music_cycle: 0, fraction: 0.0 }
    }

    // Reference: fetchers and generator keep what they hold.
    pub(super) fn reset(&mut self, _image: &[u8], _rng: &mut Mt19937, now: u32) {
        self.bank = 1;
        self.music_cycle = now as i32;
        self.fraction = 0.0;
    }

    pub(super) fn rebase(&mut self, cycles: u32) {
        self.music_cycle = self.music_cycle.wrapping_sub(cycles as i32);
    }

    pub(super) fn remap(&self, map: &mut Map) {
        map.set_window(0x1000 * u32::from(self.bank));
        map.reads = Span::new(0x080, 0xFC0);
        map.writes = Span::NONE;
    }

    pub(super) fn read(&mut self, map: &mut Map, image: &[u8], address: u16, now: u32) -> u8 {
        match address & 0xFFF {
            a @ 0x000..0x040 => self.read_register(image, a, now),
            a => {
                self.clock();
                self.touch(map, a);
                map.byte(image, address)
            }
        }
    }

    pub(super) fn write(&mut self, map: &mut Map, address: u16, value: u8, _now: u32) {
        self.clock();
        match address & 0xFFF {
            a @ 0x040..0x080 => self.write_register(a, value),
            a => self.touch(map, a),
        }
    }

    pub(super) fn peek(&self, map: &Map, image: &[u8], address: u16) -> u8 {
        let (mut chip, mut map) = (self.clone(), *map);
        chip.read(&mut map, image, address, self.music_cycle as u32)
    }

    /// The fraction as it is after it was written with eight decimal digits and read back.
    pub(super) fn round_fraction(&mut self) {
        self.fraction = (self.fraction * 1e8).trunc() / 1e8;
    }

    #[inline(always)]
    fn clock(&mut self) {
        self.lfsr = AFTER[usize::from(self.lfsr)];
    }

    fn touch(&mut self, map: &mut Map, a: u16) {
        if let 0xFF8 | 0xFF9 = a {
            self.bank = (a & 1) as u8;
            map.set_window(0x1000 * u32::from(self.bank));
        }
    }

    /// A read of display data, if the address is that of any.
    #[inline(always)]
    pub(super) fn read_display(&mut self, image: &[u8; 0x1_0000], a: u16) -> Option<u8> {
        if !(0x008..0x018).contains(&a) {
            return None;
        }
        self.clock();
        let (at, mask) = self.fetchers[usize::from(a & 7)].fetch();
        let display = image[DISPLAY + usize::from(at)];
        Some(if a < 0x010 { display } else { display & mask })
    }

    /// A read of what the music sounds like, if the address is one of those.
    #[inline(always)]
    pub(super) fn read_music(&mut self, a: u16, now: u32) -> Option<u8> {
        if !(0x004..0x008).contains(&a) {
            return None;
        }
        self.clock();
        self.fetchers[usize::from(a & 7)].fetch();
        Some(self.loudness(now))
    }

    /// A read of one of the first 64 addresses.
    fn read_register(&mut self, image: &[u8], a: u16, now: u32) -> u8 {
        self.clock();
        let index = usize::from(a & 7);
        // The flag follows the counter as it was before this read, and before the music moves it.
        let (at, mask) = self.fetchers[index].fetch();
        match a >> 3 & 7 {
            0 if index < 4 => self.lfsr,
            0 => self.loudness(now),
            1 => image[DISPLAY + usize::from(at)],
            2 => image[DISPLAY + usize::from(at)] & mask,
            7 => mask,
            _ => 0,
        }
    }

    fn write_register(&mut self, a: u16, value: u8) {
        let index = usize::from(a & 7);
        let fetcher = &mut self.fetchers[index];
        match a >> 3 & 7 {
            0 => (fetcher.top, fetcher.flag) = (value, false),
            1 => fetcher.bottom = value,
            2 => fetcher.set_low(if fetcher.music { fetcher.top } else { value }),
            3 => {
                fetcher.counter = u16::from(value & 7) << 8 | fetcher.counter & 0xFF;
                fetcher.music = index >= 5 && value & 0x10 != 0;
            }
            6 => self.lfsr = 1,
            _ => {}
        }
    }

    fn loudness(&mut self, now: u32) -> u8 {
        self.play_music(now);
        let on = |index: usize| usize::from(self.fetchers[index].music && self.fetchers[index].flag);
        LOUDNESS[on(5) | on(6) << 1 | on(7) << 2]
    }

    fn play_music(&mut self, now: u32) {
        let cycles = (now as i32).wrapping_sub(self.music_cycle);
        self.music_cycle = now as i32;
        let clocks = clocks_of(cycles) + self.fraction;
        // Cycles are of 32 bits, so no clock is lost here.
        let whole = clocks as i32;
        self.fraction = clocks - f64::from(whole);
        if whole > 0 {
            for fetcher in self.fetchers[5..].iter_mut().filter(|fetcher| fetcher.music) {
                fetcher.count_music(whole as u32);
            }
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.bank, self.lfsr]);
        out.extend_from_slice(&self.music_cycle.to_le_bytes());
        out.extend_from_slice(&self.fraction.to_le_bytes());
        for fetcher in &self.fetchers {
            out.extend_from_slice(&[fetcher.top, fetcher.bottom]);
            out.extend_from_slice(&fetcher.counter.to_le_bytes());
            out.extend_from_slice(&[u8::from(fetcher.flag), u8::from(fetcher.music)]);
        }
    }

    pub(super) fn restore(&mut self, bytes: &mut Bytes) -> Result<(), Error> {
        self.bank = bytes.below("bank", 2)?;
        self.lfsr = bytes.u8("random number")?;
        self.music_cycle = bytes.i32("music cycle")?;
        // Negative where the cycle counter has wrapped around.
        let fraction = bytes.f64("music fraction")?;
        self.fraction = check("music fraction", fraction.abs() < 1.0, fraction)?;
        for (index, fetcher) in self.fetchers.iter_mut().enumerate() {
            fetcher.top = bytes.u8("top")?;
            fetcher.bottom = bytes.u8("bottom")?;
            let counter = bytes.u16("counter")?;
            fetcher.counter = check("counter", counter < 0x800, counter)?;
            fetcher.flag = bytes.bool("flag")?;
            let music = bytes.bool("music")?;
            fetcher.music = check("music", index >= 5 || !music, music)?;
        }
        Ok(())
    }
}

impl Fetcher {
    /// A read: where in the display data the fetcher is, and its flag as a mask. A music fetcher stays there.
    #[inline(always)]
    fn fetch(&mut self) -> (u16, u8) {
        self.update_flag();
        let at = 0x7FF - (self.counter & 0x7FF);
        if !self.music {
            self.counter = self.counter.wrapping_sub(1) & 0x7FF;
        }
        (at, if self.flag { 0xFF } else { 0x00 })
    }

    #[inline(always)]
    fn update_flag(&mut self) {
        let low = self.counter as u8;
        if low == self.top {
            self.flag = true;
        } else if low == self.bottom {
            self.flag = false;
        }
    }

    fn set_low(&mut self, low: u8) {
        self.counter = self.counter & 0x700 | u16::from(low);
    }

    /// Counts down `clocks` (at least 1) between top and 0, round and round.
    fn count_music(&mut self, clocks: u32) {
        let period = i32::from(self.top) + 1;
        let mut low = 0;
        if self.top != 0 {
            // Mostly one clock.
            let clocks = if clocks < period as u32 { clocks } else { clocks % period as u32 };
            low = (i32::from(self.counter as u8)) - clocks as i32;
            if low < 0 {
                low += period;
            }
        }
        if low <= i32::from(self.bottom) {
            self.flag = false;
        } else if low <= i32::from(self.top) {
            self.flag = true;
        }
        self.set_low(low as u8);
    }
}
