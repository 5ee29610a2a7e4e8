//! Numbers of double precision: the music clock of a cartridge.

use super::Assembler;
use super::operands::{Mem, Reg, Xmm};

/// The prefix of scalar instructions of double precision.
const SCALAR_DOUBLE: u8 = 0xF2;

impl Assembler {
    pub(crate) fn movsd_xm(&mut self, to: Xmm, at: Mem) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rm(false, &[0x0F, 0x10], to.0, at);
    }

    pub(crate) fn movsd_mx(&mut self, at: Mem, from: Xmm) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rm(false, &[0x0F, 0x11], from.0, at);
    }

    pub(crate) fn addsd_xm(&mut self, to: Xmm, at: Mem) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rm(false, &[0x0F, 0x58], to.0, at);
    }

    pub(crate) fn subsd(&mut self, to: Xmm, with: Xmm) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rr(false, &[0x0F, 0x5C], to.0, Reg(with.0));
    }

    pub(crate) fn xorps(&mut self, to: Xmm, with: Xmm) {
        self.op_rr(false, &[0x0F, 0x57], to.0, Reg(with.0));
    }

    /// From a signed number of 32 bits.
    pub(crate) fn cvtsi2sd(&mut self, to: Xmm, from: Reg) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rr(false, &[0x0F, 0x2A], to.0, from);
    }

    /// To a signed number of 32 bits, towards 0.
    pub(crate) fn cvttsd2si(&mut self, to: Reg, from: Xmm) {
        self.raw(&[SCALAR_DOUBLE]);
        self.op_rr(false, &[0x0F, 0x2C], to.0, Reg(from.0));
    }
}
