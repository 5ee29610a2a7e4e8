//! Which register of the processor holds what while the code runs, and where in memory the state is.

use crate::state::at;
use crate::target::{Mem, Reg};

/// Scratch registers.
pub(super) const AX: Reg = Reg(0);
pub(super) const CX: Reg = Reg(1);
pub(super) const DX: Reg = Reg(2);
/// C in bit 8.
pub(super) const CARRY: Reg = Reg(3);
/// Where the program goes on when the code is left: see [`BAILOUT`].
pub(super) const EXIT_OP: Reg = Reg(5);
pub(super) const ROM: Reg = Reg(6);
pub(super) const STATE: Reg = Reg(7);
pub(super) const A: Reg = Reg(8);
pub(super) const X: Reg = Reg(9);
pub(super) const Y: Reg = Reg(10);
pub(super) const NZ: Reg = Reg(11);
pub(super) const TIME: Reg = Reg(12);
/// Where in memory the next write is logged.
pub(super) const LOG: Reg = Reg(13);
/// The first address of the current ROM span, and where that is in memory.
pub(super) const SPAN_FIRST: Reg = Reg(14);
pub(super) const SPAN_BASE: Reg = Reg(15);
pub(super) const SAVED: [Reg; 6] = [CARRY, EXIT_OP, TIME, LOG, SPAN_FIRST, SPAN_BASE];

pub(super) fn state(distance: i32) -> Mem {
    Mem::new(STATE, distance)
}

pub(super) fn ram(address: u8) -> Mem {
    state(at::RAM + i32::from(address))
}

/// RAM at an address of the zero page in a register.
pub(super) fn ram_by(index: Reg) -> Mem {
    Mem::indexed(STATE, index, 0, at::RAM)
}

/// RAM at an address of the zero page in a register, less 256.
pub(super) fn ram_below(index: Reg) -> Mem {
    Mem::indexed(STATE, index, 0, 0)
}
const _: () = assert!(at::RAM == -0x100);

pub(super) fn shadow(register: usize) -> Mem {
    state(at::SHADOW + 2 * register as i32)
}

pub(super) fn shadow_by(register: Reg) -> Mem {
    Mem::indexed(STATE, register, 1, at::SHADOW)
}

pub(super) fn source(number: u16) -> Reg {
    [A, X, Y][usize::from(number % 3)]
}
