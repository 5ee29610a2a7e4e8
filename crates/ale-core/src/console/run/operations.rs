//! What steps are made of: operands, flags, stores.
//!
//! Flags are kept as they come up: most are never asked for. See the fields of [`Threaded`].

use super::Threaded;
use super::program::ThreadedCode;

pub(super) const A: usize = 0;
pub(super) const X: usize = 1;
pub(super) const Y: usize = 2;

// Operands.
impl Threaded<'_, '_> {
    #[inline(always)]
    pub(super) fn ram(&mut self, address: u8) -> &mut u8 {
        &mut self.state.ram[usize::from(address)]
    }

    #[inline(always)]
    pub(super) fn pointer(&self, at: u8) -> u32 {
        let at = usize::from(at);
        u32::from(u16::from_le_bytes([self.state.ram[at], self.state.ram[at + 1]]))
    }

    /// The sum of an address and an index; it takes a cycle more if it lies in another page.
    #[inline(always)]
    pub(super) fn index_with_page_cross(&mut self, base: u32, index: usize) -> u32 {
        let index = self.state.registers[index];
        let (_, crosses) = (base as u8).overflowing_add(index);
        self.state.time += i64::from(crosses);
        base + u32::from(index)
    }
}

// Operations.
impl Threaded<'_, '_> {
    #[inline(always)]
    pub(super) fn set(&mut self, register: usize, value: u8) {
        self.state.registers[register] = value;
        self.state.nz = u32::from(value);
    }

    #[inline(always)]
    pub(super) fn with_flags(&mut self, value: u8) -> u8 {
        self.state.nz = u32::from(value);
        value
    }

    #[inline(always)]
    pub(super) fn compare(&mut self, register: usize, value: u8) {
        let difference = u32::from(self.state.registers[register]) + 0x100 - u32::from(value);
        self.state.carry = difference;
        self.state.nz = difference;
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: u8) {
        let a = self.state.registers[A];
        let sum = u32::from(a) + u32::from(value) + (self.state.carry >> 8);
        self.state.overflow = (a ^ sum as u8) & (value ^ sum as u8) & 0x80;
        self.state.carry = sum;
        self.state.nz = sum;
        self.state.registers[A] = sum as u8;
    }

    #[inline(always)]
    pub(super) fn subtract(&mut self, value: u8) {
        let a = self.state.registers[A];
        let difference = u32::from(a) + (self.state.carry >> 8) + 0xFF - u32::from(value);
        self.state.overflow = (value ^ a) & (difference as u8 ^ a) & 0x80;
        self.state.carry = difference;
        self.state.nz = difference;
        self.state.registers[A] = difference as u8;
    }

    #[inline(always)]
    pub(super) fn test(&mut self, value: u8) {
        self.state.overflow = value & 0x40;
        self.state.nz = u32::from(self.state.registers[A] & value) | u32::from(value & 0x80) << 2;
    }

    #[inline(always)]
    pub(super) fn rolled(&mut self, wide: u32) -> u8 {
        self.state.carry = wide;
        self.state.nz = wide;
        wide as u8
    }

    #[inline(always)]
    pub(super) fn set_overflow(&mut self, on: bool) {
        self.state.overflow = u8::from(on);
    }

    #[inline(always)]
    pub(super) fn put(&mut self, address: u8, register: usize) -> Option<u16> {
        *self.ram(address) = self.state.registers[register];
        None
    }

    #[inline(always)]
    pub(super) fn write(
        &mut self,
        ops: &ThreadedCode,
        next: u16,
        address: u32,
        register: usize,
    ) -> Option<u16> {
        let value = self.state.registers[register];
        if address & 0x1280 == 0x80 {
            *self.ram(address as u8) = value;
            None
        } else {
            Some(self.write_slow(ops, next, address, value))
        }
    }
}
