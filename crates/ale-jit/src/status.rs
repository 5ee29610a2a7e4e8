//! Whether there is a JIT in this process, and why not.

use crate::JitCode;

/// A cartridge for a program of no instructions.
static NO_ROM: [u8; 0x1_0000] = [0; 0x1_0000];

/// Why JIT code can or cannot run in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It can.
    Available,
    /// The library was built with the feature `no-jit`.
    CompiledOut,
    /// There is no code generator for this processor.
    OtherProcessor,
    /// The system refuses executable pages, as under `PR_SET_MDWE` or a seccomp filter.
    PagesRefused,
}

impl Status {
    /// Asks the system now: compiles an empty program.
    pub fn of_process() -> Self {
        if cfg!(feature = "no-jit") {
            Self::CompiledOut
        } else if cfg!(not(backend = "x64")) {
            Self::OtherProcessor
        } else if JitCode::compile(&[], &[], &NO_ROM).is_none() {
            Self::PagesRefused
        } else {
            Self::Available
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Available => f.write_str("code for x86-64"),
            Self::CompiledOut => f.write_str("compiled out by the feature no-jit"),
            Self::OtherProcessor => write!(f, "no code generator for {}", std::env::consts::ARCH),
            Self::PagesRefused => f.write_str("the system refuses executable pages"),
        }
    }
}
