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
//! | entry points | the same; or it was compared with their number |
//! | windows | the index is of the bits 0, 1 and 3; [`RomWindow::new`] sees to it that they lie in ROM |
//! | logged writes | the code looks for room after [`MAX_UNCHECKED_WRITES`] of them at the latest, and at every jump but those forward,
//! | | where log entries are counted on: see `flow` |

mod chips;
mod display;
mod flags;
mod flow;
mod loads;
mod stack;

use self::flags::BlockFacts;
use super::assembler::{AluOp, Assembler, ByteOperand, Cond, Mem, Reg, Shift, ShortJump};
use crate::kind::{self, Kind};
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::state::{LOG_LIMIT, MAX_UNCHECKED_WRITES, MIRROR, at};
use crate::{EntryPoint, Instruction, TiaWrite};

const AX: Reg = Reg(0);
const CX: Reg = Reg(1);
const DX: Reg = Reg(2);
/// C in bit 8.
const CARRY: Reg = Reg(3);
/// Where the program goes on when the code is left: see [`BAILOUT`].
const EXIT_OP: Reg = Reg(5);
const ROM: Reg = Reg(6);
const STATE: Reg = Reg(7);
const A: Reg = Reg(8);
const X: Reg = Reg(9);
const Y: Reg = Reg(10);
const NZ: Reg = Reg(11);
const TIME: Reg = Reg(12);
/// Where in memory the next write is logged.
const LOG: Reg = Reg(13);
/// The first address of the current ROM span, and where that is in memory.
const SPAN_FIRST: Reg = Reg(14);
const SPAN_BASE: Reg = Reg(15);
const SAVED: [Reg; 6] = [CARRY, EXIT_OP, TIME, LOG, SPAN_FIRST, SPAN_BASE];

/// Added to the number of an instruction that the caller has to run.
pub(crate) const BAILOUT: u32 = 0x1_0000;
const WSYNC: u16 = 2;
const VSYNC: u16 = 0;
const VBLANK: u16 = 1;
/// The first address without a register.
const NO_REGISTER: u16 = 0x2D;
const RSYNC: u16 = 3;

/// Code, and where in it the instructions begin: 0 for those without.
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<u32>,
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

/// A jump that exits the code, the instruction with which the program goes on, and the register that N and Z tell of.
struct ExitStub {
    jump: usize,
    number: Option<u32>,
    flags: Reg,
}

/// What is rare: the jump there, and where it goes on.
struct OutOfLine {
    jump: usize,
    resume: usize,
    exit_target: Option<u32>,
    flags: Reg,
    what: SlowPath,
}

enum SlowPath {
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
    fn pin(instruction: &Instruction, to: Reg) -> Self {
        Self::Pin { cycles_after: instruction.cycles_after, last_byte: instruction.last_byte, to }
    }
}

fn state(distance: i32) -> Mem {
    Mem::new(STATE, distance)
}

fn ram(address: u8) -> Mem {
    state(at::RAM + i32::from(address))
}

/// RAM at an address of the zero page in a register.
fn ram_by(index: Reg) -> Mem {
    Mem::indexed(STATE, index, 0, at::RAM)
}

/// RAM at an address of the zero page in a register, less 256.
fn ram_below(index: Reg) -> Mem {
    Mem::indexed(STATE, index, 0, 0)
}
const _: () = assert!(at::RAM == -0x100);

fn shadow(register: usize) -> Mem {
    state(at::SHADOW + 2 * register as i32)
}

fn shadow_by(register: Reg) -> Mem {
    Mem::indexed(STATE, register, 1, at::SHADOW)
}

fn source(number: u16) -> Reg {
    [A, X, Y][usize::from(number % 3)]
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
            entry_point_count: entry_points.len(),
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
        code.raw(&[0xC3]);
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
        self.finish_fetches();
        self.finish_chip_stores();
        self.finish_far();
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
        Compiled { bytes: self.code.bytes, entries }
    }

    /// The ways out, one for each instruction with which the program goes on.
    fn finish_exit_stubs(&mut self) {
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
    fn bail_out(&mut self, number: u32) {
        self.exits_to(number | BAILOUT);
        self.exit_now();
        self.end_of_path();
    }

    /// Nothing leads on from here to the next instruction.
    fn end_of_path(&mut self) {
        self.unchecked_writes = 0;
        self.overdraft = 0;
        self.flags = NZ;
        self.path_ended = true;
    }

    /// From here on the program goes on with this instruction when the code is left.
    fn exits_to(&mut self, number: u32) {
        self.exit_target = Some(number);
    }

    fn exit_now(&mut self) {
        let jump = self.code.jmp();
        self.exit_stubs.push(ExitStub { jump, number: self.exit_target, flags: self.flags });
    }

    fn exit_if(&mut self, condition: Cond) {
        let jump = self.code.jcc(condition as u8);
        self.exit_stubs.push(ExitStub { jump, number: self.exit_target, flags: self.flags });
    }

    /// Jumps to what is rare; `resume` tells where that goes on.
    fn slow_path_if(&mut self, condition: Cond) -> usize {
        self.code.jcc(condition as u8)
    }

    /// What is rare goes on here.
    fn attach_slow_path(&mut self, jump: usize, what: SlowPath) {
        let resume = self.code.position();
        self.out_of_line.push(OutOfLine {
            jump,
            resume,
            exit_target: self.exit_target,
            flags: self.flags,
            what,
        });
    }

    fn mov_unless_same(&mut self, to: Reg, from: Reg) {
        if to != from {
            self.code.mov_rr(to, from);
        }
    }

    /// Bails out if there may be no room for another few writes.
    fn check_log_space(&mut self) {
        self.code.alu_rm64(AluOp::Cmp, LOG, state(at::LOG_END));
        self.exit_if(Cond::AboveOrEqual);
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

    /// Writes the code of an instruction; `false` if there is none, and then nothing is generated.
    fn emit(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, cycles_after, .. } = instruction;
        match kind {
            _ if self.control_flow(number, instruction) => {}
            kind::STORE_TIA.. if kind & !0xFF == kind::STORE_TIA => {
                let register = kind & 0x3F;
                match register {
                    VSYNC => return false,
                    WSYNC => self.wait(cycles_after),
                    RSYNC | NO_REGISTER.. => {}
                    VBLANK => {
                        self.code.mov_mi8(state(at::PINS_STALE), 1);
                        self.store(register as u8, source((kind & 0xFF) / kind::SOURCE), cycles_after);
                    }
                    _ => self.store(register as u8, source((kind & 0xFF) / kind::SOURCE), cycles_after),
                }
            }
            PHP => {
                self.exits_to(number | BAILOUT);
                self.push_status(cycles_after);
            }
            kind::STORE_SLOW..=kind::STORE_SLOW_Y => {
                if operand & 0x1000 != 0 {
                    return false;
                }
                self.store_in_riot(operand, source(kind & 3), cycles_after);
            }
            PLP => {
                self.exits_to(number | BAILOUT);
                self.pull_status();
            }
            PHA => {
                self.exits_to(number | BAILOUT);
                self.code.movsx_rm8(DX, state(at::SP));
                self.store_in_zero_page(A, cycles_after);
                self.code.dec_m8(state(at::SP));
            }
            PLA => {
                self.exits_to(number | BAILOUT);
                self.pull(cycles_after);
            }
            ASL_TIA | ROL_TIA | LSR_TIA | ROR_TIA | DEC_TIA | INC_TIA => {
                if operand & 8 == 0 || operand & 0x3F < NO_REGISTER {
                    return false;
                }
                // It is read, but writes have no effect.
                self.exits_to(number | BAILOUT);
                self.load_pin(operand, instruction);
                self.code.mov_rr(NZ, CX);
                self.read_modify_write(kind & 0xFF, NZ);
            }
            ASL_A | ROL_A | LSR_A | ROR_A => self.read_modify_write(kind, A),
            ASL_ZP | ROL_ZP | LSR_ZP | ROR_ZP | DEC_ZP | INC_ZP | DCP_ZP => {
                self.code.movzx_rm8(NZ, ram(operand as u8));
                self.read_modify_write(kind, NZ);
                self.code.mov_mr8(ram(operand as u8), NZ);
                self.compare_after_dcp(kind);
            }
            ASL_ZPX | ROL_ZPX | LSR_ZPX | ROR_ZPX | DEC_ZPX | INC_ZPX => {
                self.exits_to(number | BAILOUT);
                self.zero_page_by(X, operand);
                self.exit_if(Cond::NotNegative);
                self.code.movzx_rm8(NZ, ram_below(DX));
                self.read_modify_write(kind, NZ);
                self.code.mov_mr8(ram_below(DX), NZ);
            }
            STY_ZP..=STX_ZP => {
                let reg = [Y, A, X][usize::from(kind & 3)];
                self.code.mov_mr8(ram(operand as u8), reg);
            }
            STY_ZPX..=STX_ZPY => {
                let (reg, index) = [(Y, X), (A, X), (X, Y)][usize::from(kind & 3)];
                self.exits_to(number | BAILOUT);
                self.code.lea(DX, Mem::new(index, i32::from(operand as i8)));
                self.code.movsx_rr8(DX, DX);
                self.store_in_zero_page(reg, cycles_after);
            }
            STA_ABY | STA_ABX | STA_IZY => {
                self.exits_to(number | BAILOUT);
                self.store_by_index(kind, operand);
            }
            _ if is_implied(kind) => self.implied(kind),
            _ => return self.load_and_operate(number, instruction),
        }
        true
    }

    /// Stores a register at the address of the zero page in DX, with its sign: RAM, or a register of the video chip.
    fn store_in_zero_page(&mut self, reg: Reg, cycles_after: u16) {
        self.code.test_rr(DX);
        let to_chip = self.slow_path_if(Cond::NotNegative);
        self.code.mov_mr8(ram_below(DX), reg);
        self.attach_slow_path(to_chip, SlowPath::Store { cycles_after, from: reg });
        self.unchecked_writes += 1;
    }

    /// An address of the zero page that an index is added to, into DX, with its sign, and whether that is positive: then it
    /// is not RAM.
    fn zero_page_by(&mut self, index: Reg, operand: u16) {
        self.code.lea(DX, Mem::new(index, i32::from(operand as i8)));
        self.code.movsx_rr8(DX, DX);
        self.code.test_rr(DX);
    }

    fn store_by_index(&mut self, kind: Kind, operand: u16) {
        if kind == STA_IZY {
            self.code.movzx_rm16(DX, ram(operand as u8));
            self.code.alu_rr(AluOp::Add, DX, Y);
        } else {
            let index = if kind == STA_ABX { X } else { Y };
            self.code.lea(DX, Mem::new(index, i32::from(operand)));
        }
        self.check_ram();
        self.code.mov_mr8(ram_below(DX), A);
    }

    /// From an address in DX to that of the zero page, with its sign; bails out if it is not RAM.
    fn check_ram(&mut self) {
        self.code.mov_rr(AX, DX);
        self.code.alu_ri(AluOp::And, AX, 0x1280);
        self.code.alu_ri(AluOp::Cmp, AX, 0x80);
        self.exit_if(Cond::NotZero);
        self.code.movsx_rr8(DX, DX);
    }

    /// What the byte in a register becomes, A or NZ. AX and DX stay.
    fn read_modify_write(&mut self, kind: Kind, reg: Reg) {
        let code = &mut self.code;
        let shift = match kind {
            ASL_ZP | ASL_ZPX | ASL_A => Some(Shift::Left),
            ROL_ZP | ROL_ZPX | ROL_A => Some(Shift::RotateLeft),
            LSR_ZP | LSR_ZPX | LSR_A => Some(Shift::Right),
            ROR_ZP | ROR_ZPX | ROR_A => Some(Shift::RotateRight),
            _ => None,
        };
        if let Some(shift) = shift {
            if matches!(shift, Shift::RotateLeft | Shift::RotateRight) {
                code.bt_ri(CARRY, 8);
            }
            code.shift_r8(shift, reg);
            code.setcc_high8(Cond::Below, CARRY);
        } else {
            code.inc_dec_r8(reg, !matches!(kind, INC_ZP | INC_ZPX));
        }
        self.flags = reg;
    }

    /// DCP compares A with what it has counted, which is in NZ.
    fn compare_after_dcp(&mut self, kind: Kind) {
        if kind == DCP_ZP {
            self.compare(A, ByteOperand::Register(NZ));
        }
    }

    fn implied(&mut self, kind: Kind) {
        let code = &mut self.code;
        let counts = match kind {
            INX | DEX => Some(X),
            INY | DEY => Some(Y),
            _ => None,
        };
        if let Some(reg) = counts {
            code.inc_dec_r8(reg, matches!(kind, DEX | DEY));
            self.flags = reg;
        }
        let transfers = match kind {
            TAX => Some((X, A)),
            TAY => Some((Y, A)),
            TXA => Some((A, X)),
            TYA => Some((A, Y)),
            _ => None,
        };
        if let Some((to, from)) = transfers {
            code.mov_rr(to, from);
            self.flags = to;
        }
        match kind {
            TSX => {
                code.movzx_rm8(X, state(at::SP));
                self.flags = X;
            }
            TXS => code.mov_mr8(state(at::SP), X),
            // N and Z may be told of by the byte below.
            CLC => code.mov_high8_i(CARRY, 0),
            SEC => code.mov_high8_i(CARRY, 1),
            CLI => code.mov_mi8(state(at::INTERRUPT), 0),
            SEI => code.mov_mi8(state(at::INTERRUPT), 1),
            CLD => code.mov_mi8(state(at::DECIMAL), 0),
            SED => code.mov_mi8(state(at::DECIMAL), 1),
            CLV => code.mov_mi8(state(at::OVERFLOW), 0),
            _ => {}
        }
    }
}

fn is_implied(kind: Kind) -> bool {
    matches!(
        kind,
        INX | INY
            | DEX
            | DEY
            | TAX
            | TAY
            | TXA
            | TYA
            | TSX
            | TXS
            | CLC
            | SEC
            | CLI
            | SEI
            | CLV
            | CLD
            | SED
            | NOP
    )
}
