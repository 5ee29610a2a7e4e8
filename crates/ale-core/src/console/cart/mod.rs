//! The cartridge: what the CPU sees at addresses with A12 = 1.
//!
//! | file | schemes |
//! |---|---|
//! | `banks.rs` | 2K, 4K and FE; F8, F6, F4, with RAM or without, FASC; MB; UA |
//! | `slices.rs` | E0, E7 |
//! | `tigervision.rs` | 3F, 3E |
//! | `commavid.rs` | CV |
//! | `megacart.rs` | MC |
//! | `supercharger.rs` | AR |
//! | `dpc.rs` | DPC |
//!
//! Most accesses are plain ROM: [`Map`] answers them with one comparison and two loads, whatever the scheme.
//! What remains (hot spots, RAM ports, chip registers) goes to the scheme. A bank switch happens before the
//! access that causes it returns its byte.

mod banks;
mod commavid;
mod copy;
mod detect;
mod dpc;
mod map;
mod megacart;
mod scheme;
mod slices;
mod state;
mod supercharger;
#[cfg(test)]
mod tests;
mod tigervision;

use std::sync::Arc;

use crate::error::Error;
use crate::rng::Mt19937;
use crate::rom::Rom;

use banks::Banks;
use commavid::Commavid;
use dpc::Dpc;
use map::{Map, Span};
pub(crate) use map::{Plain, Stretch};
use megacart::Megacart;
pub use scheme::Scheme;
use slices::{E0, E7};
use supercharger::Supercharger;
use tigervision::Tigervision;

/// A cartridge without its image, which every copy shares and which is handed to each access.
#[derive(Debug, PartialEq)]
pub struct Cart {
    map: Map,
    watches_low_pages: bool,
    scheme: Scheme,
    board: Board,
}

/// The electronics behind the window.
#[derive(Debug, PartialEq)]
enum Board {
    Banks(Banks),
    E0(E0),
    E7(E7),
    Tigervision(Tigervision),
    Commavid(Commavid),
    Megacart(Megacart),
    Supercharger(Supercharger),
    Dpc(Dpc),
}

/// Calls the same method of whichever board it is.
macro_rules! on_board {
    ($cart:expr, $board:ident => $call:expr) => {
        match $cart {
            Board::Banks($board) => $call,
            Board::E0($board) => $call,
            Board::E7($board) => $call,
            Board::Tigervision($board) => $call,
            Board::Commavid($board) => $call,
            Board::Megacart($board) => $call,
            Board::Supercharger($board) => $call,
            Board::Dpc($board) => $call,
        }
    };
}
use on_board;

impl Cart {
    /// Copies the chip of a DPC to where JIT code works on it.
    #[inline]
    pub(crate) fn lend_display(&self, display: &mut ale_jit::Display) {
        if let Board::Dpc(dpc) = &self.board {
            *display = *dpc.display();
        }
    }

    /// Takes it back.
    #[inline]
    pub(crate) fn take_display(&mut self, display: &ale_jit::Display) {
        if let Board::Dpc(dpc) = &mut self.board {
            dpc.set_display(display);
        }
    }

    /// The cartridge as it is before the first reset, and the image as the machine sees it.
    ///
    /// # Errors
    /// [`Error::Config`] when an image of this size cannot have this scheme.
    pub fn load(rom: &Rom, scheme: Scheme) -> Result<(Self, Arc<[u8]>), Error> {
        scheme.check_size(rom.bytes().len())?;
        let (board, image) = match scheme {
            Scheme::E0 => (Board::E0(E0::new()), rom.shared_bytes()),
            Scheme::E7 => (Board::E7(E7::new()), rom.shared_bytes()),
            Scheme::ThreeF | Scheme::ThreeE => (
                Board::Tigervision(Tigervision::new(scheme, rom.bytes().len())),
                tigervision::whole_banks(rom),
            ),
            Scheme::Cv => (Board::Commavid(Commavid::new(rom.bytes().len())), rom.shared_bytes()),
            Scheme::Mc => (Board::Megacart(Megacart::new()), megacart::right_aligned(rom.bytes())),
            Scheme::Ar => (Board::Supercharger(Supercharger::new()), supercharger::with_bios(rom.bytes())),
            Scheme::Dpc => (Board::Dpc(Dpc::new()), rom.shared_bytes()),
            _ => (Board::Banks(Banks::new(scheme)), banks::window_or_more(rom, scheme)),
        };
        let watches_low_pages = matches!(scheme, Scheme::ThreeF | Scheme::ThreeE | Scheme::Mc | Scheme::Ua);
        let mut cart = Self { map: Map::new(), watches_low_pages, scheme, board };
        cart.remap();
        Ok((cart, image))
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The system reset: the first bank again, and RAM filled anew by one draw for each byte.
    pub fn reset(&mut self, image: &[u8], rng: &mut Mt19937, now: u32) {
        on_board!(&mut self.board, board => board.reset(image, rng, now));
        self.remap();
    }

    /// A read at an address with A12 = 1; `now` is the cycle counter.
    #[inline(always)]
    pub fn read(&mut self, image: &[u8], address: u16, now: u32) -> u8 {
        if self.map.reads.has(address) {
            self.map.byte(image, address)
        } else {
            self.read_board(image, address, now)
        }
    }

    /// A read at an address with A12 = 1 if it is plain ROM.
    #[inline(always)]
    pub(crate) fn read_plain(&self, image: &[u8], address: u16) -> Option<u8> {
        self.map.reads.has(address).then(|| self.map.byte(image, address))
    }

    /// A read at an address with A12 = 1 if it is display data of a DPC, of which there are many.
    #[inline(always)]
    pub(crate) fn read_display(&mut self, image: &[u8; 0x1_0000], address: u16) -> Option<u8> {
        match &mut self.board {
            Board::Dpc(dpc) => dpc.read_display(image, address & 0xFFF),
            _ => None,
        }
    }

    /// A read at an address with A12 = 1 if it is the music of a DPC.
    #[inline(always)]
    pub(crate) fn read_music(&mut self, address: u16, now: u32) -> Option<u8> {
        match &mut self.board {
            Board::Dpc(dpc) => dpc.read_music(address & 0xFFF, now),
            _ => None,
        }
    }

    /// Whether an address with A12 = 1 is plain ROM.
    #[inline(always)]
    pub(crate) fn is_plain(&self, address: u16) -> bool {
        self.map.reads.has(address)
    }

    /// Where in the image each KiB of the window lies, by A10 to A13.
    #[inline(always)]
    pub(crate) fn bases(&self) -> &[u32; 16] {
        &self.map.base
    }

    /// The plain ROM by A10, A11 and A13, as JIT code looks for it; `None` if a program sees one bank only.
    #[inline]
    pub(crate) fn windows(&self) -> Option<[ale_jit::RomWindow; 12]> {
        let has_many = matches!(self.board, Board::E0(_) | Board::E7(_)) || self.scheme == Scheme::Fe;
        has_many.then(|| self.map.windows())
    }

    /// The plain ROM around `address`, in one piece.
    pub(crate) fn stretch(&self, address: u16) -> Stretch {
        self.map.stretch(address)
    }

    /// The parts of the image that are plain ROM wherever and whenever they are mapped.
    pub(crate) fn plain(&self, image: &[u8]) -> Plain {
        match &self.board {
            _ if self.watches_low_pages => Plain::none(),
            Board::Banks(_) if self.scheme == Scheme::Fe => {
                Plain::new(0x1000, image.len(), self.map.reads, self.map.reads).not_whole()
            }
            Board::Banks(_) => Plain::new(0x1000, image.len(), self.map.reads, self.map.reads),
            Board::Dpc(_) => {
                Plain::new(0x1000, image.len().min(0x2000), self.map.reads, self.map.reads).with_fetchers()
            }
            Board::E0(_) => Plain::new(0x400, image.len(), Span::new(0, 0x400), Span::new(0, 0x3E0)),
            Board::E7(_) => Plain::new(0x800, image.len(), Span::NONE, Span::new(0x200, 0x7E0)),
            _ => Plain::none(),
        }
    }

    /// A write at an address with A12 = 1. True: the same write must be performed on the TIA too.
    #[inline(always)]
    pub fn write(&mut self, image: &[u8], address: u16, value: u8, now: u32) -> bool {
        !self.map.writes.has(address) && self.write_board(image, address, value, now)
    }

    /// The byte a read would give now, without moving anything. (No time passes for the music of a DPC.)
    pub fn peek(&self, image: &[u8], address: u16) -> u8 {
        if self.map.reads.has(address) {
            self.map.byte(image, address)
        } else {
            match &self.board {
                Board::Banks(board) => board.peek(image, address),
                Board::E0(_) => self.map.byte(image, address), // hot spots lie in the fixed window
                Board::E7(board) => board.peek(&self.map, image, address),
                Board::Tigervision(board) => board.peek(&self.map, image, address),
                Board::Commavid(board) => board.peek(address),
                Board::Megacart(board) => board.peek(image, address),
                Board::Supercharger(board) => board.peek(image, address),
                Board::Dpc(board) => board.peek(&self.map, image, address),
            }
        }
    }

    /// Whether accesses with A12 = 0 must be shown to the cartridge first.
    #[inline(always)]
    pub fn watches_low_pages(&self) -> bool {
        self.watches_low_pages
    }

    /// A read at an address with A12 = 0. `None`: TIA or RIOT answer, after any bank switch.
    pub fn read_low(&mut self, image: &[u8], address: u16) -> Option<u8> {
        match &mut self.board {
            Board::Banks(banks) => {
                banks.touch_low(&mut self.map, address);
                None
            }
            Board::Tigervision(board) => board.read_low(&self.map, image, address),
            Board::Megacart(_) => (address & 0x1FFF < 0x40).then_some(0),
            _ => None,
        }
    }

    /// A write at an address with A12 = 0. True: TIA or RIOT perform it too.
    pub fn write_low(&mut self, image: &[u8], address: u16, value: u8) -> bool {
        let _ = image;
        match &mut self.board {
            Board::Banks(banks) => {
                banks.touch_low(&mut self.map, address);
                true
            }
            Board::Tigervision(board) => board.write_low(&mut self.map, address, value),
            Board::Megacart(board) => board.write_low(address, value),
            _ => true,
        }
    }

    /// The cycle counter is about to be set back by `cycles`; remembered times keep their distance from now.
    pub fn rebase(&mut self, cycles: u32) {
        if let Board::Dpc(dpc) = &mut self.board {
            dpc.rebase(cycles);
        }
    }

    #[inline(never)]
    fn read_board(&mut self, image: &[u8], address: u16, now: u32) -> u8 {
        let map = &mut self.map;
        match &mut self.board {
            Board::Banks(board) => board.read(map, image, address),
            Board::E0(board) => board.read(map, image, address),
            Board::E7(board) => board.read(map, image, address),
            Board::Tigervision(board) => board.peek(map, image, address),
            Board::Commavid(board) => board.peek(address),
            Board::Megacart(board) => board.read(image, address),
            Board::Supercharger(board) => board.read(image, address),
            Board::Dpc(board) => board.read(map, image, address, now),
        }
    }

    #[inline(never)]
    fn write_board(&mut self, image: &[u8], address: u16, value: u8, now: u32) -> bool {
        let map = &mut self.map;
        match &mut self.board {
            Board::Banks(board) => board.write(map, address, value),
            Board::E0(board) => board.touch(map, address),
            Board::E7(board) => board.write(map, address, value),
            Board::Tigervision(board) => return board.write(map, address, value),
            Board::Commavid(board) => board.write(address, value),
            Board::Megacart(board) => board.write(address, value),
            Board::Supercharger(board) => board.write(image, address),
            Board::Dpc(board) => board.write(map, address, value, now),
        }
        false
    }

    /// The map follows from the board; it is never saved.
    fn remap(&mut self) {
        let map = &mut self.map;
        match &self.board {
            Board::Banks(board) => board.remap(map),
            Board::E0(board) => board.remap(map),
            Board::E7(board) => board.remap(map),
            Board::Tigervision(board) => board.remap(map),
            Board::Commavid(board) => board.remap(map),
            Board::Dpc(board) => board.remap(map),
            // Nothing is plain here: any access may have an effect.
            Board::Megacart(_) | Board::Supercharger(_) => {}
        }
    }
}
