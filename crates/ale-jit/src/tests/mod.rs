//! What the assembler and the code generator emit, read by a disassembler that is not ours; and the bounds of the code.

mod bounds;
mod disassembly;
mod emitters;
#[cfg(unix)]
mod guard;
mod listings;
pub(crate) mod mutants;
mod programs;
mod random;
