//! What compiled code works on.

use crate::display::Display;

/// At most this many writes are logged before the code looks whether there is room for more.
pub(crate) const MAX_UNCHECKED_WRITES: usize = 64;
/// With more writes than this the code returns.
pub(crate) const LOG_LIMIT: usize = 223;
const LOG_CAPACITY: usize = LOG_LIMIT + MAX_UNCHECKED_WRITES + 1;

/// Registers, flags and RAM of a console, and the writes to its video chip that are still to be done.
#[repr(C)]
#[derive(Debug, Clone)]
pub struct State {
    /// At the end of the basic block: instructions left before the code runs out of budget, and the clock. See [`CYCLE_BITS`]. It may be up to
    /// [`crate::MAX_OVERDRAFT`] instructions less than none before the code returns.
    pub time: i64,
    /// C in bit 8; nothing above it.
    pub carry: u32,
    /// Z if the low byte is 0, N if bit 7 or 9 is set.
    pub nz: u32,
    /// The interval timer.
    pub timer: Timer,
    /// From which clock on the inputs of the video chip read high: INPT0 to INPT5, and two that are none.
    pub pins: [u32; 8],
    /// What the first four registers of the ports read as.
    pub ports: [u8; 4],
    /// The first address of the current ROM span.
    pub(crate) first: u32,
    pub(crate) log_len: u32,
    /// A, X and Y.
    pub registers: [u8; 3],
    /// RAM, at its addresses in the zero page. (Pointers are read two bytes at once.)
    pub ram: [u8; 0x101],
    /// The stack pointer.
    pub sp: u8,
    /// V, if it is not 0.
    pub overflow: u8,
    /// D.
    pub decimal: bool,
    /// I.
    pub interrupt: bool,
    /// Whether VBLANK was written, so that the first four of [`Self::pins`] may be others.
    pub pins_stale: bool,
    /// A13 to A15 of the addresses where the program is.
    pub(crate) mirror: u8,
    /// The begin of a line; after a WSYNC that to which it has waited.
    pub line: u32,
    /// Length of the current ROM span, and its offset in the image.
    pub(crate) len: u32,
    pub(crate) offset: u32,
    /// Where in memory there is no room in the write log any more: its end.
    pub(crate) log_end: u64,
    /// What was last written to each register of the video chip, if that is known. Other values are none of a byte. Of the
    /// players' graphics the low byte is always known; the high one tells that the next write has to be logged, since
    /// it moves another register into its delayed copy.
    pub(crate) tia_shadow: [u16; 64],
    pub(crate) write_log: [TiaWrite; LOG_CAPACITY],
    /// By A10, A11 and A13 of an address with A12 = 1 and A14 = A15 = 0: the plain ROM around it.
    pub(crate) windows: [RomWindow; 12],
    /// The chip of the cartridge, where it has one.
    pub display: Display,
    /// Bytes by which a write to a colour takes room: those of a log entry, or none if they are not logged.
    pub(crate) color_step: u64,
}

/// Plain ROM: its first address, its length, its offset in the image.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RomWindow {
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) offset: u32,
    unused: u32,
}

impl RomWindow {
    /// None if it does not lie in the first 65,536 bytes.
    pub fn new(first: u16, len: u16, offset: usize) -> Self {
        let fits = offset <= 0x1_0000 - usize::from(len);
        let [len, offset] = if fits { [u32::from(len), offset as u32] } else { [0, 0] };
        Self { first: u32::from(first), len, offset, unused: 0 }
    }
}

/// The interval timer, as the console keeps it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timer {
    /// What was written.
    pub value: u32,
    /// Log2 of the divider.
    pub shift: u32,
    /// The clock of the write.
    pub set: u32,
    /// The clock of the first read after expiry.
    pub late_read: u32,
    /// Whether such a read has happened.
    pub late: bool,
}

/// The value of a register is unknown.
const UNKNOWN: u16 = 0xFFFF;
/// The first of four colours.
pub(crate) const COLU: usize = 0x06;
/// Graphics of the players.
pub(crate) const GRP: [usize; 2] = [0x1B, 0x1C];

/// The address lines that tell mirrors of the window from each other, in the upper byte of an address.
pub(crate) const MIRROR: u8 = 0xE0;

/// Bits of a time that hold cycles; instructions are in those above.
pub const CYCLE_BITS: u32 = 24;
const CYCLES: u32 = (1 << CYCLE_BITS) - 1;

/// A write to the video chip.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TiaWrite {
    /// The value, the register, and the cycles of the basic block after the instruction.
    what: u32,
    /// The clock at the end of the basic block, in the lower bits.
    time: u32,
}

impl TiaWrite {
    /// Nothing.
    pub const NONE: Self = Self { what: 0, time: 0 };

    /// A write at a clock.
    #[inline(always)]
    pub fn new(register: u8, value: u8, now: u32) -> Self {
        Self { what: u32::from(register) << 8 | u32::from(value), time: now }
    }

    /// The register.
    #[inline(always)]
    pub fn register(self) -> u8 {
        (self.what >> 8) as u8
    }

    /// What is written.
    #[inline(always)]
    pub fn value(self) -> u8 {
        self.what as u8
    }

    /// The clock after the instruction.
    #[inline(always)]
    pub fn now(self) -> u32 {
        self.time.wrapping_sub(self.what >> 16) & CYCLES
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            time: 0,
            carry: 0,
            nz: 0,
            display: Display::default(),
            color_step: size_of::<TiaWrite>() as u64,
            timer: Timer::default(),
            pins: [u32::MAX; 8],
            ports: [0; 4],
            pins_stale: true,
            line: 0,
            first: 0,
            mirror: 0,
            len: 0,
            offset: 0,
            log_end: 0,
            log_len: 0,
            windows: [RomWindow::default(); 12],
            registers: [0; 3],
            sp: 0,
            overflow: 0,
            decimal: false,
            interrupt: false,
            ram: [0; 0x101],
            tia_shadow: [UNKNOWN; 64],
            write_log: [TiaWrite::default(); LOG_CAPACITY],
        }
    }
}

impl State {
    /// Where the plain ROM is in which the program is: its first address, its length, its offset in the image.
    #[inline(always)]
    pub fn set_rom_span(&mut self, first: u32, len: u32, offset: u32) {
        (self.first, self.len, self.offset) = (first, len, offset);
        self.mirror = (first >> 8) as u8 & MIRROR;
    }

    /// The plain ROM where the program is now: address, length and offset.
    #[inline(always)]
    pub fn rom_span(&self) -> [u32; 3] {
        [self.first, self.len, self.offset]
    }

    /// What is seen where, by A10, A11 and A13.
    pub fn set_windows(&mut self, windows: [RomWindow; 12]) {
        self.windows = windows;
    }

    /// The writes that the code has logged, in their order.
    #[inline(always)]
    pub fn write_log(&self) -> &[TiaWrite] {
        self.write_log.get(..self.log_len as usize).unwrap_or_default()
    }

    /// Whether writes to colours are logged. Otherwise only the last ones count: see [`Self::colors`].
    pub fn set_colors_logged(&mut self, log_len: bool) {
        self.color_step = if log_len { size_of::<TiaWrite>() as u64 } else { 0 };
    }

    /// What was last written to the four colours since [`Self::invalidate_tia_shadow`], if anything was.
    #[inline(always)]
    pub fn colors(&self) -> [Option<u8>; 4] {
        std::array::from_fn(|index| u8::try_from(self.tia_shadow[COLU + index]).ok())
    }

    /// The video chip was written to by something other than JIT code, or another one begins; the graphics of its players are these.
    pub fn invalidate_tia_shadow(&mut self, graphics: [u8; 2]) {
        self.tia_shadow = [UNKNOWN; 64];
        self.pins_stale = true;
        for (register, byte) in GRP.into_iter().zip(graphics) {
            self.tia_shadow[register] = 0x100 | u16::from(byte);
        }
    }
}

/// Where the code finds the fields.
#[cfg(backend = "x64")]
pub(crate) mod at {
    use std::mem::offset_of;

    use super::{State, Timer};

    /// Where the code points into the state: behind RAM, so that distances to the fields that are used most are short.
    pub(crate) const BIAS: i32 = offset_of!(State, ram) as i32 + 0x100;

    pub(crate) const TIME: i32 = offset_of!(State, time) as i32 - BIAS;
    pub(crate) const CARRY: i32 = offset_of!(State, carry) as i32 - BIAS;
    pub(crate) const NZ: i32 = offset_of!(State, nz) as i32 - BIAS;
    pub(crate) const DISPLAY: i32 = offset_of!(State, display) as i32 - BIAS;
    pub(crate) const COLOR_STEP: i32 = offset_of!(State, color_step) as i32 - BIAS;
    pub(crate) const TIMER: i32 = offset_of!(State, timer) as i32 - BIAS;
    pub(crate) const TIMER_VALUE: i32 = TIMER + offset_of!(Timer, value) as i32;
    pub(crate) const TIMER_SHIFT: i32 = TIMER + offset_of!(Timer, shift) as i32;
    pub(crate) const TIMER_SET: i32 = TIMER + offset_of!(Timer, set) as i32;
    pub(crate) const TIMER_LATE: i32 = TIMER + offset_of!(Timer, late) as i32;
    pub(crate) const PINS: i32 = offset_of!(State, pins) as i32 - BIAS;
    pub(crate) const PORTS: i32 = offset_of!(State, ports) as i32 - BIAS;
    pub(crate) const PINS_STALE: i32 = offset_of!(State, pins_stale) as i32 - BIAS;
    pub(crate) const LINE: i32 = offset_of!(State, line) as i32 - BIAS;
    pub(crate) const FIRST: i32 = offset_of!(State, first) as i32 - BIAS;
    pub(crate) const WINDOWS: i32 = offset_of!(State, windows) as i32 - BIAS;
    pub(crate) const WINDOW_LEN: i32 = WINDOWS + offset_of!(super::RomWindow, len) as i32;
    pub(crate) const WINDOW_OFFSET: i32 = WINDOWS + offset_of!(super::RomWindow, offset) as i32;
    pub(crate) const MIRROR: i32 = offset_of!(State, mirror) as i32 - BIAS;
    pub(crate) const LOG_END: i32 = offset_of!(State, log_end) as i32 - BIAS;
    pub(crate) const LEN: i32 = offset_of!(State, len) as i32 - BIAS;
    pub(crate) const OFFSET: i32 = offset_of!(State, offset) as i32 - BIAS;
    pub(crate) const LOG_LEN: i32 = offset_of!(State, log_len) as i32 - BIAS;
    pub(crate) const REGISTERS: i32 = offset_of!(State, registers) as i32 - BIAS;
    pub(crate) const SP: i32 = offset_of!(State, sp) as i32 - BIAS;
    pub(crate) const OVERFLOW: i32 = offset_of!(State, overflow) as i32 - BIAS;
    pub(crate) const DECIMAL: i32 = offset_of!(State, decimal) as i32 - BIAS;
    pub(crate) const INTERRUPT: i32 = offset_of!(State, interrupt) as i32 - BIAS;
    pub(crate) const RAM: i32 = offset_of!(State, ram) as i32 - BIAS;
    pub(crate) const SHADOW: i32 = offset_of!(State, tia_shadow) as i32 - BIAS;
    pub(crate) const LOG: i32 = offset_of!(State, write_log) as i32 - BIAS;
}
