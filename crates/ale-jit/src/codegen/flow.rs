//! Where the program goes on.
//!
//! Jumps use up instructions, and the code returns when there are none left. A jump forward does not look: on the way from
//! there, what was used up and logged is counted until a jump looks again, or it would be too much. So more instructions may
//! be used up than there are, but no more than [`crate::MAX_OVERDRAFT`].

use super::exits::SlowPath;
use super::flags::is_branch;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use super::{BAILOUT, CodeGen, JumpField, PendingJump};
use crate::kind;
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::state::MIRROR;
use crate::state::{CYCLE_BITS, at};
use crate::target::{AluOp, Cond, Mem};
use crate::{EntryPoint, Instruction, MAX_OVERDRAFT};

/// A jump leads so far at most to be short.
const SHORT: u32 = 120;

impl CodeGen<'_> {
    /// Writes the code of an instruction that decides where the program goes on; `false` if it is none, or has no code.
    pub(super) fn control_flow(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, .. } = instruction;
        match kind {
            BRK => {
                self.exits_to(number | BAILOUT);
                self.brk(instruction);
            }
            RTI => {
                self.exits_to(number | BAILOUT);
                self.rti();
            }
            _ if is_branch(kind) => self.branch(number, instruction),
            kind::NEXT_BLOCK => self.jump_to_block(number, instruction),
            kind::JUMP => {
                self.exits_to(number | BAILOUT);
                self.check_mirror(operand);
                self.jump_to_block(number, instruction);
            }
            kind::CALL => {
                self.exits_to(number | BAILOUT);
                self.check_mirror(operand);
                self.push_return(operand);
                self.jump_to_block(number, instruction);
            }
            // To RAM or to a chip.
            JMP_ABS | JSR if operand & 0x1000 == 0 => return false,
            JMP_ABS => {
                self.exits_to(number | BAILOUT);
                self.materialize_flags();
                self.code.mov_ri(AX, u32::from(operand));
                self.find_far_entry_point(false);
                self.dispatch();
            }
            JSR => {
                self.exits_to(number | BAILOUT);
                self.materialize_flags();
                self.jsr_far(instruction);
            }
            kind::BLOCK_END => {
                self.exits_to(number | BAILOUT);
                self.materialize_flags();
                self.code.lea(AX, Mem::new(SPAN_FIRST, i32::from(instruction.offset)));
                self.code.alu_rm(AluOp::Sub, AX, state(at::OFFSET));
                self.code.alu_ri(AluOp::And, AX, 0xFFFF);
                self.find_far_entry_point(false);
                self.dispatch();
            }
            RTS => {
                self.materialize_flags();
                self.exits_to(number | BAILOUT);
                self.rts();
            }
            JMP_IND => {
                self.materialize_flags();
                self.exits_to(number | BAILOUT);
                self.jmp_indirect(operand);
            }
            _ => return false,
        }
        if !is_branch(kind) {
            self.end_of_path();
        }
        true
    }

    /// Which jumps to instructions are short.
    pub(super) fn short_jumps(&self) -> Vec<bool> {
        let is_short = |jump: &PendingJump| {
            let JumpField::Far(from) = jump.from else { return true };
            let there = self.bodies.get(usize::from(jump.target));
            there.is_some_and(|&there| there.abs_diff(from as u32) < SHORT)
        };
        self.jumps.iter().map(is_short).collect()
    }

    /// A jump to an instruction.
    fn jump_to_op(&mut self, condition: Option<Cond>, target: u16) {
        let is_short = self.short.get(self.jumps.len()).is_some_and(|is_short| *is_short);
        let from = match condition {
            _ if is_short => JumpField::Near(self.code.jump_short(condition)),
            Some(condition) => JumpField::Far(self.code.jcc(condition)),
            None => JumpField::Far(self.code.jmp()),
        };
        self.jumps.push(PendingJump { from, target });
    }

    /// Goes on where an instruction leads to.
    pub(super) fn jump_to_block(&mut self, number: u32, instruction: &Instruction) {
        let &Instruction { target, time_delta, .. } = instruction;
        let there = usize::from(target);
        self.materialize_flags_for(there);
        self.exits_to(u32::from(target));
        self.code.alu_ri64(AluOp::Add, TIME, time_delta);
        let overdraft = self.overdraft + (time_delta >> CYCLE_BITS).min(0).unsigned_abs();
        let is_forward = u32::from(target) > number && there < self.expected.len() && !self.is_second;
        if is_forward && overdraft <= MAX_OVERDRAFT {
            let (expected_writes, expected_overdraft) = &mut self.expected[there];
            *expected_writes = self.unchecked_writes.max(*expected_writes);
            *expected_overdraft = overdraft.max(*expected_overdraft);
            self.jump_to_op(None, target);
            return;
        }
        if self.unchecked_writes > 0 {
            let is_over = self.code.jcc_short(Cond::Sign);
            self.code.alu_rm64(AluOp::Cmp, LOG, state(at::LOG_END));
            self.jump_to_op(Some(Cond::Below), target);
            self.code.bind_short(is_over);
        } else {
            self.jump_to_op(Some(Cond::NotSign), target);
        }
        self.exit_now();
    }

    fn branch(&mut self, number: u32, instruction: &Instruction) {
        let flags = self.flags;
        let taken = match instruction.kind {
            BPL | BMI => {
                let is_plus = instruction.kind == BPL;
                if flags == NZ {
                    self.code.test_ri(NZ, 0x280);
                    if is_plus { Cond::Zero } else { Cond::NotZero }
                } else {
                    self.code.test_rr8(flags);
                    if is_plus { Cond::NotSign } else { Cond::Sign }
                }
            }
            BVC | BVS => {
                self.code.cmp_mi8(state(at::OVERFLOW), 0);
                if instruction.kind == BVC { Cond::Zero } else { Cond::NotZero }
            }
            BCC | BCS => {
                self.code.test_high8_i(CARRY, 1);
                if instruction.kind == BCC { Cond::Zero } else { Cond::NotZero }
            }
            _ => {
                self.code.test_rr8(flags);
                if instruction.kind == BEQ { Cond::Zero } else { Cond::NotZero }
            }
        };
        let past = self.code.jcc_short(taken.not());
        self.jump_to_block(number, instruction);
        self.flags = flags;
        self.code.bind_short(past);
    }

    /// Bails out unless an address lies in the mirror of the window where the program is.
    fn check_mirror(&mut self, address: u16) {
        let [_, high] = address.to_le_bytes();
        self.code.cmp_mi8(state(at::MIRROR), high & MIRROR);
        self.exit_if(Cond::NotZero);
    }

    /// RTS. It reads the byte before the one where it goes on, so that has to be plain ROM, too.
    pub(super) fn rts(&mut self) {
        self.check_stack(2);
        self.code.movzx_rm16(CX, Mem::indexed(STATE, DX, 0, at::RAM + 1));
        self.code.alu_rr(AluOp::Sub, CX, SPAN_FIRST);
        self.code.alu_rm(AluOp::Cmp, CX, state(at::LEN));
        let far = self.jump_if(Cond::AboveOrEqual);
        self.attach_slow_path(far, SlowPath::Return);
        self.code.lea(AX, Mem::new(CX, 1));
        self.code.alu_rm(AluOp::Cmp, AX, state(at::LEN));
        self.exit_if(Cond::AboveOrEqual);
        self.find_entry_point();
        self.code.alu_ri(AluOp::Add, DX, 2);
        self.code.mov_mr8(state(at::SP), DX);
        self.dispatch();
    }

    /// RTS to somewhere else than the current ROM span. CX has the distance from there, DX has SP.
    pub(super) fn rts_far(&mut self) {
        self.code.lea(AX, Mem::indexed(CX, SPAN_FIRST, 0, 0));
        self.find_far_entry_point(true);
        self.code.alu_ri(AluOp::Add, DX, 2);
        self.code.mov_mr8(state(at::SP), DX);
        self.dispatch();
    }

    /// JSR to anywhere.
    fn jsr_far(&mut self, instruction: &Instruction) {
        self.code.movzx_rm8(DX, state(at::SP));
        self.code.alu_ri(AluOp::Cmp, DX, 0x80);
        self.exit_if(Cond::BelowOrEqual);
        // If the code is left, the caller pushes the same.
        self.code.lea(AX, Mem::new(SPAN_FIRST, i32::from(instruction.offset) + 2));
        self.code.alu_rm(AluOp::Sub, AX, state(at::OFFSET));
        self.code.mov_mr16(Mem::indexed(STATE, DX, 0, at::RAM - 1), AX);
        self.code.mov_ri(AX, u32::from(instruction.operand));
        self.find_far_entry_point(false);
        self.code.alu_ri(AluOp::Sub, DX, 2);
        self.code.mov_mr8(state(at::SP), DX);
        self.dispatch();
    }

    /// From an address in AX, of 16 bits, to a place, anywhere in plain ROM, which becomes the current ROM span;
    /// or, for a return, from the address before. Bails out if no instruction is known there. DX stays.
    fn find_far_entry_point(&mut self, returns: bool) {
        let call = self.code.call();
        self.far.push((call, returns));
        self.code.alu_rr(AluOp::Or, CX, CX);
        self.exit_if(Cond::Zero);
    }

    /// The functions for that.
    pub(super) fn finish_far(&mut self) {
        for returns in [false, true] {
            let here = self.code.position();
            for index in 0..self.far.len() {
                let (call, is_return) = self.far[index];
                if is_return == returns {
                    self.code.bind(call, here);
                }
            }
            self.far_lookup(returns);
        }
    }

    fn far_lookup(&mut self, returns: bool) {
        let entry = |field: i32| Mem::indexed(STATE, CX, 0, field);
        self.code.push(DX);
        let mut out = Vec::new();
        self.code.test_ri(AX, 0x1000);
        out.push(self.jump_if(Cond::Zero));
        self.code.mov_rr(CX, AX);
        self.window(CX);
        self.code.mov_rr(DX, AX);
        self.code.alu_ri(AluOp::And, DX, 0x3FFF);
        self.code.alu_rm(AluOp::Sub, DX, entry(at::WINDOWS));
        self.code.alu_rm(AluOp::Cmp, DX, entry(at::WINDOW_LEN));
        out.push(self.jump_if(Cond::AboveOrEqual));
        if returns {
            self.code.alu_ri(AluOp::Add, DX, 1);
            self.code.alu_rm(AluOp::Cmp, DX, entry(at::WINDOW_LEN));
            out.push(self.jump_if(Cond::AboveOrEqual));
        }
        // The whole window becomes the span, so all of it needs entry points.
        self.code.mov_rm(SPAN_BASE, entry(at::WINDOW_OFFSET));
        self.code.alu_rr(AluOp::Add, DX, SPAN_BASE);
        self.code.alu_rm(AluOp::Add, SPAN_BASE, entry(at::WINDOW_LEN));
        self.code.alu_ri(AluOp::Cmp, SPAN_BASE, self.entry_point_count as i32);
        out.push(self.jump_if(Cond::Above));
        self.code.shl_ri(DX, size_of::<EntryPoint>().trailing_zeros() as u8);
        self.code.mov_ri64(SPAN_BASE, self.entry_points);
        self.code.alu_rr64(AluOp::Add, DX, SPAN_BASE);
        self.code.mov_rm(SPAN_BASE, Mem::new(DX, EntryPoint::CODE));
        self.code.alu_rr(AluOp::Or, SPAN_BASE, SPAN_BASE);
        out.push(self.jump_if(Cond::Zero));
        // The mirror where the program goes on.
        self.code.alu_ri(AluOp::And, AX, 0xC000);
        self.code.alu_rm(AluOp::Or, AX, entry(at::WINDOWS));
        self.code.mov_rr(SPAN_FIRST, AX);
        self.code.mov_mr(state(at::FIRST), AX);
        self.code.shr_ri(AX, 8);
        self.code.alu_ri(AluOp::And, AX, i32::from(MIRROR));
        self.code.mov_mr8(state(at::MIRROR), AX);
        self.code.mov_rm(AX, entry(at::WINDOW_LEN));
        self.code.mov_mr(state(at::LEN), AX);
        self.code.mov_rm(AX, entry(at::WINDOW_OFFSET));
        self.code.mov_mr(state(at::OFFSET), AX);
        self.code.mov_rr(CX, SPAN_BASE);
        self.code.lea64(SPAN_BASE, Mem::indexed(ROM, AX, 0, 0));
        self.code.mov_rr64(AX, DX);
        self.code.pop(DX);
        self.code.ret();
        // The span stays as it was.
        let here = self.code.position();
        for jump in out {
            self.code.bind(jump, here);
        }
        self.code.mov_rm(AX, state(at::OFFSET));
        self.code.lea64(SPAN_BASE, Mem::indexed(ROM, AX, 0, 0));
        self.code.alu_rr(AluOp::Xor, CX, CX);
        self.code.pop(DX);
        self.code.ret();
    }

    /// JMP through a pointer in RAM.
    fn jmp_indirect(&mut self, pointer: u16) {
        self.code.movzx_rm16(AX, ram(pointer as u8));
        self.code.alu_rr(AluOp::Sub, AX, SPAN_FIRST);
        self.code.alu_rm(AluOp::Cmp, AX, state(at::LEN));
        let far = self.jump_if(Cond::AboveOrEqual);
        self.attach_slow_path(far, SlowPath::Jump);
        self.find_entry_point();
        self.dispatch();
    }

    /// The same to somewhere else than the current ROM span. AX has the distance from there.
    pub(super) fn jump_far(&mut self) {
        self.code.alu_rr(AluOp::Add, AX, SPAN_FIRST);
        self.find_far_entry_point(false);
        self.dispatch();
    }

    /// From the number of a byte of the span to its entry point. Bails out if no instruction is known there.
    pub(super) fn find_entry_point(&mut self) {
        self.code.alu_rm(AluOp::Add, AX, state(at::OFFSET));
        self.code.shl_ri(AX, size_of::<EntryPoint>().trailing_zeros() as u8);
        self.code.mov_ri64(CX, self.entry_points);
        self.code.alu_rr64(AluOp::Add, AX, CX);
        self.code.mov_rm(CX, Mem::new(AX, EntryPoint::CODE));
        self.code.alu_rr(AluOp::Or, CX, CX);
        self.exit_if(Cond::Zero);
    }

    pub(super) fn dispatch(&mut self) {
        self.code.mov_rm(EXIT_OP, Mem::new(AX, EntryPoint::OP));
        self.exit_target = None;
        self.code.mov_rm64(AX, Mem::new(AX, EntryPoint::CYCLES_TO_END));
        self.code.alu_rr64(AluOp::Add, TIME, AX);
        self.exit_if(Cond::Sign);
        if self.unchecked_writes > 0 {
            self.check_log_space();
        }
        // The begin of the code.
        self.code.lea_rip(AX, 0);
        self.code.alu_rr64(AluOp::Add, AX, CX);
        self.code.jmp_r(AX);
    }
}
