//! The stack and the status register.

use super::super::assembler::{At, Do, If};
use super::{A, AX, CARRY, CX, DX, FIRST, NZ, STATE, Writer, last_by, ram_by, state};
use crate::Instruction;
use crate::state::{GRP, at};

impl Writer {
    /// Pushes a return address.
    pub(super) fn call(&mut self, back: u16) {
        let [low, high] = back.to_le_bytes();
        self.code.load_byte(DX, state(at::SP));
        self.code.operate_constant(Do::Cmp, DX, 0x80);
        self.leave_if(If::BelowOrEqual);
        self.code.store_constant(ram_by(DX), high);
        self.code.store_constant(At::indexed(STATE, DX, 0, at::RAM - 1), low);
        self.code.operate_constant(Do::Sub, DX, 2);
        self.code.store_byte(state(at::SP), DX);
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
        code.load_byte(AX, state(at::OVERFLOW));
        code.load_byte(CX, state(at::OVERFLOW + 1));
        code.operate_memory(Do::Xor, AX, state(at::OVERFLOW + 2));
        code.operate_memory(Do::Xor, CX, state(at::OVERFLOW + 2));
        code.operate(Do::And, AX, CX);
        code.operate_constant(Do::And, AX, 0x80);
        code.shift_right(AX, 1);
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
        code.store_constant(state(at::OVERFLOW), 0);
        code.store_constant(state(at::OVERFLOW + 1), 0);
        code.reckon(AX, At::indexed(CX, CX, 0, 0));
        code.operate_constant(Do::And, AX, 0x80);
        code.store_byte(state(at::OVERFLOW + 2), AX);
        code.copy(AX, CX);
        code.shift_right(AX, 3);
        code.operate_constant(Do::And, AX, 1);
        code.store_byte(state(at::DECIMAL), AX);
        code.shift_right(CX, 2);
        code.operate_constant(Do::And, CX, 1);
        code.store_byte(state(at::INTERRUPT), CX);
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
        const PLA: u8 = 0x68;
        self.code.load_byte(DX, state(at::SP));
        self.code.operate_constant(Do::Sub, DX, 0x80);
        self.code.operate_constant(Do::Cmp, DX, 0x7E);
        let from_chip = self.code.skip_if(If::Above as u8);
        self.code.operate_constant(Do::Add, DX, 0x81);
        self.code.store_byte(state(at::SP), DX);
        self.code.load_byte(A, ram_by(DX));
        let done = self.code.skip();
        self.code.arrive(from_chip);
        // The byte at SP is read first, so both have to be inputs.
        self.code.operate_constant(Do::Add, DX, 0x80);
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
        self.code.arrive(done);
        self.code.copy(NZ, A);
    }

    /// BRK.
    pub(super) fn break_off(&mut self, instruction: &Instruction) {
        let target = instruction.operand;
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
