//! The registers at the begin of a line as bytes side by side.

/// All registers at the begin of a line, packed; or a set of their bits. See `Tia::registers`.
pub(in super::super) type Registers = [u64; 6];

pub(super) const NONE: Registers = [0; 6];

/// A byte of them: its word and its bits there.
pub(in super::super) type Byte = (usize, u64);

const fn byte(index: usize) -> Byte {
    (index / 8, 0xFF << (index % 8 * 8))
}

pub(in super::super) const VBLANK: Byte = byte(0);
pub(in super::super) const NUSIZ: [Byte; 2] = [byte(1), byte(2)];
pub(in super::super) const CTRLPF: Byte = byte(3);
pub(in super::super) const COLORS: [Byte; 4] = [byte(4), byte(5), byte(6), byte(7)];
pub(in super::super) const PLAYFIELD: Byte = (1, 0xF_FFFF);
pub(in super::super) const GRP: [Byte; 2] = [byte(12), byte(13)];
pub(in super::super) const GRP_DELAYED: [Byte; 2] = [byte(14), byte(15)];
pub(in super::super) const REFP: [Byte; 2] = [byte(16), byte(17)];
pub(in super::super) const ENAM: [Byte; 2] = [byte(18), byte(19)];
pub(in super::super) const ENABL: Byte = byte(20);
pub(in super::super) const ENABL_DELAYED: Byte = byte(21);
pub(in super::super) const VDELP: [Byte; 2] = [byte(22), byte(23)];
pub(in super::super) const VDELBL: Byte = byte(24);
pub(in super::super) const RESMP: [Byte; 2] = [byte(25), byte(26)];
pub(in super::super) const SUPPRESSED: [Byte; 2] = [byte(27), byte(28)];
pub(in super::super) const REFLECTED: Byte = byte(29);
pub(in super::super) const HMOVE_BLANK: Byte = byte(30);
pub(in super::super) const SINCE_HMOVE: Byte = byte(31);
pub(in super::super) const POSITIONS: [Byte; 5] = [byte(32), byte(33), byte(34), byte(35), byte(36)];
pub(in super::super) const MOTION: [Byte; 5] = [byte(37), byte(38), byte(39), byte(40), byte(41)];
/// Not of the line, but of the chip: HMOVE blanks, colour loss, and whether this frame has it.
pub(super) const CHIP: Byte = byte(47);

/// Bits 0 to 2 of NUSIZ: copies and size of the player.
pub(in super::super) const MODE: u64 = 0x0007_0700;
/// Bits of NUSIZ that matter to missiles.
pub(super) const SIZE: u64 = 0x0037_3700;
pub(super) const SCORE: u64 = 0x0200_0000;

/// A set of some bytes.
pub(in super::super) const fn set_of(bytes: &[Byte]) -> Registers {
    let mut set = NONE;
    let mut i = 0;
    while i < bytes.len() {
        set[bytes[i].0] |= bytes[i].1;
        i += 1;
    }
    set
}

/// Whether registers differ in some of their bits.
#[inline(always)]
pub(super) fn differ(one: &Registers, other: &Registers, bits: &Registers) -> bool {
    // Two words at once.
    let mut different = [0; 2];
    for i in 0..3 {
        for (j, word) in different.iter_mut().enumerate() {
            let k = 2 * i + j;
            *word |= (one[k] ^ other[k]) & bits[k];
        }
    }
    different[0] | different[1] != 0
}
