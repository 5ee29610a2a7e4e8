//! From instructions to code.
//!
//! Registers of the 6507 and its flags live in registers of the processor as long as the code runs, so that it can be
//! entered at every instruction (see `flags` for N and Z). It calls nothing but functions of its own: what it cannot do it
//! leaves to the caller. Most programs run most of their code once in a frame, so what counts is how few bytes it has. It
//! touches nothing but its [`crate::State`], the image and the table of entry points where programs go on:
//!
//! | what | why it stays within bounds |
//! |---|---|
//! | RAM | the index is a byte; a pointer is read at a constant byte or at SP, whose range is checked; so it is where bytes
//! | | before or behind SP are meant |
//! | inputs | the index is of three bits |
//! | display data | the index is of eleven bits, and behind it there are more of the 65,536 bytes of ROM |
//! | music clocks | the index was compared with the length of the table |
//! | ROM | the index is 16 bits wide, or was compared with the length of the span, which [`crate::JitCode::run`] checks |
//! | entry points | the same; the end of a span after a far jump was compared with their number |
//! | windows | the index is of the bits 0, 1 and 3; [`RomWindow::new`] sees to it that they lie in ROM |
//! | logged writes | the code looks for room after [`MAX_UNCHECKED_WRITES`] of them at the latest, and at every jump but those forward,
//! | | where log entries are counted on: see `flow` |

mod chips;
mod display;
mod exits;
mod flags;
mod flow;
mod instructions;
mod loads;
mod registers;
mod stack;

use self::exits::{ExitStub, OutOfLine};
use self::flags::BlockFacts;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use self::registers::*;
use crate::state::{LOG_LIMIT, MAX_UNCHECKED_WRITES, at};
use crate::target::{AluOp, Assembler, Mem, Reg, ShortJump};
use crate::{EntryPoint, Instruction, TiaWrite};

/// Added to the number of an instruction that the caller has to run.
pub(crate) const BAILOUT: u32 = 0x1_0000;

/// Code, and where in it the instructions begin: 0 for those without.
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<u32>,
    /// Where the functions lie that instructions call.
    #[cfg(test)]
    pub(crate) functions: std::ops::Range<usize>,
}

pub(crate) fn compile(instructions: &[Instruction], entry_points: &[EntryPoint]) -> Compiled {
    let facts = BlockFacts::of(instructions);
    // Once to see which jumps are short; they are shorter then, and nothing gets farther away by that.
    let short = CodeGen::generate(instructions, &facts, entry_points, Vec::new()).short_jumps();
    CodeGen::generate(instructions, &facts, entry_points, short).finish(instructions)
}

struct CodeGen<'a> {
    code: Assembler,
    facts: &'a BlockFacts,
    /// Where instructions begin when N and Z are where the code expects them.
    bodies: Vec<u32>,
    /// Where the last of all is: it only exits.
    last_body: usize,
    /// The register that N and Z tell of before each instruction.
    expects: Vec<Reg>,
    /// Instructions for which that matters and that expect another one than NZ.
    expecting: Vec<u32>,
    /// The code of such an instruction is generated for the second time.
    is_second: bool,
    jumps: Vec<PendingJump>,
    /// Which of them are short.
    short: Vec<bool>,
    exit_stubs: Vec<ExitStub>,
    /// The instruction with which the program goes on if the code is left; none if it is in its register already.
    exit_target: Option<u32>,
    /// The register that N and Z tell of.
    flags: Reg,
    /// Nothing leads on to the next instruction.
    path_ended: bool,
    epilogue: usize,
    /// Writes since the code last looked for room, and instructions since it last looked for time, on the way to here that
    /// has most of them.
    unchecked_writes: usize,
    overdraft: u32,
    /// The same for instructions to which jumps lead that did not look.
    expected: Vec<(usize, u32)>,
    out_of_line: Vec<OutOfLine>,
    /// Calls of functions that load from a register of the cartridge.
    fetches: Vec<(usize, u16)>,
    /// Calls of the function that stores to the video chip.
    chip_stores: Vec<usize>,
    entry_points: u64,
    entry_point_count: usize,
    /// Calls of the functions that find a place anywhere, and whether the byte before it is looked at, too.
    far: Vec<(usize, bool)>,
}

/// A jump to an instruction.
struct PendingJump {
    from: JumpField,
    target: u16,
}

/// Where the distance of a jump is to be written.
#[derive(Clone, Copy)]
enum JumpField {
    Near(ShortJump),
    Far(usize),
}

impl<'a> CodeGen<'a> {
    /// All code but that which instructions have in common.
    fn generate(
        instructions: &[Instruction],
        facts: &'a BlockFacts,
        entry_points: &[EntryPoint],
        short: Vec<bool>,
    ) -> Self {
        let mut codegen = CodeGen {
            code: Assembler::default(),
            facts,
            bodies: Vec::with_capacity(instructions.len()),
            last_body: 0,
            expects: Vec::with_capacity(instructions.len()),
            expecting: Vec::new(),
            is_second: false,
            jumps: Vec::new(),
            short,
            exit_stubs: Vec::new(),
            exit_target: None,
            flags: NZ,
            path_ended: false,
            epilogue: 0,
            unchecked_writes: 0,
            overdraft: 0,
            expected: vec![(0, 0); instructions.len()],
            out_of_line: Vec::new(),
            fetches: Vec::new(),
            chip_stores: Vec::new(),
            entry_points: entry_points.as_ptr() as u64,
            entry_point_count: entry_points.len().min(0x1_0000),
            far: Vec::new(),
        };
        codegen.prologue_and_epilogue();
        for (number, instruction) in (0..).zip(instructions) {
            codegen.begin_instruction(number);
            codegen.instruction(number, instruction);
        }
        // No basic block leads here.
        codegen.materialize_flags();
        codegen.last_body = codegen.code.position();
        codegen.bail_out(0);
        codegen
    }

    /// What leads in and what leads out.
    fn prologue_and_epilogue(&mut self) {
        let code = &mut self.code;
        for reg in SAVED {
            code.push(reg);
        }
        code.lea64(STATE, Mem::new(STATE, at::BIAS));
        code.mov_rm64(TIME, state(at::TIME));
        code.mov_rm(CARRY, state(at::CARRY));
        code.mov_rm(NZ, state(at::NZ));
        code.lea64(LOG, state(at::LOG));
        code.lea64(AX, state(at::LOG + (LOG_LIMIT * size_of::<TiaWrite>()) as i32));
        code.mov_mr64(state(at::LOG_END), AX);
        code.mov_rm(SPAN_FIRST, state(at::FIRST));
        code.mov_rm(AX, state(at::OFFSET));
        code.lea64(SPAN_BASE, Mem::indexed(ROM, AX, 0, 0));
        for (index, reg) in (0..).zip([A, X, Y]) {
            code.movzx_rm8(reg, state(at::REGISTERS + index));
        }
        code.jmp_r(DX);
        self.epilogue = self.code.position();
        let code = &mut self.code;
        code.mov_mr64(state(at::TIME), TIME);
        code.mov_mr(state(at::CARRY), CARRY);
        code.mov_mr(state(at::NZ), NZ);
        code.lea64(AX, state(at::LOG));
        code.alu_rr64(AluOp::Sub, LOG, AX);
        code.shr_ri(LOG, size_of::<TiaWrite>().trailing_zeros() as u8);
        code.mov_mr(state(at::LOG_LEN), LOG);
        for (index, reg) in (0..).zip([A, X, Y]) {
            code.mov_mr8(state(at::REGISTERS + index), reg);
        }
        code.mov_rr(AX, EXIT_OP);
        for reg in SAVED.into_iter().rev() {
            code.pop(reg);
        }
        code.ret();
    }

    /// Before an instruction.
    fn begin_instruction(&mut self, number: u32) {
        let index = number as usize;
        let (unchecked_writes, overdraft) = self.expected[index];
        self.unchecked_writes = self.unchecked_writes.max(unchecked_writes);
        self.overdraft = self.overdraft.max(overdraft);
        if self.facts.is_target[index] {
            self.materialize_flags_for(index);
            self.flags = NZ;
        } else if self.flags != NZ && !self.facts.overwrites[index] {
            self.expecting.push(number);
        }
        self.expects.push(self.flags);
        self.bodies.push(self.code.position() as u32);
    }

    fn finish(mut self, instructions: &[Instruction]) -> Compiled {
        let entries = self.finish_entries(instructions);
        self.finish_slow_paths();
        #[cfg(test)]
        let functions_start = self.code.position();
        self.finish_fetches();
        self.finish_chip_stores();
        self.finish_far();
        #[cfg(test)]
        let functions_end = self.code.position();
        for PendingJump { from, target } in std::mem::take(&mut self.jumps) {
            match (from, self.bodies.get(usize::from(target))) {
                (JumpField::Near(skip), Some(&body)) => self.code.bind_short_to(skip, body as usize),
                (JumpField::Far(jump), Some(&body)) => self.code.bind(jump, body as usize),
                (JumpField::Far(jump), None) => {
                    self.exit_stubs.push(ExitStub { jump, number: Some(u32::from(target)), flags: NZ });
                }
                (JumpField::Near(_), None) => unreachable!("only what is there is short"),
            }
        }
        self.finish_exit_stubs();
        Compiled {
            bytes: self.code.bytes,
            entries,
            #[cfg(test)]
            functions: functions_start..functions_end,
        }
    }

    fn instruction(&mut self, number: u32, instruction: &Instruction) {
        if !self.emit(number, instruction) {
            self.bail_out(number);
        }
        if self.unchecked_writes >= MAX_UNCHECKED_WRITES {
            self.exits_to(number + 1);
            self.check_log_space();
            self.unchecked_writes = 0;
        }
    }
}
