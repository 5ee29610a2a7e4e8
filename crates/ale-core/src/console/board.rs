//! The wiring: which chip an address selects, the data-bus latch, and the clock.

use super::cart::Cart;
use super::cpu::Bus;
use super::input::Levels;
use super::riot::Riot;
use super::tia::registers::WSYNC;
use super::tia::{Picture, Tia};
use crate::rng::Mt19937;

/// Everything the CPU talks to, as one plain value.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    /// CPU cycles since the frame or the reset began.
    pub(crate) cycles: u32,
    /// The last byte moved; it shows in the bits that no chip drives.
    pub(crate) latch: u8,
    /// The last access was a read; only then WSYNC waits.
    pub(crate) last_was_read: bool,
    pub(crate) riot: Riot,
    pub(crate) tia: Tia,
    pub(crate) cart: Cart,
    pub(crate) levels: Levels,
    pub(crate) rng: Mt19937,
}

/// A checkpoint: all that a frame changes of the board.
#[derive(Debug, Clone)]
pub(crate) struct Checkpoint {
    pub(super) cycles: u32,
    pub(super) latch: u8,
    pub(super) last_was_read: bool,
    pub(super) riot: Riot,
    pub(super) tia: Tia,
    pub(super) cart: Cart,
}

/// The chips that A12, A9 and A7 select.
#[derive(Debug, PartialEq, Eq)]
enum Chip {
    Tia,
    Ram,
    Riot,
    Cartridge,
}

#[inline(always)]
const fn select(address: u16) -> Chip {
    match (address & 0x1000 != 0, address & 0x0080 != 0, address & 0x0200 != 0) {
        (true, _, _) => Chip::Cartridge,
        (false, false, _) => Chip::Tia,
        (false, true, false) => Chip::Ram,
        (false, true, true) => Chip::Riot,
    }
}

impl Board {
    /// Sets the cycle counter back to 0; every stored time keeps its distance from now.
    pub(crate) fn rebase(&mut self) {
        self.riot.rebase(self.cycles);
        self.tia.rebase(self.cycles);
        self.cart.rebase(self.cycles);
        self.cycles = 0;
    }

    /// [`Self::checkpoint`] into memory that is there already.
    pub(crate) fn checkpoint_into(&self, checkpoint: &mut Checkpoint) {
        (checkpoint.cycles, checkpoint.latch, checkpoint.last_was_read) =
            (self.cycles, self.latch, self.last_was_read);
        checkpoint.riot.clone_from(&self.riot);
        checkpoint.tia.clone_from(&self.tia);
        checkpoint.cart.clone_from(&self.cart);
    }

    /// What [`Self::rollback`] needs to return here.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            cycles: self.cycles,
            latch: self.latch,
            last_was_read: self.last_was_read,
            riot: self.riot.clone(),
            tia: self.tia.clone(),
            cart: self.cart.clone(),
        }
    }

    pub(crate) fn rollback(&mut self, checkpoint: &Checkpoint) {
        (self.cycles, self.latch, self.last_was_read) =
            (checkpoint.cycles, checkpoint.latch, checkpoint.last_was_read);
        self.riot.clone_from(&checkpoint.riot);
        self.tia.clone_from(&checkpoint.tia);
        self.cart.clone_from(&checkpoint.cart);
    }

    /// The board's part of a system reset.
    pub(crate) fn reset(&mut self, image: &[u8]) {
        self.rebase();
        self.riot.reset(&mut self.rng);
        self.tia.reset();
        self.cart.reset(image, &mut self.rng, self.cycles);
    }

    /// What a read would give, without moving anything.
    pub(crate) fn peek(&self, image: &[u8], address: u16) -> u8 {
        match select(address) {
            Chip::Cartridge => self.cart.peek(image, address),
            Chip::Ram => self.riot.ram[usize::from(address & 0x7F)],
            Chip::Riot => self.riot.clone().read(address, &self.levels, self.cycles),
            Chip::Tia => self.tia.peek(address, self.cycles, &self.levels) | self.latch & 0x3F,
        }
    }
}

/// The board with what lives beside it: the bus of the CPU while a frame runs.
pub(crate) struct Wires<'a> {
    pub(crate) board: &'a mut Board,
    pub(crate) image: &'a [u8],
    pub(crate) picture: &'a mut Picture,
}

impl Wires<'_> {
    #[inline]
    fn read_tia(&mut self, address: u16) -> u8 {
        let board = &mut *self.board;
        let driven = board.tia.read(address, board.cycles, &board.levels, self.picture);
        driven | board.latch & 0x3F
    }

    #[inline]
    fn write_tia(&mut self, address: u16, value: u8) {
        let board = &mut *self.board;
        let register = (address & 0x3F) as u8;
        board.tia.write(register, value, board.cycles, self.picture);
        if register == WSYNC && board.last_was_read {
            board.cycles = board.next_line(board.cycles);
        }
    }

    #[cold]
    fn read_watched(&mut self, address: u16) -> u8 {
        if let Some(value) = self.board.cart.read_low(self.image, address) {
            return value;
        }
        self.read_chip(address)
    }

    #[cold]
    fn write_watched(&mut self, address: u16, value: u8) {
        if self.board.cart.write_low(self.image, address, value) {
            self.write_chip(address, value);
        }
    }

    #[inline(always)]
    fn read_chip(&mut self, address: u16) -> u8 {
        match select(address) {
            Chip::Cartridge => {
                let board = &mut *self.board;
                board.cart.read(self.image, address, board.cycles)
            }
            Chip::Ram => self.board.riot.ram[usize::from(address & 0x7F)],
            Chip::Tia => self.read_tia(address),
            Chip::Riot => {
                let board = &mut *self.board;
                board.riot.read(address, &board.levels, board.cycles)
            }
        }
    }

    #[inline(always)]
    fn write_chip(&mut self, address: u16, value: u8) {
        match select(address) {
            Chip::Ram => self.board.riot.ram[usize::from(address & 0x7F)] = value,
            Chip::Tia => self.write_tia(address, value),
            Chip::Riot => self.board.riot.write(address, value, self.board.cycles),
            Chip::Cartridge => {
                let board = &mut *self.board;
                if board.cart.write(self.image, address, value, board.cycles) {
                    self.write_tia(address, value);
                }
            }
        }
    }
}

impl Board {
    /// The cycle at which the next line begins, or `cycles` if one has just begun.
    #[inline]
    pub(crate) fn next_line(&self, cycles: u32) -> u32 {
        let begin = self.this_line(cycles);
        if begin == cycles { cycles } else { begin.wrapping_add(76) }
    }

    /// The cycle at which the line of a cycle has begun.
    #[inline]
    pub(crate) fn this_line(&self, cycles: u32) -> u32 {
        cycles.wrapping_sub(cycles.wrapping_sub((self.tia.frame_start / 3) as u32) % 76)
    }
}

impl Bus for Wires<'_> {
    #[inline(always)]
    fn read(&mut self, address: u16) -> u8 {
        let value = if address & 0x1000 == 0 && self.board.cart.watches_low_pages() {
            self.read_watched(address)
        } else {
            self.read_chip(address)
        };
        self.board.latch = value;
        self.board.last_was_read = true;
        value
    }

    #[inline(always)]
    fn write(&mut self, address: u16, value: u8) {
        if address & 0x1000 == 0 && self.board.cart.watches_low_pages() {
            self.write_watched(address, value);
        } else {
            self.write_chip(address, value);
        }
        self.board.latch = value;
        self.board.last_was_read = false;
    }

    #[inline(always)]
    fn tick(&mut self, cpu_cycles: u32) {
        self.board.cycles = self.board.cycles.wrapping_add(cpu_cycles);
    }
}
