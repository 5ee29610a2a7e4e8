//! Each rule of the cartridges, on images whose bytes tell where they come from.

mod banks;
mod detection;
mod dpc;
mod low_pages;
mod shipped;
mod slices;
mod state;

use std::sync::Arc;

use super::{Cart, Scheme};
use crate::console::DEFAULT_SEED;
use crate::rng::Mt19937;
use crate::rom::Rom;

/// The byte of test images at an offset; different in every KiB of the first 256.
fn stamp(offset: usize) -> u8 {
    (37 * (offset >> 10)) as u8 ^ offset as u8
}

fn stamped(size: usize) -> Vec<u8> {
    (0..size).map(stamp).collect()
}

/// A usual image size of a scheme.
fn size_of(scheme: Scheme) -> usize {
    match scheme {
        Scheme::TwoK | Scheme::Cv => 2048,
        Scheme::FourK | Scheme::Stub4A50 | Scheme::Stub0840 => 4096,
        Scheme::F6 | Scheme::F6Sc | Scheme::E7 => 16384,
        Scheme::F4 | Scheme::F4Sc => 32768,
        Scheme::Fasc => 12288,
        Scheme::Dpc => 10240,
        Scheme::Mb => 65536,
        Scheme::Mc => 131_072,
        Scheme::Ar => 8448,
        _ => 8192,
    }
}

/// A cartridge on the bench: with its image, a generator and a clock that the test sets.
#[derive(Clone)]
struct Bench {
    cart: Cart,
    image: Arc<[u8]>,
    rng: Mt19937,
    now: u32,
}

impl Bench {
    /// A stamped cartridge after one reset.
    fn new(scheme: Scheme) -> Self {
        Self::with(scheme, stamped(size_of(scheme)))
    }

    fn with(scheme: Scheme, bytes: Vec<u8>) -> Self {
        let (cart, image) = Cart::load(&Rom::new(bytes), scheme).expect("the size fits the scheme");
        let mut bench = Self { cart, image, rng: Mt19937::new(DEFAULT_SEED), now: 0 };
        bench.reset();
        bench
    }

    fn reset(&mut self) {
        self.cart.reset(&self.image, &mut self.rng, self.now);
    }

    /// A read anywhere; 0xEE stands for the TIA and RIOT.
    fn read(&mut self, address: u16) -> u8 {
        if address & 0x1000 != 0 {
            self.cart.read(&self.image, address, self.now)
        } else if self.cart.watches_low_pages() {
            self.cart.read_low(&self.image, address).unwrap_or(0xEE)
        } else {
            0xEE
        }
    }

    /// A write anywhere; true if the TIA or RIOT see it.
    fn write(&mut self, address: u16, value: u8) -> bool {
        if address & 0x1000 != 0 {
            self.cart.write(&self.image, address, value, self.now)
        } else {
            !self.cart.watches_low_pages() || self.cart.write_low(&self.image, address, value)
        }
    }

    fn peek(&self, address: u16) -> u8 {
        self.cart.peek(&self.image, address)
    }

    /// The 4 KiB bank that is mapped, told by a byte in the middle of the window.
    fn bank(&self) -> usize {
        let byte = self.peek(0x1600);
        (0..64).find(|bank| stamp(0x1000 * bank + 0x600) == byte).expect("the byte is stamped")
    }
}
