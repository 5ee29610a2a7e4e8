//! Programs of the console as native code of the processor.
//!
//! A program is a list of [`Instruction`]s, decoded by the console. [`Code::compile`] turns them into code, and
//! [`Code::run`] runs it until something comes that the code cannot do: the caller runs that one instruction and comes
//! back. Writes to the video chip are noted in the [`State`]; the caller does them when the code has returned.
//!
//! There is code for x86-64. Elsewhere, and where a system does not let programs make code, there is none.

pub mod display;
pub mod kind;
mod state;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86;

pub use self::display::{Display, Fetcher};
pub use self::kind::Kind;
pub use self::state::{CYCLE_BITS, Note, State, Timer, Window};

/// An instruction of the 6507.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub kind: Kind,
    /// An immediate byte, an address, an offset in the image; for a call the return address less 1.
    pub operand: u16,
    /// Where it is: an offset in the image.
    pub place: u16,
    /// Cycles of the stream after it.
    pub after: u16,
    /// Its last byte.
    pub last: u8,
    /// For a loop that waits for the timer: the least value with which it goes on; 8 more if its branch leaves the page.
    pub waits: u8,
    /// The instruction to which it may jump.
    pub target: u16,
    /// What the jump adds to the time. On every way round, more instructions must be used up than are given back: otherwise
    /// the code might never return.
    pub detour: i32,
}

/// Where a program goes on at a byte of the image: an instruction, and what it adds to the time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Start {
    /// The instruction; 0 for none.
    pub op: u16,
    /// Added to the time.
    pub ahead: i32,
}

impl Start {
    /// Instructions of its stream.
    pub fn instructions(self) -> u32 {
        -(self.ahead >> CYCLE_BITS) as u32
    }
}

/// So many more instructions may be used up than were left: see [`State::time`].
pub const OWED: u32 = 256;

/// Why code has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It goes on with this instruction.
    Pause(u16),
    /// The caller has to run this one.
    Step(u16),
}

/// [`Start`] for the code.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    code: u32,
    op: u32,
    ahead: i64,
}

/// A compiled program.
pub struct Code {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    memory: memmap2::Mmap,
    /// Where in it instructions begin.
    entries: Vec<u32>,
    /// By offset in the image. The code knows where they are.
    places: Box<[Place]>,
    rom: Box<[u8; 0x1_0000]>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("instructions", &self.entries.len()).finish_non_exhaustive()
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod implementation {
    use super::x86::compile::{STEP, compile};
    use super::{Code, Exit, Instruction, Place, Start, State};

    impl Place {
        pub(crate) const CODE: i32 = std::mem::offset_of!(Place, code) as i32;
        pub(crate) const OP: i32 = std::mem::offset_of!(Place, op) as i32;
        pub(crate) const AHEAD: i32 = std::mem::offset_of!(Place, ahead) as i32;
    }

    impl Code {
        /// Compiles a program of at most 65,536 instructions. `starts` tells by offset in the image where programs may
        /// go on. `None` if there cannot be code here.
        pub fn compile(instructions: &[Instruction], starts: &[Start], rom: &[u8; 0x1_0000]) -> Option<Self> {
            if instructions.len() > 0x1_0000 {
                return None;
            }
            let mut places = vec![Place::default(); starts.len()].into_boxed_slice();
            let compiled = compile(instructions, &places);
            for (place, start) in places.iter_mut().zip(starts) {
                if let (1.., Some(&code)) = (start.op, compiled.entries.get(usize::from(start.op))) {
                    *place = Place { code, op: u32::from(start.op), ahead: i64::from(start.ahead) };
                }
            }
            let mut memory = memmap2::MmapMut::map_anon(compiled.bytes.len()).ok()?;
            memory.copy_from_slice(&compiled.bytes);
            let memory = memory.make_exec().ok()?;
            Some(Self { memory, entries: compiled.entries, places, rom: Box::new(*rom) })
        }

        /// Runs the program from an instruction on.
        #[inline]
        #[allow(unsafe_code)]
        pub fn run(&self, state: &mut State, op: u16) -> Exit {
            let Some(&entry) = self.entries.get(usize::from(op)) else { return Exit::Step(op) };
            // The piece of ROM where the program is must be there, and there must be room for notes.
            let end = u64::from(state.offset) + u64::from(state.len);
            if end > self.places.len().min(self.rom.len()) as u64 {
                state.len = 0;
                state.offset = 0;
            }
            state.noted = 0;
            let code = self.memory.as_ptr();
            // SAFETY: the memory holds what `compile` wrote, which begins with a function of this type and touches
            // nothing but the state, the image and the places, all of which outlive the call, within their bounds:
            // see there. It calls nothing else, keeps the registers that a function has to keep, and returns. `entry` is
            // the begin of one of its instructions.
            let left = unsafe {
                let run: extern "sysv64" fn(&mut State, *const u8, *const u8) -> u32 =
                    std::mem::transmute(code);
                run(state, self.rom.as_ptr(), code.add(entry as usize))
            };
            if left & STEP == 0 { Exit::Pause(left as u16) } else { Exit::Step(left as u16) }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
impl Code {
    /// There is no code for this processor.
    pub fn compile(_: &[Instruction], _: &[Start], _: &[u8; 0x1_0000]) -> Option<Self> {
        None
    }

    /// Runs nothing.
    pub fn run(&self, _: &mut State, op: u16) -> Exit {
        Exit::Step(op)
    }
}
