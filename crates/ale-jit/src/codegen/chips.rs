//! Accesses to the video chip, its inputs, the timer and the ports.

use super::CodeGen;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use crate::kind::IDEMPOTENT;
use crate::state::{COLU, CYCLE_BITS, GRP, at};
use crate::target::{AluOp, Cond, Mem, Reg};
use crate::{Instruction, TiaWrite};

const ENABL: u8 = 0x1F;

/// A factor and a shift that divide numbers of 25 bits by 76.
const QUOTIENT: (u64, u8) = ((1 << 36) / 76 + 1, 36);
// The quotient is too large by `n / 76` times this excess over `2^36`: by less than 1/76.
const _: () = assert!(QUOTIENT.0 < 1 << 31 && (QUOTIENT.0 * 76 - (1 << 36)) << 25 < 1 << 36);

impl CodeGen<'_> {
    /// WSYNC.
    pub(super) fn wait(&mut self, cycles_after: u16) {
        self.code.lea(CX, Mem::new(TIME, -i32::from(cycles_after)));
        self.code.alu_rm(AluOp::Sub, CX, state(at::LINE));
        self.code.alu_ri(AluOp::And, CX, (1 << CYCLE_BITS) - 1);
        // To the end of the line that has begun.
        self.code.lea(AX, Mem::new(CX, 75));
        self.code.imul_rri64(AX, AX, QUOTIENT.0 as i32);
        self.code.shr_ri64(AX, QUOTIENT.1);
        self.code.imul_rri(AX, AX, 76);
        self.code.alu_mr(AluOp::Add, state(at::LINE), AX);
        self.code.alu_rr(AluOp::Sub, AX, CX);
        self.code.alu_rr64(AluOp::Add, TIME, AX);
    }

    /// Logs a write to the video chip, unless it changes nothing.
    pub(super) fn store(&mut self, register: u8, reg: Reg, cycles_after: u16) {
        let index = usize::from(register);
        let what = u32::from(register) << 8 | u32::from(cycles_after) << 16;
        let players = GRP.iter().position(|&graphics| graphics == index);
        if players.is_none() && !IDEMPOTENT.contains(&register) {
            self.code.lea(AX, Mem::new(reg, what as i32));
            self.log_write();
            return;
        }
        self.code.cmp_rm16(shadow(index), reg);
        let known = self.code.jcc_short(Cond::Zero);
        if let Some(player) = players {
            self.code.cmp_rm8(shadow(index), reg);
            let same = self.code.jcc_short(Cond::Zero);
            self.force_next_log(GRP[1 - player]);
            self.code.bind_short(same);
        }
        if register == ENABL {
            self.force_next_log(GRP[1]);
        }
        self.code.mov_mr16(shadow(index), reg);
        self.code.lea(AX, Mem::new(reg, what as i32));
        if (COLU..COLU + 4).contains(&index) {
            self.log_color_write();
        } else {
            self.log_write();
        }
        self.code.bind_short(known);
    }

    /// The next write to a player's graphics has to be logged.
    pub(super) fn force_next_log(&mut self, register: usize) {
        // All of it: the processor waits for a load of two bytes of which one was just stored.
        self.code.or_mi16(shadow(register), 0x100);
    }

    /// Logs the write in AX: the byte, the register and the cycles after the instruction.
    pub(super) fn log_write(&mut self) {
        self.append_to_log();
        self.code.alu_ri64(AluOp::Add, LOG, size_of::<TiaWrite>() as i32);
    }

    /// The same for a colour. The entry is written in any case, but where colours are not logged the next one takes its place.
    fn log_color_write(&mut self) {
        self.append_to_log();
        self.code.alu_rm64(AluOp::Add, LOG, state(at::COLOR_STEP));
    }

    fn append_to_log(&mut self) {
        self.code.mov_mr(Mem::new(LOG, 0), AX);
        self.code.mov_mr(Mem::new(LOG, 4), TIME);
        self.unchecked_writes += 1;
    }

    /// Logs the write in AX, but for its register, to the address in DX; bails out for VSYNC and WSYNC. CX and DX are changed.
    pub(super) fn call_chip_store(&mut self) {
        if let Some(number) = self.exit_target {
            self.code.mov_ri(EXIT_OP, number);
        }
        self.materialize_flags();
        let call = self.code.call();
        self.chip_stores.push(call);
    }

    /// The function for that.
    pub(super) fn finish_chip_stores(&mut self) {
        let here = self.code.position();
        for call in std::mem::take(&mut self.chip_stores) {
            self.code.bind(call, here);
        }
        self.mask(DX, 0x3F);
        // Neither VSYNC nor WSYNC.
        self.code.test_ri(DX, 0x3D);
        let is_neither = self.code.jcc_short(Cond::NotZero);
        // The return address is dropped.
        self.code.pop(AX);
        self.exit_target = None;
        self.exit_now();
        self.code.bind_short(is_neither);
        self.code.mov_mi8(state(at::PINS_STALE), 1);
        self.code.movzx_rr8(CX, AX);
        self.code.alu_ri(AluOp::Add, CX, 0xFF00);
        self.code.mov_mr16(shadow_by(DX), CX);
        self.force_next_log(GRP[0]);
        self.force_next_log(GRP[1]);
        self.code.shl_ri(DX, 8);
        self.code.alu_rr(AluOp::Add, AX, DX);
        self.log_write();
        self.code.ret();
    }

    /// The clock after an instruction.
    pub(super) fn clock(&mut self, to: Reg, cycles_after: u16) {
        self.code.lea(to, Mem::new(TIME, -i32::from(cycles_after)));
        self.code.alu_ri(AluOp::And, to, (1 << CYCLE_BITS) - 1);
    }

    /// Bails out if VBLANK may have changed the inputs.
    pub(super) fn check_pins(&mut self) {
        self.code.cmp_mi8(state(at::PINS_STALE), 0);
        self.exit_if(Cond::NotZero);
    }

    /// Loads an input of the video chip into CX.
    pub(super) fn load_pin(&mut self, register: u16, instruction: &Instruction) {
        let number = i32::from(register & 7);
        if number < 4 {
            self.check_pins();
        }
        self.clock(AX, instruction.cycles_after);
        self.code.alu_rr(AluOp::Xor, CX, CX);
        self.code.alu_rm(AluOp::Cmp, AX, state(at::PINS + 4 * number));
        self.code.setcc_r8(Cond::AboveOrEqual, CX);
        self.code.shl_ri(CX, 7);
        self.code.alu_ri(AluOp::Or, CX, i32::from(instruction.last_byte & 0x3F));
    }

    /// Loads the input of the video chip whose address is in DX into that register. What is below the driven bit was
    /// on the bus.
    pub(super) fn load_pin_at(&mut self, cycles_after: u16, shown: u8) {
        self.check_pins();
        self.clock(AX, cycles_after);
        self.mask(DX, 7);
        self.code.alu_rm(AluOp::Cmp, AX, Mem::indexed(STATE, DX, 2, at::PINS));
        self.code.setcc_r8(Cond::AboveOrEqual, DX);
        self.code.shl_ri(DX, 7);
        self.code.alu_ri(AluOp::And, DX, 0x80);
        self.code.alu_ri(AluOp::Or, DX, i32::from(shown & 0x3F));
    }

    /// What the timer has left, into DX, with the flags of that; negative when it has run out. Its shift is in CX.
    pub(super) fn timer_remaining(&mut self, cycles_after: u16) {
        self.clock(AX, cycles_after);
        self.code.alu_rm(AluOp::Sub, AX, state(at::TIMER_SET));
        self.code.alu_ri(AluOp::Sub, AX, 1);
        self.code.mov_rm(CX, state(at::TIMER_SHIFT));
        self.code.shr_cl(AX);
        self.code.mov_rm(DX, state(at::TIMER_VALUE));
        self.code.alu_rr(AluOp::Sub, DX, AX);
        self.code.alu_ri(AluOp::Sub, DX, 1);
    }

    /// Loads the timer into CX; bails out if it has run out.
    pub(super) fn load_timer(&mut self, cycles_after: u16) {
        self.timer_remaining(cycles_after);
        self.exit_if(Cond::Sign);
        self.code.movzx_rr8(CX, DX);
    }

    /// Loads the flag of the timer into CX.
    pub(super) fn load_flag(&mut self, cycles_after: u16) {
        self.timer_remaining(cycles_after);
        self.code.shr_ri(DX, 31);
        self.code.movzx_rm8(CX, state(at::TIMER_LATE));
        self.code.alu_ri(AluOp::Xor, CX, 1);
        self.code.alu_rr(AluOp::And, CX, DX);
        self.code.shl_ri(CX, 7);
    }

    /// Loads the timer or its flag in the last round of a loop that waits for it. The rounds that are certain to go on
    /// are counted and not run.
    pub(super) fn wait_for_timer(&mut self, instruction: &Instruction) {
        let &Instruction { operand, cycles_after, wait_loop, .. } = instruction;
        // There may be none left.
        self.code.test_rr64(TIME);
        self.exit_if(Cond::Sign);
        let least = i32::from(wait_loop & 7);
        let round = 7 + i32::from(wait_loop >> 3);
        self.timer_remaining(cycles_after);
        self.code.alu_ri(AluOp::Cmp, DX, 127);
        let last = self.code.jcc(Cond::Above);
        self.code.alu_ri(AluOp::Cmp, DX, least);
        let over = self.code.jcc(Cond::Below);
        self.code.cmp_mi8(state(at::TIMER_LATE), 0);
        let late = self.code.jcc(Cond::NotZero);
        self.code.mov_rm(AX, state(at::TIMER_VALUE));
        self.code.alu_ri(AluOp::Sub, AX, least);
        self.code.shl_cl(AX);
        self.clock(DX, cycles_after);
        self.code.alu_rm(AluOp::Sub, DX, state(at::TIMER_SET));
        self.code.alu_rr(AluOp::Sub, AX, DX);
        // One more since the timer counts from the cycle after the write.
        self.code.alu_ri(AluOp::Add, AX, round);
        self.code.alu_rr(AluOp::Xor, DX, DX);
        self.code.mov_ri(CX, round as u32);
        self.code.div(CX);
        // Each takes two instructions.
        self.code.mov_rr64(DX, TIME);
        self.code.shr_ri64(DX, CYCLE_BITS as u8 + 1);
        self.code.alu_rr(AluOp::Cmp, AX, DX);
        let all = self.code.jcc(Cond::BelowOrEqual);
        self.code.mov_rr(AX, DX);
        let here = self.code.position();
        self.code.bind(all, here);
        self.code.imul_rri64(AX, AX, round - (2 << CYCLE_BITS));
        self.code.alu_rr64(AluOp::Add, TIME, AX);
        let here = self.code.position();
        for jump in [last, over, late] {
            self.code.bind(jump, here);
        }
        if operand & 1 == 0 { self.load_timer(cycles_after) } else { self.load_flag(cycles_after) }
    }

    /// A store to the timer or the ports.
    pub(super) fn store_in_riot(&mut self, address: u16, reg: Reg, cycles_after: u16) {
        const SHIFT: [u32; 4] = [0, 3, 6, 10];
        match address & 0x17 {
            0x01 | 0x11 => self.code.mov_mr8(state(at::PORTS + 1), reg),
            register @ 0x14..=0x17 => {
                self.clock(AX, cycles_after);
                self.code.mov_mr(state(at::TIMER_SET), AX);
                self.code.mov_mr(state(at::TIMER_VALUE), reg);
                self.code.mov_ri(AX, SHIFT[usize::from(register & 3)]);
                self.code.mov_mr(state(at::TIMER_SHIFT), AX);
                self.code.mov_mi8(state(at::TIMER_LATE), 0);
            }
            _ => {}
        }
    }
}
