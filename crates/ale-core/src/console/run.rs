//! The loop that runs a frame: the CPU on a bus that keeps what is hot in registers.
//!
//! [`Wires`] is the plain bus: every access looks up its chip, stores the latch and the clock.
//! [`Hot`] gives the same results with less work while the program is plain ROM: the bytes of an
//! instruction are loaded at once, and the latch is stored once an instruction. Instructions that lie
//! elsewhere are run on the plain bus.

use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

use super::board::{Board, Wires};
use super::cart::Stretch;
use super::cpu::{Bus, Cpu};
use super::picture::Picture;
use super::tia::registers::WSYNC;

/// Runs until a stop is requested, the CPU jams, or `limit` instructions have been executed.
pub(crate) fn run(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    if wires.board.cart.watches_low_pages() {
        run_plainly(cpu, wires, limit);
    } else {
        run_hot(cpu, wires, limit);
    }
}

/// All on the plain bus.
fn run_plainly(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    cpu.run_instructions(wires, limit, |wires| wires.board.tia.stop);
}

fn run_hot(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    if cpu.jammed() {
        return;
    }
    let mut hot = (
        cpu.clone(),
        Hot {
            latch: wires.board.latch,
            code: Code::default(),
            board: &mut *wires.board,
            image: wires.image,
            picture: &mut *wires.picture,
        },
    );
    // Only the counters live in registers of the machine. With the registers of the CPU there are more
    // of them than there is room for, and the loop would spend half of its time moving them about.
    let (registers, hot) = black_box(&mut hot);
    let mut pc = registers.pc;
    let mut cycles = hot.board.cycles;
    let mut left = limit;
    while left > 0 {
        compiler_fence(Ordering::SeqCst);
        if let Some(program) = hot.code.at(pc) {
            let mut bus = Step { hot, program, pc, cycles, left: left - 1, latch: 0, last_was_read: true };
            registers.execute(&mut bus, &mut pc);
            (cycles, left) = (bus.cycles, bus.left);
            hot.latch = bus.latch;
        } else {
            registers.pc = pc;
            (cycles, left) = hot.leave_code(registers, cycles, left);
            pc = registers.pc;
        }
    }
    hot.board.cycles = cycles;
    hot.board.latch = hot.latch;
    registers.pc = pc;
    *cpu = registers.clone();
}

/// The piece of plain ROM in which the program is.
#[derive(Clone, Copy, Default)]
struct Code<'rom> {
    first: u16,
    bytes: &'rom [u8],
}

impl<'rom> Code<'rom> {
    /// The plain ROM around `pc`, empty if there is none.
    #[cold]
    fn around(pc: u16, board: &Board, image: &'rom [u8]) -> Self {
        let Stretch { first, len, offset } = board.cart.stretch(pc);
        let bytes = image.get(offset..offset + usize::from(len) + 3).unwrap_or_default();
        Self { first, bytes }
    }

    /// An instruction's opcode and what follows it.
    #[inline(always)]
    fn at(&self, pc: u16) -> Option<u32> {
        let index = usize::from(pc.wrapping_sub(self.first));
        let bytes = self.bytes.get(index..index + 4)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }
}

/// What lasts longer than an instruction.
struct Hot<'a, 'rom> {
    /// The last byte moved.
    latch: u8,
    code: Code<'rom>,
    board: &'a mut Board,
    image: &'rom [u8],
    picture: &'a mut Picture,
}

impl Hot<'_, '_> {
    /// The program has left the piece of ROM: finds the next one, or runs one instruction on the plain bus.
    /// Gives the clock and the instructions left.
    #[inline(never)]
    fn leave_code(&mut self, registers: &mut Cpu, cycles: u32, left: u32) -> (u32, u32) {
        self.code = Code::around(registers.pc, self.board, self.image);
        if self.code.at(registers.pc).is_some() {
            return (cycles, left);
        }
        self.code = Code::default();
        self.board.cycles = cycles;
        self.board.latch = self.latch;
        registers.run_instruction(&mut Wires { board: self.board, image: self.image, picture: self.picture });
        self.latch = self.board.latch;
        let stopped = self.board.tia.stop || registers.jammed();
        (self.board.cycles, if stopped { 0 } else { left - 1 })
    }

    /// TIA, or RIOT without its RAM and timer.
    #[inline(never)]
    fn read_device(&mut self, address: u16, cycles: u32, latch: u8) -> u8 {
        let board = &mut *self.board;
        if address & 0x80 == 0 {
            board.tia.read(address, cycles, &board.levels, self.picture) | latch & 0x3F
        } else {
            board.riot.read(address, &board.levels, cycles)
        }
    }

    /// A program that waits for the timer in a loop of two instructions, a load of the timer and a branch
    /// back to it, goes round many times. This counts the rounds that are certain to go on, and the cycles
    /// of one; they need not be run. `pc` is behind the load, which then reads the timer in the last round.
    #[inline(never)]
    fn idle_rounds(&mut self, address: u16, pc: u16, cycles: u32) -> (u32, u32) {
        const LDA: u8 = 0xAD;
        const LDX: u8 = 0xAE;
        const LDY: u8 = 0xAC;
        const BIT: u8 = 0x2C;
        const BNE: u8 = 0xD0;
        const BPL: u8 = 0x10;
        /// From behind the branch to the load.
        const BACK: u8 = 0xFB;
        let start = usize::from(pc.wrapping_sub(self.code.first).wrapping_sub(3));
        let Some(&[load, _, _, branch, BACK]) = self.code.bytes.get(start..start + 5) else { return (0, 0) };
        let last_value = match (load, address & 1, branch) {
            (LDA | LDX | LDY, 0, BNE) => 1,
            (LDA | LDX | LDY | BIT, 0, BPL) | (BIT, 1, BPL) => 0,
            _ => return (0, 0),
        };
        let crossed = (pc.wrapping_add(2) ^ pc.wrapping_sub(3)) & 0xFF00 != 0;
        let round = 7 + u32::from(crossed);
        (self.board.riot.timer.rounds(cycles, round, last_value), round)
    }

    /// A write to the TIA other than WSYNC. Whether the frame goes on.
    #[inline(never)]
    fn write_tia(&mut self, address: u16, value: u8, cycles: u32) -> bool {
        let tia = &mut self.board.tia;
        tia.write((address & 0x3F) as u8, value, cycles, self.picture);
        !tia.stop
    }

    /// WSYNC. The clock when the next line begins, and whether the frame goes on.
    #[inline(never)]
    fn write_wsync(&mut self, cycles: u32) -> (u32, bool) {
        self.write_tia(u16::from(WSYNC), 0, cycles);
        (self.board.next_line(cycles), !self.board.tia.stop)
    }

    /// RIOT without its RAM, or cartridge.
    #[inline(never)]
    fn write_device(&mut self, address: u16, value: u8, cycles: u32) {
        let board = &mut *self.board;
        if address & 0x1000 == 0 {
            board.riot.write(address, value, cycles);
        } else {
            self.code = Code::default();
            board.cart.write(self.image, address, value, cycles);
        }
    }

    /// The cartridge outside of the piece where the program is.
    #[inline(never)]
    fn read_cart(&mut self, address: u16, cycles: u32) -> u8 {
        if let Some(value) = self.board.cart.read_plain(self.image, address) {
            return value;
        }
        self.code = Code::default();
        self.board.cart.read(self.image, address, cycles)
    }
}

/// The bus during one instruction.
struct Step<'s, 'a, 'rom> {
    hot: &'s mut Hot<'a, 'rom>,
    /// The bytes of the instruction that are still to come, and where they lie.
    program: u32,
    pc: u16,
    cycles: u32,
    /// Instructions until the frame call ends; a stop request makes it 0.
    left: u32,
    latch: u8,
    last_was_read: bool,
}

impl Bus for Step<'_, '_, '_> {
    #[inline(always)]
    fn read(&mut self, address: u16) -> u8 {
        let hot = &mut *self.hot;
        let value = if address & 0x1000 != 0 {
            match hot.code.bytes.get(usize::from(address.wrapping_sub(hot.code.first))) {
                Some(&value) => value,
                None => hot.read_cart(address, self.cycles),
            }
        } else if address & 0x280 == 0x80 {
            hot.board.riot.ram[usize::from(address & 0x7F)]
        } else {
            if address & 0x284 == 0x284 {
                let (rounds, round) = hot.idle_rounds(address, self.pc, self.cycles);
                let rounds = rounds.min(self.left / 2);
                self.cycles = self.cycles.wrapping_add(rounds * round);
                self.left -= 2 * rounds;
            }
            hot.read_device(address, self.cycles, self.latch)
        };
        self.latch = value;
        self.last_was_read = true;
        value
    }

    #[inline(always)]
    fn write(&mut self, address: u16, value: u8) {
        if address & 0x1280 == 0x80 {
            self.hot.board.riot.ram[usize::from(address & 0x7F)] = value;
        } else if address & 0x1080 == 0 {
            let goes_on;
            if address & 0x3F == u16::from(WSYNC) && self.last_was_read {
                (self.cycles, goes_on) = self.hot.write_wsync(self.cycles);
            } else {
                goes_on = self.hot.write_tia(address, value, self.cycles);
            }
            if !goes_on {
                self.left = 0;
            }
        } else {
            self.hot.write_device(address, value, self.cycles);
        }
        self.latch = value;
        self.last_was_read = false;
    }

    #[inline(always)]
    fn tick(&mut self, cpu_cycles: u32) {
        self.cycles = self.cycles.wrapping_add(cpu_cycles);
    }

    #[inline(always)]
    fn fetch(&mut self, address: u16) -> u8 {
        let value = self.program as u8;
        self.program >>= 8;
        self.pc = address.wrapping_add(1);
        self.latch = value;
        self.last_was_read = true;
        value
    }

    #[inline(always)]
    fn jam(&mut self) {
        self.left = 0;
    }
}
