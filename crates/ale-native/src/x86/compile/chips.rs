//! Accesses to the video chip, its inputs, the timer and the ports.

use super::super::assembler::{At, Do, If, Reg};
use super::{AX, CX, DX, NOTED, STATE, TIME, WHERE, Writer, last, last_by, state};
use crate::state::{COLU, CYCLE_BITS, GRP, at};
use crate::{Instruction, Note};

const ENABL: u8 = 0x1F;
/// The registers to which the same byte can be written again without any effect: colours, REFP, the playfield, sound,
/// ENAM, ENABL, VDEL, RESMP.
const IDEMPOTENT: [u8; 23] = [
    0x06, 0x07, 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1D, 0x1E,
    ENABL, 0x25, 0x26, 0x27, 0x28, 0x29,
];

/// A factor and a shift that divide numbers of 25 bits by 76.
const QUOTIENT: (u64, u8) = ((1 << 36) / 76 + 1, 36);
// The quotient is too large by `n / 76` times this excess over `2^36`: by less than 1/76.
const _: () = assert!(QUOTIENT.0 < 1 << 31 && (QUOTIENT.0 * 76 - (1 << 36)) << 25 < 1 << 36);

impl Writer<'_> {
    /// WSYNC.
    pub(super) fn wait(&mut self, after: u16) {
        self.code.reckon(CX, At::new(TIME, -i32::from(after)));
        self.code.operate_memory(Do::Sub, CX, state(at::LINE));
        self.code.operate_constant(Do::And, CX, (1 << CYCLE_BITS) - 1);
        // To the end of the line that has begun.
        self.code.reckon(AX, At::new(CX, 75));
        self.code.multiply_wide(AX, AX, QUOTIENT.0 as i32);
        self.code.shift_right_wide(AX, QUOTIENT.1);
        self.code.multiply(AX, AX, 76);
        self.code.operate_in_memory(Do::Add, state(at::LINE), AX);
        self.code.operate(Do::Sub, AX, CX);
        self.code.operate_wide(Do::Add, TIME, AX);
    }

    /// Notes a write to the video chip, unless it changes nothing.
    pub(super) fn store(&mut self, register: u8, reg: Reg, after: u16) {
        let index = usize::from(register);
        let what = u32::from(register) << 8 | u32::from(after) << 16;
        let players = GRP.iter().position(|&graphics| graphics == index);
        if players.is_none() && !IDEMPOTENT.contains(&register) {
            self.code.reckon(AX, At::new(reg, what as i32));
            self.note();
            return;
        }
        self.code.compare_two_bytes(last(index), reg);
        let known = self.code.skip_if(If::Zero as u8);
        if let Some(player) = players {
            self.code.compare_with_byte(last(index), reg);
            let same = self.code.skip_if(If::Zero as u8);
            self.mark(GRP[1 - player]);
            self.code.arrive(same);
        }
        if register == ENABL {
            self.mark(GRP[1]);
        }
        self.code.store_two_bytes(last(index), reg);
        self.code.reckon(AX, At::new(reg, what as i32));
        if (COLU..COLU + 4).contains(&index) {
            self.note_color();
        } else {
            self.note();
        }
        self.code.arrive(known);
    }

    /// The next write to a player's graphics has to be noted.
    pub(super) fn mark(&mut self, register: usize) {
        // All of it: the processor waits for a load of two bytes of which one was just stored.
        self.code.set_bits(last(register), 0x100);
    }

    /// Notes the write in AX: the byte, the register and the cycles after the instruction.
    pub(super) fn note(&mut self) {
        self.write_note();
        self.code.operate_constant_wide(Do::Add, NOTED, size_of::<Note>() as i32);
    }

    /// The same for a colour. The note is written in any case, but where colours are not noted the next one takes its place.
    fn note_color(&mut self) {
        self.write_note();
        self.code.operate_memory_wide(Do::Add, NOTED, state(at::COLOR_STEP));
    }

    fn write_note(&mut self) {
        self.code.store(At::new(NOTED, 0), AX);
        self.code.store(At::new(NOTED, 4), TIME);
        self.unchecked += 1;
    }

    /// Notes the write in AX, but for its register, to the address in DX; leaves for VSYNC and WSYNC. CX and DX are changed.
    pub(super) fn call_chip_store(&mut self) {
        if let Some(number) = self.leaving {
            self.code.set(WHERE, number);
        }
        self.settle_flags();
        let call = self.code.call();
        self.chip_stores.push(call);
    }

    /// The function for that.
    pub(super) fn finish_chip_stores(&mut self) {
        let here = self.code.here();
        for call in std::mem::take(&mut self.chip_stores) {
            self.code.lead(call, here);
        }
        self.code.operate_constant(Do::And, DX, 0x3F);
        // Neither VSYNC nor WSYNC.
        self.code.test(DX, 0x3D);
        let is_neither = self.code.skip_if(If::NotZero as u8);
        // Nobody returns to where the function was called.
        self.code.pop(AX);
        self.leaving = None;
        self.leave();
        self.code.arrive(is_neither);
        self.code.store_constant(state(at::STALE), 1);
        self.code.copy_byte(CX, AX);
        self.code.operate_constant(Do::Add, CX, 0xFF00);
        self.code.store_two_bytes(last_by(DX), CX);
        self.mark(GRP[0]);
        self.mark(GRP[1]);
        self.code.shift_left(DX, 8);
        self.code.operate(Do::Add, AX, DX);
        self.note();
        self.code.give_back();
    }

    /// The clock after an instruction.
    pub(super) fn clock(&mut self, to: Reg, after: u16) {
        self.code.reckon(to, At::new(TIME, -i32::from(after)));
        self.code.operate_constant(Do::And, to, (1 << CYCLE_BITS) - 1);
    }

    /// Leaves if VBLANK may have changed the inputs.
    pub(super) fn check_pins(&mut self) {
        self.code.compare_byte(state(at::STALE), 0);
        self.leave_if(If::NotZero);
    }

    /// Loads an input of the video chip into CX.
    pub(super) fn load_pin(&mut self, register: u16, instruction: &Instruction) {
        let number = i32::from(register & 7);
        if number < 4 {
            self.check_pins();
        }
        self.clock(AX, instruction.after);
        self.code.operate(Do::Xor, CX, CX);
        self.code.operate_memory(Do::Cmp, AX, state(at::PINS + 4 * number));
        self.code.set_if(If::AboveOrEqual, CX);
        self.code.shift_left(CX, 7);
        self.code.operate_constant(Do::Or, CX, i32::from(instruction.last & 0x3F));
    }

    /// Loads the input of the video chip whose address is in DX into that register. What is below the driven bit was
    /// on the bus.
    pub(super) fn load_some_pin(&mut self, after: u16, shown: u8) {
        self.check_pins();
        self.clock(AX, after);
        self.code.operate_constant(Do::And, DX, 7);
        self.code.operate_memory(Do::Cmp, AX, At::indexed(STATE, DX, 2, at::PINS));
        self.code.set_if(If::AboveOrEqual, DX);
        self.code.shift_left(DX, 7);
        self.code.operate_constant(Do::And, DX, 0x80);
        self.code.operate_constant(Do::Or, DX, i32::from(shown & 0x3F));
    }

    /// What the timer has left, into DX, with the flags of that; negative when it has run out. Its shift is in CX.
    pub(super) fn reckon_timer(&mut self, after: u16) {
        self.clock(AX, after);
        self.code.operate_memory(Do::Sub, AX, state(at::TIMER_SET));
        self.code.operate_constant(Do::Sub, AX, 1);
        self.code.load(CX, state(at::TIMER_SHIFT));
        self.code.shift_right_by_cx(AX);
        self.code.load(DX, state(at::TIMER_VALUE));
        self.code.operate(Do::Sub, DX, AX);
        self.code.operate_constant(Do::Sub, DX, 1);
    }

    /// Loads the timer into CX; leaves if it has run out.
    pub(super) fn load_timer(&mut self, after: u16) {
        self.reckon_timer(after);
        self.leave_if(If::Negative);
        self.code.copy_byte(CX, DX);
    }

    /// Loads the flag of the timer into CX.
    pub(super) fn load_flag(&mut self, after: u16) {
        self.reckon_timer(after);
        self.code.shift_right(DX, 31);
        self.code.load_byte(CX, state(at::TIMER_LATE));
        self.code.operate_constant(Do::Xor, CX, 1);
        self.code.operate(Do::And, CX, DX);
        self.code.shift_left(CX, 7);
    }

    /// Loads the timer or its flag in the last round of a loop that waits for it. The rounds that are certain to go on
    /// are counted and not run.
    pub(super) fn wait_for_timer(&mut self, instruction: &Instruction) {
        let &Instruction { operand, after, waits, .. } = instruction;
        // There may be none left.
        self.code.test_all_wide(TIME);
        self.leave_if(If::Negative);
        let least = i32::from(waits & 7);
        let round = 7 + i32::from(waits >> 3);
        self.reckon_timer(after);
        self.code.operate_constant(Do::Cmp, DX, 127);
        let last = self.code.jump_if(If::Above as u8);
        self.code.operate_constant(Do::Cmp, DX, least);
        let over = self.code.jump_if(If::Below as u8);
        self.code.compare_byte(state(at::TIMER_LATE), 0);
        let late = self.code.jump_if(If::NotZero as u8);
        self.code.load(AX, state(at::TIMER_VALUE));
        self.code.operate_constant(Do::Sub, AX, least);
        self.code.shift_left_by_cx(AX);
        self.clock(DX, after);
        self.code.operate_memory(Do::Sub, DX, state(at::TIMER_SET));
        self.code.operate(Do::Sub, AX, DX);
        // One more since the timer counts from the cycle after the write.
        self.code.operate_constant(Do::Add, AX, round);
        self.code.operate(Do::Xor, DX, DX);
        self.code.set(CX, round as u32);
        self.code.divide(CX);
        // Each takes two instructions.
        self.code.copy_wide(DX, TIME);
        self.code.shift_right_wide(DX, CYCLE_BITS as u8 + 1);
        self.code.operate(Do::Cmp, AX, DX);
        let all = self.code.jump_if(If::BelowOrEqual as u8);
        self.code.copy(AX, DX);
        let here = self.code.here();
        self.code.lead(all, here);
        self.code.multiply_wide(AX, AX, round - (2 << CYCLE_BITS));
        self.code.operate_wide(Do::Add, TIME, AX);
        let here = self.code.here();
        for jump in [last, over, late] {
            self.code.lead(jump, here);
        }
        if operand & 1 == 0 { self.load_timer(after) } else { self.load_flag(after) }
    }

    /// A store to the timer or the ports.
    pub(super) fn store_in_riot(&mut self, address: u16, reg: Reg, after: u16) {
        const SHIFT: [u32; 4] = [0, 3, 6, 10];
        match address & 0x17 {
            0x01 | 0x11 => self.code.store_byte(state(at::PORTS + 1), reg),
            register @ 0x14..=0x17 => {
                self.clock(AX, after);
                self.code.store(state(at::TIMER_SET), AX);
                self.code.store(state(at::TIMER_VALUE), reg);
                self.code.set(AX, SHIFT[usize::from(register & 3)]);
                self.code.store(state(at::TIMER_SHIFT), AX);
                self.code.store_constant(state(at::TIMER_LATE), 0);
            }
            _ => {}
        }
    }
}
