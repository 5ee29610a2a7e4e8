//! The stack and the status register.

use super::super::assembler::{At, Do, If};
use super::{A, AX, CARRY, CX, DX, Elsewhere, FIRST, NZ, STATE, Writer, last_by, ram_below, ram_by, state};
use crate::Instruction;
use crate::state::{GRP, at};

impl Writer<'_> {
    /// Pushes a return address.
    pub(super) fn call(&mut self, back: u16) {
        self.code.load_signed_byte(DX, state(at::SP));
        // From 0x81 on, with its sign.
        self.code.operate_constant(Do::Cmp, DX, -0x7F);
        self.leave_if(If::Below);
        self.code.store_two_constant_bytes(At::indexed(STATE, DX, 0, -1), back);
        self.code.add_to_memory(state(at::SP), -2);
    }

    /// SP; leaves if so many bytes cannot be pulled from RAM.
    pub(super) fn check_stack(&mut self, count: i32) {
        self.code.load_byte(DX, state(at::SP));
        self.code.reckon(AX, At::new(DX, -0x80));
        self.code.operate_constant(Do::Cmp, AX, 0x7F - count);
        self.leave_if(If::Above);
    }

    /// PHP. Programs enable missiles and the ball by pushing Z into their registers.
    pub(super) fn push_status(&mut self, after: u16) {
        const ENAM0: i32 = 0x1D;
        self.settle_flags();
        self.code.load_byte(DX, state(at::SP));
        self.code.test(DX, 0x80);
        let to_chip = self.code.jump_if(If::Zero as u8);
        self.reckon_status();
        self.code.store_byte(ram_by(DX), AX);
        self.code.decrement(state(at::SP));
        let done = self.code.jump();
        let here = self.code.here();
        self.code.lead(to_chip, here);
        // Its mirrors are left to the caller, too.
        self.code.reckon(AX, At::new(DX, -ENAM0));
        self.code.operate_constant(Do::Cmp, AX, 2);
        self.leave_if(If::Above);
        self.code.operate(Do::Xor, AX, AX);
        self.code.test_byte(NZ);
        self.code.set_if(If::Zero, AX);
        self.code.operate(Do::Add, AX, AX);
        self.code.decrement(state(at::SP));
        self.code.compare_two_bytes(last_by(DX), AX);
        let known = self.code.skip_if(If::Zero as u8);
        self.code.store_two_bytes(last_by(DX), AX);
        self.mark(GRP[1]);
        self.code.shift_left(DX, 8);
        self.code.reckon(AX, At::indexed(AX, DX, 0, i32::from(after) << 16));
        self.note();
        self.code.arrive(known);
        let here = self.code.here();
        self.code.lead(done, here);
    }

    /// The status register, into AX. DX stays.
    pub(super) fn reckon_status(&mut self) {
        let code = &mut self.code;
        code.operate(Do::Xor, AX, AX);
        code.compare_byte(state(at::OVERFLOW), 0);
        code.set_if(If::NotZero, AX);
        code.shift_left(AX, 6);
        code.load_byte(CX, state(at::DECIMAL));
        code.shift_left(CX, 3);
        code.operate(Do::Or, AX, CX);
        code.load_byte(CX, state(at::INTERRUPT));
        code.shift_left(CX, 2);
        code.operate(Do::Or, AX, CX);
        code.copy(CX, CARRY);
        code.shift_right(CX, 8);
        code.operate(Do::Or, AX, CX);
        code.operate(Do::Xor, CX, CX);
        // N and Z have been settled.
        code.test_byte(NZ);
        code.set_if(If::Zero, CX);
        code.reckon(AX, At::indexed(AX, CX, 1, 0x30));
        code.operate(Do::Xor, CX, CX);
        code.test(NZ, 0x280);
        code.set_if(If::NotZero, CX);
        code.shift_left(CX, 7);
        code.operate(Do::Or, AX, CX);
    }

    /// Sets the status register from CX. DX stays.
    pub(super) fn set_status(&mut self) {
        let code = &mut self.code;
        code.copy(CARRY, CX);
        code.operate_constant(Do::And, CARRY, 1);
        code.shift_left(CARRY, 8);
        code.copy(NZ, CX);
        code.operate_constant(Do::And, NZ, 0x82);
        code.operate_constant(Do::Xor, NZ, 2);
        // N into bit 9; the bit of Z stays.
        code.copy(AX, NZ);
        code.operate_constant(Do::And, AX, 0x80);
        code.operate_constant(Do::And, NZ, 2);
        code.shift_left(AX, 2);
        code.operate(Do::Or, NZ, AX);
        code.copy(AX, CX);
        code.operate_constant(Do::And, AX, 0x40);
        code.store_byte(state(at::OVERFLOW), AX);
        code.copy(AX, CX);
        code.shift_right(AX, 3);
        code.operate_constant(Do::And, AX, 1);
        code.store_byte(state(at::DECIMAL), AX);
        code.shift_right(CX, 2);
        code.operate_constant(Do::And, CX, 1);
        code.store_byte(state(at::INTERRUPT), CX);
        self.flags = NZ;
    }

    /// PLP.
    pub(super) fn pull_status(&mut self) {
        self.check_stack(1);
        self.code.operate_constant(Do::Add, DX, 1);
        self.code.store_byte(state(at::SP), DX);
        self.code.load_byte(CX, ram_by(DX));
        self.set_status();
    }

    /// PLA, from RAM or from the inputs of the video chip.
    pub(super) fn pull(&mut self, after: u16) {
        self.code.load_signed_byte(DX, state(at::SP));
        self.code.reckon_wide(DX, At::new(DX, 1));
        // From 0x81 on, with its sign.
        self.code.operate_constant(Do::Cmp, DX, -0x7F);
        let from_chip = self.elsewhere_if(If::Below);
        self.code.store_byte(state(at::SP), DX);
        self.code.load_byte(A, ram_below(DX));
        self.resume(from_chip, Elsewhere::Pull { after });
        self.flags = A;
    }

    /// PLA at the address in DX, which is not RAM.
    pub(super) fn pull_from_chip(&mut self, after: u16) {
        const PLA: u8 = 0x68;
        // The byte at SP is read first, so both have to be inputs.
        self.code.operate_constant(Do::Sub, DX, 1);
        self.code.operate_constant(Do::Cmp, DX, 0x7E);
        self.leave_if(If::Above);
        self.code.reckon(CX, At::new(DX, 1));
        self.code.operate(Do::And, DX, CX);
        self.code.test(DX, 8);
        self.leave_if(If::Zero);
        self.code.copy(DX, CX);
        self.load_some_pin(after, PLA);
        self.code.store_byte(state(at::SP), CX);
        self.code.copy(A, DX);
    }

    /// BRK.
    pub(super) fn break_off(&mut self, instruction: &Instruction) {
        let target = instruction.operand;
        self.settle_flags();
        self.code.load_byte(DX, state(at::SP));
        self.code.operate_constant(Do::Cmp, DX, 0x82);
        self.leave_if(If::Below);
        self.code.set(AX, u32::from(target));
        self.code.operate(Do::Sub, AX, FIRST);
        self.code.operate_memory(Do::Cmp, AX, state(at::LEN));
        self.leave_if(If::AboveOrEqual);
        self.find_place();
        // The place is needed until the end.
        self.code.push(AX);
        self.code.push(CX);
        self.reckon_status();
        self.code.store_byte(At::indexed(STATE, DX, 0, at::RAM - 2), AX);
        self.code.reckon(AX, At::new(FIRST, i32::from(instruction.place) + 2));
        self.code.operate_memory(Do::Sub, AX, state(at::OFFSET));
        self.code.store_two_bytes(At::indexed(STATE, DX, 0, at::RAM - 1), AX);
        self.code.operate_constant(Do::Sub, DX, 3);
        self.code.store_byte(state(at::SP), DX);
        self.code.store_constant(state(at::INTERRUPT), 1);
        self.code.pop(CX);
        self.code.pop(AX);
        self.arrive();
    }

    /// RTI.
    pub(super) fn return_from_break(&mut self) {
        self.settle_flags();
        self.check_stack(3);
        self.code.load_two_bytes(AX, At::indexed(STATE, DX, 0, at::RAM + 2));
        self.code.operate(Do::Sub, AX, FIRST);
        self.code.operate_memory(Do::Cmp, AX, state(at::LEN));
        self.leave_if(If::AboveOrEqual);
        self.find_place();
        self.code.push(AX);
        self.code.push(CX);
        self.code.load_byte(CX, At::indexed(STATE, DX, 0, at::RAM + 1));
        self.set_status();
        self.code.operate_constant(Do::Add, DX, 3);
        self.code.store_byte(state(at::SP), DX);
        self.code.pop(CX);
        self.code.pop(AX);
        self.arrive();
    }
}
