//! The program of a cartridge, decoded once: what the loop of `run.rs` executes.
//!
//! An image never changes, so every byte of it is decoded as if an instruction began there, and all
//! machines with this cartridge share the result. Instructions that follow each other form a *basic block*: a
//! run of ops that ends with a jump. Each op knows how many cycles are left after it until its block ends,
//! so that the loop need not count cycles: it knows the time at the end of the block, and from that the
//! time of any access within.
//!
//! Each instruction has its own op, at which a jump finds it. The op may do the work of the next instruction,
//! too: the program then skips the op of that one.
//!
//! Only what is common is decoded. At anything else a block ends, and the reference interpreter runs that instruction.

mod decode;
mod layout;
mod shapes;

pub(crate) use ale_jit::{BlockEntry, CYCLE_BITS, kind};

use self::decode::decode_at;
use self::layout::BlockLayout;
use super::super::cart::Plain;
use super::Handler;

/// The op that only leaves; the first of all.
pub(crate) const EXIT_OP: u16 = 0;

/// A decoded image.
#[derive(Debug)]
pub(crate) struct DecodedRom {
    pub(crate) ops: Box<ThreadedCode>,
    /// By op.
    pub(crate) tails: Vec<BlockTail>,
    /// By offset in the image.
    pub(crate) block_entries: Vec<BlockEntry>,
    /// The same as JIT code, where there can be some.
    pub(crate) jit: Option<ale_jit::JitCode>,
    /// The image, as long as an offset can tell.
    pub(crate) rom: Box<[u8; 0x1_0000]>,
}

/// As many as an index can tell, so that none is out of bounds.
pub(crate) type ThreadedCode = [ThreadedOp; 0x1_0000];

/// An op and what runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadedOp {
    pub(crate) op: Op,
    pub(crate) handler: Handler,
}

/// Where an op lies and what is left of its block, itself included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockTail {
    /// Offset in the image.
    pub(crate) offset: u16,
    pub(crate) cycles: u16,
    /// What has to be added to the time to have that at the end of the block: see [`packed`].
    pub(crate) cycles_to_end: i32,
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
/// | 32–47 | cycles of the block after this op |
/// | 48–55 | last byte of the instruction |
/// | 56–63 | for a loop that waits: see [`wait_loop`] |
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

/// Cycles of the block after this op.
#[inline(always)]
pub(crate) const fn cycles_after(op: Op) -> u32 {
    (op >> 32) as u32 & 0xFFFF
}

/// The op to which a program may jump.
#[inline(always)]
pub(crate) const fn target(op: Op) -> u16 {
    (op >> 16) as u16
}

/// What a jump adds to the time at the end of the block.
#[inline(always)]
pub(crate) const fn time_delta(op: Op) -> i64 {
    op as i64 >> 32
}

#[inline(always)]
pub(crate) const fn last_byte(op: Op) -> u8 {
    (op >> 48) as u8
}

/// For a load of the timer in a loop that waits for it: the least value with which the loop goes on; 8 more if
/// the branch leaves its page.
#[inline(always)]
pub(crate) const fn wait_loop(op: Op) -> u8 {
    (op >> 56) as u8
}

impl DecodedRom {
    /// Decodes an image; `None` if nothing of it is plain, or if it has too many ops.
    pub(crate) fn decode(image: &[u8], plain: &Plain, wants_jit: bool) -> Option<Self> {
        if plain.is_empty() || image.len() > 0x1_0000 {
            return None;
        }
        let decoded: Vec<_> = (0..image.len()).map(|at| decode_at(image, plain, at)).collect();
        let layout = BlockLayout::of(&decoded, image)?;
        let mut rom = image.to_vec();
        rom.resize(0x1_0000, 0);
        layout.build(&decoded, rom.into_boxed_slice().try_into().ok()?, wants_jit)
    }
}
