//! Addressing modes: where an operand lies. One function per mode, each reading exactly the bytes it needs.

use super::{Bus, Cpu, read_word};

/// How an instruction names its operand.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Immediate,
    ZeroPage,
    ZeroPageX,
    ZeroPageY,
    Absolute,
    AbsoluteX,
    AbsoluteY,
    /// (zp,X)
    IndexedIndirect,
    /// (zp),Y
    IndirectIndexed,
}

/// Where the operand lies, and whether indexing left the page of the base address.
#[derive(Clone, Copy)]
pub(super) struct EffectiveAddress {
    pub(super) address: u16,
    pub(super) crossed: bool,
}

impl EffectiveAddress {
    const fn at(address: u16) -> Self {
        Self { address, crossed: false }
    }

    #[inline(always)]
    const fn indexed(base: u16, index: u8) -> Self {
        let address = base.wrapping_add(index as u16);
        Self { address, crossed: (address ^ base) & 0xFF00 != 0 }
    }
}

impl Cpu {
    /// Reads the address bytes of `mode` and tells where the operand is.
    // `mode` is a literal in every row, so only one arm is left of this after inlining.
    #[inline(always)]
    pub(super) fn effective_address(&self, bus: &mut impl Bus, pc: &mut u16, mode: Mode) -> EffectiveAddress {
        match mode {
            Mode::Immediate => EffectiveAddress::at(*pc), // its shape fetches the byte
            Mode::ZeroPage => zero_page(bus, pc, 0),
            Mode::ZeroPageX => zero_page(bus, pc, self.x),
            Mode::ZeroPageY => zero_page(bus, pc, self.y),
            Mode::Absolute => EffectiveAddress::at(fetch_word(bus, pc)),
            Mode::AbsoluteX => EffectiveAddress::indexed(fetch_word(bus, pc), self.x),
            Mode::AbsoluteY => EffectiveAddress::indexed(fetch_word(bus, pc), self.y),
            Mode::IndexedIndirect => self.indexed_indirect(bus, pc),
            Mode::IndirectIndexed => self.indirect_indexed(bus, pc),
        }
    }

    #[inline(always)]
    fn indexed_indirect(&self, bus: &mut impl Bus, pc: &mut u16) -> EffectiveAddress {
        let pointer = fetch(bus, pc).wrapping_add(self.x);
        EffectiveAddress::at(read_pointer(bus, pointer))
    }

    #[inline(always)]
    fn indirect_indexed(&self, bus: &mut impl Bus, pc: &mut u16) -> EffectiveAddress {
        let pointer = fetch(bus, pc);
        EffectiveAddress::indexed(read_pointer(bus, pointer), self.y)
    }
}

/// The next byte of the program.
#[inline(always)]
pub(super) fn fetch(bus: &mut impl Bus, pc: &mut u16) -> u8 {
    let address = *pc;
    *pc = address.wrapping_add(1);
    bus.read(address)
}

/// The next two bytes of the program, low first.
#[inline(always)]
pub(super) fn fetch_word(bus: &mut impl Bus, pc: &mut u16) -> u16 {
    let low = fetch(bus, pc);
    let high = fetch(bus, pc);
    u16::from_le_bytes([low, high])
}

/// The target of JMP (ind). The pointer's high byte never leaves the page of its low byte.
#[inline(always)]
pub(super) fn indirect(bus: &mut impl Bus, pc: &mut u16) -> u16 {
    let [pointer_low, pointer_high] = fetch_word(bus, pc).to_le_bytes();
    let low = bus.read(u16::from_le_bytes([pointer_low, pointer_high]));
    let high = bus.read(u16::from_le_bytes([pointer_low.wrapping_add(1), pointer_high]));
    u16::from_le_bytes([low, high])
}

/// Indexing wraps within the zero page.
#[inline(always)]
fn zero_page(bus: &mut impl Bus, pc: &mut u16, index: u8) -> EffectiveAddress {
    EffectiveAddress::at(u16::from(fetch(bus, pc).wrapping_add(index)))
}

/// Reads a pointer of the zero page.
// Reference: the high byte of a pointer at $FF comes from $0100; the chip takes it from $00.
#[inline(always)]
fn read_pointer(bus: &mut impl Bus, pointer: u8) -> u16 {
    read_word(bus, u16::from(pointer))
}
