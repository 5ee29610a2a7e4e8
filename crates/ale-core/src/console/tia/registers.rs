//! The TIA's write registers by their datasheet names, and what a write to each of them does: one row each.
//!
//! The fast path, the scanline cache and the delays of the renderers are derived from the rows; `tests/rows.rs` compares the
//! rows with what writes do, and with what JIT code leaves out.

use super::scanline_cache::bits::{self, Byte};
use super::{BL, M0, M1, P0, P1, object, what};

pub(crate) const VSYNC: u8 = 0x00;
pub(crate) const VBLANK: u8 = 0x01;
pub(crate) const WSYNC: u8 = 0x02;
pub(crate) const NUSIZ0: u8 = 0x04;
pub(crate) const NUSIZ1: u8 = 0x05;
pub(crate) const COLUP0: u8 = 0x06;
pub(crate) const COLUBK: u8 = 0x09;
pub(crate) const CTRLPF: u8 = 0x0A;
pub(crate) const REFP0: u8 = 0x0B;
pub(crate) const REFP1: u8 = 0x0C;
pub(crate) const PF0: u8 = 0x0D;
pub(crate) const PF1: u8 = 0x0E;
pub(crate) const PF2: u8 = 0x0F;
pub(crate) const RESP0: u8 = 0x10;
pub(crate) const RESP1: u8 = 0x11;
pub(crate) const RESM0: u8 = 0x12;
pub(crate) const RESM1: u8 = 0x13;
pub(crate) const RESBL: u8 = 0x14;
pub(crate) const AUDC0: u8 = 0x15;
pub(crate) const AUDV1: u8 = 0x1A;
pub(crate) const GRP0: u8 = 0x1B;
pub(crate) const GRP1: u8 = 0x1C;
pub(crate) const ENAM0: u8 = 0x1D;
pub(crate) const ENAM1: u8 = 0x1E;
pub(crate) const ENABL: u8 = 0x1F;
pub(crate) const HMP0: u8 = 0x20;
pub(crate) const HMM0: u8 = 0x22;
pub(crate) const HMBL: u8 = 0x24;
pub(crate) const VDELP0: u8 = 0x25;
pub(crate) const VDELP1: u8 = 0x26;
pub(crate) const VDELBL: u8 = 0x27;
pub(crate) const RESMP0: u8 = 0x28;
pub(crate) const RESMP1: u8 = 0x29;
pub(crate) const HMOVE: u8 = 0x2A;
pub(crate) const HMCLR: u8 = 0x2B;
pub(crate) const CXCLR: u8 = 0x2C;

/// What a write to a register does.
#[derive(Clone, Copy)]
pub(crate) struct Register {
    /// It takes effect so many clocks later at most.
    pub(super) delay: u8,
    /// The objects that it may change; colours and collisions, too.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test compares what writes make dirty"))]
    pub(super) dirties: u8,
    /// Those of them that may appear with it.
    pub(super) appears: u8,
    /// The same byte once more has no effect: JIT code does not log it.
    #[cfg_attr(not(test), allow(dead_code, reason = "the JIT has a list of its own, which a test compares"))]
    pub(super) idempotent: bool,
    /// What it sets of the registers at the begin of a line, as the scanline cache packs them.
    pub(super) sets: &'static [Byte],
    /// What of them then matters to the line.
    pub(super) uses: &'static [Byte],
}

/// Clocks until a write to a register takes effect, at most.
pub(super) const fn delay(register: u8) -> i32 {
    ROWS[register as usize & 63].delay as i32
}

/// What of NUSIZ decides about copies and size of a player.
const MODE: [Byte; 2] = [(0, bits::NUSIZ[0].1 & bits::MODE), (0, bits::NUSIZ[1].1 & bits::MODE)];
const DELAYED: &[Byte] = &[bits::VDELP[0], bits::VDELP[1]];
const SINCE_HMOVE: &[Byte] = &[bits::SINCE_HMOVE];
const PLAYERS: u8 = object::P0 | object::P1;
const ALL: u8 = PLAYERS | object::M0 | object::M1 | object::BL;

/// By address. Those without a name here have no effect on the picture.
pub(crate) static REGISTERS: [Register; 64] = ROWS;

#[rustfmt::skip]
const ROWS: [Register; 64] = {
    /// `=`: idempotent.
    const fn row(delay: u8, dirties: u8, appears: u8, mark: u8, sets: &'static [Byte], uses: &'static [Byte]) -> Register {
        Register { delay, dirties, appears, idempotent: mark == b'=', sets, uses }
    }
    let mut table = [row(0, 0, 0, b' ', &[], &[]); 64];
    //                                 delay  dirties                       appears     =     sets, uses
    table[VBLANK as usize]        = row(1, what::PAINT | what::COLLISIONS,  0,          b' ', &[bits::VBLANK], &[]);
    table[NUSIZ0 as usize]        = row(8, object::P0 | object::M0,         0,          b' ', &[bits::NUSIZ[0]], &[]);
    table[NUSIZ1 as usize]        = row(8, object::P1 | object::M1,         0,          b' ', &[bits::NUSIZ[1]], &[]);
    table[COLUP0 as usize]        = row(0, what::PAINT,                     0,          b'=', &[bits::COLORS[0]], &[]);
    table[COLUP0 as usize + 1]    = row(0, what::PAINT,                     0,          b'=', &[bits::COLORS[1]], &[]);
    table[COLUP0 as usize + 2]    = row(0, what::PAINT,                     0,          b'=', &[bits::COLORS[2]], &[]);
    table[COLUBK as usize]        = row(0, what::PAINT,                     0,          b'=', &[bits::COLORS[3]], &[]);
    // Whether the playfield has the colours of the players.
    table[CTRLPF as usize]        = row(0, object::BL | object::PF | what::PAINT, 0,    b' ', &[bits::CTRLPF], &[bits::COLORS[0], bits::COLORS[1]]);
    table[REFP0 as usize]         = row(1, object::P0,                      0,          b'=', &[bits::REFP[0]], &[]);
    table[REFP1 as usize]         = row(1, object::P1,                      0,          b'=', &[bits::REFP[1]], &[]);
    table[PF0 as usize]           = row(5, object::PF,                      0,          b'=', &[(1, 0x0000F)], &[]);
    table[PF1 as usize]           = row(5, object::PF,                      0,          b'=', &[(1, 0x00FF0)], &[]);
    table[PF2 as usize]           = row(5, object::PF,                      0,          b'=', &[(1, 0xFF000)], &[]);
    table[RESP0 as usize]         = row(11, object::P0,                     0,          b' ', &[bits::POSITIONS[P0]], &[MODE[0], bits::POSITIONS[P0]]);
    table[RESP1 as usize]         = row(11, object::P1,                     0,          b' ', &[bits::POSITIONS[P1]], &[MODE[1], bits::POSITIONS[P1]]);
    table[RESM0 as usize]         = row(8, object::M0,                      0,          b' ', &[bits::POSITIONS[M0]], SINCE_HMOVE);
    table[RESM1 as usize]         = row(8, object::M1,                      0,          b' ', &[bits::POSITIONS[M1]], SINCE_HMOVE);
    table[RESBL as usize]         = row(0, object::BL,                      0,          b' ', &[bits::POSITIONS[BL]], SINCE_HMOVE);
    let mut sound = AUDC0;
    while sound <= AUDV1 {
        table[sound as usize].idempotent = true;
        sound += 1;
    }
    // Each moves the other player's graphics into its delayed copy; that of player 1 does so with the ball.
    table[GRP0 as usize]          = row(1, PLAYERS,                         PLAYERS,    b' ', &[bits::GRP[0], bits::GRP_DELAYED[1]], DELAYED);
    table[GRP1 as usize]          = row(1, PLAYERS | object::BL,            PLAYERS | object::BL, b' ', &[bits::GRP[1], bits::GRP_DELAYED[0], bits::ENABL_DELAYED], DELAYED);
    table[ENAM0 as usize]         = row(0, object::M0,                      object::M0, b'=', &[bits::ENAM[0]], &[]);
    table[ENAM1 as usize]         = row(0, object::M1,                      object::M1, b'=', &[bits::ENAM[1]], &[]);
    table[ENABL as usize]         = row(0, object::BL,                      object::BL, b'=', &[bits::ENABL], &[bits::VDELBL]);
    table[HMP0 as usize]          = row(0, 0,                               0,          b' ', &[bits::MOTION[P0]], &[]);
    table[HMP0 as usize + 1]      = row(0, 0,                               0,          b' ', &[bits::MOTION[P1]], &[]);
    // It may begin the Cosmic Ark state.
    table[HMM0 as usize]          = row(0, 0,                               0,          b' ', &[bits::MOTION[M0]], &[bits::SINCE_HMOVE, bits::MOTION[M0]]);
    table[HMM0 as usize + 1]      = row(0, 0,                               0,          b' ', &[bits::MOTION[M1]], &[]);
    table[HMBL as usize]          = row(0, 0,                               0,          b' ', &[bits::MOTION[BL]], &[]);
    table[VDELP0 as usize]        = row(0, object::P0,                      object::P0, b'=', &[bits::VDELP[0]], &[]);
    table[VDELP1 as usize]        = row(0, object::P1,                      object::P1, b'=', &[bits::VDELP[1]], &[]);
    table[VDELBL as usize]        = row(0, object::BL,                      object::BL, b'=', &[bits::VDELBL], &[]);
    table[RESMP0 as usize]        = row(0, object::M0,                      object::M0, b'=', &[bits::RESMP[0], bits::POSITIONS[M0]], &[MODE[0], bits::POSITIONS[P0], bits::POSITIONS[M0]]);
    table[RESMP1 as usize]        = row(0, object::M1,                      object::M1, b'=', &[bits::RESMP[1], bits::POSITIONS[M1]], &[MODE[1], bits::POSITIONS[P1], bits::POSITIONS[M1]]);
    // What it moves are the objects whose motion is set: the scanline cache looks at that.
    table[HMOVE as usize]         = row(0, ALL,                             0,          b' ', &[], &bits::MOTION);
    table[HMCLR as usize]         = row(0, 0,                               0,          b' ', &bits::MOTION, &[]);
    table[CXCLR as usize]         = row(0, what::COLLISIONS,                0,          b' ', &[], &[]);
    table
};
