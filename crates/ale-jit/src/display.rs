//! A chip of cartridges that fetches display data and plays music.

/// A data fetcher.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fetcher {
    /// 11 bits.
    pub counter: u16,
    /// The low byte of the counter that sets the flag.
    pub top: u8,
    /// The one that clears it.
    pub bottom: u8,
    /// All bits or none.
    pub flag: u8,
    /// Counts music clocks instead of reads; only fetchers 5 to 7 can.
    pub music: bool,
}

/// What loads of display data and music change.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Display {
    /// The data fetchers.
    pub fetchers: [Fetcher; 8],
    /// Loads that still have to clock the generator of random numbers.
    pub clocks: u32,
    /// The cycle up to which the music has been played.
    pub music_cycle: u32,
    /// The part of a music clock that has passed since.
    pub fraction: f64,
}

/// Where the display data begin in the image.
pub const DISPLAY: usize = 8192;

/// Loudness by the voices that are on, bit 0 for fetcher 5.
pub const LOUDNESS: [u8; 8] = [0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F];

/// The music clock and the CPU clock in Hz.
const MUSIC_CLOCK: f64 = 15750.0;
const CPU_CLOCK: f64 = 1_193_191.666_666_67;

/// The music clocks of few cycles.
pub(crate) static CLOCKS: [f64; 256] = {
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
pub fn music_clocks(cycles: i32) -> f64 {
    let few = usize::try_from(cycles).ok().and_then(|cycles| CLOCKS.get(cycles));
    few.copied().unwrap_or_else(|| MUSIC_CLOCK * f64::from(cycles) / CPU_CLOCK)
}
