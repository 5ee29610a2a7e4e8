//! Instructions that load a byte and do something with it.

use super::super::assembler::{At, Byte, Do, If, Reg};
use super::{
    A, AX, CARRY, CX, DX, Elsewhere, FIRST, NZ, PIECE, ROM, STATE, STEP, TIME, Writer, X, Y, display, ram,
    ram_below, state,
};
use crate::kind::{self, Kind};
use crate::state::at;
use crate::{Instruction, Window};

impl Writer<'_> {
    /// Loads a byte and does something with it; `false` if there is no code for that.
    pub(super) fn load_and_operate(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, .. } = instruction;
        let (Some(source), Some(what)) = (source_of(kind, operand), operation_of(kind::opcode(kind))) else {
            return false;
        };
        self.where_to(number | STEP);
        if matches!(what, Operation::Add | Operation::Subtract) {
            self.code.compare_byte(state(at::DECIMAL), 0);
            self.leave_if(If::NotZero);
        }
        let byte = match source {
            Source::Immediate => Byte::Constant(operand as u8),
            Source::Ram => Byte::Memory(ram(operand as u8)),
            Source::Rom(index) if operand <= 0xFF00 => {
                self.cross(index, operand);
                Byte::Memory(At::indexed(ROM, index, 0, i32::from(operand)))
            }
            _ => {
                // A load needs no other register.
                let to = if let Operation::Load(reg) = what { reg } else { CX };
                self.load(&source, to, instruction);
                Byte::Register(to)
            }
        };
        self.operate(what, byte);
        true
    }

    /// Loads a byte into a register: CX, A, X or Y.
    fn load(&mut self, source: &Source, to: Reg, instruction: &Instruction) {
        let &Instruction { operand, after, .. } = instruction;
        match *source {
            Source::Immediate | Source::Ram => unreachable!("operations have them at hand"),
            Source::ZeroPage(index) => {
                self.zero_page_by(index, operand);
                let elsewhere = self.elsewhere_if(If::NotNegative);
                self.code.load_byte(to, ram_below(DX));
                self.resume(elsewhere, Elsewhere::pin(instruction, to));
            }
            Source::Port => self.code.load_byte(to, state(at::PORTS + i32::from(operand & 3))),
            Source::Fetch => {
                self.fetch(instruction);
                self.copy_unless_there(to, CX);
            }
            Source::Pin => {
                self.load_pin(operand, instruction);
                self.copy_unless_there(to, CX);
            }
            Source::Flag => {
                self.load_flag(after);
                self.copy_unless_there(to, CX);
            }
            Source::Timer => {
                self.load_timer(after);
                self.copy_unless_there(to, CX);
            }
            Source::Wait => {
                self.wait_for_timer(instruction);
                self.copy_unless_there(to, CX);
            }
            Source::Rom(index) => {
                self.cross(index, operand);
                self.code.reckon(DX, At::new(index, i32::from(operand)));
                self.code.operate_constant(Do::And, DX, 0xFFFF);
                self.code.load_byte(to, At::indexed(ROM, DX, 0, 0));
            }
            Source::Absolute(index) => {
                match index {
                    Some(index) => self.code.reckon(DX, At::new(index, i32::from(operand))),
                    None => self.code.set(DX, u32::from(operand)),
                }
                if operand < 0x80 {
                    self.code.operate_constant(Do::Cmp, DX, 0x80);
                    let elsewhere = self.elsewhere_if(If::Below);
                    self.load_ram();
                    self.resume(elsewhere, Elsewhere::pin(instruction, DX));
                } else if operand & 0x1000 == 0 {
                    self.load_ram();
                } else {
                    self.load_anything(DX);
                }
                // The index may be the register that is loaded.
                if let Some(index) = index {
                    self.cross(index, operand);
                }
                self.copy_unless_there(to, DX);
            }
            Source::Pointer => {
                self.code.load_two_bytes(DX, ram(operand as u8));
                self.code.copy(CX, DX);
                self.code.operate(Do::Add, DX, Y);
                // What is loaded may be needed there.
                let there = if to == CX { DX } else { to };
                self.load_anything(there);
                self.code.operate_byte(Do::Add, CX, Byte::Register(Y));
                self.add_carry_to_time();
                self.copy_unless_there(to, there);
            }
            Source::PointerByX => {
                self.code.reckon(DX, At::new(X, i32::from(operand & 0xFF)));
                self.code.copy_byte(DX, DX);
                self.code.reckon(AX, At::new(DX, -0x80));
                self.code.operate_constant(Do::Cmp, AX, 0x7E);
                self.leave_if(If::Above);
                self.code.load_two_bytes(DX, At::indexed(STATE, DX, 0, at::RAM));
                self.load_anything(to);
            }
        }
    }

    /// Loads the byte of RAM at the address in DX into that register; leaves if there is none.
    fn load_ram(&mut self) {
        self.check_ram();
        self.code.load_byte(DX, ram_below(DX));
    }

    /// Loads the byte of RAM or plain ROM at the address in DX into that register; leaves if there is none.
    pub(super) fn load_elsewhere(&mut self) {
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
    pub(super) fn window(&mut self, address: Reg) {
        self.code.shift_right(address, 10 - size_of::<Window>().trailing_zeros() as u8);
        self.code.operate_constant(Do::And, address, 0b1011 * size_of::<Window>() as i32);
    }

    /// Loads the byte at the address in DX, of the piece where the program is, or RAM.
    fn load_anything(&mut self, to: Reg) {
        self.code.operate(Do::Sub, DX, FIRST);
        self.code.operate_memory(Do::Cmp, DX, state(at::LEN));
        let elsewhere = self.elsewhere_if(If::AboveOrEqual);
        self.code.load_byte(to, At::indexed(PIECE, DX, 0, 0));
        self.resume(elsewhere, Elsewhere::Anything(to));
    }

    /// A cycle more if an index leads to another page.
    fn cross(&mut self, index: Reg, operand: u16) {
        let low = operand as u8;
        if low != 0 {
            self.code.copy(AX, index);
            self.code.operate_byte(Do::Add, AX, Byte::Constant(low));
            self.add_carry_to_time();
        }
    }

    fn add_carry_to_time(&mut self) {
        self.code.operate_constant_wide(Do::Adc, TIME, 0);
    }

    fn operate(&mut self, what: Operation, byte: Byte) {
        let code = &mut self.code;
        self.flags = match what {
            Operation::Load(reg) => {
                move_byte(code, reg, byte);
                reg
            }
            Operation::LoadBoth => {
                move_byte(code, A, byte);
                code.copy(X, A);
                A
            }
            Operation::Do(what) => {
                code.operate_byte(what, A, byte);
                A
            }
            Operation::Compare(reg) => {
                self.compare(reg, byte);
                CARRY
            }
            Operation::Test => {
                move_byte(code, CX, byte);
                code.copy(AX, CX);
                code.operate_constant(Do::And, AX, 0x40);
                code.store_byte(state(at::OVERFLOW), AX);
                code.copy(NZ, A);
                code.operate(Do::And, NZ, CX);
                // N into bit 9. (Nothing of the register is above the byte.)
                code.operate_constant(Do::And, CX, -0x80);
                code.reckon(NZ, At::indexed(NZ, CX, 2, 0));
                NZ
            }
            Operation::Add => {
                code.carry_from(CARRY, 8);
                code.operate_byte(Do::Adc, A, byte);
                code.set_memory_if(If::Overflow, state(at::OVERFLOW));
                code.set_second_byte_if(If::Below, CARRY);
                A
            }
            Operation::Subtract => {
                code.carry_from(CARRY, 8);
                code.flip_carry();
                code.operate_byte(Do::Sbb, A, byte);
                code.set_memory_if(If::Overflow, state(at::OVERFLOW));
                code.set_second_byte_if(If::AboveOrEqual, CARRY);
                A
            }
        };
    }

    /// Compares a register with a byte.
    pub(super) fn compare(&mut self, reg: Reg, byte: Byte) {
        let code = &mut self.code;
        if let Byte::Constant(value) = byte {
            code.reckon(CARRY, At::new(reg, 0x100 - i32::from(value)));
        } else {
            code.copy(CARRY, reg);
            code.operate_byte(Do::Sub, CARRY, byte);
            code.set_second_byte_if(If::AboveOrEqual, CARRY);
        }
        self.flags = CARRY;
    }
}

fn move_byte(code: &mut super::Assembler, to: Reg, byte: Byte) {
    match byte {
        Byte::Constant(value) => code.set(to, u32::from(value)),
        Byte::Memory(at) => code.load_byte(to, at),
        Byte::Register(from) if from == to => {}
        Byte::Register(from) => code.copy(to, from),
    }
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

/// Whether the code of an instruction sets N and Z, without looking at them or leaving before.
pub(super) fn overwrites_flags(instruction: &Instruction) -> bool {
    const ALWAYS: [Kind; 20] = [
        // TAX, TAY, TXA, TYA, TSX, INX, INY, DEX, DEY.
        0xAA, 0xA8, 0x8A, 0x98, 0xBA, 0xE8, 0xC8, 0xCA, 0x88,
        // Shifts of A and RAM, INC, DEC and DCP of RAM.
        0x0A, 0x2A, 0x4A, 0x6A, 0x06, 0x26, 0x46, 0x66, 0xC6, 0xE6, 0xC7,
    ];
    let &Instruction { kind, operand, .. } = instruction;
    if ALWAYS.contains(&kind) {
        return true;
    }
    let stays = matches!(
        source_of(kind, operand),
        Some(Source::Immediate | Source::Ram | Source::Rom(_) | Source::Port)
    );
    match operation_of(kind::opcode(kind)) {
        Some(Operation::Add | Operation::Subtract) | None => false,
        Some(_) => stays,
    }
}
