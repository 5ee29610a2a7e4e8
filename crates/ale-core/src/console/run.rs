//! The loop that runs a frame.
//!
//! [`Wires`] is the plain bus: every access looks up its chip, stores the latch and the clock. It can run
//! everything. [`Hot`] gives the same results with less work while the program is plain ROM: it runs the
//! ops of `program.rs`, with the registers of the CPU in registers of the machine. What is rare is left to the
//! plain bus, one instruction at a time.

mod handlers;
mod table;

use self::table::HANDLERS;
use super::board::{Board, Wires};
use super::cart::Stretch;
use super::cpu::Cpu;
use super::picture::Picture;
use super::program::{LEAVING, Op, Program, Rest, kind_of, packed, waits};
use super::tia::registers::WSYNC;

/// Handlers run about this many instructions before they return to the loop.
const SLICE: i32 = 500;

/// Runs until a stop is requested, the CPU jams, or `limit` instructions have been executed.
pub(crate) fn run(cpu: &mut Cpu, wires: &mut Wires, program: Option<&Program>, limit: u32) {
    // The loop counts cycles in the lower half of a word and nothing may carry into the upper one.
    let room = wires.board.cycles < 1 << 31;
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
        ram: wires.board.riot.ram,
        time: 0,
        pause: 0,
        registers: [0; 4],
        sp: 0,
        carry: 0,
        nz: 0,
        overflow: false,
        decimal: false,
        interrupt: false,
        latch: wires.board.latch,
        code: Code::default(),
        cpu,
        board: &mut *wires.board,
        image: wires.image,
        picture: &mut *wires.picture,
        program,
        ops: &program.ops,
        bases: [0; 16],
        exit: 0,
        line,
        stopped: false,
        gave_up: false,
    };
    let mut left = limit;
    while left > 0 && !hot.stopped && !hot.cpu.jammed {
        hot.find_code();
        let start = hot.code.start(hot.cpu.pc);
        if start.op != 0 && left > u32::from(start.instructions) && !hot.gave_up {
            left = hot.run_streams(start, left);
        } else {
            hot.gave_up = false;
            hot.run_plain_instruction();
            left -= 1;
        }
    }
    hot.board.latch = hot.latch;
    hot.board.riot.ram = hot.ram;
}

/// The piece of plain ROM in which the program is.
#[derive(Clone, Copy, Default)]
struct Code<'rom> {
    first: u16,
    /// Offset in the image.
    offset: u16,
    bytes: &'rom [u8],
    starts: &'rom [Rest],
}

impl<'rom> Code<'rom> {
    /// The plain ROM around `pc`, empty if there is none.
    #[cold]
    fn around(pc: u16, board: &Board, image: &'rom [u8], program: &'rom Program) -> Self {
        let Stretch { first, len, offset } = board.cart.stretch(pc);
        let range = offset..offset + usize::from(len);
        match (image.get(range.clone()), program.starts.get(range)) {
            (Some(bytes), Some(starts)) => Self { first, offset: offset as u16, bytes, starts },
            _ => Self::default(),
        }
    }

    /// The op with which the program goes on at `pc`.
    #[inline(always)]
    fn start(&self, pc: u16) -> Rest {
        match self.starts.get(usize::from(pc.wrapping_sub(self.first))) {
            Some(&start) => start,
            None => Rest { place: 0, cycles: 0, instructions: 0, op: 0 },
        }
    }
}

/// What the loop works on.
struct Hot<'a, 'rom> {
    /// RAM and registers are here while streams run, at hand.
    ram: [u8; 128],
    /// At the end of the stream: instructions left, and the clock.
    time: i64,
    /// Handlers return to the loop when less than this is left.
    pause: i64,
    /// A, X and Y.
    registers: [u8; 4],
    sp: u8,
    /// 0 or 1.
    carry: u32,
    /// Z if the low byte is 0, N if bit 7 or 8 is set.
    nz: u32,
    overflow: bool,
    decimal: bool,
    interrupt: bool,
    /// The last byte moved, where it matters.
    latch: u8,
    /// The begin of a line; after a WSYNC that to which it has waited.
    line: u32,
    /// A stop was requested.
    stopped: bool,
    /// The plain bus has to run the next instruction.
    gave_up: bool,
    /// Where the program goes on when the loop is left by the op for that.
    exit: u16,
    code: Code<'rom>,
    /// The registers while no streams run.
    cpu: &'a mut Cpu,
    board: &'a mut Board,
    image: &'rom [u8],
    picture: &'a mut Picture,
    program: &'rom Program,
    ops: &'rom [Op; 0x1_0000],
    /// Where the cartridge showed what when `code` was looked up.
    bases: [u32; 16],
}

impl Hot<'_, '_> {
    /// Looks for the plain ROM around the program counter, unless it is known.
    fn find_code(&mut self) {
        let index = usize::from(self.cpu.pc.wrapping_sub(self.code.first));
        if index >= self.code.bytes.len() {
            self.code = Code::around(self.cpu.pc, self.board, self.image, self.program);
            self.bases = *self.board.cart.bases();
        }
    }

    fn run_plain_instruction(&mut self) {
        self.board.latch = self.latch;
        self.board.riot.ram = self.ram;
        self.cpu.run_instruction(&mut Wires { board: self.board, image: self.image, picture: self.picture });
        self.latch = self.board.latch;
        self.ram = self.board.riot.ram;
        self.stopped = self.board.tia.stop;
        self.check_banks();
    }

    /// Runs from an op on until the program leaves what is decoded; gives the instructions left.
    #[inline(never)]
    fn run_streams(&mut self, start: Rest, left: u32) -> u32 {
        self.load_registers();
        self.time = packed(left as i32, self.board.cycles as i32) + start.ahead();
        let mut next = start.op;
        while next != LEAVING {
            if self.time < 1 << 32 {
                next = self.leave(next);
            } else {
                self.pause = (self.time - packed(SLICE, 0)).max(1 << 32);
                next = self.go_on(next);
            }
        }
        self.store_registers();
        self.board.cycles = self.time as u32;
        if self.stopped {
            // Only a write stops streams.
            self.board.last_was_read = false;
        }
        (self.time >> 32) as u32
    }

    /// Runs an op and those that follow it until it is time to pause; gives the op after that.
    // Handlers end with this, so the compiler makes a jump of it and each handler has its own, which the
    // processor can predict. Where it does not, handlers call each other no deeper than [`SLICE`].
    #[inline(always)]
    fn go_on(&mut self, next: u16) -> u16 {
        let op = self.ops[usize::from(next)];
        HANDLERS[usize::from(kind_of(op))](self, op, next.wrapping_add(1))
    }

    fn load_registers(&mut self) {
        let cpu = &*self.cpu;
        self.registers = [cpu.a, cpu.x, cpu.y, 0];
        self.sp = cpu.sp;
        (self.overflow, self.decimal, self.interrupt) = (cpu.overflow, cpu.decimal, cpu.interrupt);
        self.carry = u32::from(cpu.carry);
        self.nz = u32::from(cpu.zero != 0) | u32::from(cpu.negative & 0x80) << 1;
    }

    fn store_registers(&mut self) {
        let status = self.status();
        let cpu = &mut *self.cpu;
        [cpu.a, cpu.x, cpu.y, _] = self.registers;
        cpu.sp = self.sp;
        cpu.set_p(status);
        cpu.pc = self.exit;
    }

    /// The status register.
    #[inline(never)]
    fn status(&self) -> u8 {
        let bit = |is: bool, n: u8| u8::from(is) << n;
        bit(self.nz & 0x180 != 0, 7)
            | bit(self.overflow, 6)
            | 0x30
            | bit(self.decimal, 3)
            | bit(self.interrupt, 2)
            | bit(self.nz & 0xFF == 0, 1)
            | self.carry as u8
    }

    /// Where an op lies and what is left of its stream.
    #[inline(always)]
    fn rest_of(&self, op: u16) -> Rest {
        self.program.rests.get(usize::from(op)).copied().unwrap_or_default()
    }

    /// The address at which an op lies.
    #[inline(always)]
    fn address_of(&self, rest: Rest) -> u16 {
        self.code.first.wrapping_add(rest.place.wrapping_sub(self.code.offset))
    }

    /// A program that waits for the timer in a loop of two instructions, a load of the timer and a branch
    /// back to it, goes round many times. The rounds that are certain to go on need not be run. The load then
    /// reads the timer in the last round.
    #[inline(never)]
    fn skip_idle_rounds(&mut self, op: Op) {
        let least = u32::from(waits(op) & 7) - 1;
        let round = 7 + u32::from(waits(op) >> 3);
        let rounds = self.board.riot.timer.rounds(self.now(op), round, least).min((self.time >> 33) as u32);
        self.time += packed(-2 * rounds as i32, (rounds * round) as i32);
    }

    /// TIA, or RIOT without its RAM.
    #[inline(never)]
    fn read_device(&mut self, address: u16, now: u32, shown: u8) -> u8 {
        let board = &mut *self.board;
        if address & 0x80 == 0 {
            board.tia.read(address, now, &board.levels, self.picture) | shown & 0x3F
        } else {
            board.riot.read(address, &board.levels, now)
        }
    }

    /// Anything but RAM and the plain ROM where the program is.
    #[inline(never)]
    fn read_elsewhere(&mut self, address: u16, now: u32, shown: u8) -> u8 {
        if address & 0x1000 == 0 {
            return self.read_device(address, now, shown);
        }
        if let Some(value) = self.board.cart.read_plain(self.image, address) {
            return value;
        }
        let value = self.board.cart.read(self.image, address, now);
        self.check_banks_after(address);
        self.latch = value;
        value
    }

    /// After an access to the cartridge: all hot spots lie at the end of the window.
    #[inline]
    fn check_banks_after(&mut self, address: u16) {
        if address & 0xFFF >= 0xFE0 {
            self.check_banks();
        }
    }

    /// After an access that may have switched banks.
    #[inline]
    fn check_banks(&mut self) {
        if *self.board.cart.bases() != self.bases {
            // Where the program is must still be known.
            self.code.bytes = &[];
            self.code.starts = &[];
        }
    }

    /// A write to the TIA other than WSYNC.
    #[inline(never)]
    fn write_tia(&mut self, address: u16, value: u8, now: u32) {
        let tia = &mut self.board.tia;
        tia.write((address & 0x3F) as u8, value, now, self.picture);
        self.stopped = tia.stop;
    }

    /// The clock when the line after `now` begins.
    #[inline(always)]
    fn next_line(&mut self, now: u32) -> u32 {
        let passed = now.wrapping_sub(self.line);
        // Mostly less than a line has passed since the last WSYNC.
        self.line = match passed {
            0 => now,
            1..=76 => self.line.wrapping_add(76),
            _ => self.board.next_line(now),
        };
        self.line
    }

    /// Anything but RAM. The clock when the program goes on.
    #[inline(never)]
    fn write_elsewhere(&mut self, address: u16, value: u8, now: u32) -> u32 {
        self.latch = value;
        if address & 0x1000 != 0 {
            self.board.cart.write(self.image, address, value, now);
            self.check_banks_after(address);
        } else if address & 0x80 != 0 {
            self.board.riot.write(address, value, now);
        } else if address & 0x3F == u16::from(WSYNC) {
            self.write_tia(address, value, now);
            return self.next_line(now);
        } else {
            self.write_tia(address, value, now);
        }
        now
    }

    #[cold]
    #[inline(never)]
    fn add_decimally(&mut self, value: u8) {
        self.store_registers();
        self.cpu.adc(value);
        self.load_registers();
    }

    #[cold]
    #[inline(never)]
    fn subtract_decimally(&mut self, value: u8) {
        self.store_registers();
        self.cpu.sbc(value);
        self.load_registers();
    }
}
