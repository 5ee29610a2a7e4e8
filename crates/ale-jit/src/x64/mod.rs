//! An assembler for x86-64: as much of the instruction set as the code generator emits.
//!
//! Emitters are named after the processor's mnemonics. Suffixes tell the operands in Intel's order: `r` a register, `m`
//! memory, `i` an immediate, `x` a register of SSE2; and the size: 8, 16 or 64 bits, 32 without one.

mod assembler;
mod jumps;
mod operands;
mod sse;

pub(crate) use self::assembler::Assembler;
pub(crate) use self::operands::{AluOp, ByteOperand, Cond, Mem, Reg, Shift, ShortJump, XMM0, XMM1};
