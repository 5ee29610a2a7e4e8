//! Which op stands where, and where blocks lead.

use super::super::{Handler, handler_of, second_is_narrow, superinstruction_of};
use super::decode::{Decoded, Flow};
use super::kind::{self, Kind};
use super::{
    BlockEntry, BlockTail, DecodedRom, Op, ThreadedOp, cycles_after, last_byte, packed, target, time_delta,
    wait_loop,
};
use ale_jit::opcode::JSR;
use ale_jit::{Instruction, JitCode};

/// More instructions than this are not put into one block.
const MAX_BLOCK_INSTRUCTIONS: usize = 64;

pub(super) struct BlockLayout {
    blocks: Vec<BasicBlock>,
    ops: usize,
    /// The op of each offset, 0 for none.
    of_offset: Vec<usize>,
}

struct BasicBlock {
    offsets: Vec<usize>,
    /// Where it goes on, if it does not end with a jump.
    tail: Option<usize>,
}

impl BlockLayout {
    /// `None` if there are too many ops.
    pub(super) fn of(decoded: &[Option<Decoded>], image: &[u8]) -> Option<Self> {
        let mut layout = Self { blocks: Vec::new(), ops: 1, of_offset: vec![0; decoded.len()] };
        // What the program is known to run lies together, apart from data that look like instructions.
        let is_reached = reached(decoded, image);
        for wanted in [true, false] {
            for start in (0..decoded.len()).filter(|&at| is_reached[at] == wanted) {
                layout.add_block(decoded, start);
            }
        }
        (layout.ops <= 0xFFFF).then_some(layout)
    }

    fn add_block(&mut self, decoded: &[Option<Decoded>], start: usize) {
        let mut offsets = Vec::new();
        let mut at = start;
        let mut tail = None;
        while let Some(Some(instruction)) = decoded.get(at) {
            if self.of_offset[at] != 0 || offsets.len() == MAX_BLOCK_INSTRUCTIONS {
                break;
            }
            self.of_offset[at] = self.ops + offsets.len();
            offsets.push(at);
            at += usize::from(instruction.length);
            let goes_on = matches!(instruction.flow, Flow::On | Flow::Last | Flow::Branch { .. });
            tail = goes_on.then_some(at);
            if matches!(instruction.flow, Flow::Last) || tail.is_none() {
                break;
            }
        }
        if offsets.is_empty() {
            return;
        }
        // One more op for each branch that leads out of what is decoded, and one for the tail.
        let far = offsets.iter().filter(|&&at| is_far(decoded, at)).count();
        self.ops += offsets.len() + 1 + far;
        self.blocks.push(BasicBlock { offsets, tail });
    }

    /// The program; with JIT code, if it is wanted and possible.
    pub(super) fn build(
        &self,
        decoded: &[Option<Decoded>],
        rom: Box<[u8; 0x1_0000]>,
        wants_jit: bool,
    ) -> Option<DecodedRom> {
        let (tails, block_entries) = self.tails(decoded);
        let leaving = ThreadedOp { op: 0, handler: handler_of(kind::EXIT) };
        let mut builder = ThreadedCodeBuilder {
            decoded,
            tails,
            block_entries,
            ops: vec![leaving; 0x1_0000],
            instructions: vec![Instruction { kind: kind::EXIT, ..Instruction::default() }; self.ops],
        };
        for block in &self.blocks {
            builder.add_block(block);
        }
        let compile = || JitCode::compile(&builder.instructions, &builder.block_entries, &rom);
        let jit = wants_jit.then(compile).flatten();
        if jit.is_none() {
            for block in &self.blocks {
                builder.fuse(block);
            }
        }
        let ThreadedCodeBuilder { tails, block_entries, ops, .. } = builder;
        Some(DecodedRom { ops: ops.into_boxed_slice().try_into().ok()?, tails, block_entries, jit, rom })
    }

    /// By op and by offset.
    fn tails(&self, decoded: &[Option<Decoded>]) -> (Vec<BlockTail>, Vec<BlockEntry>) {
        let mut tails = vec![BlockTail::default(); self.ops];
        let mut block_entries = vec![BlockEntry::default(); decoded.len()];
        for block in &self.blocks {
            let (mut cycles, mut instructions) = (0, 0);
            for &at in block.offsets.iter().rev() {
                let Some(instruction) = decoded[at] else { continue };
                cycles += u16::from(instruction.cycles);
                instructions += 1;
                let op = self.of_offset[at] as u16;
                let cycles_to_end = packed(-instructions, i64::from(cycles)) as i32;
                tails[usize::from(op)] = BlockTail { offset: at as u16, cycles, cycles_to_end };
                block_entries[at] = BlockEntry { op, cycles_to_end };
            }
        }
        (tails, block_entries)
    }
}

/// What is written while blocks become ops.
struct ThreadedCodeBuilder<'a> {
    decoded: &'a [Option<Decoded>],
    tails: Vec<BlockTail>,
    block_entries: Vec<BlockEntry>,
    ops: Vec<ThreadedOp>,
    /// For JIT code.
    instructions: Vec<Instruction>,
}

impl ThreadedCodeBuilder<'_> {
    fn add_block(&mut self, block: &BasicBlock) {
        let Some(first) = block.offsets.first().map(|&at| usize::from(self.block_entries[at].op)) else {
            return;
        };
        let tail_op = first + block.offsets.len();
        let mut overdraft = tail_op + 1;
        for (op, &at) in (first..).zip(&block.offsets) {
            let Some(instruction) = self.decoded[at] else { continue };
            if is_far(self.decoded, at) {
                self.end_block(overdraft, instruction);
            }
            let (kind, packed) = self.op(op, instruction, overdraft);
            self.put(op, kind, packed);
            if is_far(self.decoded, at) {
                overdraft += 1;
            }
        }
        if let Some(tail) = block.tail {
            self.tails[tail_op] = BlockTail { offset: tail as u16, ..BlockTail::default() };
            let there = self.block_entries.get(tail).copied().unwrap_or_default();
            let last = block.offsets.last().and_then(|&at| self.decoded[at]);
            if there.op == 0 || last.is_some_and(|last| last.flow == Flow::Last) {
                self.put(tail_op, kind::BLOCK_END, 0);
            } else {
                self.put(tail_op, kind::NEXT_BLOCK, jumping(there.op, i64::from(there.cycles_to_end)));
            }
        }
    }

    /// The op at which a block ends that a branch leads out of.
    fn end_block(&mut self, overdraft: usize, branch: Decoded) {
        let Flow::Branch { target, .. } = branch.flow else { return };
        self.tails[overdraft] = BlockTail { offset: target as u16, ..BlockTail::default() };
        self.put(overdraft, kind::BLOCK_END, Op::from(branch.last) << 48);
    }

    /// Sets an op.
    fn put(&mut self, at: usize, kind: Kind, op: Op) {
        self.ops[at] = ThreadedOp { op, handler: handler_of(kind) };
        self.instructions[at] = Instruction {
            kind,
            operand: op as u16,
            offset: self.tails[at].offset,
            cycles_after: cycles_after(op) as u16,
            last_byte: last_byte(op),
            wait_loop: wait_loop(op),
            target: target(op),
            time_delta: time_delta(op) as i32,
        };
    }

    fn op(&self, op: usize, instruction: Decoded, overdraft: usize) -> (Kind, Op) {
        let tail = self.tails[op];
        let after = tail.cycles - u16::from(instruction.cycles);
        let Decoded { mut kind, mut operand, last, wait_loop, length, .. } = instruction;
        let upper = match instruction.flow {
            // What is left of the block is not run, what is left there is.
            Flow::Branch { target, extra } => {
                // This instruction is run, and its cycles are spent.
                let spent = packed(-1, i64::from(instruction.cycles) + i64::from(extra));
                let left = spent - i64::from(tail.cycles_to_end);
                match self.block_entries.get(target) {
                    Some(&BlockEntry { op, cycles_to_end }) if op != 0 => {
                        jumping(op, left + i64::from(cycles_to_end))
                    }
                    _ => jumping(overdraft as u16, left),
                }
            }
            Flow::Within { target } if self.block_entries[target].op != 0 => {
                kind = if kind == JSR { kind::CALL } else { kind::JUMP };
                // Where the program returns to, less 1, in the mirror of the target.
                operand = operand & 0xF000 | (tail.offset + u16::from(length) - 1) & 0xFFF;
                jumping(self.block_entries[target].op, i64::from(self.block_entries[target].cycles_to_end))
            }
            _ => Op::from(after) << 32 | Op::from(last) << 48 | Op::from(wait_loop) << 56,
        };
        (kind, upper | Op::from(operand))
    }

    /// Lets ops do the work of the next instruction, too, where there is a handler for both.
    fn fuse(&mut self, block: &BasicBlock) {
        let Some(first) = block.offsets.first().map(|&at| usize::from(self.block_entries[at].op)) else {
            return;
        };
        for (op, pair) in (first..).zip(block.offsets.windows(2)) {
            let (Some(one), Some(other)) = (self.decoded[pair[0]], self.decoded[pair[1]]) else { continue };
            if let Some(handler) = superinstruction_of(one.kind, other.kind) {
                self.ops[op] = self.superinstruction(op, one, other, handler);
            }
        }
    }

    fn superinstruction(&self, op: usize, one: Decoded, other: Decoded, handler: Handler) -> ThreadedOp {
        // That of the second is its own unless it was fused with its follower, which comes later.
        let second = self.ops[op + 1].op;
        let operands = if matches!(other.flow, Flow::Branch { .. }) {
            second & 0xFFFF_0000 | Op::from(one.operand)
        } else if second_is_narrow(one.kind, other.kind) {
            Op::from(one.operand & 0xFF) | Op::from(other.operand & 0xFF) << 8
        } else {
            Op::from(one.operand) | Op::from(other.operand) << 16
        };
        ThreadedOp { op: second & !0xFFFF_FFFF | operands, handler }
    }
}

/// What an op that may jump has beside its operand.
fn jumping(there: u16, time_delta: i64) -> Op {
    Op::from(there) << 16 | (time_delta as u64) << 32
}

/// Whether a program surely gets to an offset of the image, as far as that is seen without running it.
fn reached(decoded: &[Option<Decoded>], image: &[u8]) -> Vec<bool> {
    /// Where a bank tells where its program begins.
    const RESET_VECTOR: usize = 0xFFC;
    let mut is_reached = vec![false; decoded.len()];
    let mut open = Vec::new();
    for (bank, bytes) in image.chunks_exact(0x1000).enumerate() {
        let address = u16::from_le_bytes([bytes[RESET_VECTOR], bytes[RESET_VECTOR + 1]]);
        open.push(bank * 0x1000 + usize::from(address & 0xFFF));
    }
    while let Some(at) = open.pop() {
        let Some(Some(instruction)) = decoded.get(at) else { continue };
        if std::mem::replace(&mut is_reached[at], true) {
            continue;
        }
        let next = at + usize::from(instruction.length);
        match instruction.flow {
            Flow::On | Flow::Last => open.push(next),
            Flow::Branch { target, .. } => open.extend([target, next]),
            Flow::Within { target } => open.push(target),
            Flow::Jump => {}
        }
        if instruction.kind == JSR {
            open.push(next);
        }
    }
    is_reached
}

/// Whether an instruction is a branch to where nothing is decoded.
fn is_far(decoded: &[Option<Decoded>], at: usize) -> bool {
    match decoded[at] {
        Some(Decoded { flow: Flow::Branch { target, .. }, .. }) => {
            decoded.get(target).is_none_or(Option::is_none)
        }
        _ => false,
    }
}
