//! The loop that runs a frame.
//!
//! [`Wires`] is the plain bus: every access looks up its chip, stores the latch and the clock. It can run
//! everything. [`Hot`] gives the same results with less work while the program is plain ROM: it runs the
//! ops of `program.rs`. What is rare is left to the plain bus, one instruction at a time.
//!
//! Where there is native code ([`ale_native`]), that runs the program. It notes writes to the video chip, and leaves every
//! instruction that it cannot run to the handler of its op.
//!
//! | file | what |
//! |---|---|
//! | `table` | which handler runs which kind of op |
//! | `handlers` | handlers: one or two steps, and on |
//! | `steps` | what instructions do |
//! | `operations` | operands, flags, stores |
//! | `flow` | where the program goes on |
//! | `in_ram` | code in RAM |
//! | `access` | chips, other banks, the stack |

mod access;
mod flow;
mod handlers;
mod in_ram;
mod operations;
mod steps;
mod table;

pub(crate) use self::handlers::{Handler, second_is_narrow};
pub(crate) use self::table::{handler_of, handler_of_pair};
use std::sync::OnceLock;

use ale_native::{Code as Native, Exit, OWED, State};

use super::board::{Board, Wires};
use super::cart::Stretch;
use super::cpu::Cpu;
use super::picture::Picture;
use super::program::{CYCLE_BITS, Entries, Entry, LEAVING, Program, Start, packed};
use super::riot::Timer;

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
    let line = wires.board.this_line(wires.board.cycles);
    if program.native.is_some() {
        wires.board.tia.begin_recall(wires.picture);
    }
    let mut hot = Hot {
        state: State::default(),
        latch: wires.board.latch,
        stopped: false,
        gave_up: false,
        exit: 0,
        code: Code::default(),
        rom: &program.rom,
        native: program.native.as_ref(),
        entries: if program.native.is_some() { stopping() } else { &program.entries },
        board: &mut *wires.board,
        picture: &mut *wires.picture,
        reserve: 0,
        cpu,
        image: wires.image,
        program,
        bases: [u32::MAX; 16],
    };
    hot.state.line = line;
    hot.state.set_colors_noted(hot.board.tia.drawing);
    hot.forget_registers();
    hot.take_chips();
    let mut left = limit;
    while left > 0 && !hot.stopped && !hot.cpu.jammed {
        let start = hot.find_code();
        if start.op != LEAVING && left > start.instructions() + hot.spare() && !hot.gave_up {
            left = hot.run_streams(start, left);
        } else {
            hot.gave_up = false;
            left -= hot.run_plainly(left);
        }
    }
    hot.board.latch = hot.latch;
    hot.give_chips();
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
        Self::new(u32::from(first), offset, usize::from(len), image, program)
    }

    /// Addresses from `first` on, and where they are in the image.
    fn new(first: u32, offset: usize, len: usize, image: &'rom [u8], program: &'rom Program) -> Self {
        let range = offset..offset + len;
        match (image.get(range.clone()), program.starts.get(range)) {
            (Some(bytes), Some(starts)) => {
                let returns = starts.get(1..).unwrap_or_default();
                Self { bytes, starts, returns, first, offset: offset as u16 }
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
    /// Registers, flags, time and RAM.
    state: State,
    /// The last byte moved, where it matters.
    latch: u8,
    /// A stop was requested.
    stopped: bool,
    /// The plain bus has to run the next instruction.
    gave_up: bool,
    /// Where the program goes on when the loop is left by the op for that.
    exit: u16,
    code: Code<'rom>,
    rom: &'rom [u8; 0x1_0000],
    native: Option<&'rom Native>,
    /// The ops with which handlers go on. If there is native code they only give the number of the next one.
    entries: &'rom Entries,
    board: &'a mut Board,
    picture: &'a mut Picture,
    /// Instructions left after a pause.
    reserve: i64,
    /// The registers while no streams run.
    cpu: &'a mut Cpu,
    image: &'rom [u8],
    program: &'rom Program,
    /// Where the cartridge showed what when `code` was looked up.
    bases: [u32; 16],
}

impl<'rom> Hot<'_, 'rom> {
    /// Looks for the plain ROM around the program counter, unless it is known. Gives the op to go on with.
    fn find_code(&mut self) -> Start {
        let index = u32::from(self.cpu.pc).wrapping_sub(self.code.first);
        if index as usize >= self.code.bytes.len() {
            let code = Code::around(self.cpu.pc, self.board, self.image, self.program);
            if code.bytes.is_empty() {
                return Start::default();
            }
            self.set_code(code);
        }
        self.code.start(self.cpu.pc)
    }

    /// The program is in other plain ROM now.
    fn set_code(&mut self, code: Code<'rom>) {
        self.code = code;
        let bases = self.board.cart.bases();
        if self.bases != *bases {
            self.bases = *bases;
            if let Some(windows) = self.board.cart.windows() {
                self.state.set_windows(windows);
            }
        }
        self.state.set_code(code.first, code.bytes.len() as u32, u32::from(code.offset));
    }

    /// The video chip was written to by something else than native code.
    fn forget_registers(&mut self) {
        if self.native.is_some() {
            self.state.forget_registers(self.board.tia.grp);
        }
    }

    /// RAM, ports, timer and the cartridge's chip are in the state while the loop runs.
    fn take_chips(&mut self) {
        self.state.ram[0x80..0x100].copy_from_slice(&self.board.riot.ram);
        self.take_timer();
        self.take_display();
    }

    fn give_chips(&mut self) {
        self.board.riot.ram.copy_from_slice(&self.state.ram[0x80..0x100]);
        self.give_timer();
        self.give_display();
    }

    /// The chip of the cartridge is there only for native code.
    fn take_display(&mut self) {
        if self.native.is_some() {
            self.board.cart.lend_display(&mut self.state.display);
        }
    }

    fn give_display(&mut self) {
        if self.native.is_some() {
            self.board.cart.take_display(&self.state.display);
            self.state.display.clocks = 0;
        }
    }

    fn take_timer(&mut self) {
        let riot = &self.board.riot;
        self.state.ports = riot.ports(&self.board.levels);
        self.state.timer = riot.timer.packed();
    }

    fn give_timer(&mut self) {
        self.board.riot.ddra = self.state.ports[1];
        self.board.riot.timer = Timer::unpacked(self.state.timer);
    }

    /// VBLANK was written.
    #[cold]
    fn take_pins(&mut self) {
        self.state.pins = std::array::from_fn(|n| self.board.tia.high_from(n, &self.board.levels));
        self.state.stale = false;
    }

    /// Runs an instruction on the plain bus, and those after it while they lie in RAM or are no plain ROM; gives their
    /// number.
    fn run_plainly(&mut self, most: u32) -> u32 {
        self.board.latch = self.latch;
        self.give_chips();
        self.board.tia.written = false;
        let mut wires = Wires { board: self.board, image: self.image, picture: self.picture };
        let mut ran = 0;
        loop {
            self.cpu.run_instruction(&mut wires);
            ran += 1;
            self.stopped = wires.board.tia.stop;
            let pc = self.cpu.pc;
            let is_plain = if pc & 0x1000 == 0 { pc & 0x80 == 0 } else { wires.board.cart.is_plain(pc) };
            if is_plain || ran == most || self.stopped || self.cpu.jammed {
                break;
            }
        }
        self.latch = self.board.latch;
        self.take_chips();
        if self.board.tia.written {
            self.forget_registers();
        }
        self.check_banks();
        ran
    }

    /// Runs from an op on until the program leaves what is decoded; gives the instructions left.
    #[inline(never)]
    fn run_streams(&mut self, start: Start, left: u32) -> u32 {
        self.load_registers();
        self.state.time = packed(0, i64::from(self.board.cycles)) + i64::from(start.ahead);
        // The last instruction of all is left to the plain bus.
        self.reserve = i64::from(left) - 1;
        let mut next = start.op;
        while next != LEAVING {
            let left = self.left() - i64::from(self.spare());
            if left < 0 {
                next = self.leave(next);
            } else if let Some(native) = self.native {
                self.state.time += packed(left - (self.state.time >> CYCLE_BITS), 0);
                self.reserve = i64::from(self.spare());
                loop {
                    next = self.run_native(native, next);
                    if next == LEAVING || self.state.time < 0 {
                        break;
                    }
                }
            } else {
                let slice = left.min(SLICE);
                self.state.time += packed(slice - (self.state.time >> CYCLE_BITS), 0);
                self.reserve = left - slice;
                next = self.go_on(self.entries, next);
            }
        }
        self.store_registers();
        self.board.cycles = self.state.time as u32 & ((1 << CYCLE_BITS) - 1);
        if self.stopped {
            // Only a write stops streams.
            self.board.last_was_read = false;
        }
        (self.left() + 1) as u32
    }

    /// Runs native code, and the instruction that it cannot run; gives the next one.
    #[inline(always)]
    fn run_native(&mut self, native: &Native, next: u16) -> u16 {
        if self.state.stale {
            self.take_pins();
        }
        let exit = native.run(&mut self.state, next);
        if self.state.code() != [self.code.first, self.code.bytes.len() as u32, u32::from(self.code.offset)] {
            self.follow_code();
        }
        let notes = self.state.notes();
        if !notes.is_empty() {
            self.board.tia.write_all(notes, self.picture);
        }
        if !self.board.tia.drawing {
            // After those that were noted: where the last write was one of them, nothing is known of it here.
            self.board.tia.take_colors(self.state.colors());
        }
        match exit {
            Exit::Pause(next) => next,
            Exit::Step(op) => {
                let entry = &self.program.entries[usize::from(op)];
                (entry.handler)(self, self.entries, entry.op, op.wrapping_add(1))
            }
        }
    }

    /// Native code has gone on in other plain ROM.
    #[cold]
    fn follow_code(&mut self) {
        let [first, len, offset] = self.state.code();
        self.code = Code::new(first, offset as usize, len as usize, self.image, self.program);
    }

    /// Instructions that are kept back, since native code may run a few too many.
    #[inline(always)]
    fn spare(&self) -> u32 {
        if self.native.is_some() { OWED } else { 0 }
    }

    /// Instructions left at the end of the stream, but for the last.
    #[inline(always)]
    fn left(&self) -> i64 {
        self.reserve + (self.state.time >> CYCLE_BITS)
    }

    fn load_registers(&mut self) {
        let cpu = &*self.cpu;
        self.state.registers = [cpu.a, cpu.x, cpu.y];
        self.state.sp = cpu.sp;
        (self.state.decimal, self.state.interrupt) = (cpu.decimal, cpu.interrupt);
        self.state.carry = u32::from(cpu.carry) << 8;
        self.state.nz = u32::from(cpu.zero != 0) | u32::from(cpu.negative & 0x80) << 2;
        self.set_overflow(self.cpu.overflow);
    }

    fn store_registers(&mut self) {
        let status = self.status();
        let cpu = &mut *self.cpu;
        [cpu.a, cpu.x, cpu.y] = self.state.registers;
        cpu.sp = self.state.sp;
        cpu.set_p(status);
        cpu.pc = self.exit;
    }

    #[inline(always)]
    fn overflow(&self) -> bool {
        self.state.overflow != 0
    }

    /// The status register.
    #[inline(never)]
    fn status(&self) -> u8 {
        let bit = |is: bool, n: u8| u8::from(is) << n;
        bit(self.state.nz & 0x280 != 0, 7)
            | bit(self.overflow(), 6)
            | 0x30
            | bit(self.state.decimal, 3)
            | bit(self.state.interrupt, 2)
            | bit(self.state.nz & 0xFF == 0, 1)
            | (self.state.carry >> 8) as u8
    }

    fn set_status(&mut self, status: u8) {
        let status = u32::from(status);
        self.state.carry = (status & 1) << 8;
        self.state.nz = (status & 0x80) << 2 | !status & 2;
        self.set_overflow(status & 0x40 != 0);
        self.state.decimal = status & 8 != 0;
        self.state.interrupt = status & 4 != 0;
    }
}

/// Ops that give their own number.
fn stopping() -> &'static Entries {
    static STOPPING: OnceLock<Box<Entries>> = OnceLock::new();
    STOPPING.get_or_init(|| {
        let entry = Entry { op: 0, handler: handlers::stop };
        vec![entry; 0x1_0000].into_boxed_slice().try_into().expect("it is as long as that")
    })
}
