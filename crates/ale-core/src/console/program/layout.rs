//! Which op stands where, and where streams lead.

use super::super::run::{Handler, handler_of, handler_of_pair, second_is_narrow};
use super::decode::{Decoded, Flow};
use super::kind::{self, Kind};
use super::{Entry, Op, Program, Rest, Start, cycles_after, detour, last_byte, packed, target, waits};
use ale_native::{Code, Instruction};

/// More instructions than this are not put into one stream.
const LONGEST: usize = 64;

pub(super) struct Layout {
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
    /// `None` if there are too many ops.
    pub(super) fn of(decoded: &[Option<Decoded>], image: &[u8]) -> Option<Self> {
        let mut layout = Self { streams: Vec::new(), ops: 1, of_offset: vec![0; decoded.len()] };
        // What the program is known to run lies together, apart from data that look like instructions.
        let is_reached = reached(decoded, image);
        for wanted in [true, false] {
            for start in (0..decoded.len()).filter(|&at| is_reached[at] == wanted) {
                layout.add_stream(decoded, start);
            }
        }
        (layout.ops <= 0xFFFF).then_some(layout)
    }

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
        self.streams.push(Stream { offsets, tail });
    }

    /// The program; with native code, if it is wanted and possible.
    pub(super) fn emit(
        &self,
        decoded: &[Option<Decoded>],
        rom: Box<[u8; 0x1_0000]>,
        wants_native: bool,
    ) -> Option<Program> {
        let (rests, starts) = self.rests(decoded);
        let leaving = Entry { op: 0, handler: handler_of(kind::LEAVE) };
        let mut emission = Emission {
            decoded,
            rests,
            starts,
            entries: vec![leaving; 0x1_0000],
            instructions: vec![Instruction { kind: kind::LEAVE, ..Instruction::default() }; self.ops],
        };
        for stream in &self.streams {
            emission.add_stream(stream);
        }
        let compile = || Code::compile(&emission.instructions, &emission.starts, &rom);
        let native = wants_native.then(compile).flatten();
        if native.is_none() {
            for stream in &self.streams {
                emission.join(stream);
            }
        }
        let Emission { rests, starts, entries, .. } = emission;
        Some(Program { entries: entries.into_boxed_slice().try_into().ok()?, rests, starts, native, rom })
    }

    /// By op and by offset.
    fn rests(&self, decoded: &[Option<Decoded>]) -> (Vec<Rest>, Vec<Start>) {
        let mut rests = vec![Rest::default(); self.ops];
        let mut starts = vec![Start::default(); decoded.len()];
        for stream in &self.streams {
            let (mut cycles, mut instructions) = (0, 0);
            for &at in stream.offsets.iter().rev() {
                let Some(instruction) = decoded[at] else { continue };
                cycles += u16::from(instruction.cycles);
                instructions += 1;
                let op = self.of_offset[at] as u16;
                let ahead = packed(-instructions, i64::from(cycles)) as i32;
                rests[usize::from(op)] = Rest { place: at as u16, cycles, ahead };
                starts[at] = Start { op, ahead };
            }
        }
        (rests, starts)
    }
}

/// What is written while streams become ops.
struct Emission<'a> {
    decoded: &'a [Option<Decoded>],
    rests: Vec<Rest>,
    starts: Vec<Start>,
    entries: Vec<Entry>,
    /// For native code.
    instructions: Vec<Instruction>,
}

impl Emission<'_> {
    fn add_stream(&mut self, stream: &Stream) {
        let Some(first) = stream.offsets.first().map(|&at| usize::from(self.starts[at].op)) else { return };
        let tail_op = first + stream.offsets.len();
        let mut spare = tail_op + 1;
        for (op, &at) in (first..).zip(&stream.offsets) {
            let Some(instruction) = self.decoded[at] else { continue };
            if is_far(self.decoded, at) {
                self.end_stream(spare, instruction);
            }
            let (kind, packed) = self.op(op, instruction, spare);
            self.put(op, kind, packed);
            if is_far(self.decoded, at) {
                spare += 1;
            }
        }
        if let Some(tail) = stream.tail {
            self.rests[tail_op] = Rest { place: tail as u16, ..Rest::default() };
            let there = self.starts.get(tail).copied().unwrap_or_default();
            let last = stream.offsets.last().and_then(|&at| self.decoded[at]);
            if there.op == 0 || last.is_some_and(|last| last.flow == Flow::Last) {
                self.put(tail_op, kind::END, 0);
            } else {
                self.put(tail_op, kind::GO_ON, jumping(there.op, i64::from(there.ahead)));
            }
        }
    }

    /// The op at which a stream ends that a branch leads out of.
    fn end_stream(&mut self, spare: usize, branch: Decoded) {
        let Flow::Branch { target, .. } = branch.flow else { return };
        self.rests[spare] = Rest { place: target as u16, ..Rest::default() };
        self.put(spare, kind::END, Op::from(branch.last) << 48);
    }

    /// Sets an op.
    fn put(&mut self, at: usize, kind: Kind, op: Op) {
        self.entries[at] = Entry { op, handler: handler_of(kind) };
        self.instructions[at] = Instruction {
            kind,
            operand: op as u16,
            place: self.rests[at].place,
            after: cycles_after(op) as u16,
            last: last_byte(op),
            waits: waits(op),
            target: target(op),
            detour: detour(op) as i32,
        };
    }

    fn op(&self, op: usize, instruction: Decoded, spare: usize) -> (Kind, Op) {
        let rest = self.rests[op];
        let after = rest.cycles - u16::from(instruction.cycles);
        let Decoded { mut kind, mut operand, last, waits, length, .. } = instruction;
        let upper = match instruction.flow {
            // What is left of the stream is not run, what is left there is.
            Flow::Branch { target, extra } => {
                // This instruction is run, and its cycles are spent.
                let spent = packed(-1, i64::from(instruction.cycles) + i64::from(extra));
                let left = spent - i64::from(rest.ahead);
                match self.starts.get(target) {
                    Some(&Start { op, ahead }) if op != 0 => jumping(op, left + i64::from(ahead)),
                    _ => jumping(spare as u16, left),
                }
            }
            Flow::Within { target } if self.starts[target].op != 0 => {
                kind = if kind == JSR { kind::CALL } else { kind::JUMP };
                // Where the program returns to, less 1, in the mirror of the target.
                operand = operand & 0xF000 | (rest.place + u16::from(length) - 1) & 0xFFF;
                jumping(self.starts[target].op, i64::from(self.starts[target].ahead))
            }
            _ => Op::from(after) << 32 | Op::from(last) << 48 | Op::from(waits) << 56,
        };
        (kind, upper | Op::from(operand))
    }

    /// Lets ops do the work of the next instruction, too, where there is a handler for both.
    fn join(&mut self, stream: &Stream) {
        let Some(first) = stream.offsets.first().map(|&at| usize::from(self.starts[at].op)) else { return };
        for (op, pair) in (first..).zip(stream.offsets.windows(2)) {
            let (Some(one), Some(other)) = (self.decoded[pair[0]], self.decoded[pair[1]]) else { continue };
            if let Some(handler) = handler_of_pair(one.kind, other.kind) {
                self.entries[op] = self.joined(op, one, other, handler);
            }
        }
    }

    fn joined(&self, op: usize, one: Decoded, other: Decoded, handler: Handler) -> Entry {
        // That of the second is its own unless it was joined with its follower, which comes later.
        let second = self.entries[op + 1].op;
        let operands = if matches!(other.flow, Flow::Branch { .. }) {
            second & 0xFFFF_0000 | Op::from(one.operand)
        } else if second_is_narrow(one.kind, other.kind) {
            Op::from(one.operand & 0xFF) | Op::from(other.operand & 0xFF) << 8
        } else {
            Op::from(one.operand) | Op::from(other.operand) << 16
        };
        Entry { op: second & !0xFFFF_FFFF | operands, handler }
    }
}

const JSR: Kind = 0x20;

/// What an op that may jump has beside its operand.
fn jumping(there: u16, detour: i64) -> Op {
    Op::from(there) << 16 | (detour as u64) << 32
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
