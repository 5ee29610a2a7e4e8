//! Instructions that load a byte and do something with it.

use super::display;
use super::exits::SlowPath;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use super::{BAILOUT, CodeGen};
use crate::kind::{self, Kind};
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::state::at;
use crate::target::{AluOp, Assembler, ByteOperand, Cond, Mem, Reg};
use crate::{Instruction, RomWindow};

impl CodeGen<'_> {
    /// Loads a byte and does something with it; `false` if there is no code for that.
    pub(super) fn load_and_operate(&mut self, number: u32, instruction: &Instruction) -> bool {
        let &Instruction { kind, operand, .. } = instruction;
        let (Some(source), Some(what)) = (source_of(kind, operand), operation_of(kind::opcode(kind))) else {
            return false;
        };
        self.exits_to(number | BAILOUT);
        if matches!(what, Operation::Add | Operation::Subtract) {
            self.code.cmp_mi8(state(at::DECIMAL), 0);
            self.exit_if(Cond::NotZero);
        }
        let byte = match source {
            Source::Immediate => ByteOperand::Constant(operand as u8),
            Source::Ram => ByteOperand::Memory(ram(operand as u8)),
            Source::Rom(index) if operand <= 0xFF00 => {
                self.add_page_cross_cycle(index, operand);
                ByteOperand::Memory(Mem::indexed(ROM, index, 0, i32::from(operand)))
            }
            _ => {
                // A load needs no other register.
                let to = if let Operation::Load(reg) = what { reg } else { CX };
                self.load(&source, to, instruction);
                ByteOperand::Register(to)
            }
        };
        self.operate(what, byte);
        true
    }

    /// Loads a byte into a register: CX, A, X or Y.
    fn load(&mut self, source: &Source, to: Reg, instruction: &Instruction) {
        let &Instruction { operand, cycles_after, .. } = instruction;
        match *source {
            Source::Immediate | Source::Ram => unreachable!("these are operands of the operation itself"),
            Source::ZeroPage(index) => {
                self.zero_page_by(index, operand);
                let slow = self.jump_if(Cond::NotSign);
                self.code.movzx_rm8(to, ram_below(DX));
                self.attach_slow_path(slow, SlowPath::pin(instruction, to));
            }
            Source::Port => self.code.movzx_rm8(to, state(at::PORTS + i32::from(operand & 3))),
            Source::Fetch => {
                self.fetch(instruction);
                self.mov_unless_same(to, CX);
            }
            Source::Pin => {
                self.load_pin(operand, instruction);
                self.mov_unless_same(to, CX);
            }
            Source::Flag => {
                self.load_flag(cycles_after);
                self.mov_unless_same(to, CX);
            }
            Source::Timer => {
                self.load_timer(cycles_after);
                self.mov_unless_same(to, CX);
            }
            Source::Wait => {
                self.wait_for_timer(instruction);
                self.mov_unless_same(to, CX);
            }
            Source::Rom(index) => {
                self.add_page_cross_cycle(index, operand);
                self.code.lea(DX, Mem::new(index, i32::from(operand)));
                self.mask(DX, 0xFFFF);
                self.code.movzx_rm8(to, Mem::indexed(ROM, DX, 0, 0));
            }
            Source::Absolute(index) => {
                match index {
                    Some(index) => self.code.lea(DX, Mem::new(index, i32::from(operand))),
                    None => self.code.mov_ri(DX, u32::from(operand)),
                }
                if operand < 0x80 {
                    self.code.alu_ri(AluOp::Cmp, DX, 0x80);
                    let slow = self.jump_if(Cond::Below);
                    self.load_ram();
                    self.attach_slow_path(slow, SlowPath::pin(instruction, DX));
                } else if operand & 0x1000 == 0 {
                    self.load_ram();
                } else {
                    self.load_memory(DX);
                }
                // The index may be the register that is loaded.
                if let Some(index) = index {
                    self.add_page_cross_cycle(index, operand);
                }
                self.mov_unless_same(to, DX);
            }
            Source::Pointer => {
                self.code.movzx_rm16(DX, ram(operand as u8));
                self.code.mov_rr(CX, DX);
                self.code.alu_rr(AluOp::Add, DX, Y);
                // What is loaded may be needed there.
                let there = if to == CX { DX } else { to };
                self.load_memory(there);
                self.code.alu_r8(AluOp::Add, CX, ByteOperand::Register(Y));
                self.add_carry_to_time();
                self.mov_unless_same(to, there);
            }
            Source::PointerByX => {
                self.code.lea(DX, Mem::new(X, i32::from(operand & 0xFF)));
                self.code.movzx_rr8(DX, DX);
                self.code.lea(AX, Mem::new(DX, -0x80));
                self.code.alu_ri(AluOp::Cmp, AX, 0x7E);
                self.exit_if(Cond::Above);
                self.code.movzx_rm16(DX, Mem::indexed(STATE, DX, 0, at::RAM));
                self.load_memory(to);
            }
        }
    }

    /// Loads the byte of RAM at the address in DX into that register; bails out if there is none.
    fn load_ram(&mut self) {
        self.check_ram();
        self.code.movzx_rm8(DX, ram_below(DX));
    }

    /// Loads the byte of RAM or plain ROM at the address in DX into that register; bails out if there is none.
    pub(super) fn load_memory_slow(&mut self) {
        self.code.test_ri(DX, 0x1000);
        let to_ram = self.code.jcc_short(Cond::Zero);
        self.code.mov_rr(AX, DX);
        self.window(AX);
        self.code.alu_ri(AluOp::And, DX, 0x3FFF);
        self.code.alu_rm(AluOp::Sub, DX, Mem::indexed(STATE, AX, 0, at::WINDOWS));
        self.code.alu_rm(AluOp::Cmp, DX, Mem::indexed(STATE, AX, 0, at::WINDOW_LEN));
        self.exit_if(Cond::AboveOrEqual);
        self.code.alu_rm(AluOp::Add, DX, Mem::indexed(STATE, AX, 0, at::WINDOW_OFFSET));
        self.code.movzx_rm8(DX, Mem::indexed(ROM, DX, 0, 0));
        let done = self.code.jmp_short();
        self.code.bind_short(to_ram);
        self.load_ram();
        self.code.bind_short(done);
    }

    /// From an address in a register to the distance of its window in the table.
    pub(super) fn window(&mut self, address: Reg) {
        self.code.shr_ri(address, 10 - size_of::<RomWindow>().trailing_zeros() as u8);
        self.mask(address, 0b1011 * size_of::<RomWindow>() as i32);
    }

    /// Loads the byte at the address in DX, of the current ROM span, or RAM.
    fn load_memory(&mut self, to: Reg) {
        self.code.alu_rr(AluOp::Sub, DX, SPAN_FIRST);
        self.code.alu_rm(AluOp::Cmp, DX, state(at::LEN));
        let slow = self.jump_if(Cond::AboveOrEqual);
        self.code.movzx_rm8(to, Mem::indexed(SPAN_BASE, DX, 0, 0));
        self.attach_slow_path(slow, SlowPath::Memory(to));
    }

    /// A cycle more if an index leads to another page.
    fn add_page_cross_cycle(&mut self, index: Reg, operand: u16) {
        let low = operand as u8;
        if low != 0 {
            self.code.mov_rr(AX, index);
            self.code.alu_r8(AluOp::Add, AX, ByteOperand::Constant(low));
            self.add_carry_to_time();
        }
    }

    fn add_carry_to_time(&mut self) {
        self.code.alu_ri64(AluOp::Adc, TIME, 0);
    }

    fn operate(&mut self, what: Operation, byte: ByteOperand) {
        let code = &mut self.code;
        self.flags = match what {
            Operation::Load(reg) => {
                move_byte(code, reg, byte);
                reg
            }
            Operation::LoadBoth => {
                move_byte(code, A, byte);
                code.mov_rr(X, A);
                A
            }
            Operation::AluOp(what) => {
                code.alu_r8(what, A, byte);
                A
            }
            Operation::Compare(reg) => {
                self.compare(reg, byte);
                CARRY
            }
            Operation::Test => {
                move_byte(code, CX, byte);
                code.mov_rr(AX, CX);
                code.alu_ri(AluOp::And, AX, 0x40);
                code.mov_mr8(state(at::OVERFLOW), AX);
                code.mov_rr(NZ, A);
                code.alu_rr(AluOp::And, NZ, CX);
                // N into bit 9. (Nothing of the register is above the byte.)
                code.alu_ri(AluOp::And, CX, -0x80);
                code.lea(NZ, Mem::indexed(NZ, CX, 2, 0));
                NZ
            }
            Operation::Add => {
                code.bt_ri(CARRY, 8);
                code.alu_r8(AluOp::Adc, A, byte);
                code.setcc_m8(Cond::Overflow, state(at::OVERFLOW));
                code.setcc_high8(Cond::Below, CARRY);
                A
            }
            Operation::Subtract => {
                code.bt_ri(CARRY, 8);
                code.cmc();
                code.alu_r8(AluOp::Sbb, A, byte);
                code.setcc_m8(Cond::Overflow, state(at::OVERFLOW));
                code.setcc_high8(Cond::AboveOrEqual, CARRY);
                A
            }
        };
    }

    /// Compares a register with a byte.
    pub(super) fn compare(&mut self, reg: Reg, byte: ByteOperand) {
        let code = &mut self.code;
        if let ByteOperand::Constant(value) = byte {
            code.lea(CARRY, Mem::new(reg, 0x100 - i32::from(value)));
        } else {
            code.mov_rr(CARRY, reg);
            code.alu_r8(AluOp::Sub, CARRY, byte);
            code.setcc_high8(Cond::AboveOrEqual, CARRY);
        }
        self.flags = CARRY;
    }
}

fn move_byte(code: &mut Assembler, to: Reg, byte: ByteOperand) {
    match byte {
        ByteOperand::Constant(value) => code.mov_ri(to, u32::from(value)),
        ByteOperand::Memory(at) => code.movzx_rm8(to, at),
        ByteOperand::Register(from) if from == to => {}
        ByteOperand::Register(from) => code.mov_rr(to, from),
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
    let x_or_y = if matches!(opcode, LDX_ZPY | LDX_ABY) { Y } else { X };
    let column = opcode & 0x1F;
    match kind & 0xF00 {
        kind::TIA if operand & 8 != 0 => Some(Source::Pin),
        kind::RIOT if operand & 4 == 0 => Some(Source::Port),
        kind::RIOT => Some(Source::Flag),
        kind::TIMER => Some(Source::Timer),
        kind::TIMER_WAIT => Some(Source::Wait),
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
    AluOp(AluOp),
    Compare(Reg),
    Test,
    Add,
    Subtract,
}

fn operation_of(opcode: Kind) -> Option<Operation> {
    Some(match opcode {
        LDA_IMM | LDA_ZP | LDA_ZPX | LDA_ABS | LDA_ABX | LDA_ABY | LDA_IZY | LDA_IZX => Operation::Load(A),
        LDX_IMM | LDX_ZP | LDX_ZPY | LDX_ABS | LDX_ABY => Operation::Load(X),
        LDY_IMM | LDY_ZP | LDY_ZPX | LDY_ABS | LDY_ABX => Operation::Load(Y),
        LAX_ZP | LAX_IZY => Operation::LoadBoth,
        ORA_IMM | ORA_ZP | ORA_ZPX | ORA_ABS | ORA_ABX | ORA_ABY | ORA_IZY | ORA_IZX => {
            Operation::AluOp(AluOp::Or)
        }
        AND_IMM | AND_ZP | AND_ZPX | AND_ABS | AND_ABX | AND_ABY | AND_IZY | AND_IZX => {
            Operation::AluOp(AluOp::And)
        }
        EOR_IMM | EOR_ZP | EOR_ZPX | EOR_ABS | EOR_ABX | EOR_ABY | EOR_IZY | EOR_IZX => {
            Operation::AluOp(AluOp::Xor)
        }
        CMP_IMM | CMP_ZP | CMP_ZPX | CMP_ABS | CMP_ABX | CMP_ABY | CMP_IZY | CMP_IZX => Operation::Compare(A),
        CPX_IMM | CPX_ZP | CPX_ABS => Operation::Compare(X),
        CPY_IMM | CPY_ZP | CPY_ABS => Operation::Compare(Y),
        BIT_ZP | BIT_ABS => Operation::Test,
        ADC_IMM | ADC_ZP | ADC_ZPX | ADC_ABS | ADC_ABX | ADC_ABY | ADC_IZY | ADC_IZX => Operation::Add,
        SBC_IMM | SBC_ZP | SBC_ZPX | SBC_ABS | SBC_ABX | SBC_ABY | SBC_IZY | SBC_IZX => Operation::Subtract,
        _ => return None,
    })
}

/// Whether the code of an instruction sets N and Z, without looking at them or leaving before.
pub(super) fn overwrites_flags(instruction: &Instruction) -> bool {
    const ALWAYS: [Kind; 20] = [
        TAX, TAY, TXA, TYA, TSX, INX, INY, DEX, DEY, ASL_A, ROL_A, LSR_A, ROR_A, ASL_ZP, ROL_ZP, LSR_ZP,
        ROR_ZP, DEC_ZP, INC_ZP, DCP_ZP,
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
