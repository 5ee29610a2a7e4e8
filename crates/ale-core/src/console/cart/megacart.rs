//! The Megacart (MC): 128 KiB of ROM and 32 KiB of RAM in four windows of 1 KiB.
//!
//! | address | effect |
//! |---|---|
//! | write $003C … $003F | block of window 0 … 3 |
//! | touch $1FFC, $1FFD | window 3 shows ROM block $7F, whatever its register says … |
//! | touch $1000 … $1BFF | … until here |
//!
//! A block number with bit 7 is 1 KiB of ROM, one without is 512 bytes of RAM: write port at $000 of the window,
//! read port at $200. The page $0000–$003F belongs to the cartridge alone.

use std::sync::Arc;

use super::state::Fields;
use crate::error::Error;
use crate::rng::Mt19937;

const ROM_SIZE: usize = 128 * 1024;
const RAM_SIZE: usize = 32 * 1024;

#[derive(Debug, PartialEq)]
pub(super) struct Megacart {
    pub(super) blocks: [u8; 4],
    pub(super) locked: bool,
    pub(super) ram: Box<[u8]>,
}

/// What a window offset shows.
enum Cell {
    Rom(usize),
    RamToRead(usize),
    RamToWrite(usize),
}

/// The image at the end of the ROM, with zeros before it.
pub(super) fn right_aligned(bytes: &[u8]) -> Arc<[u8]> {
    let mut image = vec![0; ROM_SIZE];
    image[ROM_SIZE - bytes.len()..].copy_from_slice(bytes);
    image.into()
}

impl Megacart {
    pub(super) fn new() -> Self {
        Self { blocks: [0; 4], locked: false, ram: vec![0; RAM_SIZE].into() }
    }

    // Reference: the block registers keep what they hold.
    pub(super) fn reset(&mut self, _image: &[u8], rng: &mut Mt19937, _now: u32) {
        self.ram.fill_with(|| rng.next_u32() as u8);
    }

    pub(super) fn read(&mut self, image: &[u8], address: u16) -> u8 {
        self.touch(address);
        match self.cell(address) {
            Cell::Rom(offset) => image[offset],
            Cell::RamToRead(offset) => self.ram[offset],
            // Reference: reading a write port stores 0 there.
            Cell::RamToWrite(offset) => {
                self.ram[offset] = 0;
                0
            }
        }
    }

    pub(super) fn write(&mut self, address: u16, value: u8) {
        self.touch(address);
        if let Cell::RamToWrite(offset) = self.cell(address) {
            self.ram[offset] = value;
        }
    }

    pub(super) fn write_low(&mut self, address: u16, value: u8) -> bool {
        let register = address & 0x1FFF;
        if let 0x3C..0x40 = register {
            self.blocks[usize::from(register & 3)] = value;
        }
        register >= 0x40
    }

    pub(super) fn peek(&self, image: &[u8], address: u16) -> u8 {
        match self.cell(address) {
            Cell::Rom(offset) => image[offset],
            Cell::RamToRead(offset) => self.ram[offset],
            Cell::RamToWrite(_) => 0,
        }
    }

    fn touch(&mut self, address: u16) {
        match address & 0xFFF {
            0xFFC | 0xFFD => self.locked = true,
            0x000..0xC00 => self.locked = false,
            _ => {}
        }
    }

    fn cell(&self, address: u16) -> Cell {
        let window = usize::from(address >> 10 & 3);
        let locks = matches!(address & 0xFFF, 0xFFC | 0xFFD);
        let block = if window == 3 && (self.locked || locks) { 0xFF } else { self.blocks[window] };
        let half = 0x200 * usize::from(block & 0x3F) + usize::from(address & 0x1FF);
        match (block & 0x80 != 0, address & 0x200 != 0) {
            (true, _) => Cell::Rom(0x400 * usize::from(block & 0x7F) + usize::from(address & 0x3FF)),
            (false, true) => Cell::RamToRead(half),
            (false, false) => Cell::RamToWrite(half),
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.blocks);
        out.push(u8::from(self.locked));
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        fields.fill(&mut self.blocks)?;
        self.locked = fields.bool("lock")?;
        fields.fill(&mut self.ram)
    }
}
