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

use ale_jit::display::{DISPLAY, Display, Fetcher, LOUDNESS, music_clocks};

use super::map::{Map, Span};
use super::state::{Fields, check};
use crate::error::Error;
use crate::rng::Mt19937;

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

/// The sequence of random numbers, and where in it each of them is. The last number is followed by itself.
static SEQUENCE: ([u8; 255], [u8; 255]) = {
    let (mut sequence, mut places) = ([0; 255], [0; 255]);
    let (mut number, mut place) = (1, 0);
    while place < 255 {
        sequence[place] = number;
        places[number as usize] = place as u8;
        number = AFTER[number as usize];
        place += 1;
    }
    assert!(number == 1);
    (sequence, places)
};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dpc {
    bank: u8,
    lfsr: u8,
    /// Here no load has still to clock the generator.
    display: Display,
}

impl Dpc {
    pub(super) fn new() -> Self {
        Self { bank: 1, lfsr: 1, display: Display::default() }
    }

    /// The fetchers and the music, for JIT code.
    #[inline]
    pub(super) fn display(&self) -> &Display {
        &self.display
    }

    /// Takes them back.
    #[inline]
    pub(super) fn set_display(&mut self, display: &Display) {
        self.display = Display { clocks: 0, ..*display };
        if let Some(&place) = SEQUENCE.1.get(usize::from(self.lfsr)) {
            self.lfsr = SEQUENCE.0[((u64::from(place) + u64::from(display.clocks)) % 255) as usize];
        }
    }

    // Reference: fetchers and generator keep what they hold.
    pub(super) fn reset(&mut self, _image: &[u8], _rng: &mut Mt19937, now: u32) {
        self.bank = 1;
        self.display.music_cycle = now;
        self.display.fraction = 0.0;
    }

    pub(super) fn rebase(&mut self, cycles: u32) {
        self.display.music_cycle = self.display.music_cycle.wrapping_sub(cycles);
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
        chip.read(&mut map, image, address, self.display.music_cycle)
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
        let (at, mask) = fetch(&mut self.display.fetchers[usize::from(a & 7)]);
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
        fetch(&mut self.display.fetchers[usize::from(a & 7)]);
        Some(self.loudness(now))
    }

    /// A read of one of the first 64 addresses.
    fn read_register(&mut self, image: &[u8], a: u16, now: u32) -> u8 {
        self.clock();
        let index = usize::from(a & 7);
        // The flag follows the counter as it was before this read, and before the music moves it.
        let (at, mask) = fetch(&mut self.display.fetchers[index]);
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
        let fetcher = &mut self.display.fetchers[index];
        match a >> 3 & 7 {
            0 => (fetcher.top, fetcher.flag) = (value, 0),
            1 => fetcher.bottom = value,
            2 => set_low(fetcher, if fetcher.music { fetcher.top } else { value }),
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
        let on = |index: usize| {
            usize::from(self.display.fetchers[index].music && self.display.fetchers[index].flag != 0)
        };
        LOUDNESS[on(5) | on(6) << 1 | on(7) << 2]
    }

    fn play_music(&mut self, now: u32) {
        let cycles = now.wrapping_sub(self.display.music_cycle) as i32;
        self.display.music_cycle = now;
        let clocks = music_clocks(cycles) + self.display.fraction;
        // Cycles are of 32 bits, so no clock is lost here.
        let whole = clocks as i32;
        self.display.fraction = clocks - f64::from(whole);
        if whole > 0 {
            for fetcher in self.display.fetchers[5..].iter_mut().filter(|fetcher| fetcher.music) {
                count_music(fetcher, whole as u32);
            }
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.bank, self.lfsr]);
        out.extend_from_slice(&self.display.music_cycle.to_le_bytes());
        out.extend_from_slice(&self.display.fraction.to_le_bytes());
        for fetcher in &self.display.fetchers {
            out.extend_from_slice(&[fetcher.top, fetcher.bottom]);
            out.extend_from_slice(&fetcher.counter.to_le_bytes());
            out.extend_from_slice(&[u8::from(fetcher.flag != 0), u8::from(fetcher.music)]);
        }
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        self.bank = fields.below("bank", 2)?;
        self.lfsr = fields.u8("random number")?;
        self.display.music_cycle = fields.i32("music cycle")? as u32;
        // Negative where the cycle counter has wrapped around.
        let fraction = fields.f64("music fraction")?;
        self.display.fraction = check("music fraction", fraction.abs() < 1.0, fraction)?;
        for (index, fetcher) in self.display.fetchers.iter_mut().enumerate() {
            fetcher.top = fields.u8("top")?;
            fetcher.bottom = fields.u8("bottom")?;
            let counter = fields.u16("counter")?;
            fetcher.counter = check("counter", counter < 0x800, counter)?;
            fetcher.flag = mask(fields.bool("flag")?);
            let music = fields.bool("music")?;
            fetcher.music = check("music", index >= 5 || !music, music)?;
        }
        Ok(())
    }
}

const fn mask(is: bool) -> u8 {
    if is { 0xFF } else { 0x00 }
}

/// A read: where in the display data the fetcher is, and its flag as a mask. A music fetcher stays there.
#[inline(always)]
fn fetch(fetcher: &mut Fetcher) -> (u16, u8) {
    let low = fetcher.counter as u8;
    if low == fetcher.top {
        fetcher.flag = mask(true);
    } else if low == fetcher.bottom {
        fetcher.flag = mask(false);
    }
    let at = 0x7FF - (fetcher.counter & 0x7FF);
    if !fetcher.music {
        fetcher.counter = fetcher.counter.wrapping_sub(1) & 0x7FF;
    }
    (at, fetcher.flag)
}

fn set_low(fetcher: &mut Fetcher, low: u8) {
    fetcher.counter = fetcher.counter & 0x700 | u16::from(low);
}

/// Counts down `clocks` (at least 1) between top and 0, round and round.
fn count_music(fetcher: &mut Fetcher, clocks: u32) {
    let period = i32::from(fetcher.top) + 1;
    let mut low = 0;
    if fetcher.top != 0 {
        // Mostly one clock.
        let clocks = if clocks < period as u32 { clocks } else { clocks % period as u32 };
        low = (i32::from(fetcher.counter as u8)) - clocks as i32;
        if low < 0 {
            low += period;
        }
    }
    if low <= i32::from(fetcher.bottom) {
        fetcher.flag = mask(false);
    } else if low <= i32::from(fetcher.top) {
        fetcher.flag = mask(true);
    }
    set_low(fetcher, low as u8);
}
