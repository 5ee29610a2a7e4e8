//! What an op is: the number of an opcode, or one of the numbers below for what opcodes do in special places.

/// What decides how an op is run. Those below 0x100 are opcodes; some of the others are added to an opcode.
pub type Kind = u16;

/// An indexed load all of whose addresses are ROM of the bank where the program is. The operand is an offset in
/// the image.
pub const ROM: Kind = 0x100;
/// A load from a register of the TIA. The opcode is that for the zero page; so it is in the next three, in [`CART`] and in [`FETCH`].
pub const TIA: Kind = 0x200;
/// A load from a register of the RIOT.
pub const RIOT: Kind = 0x300;
/// A load of the timer's value.
pub const TIMER: Kind = 0x400;
/// The same in a loop that waits for the timer.
pub const TIMER_WAIT: Kind = 0x500;
/// A store to a register of the TIA: that register, and [`SOURCE`] times the register of the CPU.
pub const STORE_TIA: Kind = 0x600;
/// A store to the RIOT or to the cartridge, and the register of the CPU.
pub const STORE_SLOW: Kind = 0x700;
/// The same for Y, the last of the three.
pub const STORE_SLOW_Y: Kind = STORE_SLOW + 2;
/// A load from what the cartridge has in the place of ROM, and the opcode for the zero page. It switches no banks.
pub const CART: Kind = 0x800;
/// The same from a chip with data fetchers: [`crate::Display`].
pub const FETCH: Kind = 0x900;
/// The basic block ends here; the program goes on at the place of this op.
pub const BLOCK_END: Kind = 0x704;
/// The program goes on with another op.
pub const NEXT_BLOCK: Kind = 0x705;
/// The loop is left; it knows where the program goes on.
pub const EXIT: Kind = 0x706;
/// JMP within a bank.
pub const JUMP: Kind = 0x707;
/// JSR within a bank.
pub const CALL: Kind = 0x708;

/// The distance of stores of A, X and Y to the same register of the TIA.
pub const SOURCE: Kind = 0x40;

/// The registers to which the same byte can be written again without any effect: colours, REFP, the playfield, sound,
/// ENAM, 0x1F, VDEL, RESMP.
pub const IDEMPOTENT: [u8; 23] = [
    0x06, 0x07, 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1D, 0x1E,
    0x1F, 0x25, 0x26, 0x27, 0x28, 0x29,
];

/// The opcode in a kind that has one.
pub const fn opcode(kind: Kind) -> Kind {
    kind & 0xFF
}
