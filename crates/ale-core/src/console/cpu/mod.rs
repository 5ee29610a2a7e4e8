//! The 6507: registers, flags and what it is wired to.
//!
//! | file | holds |
//! |---|---|
//! | `opcodes.rs` | 256 rows: access shape, cycles, addressing mode, operation |
//! | `shapes.rs` | the order of time and accesses: one function per shape |
//! | `modes.rs` | where an operand lies: one function per addressing mode |
//! | `ops.rs` | what is done with it: one function per operation |
//!
//! The core is instruction-stepped. The opcode is fetched at the time the instruction before left behind,
//! then the whole instruction is charged at once, then come its other accesses in the order of the chip.
//! Reference: there are no dummy accesses but those of the stack instructions, and a read-modify-write
//! instruction writes once.

mod modes;
mod opcodes;
mod ops;
mod shapes;
#[cfg(test)]
mod tests;

/// Where the CPU finds its first instruction.
const RESET_VECTOR: u16 = 0xFFFC;
/// Where BRK continues.
const BREAK_VECTOR: u16 = 0xFFFE;

/// What the CPU is wired to: three functions, and one of them is time.
pub trait Bus {
    /// Reads a byte; may move the devices.
    fn read(&mut self, address: u16) -> u8;
    /// Writes a byte.
    fn write(&mut self, address: u16, value: u8);
    /// The only way time passes.
    fn tick(&mut self, cpu_cycles: u32);
}

/// Bits of the status register as the program sees it on the stack.
mod status {
    pub(super) const NEGATIVE: u8 = 0x80;
    pub(super) const OVERFLOW: u8 = 0x40;
    /// Bits 5 and 4 have no flip-flop; they are pushed as ones.
    pub(super) const ALWAYS: u8 = 0x30;
    pub(super) const DECIMAL: u8 = 0x08;
    pub(super) const INTERRUPT: u8 = 0x04;
    pub(super) const ZERO: u8 = 0x02;
    pub(super) const CARRY: u8 = 0x01;
}

/// Registers of the 6507. It is a plain value: cloning it is a snapshot.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a status register are bits")]
pub struct Cpu {
    /// Accumulator.
    pub(crate) a: u8,
    /// Index register X.
    pub(crate) x: u8,
    /// Index register Y.
    pub(crate) y: u8,
    /// Stack pointer; the stack is at $0100 + SP.
    pub(crate) sp: u8,
    /// Address of the next instruction, all 16 bits.
    pub(crate) pc: u16,
    /// True after a jam opcode: nothing is executed until the next reset.
    pub(crate) jammed: bool,
    // Most instructions set N and Z and few read them, so both are kept as a byte that tells them.
    /// N is bit 7 of this byte.
    pub(in crate::console) negative: u8,
    /// Z is set when this byte is 0.
    pub(in crate::console) zero: u8,
    pub(in crate::console) carry: bool,
    pub(in crate::console) overflow: bool,
    pub(in crate::console) decimal: bool,
    pub(in crate::console) interrupt: bool,
}

impl Cpu {
    /// Registers after a reset, before the vector is read.
    pub const fn new() -> Self {
        Self {
            a: 0,
            x: 0,
            y: 0,
            sp: 0xFF,
            pc: 0,
            jammed: false,
            negative: 0,
            zero: 1,
            carry: false,
            overflow: false,
            decimal: false,
            // Reference: the chip sets I on reset.
            interrupt: false,
        }
    }

    /// Clears the registers and reads the reset vector, which takes no time.
    pub fn reset(&mut self, bus: &mut impl Bus) {
        *self = Self::new();
        self.pc = read_word(bus, RESET_VECTOR);
    }

    /// Runs one instruction; a jammed CPU does nothing.
    #[inline(never)]
    pub fn run_instruction(&mut self, bus: &mut impl Bus) {
        if !self.jammed {
            let mut pc = self.pc;
            self.execute(bus, &mut pc);
            self.pc = pc;
        }
    }

    /// Runs instructions until `stop` says so after one of them, `limit` of them have run or the CPU jams.
    /// Returns how many have run.
    pub fn run_instructions<B: Bus>(&mut self, bus: &mut B, limit: u32, stop: impl Fn(&B) -> bool) -> u32 {
        let mut count = 0;
        while count < limit && !self.jammed {
            self.run_instruction(bus);
            count += 1;
            if stop(bus) {
                break;
            }
        }
        count
    }

    /// The status register as it is pushed: N V 1 1 D I Z C.
    #[inline(always)]
    pub fn p(&self) -> u8 {
        (self.negative & status::NEGATIVE)
            | (u8::from(self.overflow) * status::OVERFLOW)
            | status::ALWAYS
            | (u8::from(self.decimal) * status::DECIMAL)
            | (u8::from(self.interrupt) * status::INTERRUPT)
            | (u8::from(self.zero == 0) * status::ZERO)
            | (u8::from(self.carry) * status::CARRY)
    }

    /// Sets the flags from a packed status register; bits 5 and 4 are ignored.
    #[inline(always)]
    pub fn set_p(&mut self, p: u8) {
        self.negative = p & status::NEGATIVE;
        self.overflow = p & status::OVERFLOW != 0;
        self.decimal = p & status::DECIMAL != 0;
        self.interrupt = p & status::INTERRUPT != 0;
        self.zero = !p & status::ZERO;
        self.carry = p & status::CARRY != 0;
    }

    /// True after a jam opcode: [`Cpu::run_instruction`] then does nothing until the next reset.
    #[inline(always)]
    pub fn jammed(&self) -> bool {
        self.jammed
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new()
    }
}

/// Two CPUs are equal when no program can tell them apart; how a flag is kept does not count.
impl PartialEq for Cpu {
    fn eq(&self, other: &Self) -> bool {
        let registers = |cpu: &Self| (cpu.a, cpu.x, cpu.y, cpu.sp, cpu.pc, cpu.p(), cpu.jammed);
        registers(self) == registers(other)
    }
}

impl Eq for Cpu {}

/// Low byte first, then high: the order matters to the data-bus latch and to bank switching.
#[inline(always)]
fn read_word(bus: &mut impl Bus, address: u16) -> u16 {
    let low = bus.read(address);
    let high = bus.read(address.wrapping_add(1));
    u16::from_le_bytes([low, high])
}
