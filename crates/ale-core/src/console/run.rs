//! The loop that runs a frame: the CPU on a bus that keeps what is hot in registers.
//!
//! [`Wires`] is the plain bus: every access looks up its chip, stores the latch and the clock.
//! [`Hot`] gives the same results with less work while the program is plain ROM: the bytes of an
//! instruction are loaded at once, and the latch is stored once an instruction. Instructions that lie
//! elsewhere are run on the plain bus.

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
pub(crate) fn run_plainly(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    let mut left = limit;
    while left > 0 && !wires.board.tia.stop && !cpu.jammed() {
        *cpu = run_one(cpu.clone(), wires);
        left -= 1;
    }
}

/// One instruction on the plain bus. By value, so that the registers of the hot loop stay registers.
#[inline(never)]
fn run_one(mut cpu: Cpu, wires: &mut Wires) -> Cpu {
    cpu.run_instruction(wires);
    cpu
}

fn run_hot(cpu: &mut Cpu, wires: &mut Wires, limit: u32) {
    if cpu.jammed() {
        return;
    }
    let Wires { board, image, picture } = wires;
    let mut left = limit;
    let mut code = Code::default();
    while left > 0 {
        // The registers stay in memory: kept in the machine's registers they are more than there are,
        // and the loop would spend its time moving them about.
        compiler_fence(Ordering::SeqCst);
        let Some(program) = code.at(cpu.pc) else {
            code = Code::around(cpu.pc, board, image);
            if code.at(cpu.pc).is_none() {
                left -= 1;
                *cpu = run_one(cpu.clone(), &mut Wires { board, image, picture });
                code = Code::default();
                if board.tia.stop || cpu.jammed() {
                    return;
                }
            }
            continue;
        };
        let mut bus =
            Hot { latch: 0, last_was_read: true, program, left: left - 1, code, board, image, picture };
        cpu.execute(&mut bus);
        (left, code) = (bus.left, bus.code);
        board.latch = bus.latch;
    }
}

/// The piece of plain ROM in which the program is.
#[derive(Clone, Copy, Default)]
struct Code<'rom> {
    first: usize,
    bytes: &'rom [u8],
}

impl<'rom> Code<'rom> {
    /// The plain ROM around `pc`, empty if there is none.
    #[cold]
    fn around(pc: u16, board: &Board, image: &'rom [u8]) -> Self {
        let Stretch { first, len, offset } = board.cart.stretch(pc);
        let bytes = image.get(offset..offset + usize::from(len) + 3).unwrap_or_default();
        Self { first: usize::from(first), bytes }
    }

    /// An instruction's opcode and what follows it.
    #[inline(always)]
    fn at(&self, pc: u16) -> Option<u32> {
        let index = usize::from(pc).wrapping_sub(self.first);
        let bytes = self.bytes.get(index..index.wrapping_add(4))?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// The bus during one instruction of the hot loop.
struct Hot<'a, 'rom> {
    latch: u8,
    last_was_read: bool,
    /// The bytes of the instruction that are still to come.
    program: u32,
    /// Instructions until the frame call ends; a stop request makes it 0.
    left: u32,
    code: Code<'rom>,
    board: &'a mut Board,
    image: &'rom [u8],
    picture: &'a mut Picture,
}

/// TIA or RIOT.
#[inline(never)]
fn read_device(board: &mut Board, picture: &mut Picture, address: u16, latch: u8) -> u8 {
    if address & 0x80 == 0 {
        board.tia.read(address, board.cycles, &board.levels, picture) | latch & 0x3F
    } else {
        board.riot.read(address, &board.levels, board.cycles)
    }
}

impl Bus for Hot<'_, '_> {
    #[inline(always)]
    fn read(&mut self, address: u16) -> u8 {
        let value = if address & 0x1000 != 0 {
            if let Some(value) = self.board.cart.read_plain(self.image, address) {
                value
            } else {
                self.code = Code::default();
                self.board.cart.read(self.image, address, self.board.cycles)
            }
        } else if address & 0x280 == 0x80 {
            self.board.riot.ram[usize::from(address & 0x7F)]
        } else {
            read_device(self.board, self.picture, address, self.latch)
        };
        self.latch = value;
        self.last_was_read = true;
        value
    }

    #[inline(always)]
    fn write(&mut self, address: u16, value: u8) {
        if address & 0x1080 == 0x80 && address & 0x200 == 0 {
            self.board.riot.ram[usize::from(address & 0x7F)] = value;
        } else if address & 0x1080 == 0 {
            let register = (address & 0x3F) as u8;
            if register == WSYNC {
                write_wsync(self.board, self.picture, self.last_was_read);
            } else {
                self.board.tia.write(register, value, self.board.cycles, self.picture);
            }
            if self.board.tia.stop {
                self.left = 0;
            }
        } else if address & 0x1000 == 0 {
            self.board.riot.write(address, value, self.board.cycles);
        } else {
            self.code = Code::default();
            self.board.cart.write(self.image, address, value, self.board.cycles);
        }
        self.latch = value;
        self.last_was_read = false;
    }

    #[inline(always)]
    fn jam(&mut self) {
        self.left = 0;
    }

    #[inline(always)]
    fn tick(&mut self, cpu_cycles: u32) {
        self.board.cycles = self.board.cycles.wrapping_add(cpu_cycles);
    }

    #[inline(always)]
    fn fetch(&mut self, _address: u16) -> u8 {
        let value = self.program as u8;
        self.program >>= 8;
        self.latch = value;
        self.last_was_read = true;
        value
    }
}

/// WSYNC: the CPU goes on when the next line begins.
#[inline(never)]
fn write_wsync(board: &mut Board, picture: &mut Picture, last_was_read: bool) {
    board.tia.write(WSYNC, 0, board.cycles, picture);
    if last_was_read {
        board.cycles = board.next_line(board.cycles);
    }
}
