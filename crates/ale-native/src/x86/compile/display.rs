//! Loads of display data and music.

use std::mem::offset_of;

use super::super::assembler::{At, Do, If};
use super::{AX, CX, DX, ROM, WHERE, Writer, state};
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
fn fetcher(number: usize, field: usize) -> At {
    let first = offset_of!(Display, fetchers) + number * size_of::<Fetcher>();
    state(at::DISPLAY + (first + field) as i32)
}

fn display(field: usize) -> At {
    state(at::DISPLAY + field as i32)
}

/// Whether a load is one of those below.
pub(super) fn is_fetch(kind: Kind, operand: u16) -> bool {
    kind & 0xF00 == crate::kind::FETCH && matches!(operand & 0xFFF, 0x004..0x018)
}

impl Writer<'_> {
    /// Loads display data or the loudness of the music into CX.
    pub(super) fn fetch(&mut self, instruction: &Instruction) {
        let register = instruction.operand & 0xFFF;
        if register < 0x008 {
            self.clock(AX, instruction.after);
            self.settle_flags();
            if let Some(number) = self.leaving {
                self.code.set(WHERE, number);
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
            let here = self.code.here();
            for &(call, _) in fetches.iter().filter(|fetch| fetch.1 == register) {
                self.code.lead(call, here);
            }
            let number = usize::from(register & 7);
            if register < 0x008 {
                self.play(number, &mut out);
            } else {
                self.count_fetch(number, true);
            }
            if register >= 0x010 {
                self.code.load_byte(AX, fetcher(number, FLAG));
                self.code.operate(Do::And, CX, AX);
            }
            self.code.give_back();
        }
        // Nobody returns to where the function was called.
        let here = self.code.here();
        for jump in out {
            self.code.lead(jump, here);
        }
        self.code.pop(AX);
        self.leaving = None;
        self.leave();
    }

    /// A load by a fetcher; the byte goes to CX if it is wanted. Only AX is changed otherwise.
    fn count_fetch(&mut self, number: usize, is_wanted: bool) {
        let code = &mut self.code;
        code.set(AX, 1);
        code.operate_in_memory(Do::Add, display(offset_of!(Display, clocks)), AX);
        code.load_two_bytes(AX, fetcher(number, COUNTER));
        code.compare_with_byte(fetcher(number, TOP), AX);
        let is_not_top = code.skip_if(If::NotZero as u8);
        code.store_constant(fetcher(number, FLAG), 0xFF);
        let done = code.skip();
        code.arrive(is_not_top);
        code.compare_with_byte(fetcher(number, BOTTOM), AX);
        let is_not_bottom = code.skip_if(If::NotZero as u8);
        code.store_constant(fetcher(number, FLAG), 0);
        code.arrive(is_not_bottom);
        code.arrive(done);
        if is_wanted {
            code.copy(CX, AX);
            code.operate_constant(Do::Xor, CX, 0x7FF);
            code.operate_constant(Do::And, CX, 0x7FF);
            code.load_byte(CX, At::indexed(ROM, CX, 0, DISPLAY as i32));
        }
        let is_voice = VOICES.contains(&number).then(|| {
            code.compare_byte(fetcher(number, MUSIC), 0);
            code.skip_if(If::NotZero as u8)
        });
        code.operate_constant(Do::Sub, AX, 1);
        code.operate_constant(Do::And, AX, 0x7FF);
        code.store_two_bytes(fetcher(number, COUNTER), AX);
        if let Some(is_voice) = is_voice {
            code.arrive(is_voice);
        }
    }

    /// The loudness of the music at the clock in AX, into CX. Jumps out if more than one clock of the music has passed.
    fn play(&mut self, number: usize, out: &mut Vec<usize>) {
        let fraction = (at::DISPLAY + offset_of!(Display, fraction) as i32).to_le_bytes();
        let music_cycle = display(offset_of!(Display, music_cycle));
        self.code.copy(DX, AX);
        self.code.operate_memory(Do::Sub, DX, music_cycle);
        self.code.operate_constant(Do::Cmp, DX, CLOCKS.len() as i32 - 1);
        out.push(self.code.jump_if(If::Above as u8));
        // mov rcx, table; movsd xmm0, [rcx + 8 * rdx]; addsd xmm0, [fraction]; cvttsd2si ecx, xmm0
        self.code.raw(&[0x48, 0xB9]);
        self.code.raw(&(CLOCKS.as_ptr() as u64).to_le_bytes());
        self.code.raw(&[0xF2, 0x0F, 0x10, 0x04, 0xD1, 0xF2, 0x0F, 0x58, 0x87]);
        self.code.raw(&fraction);
        self.code.raw(&[0xF2, 0x0F, 0x2C, 0xC8]);
        self.code.operate_constant(Do::Cmp, CX, 1);
        out.push(self.code.jump_if(If::Above as u8));
        self.code.store(music_cycle, AX);
        // xorps xmm1, xmm1; cvtsi2sd xmm1, ecx; subsd xmm0, xmm1; movsd [fraction], xmm0
        self.code
            .raw(&[0x0F, 0x57, 0xC9, 0xF2, 0x0F, 0x2A, 0xC9, 0xF2, 0x0F, 0x5C, 0xC1, 0xF2, 0x0F, 0x11, 0x87]);
        self.code.raw(&fraction);
        self.count_fetch(number, false);
        self.code.operate(Do::Or, CX, CX);
        let none = self.code.jump_if(If::Zero as u8);
        for voice in VOICES {
            self.count_music(voice);
        }
        let here = self.code.here();
        self.code.lead(none, here);
        self.code.operate(Do::Xor, CX, CX);
        for voice in VOICES.rev() {
            self.code.operate(Do::Add, CX, CX);
            self.code.load_byte(AX, fetcher(voice, FLAG));
            self.code.load_byte(DX, fetcher(voice, MUSIC));
            self.code.operate(Do::And, AX, DX);
            self.code.operate(Do::Or, CX, AX);
        }
        // mov rax, loudness; eight bits for each combination of voices
        self.code.raw(&[0x48, 0xB8]);
        self.code.raw(&LOUDNESS);
        self.code.shift_left(CX, 3);
        self.code.shift_right_wide_by_cx(AX);
        self.code.copy_byte(CX, AX);
    }

    /// A clock of the music, if the fetcher is a voice: it counts down between its top and 0.
    fn count_music(&mut self, number: usize) {
        let code = &mut self.code;
        code.compare_byte(fetcher(number, MUSIC), 0);
        let is_silent = code.skip_if(If::Zero as u8);
        code.load_byte(AX, fetcher(number, COUNTER));
        code.load_byte(DX, fetcher(number, TOP));
        code.operate(Do::Or, DX, DX);
        let stays = code.skip_if(If::Zero as u8);
        code.operate_constant(Do::Sub, AX, 1);
        let counted = code.skip_if(If::NotNegative as u8);
        code.arrive(stays);
        // From 0 to the top, which may be 0.
        code.copy(AX, DX);
        code.arrive(counted);
        code.store_byte(fetcher(number, COUNTER), AX);
        code.compare_with_byte(fetcher(number, BOTTOM), AX);
        let is_above = code.skip_if(If::Above as u8);
        code.store_constant(fetcher(number, FLAG), 0);
        let done = code.skip();
        code.arrive(is_above);
        code.operate(Do::Cmp, AX, DX);
        let is_over = code.skip_if(If::Above as u8);
        code.store_constant(fetcher(number, FLAG), 0xFF);
        code.arrive(is_over);
        code.arrive(done);
        code.arrive(is_silent);
    }
}
