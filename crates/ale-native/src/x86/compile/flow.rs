//! Where the program goes on.
//!
//! Jumps use up instructions, and the code returns when there are none left. A jump forward does not look: on the way from
//! there, what was used up and noted is counted until a jump looks again, or it would be too much. So more instructions may
//! be used up than there are, but no more than [`crate::OWED`].

use super::super::assembler::{At, Do, If};
use super::flags::is_branch;
use super::{
    AX, CARRY, CX, DX, Distance, Elsewhere, FIRST, Jump, MIRROR, NOTED, NZ, PIECE, ROM, STATE, STEP, TIME,
    WHERE, Writer, ram, state,
};
use crate::kind;
use crate::state::{CYCLE_BITS, at};
use crate::{Instruction, OWED, Place};

/// A jump leads so far at most to be near.
const NEAR: u32 = 120;

impl Writer<'_> {
    /// Writes the code of an instruction that decides where the program goes on; `false` if it is none, or has no code.
    pub(super) fn flow(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, .. } = instruction;
        match kind {
            0x00 => {
                self.where_to(number | STEP);
                self.break_off(instruction);
            }
            0x40 => {
                self.where_to(number | STEP);
                self.return_from_break();
            }
            _ if is_branch(kind) => self.branch(number, instruction),
            kind::GO_ON => self.go(number, instruction),
            kind::JUMP => {
                self.where_to(number | STEP);
                self.check_near(operand);
                self.go(number, instruction);
            }
            kind::CALL => {
                self.where_to(number | STEP);
                self.check_near(operand);
                self.call(operand);
                self.go(number, instruction);
            }
            // To RAM or to a chip.
            0x4C | 0x20 if operand & 0x1000 == 0 => return false,
            0x4C => {
                self.where_to(number | STEP);
                self.settle_flags();
                self.code.set(AX, u32::from(operand));
                self.find_far(false);
                self.arrive();
            }
            0x20 => {
                self.where_to(number | STEP);
                self.settle_flags();
                self.call_far(instruction);
            }
            kind::END => {
                self.where_to(number | STEP);
                self.settle_flags();
                self.code.reckon(AX, At::new(FIRST, i32::from(instruction.place)));
                self.code.operate_memory(Do::Sub, AX, state(at::OFFSET));
                self.code.operate_constant(Do::And, AX, 0xFFFF);
                self.find_far(false);
                self.arrive();
            }
            0x60 => {
                self.settle_flags();
                self.where_to(number | STEP);
                self.give_back();
            }
            0x6C => {
                self.settle_flags();
                self.where_to(number | STEP);
                self.jump_through(operand);
            }
            _ => return false,
        }
        if !is_branch(kind) {
            self.end_of_way();
        }
        true
    }

    /// Which jumps to instructions are near.
    pub(super) fn near_jumps(&self) -> Vec<bool> {
        let is_near = |jump: &Jump| {
            let Distance::Far(from) = jump.from else { return true };
            let there = self.bodies.get(usize::from(jump.target));
            there.is_some_and(|&there| there.abs_diff(from as u32) < NEAR)
        };
        self.jumps.iter().map(is_near).collect()
    }

    /// A jump to an instruction.
    fn jump_there(&mut self, condition: Option<If>, target: u16) {
        let is_near = self.near.get(self.jumps.len()).is_some_and(|is_near| *is_near);
        let from = match condition {
            _ if is_near => Distance::Near(self.code.near(condition)),
            Some(condition) => Distance::Far(self.code.jump_if(condition as u8)),
            None => Distance::Far(self.code.jump()),
        };
        self.jumps.push(Jump { from, target });
    }

    /// Goes on where an instruction leads to.
    pub(super) fn go(&mut self, number: u32, instruction: &Instruction) {
        let &Instruction { target, detour, .. } = instruction;
        let there = usize::from(target);
        self.settle_flags_for(there);
        self.where_to(u32::from(target));
        self.code.operate_constant_wide(Do::Add, TIME, detour);
        let owed = self.owed + (detour >> CYCLE_BITS).min(0).unsigned_abs();
        let is_forward = u32::from(target) > number && there < self.expected.len() && !self.is_second;
        if is_forward && owed <= OWED {
            let (expected_unchecked, expected_owed) = &mut self.expected[there];
            *expected_unchecked = self.unchecked.max(*expected_unchecked);
            *expected_owed = owed.max(*expected_owed);
            self.jump_there(None, target);
            return;
        }
        if self.unchecked > 0 {
            let is_over = self.code.skip_if(If::Negative as u8);
            self.code.operate_memory_wide(Do::Cmp, NOTED, state(at::FULL));
            self.jump_there(Some(If::Below), target);
            self.code.arrive(is_over);
        } else {
            self.jump_there(Some(If::NotNegative), target);
        }
        self.leave();
    }

    fn branch(&mut self, number: u32, instruction: &Instruction) {
        let flags = self.flags;
        let taken = match instruction.kind {
            0x10 | 0x30 => {
                let is_plus = instruction.kind == 0x10;
                if flags == NZ {
                    self.code.test(NZ, 0x280);
                    if is_plus { If::Zero } else { If::NotZero }
                } else {
                    self.code.test_byte(flags);
                    if is_plus { If::NotNegative } else { If::Negative }
                }
            }
            0x50 | 0x70 => {
                self.code.compare_byte(state(at::OVERFLOW), 0);
                if instruction.kind == 0x50 { If::Zero } else { If::NotZero }
            }
            0x90 | 0xB0 => {
                self.code.test_second_byte(CARRY, 1);
                if instruction.kind == 0x90 { If::Zero } else { If::NotZero }
            }
            _ => {
                self.code.test_byte(flags);
                if instruction.kind == 0xF0 { If::Zero } else { If::NotZero }
            }
        };
        let past = self.code.skip_if(taken.not());
        self.go(number, instruction);
        self.flags = flags;
        self.code.arrive(past);
    }

    /// Leaves unless an address lies in the mirror of the window where the program is.
    fn check_near(&mut self, address: u16) {
        let [_, high] = address.to_le_bytes();
        self.code.compare_byte(state(at::MIRROR), high & MIRROR);
        self.leave_if(If::NotZero);
    }

    /// RTS. It reads the byte before the one where it goes on, so that has to be plain ROM, too.
    pub(super) fn give_back(&mut self) {
        self.check_stack(2);
        self.code.load_two_bytes(CX, At::indexed(STATE, DX, 0, at::RAM + 1));
        self.code.operate(Do::Sub, CX, FIRST);
        self.code.operate_memory(Do::Cmp, CX, state(at::LEN));
        let far = self.elsewhere_if(If::AboveOrEqual);
        self.resume(far, Elsewhere::Return);
        self.code.reckon(AX, At::new(CX, 1));
        self.code.operate_memory(Do::Cmp, AX, state(at::LEN));
        self.leave_if(If::AboveOrEqual);
        self.find_place();
        self.code.operate_constant(Do::Add, DX, 2);
        self.code.store_byte(state(at::SP), DX);
        self.arrive();
    }

    /// RTS to somewhere else than the piece where the program is. CX has the distance from there, DX has SP.
    pub(super) fn give_back_far(&mut self) {
        self.code.reckon(AX, At::indexed(CX, FIRST, 0, 0));
        self.find_far(true);
        self.code.operate_constant(Do::Add, DX, 2);
        self.code.store_byte(state(at::SP), DX);
        self.arrive();
    }

    /// JSR to anywhere.
    fn call_far(&mut self, instruction: &Instruction) {
        self.code.load_byte(DX, state(at::SP));
        self.code.operate_constant(Do::Cmp, DX, 0x80);
        self.leave_if(If::BelowOrEqual);
        // If the code is left, the caller pushes the same.
        self.code.reckon(AX, At::new(FIRST, i32::from(instruction.place) + 2));
        self.code.operate_memory(Do::Sub, AX, state(at::OFFSET));
        self.code.store_two_bytes(At::indexed(STATE, DX, 0, at::RAM - 1), AX);
        self.code.set(AX, u32::from(instruction.operand));
        self.find_far(false);
        self.code.operate_constant(Do::Sub, DX, 2);
        self.code.store_byte(state(at::SP), DX);
        self.arrive();
    }

    /// From an address in AX, of 16 bits, to a place, anywhere in plain ROM, which becomes the piece where the program is;
    /// or, for a return, from the address before. Leaves if no instruction is known there. DX stays.
    fn find_far(&mut self, returns: bool) {
        let call = self.code.call();
        self.far.push((call, returns));
        self.code.operate(Do::Or, CX, CX);
        self.leave_if(If::Zero);
    }

    /// The functions for that.
    pub(super) fn finish_far(&mut self) {
        for returns in [false, true] {
            let here = self.code.here();
            for index in 0..self.far.len() {
                let (call, is_return) = self.far[index];
                if is_return == returns {
                    self.code.lead(call, here);
                }
            }
            self.far_function(returns);
        }
    }

    fn far_function(&mut self, returns: bool) {
        let entry = |field: i32| At::indexed(STATE, CX, 0, field);
        self.code.push(DX);
        let mut out = Vec::new();
        self.code.test(AX, 0x1000);
        out.push(self.code.jump_if(If::Zero as u8));
        self.code.copy(CX, AX);
        self.window(CX);
        self.code.copy(DX, AX);
        self.code.operate_constant(Do::And, DX, 0x3FFF);
        self.code.operate_memory(Do::Sub, DX, entry(at::WINDOWS));
        self.code.operate_memory(Do::Cmp, DX, entry(at::WINDOW_LEN));
        out.push(self.code.jump_if(If::AboveOrEqual as u8));
        if returns {
            self.code.operate_constant(Do::Add, DX, 1);
            self.code.operate_memory(Do::Cmp, DX, entry(at::WINDOW_LEN));
            out.push(self.code.jump_if(If::AboveOrEqual as u8));
        }
        self.code.operate_memory(Do::Add, DX, entry(at::WINDOW_OFFSET));
        self.code.operate_constant(Do::Cmp, DX, self.count_of_places as i32);
        out.push(self.code.jump_if(If::AboveOrEqual as u8));
        self.code.shift_left(DX, size_of::<Place>().trailing_zeros() as u8);
        // mov r15, constant
        self.code.raw(&[0x49, 0xBF]);
        self.code.raw(&self.places.to_le_bytes());
        self.code.operate_wide(Do::Add, DX, PIECE);
        self.code.load(PIECE, At::new(DX, Place::CODE));
        self.code.operate(Do::Or, PIECE, PIECE);
        out.push(self.code.jump_if(If::Zero as u8));
        // The mirror where the program goes on.
        self.code.operate_constant(Do::And, AX, 0xC000);
        self.code.operate_memory(Do::Or, AX, entry(at::WINDOWS));
        self.code.copy(FIRST, AX);
        self.code.store(state(at::FIRST), AX);
        self.code.shift_right(AX, 8);
        self.code.operate_constant(Do::And, AX, i32::from(MIRROR));
        self.code.store_byte(state(at::MIRROR), AX);
        self.code.load(AX, entry(at::WINDOW_LEN));
        self.code.store(state(at::LEN), AX);
        self.code.load(AX, entry(at::WINDOW_OFFSET));
        self.code.store(state(at::OFFSET), AX);
        self.code.copy(CX, PIECE);
        self.code.reckon_wide(PIECE, At::indexed(ROM, AX, 0, 0));
        self.code.copy_wide(AX, DX);
        self.code.pop(DX);
        self.code.give_back();
        // The piece stays as it was.
        let here = self.code.here();
        for jump in out {
            self.code.lead(jump, here);
        }
        self.code.load(AX, state(at::OFFSET));
        self.code.reckon_wide(PIECE, At::indexed(ROM, AX, 0, 0));
        self.code.operate(Do::Xor, CX, CX);
        self.code.pop(DX);
        self.code.give_back();
    }

    /// JMP through a pointer in RAM.
    fn jump_through(&mut self, pointer: u16) {
        self.code.load_two_bytes(AX, ram(pointer as u8));
        self.code.operate(Do::Sub, AX, FIRST);
        self.code.operate_memory(Do::Cmp, AX, state(at::LEN));
        let far = self.elsewhere_if(If::AboveOrEqual);
        self.resume(far, Elsewhere::Jump);
        self.find_place();
        self.arrive();
    }

    /// The same to somewhere else than the piece where the program is. AX has the distance from there.
    pub(super) fn jump_far(&mut self) {
        self.code.operate(Do::Add, AX, FIRST);
        self.find_far(false);
        self.arrive();
    }

    /// From the number of a byte of the piece to its place. Leaves if no instruction is known there.
    pub(super) fn find_place(&mut self) {
        self.code.operate_memory(Do::Add, AX, state(at::OFFSET));
        self.code.shift_left(AX, size_of::<Place>().trailing_zeros() as u8);
        // mov rcx, constant
        self.code.raw(&[0x48, 0xB9]);
        self.code.raw(&self.places.to_le_bytes());
        self.code.operate_wide(Do::Add, AX, CX);
        self.code.load(CX, At::new(AX, Place::CODE));
        self.code.operate(Do::Or, CX, CX);
        self.leave_if(If::Zero);
    }

    pub(super) fn arrive(&mut self) {
        self.code.load(WHERE, At::new(AX, Place::OP));
        self.leaving = None;
        self.code.load_wide(AX, At::new(AX, Place::AHEAD));
        self.code.operate_wide(Do::Add, TIME, AX);
        self.leave_if(If::Negative);
        if self.unchecked > 0 {
            self.look_for_room();
        }
        // lea rax, [rip - here]: the begin of the code
        self.code.raw(&[0x48, 0x8D, 0x05]);
        let distance = -(self.code.here() as i32 + 4);
        self.code.raw(&distance.to_le_bytes());
        self.code.operate_wide(Do::Add, AX, CX);
        self.code.jump_to(AX);
    }
}
