//! Commavid (CV): 2 KiB of ROM at $800 and 1 KiB of RAM, read at $000 and written at $400.
//!
//! For an image of 2 KiB the reference looks at memory it has not set to choose what the RAM holds after a reset;
//! here it is drawn like that of the other schemes.

use super::map::{Map, Span};
use super::state::Fields;
use crate::error::Error;
use crate::rng::Mt19937;

#[derive(Debug, PartialEq)]
pub(super) struct Commavid {
    /// An image of 4 KiB holds the first contents of the RAM before the ROM.
    pub(super) holds_ram: bool,
    pub(super) ram: Box<[u8]>,
}

impl Commavid {
    pub(super) fn new(image_size: usize) -> Self {
        Self { holds_ram: image_size > 2048, ram: vec![0; 0x400].into() }
    }

    pub(super) fn reset(&mut self, image: &[u8], rng: &mut Mt19937, _now: u32) {
        if self.holds_ram {
            self.ram.copy_from_slice(&image[..0x400]);
        } else {
            self.ram.fill_with(|| rng.next_u32() as u8);
        }
    }

    pub(super) fn remap(&self, map: &mut Map) {
        let rom = if self.holds_ram { 0x800 } else { 0 };
        map.set_half(0, rom);
        map.set_half(1, rom);
        map.reads = Span::new(0x400, 0x1000);
        map.writes = Span::new(0x800, 0x1000);
    }

    /// Only the read port comes here; the write port shows the ROM.
    pub(super) fn peek(&self, address: u16) -> u8 {
        self.ram[usize::from(address & 0x3FF)]
    }

    pub(super) fn write(&mut self, address: u16, value: u8) {
        if let a @ 0x400..0x800 = address & 0xFFF {
            self.ram[usize::from(a - 0x400)] = value;
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        fields.fill(&mut self.ram)
    }
}
