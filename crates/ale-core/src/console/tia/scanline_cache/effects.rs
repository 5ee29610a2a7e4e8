//! Which registers matter to a line and which it sets, by what it shows and by what is written to it.

use super::super::registers::REGISTERS;
use super::super::{BL, M0, P0, object};
use super::bits::{self, NONE, Registers, set_of};

/// The registers that matter to every line.
pub(super) const ALWAYS: Registers = set_of(&[
    bits::VBLANK,
    bits::CTRLPF,
    bits::PLAYFIELD,
    bits::GRP[0],
    bits::GRP[1],
    bits::GRP_DELAYED[0],
    bits::GRP_DELAYED[1],
    bits::ENAM[0],
    bits::ENAM[1],
    bits::ENABL,
    bits::ENABL_DELAYED,
    bits::RESMP[0],
    bits::RESMP[1],
    bits::SUPPRESSED[0],
    bits::SUPPRESSED[1],
    bits::REFLECTED,
    bits::HMOVE_BLANK,
    bits::CHIP,
]);

/// Those that change at the end of a line.
pub(super) const AT_END: Registers = set_of(&[
    bits::SINCE_HMOVE,
    bits::SUPPRESSED[0],
    bits::SUPPRESSED[1],
    bits::REFLECTED,
    bits::HMOVE_BLANK,
]);

/// Those that matter if a line shows some movable objects.
pub(super) static SHOWING: [Registers; 32] = {
    let mut table = [NONE; 32];
    let mut set = 0;
    while set < 32 {
        let mut n = 0;
        while n < 2 {
            let nusiz = bits::NUSIZ[n].1;
            if set as u8 & [object::P0, object::P1][n] != 0 {
                table[set][0] |= nusiz & bits::MODE | bits::COLORS[n].1;
                table[set][bits::REFP[n].0] |= bits::REFP[n].1;
                table[set][bits::POSITIONS[P0 + n].0] |= bits::POSITIONS[P0 + n].1;
            }
            if set as u8 & [object::M0, object::M1][n] != 0 {
                table[set][0] |= nusiz & bits::SIZE | bits::COLORS[n].1;
                table[set][bits::POSITIONS[M0 + n].0] |= bits::POSITIONS[M0 + n].1;
            }
            n += 1;
        }
        if set as u8 & object::BL != 0 {
            table[set][bits::POSITIONS[BL].0] |= bits::POSITIONS[BL].1;
        }
        table[set][0] |= bits::COLORS[3].1;
        set += 1;
    }
    table
};

/// A set of registers of the chip.
pub(super) const fn one_of(registers: &[u8]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < registers.len() {
        set |= 1 << registers[i];
        i += 1;
    }
    set
}

/// What a write to a register sets, and which registers then matter.
pub(super) struct Effect {
    pub(super) sets: Registers,
    pub(super) uses: Registers,
}

/// From the rows of the registers.
pub(super) static EFFECTS: [Effect; 64] = {
    const NO_EFFECT: Effect = Effect { sets: NONE, uses: NONE };
    let mut table = [NO_EFFECT; 64];
    let mut n = 0;
    while n < 64 {
        table[n] = Effect { sets: set_of(REGISTERS[n].sets), uses: set_of(REGISTERS[n].uses) };
        n += 1;
    }
    table
};

/// The registers that decide where objects have pixels; in the order of shapes.
pub(super) static SHAPES: [Registers; 6] = {
    const fn player(n: usize) -> Registers {
        set_of(&[
            (0, bits::NUSIZ[n].1 & bits::MODE),
            bits::GRP[n],
            bits::GRP_DELAYED[n],
            bits::VDELP[n],
            bits::REFP[n],
            bits::SUPPRESSED[n],
            bits::POSITIONS[P0 + n],
        ])
    }
    const fn missile(n: usize) -> Registers {
        let size = (0, bits::NUSIZ[n].1 & bits::SIZE);
        set_of(&[size, bits::ENAM[n], bits::RESMP[n], bits::POSITIONS[M0 + n]])
    }
    let ball = set_of(&[bits::CTRLPF, bits::ENABL, bits::ENABL_DELAYED, bits::VDELBL, bits::POSITIONS[BL]]);
    let playfield = set_of(&[bits::CTRLPF, bits::PLAYFIELD, bits::REFLECTED]);
    [player(0), missile(0), player(1), missile(1), ball, playfield]
};
