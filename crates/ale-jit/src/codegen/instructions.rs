//! What each instruction does: stores, read-modify-write, implied. Loads are in `loads`, jumps in `flow`.

use super::exits::SlowPath;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use super::{BAILOUT, CodeGen};
use crate::Instruction;
use crate::kind::{self, Kind};
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::state::at;
use crate::target::{AluOp, ByteOperand, Cond, Mem, Reg, Shift};

const WSYNC: u16 = 2;
const VSYNC: u16 = 0;
const VBLANK: u16 = 1;
/// The first address without a register.
const NO_REGISTER: u16 = 0x2D;
const RSYNC: u16 = 3;

impl CodeGen<'_> {
    /// Writes the code of an instruction; `false` if there is none, and then nothing is generated.
    pub(super) fn emit(&mut self, number: u32, instruction: &Instruction) -> bool {
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
                self.exit_if(Cond::NotSign);
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
    pub(super) fn store_in_zero_page(&mut self, reg: Reg, cycles_after: u16) {
        self.code.test_rr(DX);
        let to_chip = self.jump_if(Cond::NotSign);
        self.code.mov_mr8(ram_below(DX), reg);
        self.attach_slow_path(to_chip, SlowPath::Store { cycles_after, from: reg });
        self.unchecked_writes += 1;
    }

    /// An address of the zero page that an index is added to, into DX, with its sign, and whether that is positive: then it
    /// is not RAM.
    pub(super) fn zero_page_by(&mut self, index: Reg, operand: u16) {
        self.code.lea(DX, Mem::new(index, i32::from(operand as i8)));
        self.code.movsx_rr8(DX, DX);
        self.code.test_rr(DX);
    }

    pub(super) fn store_by_index(&mut self, kind: Kind, operand: u16) {
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
    pub(super) fn check_ram(&mut self) {
        self.code.mov_rr(AX, DX);
        self.code.alu_ri(AluOp::And, AX, 0x1280);
        self.code.alu_ri(AluOp::Cmp, AX, 0x80);
        self.exit_if(Cond::NotZero);
        self.code.movsx_rr8(DX, DX);
    }

    /// What the byte in a register becomes, A or NZ. AX and DX stay.
    pub(super) fn read_modify_write(&mut self, kind: Kind, reg: Reg) {
        let code = &mut self.code;
        let shift = match kind {
            ASL_ZP | ASL_ZPX | ASL_A => Some(Shift::Shl),
            ROL_ZP | ROL_ZPX | ROL_A => Some(Shift::Rcl),
            LSR_ZP | LSR_ZPX | LSR_A => Some(Shift::Shr),
            ROR_ZP | ROR_ZPX | ROR_A => Some(Shift::Rcr),
            _ => None,
        };
        if let Some(shift) = shift {
            if matches!(shift, Shift::Rcl | Shift::Rcr) {
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
    pub(super) fn compare_after_dcp(&mut self, kind: Kind) {
        if kind == DCP_ZP {
            self.compare(A, ByteOperand::Register(NZ));
        }
    }

    pub(super) fn implied(&mut self, kind: Kind) {
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
