//! From instructions to code.
//!
//! Registers of the 6507 and its flags live in registers of the processor as long as the code runs, so that it can be
//! entered at every instruction (see `flags` for N and Z). It calls nothing but functions of its own: what it cannot do it
//! leaves to the caller. Most programs run most of their code once in a frame, so what counts is how few bytes it has. It
//! touches nothing but its [`crate::State`], the image and the table of places where programs go on:
//!
//! | what | why it stays within bounds |
//! |---|---|
//! | RAM | the index is a byte; a pointer is read at a constant byte or at SP, whose range is checked; so it is where bytes
//! | | before or behind SP are meant |
//! | inputs | the index is of three bits |
//! | display data | the index is of eleven bits, and behind it there are more of the 65,536 bytes of ROM |
//! | music clocks | the index was compared with the length of the table |
//! | ROM | the index is 16 bits wide, or was compared with the length of the piece, which [`crate::Code::run`] checks |
//! | places | the same; or it was compared with their number |
//! | windows | the index is of the bits 0, 1 and 3; [`Window::new`] sees to it that they lie in ROM |
//! | noted writes | the code looks for room after [`UNCHECKED`] of them at the latest, and at every jump but those forward,
//! | | where notes are counted on: see `flow` |

mod chips;
mod display;
mod flags;
mod flow;
mod loads;
mod stack;

use self::flags::Facts;
use super::assembler::{Assembler, At, Byte, Do, If, Reg, Shift, Skip};
use crate::kind::{self, Kind};
use crate::state::{FULL, MIRROR, UNCHECKED, at};
use crate::{Instruction, Note, Place};

const AX: Reg = Reg(0);
const CX: Reg = Reg(1);
const DX: Reg = Reg(2);
/// C in bit 8.
const CARRY: Reg = Reg(3);
/// Where the program goes on when the code is left: see [`STEP`].
const WHERE: Reg = Reg(5);
const ROM: Reg = Reg(6);
const STATE: Reg = Reg(7);
const A: Reg = Reg(8);
const X: Reg = Reg(9);
const Y: Reg = Reg(10);
const NZ: Reg = Reg(11);
const TIME: Reg = Reg(12);
/// Where in memory the next write is noted.
const NOTED: Reg = Reg(13);
/// The first address of the piece of ROM where the program is, and where that is in memory.
const FIRST: Reg = Reg(14);
const PIECE: Reg = Reg(15);
const SAVED: [Reg; 6] = [CARRY, WHERE, TIME, NOTED, FIRST, PIECE];

/// Added to the number of an instruction that the caller has to run.
pub(crate) const STEP: u32 = 0x1_0000;
const WSYNC: u16 = 2;
const VSYNC: u16 = 0;
const VBLANK: u16 = 1;
const STORE_Y_ELSEWHERE: Kind = kind::STORE_ELSEWHERE + 2;
/// The first address without a register.
const NO_REGISTER: u16 = 0x2D;
const RSYNC: u16 = 3;

/// Code, and where in it the instructions begin: 0 for those without.
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<u32>,
}

pub(crate) fn compile(instructions: &[Instruction], places: &[Place]) -> Compiled {
    let facts = Facts::of(instructions);
    // Once to see which jumps are near; they are shorter then, and nothing gets farther away by that.
    let near = Writer::written(instructions, &facts, places, Vec::new()).near_jumps();
    Writer::written(instructions, &facts, places, near).finish(instructions)
}

struct Writer<'a> {
    code: Assembler,
    facts: &'a Facts,
    /// Where instructions begin when N and Z are where the code expects them.
    bodies: Vec<u32>,
    /// Where the last of all is: it only leaves.
    last_body: usize,
    /// The register that N and Z tell of before each instruction.
    expects: Vec<Reg>,
    /// Instructions for which that matters and that expect another one than NZ.
    expecting: Vec<u32>,
    /// The code of such an instruction is written for the second time.
    is_second: bool,
    jumps: Vec<Jump>,
    /// Which of them are near.
    near: Vec<bool>,
    leaves: Vec<Leave>,
    /// The instruction with which the program goes on if the code is left; none if it is in its register already.
    leaving: Option<u32>,
    /// The register that N and Z tell of.
    flags: Reg,
    /// Nothing leads on to the next instruction.
    has_ended: bool,
    exit: usize,
    /// Writes since the code last looked for room, and instructions since it last looked for time, on the way to here that
    /// has most of them.
    unchecked: usize,
    owed: u32,
    /// The same for instructions to which jumps lead that did not look.
    expected: Vec<(usize, u32)>,
    cold: Vec<Cold>,
    /// Calls of functions that load from a register of the cartridge.
    fetches: Vec<(usize, u16)>,
    /// Calls of the function that stores to the video chip.
    chip_stores: Vec<usize>,
    places: u64,
    count_of_places: usize,
    /// Calls of the functions that find a place anywhere, and whether the byte before it is looked at, too.
    far: Vec<(usize, bool)>,
}

/// A jump to an instruction.
struct Jump {
    from: Distance,
    target: u16,
}

/// Where the distance of a jump is to be written.
#[derive(Clone, Copy)]
enum Distance {
    Near(Skip),
    Far(usize),
}

/// A jump that leaves the code, the instruction with which the program goes on, and the register that N and Z tell of.
struct Leave {
    jump: usize,
    number: Option<u32>,
    flags: Reg,
}

/// What is rare: the jump there, and where it goes on.
struct Cold {
    jump: usize,
    resume: usize,
    leaving: Option<u32>,
    flags: Reg,
    what: Elsewhere,
}

enum Elsewhere {
    /// Loads from RAM or other plain ROM, at DX and the first address of the piece, into a register.
    Anything(Reg),
    /// Loads from an input of the video chip, whose address is in DX, into a register.
    Pin {
        after: u16,
        last: u8,
        to: Reg,
    },
    /// Stores a register in the video chip, at the address in DX.
    Store {
        after: u16,
        from: Reg,
    },
    /// Pulls A from the inputs of the video chip, at the address in DX.
    Pull {
        after: u16,
    },
    /// Returns to other plain ROM, or jumps there.
    Return,
    Jump,
}

impl Elsewhere {
    fn pin(instruction: &Instruction, to: Reg) -> Self {
        Self::Pin { after: instruction.after, last: instruction.last, to }
    }
}

fn state(distance: i32) -> At {
    At::new(STATE, distance)
}

fn ram(address: u8) -> At {
    state(at::RAM + i32::from(address))
}

/// RAM at an address of the zero page in a register.
fn ram_by(index: Reg) -> At {
    At::indexed(STATE, index, 0, at::RAM)
}

/// RAM at an address of the zero page in a register, less 256.
fn ram_below(index: Reg) -> At {
    At::indexed(STATE, index, 0, 0)
}
const _: () = assert!(at::RAM == -0x100);

fn last(register: usize) -> At {
    state(at::LAST + 2 * register as i32)
}

fn last_by(register: Reg) -> At {
    At::indexed(STATE, register, 1, at::LAST)
}

fn source(number: u16) -> Reg {
    [A, X, Y][usize::from(number % 3)]
}

impl<'a> Writer<'a> {
    /// All code but that which instructions have in common.
    fn written(instructions: &[Instruction], facts: &'a Facts, places: &[Place], near: Vec<bool>) -> Self {
        let mut writer = Writer {
            code: Assembler::default(),
            facts,
            bodies: Vec::with_capacity(instructions.len()),
            last_body: 0,
            expects: Vec::with_capacity(instructions.len()),
            expecting: Vec::new(),
            is_second: false,
            jumps: Vec::new(),
            near,
            leaves: Vec::new(),
            leaving: None,
            flags: NZ,
            has_ended: false,
            exit: 0,
            unchecked: 0,
            owed: 0,
            expected: vec![(0, 0); instructions.len()],
            cold: Vec::new(),
            fetches: Vec::new(),
            chip_stores: Vec::new(),
            places: places.as_ptr() as u64,
            count_of_places: places.len(),
            far: Vec::new(),
        };
        writer.enter();
        for (number, instruction) in (0..).zip(instructions) {
            writer.begin(number);
            writer.instruction(number, instruction);
        }
        // No stream leads here.
        writer.settle_flags();
        writer.last_body = writer.code.here();
        writer.step(0);
        writer
    }

    /// What leads in and what leads out.
    fn enter(&mut self) {
        let code = &mut self.code;
        for reg in SAVED {
            code.push(reg);
        }
        code.reckon_wide(STATE, At::new(STATE, at::BIAS));
        code.load_wide(TIME, state(at::TIME));
        code.load(CARRY, state(at::CARRY));
        code.load(NZ, state(at::NZ));
        code.reckon_wide(NOTED, state(at::NOTES));
        code.reckon_wide(AX, state(at::NOTES + (FULL * size_of::<Note>()) as i32));
        code.store_wide(state(at::FULL), AX);
        code.load(FIRST, state(at::FIRST));
        code.load(AX, state(at::OFFSET));
        code.reckon_wide(PIECE, At::indexed(ROM, AX, 0, 0));
        for (index, reg) in (0..).zip([A, X, Y]) {
            code.load_byte(reg, state(at::REGISTERS + index));
        }
        code.jump_to(DX);
        self.exit = self.code.here();
        let code = &mut self.code;
        code.store_wide(state(at::TIME), TIME);
        code.store(state(at::CARRY), CARRY);
        code.store(state(at::NZ), NZ);
        code.reckon_wide(AX, state(at::NOTES));
        code.operate_wide(Do::Sub, NOTED, AX);
        code.shift_right(NOTED, size_of::<Note>().trailing_zeros() as u8);
        code.store(state(at::NOTED), NOTED);
        for (index, reg) in (0..).zip([A, X, Y]) {
            code.store_byte(state(at::REGISTERS + index), reg);
        }
        code.copy(AX, WHERE);
        for reg in SAVED.into_iter().rev() {
            code.pop(reg);
        }
        code.raw(&[0xC3]);
    }

    /// Before an instruction.
    fn begin(&mut self, number: u32) {
        let index = number as usize;
        let (unchecked, owed) = self.expected[index];
        self.unchecked = self.unchecked.max(unchecked);
        self.owed = self.owed.max(owed);
        if self.facts.is_target[index] {
            self.settle_flags_for(index);
            self.flags = NZ;
        } else if self.flags != NZ && !self.facts.overwrites[index] {
            self.expecting.push(number);
        }
        self.expects.push(self.flags);
        self.bodies.push(self.code.here() as u32);
    }

    fn finish(mut self, instructions: &[Instruction]) -> Compiled {
        let entries = self.finish_entries(instructions);
        for Cold { jump, resume, leaving, flags, what } in std::mem::take(&mut self.cold) {
            let here = self.code.here();
            self.code.lead(jump, here);
            self.leaving = leaving;
            self.flags = flags;
            // As many writes may have been noted as can be.
            self.unchecked = 1;
            match what {
                Elsewhere::Anything(to) => {
                    self.code.operate(Do::Add, DX, FIRST);
                    self.load_elsewhere();
                    self.copy_unless_there(to, DX);
                }
                Elsewhere::Pin { after, last, to } => {
                    self.code.test(DX, 8);
                    self.leave_if(If::Zero);
                    self.load_some_pin(after, last);
                    self.copy_unless_there(to, DX);
                }
                Elsewhere::Store { after, from } => {
                    self.code.reckon(AX, At::new(from, i32::from(after) << 16));
                    self.call_chip_store();
                }
                Elsewhere::Pull { after } => self.pull_from_chip(after),
                Elsewhere::Return => {
                    self.give_back_far();
                    continue;
                }
                Elsewhere::Jump => {
                    self.jump_far();
                    continue;
                }
            }
            let back = self.code.jump();
            self.code.lead(back, resume);
        }
        self.flags = NZ;
        self.finish_fetches();
        self.finish_chip_stores();
        self.finish_far();
        for Jump { from, target } in std::mem::take(&mut self.jumps) {
            match (from, self.bodies.get(usize::from(target))) {
                (Distance::Near(skip), Some(&body)) => self.code.lead_near(skip, body as usize),
                (Distance::Far(jump), Some(&body)) => self.code.lead(jump, body as usize),
                (Distance::Far(jump), None) => {
                    self.leaves.push(Leave { jump, number: Some(u32::from(target)), flags: NZ });
                }
                (Distance::Near(_), None) => unreachable!("only what is there is near"),
            }
        }
        self.finish_leaves();
        Compiled { bytes: self.code.bytes, entries }
    }

    /// The ways out, one for each instruction with which the program goes on.
    fn finish_leaves(&mut self) {
        let mut leaves = std::mem::take(&mut self.leaves);
        let key = |leave: &Leave| (leave.number, leave.flags.0);
        leaves.sort_unstable_by_key(key);
        for same in leaves.chunk_by(|one, other| key(one) == key(other)) {
            let mut out = self.exit;
            let &Leave { number, flags, .. } = &same[0];
            if number.is_some() || flags != NZ {
                out = self.code.here();
                self.copy_unless_there(NZ, flags);
                if let Some(number) = number {
                    self.code.set(WHERE, number);
                }
                let jump = self.code.jump();
                self.code.lead(jump, self.exit);
            }
            for leave in same {
                self.code.lead(leave.jump, out);
            }
        }
    }

    /// The caller has to run this instruction.
    fn step(&mut self, number: u32) {
        self.where_to(number | STEP);
        self.leave();
        self.end_of_way();
    }

    /// Nothing leads on from here to the next instruction.
    fn end_of_way(&mut self) {
        self.unchecked = 0;
        self.owed = 0;
        self.flags = NZ;
        self.has_ended = true;
    }

    /// From here on the program goes on with this instruction when the code is left.
    fn where_to(&mut self, number: u32) {
        self.leaving = Some(number);
    }

    fn leave(&mut self) {
        let jump = self.code.jump();
        self.leaves.push(Leave { jump, number: self.leaving, flags: self.flags });
    }

    fn leave_if(&mut self, condition: If) {
        let jump = self.code.jump_if(condition as u8);
        self.leaves.push(Leave { jump, number: self.leaving, flags: self.flags });
    }

    /// Jumps to what is rare; `resume` tells where that goes on.
    fn elsewhere_if(&mut self, condition: If) -> usize {
        self.code.jump_if(condition as u8)
    }

    /// What is rare goes on here.
    fn resume(&mut self, jump: usize, what: Elsewhere) {
        let resume = self.code.here();
        self.cold.push(Cold { jump, resume, leaving: self.leaving, flags: self.flags, what });
    }

    fn copy_unless_there(&mut self, to: Reg, from: Reg) {
        if to != from {
            self.code.copy(to, from);
        }
    }

    /// Leaves if there may be no room for another few writes.
    fn look_for_room(&mut self) {
        self.code.operate_memory_wide(Do::Cmp, NOTED, state(at::FULL));
        self.leave_if(If::AboveOrEqual);
    }

    fn instruction(&mut self, number: u32, instruction: &Instruction) {
        if !self.write(number, instruction) {
            self.step(number);
        }
        if self.unchecked >= UNCHECKED {
            self.where_to(number + 1);
            self.look_for_room();
            self.unchecked = 0;
        }
    }

    /// Writes the code of an instruction; `false` if there is none, and then nothing is written.
    fn write(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, after, .. } = instruction;
        match kind {
            _ if self.flow(number, instruction) => {}
            kind::STORE_TIA.. if kind & !0xFF == kind::STORE_TIA => {
                let register = kind & 0x3F;
                match register {
                    VSYNC => return false,
                    WSYNC => self.wait(after),
                    RSYNC | NO_REGISTER.. => {}
                    VBLANK => {
                        self.code.store_constant(state(at::STALE), 1);
                        self.store(register as u8, source((kind & 0xFF) / kind::SOURCE), after);
                    }
                    _ => self.store(register as u8, source((kind & 0xFF) / kind::SOURCE), after),
                }
            }
            0x08 => {
                self.where_to(number | STEP);
                self.push_status(after);
            }
            kind::STORE_ELSEWHERE..=STORE_Y_ELSEWHERE => {
                if operand & 0x1000 != 0 {
                    return false;
                }
                self.store_in_riot(operand, source(kind & 3), after);
            }
            0x28 => {
                self.where_to(number | STEP);
                self.pull_status();
            }
            0x48 => {
                self.where_to(number | STEP);
                self.code.load_signed_byte(DX, state(at::SP));
                self.store_in_zero_page(A, after);
                self.code.decrement(state(at::SP));
            }
            0x68 => {
                self.where_to(number | STEP);
                self.pull(after);
            }
            0x206 | 0x226 | 0x246 | 0x266 | 0x2C6 | 0x2E6 => {
                if operand & 8 == 0 || operand & 0x3F < NO_REGISTER {
                    return false;
                }
                // It is read, but writes have no effect.
                self.where_to(number | STEP);
                self.load_pin(operand, instruction);
                self.code.copy(NZ, CX);
                self.change(kind & 0xFF, NZ);
            }
            0x0A | 0x2A | 0x4A | 0x6A => self.change(kind, A),
            0x06 | 0x26 | 0x46 | 0x66 | 0xC6 | 0xE6 | 0xC7 => {
                self.code.load_byte(NZ, ram(operand as u8));
                self.change(kind, NZ);
                self.code.store_byte(ram(operand as u8), NZ);
                self.compare_if_asked(kind);
            }
            0x16 | 0x36 | 0x56 | 0x76 | 0xD6 | 0xF6 => {
                self.where_to(number | STEP);
                self.zero_page_by(X, operand);
                self.leave_if(If::NotNegative);
                self.code.load_byte(NZ, ram_below(DX));
                self.change(kind, NZ);
                self.code.store_byte(ram_below(DX), NZ);
            }
            0x84..=0x86 => {
                let reg = [Y, A, X][usize::from(kind & 3)];
                self.code.store_byte(ram(operand as u8), reg);
            }
            0x94..=0x96 => {
                let (reg, index) = [(Y, X), (A, X), (X, Y)][usize::from(kind & 3)];
                self.where_to(number | STEP);
                self.code.reckon(DX, At::new(index, i32::from(operand as i8)));
                self.code.copy_signed(DX, DX);
                self.store_in_zero_page(reg, after);
            }
            0x99 | 0x9D | 0x91 => {
                self.where_to(number | STEP);
                self.store_by_index(kind, operand);
            }
            _ if is_implied(kind) => self.implied(kind),
            _ => return self.load_and_operate(number, instruction),
        }
        true
    }

    /// Stores a register at the address of the zero page in DX, with its sign: RAM, or a register of the video chip.
    fn store_in_zero_page(&mut self, reg: Reg, after: u16) {
        self.code.test_all(DX);
        let to_chip = self.elsewhere_if(If::NotNegative);
        self.code.store_byte(ram_below(DX), reg);
        self.resume(to_chip, Elsewhere::Store { after, from: reg });
        self.unchecked += 1;
    }

    /// An address of the zero page that an index is added to, into DX, with its sign, and whether that is positive: then it
    /// is not RAM.
    fn zero_page_by(&mut self, index: Reg, operand: u16) {
        self.code.reckon(DX, At::new(index, i32::from(operand as i8)));
        self.code.copy_signed(DX, DX);
        self.code.test_all(DX);
    }

    fn store_by_index(&mut self, kind: Kind, operand: u16) {
        if kind == 0x91 {
            self.code.load_two_bytes(DX, ram(operand as u8));
            self.code.operate(Do::Add, DX, Y);
        } else {
            let index = if kind == 0x9D { X } else { Y };
            self.code.reckon(DX, At::new(index, i32::from(operand)));
        }
        self.check_ram();
        self.code.store_byte(ram_below(DX), A);
    }

    /// From an address in DX to that of the zero page, with its sign; leaves if it is not RAM.
    fn check_ram(&mut self) {
        self.code.copy(AX, DX);
        self.code.operate_constant(Do::And, AX, 0x1280);
        self.code.operate_constant(Do::Cmp, AX, 0x80);
        self.leave_if(If::NotZero);
        self.code.copy_signed(DX, DX);
    }

    /// What the byte in a register becomes, A or NZ. AX and DX stay.
    fn change(&mut self, kind: Kind, reg: Reg) {
        let code = &mut self.code;
        let shift = match kind {
            0x06 | 0x16 | 0x0A => Some(Shift::Left),
            0x26 | 0x36 | 0x2A => Some(Shift::RotateLeft),
            0x46 | 0x56 | 0x4A => Some(Shift::Right),
            0x66 | 0x76 | 0x6A => Some(Shift::RotateRight),
            _ => None,
        };
        if let Some(shift) = shift {
            if matches!(shift, Shift::RotateLeft | Shift::RotateRight) {
                code.carry_from(CARRY, 8);
            }
            code.shift_byte(shift, reg);
            code.set_second_byte_if(If::Below, CARRY);
        } else {
            code.count_byte(reg, !matches!(kind, 0xE6 | 0xF6));
        }
        self.flags = reg;
    }

    /// DCP compares A with what it has counted, which is in NZ.
    fn compare_if_asked(&mut self, kind: Kind) {
        if kind == 0xC7 {
            self.compare(A, Byte::Register(NZ));
        }
    }

    fn implied(&mut self, kind: Kind) {
        let code = &mut self.code;
        let counts = match kind {
            0xE8 | 0xCA => Some(X),
            0xC8 | 0x88 => Some(Y),
            _ => None,
        };
        if let Some(reg) = counts {
            code.count_byte(reg, matches!(kind, 0xCA | 0x88));
            self.flags = reg;
        }
        let transfers = match kind {
            0xAA => Some((X, A)),
            0xA8 => Some((Y, A)),
            0x8A => Some((A, X)),
            0x98 => Some((A, Y)),
            _ => None,
        };
        if let Some((to, from)) = transfers {
            code.copy(to, from);
            self.flags = to;
        }
        match kind {
            0xBA => {
                code.load_byte(X, state(at::SP));
                self.flags = X;
            }
            0x9A => code.store_byte(state(at::SP), X),
            // N and Z may be told of by the byte below.
            0x18 => code.set_second_byte(CARRY, 0),
            0x38 => code.set_second_byte(CARRY, 1),
            0x58 => code.store_constant(state(at::INTERRUPT), 0),
            0x78 => code.store_constant(state(at::INTERRUPT), 1),
            0xD8 => code.store_constant(state(at::DECIMAL), 0),
            0xF8 => code.store_constant(state(at::DECIMAL), 1),
            0xB8 => code.store_constant(state(at::OVERFLOW), 0),
            _ => {}
        }
    }
}

fn is_implied(kind: Kind) -> bool {
    matches!(
        kind,
        0xE8 | 0xC8
            | 0xCA
            | 0x88
            | 0xAA
            | 0xA8
            | 0x8A
            | 0x98
            | 0xBA
            | 0x9A
            | 0x18
            | 0x38
            | 0x58
            | 0x78
            | 0xB8
            | 0xD8
            | 0xF8
            | 0xEA
    )
}
