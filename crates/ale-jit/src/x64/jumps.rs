//! Jumps and calls, and the binding of their targets.

use super::Assembler;
use super::operands::{Cond, Reg, ShortJump};

impl Assembler {
    /// Jumps by a condition over a few bytes that are not written yet; gives the place of the distance.
    pub(crate) fn jcc_short(&mut self, condition: Cond) -> ShortJump {
        self.raw(&[0x70 | condition as u8, 0]);
        ShortJump(self.position() - 1)
    }

    pub(crate) fn jmp_short(&mut self) -> ShortJump {
        self.raw(&[0xEB, 0]);
        ShortJump(self.position() - 1)
    }

    /// Lets such a jump lead here.
    pub(crate) fn bind_short(&mut self, skip: ShortJump) {
        let distance = self.position() - (skip.0 + 1);
        self.bytes[skip.0] = i8::try_from(distance).expect("only a few bytes are skipped") as u8;
    }

    /// Jumps by a condition to somewhere that is not known yet; gives the place of the distance.
    pub(crate) fn jcc(&mut self, condition: Cond) -> usize {
        self.raw(&[0x0F, 0x80 | condition as u8]);
        self.imm32(0);
        self.position() - 4
    }

    pub(crate) fn jmp(&mut self) -> usize {
        self.raw(&[0xE9]);
        self.imm32(0);
        self.position() - 4
    }

    /// Calls something that is not known yet.
    pub(crate) fn call(&mut self) -> usize {
        self.raw(&[0xE8]);
        self.imm32(0);
        self.position() - 4
    }

    pub(crate) fn ret(&mut self) {
        self.raw(&[0xC3]);
    }

    pub(crate) fn jmp_r(&mut self, reg: Reg) {
        // Not tracked: these are no functions.
        self.raw(&[0x3E, 0x40 | reg.0 >> 3, 0xFF, 0xE0 | reg.0 & 7]);
    }

    /// A jump of any kind to a place that is not known yet, but known to be near.
    pub(crate) fn jump_short(&mut self, condition: Option<Cond>) -> ShortJump {
        match condition {
            Some(condition) => self.jcc_short(condition),
            None => self.jmp_short(),
        }
    }

    /// Lets a short jump lead to a place.
    pub(crate) fn bind_short_to(&mut self, skip: ShortJump, to: usize) {
        let distance = to.wrapping_sub(skip.0 + 1) as isize;
        self.bytes[skip.0] = i8::try_from(distance).expect("it is near") as u8;
    }

    /// Lets a jump lead to a place.
    pub(crate) fn bind(&mut self, jump: usize, to: usize) {
        let distance = to.wrapping_sub(jump + 4) as i32;
        self.bytes[jump..jump + 4].copy_from_slice(&distance.to_le_bytes());
    }
}
