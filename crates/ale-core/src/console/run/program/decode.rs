//! What an instruction is, apart from where its block leads.

use std::ops::Range;

#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;

use super::super::super::cart::Plain;
use super::kind::{self, Kind};
use super::shapes::{Access, SHAPES};

/// An instruction as it is decoded.
#[derive(Clone, Copy)]
pub(super) struct Decoded {
    pub(super) kind: Kind,
    pub(super) operand: u16,
    pub(super) length: u8,
    pub(super) cycles: u8,
    pub(super) last: u8,
    pub(super) flow: Flow,
    pub(super) wait_loop: u8,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Flow {
    On,
    /// Goes on behind its piece, with whatever is mapped there.
    Last,
    /// May go on at this offset; a taken branch costs so many cycles more.
    Branch {
        target: usize,
        extra: u8,
    },
    /// Goes on at this offset if the program sees the bank at the addresses of the target.
    Within {
        target: usize,
    },
    /// Never goes on.
    Jump,
}

/// The instruction at an offset, if it is one of those that the loop knows and lies in one plain piece.
pub(super) fn decode_at(image: &[u8], plain: &Plain, at: usize) -> Option<Decoded> {
    let area = plain.around(at)?;
    let opcode = Kind::from(image[at]);
    let shape = SHAPES[usize::from(opcode)]?;
    let end = at + usize::from(shape.length);
    // What follows the last instruction of a window may lie in another chip, which shows what is on the bus. Nothing
    // follows a jump.
    let is_last = end == area.end && !matches!(opcode, JMP_ABS | JMP_IND);
    if end > area.end || is_last && (matches!(shape.access, Access::Branch) || !plain.is_followed(at)) {
        return None;
    }
    let bytes = &image[at..end];
    let word = match bytes {
        [_, low, high] => u16::from_le_bytes([*low, *high]),
        [_, low] => u16::from(*low),
        _ => 0,
    };
    let decoded = Decoded {
        kind: opcode,
        operand: word,
        length: shape.length,
        cycles: shape.cycles,
        last: bytes[bytes.len() - 1],
        flow: if is_last { Flow::Last } else { Flow::On },
        wait_loop: 0,
    };
    let site = Site { image, area, bank: plain.bank(at), has_fetchers: plain.has_fetchers, at, end, opcode };
    site.narrowed(decoded, shape.access)
}

/// Where an instruction is.
struct Site<'a> {
    image: &'a [u8],
    /// The plain piece around it.
    area: Range<usize>,
    /// The begin of its bank, if that fills the window.
    bank: Option<usize>,
    has_fetchers: bool,
    at: usize,
    end: usize,
    opcode: Kind,
}

impl Site<'_> {
    /// Where in the image an address is, if it is plain ROM of this bank.
    fn in_bank(&self, address: u16) -> Option<usize> {
        let offset = self.bank? + usize::from(address & 0xFFF);
        (address & 0x1000 != 0 && self.area.contains(&offset)).then_some(offset)
    }

    /// The instruction with the kind for what it accesses.
    fn narrowed(&self, mut decoded: Decoded, access: Access) -> Option<Decoded> {
        let (opcode, word) = (self.opcode, decoded.operand);
        match access {
            Access::None => {}
            Access::Jump => return self.jump(decoded),
            Access::Branch => {
                let target = self.end.checked_add_signed(isize::from(decoded.last as i8))?;
                // Pages of the image are pages of the window.
                let extra = 1 + u8::from((target ^ self.end) & !0xFF != 0);
                if target > 0xFFFF {
                    return None;
                }
                let target = if self.area.contains(&target) { target } else { target | FAR };
                decoded.flow = Flow::Branch { target, extra };
            }
            Access::Pointer => {
                if !(0x80..0xFF).contains(&word) {
                    return None;
                }
            }
            Access::Load => self.load(&mut decoded),
            Access::Indexed => {
                if let (Some(first), Some(_)) = (self.in_bank(word), self.in_bank(word.wrapping_add(0xFF))) {
                    // The last address is in the window of the first, not in its next mirror.
                    if word & 0xFFF <= 0xF00 {
                        decoded.kind += kind::ROM;
                        decoded.operand = first as u16;
                    }
                }
            }
            Access::Store(register) => {
                decoded.kind = match chip(word) {
                    Chip::Ram => as_zero_page(opcode),
                    Chip::Tia => kind::STORE_TIA + kind::SOURCE * Kind::from(register) + (word & 0x3F),
                    Chip::Riot | Chip::Cart => kind::STORE_SLOW + Kind::from(register),
                };
            }
            Access::Modify => match chip(word) {
                Chip::Ram => decoded.kind = as_zero_page(opcode),
                Chip::Tia if opcode != DCP_ZP => decoded.kind = kind::TIA + as_zero_page(opcode),
                _ => return None,
            },
        }
        Some(decoded)
    }

    fn jump(&self, mut decoded: Decoded) -> Option<Decoded> {
        let word = decoded.operand;
        decoded.flow = Flow::Jump;
        match self.opcode {
            JMP_ABS | JSR => {
                if let Some(target) = self.in_bank(word) {
                    decoded.flow = Flow::Within { target };
                }
            }
            // Pointers in RAM.
            JMP_IND if !matches!(chip(word), Chip::Ram) || word & 0xFF == 0xFF => return None,
            BRK => {
                let vector = self.in_bank(BREAK_VECTOR + 1).and(self.in_bank(BREAK_VECTOR))?;
                decoded.operand = u16::from_le_bytes([self.image[vector], self.image[vector + 1]]);
            }
            _ => {}
        }
        Some(decoded)
    }

    fn load(&self, decoded: &mut Decoded) {
        let (word, zero_page) = (decoded.operand, as_zero_page(self.opcode));
        match chip(word) {
            Chip::Ram => decoded.kind = zero_page,
            Chip::Tia => decoded.kind = kind::TIA + zero_page,
            Chip::Riot => {
                decoded.kind = if word & 5 == 4 { kind::TIMER } else { kind::RIOT } + zero_page;
                if let Some(wait_loop) = self.timer_wait_loop(word) {
                    decoded.kind = kind::TIMER_WAIT + zero_page;
                    decoded.wait_loop = wait_loop;
                }
            }
            Chip::Cart => match (self.in_bank(word), as_immediate(self.opcode)) {
                (Some(offset), Some(immediate)) => {
                    decoded.kind = immediate;
                    decoded.operand = u16::from(self.image[offset]);
                }
                (None, _) if self.bank.is_some() && word & 0xFFF < HOT_SPOTS => {
                    decoded.kind = if self.has_fetchers { kind::FETCH } else { kind::CART } + zero_page;
                }
                _ => {}
            },
        }
    }

    /// For a load of the timer followed by a branch back to it: the least value that is sure to branch, and 8 if
    /// the branch leaves its page.
    fn timer_wait_loop(&self, address: u16) -> Option<u8> {
        /// From behind the branch to the load.
        const BACK: u8 = 0xFB;
        let at = self.at;
        if at + 5 >= self.area.end || address & 0x284 != 0x284 {
            return None;
        }
        let [branch, BACK] = self.image[at + 3..at + 5] else { return None };
        let branch = Kind::from(branch);
        let least = match (self.opcode, address & 1, branch) {
            (LDA_ABS | LDX_ABS | LDY_ABS, 0, BNE) => 1,
            (LDA_ABS | LDX_ABS | LDY_ABS | BIT_ABS, 0, BPL) | (BIT_ABS, 1, BPL) => 0,
            _ => return None,
        };
        let crossed = u8::from(at & 0xFF00 != (at + 5) & 0xFF00);
        Some(least + 8 * crossed)
    }
}

/// Banks are switched only by what lies here in the window or behind.
const HOT_SPOTS: u16 = 0xFE0;
const BREAK_VECTOR: u16 = 0xFFFE;

/// A branch that leaves its piece ends the block at the place it leads to. The place is kept in the lower bits,
/// since the next piece of program is looked up by its address. No offset is this large.
const FAR: usize = 0x0100_0000;

enum Chip {
    Tia,
    Ram,
    Riot,
    Cart,
}

const fn chip(address: u16) -> Chip {
    match (address & 0x1000 != 0, address & 0x80 != 0, address & 0x200 != 0) {
        (true, _, _) => Chip::Cart,
        (false, false, _) => Chip::Tia,
        (false, true, false) => Chip::Ram,
        (false, true, true) => Chip::Riot,
    }
}

/// The opcode for the same operation on the zero page.
const fn as_zero_page(opcode: Kind) -> Kind {
    opcode & !0x08
}

/// The opcode for the same operation on an immediate byte.
const fn as_immediate(opcode: Kind) -> Option<Kind> {
    match opcode {
        LDX_ABS | LDY_ABS | CPX_ABS | CPY_ABS => Some(opcode & !0x0C),
        LDA_ABS | ORA_ABS | AND_ABS | EOR_ABS | ADC_ABS | SBC_ABS | CMP_ABS => Some(opcode & !0x04),
        _ => None,
    }
}
