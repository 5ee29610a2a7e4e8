//! What the assembler and the code generator emit, read by a disassembler that is not ours.

mod disassembly;
mod emitters;
mod listings;
mod programs;
