//! Ways out of the code: exit stubs, and the slow paths that are emitted behind all instructions.

#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use super::{BAILOUT, CodeGen};
use crate::Instruction;
use crate::state::at;
use crate::target::{AluOp, Cond, Mem, Reg};

/// A jump that exits the code, the instruction with which the program goes on, and the register that N and Z tell of.
pub(super) struct ExitStub {
    pub(super) jump: usize,
    pub(super) number: Option<u32>,
    pub(super) flags: Reg,
}

/// What is rare: the jump there, and where it goes on.
pub(super) struct OutOfLine {
    pub(super) jump: usize,
    pub(super) resume: usize,
    pub(super) exit_target: Option<u32>,
    pub(super) flags: Reg,
    pub(super) what: SlowPath,
}

pub(super) enum SlowPath {
    /// Loads from RAM or other plain ROM, at DX and the first address of the span, into a register.
    Memory(Reg),
    /// Loads from an input of the video chip, whose address is in DX, into a register.
    Pin {
        cycles_after: u16,
        last_byte: u8,
        to: Reg,
    },
    /// Stores a register in the video chip, at the address in DX.
    Store {
        cycles_after: u16,
        from: Reg,
    },
    /// Pulls A from the inputs of the video chip, at the address in DX.
    Pull {
        cycles_after: u16,
    },
    /// Returns to other plain ROM, or jumps there.
    Return,
    Jump,
}

impl SlowPath {
    pub(super) fn pin(instruction: &Instruction, to: Reg) -> Self {
        Self::Pin { cycles_after: instruction.cycles_after, last_byte: instruction.last_byte, to }
    }
}

impl CodeGen<'_> {
    /// Emits all slow paths.
    pub(super) fn finish_slow_paths(&mut self) {
        for OutOfLine { jump, resume, exit_target, flags, what } in std::mem::take(&mut self.out_of_line) {
            let here = self.code.position();
            self.code.bind(jump, here);
            self.exit_target = exit_target;
            self.flags = flags;
            // As many writes may have been logged as can be.
            self.unchecked_writes = 1;
            match what {
                SlowPath::Memory(to) => {
                    self.code.alu_rr(AluOp::Add, DX, SPAN_FIRST);
                    self.load_memory_slow();
                    self.mov_unless_same(to, DX);
                }
                SlowPath::Pin { cycles_after, last_byte, to } => {
                    self.code.test_ri(DX, 8);
                    self.exit_if(Cond::Zero);
                    self.load_pin_at(cycles_after, last_byte);
                    self.mov_unless_same(to, DX);
                }
                SlowPath::Store { cycles_after, from } => {
                    self.code.lea(AX, Mem::new(from, i32::from(cycles_after) << 16));
                    self.call_chip_store();
                }
                SlowPath::Pull { cycles_after } => self.pull_from_chip(cycles_after),
                SlowPath::Return => {
                    self.rts_far();
                    continue;
                }
                SlowPath::Jump => {
                    self.jump_far();
                    continue;
                }
            }
            let back = self.code.jmp();
            self.code.bind(back, resume);
        }
        self.flags = NZ;
    }

    /// The ways out, one for each instruction with which the program goes on.
    pub(super) fn finish_exit_stubs(&mut self) {
        let mut exit_stubs = std::mem::take(&mut self.exit_stubs);
        let key = |exit_stub: &ExitStub| (exit_stub.number, exit_stub.flags.0);
        exit_stubs.sort_unstable_by_key(key);
        for same in exit_stubs.chunk_by(|one, other| key(one) == key(other)) {
            let mut out = self.epilogue;
            let &ExitStub { number, flags, .. } = &same[0];
            if number.is_some() || flags != NZ {
                out = self.code.position();
                self.mov_unless_same(NZ, flags);
                if let Some(number) = number {
                    self.code.mov_ri(EXIT_OP, number);
                }
                let jump = self.code.jmp();
                self.code.bind(jump, self.epilogue);
            }
            for exit_stub in same {
                self.code.bind(exit_stub.jump, out);
            }
        }
    }

    /// The caller has to run this instruction.
    pub(super) fn bail_out(&mut self, number: u32) {
        self.exits_to(number | BAILOUT);
        self.exit_now();
        self.end_of_path();
    }

    /// Nothing leads on from here to the next instruction.
    pub(super) fn end_of_path(&mut self) {
        self.unchecked_writes = 0;
        self.overdraft = 0;
        self.flags = NZ;
        self.path_ended = true;
    }

    /// From here on the program goes on with this instruction when the code is left.
    pub(super) fn exits_to(&mut self, number: u32) {
        self.exit_target = Some(number);
    }

    pub(super) fn exit_now(&mut self) {
        let jump = self.code.jmp();
        self.exit_stubs.push(ExitStub { jump, number: self.exit_target, flags: self.flags });
    }

    #[cfg_attr(test, track_caller)]
    pub(super) fn exit_if(&mut self, condition: Cond) {
        let jump = self.jump_if(condition);
        self.exit_stubs.push(ExitStub { jump, number: self.exit_target, flags: self.flags });
    }

    /// Jumps to what is rare, or out of a function. One place for all bounds, so that tests can leave each of them out.
    #[cfg_attr(test, track_caller)]
    pub(super) fn jump_if(&mut self, condition: Cond) -> usize {
        #[cfg(test)]
        if crate::tests::mutants::removes(std::panic::Location::caller()) {
            let past = self.code.jmp_short();
            let jump = self.code.jcc(condition);
            self.code.bind_short(past);
            return jump;
        }
        self.code.jcc(condition)
    }

    /// Cuts an index to the size of its table: a power of 2.
    #[cfg_attr(test, track_caller)]
    pub(super) fn mask(&mut self, index: Reg, bits: i32) {
        #[cfg(test)]
        if crate::tests::mutants::removes(std::panic::Location::caller()) {
            return;
        }
        self.code.alu_ri(AluOp::And, index, bits);
    }

    /// What is rare goes on here.
    pub(super) fn attach_slow_path(&mut self, jump: usize, what: SlowPath) {
        let resume = self.code.position();
        self.out_of_line.push(OutOfLine {
            jump,
            resume,
            exit_target: self.exit_target,
            flags: self.flags,
            what,
        });
    }

    pub(super) fn mov_unless_same(&mut self, to: Reg, from: Reg) {
        if to != from {
            self.code.mov_rr(to, from);
        }
    }

    /// Bails out if there may be no room for another few writes.
    pub(super) fn check_log_space(&mut self) {
        self.code.alu_rm64(AluOp::Cmp, LOG, state(at::LOG_END));
        self.exit_if(Cond::AboveOrEqual);
    }
}
