//! Code for x86-64.

mod assembler;
pub(crate) mod compile;
