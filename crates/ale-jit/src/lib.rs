//! A JIT compiler from the 6507 to x86-64.
//!
//! The console decodes a cartridge into [`Instruction`]s; [`JitCode::compile`] turns them into machine code, and
//! [`JitCode::run`] runs that until it is out of budget or meets an instruction that it cannot run ([`Exit`]): the caller runs
//! that one in its interpreter and comes back. Writes to the video chip are appended to the write log of the [`State`]; the
//! caller performs them when the code has returned.
//!
//! There is code for x86-64. On other processors, with the feature `no-jit`, and where a system refuses executable pages,
//! there is none: see [`Status`].

#[cfg(backend = "x64")]
mod codegen;
pub mod display;
pub mod kind;
pub mod opcode;
mod state;
mod status;
#[cfg(all(test, backend = "x64"))]
mod tests;
#[cfg(backend = "x64")]
mod x64;

/// The processor that code is generated for.
#[cfg(backend = "x64")]
use x64 as target;

pub use self::display::{Display, Fetcher};
pub use self::kind::Kind;
pub use self::state::{CYCLE_BITS, RomWindow, State, TiaWrite, Timer};
pub use self::status::Status;

/// An instruction of the 6507.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub kind: Kind,
    /// An immediate byte, an address, an offset in the image; for a call the return address less 1.
    pub operand: u16,
    /// Where it is: an offset in the image.
    pub offset: u16,
    /// Cycles of the basic block after it.
    pub cycles_after: u16,
    /// Its last byte.
    pub last_byte: u8,
    /// For a loop that waits for the timer: the least value with which it goes on; 8 more if its branch leaves the page.
    pub wait_loop: u8,
    /// The instruction to which it may jump.
    pub target: u16,
    /// What the jump adds to the time. On every way round, more instructions must be used up than are given back: otherwise
    /// the code might never return.
    pub time_delta: i32,
}

/// The entry into a basic block at a byte of the image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockEntry {
    /// The instruction; 0 for none.
    pub op: u16,
    /// What has to be added to the time so that it is that of the end of the block: its cycles, less its instructions
    /// (see [`CYCLE_BITS`]).
    pub cycles_to_end: i32,
}

impl BlockEntry {
    /// Instructions of its basic block.
    pub fn instructions(self) -> u32 {
        -(self.cycles_to_end >> CYCLE_BITS) as u32
    }
}

/// How far the instruction budget may be overdrawn before the code returns: see [`State::time`].
pub const MAX_OVERDRAFT: u32 = 256;

/// Why the code has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The budget is used up, or the write log is full; the program goes on with this instruction.
    OutOfBudget(u16),
    /// The code cannot run this instruction; the caller has to.
    Bailout(u16),
}

/// [`BlockEntry`] for the code.
#[cfg(backend = "x64")]
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EntryPoint {
    code: u32,
    op: u32,
    cycles_to_end: i64,
}

/// A compiled program.
pub struct JitCode {
    #[cfg(backend = "x64")]
    memory: memmap2::Mmap,
    /// Where in it instructions begin.
    entries: Vec<u32>,
    /// By offset in the image. The code knows where they are.
    #[cfg(backend = "x64")]
    entry_points: Box<[EntryPoint]>,
    #[cfg(backend = "x64")]
    rom: Box<[u8; 0x1_0000]>,
}

impl std::fmt::Debug for JitCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JitCode").field("instructions", &self.entries.len()).finish_non_exhaustive()
    }
}

#[cfg(backend = "x64")]
mod implementation {
    use super::codegen::{BAILOUT, compile};
    use super::{BlockEntry, EntryPoint, Exit, Instruction, JitCode, State};

    impl EntryPoint {
        pub(crate) const CODE: i32 = std::mem::offset_of!(EntryPoint, code) as i32;
        pub(crate) const OP: i32 = std::mem::offset_of!(EntryPoint, op) as i32;
        pub(crate) const CYCLES_TO_END: i32 = std::mem::offset_of!(EntryPoint, cycles_to_end) as i32;
    }

    impl JitCode {
        /// Compiles a program of at most 65,536 instructions. `block_entries` tells by offset in the image where programs may
        /// go on. `None` if there cannot be code here.
        pub fn compile(
            instructions: &[Instruction],
            block_entries: &[BlockEntry],
            rom: &[u8; 0x1_0000],
        ) -> Option<Self> {
            if instructions.len() > 0x1_0000 {
                return None;
            }
            let mut entry_points = vec![EntryPoint::default(); block_entries.len()].into_boxed_slice();
            let compiled = compile(instructions, &entry_points);
            for (place, block_entry) in entry_points.iter_mut().zip(block_entries) {
                if let (1.., Some(&code)) =
                    (block_entry.op, compiled.entries.get(usize::from(block_entry.op)))
                {
                    *place = EntryPoint {
                        code,
                        op: u32::from(block_entry.op),
                        cycles_to_end: i64::from(block_entry.cycles_to_end),
                    };
                }
            }
            let mut memory = memmap2::MmapMut::map_anon(compiled.bytes.len()).ok()?;
            memory.copy_from_slice(&compiled.bytes);
            let memory = memory.make_exec().ok()?;
            Some(Self { memory, entries: compiled.entries, entry_points, rom: Box::new(*rom) })
        }

        /// Runs the program from an instruction on.
        #[inline]
        #[allow(unsafe_code)]
        pub fn run(&self, state: &mut State, op: u16) -> Exit {
            let Some(&entry) = self.entries.get(usize::from(op)) else { return Exit::Bailout(op) };
            // The current ROM span must be there, and there must be room in the write log.
            let end = u64::from(state.offset) + u64::from(state.len);
            if end > self.entry_points.len().min(self.rom.len()) as u64 {
                state.len = 0;
                state.offset = 0;
            }
            state.log_len = 0;
            let code = self.memory.as_ptr();
            // SAFETY: the memory holds what `compile` wrote, which begins with a function of this type and touches
            // nothing but the state, the image and the entry points, all of which outlive the call, within their bounds:
            // see there. It calls nothing else, keeps the registers that a function has to keep, and returns. `entry` is
            // the begin of one of its instructions.
            let left = unsafe {
                let run: extern "sysv64" fn(&mut State, *const u8, *const u8) -> u32 =
                    std::mem::transmute(code);
                run(state, self.rom.as_ptr(), code.add(entry as usize))
            };
            if left & BAILOUT == 0 { Exit::OutOfBudget(left as u16) } else { Exit::Bailout(left as u16) }
        }
    }
}

#[cfg(not(backend = "x64"))]
impl JitCode {
    /// There is no code for this processor.
    pub fn compile(_: &[Instruction], _: &[BlockEntry], _: &[u8; 0x1_0000]) -> Option<Self> {
        None
    }

    /// Runs nothing.
    pub fn run(&self, _: &mut State, op: u16) -> Exit {
        Exit::Bailout(op)
    }
}
