//! Which registers matter to a line and which it sets, by what it shows and by what is written to it.

#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::super::registers::*;
use super::super::{BL, M0, P0, object};
use super::bits::{self, Byte, NONE, Registers, set_of};

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

const NO_EFFECT: Effect = Effect { sets: NONE, uses: NONE };

pub(super) static EFFECTS: [Effect; 64] = {
    const fn sets(bytes: &[Byte]) -> Effect {
        Effect { sets: set_of(bytes), uses: NONE }
    }
    const fn places(index: usize) -> Effect {
        Effect { sets: set_of(&[bits::POSITIONS[index]]), uses: set_of(&[bits::SINCE_HMOVE]) }
    }
    let mut table = [NO_EFFECT; 64];
    let mut n = 0;
    while n < 2 {
        let mode = (0, bits::NUSIZ[n].1 & bits::MODE);
        let (player, missile) = (bits::POSITIONS[P0 + n], bits::POSITIONS[M0 + n]);
        table[NUSIZ0 as usize + n] = sets(&[bits::NUSIZ[n]]);
        table[REFP0 as usize + n] = sets(&[bits::REFP[n]]);
        table[RESP0 as usize + n] = Effect { sets: set_of(&[player]), uses: set_of(&[mode, player]) };
        table[RESM0 as usize + n] = places(M0 + n);
        table[ENAM0 as usize + n] = sets(&[bits::ENAM[n]]);
        table[VDELP0 as usize + n] = sets(&[bits::VDELP[n]]);
        table[RESMP0 as usize + n] =
            Effect { sets: set_of(&[bits::RESMP[n], missile]), uses: set_of(&[mode, player, missile]) };
        n += 1;
    }
    let mut n = 0;
    while n < 4 {
        table[COLUP0 as usize + n] = sets(&[bits::COLORS[n]]);
        n += 1;
    }
    let mut n = 0;
    while n < 5 {
        table[HMP0 as usize + n] = sets(&[bits::MOTION[n]]);
        n += 1;
    }
    // It may begin the Cosmic Ark state.
    table[HMM0 as usize].uses = set_of(&[bits::SINCE_HMOVE, bits::MOTION[M0]]);
    // Whether the playfield has the colours of the players.
    table[CTRLPF as usize] =
        Effect { sets: set_of(&[bits::CTRLPF]), uses: set_of(&[bits::COLORS[0], bits::COLORS[1]]) };
    table[PF0 as usize] = sets(&[(1, 0x0000F)]);
    table[PF1 as usize] = sets(&[(1, 0x00FF0)]);
    table[PF2 as usize] = sets(&[(1, 0xFF000)]);
    table[RESBL as usize] = places(BL);
    let delays = set_of(&[bits::VDELP[0], bits::VDELP[1]]);
    table[GRP0 as usize] = Effect { sets: set_of(&[bits::GRP[0], bits::GRP_DELAYED[1]]), uses: delays };
    table[GRP1 as usize] =
        Effect { sets: set_of(&[bits::GRP[1], bits::GRP_DELAYED[0], bits::ENABL_DELAYED]), uses: delays };
    table[ENABL as usize] = Effect { sets: set_of(&[bits::ENABL]), uses: set_of(&[bits::VDELBL]) };
    table[VDELBL as usize] = sets(&[bits::VDELBL]);
    table[HMCLR as usize] = sets(&bits::MOTION);
    table[HMOVE as usize].uses = set_of(&bits::MOTION);
    table
};

/// Objects that may appear with a write to a register.
pub(super) static APPEARING: [u8; 64] = {
    let mut table = [0; 64];
    table[GRP0 as usize] = object::P0 | object::P1 | object::BL;
    table[GRP1 as usize] = table[GRP0 as usize];
    table[VDELP0 as usize] = object::P0;
    table[VDELP1 as usize] = object::P1;
    table[ENAM0 as usize] = object::M0;
    table[ENAM1 as usize] = object::M1;
    table[RESMP0 as usize] = object::M0;
    table[RESMP1 as usize] = object::M1;
    table[ENABL as usize] = object::BL;
    table[VDELBL as usize] = object::BL;
    table
};

/// Writes take effect so many clocks later at most.
pub(super) static DELAYS: [u8; 64] = {
    let mut table = [0; 64];
    table[VBLANK as usize] = 1;
    table[NUSIZ0 as usize] = 8;
    table[NUSIZ1 as usize] = 8;
    table[REFP0 as usize] = 1;
    table[REFP1 as usize] = 1;
    table[PF0 as usize] = 5;
    table[PF1 as usize] = 5;
    table[PF2 as usize] = 5;
    table[RESP0 as usize] = 11;
    table[RESP1 as usize] = 11;
    table[RESM0 as usize] = 8;
    table[RESM1 as usize] = 8;
    table[GRP0 as usize] = 1;
    table[GRP1 as usize] = 1;
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
