//! N and Z: they tell of a byte, which most often is in A, X or Y anyway.
//!
//! While the code is generated it is known which register that is, and nothing has to be copied into the register for it
//! (NZ) until another instruction may come here, or the code is left. An instruction to which jumps lead finds it there. One
//! that expects it in another has its code twice: that which is entered from outside finds it in NZ, too.

use super::CodeGen;
use super::loads::overwrites_flags;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use crate::Instruction;
use crate::kind::{self, Kind};

/// Flow and flags of an instruction, found before its code is generated.
pub(super) struct BlockFacts {
    /// Jumps lead to it.
    pub(super) is_target: Vec<bool>,
    /// It sets N and Z, without looking at them or leaving the code before.
    pub(super) overwrites: Vec<bool>,
}

impl BlockFacts {
    pub(super) fn of(instructions: &[Instruction]) -> Self {
        let mut is_target = vec![false; instructions.len()];
        for instruction in instructions.iter().filter(|instruction| has_target(instruction.kind)) {
            if let Some(is_target) = is_target.get_mut(usize::from(instruction.target)) {
                *is_target = true;
            }
        }
        let overwrites = instructions.iter().map(overwrites_flags).collect();
        Self { is_target, overwrites }
    }
}

pub(super) fn is_branch(kind: Kind) -> bool {
    kind & 0xFF1F == 0x10
}

fn has_target(kind: Kind) -> bool {
    is_branch(kind) || matches!(kind, kind::NEXT_BLOCK | kind::JUMP | kind::CALL)
}

impl CodeGen<'_> {
    /// N and Z are in their own register from here on.
    pub(super) fn materialize_flags(&mut self) {
        let flags = std::mem::replace(&mut self.flags, NZ);
        self.mov_unless_same(NZ, flags);
    }

    /// The same before an instruction, unless it does not care.
    pub(super) fn materialize_flags_for(&mut self, target: usize) {
        if !self.facts.overwrites.get(target).is_some_and(|is| *is) {
            self.materialize_flags();
        }
    }

    /// Where instructions are entered: those that do not find N and Z in NZ get code for that.
    pub(super) fn finish_entries(&mut self, instructions: &[Instruction]) -> Vec<u32> {
        let mut entries = self.bodies.clone();
        self.is_second = true;
        for number in std::mem::take(&mut self.expecting) {
            let index = number as usize;
            entries[index] = self.code.position() as u32;
            self.end_of_path();
            self.path_ended = false;
            self.instruction(number, &instructions[index]);
            if self.path_ended {
                continue;
            }
            if self.unchecked_writes > 0 {
                self.exits_to(number + 1);
                self.check_log_space();
            }
            // If this has not set N and Z, the same code of the next instruction follows, unless that sets them.
            let next = index + 1;
            let expects =
                self.facts.is_target.get(next).map(|is_target| (*is_target, self.facts.overwrites[next]));
            match expects {
                Some((true, _)) => self.materialize_flags_for(next),
                Some((false, false)) if self.flags == NZ && self.expects[next] != NZ => continue,
                _ => {}
            }
            let jump = self.code.jmp();
            let there = self.bodies.get(next).map_or(self.last_body, |body| *body as usize);
            self.code.bind(jump, there);
        }
        self.is_second = false;
        entries
    }
}
