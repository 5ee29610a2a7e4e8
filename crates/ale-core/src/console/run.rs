//! The loop that runs a frame.
//!
//! [`Wires`] is the plain bus: every access looks up its chip, stores the latch and the clock. It can run
//! everything. [`Hot`] gives the same results with less work while the program is plain ROM: it runs the
//! ops of `program.rs`. What is rare is left to the plain bus, one instruction at a time.
//!
//! | file | what |
//! |---|---|
//! | `table` | which handler runs which kind of op |
//! | `handlers` | handlers: one or two steps, and on |
//! | `steps` | what instructions do |
//! | `operations` | operands, flags, stores |
//! | `flow` | where the program goes on |
//! | `access` | chips, other banks, the stack |

mod access;
mod flow;
mod handlers;
mod operations;
mod steps;
mod table;

pub(crate) use self::handlers::{Handler, second_is_narrow};
pub(crate) use self::table::{handler_of, handler_of_pair};
use super::board::{Board, Wires};
use super::cart::Stretch;
use super::cpu::Cpu;
use super::picture::Picture;
use super::program::{CYCLE_BITS, Entries, LEAVING, Program, Start, packed};

/// Handlers run about this many instructions before they return to the loop.
const SLICE: i64 = 500;

/// Runs until a stop is requested, the CPU jams, or `limit` instructions have been executed.
pub(crate) fn run(cpu: &mut Cpu, wires: &mut Wires, program: Option<&Program>, limit: u32) {
    // The loop counts cycles in the lower bits of a word and nothing may carry into the upper ones.
    let room = wires.board.cycles < 1 << (CYCLE_BITS - 1);
    match program {
        Some(program) if room && wires.board.tia.by_lines => run_hot(cpu, wires, program, limit),
        _ => run_plainly(cpu, wires, limit),
    }
}

/// All on the plain bus.
fn run_plainly(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    cpu.run_instructions(wires, limit, |wires| wires.board.tia.stop);
}

fn run_hot(cpu: &mut Cpu, wires: &mut Wires, program: &Program, limit: u32) {
    let line = wires.board.next_line(wires.board.cycles);
    let mut hot = Hot {
        time: 0,
        carry: 0,
        nz: 0,
        registers: [0; 3],
        sp: 0,
        overflow: [0; 3],
        decimal: false,
        interrupt: false,
        latch: wires.board.latch,
        stopped: false,
        gave_up: false,
        exit: 0,
        line,
        code: Code::default(),
        rom: &program.rom,
        entries: &program.entries,
        board: &mut *wires.board,
        picture: &mut *wires.picture,
        ram: [0; 0x101],
        reserve: 0,
        cpu,
        image: wires.image,
        program,
        bases: [0; 16],
    };
    hot.take_ram();
    let mut left = limit;
    while left > 0 && !hot.stopped && !hot.cpu.jammed {
        let start = hot.find_code();
        if start.op != LEAVING && left > start.instructions() && !hot.gave_up {
            left = hot.run_streams(start, left);
        } else {
            hot.gave_up = false;
            left -= hot.run_plainly(left);
        }
    }
    hot.board.latch = hot.latch;
    hot.give_ram();
}

/// The piece of plain ROM in which the program is.
#[derive(Clone, Copy, Default)]
struct Code<'rom> {
    bytes: &'rom [u8],
    starts: &'rom [Start],
    /// The starts behind each address.
    returns: &'rom [Start],
    first: u32,
    /// Offset in the image.
    offset: u16,
}

impl<'rom> Code<'rom> {
    /// The plain ROM around `pc`, empty if there is none.
    #[cold]
    fn around(pc: u16, board: &Board, image: &'rom [u8], program: &'rom Program) -> Self {
        let Stretch { first, len, offset } = board.cart.stretch(pc);
        let range = offset..offset + usize::from(len);
        match (image.get(range.clone()), program.starts.get(range)) {
            (Some(bytes), Some(starts)) => {
                let returns = starts.get(1..).unwrap_or_default();
                Self { bytes, starts, returns, first: u32::from(first), offset: offset as u16 }
            }
            _ => Self::default(),
        }
    }

    /// The op with which the program goes on at `pc`.
    #[inline(always)]
    fn start(&self, pc: u16) -> Start {
        self.starts.get(u32::from(pc).wrapping_sub(self.first) as usize).copied().unwrap_or_default()
    }
}

/// What the loop works on.
pub(crate) struct Hot<'a, 'rom> {
    /// At the end of the stream: instructions left before a pause, and the clock.
    time: i64,
    /// C in bit 8; nothing above it.
    carry: u32,
    /// Z if the low byte is 0, N if bit 7 or 9 is set.
    nz: u32,
    /// A, X and Y.
    registers: [u8; 3],
    sp: u8,
    /// V if the last differs from both others in bit 7: a sum from what was added, or what was subtracted from.
    overflow: [u8; 3],
    decimal: bool,
    interrupt: bool,
    /// The last byte moved, where it matters.
    latch: u8,
    /// A stop was requested.
    stopped: bool,
    /// The plain bus has to run the next instruction.
    gave_up: bool,
    /// Where the program goes on when the loop is left by the op for that.
    exit: u16,
    /// The begin of a line; after a WSYNC that to which it has waited.
    line: u32,
    code: Code<'rom>,
    rom: &'rom [u8; 0x1_0000],
    entries: &'rom Entries,
    board: &'a mut Board,
    picture: &'a mut Picture,
    /// RAM while streams run, at its addresses in the zero page. (Pointers are read two bytes at once.)
    ram: [u8; 0x101],
    /// Instructions left after a pause.
    reserve: i64,
    /// The registers while no streams run.
    cpu: &'a mut Cpu,
    image: &'rom [u8],
    program: &'rom Program,
    /// Where the cartridge showed what when `code` was looked up.
    bases: [u32; 16],
}

impl Hot<'_, '_> {
    /// Looks for the plain ROM around the program counter, unless it is known. Gives the op to go on with.
    fn find_code(&mut self) -> Start {
        let index = u32::from(self.cpu.pc).wrapping_sub(self.code.first);
        if index as usize >= self.code.bytes.len() {
            let code = Code::around(self.cpu.pc, self.board, self.image, self.program);
            if code.bytes.is_empty() {
                return Start::default();
            }
            self.code = code;
            self.bases = *self.board.cart.bases();
        }
        self.code.start(self.cpu.pc)
    }

    fn take_ram(&mut self) {
        self.ram[0x80..0x100].copy_from_slice(&self.board.riot.ram);
    }

    fn give_ram(&mut self) {
        self.board.riot.ram.copy_from_slice(&self.ram[0x80..0x100]);
    }

    /// Runs an instruction on the plain bus, and those after it while they lie in RAM; gives their number.
    fn run_plainly(&mut self, most: u32) -> u32 {
        self.board.latch = self.latch;
        self.give_ram();
        let mut wires = Wires { board: self.board, image: self.image, picture: self.picture };
        let mut ran = 0;
        loop {
            self.cpu.run_instruction(&mut wires);
            ran += 1;
            self.stopped = wires.board.tia.stop;
            if self.cpu.pc & 0x1080 != 0x80 || ran == most || self.stopped || self.cpu.jammed {
                break;
            }
        }
        self.latch = self.board.latch;
        self.take_ram();
        self.check_banks();
        ran
    }

    /// Runs from an op on until the program leaves what is decoded; gives the instructions left.
    #[inline(never)]
    fn run_streams(&mut self, start: Start, left: u32) -> u32 {
        self.load_registers();
        self.time = packed(0, i64::from(self.board.cycles)) + i64::from(start.ahead);
        // The last instruction of all is left to the plain bus.
        self.reserve = i64::from(left) - 1;
        let mut next = start.op;
        while next != LEAVING {
            let left = self.left();
            if left < 0 {
                next = self.leave(next);
            } else {
                let slice = left.min(SLICE);
                self.time += packed(slice - (self.time >> CYCLE_BITS), 0);
                self.reserve = left - slice;
                next = self.go_on(self.entries, next);
            }
        }
        self.store_registers();
        self.board.cycles = self.time as u32 & ((1 << CYCLE_BITS) - 1);
        if self.stopped {
            // Only a write stops streams.
            self.board.last_was_read = false;
        }
        (self.left() + 1) as u32
    }

    /// Instructions left at the end of the stream, but for the last.
    #[inline(always)]
    fn left(&self) -> i64 {
        self.reserve + (self.time >> CYCLE_BITS)
    }

    fn load_registers(&mut self) {
        let cpu = &*self.cpu;
        self.registers = [cpu.a, cpu.x, cpu.y];
        self.sp = cpu.sp;
        (self.decimal, self.interrupt) = (cpu.decimal, cpu.interrupt);
        self.carry = u32::from(cpu.carry) << 8;
        self.nz = u32::from(cpu.zero != 0) | u32::from(cpu.negative & 0x80) << 2;
        self.set_overflow(self.cpu.overflow);
    }

    fn store_registers(&mut self) {
        let status = self.status();
        let cpu = &mut *self.cpu;
        [cpu.a, cpu.x, cpu.y] = self.registers;
        cpu.sp = self.sp;
        cpu.set_p(status);
        cpu.pc = self.exit;
    }

    #[inline(always)]
    fn overflow(&self) -> bool {
        let [one, other, last] = self.overflow;
        (one ^ last) & (other ^ last) & 0x80 != 0
    }

    /// The status register.
    #[inline(never)]
    fn status(&self) -> u8 {
        let bit = |is: bool, n: u8| u8::from(is) << n;
        bit(self.nz & 0x280 != 0, 7)
            | bit(self.overflow(), 6)
            | 0x30
            | bit(self.decimal, 3)
            | bit(self.interrupt, 2)
            | bit(self.nz & 0xFF == 0, 1)
            | (self.carry >> 8) as u8
    }

    fn set_status(&mut self, status: u8) {
        let status = u32::from(status);
        self.carry = (status & 1) << 8;
        self.nz = (status & 0x80) << 2 | !status & 2;
        self.set_overflow(status & 0x40 != 0);
        self.decimal = status & 8 != 0;
        self.interrupt = status & 4 != 0;
    }
}
