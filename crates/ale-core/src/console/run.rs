//! The three CPU tiers: what runs the instructions of a frame.
//!
//! | tier | what | runs |
//! |---|---|---|
//! | reference interpreter | [`Cpu`] on [`Wires`]: every access selects its chip, sets the latch and the clock | everything |
//! | threaded interpreter | [`Threaded`]: handlers of the ops that `program.rs` decoded | plain ROM, and short code in RAM |
//! | JIT | [`ale_jit`]: the same ops as machine code, which logs writes to the video chip | plain ROM |
//!
//! An instruction that the JIT bails out of is run by the handler of its op; what the handlers cannot run is run by the
//! reference interpreter, one instruction at a time. `tests/instructions.rs` compares the three.
//!
//! | file | what |
//! |---|---|
//! | `program` | decodes a cartridge: basic blocks, ops, which instruction is a superinstruction |
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
mod program;
mod steps;
mod table;

pub(crate) use self::handlers::{Handler, second_is_narrow};
pub(crate) use self::program::DecodedRom;
use self::program::{BlockEntry, CYCLE_BITS, EXIT_OP, ThreadedCode, ThreadedOp, packed};
pub(crate) use self::table::{handler_of, superinstruction_of};

use std::sync::OnceLock;

use ale_jit::{Exit, JitCode, MAX_OVERDRAFT, State};

use super::board::{Board, Wires};
use super::cart::Stretch;
use super::counters::Counters;
use super::cpu::Cpu;
use super::riot::Timer;
use super::tia::Picture;

/// Handlers run about this many instructions before they return to the loop.
const SLICE: i64 = 500;

/// Runs until a stop is requested, the CPU jams, or `limit` instructions have been executed.
pub(crate) fn run(
    cpu: &mut Cpu,
    wires: &mut Wires,
    program: Option<&DecodedRom>,
    limit: u32,
    counters: &mut Counters,
) {
    // The loop counts cycles in the lower bits of a word and nothing may carry into the upper ones.
    let room = wires.board.cycles < 1 << (CYCLE_BITS - 1);
    match program {
        Some(program) if room && wires.board.tia.speculative => {
            run_threaded(cpu, wires, program, limit, counters);
        }
        _ => run_reference(cpu, wires, limit, counters),
    }
}

/// All in the reference interpreter.
fn run_reference(cpu: &mut Cpu, wires: &mut Wires, limit: u32, counters: &mut Counters) {
    let ran = cpu.run_instructions(wires, limit, |wires| wires.board.tia.stop);
    counters.instructions += u64::from(ran);
    counters.interpreted += u64::from(ran);
}

fn run_threaded(cpu: &mut Cpu, wires: &mut Wires, program: &DecodedRom, limit: u32, counters: &mut Counters) {
    let line = wires.board.this_line(wires.board.cycles);
    if program.jit.is_some() {
        wires.board.tia.begin_cache(wires.picture);
    }
    let mut vm = Threaded {
        state: State::default(),
        latch: wires.board.latch,
        stopped: false,
        bailed_out: false,
        bailouts: 0,
        exit: 0,
        span: RomSpan::default(),
        rom: &program.rom,
        jit: program.jit.as_ref(),
        ops: if program.jit.is_some() { exiting_code() } else { &program.ops },
        board: &mut *wires.board,
        picture: &mut *wires.picture,
        reserve: 0,
        cpu,
        image: wires.image,
        program,
        bases: [u32::MAX; 16],
    };
    vm.state.line = line;
    vm.state.set_colors_logged(vm.board.tia.drawing);
    vm.invalidate_tia_shadow();
    vm.load_chips();
    let mut left = limit;
    let mut by_reference = 0;
    while left > 0 && !vm.stopped && !vm.cpu.jammed {
        let start = vm.find_rom_span();
        if start.op != EXIT_OP && left > start.instructions() + vm.overdraft() && !vm.bailed_out {
            left = vm.run_blocks(start, left);
        } else {
            vm.bailed_out = false;
            let ran = vm.run_reference(left);
            by_reference += ran;
            left -= ran;
        }
    }
    let interpreted = if vm.jit.is_some() { by_reference + vm.bailouts } else { limit - left };
    counters.instructions += u64::from(limit - left);
    counters.bailouts += u64::from(vm.bailouts);
    counters.interpreted += u64::from(interpreted);
    vm.board.latch = vm.latch;
    vm.store_chips();
}

/// The current ROM span.
#[derive(Clone, Copy, Default)]
struct RomSpan<'rom> {
    bytes: &'rom [u8],
    block_entries: &'rom [BlockEntry],
    /// The block entries behind each address.
    returns: &'rom [BlockEntry],
    first: u32,
    /// Offset in the image.
    offset: u16,
}

impl<'rom> RomSpan<'rom> {
    /// The plain ROM around `pc`, empty if there is none.
    #[cold]
    fn around(pc: u16, board: &Board, image: &'rom [u8], program: &'rom DecodedRom) -> Self {
        let Stretch { first, len, offset } = board.cart.stretch(pc);
        Self::new(u32::from(first), offset, usize::from(len), image, program)
    }

    /// Addresses from `first` on, and where they are in the image.
    fn new(first: u32, offset: usize, len: usize, image: &'rom [u8], program: &'rom DecodedRom) -> Self {
        let range = offset..offset + len;
        match (image.get(range.clone()), program.block_entries.get(range)) {
            (Some(bytes), Some(block_entries)) => {
                let returns = block_entries.get(1..).unwrap_or_default();
                Self { bytes, block_entries, returns, first, offset: offset as u16 }
            }
            _ => Self::default(),
        }
    }

    /// The op with which the program goes on at `pc`.
    #[inline(always)]
    fn start(&self, pc: u16) -> BlockEntry {
        self.block_entries.get(u32::from(pc).wrapping_sub(self.first) as usize).copied().unwrap_or_default()
    }
}

/// What the loop works on.
pub(crate) struct Threaded<'a, 'rom> {
    /// Registers, flags, time and RAM.
    state: State,
    /// The last byte moved, where it matters.
    latch: u8,
    /// A stop was requested.
    stopped: bool,
    /// The reference interpreter has to run the next instruction.
    bailed_out: bool,
    /// Instructions that JIT code left to handlers.
    bailouts: u32,
    /// Where the program goes on when the loop is left by the op for that.
    exit: u16,
    span: RomSpan<'rom>,
    rom: &'rom [u8; 0x1_0000],
    jit: Option<&'rom JitCode>,
    /// The ops with which handlers go on. If there is JIT code they only give the number of the next one.
    ops: &'rom ThreadedCode,
    board: &'a mut Board,
    picture: &'a mut Picture,
    /// Instructions left in reserve.
    reserve: i64,
    /// The registers while no blocks run.
    cpu: &'a mut Cpu,
    image: &'rom [u8],
    program: &'rom DecodedRom,
    /// Where the cartridge showed what when `code` was looked up.
    bases: [u32; 16],
}

impl<'rom> Threaded<'_, 'rom> {
    /// Looks for the plain ROM around the program counter, unless it is known. Gives the op to go on with.
    fn find_rom_span(&mut self) -> BlockEntry {
        let index = u32::from(self.cpu.pc).wrapping_sub(self.span.first);
        if index as usize >= self.span.bytes.len() {
            let span = RomSpan::around(self.cpu.pc, self.board, self.image, self.program);
            if span.bytes.is_empty() {
                return BlockEntry::default();
            }
            self.set_rom_span(span);
        }
        self.span.start(self.cpu.pc)
    }

    /// The program is in other plain ROM now.
    fn set_rom_span(&mut self, span: RomSpan<'rom>) {
        self.span = span;
        let bases = self.board.cart.bases();
        if self.bases != *bases {
            self.bases = *bases;
            if let Some(windows) = self.board.cart.windows() {
                self.state.set_windows(windows);
            }
        }
        self.state.set_rom_span(span.first, span.bytes.len() as u32, u32::from(span.offset));
    }

    /// The video chip was written to by something else than JIT code.
    fn invalidate_tia_shadow(&mut self) {
        if self.jit.is_some() {
            self.state.invalidate_tia_shadow(self.board.tia.grp);
        }
    }

    /// RAM, ports, timer and the cartridge's chip are in the state while the loop runs.
    fn load_chips(&mut self) {
        self.state.ram[0x80..0x100].copy_from_slice(&self.board.riot.ram);
        self.load_timer();
        self.load_display();
    }

    fn store_chips(&mut self) {
        self.board.riot.ram.copy_from_slice(&self.state.ram[0x80..0x100]);
        self.store_timer();
        self.store_display();
    }

    /// The chip of the cartridge is there only for JIT code.
    fn load_display(&mut self) {
        if self.jit.is_some() {
            self.board.cart.lend_display(&mut self.state.display);
        }
    }

    fn store_display(&mut self) {
        if self.jit.is_some() {
            self.board.cart.take_display(&self.state.display);
            self.state.display.clocks = 0;
        }
    }

    fn load_timer(&mut self) {
        let riot = &self.board.riot;
        self.state.ports = riot.ports(&self.board.levels);
        self.state.timer = riot.timer.packed();
    }

    fn store_timer(&mut self) {
        self.board.riot.ddra = self.state.ports[1];
        self.board.riot.timer = Timer::unpacked(self.state.timer);
    }

    /// VBLANK was written.
    #[cold]
    fn load_pins(&mut self) {
        self.state.pins = std::array::from_fn(|n| self.board.tia.high_from(n, &self.board.levels));
        self.state.pins_stale = false;
    }

    /// Runs an instruction in the reference interpreter, and those after it while they lie in RAM or are no plain ROM; gives their
    /// number.
    fn run_reference(&mut self, most: u32) -> u32 {
        self.board.latch = self.latch;
        self.store_chips();
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
        self.load_chips();
        if self.board.tia.written {
            self.invalidate_tia_shadow();
        }
        self.check_banks();
        ran
    }

    /// Runs from an op on until the program leaves what is decoded; gives the instructions left.
    #[inline(never)]
    fn run_blocks(&mut self, start: BlockEntry, left: u32) -> u32 {
        self.load_registers();
        self.state.time = packed(0, i64::from(self.board.cycles)) + i64::from(start.cycles_to_end);
        // The last instruction of all is left to the reference interpreter.
        self.reserve = i64::from(left) - 1;
        let mut next = start.op;
        while next != EXIT_OP {
            let left = self.left() - i64::from(self.overdraft());
            if left < 0 {
                next = self.exit_at(next);
            } else if let Some(jit) = self.jit {
                self.state.time += packed(left - (self.state.time >> CYCLE_BITS), 0);
                self.reserve = i64::from(self.overdraft());
                loop {
                    next = self.run_jit(jit, next);
                    if next == EXIT_OP || self.state.time < 0 {
                        break;
                    }
                }
            } else {
                let slice = left.min(SLICE);
                self.state.time += packed(slice - (self.state.time >> CYCLE_BITS), 0);
                self.reserve = left - slice;
                next = self.dispatch(self.ops, next);
            }
        }
        self.store_registers();
        self.board.cycles = self.state.time as u32 & ((1 << CYCLE_BITS) - 1);
        if self.stopped {
            // Only a write stops the loop within a block.
            self.board.last_was_read = false;
        }
        (self.left() + 1) as u32
    }

    /// Runs JIT code, and the instruction that it cannot run; gives the next one.
    #[inline(always)]
    fn run_jit(&mut self, jit: &JitCode, next: u16) -> u16 {
        if self.state.pins_stale {
            self.load_pins();
        }
        let exit = jit.run(&mut self.state, next);
        if self.state.rom_span()
            != [self.span.first, self.span.bytes.len() as u32, u32::from(self.span.offset)]
        {
            self.follow_rom_span();
        }
        let writes = self.state.write_log();
        if !writes.is_empty() {
            self.board.tia.write_all(writes, self.picture);
        }
        if !self.board.tia.drawing {
            // After those that were logged: where the last write was one of them, its value is not in this state.
            self.board.tia.take_colors(self.state.colors());
        }
        match exit {
            Exit::OutOfBudget(next) => next,
            Exit::Bailout(op) => {
                self.bailouts += 1;
                let entry = &self.program.ops[usize::from(op)];
                (entry.handler)(self, self.ops, entry.op, op.wrapping_add(1))
            }
        }
    }

    /// JIT code has gone on in other plain ROM.
    #[cold]
    fn follow_rom_span(&mut self) {
        let [first, len, offset] = self.state.rom_span();
        self.span = RomSpan::new(first, offset as usize, len as usize, self.image, self.program);
    }

    /// Instructions that are kept back, since JIT code may run a few too many.
    #[inline(always)]
    fn overdraft(&self) -> u32 {
        if self.jit.is_some() { MAX_OVERDRAFT } else { 0 }
    }

    /// Instructions left at the end of the block, but for the last.
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
fn exiting_code() -> &'static ThreadedCode {
    static EXITING: OnceLock<Box<ThreadedCode>> = OnceLock::new();
    EXITING.get_or_init(|| {
        let entry = ThreadedOp { op: 0, handler: handlers::stop };
        vec![entry; 0x1_0000].into_boxed_slice().try_into().expect("it is as long as that")
    })
}
