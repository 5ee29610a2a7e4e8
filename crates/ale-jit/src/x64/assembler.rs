//! The encoder, and the instructions that move and combine values.

use super::operands::{AluOp, ByteOperand, Cond, Mem, Reg, Shift};

/// Code that is being written.
#[derive(Default)]
pub(crate) struct Assembler {
    pub(crate) bytes: Vec<u8>,
}

impl Assembler {
    pub(crate) fn position(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn imm32(&mut self, word: i32) {
        self.raw(&word.to_le_bytes());
    }

    /// The prefix that names more registers; left out where it is not needed. (Nor is it for the lower bytes of registers 4 to
    /// 7: they are not used.)
    pub(super) fn rex(&mut self, wide: bool, reg: u8, index: u8, base: u8) {
        let prefix = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
        if prefix != 0x40 {
            self.raw(&[prefix]);
        }
    }

    /// An opcode and two registers.
    pub(super) fn op_rr(&mut self, wide: bool, opcode: &[u8], reg: u8, rm: Reg) {
        self.rex(wide, reg, 0, rm.0);
        self.raw(opcode);
        self.raw(&[0xC0 | (reg & 7) << 3 | rm.0 & 7]);
    }

    /// The same with a register and memory.
    pub(super) fn op_rm(&mut self, wide: bool, opcode: &[u8], reg: u8, at: Mem) {
        let (index, shift) = at.index.map_or((4, 0), |(index, shift)| (index.0, shift));
        self.rex(wide, reg, index, at.base.0);
        self.raw(opcode);
        let short = i8::try_from(at.distance).ok();
        let mode = match at.distance {
            0 if at.base.0 & 7 != 5 => 0x00,
            _ if short.is_some() => 0x40,
            _ => 0x80,
        };
        if at.index.is_some() || at.base.0 & 7 == 4 {
            self.raw(&[mode | (reg & 7) << 3 | 4, shift << 6 | (index & 7) << 3 | at.base.0 & 7]);
        } else {
            self.raw(&[mode | (reg & 7) << 3 | at.base.0 & 7]);
        }
        match short {
            _ if mode == 0x00 => {}
            Some(distance) => self.raw(&distance.to_le_bytes()),
            None => self.imm32(at.distance),
        }
    }

    pub(crate) fn push(&mut self, reg: Reg) {
        self.raw(&[0x40 | reg.0 >> 3, 0x50 | reg.0 & 7]);
    }

    pub(crate) fn pop(&mut self, reg: Reg) {
        self.raw(&[0x40 | reg.0 >> 3, 0x58 | reg.0 & 7]);
    }

    pub(crate) fn mov_rr(&mut self, to: Reg, from: Reg) {
        self.op_rr(false, &[0x8B], to.0, from);
    }

    pub(crate) fn mov_rr64(&mut self, to: Reg, from: Reg) {
        self.op_rr(true, &[0x8B], to.0, from);
    }

    /// The low byte of a register.
    pub(crate) fn movzx_rr8(&mut self, to: Reg, from: Reg) {
        self.op_rr(false, &[0x0F, 0xB6], to.0, from);
    }

    /// May change the processor's flags.
    pub(crate) fn mov_ri(&mut self, to: Reg, value: u32) {
        if value == 0 {
            self.alu_rr(AluOp::Xor, to, to);
            return;
        }
        self.rex(false, 0, 0, to.0);
        self.raw(&[0xB8 | to.0 & 7]);
        self.raw(&value.to_le_bytes());
    }

    /// A constant of 64 bits.
    pub(crate) fn mov_ri64(&mut self, to: Reg, value: u64) {
        self.rex(true, 0, 0, to.0);
        self.raw(&[0xB8 | to.0 & 7]);
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn mov_rm(&mut self, to: Reg, at: Mem) {
        self.op_rm(false, &[0x8B], to.0, at);
    }

    pub(crate) fn mov_rm64(&mut self, to: Reg, at: Mem) {
        self.op_rm(true, &[0x8B], to.0, at);
    }

    pub(crate) fn movzx_rm8(&mut self, to: Reg, at: Mem) {
        self.op_rm(false, &[0x0F, 0xB6], to.0, at);
    }

    /// A byte with its sign.
    pub(crate) fn movsx_rm8(&mut self, to: Reg, at: Mem) {
        self.op_rm(true, &[0x0F, 0xBE], to.0, at);
    }

    pub(crate) fn movzx_rm16(&mut self, to: Reg, at: Mem) {
        self.op_rm(false, &[0x0F, 0xB7], to.0, at);
    }

    pub(crate) fn mov_mr(&mut self, at: Mem, from: Reg) {
        self.op_rm(false, &[0x89], from.0, at);
    }

    pub(crate) fn mov_mr64(&mut self, at: Mem, from: Reg) {
        self.op_rm(true, &[0x89], from.0, at);
    }

    pub(crate) fn mov_mr8(&mut self, at: Mem, from: Reg) {
        self.op_rm(false, &[0x88], from.0, at);
    }

    pub(crate) fn mov_mi16(&mut self, at: Mem, value: u16) {
        self.raw(&[0x66]);
        self.op_rm(false, &[0xC7], 0, at);
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn mov_mi8(&mut self, at: Mem, value: u8) {
        self.op_rm(false, &[0xC6], 0, at);
        self.raw(&[value]);
    }

    /// Adds to the byte in memory.
    pub(crate) fn add_mi8(&mut self, at: Mem, value: i8) {
        self.op_rm(false, &[0x80], AluOp::Add as u8, at);
        self.raw(&value.to_le_bytes());
    }

    /// The byte in memory, less 1.
    pub(crate) fn dec_m8(&mut self, at: Mem) {
        self.op_rm(false, &[0xFE], 1, at);
    }

    /// The address itself.
    pub(crate) fn lea(&mut self, to: Reg, at: Mem) {
        self.op_rm(false, &[0x8D], to.0, at);
    }

    pub(crate) fn lea64(&mut self, to: Reg, at: Mem) {
        self.op_rm(true, &[0x8D], to.0, at);
    }

    /// The address of a byte of the code itself.
    pub(crate) fn lea_rip(&mut self, to: Reg, position: usize) {
        self.rex(true, to.0, 0, 0);
        self.raw(&[0x8D, (to.0 & 7) << 3 | 5]);
        let distance = position.wrapping_sub(self.position() + 4) as i32;
        self.imm32(distance);
    }

    pub(crate) fn alu_rr(&mut self, what: AluOp, to: Reg, with: Reg) {
        self.op_rr(false, &[what as u8 * 8 + 3], to.0, with);
    }

    pub(crate) fn alu_rr64(&mut self, what: AluOp, to: Reg, with: Reg) {
        self.op_rr(true, &[what as u8 * 8 + 3], to.0, with);
    }

    pub(crate) fn alu_rm64(&mut self, what: AluOp, to: Reg, at: Mem) {
        self.op_rm(true, &[what as u8 * 8 + 3], to.0, at);
    }

    pub(crate) fn alu_rm(&mut self, what: AluOp, to: Reg, at: Mem) {
        self.op_rm(false, &[what as u8 * 8 + 3], to.0, at);
    }

    /// Memory and a register; the result stays in memory.
    pub(crate) fn alu_mr(&mut self, what: AluOp, at: Mem, with: Reg) {
        self.op_rm(false, &[what as u8 * 8 + 1], with.0, at);
    }

    pub(crate) fn alu_ri(&mut self, what: AluOp, to: Reg, value: i32) {
        self.alu_imm(false, what, to, value);
    }

    pub(crate) fn alu_ri64(&mut self, what: AluOp, to: Reg, value: i32) {
        self.alu_imm(true, what, to, value);
    }

    fn alu_imm(&mut self, wide: bool, what: AluOp, to: Reg, value: i32) {
        if let Ok(short) = i8::try_from(value) {
            self.op_rr(wide, &[0x83], what as u8, to);
            self.raw(&short.to_le_bytes());
        } else {
            self.op_rr(wide, &[0x81], what as u8, to);
            self.imm32(value);
        }
    }

    /// Operates on the low byte of a register; the rest of it stays.
    pub(crate) fn alu_r8(&mut self, what: AluOp, to: Reg, with: ByteOperand) {
        let opcode = what as u8 * 8 + 2;
        match with {
            ByteOperand::Constant(value) => {
                self.op_rr(false, &[0x80], what as u8, to);
                self.raw(&[value]);
            }
            ByteOperand::Memory(at) => self.op_rm(false, &[opcode], to.0, at),
            ByteOperand::Register(with) => self.op_rr(false, &[opcode], to.0, with),
        }
    }

    /// One more or less in the low byte of a register.
    pub(crate) fn inc_dec_r8(&mut self, to: Reg, down: bool) {
        self.op_rr(false, &[0xFE], u8::from(down), to);
    }

    /// Shifts the low byte of a register by one.
    pub(crate) fn shift_r8(&mut self, how: Shift, reg: Reg) {
        self.op_rr(false, &[0xD0], how as u8, reg);
    }

    /// The low byte of a register with its sign, over all of another.
    pub(crate) fn movsx_rr8(&mut self, to: Reg, from: Reg) {
        self.op_rr(true, &[0x0F, 0xBE], to.0, from);
    }

    /// Sets the processor's carry to a bit of a register.
    pub(crate) fn bt_ri(&mut self, reg: Reg, bit: u8) {
        self.op_rr(false, &[0x0F, 0xBA], 4, reg);
        self.raw(&[bit]);
    }

    pub(crate) fn cmc(&mut self) {
        self.raw(&[0xF5]);
    }

    /// 1 or 0 in memory.
    pub(crate) fn setcc_m8(&mut self, condition: Cond, at: Mem) {
        self.op_rm(false, &[0x0F, 0x90 | condition as u8], 0, at);
    }

    /// 1 or 0 in bits 8 to 15 of one of the first four registers.
    pub(crate) fn setcc_high8(&mut self, condition: Cond, reg: Reg) {
        self.raw(&[0x0F, 0x90 | condition as u8, 0xC4 | reg.0 & 3]);
    }

    /// Bits 8 to 15 of one of the first four registers.
    pub(crate) fn mov_high8_i(&mut self, reg: Reg, value: u8) {
        self.raw(&[0xB4 | reg.0 & 3, value]);
    }

    pub(crate) fn test_high8_i(&mut self, reg: Reg, value: u8) {
        self.raw(&[0xF6, 0xC4 | reg.0 & 3, value]);
    }

    pub(crate) fn imul_rri(&mut self, to: Reg, with: Reg, value: u32) {
        if value < 0x80 {
            self.op_rr(false, &[0x6B], to.0, with);
            self.raw(&[value as u8]);
        } else {
            self.op_rr(false, &[0x69], to.0, with);
            self.raw(&value.to_le_bytes());
        }
    }

    /// Compares two bytes in memory with a register.
    pub(crate) fn cmp_rm16(&mut self, at: Mem, with: Reg) {
        self.raw(&[0x66]);
        self.op_rm(false, &[0x3B], with.0, at);
    }

    /// Compares a byte in memory with a register.
    pub(crate) fn cmp_rm8(&mut self, at: Mem, with: Reg) {
        self.op_rm(false, &[0x3A], with.0, at);
    }

    pub(crate) fn mov_mr16(&mut self, at: Mem, from: Reg) {
        self.raw(&[0x66]);
        self.op_rm(false, &[0x89], from.0, at);
    }

    /// Sets bits of two bytes in memory.
    pub(crate) fn or_mi16(&mut self, at: Mem, bits: u16) {
        self.raw(&[0x66]);
        self.op_rm(false, &[0x81], AluOp::Or as u8, at);
        self.raw(&bits.to_le_bytes());
    }

    /// Compares a byte in memory.
    pub(crate) fn cmp_mi8(&mut self, at: Mem, value: u8) {
        self.op_rm(false, &[0x80], AluOp::Cmp as u8, at);
        self.raw(&[value]);
    }

    pub(crate) fn test_ri(&mut self, reg: Reg, value: u32) {
        self.op_rr(false, &[0xF7], 0, reg);
        self.raw(&value.to_le_bytes());
    }

    /// Whether a register is 0, or negative.
    pub(crate) fn test_rr(&mut self, reg: Reg) {
        self.op_rr(false, &[0x85], reg.0, reg);
    }

    pub(crate) fn test_rr64(&mut self, reg: Reg) {
        self.op_rr(true, &[0x85], reg.0, reg);
    }

    /// Whether the low byte is 0, or negative.
    pub(crate) fn test_rr8(&mut self, reg: Reg) {
        self.op_rr(false, &[0x84], reg.0, reg);
    }

    /// 1 or 0 in the low byte.
    pub(crate) fn setcc_r8(&mut self, condition: Cond, reg: Reg) {
        self.op_rr(false, &[0x0F, 0x90 | condition as u8], 0, reg);
    }

    /// Shifts by the low bits of the register CX.
    pub(crate) fn shl_cl(&mut self, reg: Reg) {
        self.op_rr(false, &[0xD3], 4, reg);
    }

    pub(crate) fn shr_cl(&mut self, reg: Reg) {
        self.op_rr(false, &[0xD3], 5, reg);
    }

    pub(crate) fn shr_cl64(&mut self, reg: Reg) {
        self.op_rr(true, &[0xD3], 5, reg);
    }

    pub(crate) fn shr_ri64(&mut self, reg: Reg, by: u8) {
        self.op_rr(true, &[0xC1], 5, reg);
        self.raw(&[by]);
    }

    pub(crate) fn imul_rri64(&mut self, to: Reg, with: Reg, value: i32) {
        self.op_rr(true, &[0x69], to.0, with);
        self.raw(&value.to_le_bytes());
    }

    /// Divides AX, with DX above it, by a register.
    pub(crate) fn div(&mut self, by: Reg) {
        self.op_rr(false, &[0xF7], 6, by);
    }

    pub(crate) fn shl_ri(&mut self, reg: Reg, by: u8) {
        self.op_rr(false, &[0xC1], 4, reg);
        self.raw(&[by]);
    }

    pub(crate) fn shr_ri(&mut self, reg: Reg, by: u8) {
        self.op_rr(false, &[0xC1], 5, reg);
        self.raw(&[by]);
    }
}
