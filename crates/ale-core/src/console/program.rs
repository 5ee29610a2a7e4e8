//! The program of a cartridge, decoded once: what the loop of `run.rs` executes.
//!
//! An image never changes, so every byte of it is decoded as if an instruction began there, and all
//! machines with this cartridge share the result. Instructions that follow each other form a *stream*: a
//! run of ops that ends with a jump. Each op knows how many cycles are left after it until its stream ends,
//! so that the loop need not count cycles: it knows the time at the end of the stream, and from that the
//! time of any access within.
//!
//! Each instruction has its own op, at which a jump finds it. The op may do the work of the next instruction,
//! too: the program then skips the op of that one.
//!
//! Only what is common is decoded. At anything else a stream ends, and the plain bus runs that instruction.

mod decode;
mod layout;
mod shapes;

pub(crate) use ale_native::{CYCLE_BITS, Start, kind};

use self::decode::decode_at;
use self::layout::Layout;
use super::cart::Plain;
use super::run::Handler;

/// The op that only leaves; the first of all.
pub(crate) const LEAVING: u16 = 0;

/// A decoded image.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) entries: Box<Entries>,
    /// By op.
    pub(crate) rests: Vec<Rest>,
    /// By offset in the image.
    pub(crate) starts: Vec<Start>,
    /// The same as native code, where there can be some.
    pub(crate) native: Option<ale_native::Code>,
    /// The image, as long as an offset can tell.
    pub(crate) rom: Box<[u8; 0x1_0000]>,
}

/// As many as an index can tell, so that none is out of bounds.
pub(crate) type Entries = [Entry; 0x1_0000];

/// An op and what runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) op: Op,
    pub(crate) handler: Handler,
}

/// Where an op lies and what is left of its stream, itself included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    /// Offset in the image.
    pub(crate) place: u16,
    pub(crate) cycles: u16,
    /// What has to be added to the time to have that at the end of the stream: see [`packed`].
    pub(crate) ahead: i32,
}

/// A time as the loop keeps it: instructions left in the upper bits, cycles in the lower ones.
#[inline(always)]
pub(crate) const fn packed(instructions: i64, cycles: i64) -> i64 {
    (instructions << CYCLE_BITS) + cycles
}

/// An op, packed. Its fields:
///
/// | bits | |
/// |---|---|
/// | 0–15 | operand: an immediate byte, an address, an offset in the image |
/// | 8–15 or 16–31 | operand of the second instruction |
/// | 32–47 | cycles of the stream after this op |
/// | 48–55 | last byte of the instruction |
/// | 56–63 | for a loop that waits: see [`waits`] |
///
/// If it may jump, it has the op there in bits 16 to 31 and in the upper half what that adds to the time.
pub(crate) type Op = u64;

#[inline(always)]
pub(crate) const fn operand(op: Op) -> u32 {
    op as u32 & 0xFFFF
}

#[inline(always)]
pub(crate) const fn wide_second(op: Op) -> u32 {
    (op >> 16) as u32 & 0xFFFF
}

#[inline(always)]
pub(crate) const fn narrow_second(op: Op) -> u32 {
    (op >> 8) as u32 & 0xFF
}

/// Cycles of the stream after this op.
#[inline(always)]
pub(crate) const fn cycles_after(op: Op) -> u32 {
    (op >> 32) as u32 & 0xFFFF
}

/// The op to which a program may jump.
#[inline(always)]
pub(crate) const fn target(op: Op) -> u16 {
    (op >> 16) as u16
}

/// What a jump adds to the time at the end of the stream.
#[inline(always)]
pub(crate) const fn detour(op: Op) -> i64 {
    op as i64 >> 32
}

#[inline(always)]
pub(crate) const fn last_byte(op: Op) -> u8 {
    (op >> 48) as u8
}

/// For a load of the timer in a loop that waits for it: the least value with which the loop goes on; 8 more if
/// the branch leaves its page.
#[inline(always)]
pub(crate) const fn waits(op: Op) -> u8 {
    (op >> 56) as u8
}

impl Program {
    /// Decodes an image; `None` if nothing of it is plain, or if it has too many ops.
    pub(crate) fn decode(image: &[u8], plain: &Plain, wants_native: bool) -> Option<Self> {
        if plain.is_empty() || image.len() > 0x1_0000 {
            return None;
        }
        let decoded: Vec<_> = (0..image.len()).map(|at| decode_at(image, plain, at)).collect();
        let layout = Layout::of(&decoded, image)?;
        let mut rom = image.to_vec();
        rom.resize(0x1_0000, 0);
        layout.emit(&decoded, rom.into_boxed_slice().try_into().ok()?, wants_native)
    }
}
