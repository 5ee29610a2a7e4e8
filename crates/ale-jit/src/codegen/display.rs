//! Loads of display data and music.

use std::mem::offset_of;

use super::CodeGen;
#[allow(clippy::wildcard_imports, reason = "the register assignment")]
use super::registers::*;
use crate::display::{CLOCKS, DISPLAY, Display, Fetcher, LOUDNESS};
use crate::state::at;
use crate::target::{AluOp, Cond, Mem, XMM0, XMM1};
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
        let is_not_top = code.jcc_short(Cond::NotZero);
        code.mov_mi8(fetcher(number, FLAG), 0xFF);
        let done = code.jmp_short();
        code.bind_short(is_not_top);
        code.cmp_rm8(fetcher(number, BOTTOM), AX);
        let is_not_bottom = code.jcc_short(Cond::NotZero);
        code.mov_mi8(fetcher(number, FLAG), 0);
        code.bind_short(is_not_bottom);
        code.bind_short(done);
        if is_wanted {
            self.code.mov_rr(CX, AX);
            self.code.alu_ri(AluOp::Xor, CX, 0x7FF);
            self.mask(CX, 0x7FF);
            self.code.movzx_rm8(CX, Mem::indexed(ROM, CX, 0, DISPLAY as i32));
        }
        let code = &mut self.code;
        let is_voice = VOICES.contains(&number).then(|| {
            code.cmp_mi8(fetcher(number, MUSIC), 0);
            code.jcc_short(Cond::NotZero)
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
        let fraction = display(offset_of!(Display, fraction));
        let music_cycle = display(offset_of!(Display, music_cycle));
        self.code.mov_rr(DX, AX);
        self.code.alu_rm(AluOp::Sub, DX, music_cycle);
        self.code.alu_ri(AluOp::Cmp, DX, CLOCKS.len() as i32 - 1);
        out.push(self.jump_if(Cond::Above));
        self.code.mov_ri64(CX, CLOCKS.as_ptr() as u64);
        self.code.movsd_xm(XMM0, Mem::indexed(CX, DX, 3, 0));
        self.code.addsd_xm(XMM0, fraction);
        self.code.cvttsd2si(CX, XMM0);
        self.code.alu_ri(AluOp::Cmp, CX, 1);
        out.push(self.jump_if(Cond::Above));
        self.code.mov_mr(music_cycle, AX);
        // The other half of the register would be waited for.
        self.code.xorps(XMM1, XMM1);
        self.code.cvtsi2sd(XMM1, CX);
        self.code.subsd(XMM0, XMM1);
        self.code.movsd_mx(fraction, XMM0);
        self.count_fetch(number, false);
        self.code.alu_rr(AluOp::Or, CX, CX);
        let none = self.code.jcc(Cond::Zero);
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
        // Eight bits for each combination of voices.
        self.code.mov_ri64(AX, u64::from_le_bytes(LOUDNESS));
        self.code.shl_ri(CX, 3);
        self.code.shr_cl64(AX);
        self.code.movzx_rr8(CX, AX);
    }

    /// A clock of the music, if the fetcher is a voice: it counts down between its top and 0.
    fn count_music(&mut self, number: usize) {
        let code = &mut self.code;
        code.cmp_mi8(fetcher(number, MUSIC), 0);
        let is_silent = code.jcc_short(Cond::Zero);
        code.movzx_rm8(AX, fetcher(number, COUNTER));
        code.movzx_rm8(DX, fetcher(number, TOP));
        code.alu_rr(AluOp::Or, DX, DX);
        let stays = code.jcc_short(Cond::Zero);
        code.alu_ri(AluOp::Sub, AX, 1);
        let counted = code.jcc_short(Cond::NotSign);
        code.bind_short(stays);
        // From 0 to the top, which may be 0.
        code.mov_rr(AX, DX);
        code.bind_short(counted);
        code.mov_mr8(fetcher(number, COUNTER), AX);
        code.cmp_rm8(fetcher(number, BOTTOM), AX);
        let is_above = code.jcc_short(Cond::Above);
        code.mov_mi8(fetcher(number, FLAG), 0);
        let done = code.jmp_short();
        code.bind_short(is_above);
        code.alu_rr(AluOp::Cmp, AX, DX);
        let is_over = code.jcc_short(Cond::Above);
        code.mov_mi8(fetcher(number, FLAG), 0xFF);
        code.bind_short(is_over);
        code.bind_short(done);
        code.bind_short(is_silent);
    }
}
