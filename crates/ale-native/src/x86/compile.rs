//! From instructions to code.
//!
//! Registers of the 6507 and its flags live in registers of the processor as long as the code runs, so that it can be
//! entered at every instruction. It calls nothing but functions of its own: what it cannot do it leaves to the caller. It touches nothing
//! but its [`crate::State`], the image and the table of places where programs go on:
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
//! | noted writes | counted: the code looks for room at every jump and after [`UNCHECKED`] of them |

mod chips;
mod display;
mod flow;
mod stack;

use super::assembler::{Assembler, At, Do, If, Reg};
use crate::kind::{self, Kind};
use crate::state::{FULL, GRP, UNCHECKED, at};
use crate::{Instruction, Place, Window};

const AX: Reg = Reg(0);
const CX: Reg = Reg(1);
const DX: Reg = Reg(2);
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
    let mut writer = Writer {
        code: Assembler::default(),
        entries: Vec::with_capacity(instructions.len()),
        jumps: Vec::new(),
        leaves: Vec::new(),
        leaving: None,
        exit: 0,
        unchecked: 0,
        cold: Vec::new(),
        fetches: Vec::new(),
        places: places.as_ptr() as u64,
        count_of_places: places.len(),
        far: Vec::new(),
    };
    writer.enter();
    for (number, instruction) in (0..).zip(instructions) {
        let here = writer.code.here() as u32;
        writer.entries.push(here);
        writer.instruction(number, instruction);
    }
    // No stream leads here.
    writer.step(0);
    writer.finish()
}

struct Writer {
    code: Assembler,
    entries: Vec<u32>,
    /// Jumps and the instructions they lead to.
    jumps: Vec<(usize, u16)>,
    /// Jumps that leave the code, and the instructions with which the program goes on.
    leaves: Vec<(usize, Option<u32>)>,
    /// The instruction with which the program goes on if the code is left; none if it is in its register already.
    leaving: Option<u32>,
    exit: usize,
    /// Writes since the code last looked for room, on the way down to here.
    unchecked: usize,
    cold: Vec<Cold>,
    /// Calls of functions that load from a register of the cartridge.
    fetches: Vec<(usize, u16)>,
    places: u64,
    count_of_places: usize,
    /// Calls of the functions that find a place anywhere, and whether the byte before it is looked at, too.
    far: Vec<(usize, bool)>,
}

/// A load from somewhere else than usual: the jump there, and where it goes on.
struct Cold {
    jump: usize,
    resume: usize,
    leaving: Option<u32>,
    what: Elsewhere,
}

/// What is loaded into DX, and an input into another register, too.
enum Elsewhere {
    /// RAM or other plain ROM, at DX and the first address of the piece.
    Anything,
    /// An input of the video chip, whose address is in DX.
    Pin { after: u16, last: u8, to: Reg },
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

fn ram_by(index: Reg) -> At {
    At::indexed(STATE, index, 0, at::RAM)
}

fn last(register: usize) -> At {
    state(at::LAST + 2 * register as i32)
}

fn last_by(register: Reg) -> At {
    At::indexed(STATE, register, 1, at::LAST)
}

fn source(number: u16) -> Reg {
    [A, X, Y][usize::from(number % 3)]
}

impl Writer {
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
        code.load(NOTED, state(at::NOTED));
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

    fn finish(mut self) -> Compiled {
        for Cold { jump, resume, leaving, what } in std::mem::take(&mut self.cold) {
            let here = self.code.here();
            self.code.lead(jump, here);
            self.leaving = leaving;
            match what {
                Elsewhere::Anything => {
                    self.code.operate(Do::Add, DX, FIRST);
                    self.load_elsewhere();
                }
                Elsewhere::Pin { after, last, to } => {
                    self.code.test(DX, 8);
                    self.leave_if(If::Zero);
                    self.load_some_pin(after, last);
                    self.code.copy(to, DX);
                }
            }
            let back = self.code.jump();
            self.code.lead(back, resume);
        }
        self.finish_fetches();
        self.finish_far();
        for (jump, target) in std::mem::take(&mut self.jumps) {
            match self.entries.get(usize::from(target)) {
                Some(&entry) => self.code.lead(jump, entry as usize),
                None => self.leaves.push((jump, Some(u32::from(target)))),
            }
        }
        self.finish_leaves();
        Compiled { bytes: self.code.bytes, entries: self.entries }
    }

    /// The ways out, one for each instruction with which the program goes on.
    fn finish_leaves(&mut self) {
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.sort_unstable_by_key(|&(_, number)| number);
        for same in leaves.chunk_by(|one, other| one.1 == other.1) {
            let mut out = self.exit;
            if let Some((_, Some(number))) = same.first() {
                out = self.code.here();
                self.code.set(WHERE, *number);
                let jump = self.code.jump();
                self.code.lead(jump, self.exit);
            }
            for &(jump, _) in same {
                self.code.lead(jump, out);
            }
        }
    }

    /// The caller has to run this instruction.
    fn step(&mut self, number: u32) {
        self.where_to(number | STEP);
        self.leave();
    }

    /// From here on the program goes on with this instruction when the code is left.
    fn where_to(&mut self, number: u32) {
        self.leaving = Some(number);
    }

    fn leave(&mut self) {
        let jump = self.code.jump();
        self.leaves.push((jump, self.leaving));
    }

    fn leave_if(&mut self, condition: If) {
        let jump = self.code.jump_if(condition as u8);
        self.leaves.push((jump, self.leaving));
    }

    /// Leaves if there may be no room for another few writes.
    fn look_for_room(&mut self) {
        self.code.operate_constant(Do::Cmp, NOTED, FULL as i32);
        self.leave_if(If::Above);
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
                    WSYNC => {
                        self.where_to(number | STEP);
                        self.wait(after);
                    }
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
                self.code.load_byte(DX, state(at::SP));
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
                self.change(kind & 0xFF);
            }
            0x0A | 0x2A | 0x4A | 0x6A => {
                self.code.copy(CX, A);
                self.change(kind);
                self.code.copy_byte(A, CX);
            }
            0x06 | 0x26 | 0x46 | 0x66 | 0xC6 | 0xE6 | 0xC7 => {
                self.code.load_byte(CX, ram(operand as u8));
                self.change(kind);
                self.code.store_byte(ram(operand as u8), CX);
            }
            0x16 | 0x36 | 0x56 | 0x76 | 0xD6 | 0xF6 => {
                self.where_to(number | STEP);
                self.zero_page_by(X, operand);
                self.code.load_byte(CX, ram_by(DX));
                self.change(kind);
                self.code.store_byte(ram_by(DX), CX);
            }
            0x84..=0x86 => {
                let reg = [Y, A, X][usize::from(kind & 3)];
                self.code.store_byte(ram(operand as u8), reg);
            }
            0x94..=0x96 => {
                let (reg, index) = [(Y, X), (A, X), (X, Y)][usize::from(kind & 3)];
                self.where_to(number | STEP);
                self.code.reckon(DX, At::new(index, i32::from(operand & 0xFF)));
                self.code.copy_byte(DX, DX);
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

    /// Leaves if the address in a register, a byte, is not RAM.
    fn check_ram(&mut self, reg: Reg) {
        self.code.test(reg, 0x80);
        self.leave_if(If::Zero);
    }

    /// Stores a register at the address in DX: RAM, or a register of the video chip.
    fn store_in_zero_page(&mut self, reg: Reg, after: u16) {
        self.code.test(DX, 0x80);
        let to_chip = self.code.skip_if(If::Zero as u8);
        self.code.store_byte(ram_by(DX), reg);
        let done = self.code.skip();
        self.code.arrive(to_chip);
        self.code.operate_constant(Do::And, DX, 0x3F);
        // Neither VSYNC nor WSYNC.
        self.code.test(DX, 0x3D);
        self.leave_if(If::Zero);
        self.code.store_constant(state(at::STALE), 1);
        self.code.reckon(AX, At::new(reg, 0xFF00));
        self.code.store_two_bytes(last_by(DX), AX);
        self.mark(GRP[0]);
        self.mark(GRP[1]);
        self.code.shift_left(DX, 8);
        self.code.reckon(AX, At::indexed(reg, DX, 0, i32::from(after) << 16));
        self.note();
        self.code.arrive(done);
    }

    /// Loads the byte of RAM at the address in DX; leaves if there is none.
    fn load_ram(&mut self) {
        self.code.copy(AX, DX);
        self.code.operate_constant(Do::And, AX, 0x1280);
        self.code.operate_constant(Do::Cmp, AX, 0x80);
        self.leave_if(If::NotZero);
        self.code.copy_byte(DX, DX);
        self.code.load_byte(DX, ram_by(DX));
    }

    /// Loads the byte of RAM or plain ROM at the address in DX; leaves if there is none.
    fn load_elsewhere(&mut self) {
        self.code.test(DX, 0x1000);
        let to_ram = self.code.skip_if(If::Zero as u8);
        self.code.copy(AX, DX);
        self.window(AX);
        self.code.operate_constant(Do::And, DX, 0x3FFF);
        self.code.operate_memory(Do::Sub, DX, At::indexed(STATE, AX, 0, at::WINDOWS));
        self.code.operate_memory(Do::Cmp, DX, At::indexed(STATE, AX, 0, at::WINDOW_LEN));
        self.leave_if(If::AboveOrEqual);
        self.code.operate_memory(Do::Add, DX, At::indexed(STATE, AX, 0, at::WINDOW_OFFSET));
        self.code.load_byte(DX, At::indexed(ROM, DX, 0, 0));
        let done = self.code.skip();
        self.code.arrive(to_ram);
        self.load_ram();
        self.code.arrive(done);
    }

    /// From an address in a register to the distance of its window in the table.
    fn window(&mut self, address: Reg) {
        self.code.shift_right(address, 10 - size_of::<Window>().trailing_zeros() as u8);
        self.code.operate_constant(Do::And, address, 0b1011 * size_of::<Window>() as i32);
    }

    /// Loads the byte at the address in DX: of the piece where the program is, or RAM.
    fn load_anything(&mut self) {
        self.code.operate(Do::Sub, DX, FIRST);
        self.code.operate_memory(Do::Cmp, DX, state(at::LEN));
        let elsewhere = self.code.jump_if(If::AboveOrEqual as u8);
        self.code.load_byte(DX, At::indexed(PIECE, DX, 0, 0));
        self.cold.push(Cold {
            jump: elsewhere,
            resume: self.code.here(),
            leaving: self.leaving,
            what: Elsewhere::Anything,
        });
    }

    /// An address of the zero page that an index is added to, into DX.
    fn zero_page_by(&mut self, index: Reg, operand: u16) {
        self.code.reckon(DX, At::new(index, i32::from(operand & 0xFF)));
        self.code.copy_byte(DX, DX);
        self.check_ram(DX);
    }

    fn store_by_index(&mut self, kind: Kind, operand: u16) {
        if kind == 0x91 {
            self.code.load_two_bytes(DX, ram(operand as u8));
            self.code.operate(Do::Add, DX, Y);
        } else {
            let index = if kind == 0x9D { X } else { Y };
            self.code.reckon(DX, At::new(index, i32::from(operand)));
        }
        self.code.copy(AX, DX);
        self.code.operate_constant(Do::And, AX, 0x1280);
        self.code.operate_constant(Do::Cmp, AX, 0x80);
        self.leave_if(If::NotZero);
        self.code.copy_byte(DX, DX);
        self.code.store_byte(ram_by(DX), A);
    }

    /// What the byte in CX becomes. DX stays.
    fn change(&mut self, kind: Kind) {
        let code = &mut self.code;
        match kind {
            0x06 | 0x16 | 0x0A => {
                code.operate(Do::Add, CX, CX);
                code.copy(CARRY, CX);
                code.copy(NZ, CX);
            }
            0x26 | 0x36 | 0x2A => {
                code.operate(Do::Add, CX, CX);
                code.shift_right(CARRY, 8);
                code.operate(Do::Or, CX, CARRY);
                code.copy(CARRY, CX);
                code.copy(NZ, CX);
            }
            0x46 | 0x56 | 0x4A => {
                code.copy(CARRY, CX);
                code.operate_constant(Do::And, CARRY, 1);
                code.shift_left(CARRY, 8);
                code.shift_right(CX, 1);
                code.copy(NZ, CX);
            }
            0x66 | 0x76 | 0x6A => {
                code.operate_constant(Do::And, CARRY, 0x100);
                code.operate(Do::Or, CX, CARRY);
                code.copy(CARRY, CX);
                code.operate_constant(Do::And, CARRY, 1);
                code.shift_left(CARRY, 8);
                code.shift_right(CX, 1);
                code.copy(NZ, CX);
            }
            0xE6 | 0xF6 => {
                code.operate_constant(Do::Add, CX, 1);
                code.copy_byte(NZ, CX);
            }
            0xC6 | 0xD6 => {
                code.operate_constant(Do::Sub, CX, 1);
                code.copy_byte(NZ, CX);
            }
            // DCP.
            _ => {
                code.operate_constant(Do::Sub, CX, 1);
                code.copy_byte(CX, CX);
                self.compare(A);
            }
        }
    }

    fn implied(&mut self, kind: Kind) {
        let code = &mut self.code;
        let mut count = |reg: Reg, by: i8| {
            code.add_to_byte(reg, by);
            code.copy(NZ, reg);
        };
        match kind {
            0xE8 => count(X, 1),
            0xC8 => count(Y, 1),
            0xCA => count(X, -1),
            0x88 => count(Y, -1),
            _ => {}
        }
        let mut transfer = |to: Reg, from: Reg| {
            code.copy(to, from);
            code.copy(NZ, from);
        };
        match kind {
            0xAA => transfer(X, A),
            0xA8 => transfer(Y, A),
            0x8A => transfer(A, X),
            0x98 => transfer(A, Y),
            _ => {}
        }
        match kind {
            0xBA => {
                code.load_byte(X, state(at::SP));
                code.copy(NZ, X);
            }
            0x9A => code.store_byte(state(at::SP), X),
            0x18 => code.set(CARRY, 0),
            0x38 => code.set(CARRY, 0x100),
            0x58 => code.store_constant(state(at::INTERRUPT), 0),
            0x78 => code.store_constant(state(at::INTERRUPT), 1),
            0xD8 => code.store_constant(state(at::DECIMAL), 0),
            0xF8 => code.store_constant(state(at::DECIMAL), 1),
            0xB8 => {
                for i in 0..3 {
                    code.store_constant(state(at::OVERFLOW + i), 0);
                }
            }
            _ => {}
        }
    }

    /// Loads a byte into CX and does something with it.
    fn load_and_operate(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, .. } = instruction;
        let opcode = kind::opcode(kind);
        let (Some(source), Some(what)) = (source_of(kind, operand), operation_of(opcode)) else {
            return false;
        };
        let adds = matches!(what, Operation::Add | Operation::Subtract);
        if adds
            || !matches!(
                source,
                Source::Immediate | Source::Ram | Source::Rom(_) | Source::Port | Source::Flag
            )
        {
            self.where_to(number | STEP);
        }
        if adds {
            self.code.compare_byte(state(at::DECIMAL), 0);
            self.leave_if(If::NotZero);
        }
        if let Source::Immediate = source
            && self.operate_constant(what, i32::from(operand & 0xFF))
        {
            return true;
        }
        // A load needs no other register.
        let to = if let Operation::Load(reg) = what { reg } else { CX };
        self.load(&source, to, instruction);
        self.operate(what);
        true
    }

    /// Loads a byte into a register.
    fn load(&mut self, source: &Source, to: Reg, instruction: &Instruction) {
        let &Instruction { operand, after, .. } = instruction;
        match *source {
            Source::Immediate => self.code.set(CX, u32::from(operand & 0xFF)),
            Source::Ram => self.code.load_byte(to, ram(operand as u8)),
            Source::ZeroPage(index) => {
                self.code.reckon(DX, At::new(index, i32::from(operand & 0xFF)));
                self.code.copy_byte(DX, DX);
                self.code.test(DX, 0x80);
                let elsewhere = self.code.jump_if(If::Zero as u8);
                self.code.load_byte(to, ram_by(DX));
                self.cold.push(Cold {
                    jump: elsewhere,
                    resume: self.code.here(),
                    leaving: self.leaving,
                    what: Elsewhere::pin(instruction, to),
                });
            }
            Source::Port => self.code.load_byte(to, state(at::PORTS + i32::from(operand & 3))),
            Source::Fetch => {
                self.fetch(instruction);
                self.code.copy(to, CX);
            }
            Source::Pin => {
                self.load_pin(operand, instruction);
                self.code.copy(to, CX);
            }
            Source::Flag => {
                self.load_flag(after);
                self.code.copy(to, CX);
            }
            Source::Timer => {
                self.load_timer(after);
                self.code.copy(to, CX);
            }
            Source::Wait => {
                self.wait_for_timer(instruction);
                self.code.copy(to, CX);
            }
            Source::Rom(index) => {
                self.cross(index, operand);
                if operand > 0xFF00 {
                    self.code.reckon(DX, At::new(index, i32::from(operand)));
                    self.code.operate_constant(Do::And, DX, 0xFFFF);
                    self.code.load_byte(to, At::indexed(ROM, DX, 0, 0));
                } else {
                    self.code.load_byte(to, At::indexed(ROM, index, 0, i32::from(operand)));
                }
            }
            Source::Absolute(index) => {
                match index {
                    Some(index) => self.code.reckon(DX, At::new(index, i32::from(operand))),
                    None => self.code.set(DX, u32::from(operand)),
                }
                if operand < 0x80 {
                    self.code.operate_constant(Do::Cmp, DX, 0x80);
                    let elsewhere = self.code.jump_if(If::Below as u8);
                    self.load_ram();
                    self.cold.push(Cold {
                        jump: elsewhere,
                        resume: self.code.here(),
                        leaving: self.leaving,
                        what: Elsewhere::pin(instruction, to),
                    });
                } else if operand & 0x1000 == 0 {
                    self.load_ram();
                } else {
                    self.load_anything();
                }
                if let Some(index) = index {
                    self.cross(index, operand);
                }
                self.code.copy(to, DX);
            }
            Source::Pointer => {
                self.code.load_two_bytes(DX, ram(operand as u8));
                self.code.copy_byte(CX, DX);
                self.code.operate(Do::Add, DX, Y);
                self.load_anything();
                self.code.operate(Do::Add, CX, Y);
                self.code.shift_right(CX, 8);
                self.code.operate_wide(Do::Add, TIME, CX);
                self.code.copy(to, DX);
            }
            Source::PointerByX => {
                self.code.reckon(DX, At::new(X, i32::from(operand & 0xFF)));
                self.code.copy_byte(DX, DX);
                self.code.reckon(AX, At::new(DX, -0x80));
                self.code.operate_constant(Do::Cmp, AX, 0x7E);
                self.leave_if(If::Above);
                self.code.load_two_bytes(DX, ram_by(DX));
                self.load_anything();
                self.code.copy(to, DX);
            }
        }
    }

    /// Does something with a constant, if there is a short way.
    fn operate_constant(&mut self, what: Operation, value: i32) -> bool {
        let code = &mut self.code;
        match what {
            Operation::Load(reg) => {
                code.set(reg, value as u32);
                code.set(NZ, value as u32);
            }
            Operation::Do(what) => {
                // (Constants are bytes, so that the rest of the register stays 0.)
                code.operate_constant(what, A, value);
                code.copy(NZ, A);
            }
            Operation::Compare(reg) => {
                code.reckon(CARRY, At::new(reg, 0x100 - value));
                code.copy(NZ, CARRY);
            }
            _ => return false,
        }
        true
    }

    /// A cycle more if an index leads to another page.
    fn cross(&mut self, index: Reg, operand: u16) {
        let low = i32::from(operand & 0xFF);
        if low != 0 {
            self.code.reckon(AX, At::new(index, low));
            self.code.shift_right(AX, 8);
            self.code.operate_wide(Do::Add, TIME, AX);
        }
    }

    fn operate(&mut self, what: Operation) {
        let code = &mut self.code;
        match what {
            Operation::Load(reg) => code.copy(NZ, reg),
            Operation::LoadBoth => {
                code.copy(A, CX);
                code.copy(X, CX);
                code.copy(NZ, CX);
            }
            Operation::Do(what) => {
                code.operate(what, A, CX);
                code.copy(NZ, A);
            }
            Operation::Compare(reg) => self.compare(reg),
            Operation::Test => {
                code.copy(NZ, A);
                code.operate(Do::And, NZ, CX);
                code.copy(DX, CX);
                code.operate_constant(Do::And, DX, 0x80);
                code.shift_left(DX, 2);
                code.operate(Do::Or, NZ, DX);
                code.operate(Do::Add, CX, CX);
                code.store_constant(state(at::OVERFLOW), 0);
                code.store_constant(state(at::OVERFLOW + 1), 0);
                code.store_byte(state(at::OVERFLOW + 2), CX);
            }
            Operation::Add => {
                code.store_byte(state(at::OVERFLOW), A);
                code.store_byte(state(at::OVERFLOW + 1), CX);
                code.shift_right(CARRY, 8);
                code.operate(Do::Add, CARRY, A);
                code.operate(Do::Add, CARRY, CX);
                code.store_byte(state(at::OVERFLOW + 2), CARRY);
                code.copy(NZ, CARRY);
                code.copy_byte(A, CARRY);
            }
            Operation::Subtract => {
                code.store_byte(state(at::OVERFLOW), CX);
                code.store_byte(state(at::OVERFLOW + 2), A);
                code.shift_right(CARRY, 8);
                code.reckon(CARRY, At::indexed(CARRY, A, 0, 0xFF));
                code.operate(Do::Sub, CARRY, CX);
                code.store_byte(state(at::OVERFLOW + 1), CARRY);
                code.copy(NZ, CARRY);
                code.copy_byte(A, CARRY);
            }
        }
    }

    /// Compares a register with the byte in CX.
    fn compare(&mut self, reg: Reg) {
        self.code.reckon(CARRY, At::new(reg, 0x100));
        self.code.operate(Do::Sub, CARRY, CX);
        self.code.copy(NZ, CARRY);
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

/// Where a byte is loaded from.
enum Source {
    Immediate,
    Ram,
    ZeroPage(Reg),
    /// An offset in the image.
    Rom(Reg),
    Absolute(Option<Reg>),
    /// An input of the video chip.
    Pin,
    /// A port.
    Port,
    /// A chip of the cartridge.
    Fetch,
    Timer,
    /// The flag of the timer.
    Flag,
    /// The timer in a loop that waits for it.
    Wait,
    Pointer,
    PointerByX,
}

/// By the columns of the table of opcodes.
fn source_of(kind: Kind, operand: u16) -> Option<Source> {
    let opcode = kind::opcode(kind);
    // LDX is indexed by Y.
    let x_or_y = if matches!(opcode, 0xB6 | 0xBE) { Y } else { X };
    let column = opcode & 0x1F;
    match kind & 0xF00 {
        kind::TIA if operand & 8 != 0 => Some(Source::Pin),
        kind::RIOT if operand & 4 == 0 => Some(Source::Port),
        kind::RIOT => Some(Source::Flag),
        kind::TIMER => Some(Source::Timer),
        kind::WAIT => Some(Source::Wait),
        kind::FETCH if display::is_fetch(kind, operand) => Some(Source::Fetch),
        kind::ROM => Some(Source::Rom(if column == 0x19 { Y } else { x_or_y })),
        0 => match column {
            0x00 | 0x02 | 0x09 => Some(Source::Immediate),
            0x04..=0x07 => Some(Source::Ram),
            0x14..=0x16 => Some(Source::ZeroPage(x_or_y)),
            0x0C..=0x0E => Some(Source::Absolute(None)),
            0x19 => Some(Source::Absolute(Some(Y))),
            0x1C..=0x1E => Some(Source::Absolute(Some(x_or_y))),
            0x11 | 0x13 => Some(Source::Pointer),
            0x01 => Some(Source::PointerByX),
            _ => None,
        },
        _ => None,
    }
}

/// What is done with a byte that was loaded.
#[derive(Clone, Copy)]
enum Operation {
    Load(Reg),
    LoadBoth,
    Do(Do),
    Compare(Reg),
    Test,
    Add,
    Subtract,
}

fn operation_of(opcode: u8) -> Option<Operation> {
    Some(match opcode {
        0xA9 | 0xA5 | 0xB5 | 0xAD | 0xBD | 0xB9 | 0xB1 | 0xA1 => Operation::Load(A),
        0xA2 | 0xA6 | 0xB6 | 0xAE | 0xBE => Operation::Load(X),
        0xA0 | 0xA4 | 0xB4 | 0xAC | 0xBC => Operation::Load(Y),
        0xA7 | 0xB3 => Operation::LoadBoth,
        0x09 | 0x05 | 0x15 | 0x0D | 0x1D | 0x19 | 0x11 | 0x01 => Operation::Do(Do::Or),
        0x29 | 0x25 | 0x35 | 0x2D | 0x3D | 0x39 | 0x31 | 0x21 => Operation::Do(Do::And),
        0x49 | 0x45 | 0x55 | 0x4D | 0x5D | 0x59 | 0x51 | 0x41 => Operation::Do(Do::Xor),
        0xC9 | 0xC5 | 0xD5 | 0xCD | 0xDD | 0xD9 | 0xD1 | 0xC1 => Operation::Compare(A),
        0xE0 | 0xE4 | 0xEC => Operation::Compare(X),
        0xC0 | 0xC4 | 0xCC => Operation::Compare(Y),
        0x24 | 0x2C => Operation::Test,
        0x69 | 0x65 | 0x75 | 0x6D | 0x7D | 0x79 | 0x71 | 0x61 => Operation::Add,
        0xE9 | 0xE5 | 0xF5 | 0xED | 0xFD | 0xF9 | 0xF1 | 0xE1 => Operation::Subtract,
        _ => return None,
    })
}
