//! The stack and the status register.

use super::CodeGen;
use super::exits::SlowPath;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use crate::Instruction;
use crate::opcode::PLA;
use crate::state::{GRP, at};
use crate::target::{AluOp, Cond, Mem};

impl CodeGen<'_> {
    /// Pushes a return address.
    pub(super) fn push_return(&mut self, back: u16) {
        self.code.movsx_rm8(DX, state(at::SP));
        // From 0x81 on, with its sign.
        self.code.alu_ri(AluOp::Cmp, DX, -0x7F);
        self.exit_if(Cond::Below);
        self.code.mov_mi16(Mem::indexed(STATE, DX, 0, -1), back);
        self.code.add_mi8(state(at::SP), -2);
    }

    /// SP; bails out if so many bytes cannot be pulled from RAM.
    pub(super) fn check_stack(&mut self, count: i32) {
        self.code.movzx_rm8(DX, state(at::SP));
        self.code.lea(AX, Mem::new(DX, -0x80));
        self.code.alu_ri(AluOp::Cmp, AX, 0x7F - count);
        self.exit_if(Cond::Above);
    }

    /// PHP. Programs enable missiles and the ball by pushing Z into their registers.
    pub(super) fn push_status(&mut self, cycles_after: u16) {
        const ENAM0: i32 = 0x1D;
        self.materialize_flags();
        self.code.movzx_rm8(DX, state(at::SP));
        self.code.test_ri(DX, 0x80);
        let to_chip = self.code.jcc(Cond::Zero);
        self.pack_status();
        self.code.mov_mr8(ram_by(DX), AX);
        self.code.dec_m8(state(at::SP));
        let done = self.code.jmp();
        let here = self.code.position();
        self.code.bind(to_chip, here);
        // Its mirrors are left to the caller, too.
        self.code.lea(AX, Mem::new(DX, -ENAM0));
        self.code.alu_ri(AluOp::Cmp, AX, 2);
        self.exit_if(Cond::Above);
        self.code.alu_rr(AluOp::Xor, AX, AX);
        self.code.test_rr8(NZ);
        self.code.setcc_r8(Cond::Zero, AX);
        self.code.alu_rr(AluOp::Add, AX, AX);
        self.code.dec_m8(state(at::SP));
        self.code.cmp_rm16(shadow_by(DX), AX);
        let known = self.code.jcc_short(Cond::Zero);
        self.code.mov_mr16(shadow_by(DX), AX);
        self.force_next_log(GRP[1]);
        self.code.shl_ri(DX, 8);
        self.code.lea(AX, Mem::indexed(AX, DX, 0, i32::from(cycles_after) << 16));
        self.log_write();
        self.code.bind_short(known);
        let here = self.code.position();
        self.code.bind(done, here);
    }

    /// The status register, into AX. DX stays.
    pub(super) fn pack_status(&mut self) {
        let code = &mut self.code;
        code.alu_rr(AluOp::Xor, AX, AX);
        code.cmp_mi8(state(at::OVERFLOW), 0);
        code.setcc_r8(Cond::NotZero, AX);
        code.shl_ri(AX, 6);
        code.movzx_rm8(CX, state(at::DECIMAL));
        code.shl_ri(CX, 3);
        code.alu_rr(AluOp::Or, AX, CX);
        code.movzx_rm8(CX, state(at::INTERRUPT));
        code.shl_ri(CX, 2);
        code.alu_rr(AluOp::Or, AX, CX);
        code.mov_rr(CX, CARRY);
        code.shr_ri(CX, 8);
        code.alu_rr(AluOp::Or, AX, CX);
        code.alu_rr(AluOp::Xor, CX, CX);
        // N and Z have been materialised.
        code.test_rr8(NZ);
        code.setcc_r8(Cond::Zero, CX);
        code.lea(AX, Mem::indexed(AX, CX, 1, 0x30));
        code.alu_rr(AluOp::Xor, CX, CX);
        code.test_ri(NZ, 0x280);
        code.setcc_r8(Cond::NotZero, CX);
        code.shl_ri(CX, 7);
        code.alu_rr(AluOp::Or, AX, CX);
    }

    /// Sets the status register from CX. DX stays.
    pub(super) fn unpack_status(&mut self) {
        let code = &mut self.code;
        code.mov_rr(CARRY, CX);
        code.alu_ri(AluOp::And, CARRY, 1);
        code.shl_ri(CARRY, 8);
        code.mov_rr(NZ, CX);
        code.alu_ri(AluOp::And, NZ, 0x82);
        code.alu_ri(AluOp::Xor, NZ, 2);
        // N into bit 9; the bit of Z stays.
        code.mov_rr(AX, NZ);
        code.alu_ri(AluOp::And, AX, 0x80);
        code.alu_ri(AluOp::And, NZ, 2);
        code.shl_ri(AX, 2);
        code.alu_rr(AluOp::Or, NZ, AX);
        code.mov_rr(AX, CX);
        code.alu_ri(AluOp::And, AX, 0x40);
        code.mov_mr8(state(at::OVERFLOW), AX);
        code.mov_rr(AX, CX);
        code.shr_ri(AX, 3);
        code.alu_ri(AluOp::And, AX, 1);
        code.mov_mr8(state(at::DECIMAL), AX);
        code.shr_ri(CX, 2);
        code.alu_ri(AluOp::And, CX, 1);
        code.mov_mr8(state(at::INTERRUPT), CX);
        self.flags = NZ;
    }

    /// PLP.
    pub(super) fn pull_status(&mut self) {
        self.check_stack(1);
        self.code.alu_ri(AluOp::Add, DX, 1);
        self.code.mov_mr8(state(at::SP), DX);
        self.code.movzx_rm8(CX, ram_by(DX));
        self.unpack_status();
    }

    /// PLA, from RAM or from the inputs of the video chip.
    pub(super) fn pull(&mut self, cycles_after: u16) {
        self.code.movsx_rm8(DX, state(at::SP));
        self.code.lea64(DX, Mem::new(DX, 1));
        // From 0x81 on, with its sign.
        self.code.alu_ri(AluOp::Cmp, DX, -0x7F);
        let from_chip = self.jump_if(Cond::Below);
        self.code.mov_mr8(state(at::SP), DX);
        self.code.movzx_rm8(A, ram_below(DX));
        self.attach_slow_path(from_chip, SlowPath::Pull { cycles_after });
        self.flags = A;
    }

    /// PLA at the address in DX, which is not RAM.
    pub(super) fn pull_from_chip(&mut self, cycles_after: u16) {
        // The byte at SP is read first, so both have to be inputs. At both ends of RAM, 0 and 0x80, they have no bit in common.
        self.code.alu_ri(AluOp::Sub, DX, 1);
        self.code.lea(CX, Mem::new(DX, 1));
        self.code.alu_rr(AluOp::And, DX, CX);
        self.code.test_ri(DX, 8);
        self.exit_if(Cond::Zero);
        self.code.mov_rr(DX, CX);
        self.load_pin_at(cycles_after, PLA as u8);
        self.code.mov_mr8(state(at::SP), CX);
        self.code.mov_rr(A, DX);
    }

    /// BRK.
    pub(super) fn brk(&mut self, instruction: &Instruction) {
        let target = instruction.operand;
        self.materialize_flags();
        self.code.movzx_rm8(DX, state(at::SP));
        self.code.alu_ri(AluOp::Cmp, DX, 0x82);
        self.exit_if(Cond::Below);
        self.code.mov_ri(AX, u32::from(target));
        self.code.alu_rr(AluOp::Sub, AX, SPAN_FIRST);
        self.code.alu_rm(AluOp::Cmp, AX, state(at::LEN));
        self.exit_if(Cond::AboveOrEqual);
        self.find_entry_point();
        // The place is needed until the end.
        self.code.push(AX);
        self.code.push(CX);
        self.pack_status();
        self.code.mov_mr8(Mem::indexed(STATE, DX, 0, at::RAM - 2), AX);
        self.code.lea(AX, Mem::new(SPAN_FIRST, i32::from(instruction.offset) + 2));
        self.code.alu_rm(AluOp::Sub, AX, state(at::OFFSET));
        self.code.mov_mr16(Mem::indexed(STATE, DX, 0, at::RAM - 1), AX);
        self.code.alu_ri(AluOp::Sub, DX, 3);
        self.code.mov_mr8(state(at::SP), DX);
        self.code.mov_mi8(state(at::INTERRUPT), 1);
        self.code.pop(CX);
        self.code.pop(AX);
        self.dispatch();
    }

    /// RTI.
    pub(super) fn rti(&mut self) {
        self.materialize_flags();
        self.check_stack(3);
        self.code.movzx_rm16(AX, Mem::indexed(STATE, DX, 0, at::RAM + 2));
        self.code.alu_rr(AluOp::Sub, AX, SPAN_FIRST);
        self.code.alu_rm(AluOp::Cmp, AX, state(at::LEN));
        self.exit_if(Cond::AboveOrEqual);
        self.find_entry_point();
        self.code.push(AX);
        self.code.push(CX);
        self.code.movzx_rm8(CX, Mem::indexed(STATE, DX, 0, at::RAM + 1));
        self.unpack_status();
        self.code.alu_ri(AluOp::Add, DX, 3);
        self.code.mov_mr8(state(at::SP), DX);
        self.code.pop(CX);
        self.code.pop(AX);
        self.dispatch();
    }
}
