//! The program of a cartridge, decoded once: what the loop of `run.rs` executes.
//!
//! An image never changes, so every byte of it is decoded as if an instruction began there, and all
//! machines with this cartridge share the result. Instructions that follow each other form a *stream*: a
//! run of ops that ends with a jump. Each op knows how many cycles are left after it until its stream ends,
//! so that the loop need not count cycles: it knows the time at the end of the stream, and from that the
//! time of any access within.
//!
//! Only what is common is decoded. At anything else a stream ends, and the plain bus runs that instruction.

mod shapes;

use self::shapes::{Access, SHAPES};
use super::cart::Plain;

/// An op, packed: see the functions for its fields.
pub(crate) type Op = u64;

/// Ops that stand for no opcode, or for one of an opcode's kinds of operands. They have the numbers of
/// opcodes that are never decoded.
pub(crate) mod kind {
    /// The stream ends here; the program goes on at the place of this op.
    pub(crate) const END: u8 = 0x02;
    /// The program goes on with another op.
    pub(crate) const GO_ON: u8 = 0x12;
    /// The loop is left; it knows where the program goes on.
    pub(crate) const LEAVE: u8 = 0x22;
    /// A store to WSYNC.
    pub(crate) const WSYNC: u8 = 0x62;
    /// Loads from a register of TIA or RIOT.
    pub(crate) const LDA_DEVICE: u8 = 0x72;
    pub(crate) const LDX_DEVICE: u8 = 0x92;
    pub(crate) const LDY_DEVICE: u8 = 0xB2;
    pub(crate) const BIT_DEVICE: u8 = 0xD2;
    /// A store to a register of the RIOT, or to the cartridge.
    pub(crate) const STORE_ELSEWHERE: u8 = 0xF2;
}

/// The kinds of stores to the registers of the TIA, by register.
pub(crate) const TIA_STORES: [u8; 64] = {
    // Numbers of opcodes that are never decoded and not in use above; registers without function share one.
    let mut table = [0; 64];
    let mut number = 0x03;
    let mut register = 0;
    while register < 64 {
        if register > 0x2D {
            table[register] = table[0x2D];
        } else {
            table[register] = number as u8;
            number += 1;
            while SHAPES[number].is_some() || number & 0x0F == 0x02 {
                number += 1;
            }
        }
        register += 1;
    }
    table
};

/// The op that only leaves; the first of all.
pub(crate) const LEAVING: u16 = 0;
/// More instructions than this are not put into one stream.
const LONGEST: usize = 64;

/// Where an op lies and what is left of its stream, itself included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    /// Offset in the image.
    pub(crate) place: u16,
    pub(crate) cycles: u16,
    pub(crate) instructions: u16,
    /// The op, 0 if no instruction can be run that begins here.
    pub(crate) op: u16,
}

impl Rest {
    /// What has to be added to the time to have that at the end of the stream: see [`packed`].
    #[inline(always)]
    pub(crate) fn ahead(self) -> i64 {
        packed(-i32::from(self.instructions), i32::from(self.cycles))
    }
}

/// A time as the loop keeps it: instructions left in the upper half, cycles in the lower one.
#[inline(always)]
pub(crate) const fn packed(instructions: i32, cycles: i32) -> i64 {
    ((instructions as i64) << 32) + cycles as i64
}

/// A decoded image.
#[derive(Debug)]
pub(crate) struct Program {
    /// As many as an index can tell, so that none is out of bounds.
    pub(crate) ops: Box<[Op; 0x1_0000]>,
    /// By op.
    pub(crate) rests: Vec<Rest>,
    /// By offset in the image.
    pub(crate) starts: Vec<Rest>,
}

/// The number that decides what is done.
#[inline(always)]
pub(crate) const fn kind_of(op: Op) -> u8 {
    op as u8
}

/// The operand: an immediate byte, an address, or the op at which a branch goes on.
#[inline(always)]
pub(crate) const fn operand(op: Op) -> u32 {
    (op >> 8) as u32 & 0xFFFF
}

/// Cycles of the stream after this op.
#[inline(always)]
pub(crate) const fn cycles_after(op: Op) -> u32 {
    (op >> 24) as u32 & 0xFFFF
}

/// What a taken branch adds to the time at the end of the stream.
#[inline(always)]
pub(crate) const fn detour(op: Op) -> i64 {
    packed((op >> 40) as i8 as i32, (op >> 24) as i16 as i32)
}

/// The last byte of the instruction; for stores to devices 0 for A, 1 for X, 2 for Y.
#[inline(always)]
pub(crate) const fn last_byte(op: Op) -> u8 {
    (op >> 48) as u8
}

/// For a load of the timer in a loop that waits for it: the least value with which the loop goes on, plus 1;
/// 8 more if the branch leaves its page. Else 0.
#[inline(always)]
pub(crate) const fn waits(op: Op) -> u8 {
    (op >> 56) as u8
}

const fn pack(kind: u8, operand: u16, cycles: u16, detour: i8, last: u8, waits: u8) -> Op {
    kind as u64
        | (operand as u64) << 8
        | (cycles as u64) << 24
        | (detour as u8 as u64) << 40
        | (last as u64) << 48
        | (waits as u64) << 56
}

/// An instruction as it is decoded, apart from where its stream leads.
#[derive(Clone, Copy)]
struct Decoded {
    kind: u8,
    operand: u16,
    length: u8,
    cycles: u8,
    last: u8,
    flow: Flow,
    waits: u8,
}

#[derive(Clone, Copy, PartialEq)]
enum Flow {
    On,
    /// May go on at this offset; a taken branch costs so many cycles more.
    Branch {
        target: i32,
        extra: u8,
    },
    /// Never goes on.
    Jump,
}

impl Program {
    /// Decodes an image; `None` if nothing of it is plain, or if it has too many ops.
    pub(crate) fn decode(image: &[u8], plain: &Plain) -> Option<Self> {
        if plain.is_empty() || image.len() > 0x1_0000 {
            return None;
        }
        let decoded: Vec<Option<Decoded>> = (0..image.len()).map(|at| decode_at(image, plain, at)).collect();
        let mut layout = Layout { streams: Vec::new(), ops: 1, of_offset: vec![0; image.len()] };
        for start in 0..image.len() {
            layout.add_stream(&decoded, start);
        }
        if layout.ops > 0xFFFF {
            return None;
        }
        layout.emit(&decoded)
    }
}

/// Which op stands where.
struct Layout {
    streams: Vec<Stream>,
    ops: usize,
    /// The op of each offset, 0 for none.
    of_offset: Vec<usize>,
}

struct Stream {
    offsets: Vec<usize>,
    /// Where it goes on, if it does not end with a jump.
    tail: Option<usize>,
}

impl Layout {
    fn add_stream(&mut self, decoded: &[Option<Decoded>], start: usize) {
        let mut offsets = Vec::new();
        let mut at = start;
        let mut tail = None;
        while let Some(Some(instruction)) = decoded.get(at) {
            if self.of_offset[at] != 0 || offsets.len() == LONGEST {
                break;
            }
            self.of_offset[at] = self.ops + offsets.len();
            offsets.push(at);
            at += usize::from(instruction.length);
            tail = (instruction.flow != Flow::Jump).then_some(at);
            if tail.is_none() {
                break;
            }
        }
        if offsets.is_empty() {
            return;
        }
        // One more op for each branch that leaves the granule, and one for the tail.
        let far = offsets.iter().filter(|&&at| is_far(decoded, at)).count();
        self.ops += offsets.len() + 1 + far;
        self.streams.push(Stream { offsets, tail });
    }

    fn emit(&self, decoded: &[Option<Decoded>]) -> Option<Program> {
        let mut rests = vec![Rest::default(); self.ops];
        let mut starts = vec![Rest::default(); decoded.len()];
        for stream in &self.streams {
            let (mut cycles, mut instructions) = (0, 0);
            for &at in stream.offsets.iter().rev() {
                let Some(instruction) = decoded[at] else { continue };
                cycles += u16::from(instruction.cycles);
                instructions += 1;
                let op = self.of_offset[at];
                let rest = Rest { place: at as u16, cycles, instructions, op: op as u16 };
                rests[op] = rest;
                starts[at] = rest;
            }
        }
        let mut ops = vec![pack(kind::LEAVE, 0, 0, 0, 0, 0); 1];
        ops.resize(0x1_0000, 0);
        for stream in &self.streams {
            let Some(&first) = stream.offsets.first() else { continue };
            let tail_op = self.of_offset[first] + stream.offsets.len();
            let mut spare = tail_op + 1;
            for &at in &stream.offsets {
                let Some(instruction) = decoded[at] else { continue };
                let op = self.of_offset[at];
                let rest = rests[op];
                let after = rest.cycles - u16::from(instruction.cycles);
                let Decoded { kind, mut operand, last, waits, .. } = instruction;
                let (mut field, mut detour) = (after, 0);
                if let Flow::Branch { target, extra } = instruction.flow {
                    let there = if is_far(decoded, at) {
                        rests[spare] = Rest { place: target as u16, op: spare as u16, ..Rest::default() };
                        ops[spare] = pack(kind::END, 0, 0, 0, last, 0);
                        spare += 1;
                        rests[spare - 1]
                    } else {
                        starts[target as usize]
                    };
                    operand = there.op;
                    field = (there.cycles + u16::from(extra)).wrapping_sub(after);
                    detour = (i32::from(rest.instructions - 1) - i32::from(there.instructions)) as i8;
                }
                ops[op] = pack(kind, operand, field, detour, last, waits);
            }
            if let Some(tail) = stream.tail {
                let there = starts.get(tail).copied().unwrap_or_default();
                rests[tail_op] = Rest { place: tail as u16, op: tail_op as u16, ..Rest::default() };
                ops[tail_op] = if there.op == 0 {
                    pack(kind::END, 0, 0, 0, 0, 0)
                } else {
                    pack(kind::GO_ON, there.op, there.cycles, -(there.instructions as i8), 0, 0)
                };
            }
        }
        Some(Program { ops: ops.into_boxed_slice().try_into().ok()?, rests, starts })
    }
}

/// Whether an instruction is a branch to where nothing is decoded.
fn is_far(decoded: &[Option<Decoded>], at: usize) -> bool {
    match decoded[at] {
        Some(Decoded { flow: Flow::Branch { target, .. }, .. }) => {
            !usize::try_from(target).is_ok_and(|target| decoded.get(target).is_some_and(Option::is_some))
        }
        _ => false,
    }
}

/// The instruction at an offset, if it is one of those that the loop knows and lies in one plain piece.
fn decode_at(image: &[u8], plain: &Plain, at: usize) -> Option<Decoded> {
    let area = plain.around(at)?;
    let opcode = image[at];
    let shape = SHAPES[usize::from(opcode)]?;
    let end = at + usize::from(shape.length);
    // What follows the last instruction of a window may lie in another chip, which shows what is on the bus.
    if end >= area.end {
        return None;
    }
    let bytes = &image[at..end];
    let last = bytes[bytes.len() - 1];
    let word = match bytes {
        [_, low, high] => u16::from_le_bytes([*low, *high]),
        [_, low] => u16::from(*low),
        _ => 0,
    };
    let mut decoded = Decoded {
        kind: opcode,
        operand: word,
        length: shape.length,
        cycles: shape.cycles,
        last,
        flow: Flow::On,
        waits: 0,
    };
    match shape.access {
        Access::None => {}
        Access::Jump => decoded.flow = Flow::Jump,
        Access::Branch => {
            let target = end as i32 + i32::from(last as i8);
            // Pages of the image are pages of the window.
            let extra = 1 + u8::from((target ^ end as i32) & !0xFF != 0);
            let near = usize::try_from(target).is_ok_and(|target| area.contains(&target));
            // An offset beyond all others where nothing is decoded stands for what lies outside.
            let outside = !(0..0x1_0000).contains(&target);
            if outside {
                return None;
            }
            decoded.flow = Flow::Branch { target: if near { target } else { far_away(target) }, extra };
        }
        Access::Pointer => {
            if !(0x80..0xFF).contains(&word) {
                return None;
            }
        }
        Access::Load(device) => match chip(word) {
            Chip::Ram => decoded.kind = as_zero_page(opcode),
            Chip::Device => {
                decoded.kind = device?;
                decoded.waits = waits_for_timer(image, &area, at, opcode, word);
            }
            Chip::Cart => {}
        },
        Access::Store(register) => match chip(word) {
            Chip::Ram => decoded.kind = as_zero_page(opcode),
            Chip::Device if word & 0x80 == 0 => {
                decoded.operand = word & 0x3F;
                decoded.kind = match word & 0x3F {
                    0x02 => kind::WSYNC,
                    register => TIA_STORES[usize::from(register)],
                };
                decoded.last = register;
            }
            Chip::Device | Chip::Cart => {
                decoded.kind = kind::STORE_ELSEWHERE;
                decoded.last = register;
            }
        },
        Access::Modify => match chip(word) {
            Chip::Ram => decoded.kind = as_zero_page(opcode),
            _ => return None,
        },
    }
    Some(decoded)
}

/// A branch that leaves its granule ends the stream at the place it leads to. The place is kept within the
/// image, since the next piece of program is looked up by its address.
const fn far_away(target: i32) -> i32 {
    target | FAR
}

/// No offset is this large.
const FAR: i32 = 0x0100_0000;

enum Chip {
    Ram,
    Device,
    Cart,
}

const fn chip(address: u16) -> Chip {
    if address & 0x1000 != 0 {
        Chip::Cart
    } else if address & 0x280 == 0x80 {
        Chip::Ram
    } else {
        Chip::Device
    }
}

/// The opcode for the same operation on RAM.
const fn as_zero_page(opcode: u8) -> u8 {
    opcode & !0x08
}

/// For a load of the timer followed by a branch back to it: 1 plus the least value that is sure to branch.
fn waits_for_timer(image: &[u8], area: &std::ops::Range<usize>, at: usize, opcode: u8, address: u16) -> u8 {
    const LDA: u8 = 0xAD;
    const LDX: u8 = 0xAE;
    const LDY: u8 = 0xAC;
    const BIT: u8 = 0x2C;
    const BNE: u8 = 0xD0;
    const BPL: u8 = 0x10;
    /// From behind the branch to the load.
    const BACK: u8 = 0xFB;
    if at + 5 >= area.end || address & 0x284 != 0x284 {
        return 0;
    }
    let [branch, BACK] = image[at + 3..at + 5] else { return 0 };
    let least = match (opcode, address & 1, branch) {
        (LDA | LDX | LDY, 0, BNE) => 1,
        (LDA | LDX | LDY | BIT, 0, BPL) | (BIT, 1, BPL) => 0,
        _ => return 0,
    };
    let crossed = u8::from(at & 0xFF00 != (at + 5) & 0xFF00);
    1 + least + 8 * crossed
}
