//! Loads of display data and music.

use std::mem::offset_of;

use super::super::assembler::{AluOp, Cond, Mem};
use super::{AX, CX, CodeGen, DX, EXIT_OP, ROM, state};
use crate::display::{CLOCKS, DISPLAY, Display, Fetcher, LOUDNESS};
use crate::state::at;
use crate::{Instruction, Kind};

const COUNTER: usize = offset_of!(Fetcher, counter);
const TOP: usize = offset_of!(Fetcher, top);
const BOTTOM: usize = offset_of!(Fetcher, bottom);
const FLAG: usize = offset_of!(Fetcher, flag);
const MUSIC: usize = offset_of!(Fetcher, music);
/// The fetchers that can be voices.
const VOICES: std::ops::Range<usize> = 5..8;

/// A field of a fetcher.
fn fetcher(number: usize, field: usize) -> Mem {
    let first = offset_of!(Display, fetchers) + number * size_of::<Fetcher>();
    state(at::DISPLAY + (first + field) as i32)
}

fn display(field: usize) -> Mem {
    state(at::DISPLAY + field as i32)
}

/// Whether a load is one of those below.
pub(super) fn is_fetch(kind: Kind, operand: u16) -> bool {
    kind & 0xF00 == crate::kind::FETCH && matches!(operand & 0xFFF, 0x004..0x018)
}

impl CodeGen<'_> {
    /// Loads display data or the loudness of the music into CX.
    pub(super) fn fetch(&mut self, instruction: &Instruction) {
        let register = instruction.operand & 0xFFF;
        if register < 0x008 {
            self.clock(AX, instruction.cycles_after);
            self.materialize_flags();
            if let Some(number) = self.exit_target {
                self.code.mov_ri(EXIT_OP, number);
            }
        }
        let call = self.code.call();
        self.fetches.push((call, register));
    }

    /// The functions that such loads call: one for each register, since programs have many of them.
    pub(super) fn finish_fetches(&mut self) {
        let fetches = std::mem::take(&mut self.fetches);
        let mut out = Vec::new();
        for register in 0x004..0x018 {
            if !fetches.iter().any(|fetch| fetch.1 == register) {
                continue;
            }
            let here = self.code.position();
            for &(call, _) in fetches.iter().filter(|fetch| fetch.1 == register) {
                self.code.bind(call, here);
            }
            let number = usize::from(register & 7);
            if register < 0x008 {
                self.load_music(number, &mut out);
            } else {
                self.count_fetch(number, true);
            }
            if register >= 0x010 {
                self.code.movzx_rm8(AX, fetcher(number, FLAG));
                self.code.alu_rr(AluOp::And, CX, AX);
            }
            self.code.ret();
        }
        // The return address is dropped.
        let here = self.code.position();
        for jump in out {
            self.code.bind(jump, here);
        }
        self.code.pop(AX);
        self.exit_target = None;
        self.exit_now();
    }

    /// A load by a fetcher; the byte goes to CX if it is wanted. Only AX is changed otherwise.
    fn count_fetch(&mut self, number: usize, is_wanted: bool) {
        let code = &mut self.code;
        code.mov_ri(AX, 1);
        code.alu_mr(AluOp::Add, display(offset_of!(Display, clocks)), AX);
        code.movzx_rm16(AX, fetcher(number, COUNTER));
        code.cmp_rm8(fetcher(number, TOP), AX);
        let is_not_top = code.jcc_short(Cond::NotZero as u8);
        code.mov_mi8(fetcher(number, FLAG), 0xFF);
        let done = code.jmp_short();
        code.bind_short(is_not_top);
        code.cmp_rm8(fetcher(number, BOTTOM), AX);
        let is_not_bottom = code.jcc_short(Cond::NotZero as u8);
        code.mov_mi8(fetcher(number, FLAG), 0);
        code.bind_short(is_not_bottom);
        code.bind_short(done);
        if is_wanted {
            code.mov_rr(CX, AX);
            code.alu_ri(AluOp::Xor, CX, 0x7FF);
            code.alu_ri(AluOp::And, CX, 0x7FF);
            code.movzx_rm8(CX, Mem::indexed(ROM, CX, 0, DISPLAY as i32));
        }
        let is_voice = VOICES.contains(&number).then(|| {
            code.cmp_mi8(fetcher(number, MUSIC), 0);
            code.jcc_short(Cond::NotZero as u8)
        });
        code.alu_ri(AluOp::Sub, AX, 1);
        code.alu_ri(AluOp::And, AX, 0x7FF);
        code.mov_mr16(fetcher(number, COUNTER), AX);
        if let Some(is_voice) = is_voice {
            code.bind_short(is_voice);
        }
    }

    /// The loudness of the music at the clock in AX, into CX. Jumps out if more than one clock of the music has passed.
    fn load_music(&mut self, number: usize, out: &mut Vec<usize>) {
        let fraction = (at::DISPLAY + offset_of!(Display, fraction) as i32).to_le_bytes();
        let music_cycle = display(offset_of!(Display, music_cycle));
        self.code.mov_rr(DX, AX);
        self.code.alu_rm(AluOp::Sub, DX, music_cycle);
        self.code.alu_ri(AluOp::Cmp, DX, CLOCKS.len() as i32 - 1);
        out.push(self.code.jcc(Cond::Above as u8));
        // mov rcx, table; movsd xmm0, [rcx + 8 * rdx]; addsd xmm0, [fraction]; cvttsd2si ecx, xmm0
        self.code.raw(&[0x48, 0xB9]);
        self.code.raw(&(CLOCKS.as_ptr() as u64).to_le_bytes());
        self.code.raw(&[0xF2, 0x0F, 0x10, 0x04, 0xD1, 0xF2, 0x0F, 0x58, 0x87]);
        self.code.raw(&fraction);
        self.code.raw(&[0xF2, 0x0F, 0x2C, 0xC8]);
        self.code.alu_ri(AluOp::Cmp, CX, 1);
        out.push(self.code.jcc(Cond::Above as u8));
        self.code.mov_mr(music_cycle, AX);
        // xorps xmm1, xmm1; cvtsi2sd xmm1, ecx; subsd xmm0, xmm1; movsd [fraction], xmm0
        self.code
            .raw(&[0x0F, 0x57, 0xC9, 0xF2, 0x0F, 0x2A, 0xC9, 0xF2, 0x0F, 0x5C, 0xC1, 0xF2, 0x0F, 0x11, 0x87]);
        self.code.raw(&fraction);
        self.count_fetch(number, false);
        self.code.alu_rr(AluOp::Or, CX, CX);
        let none = self.code.jcc(Cond::Zero as u8);
        for voice in VOICES {
            self.count_music(voice);
        }
        let here = self.code.position();
        self.code.bind(none, here);
        self.code.alu_rr(AluOp::Xor, CX, CX);
        for voice in VOICES.rev() {
            self.code.alu_rr(AluOp::Add, CX, CX);
            self.code.movzx_rm8(AX, fetcher(voice, FLAG));
            self.code.movzx_rm8(DX, fetcher(voice, MUSIC));
            self.code.alu_rr(AluOp::And, AX, DX);
            self.code.alu_rr(AluOp::Or, CX, AX);
        }
        // mov rax, loudness; eight bits for each combination of voices
        self.code.raw(&[0x48, 0xB8]);
        self.code.raw(&LOUDNESS);
        self.code.shl_ri(CX, 3);
        self.code.shr_cl64(AX);
        self.code.movzx_rr8(CX, AX);
    }

    /// A clock of the music, if the fetcher is a voice: it counts down between its top and 0.
    fn count_music(&mut self, number: usize) {
        let code = &mut self.code;
        code.cmp_mi8(fetcher(number, MUSIC), 0);
        let is_silent = code.jcc_short(Cond::Zero as u8);
        code.movzx_rm8(AX, fetcher(number, COUNTER));
        code.movzx_rm8(DX, fetcher(number, TOP));
        code.alu_rr(AluOp::Or, DX, DX);
        let stays = code.jcc_short(Cond::Zero as u8);
        code.alu_ri(AluOp::Sub, AX, 1);
        let counted = code.jcc_short(Cond::NotNegative as u8);
        code.bind_short(stays);
        // From 0 to the top, which may be 0.
        code.mov_rr(AX, DX);
        code.bind_short(counted);
        code.mov_mr8(fetcher(number, COUNTER), AX);
        code.cmp_rm8(fetcher(number, BOTTOM), AX);
        let is_above = code.jcc_short(Cond::Above as u8);
        code.mov_mi8(fetcher(number, FLAG), 0);
        let done = code.jmp_short();
        code.bind_short(is_above);
        code.alu_rr(AluOp::Cmp, AX, DX);
        let is_over = code.jcc_short(Cond::Above as u8);
        code.mov_mi8(fetcher(number, FLAG), 0xFF);
        code.bind_short(is_over);
        code.bind_short(done);
        code.bind_short(is_silent);
    }
}
