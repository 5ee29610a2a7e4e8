//! Tigervision (3F) and its successor with RAM (3E): 2 KiB banks, chosen by writes to the TIA's first page.
//!
//! | address | 3F | 3E |
//! |---|---|---|
//! | write $0000 … $003D | ROM bank at $000 | – |
//! | write $003E | ROM bank at $000 | RAM bank: read at $000, write at $400 |
//! | write $003F | ROM bank at $000 | ROM bank at $000 |
//!
//! The last 2 KiB of the image are fixed at $800, even where they are not a whole bank. A bank number beyond the
//! image is taken modulo the number of whole banks.

use std::sync::Arc;

use super::Scheme;
use super::map::{Map, Span};
use super::state::{Fields, check};
use crate::error::Error;
use crate::rng::Mt19937;
use crate::rom::Rom;

const BANK: usize = 0x800;
const RAM_BANKS: u8 = 32;

#[derive(Debug, PartialEq)]
pub(super) struct Tigervision {
    /// Bytes of the image that are not padding.
    pub(super) size: u32,
    pub(super) bank: u8,
    /// The RAM bank that lies over the ROM bank; only 3E has any.
    pub(super) ram_bank: Option<u8>,
    /// Nothing, or 32 banks of 1 KiB.
    pub(super) ram: Box<[u8]>,
}

/// The image, with zeros behind it if its last bank is not whole. (The reference reads past its end.)
pub(super) fn whole_banks(rom: &Rom) -> Arc<[u8]> {
    if rom.bytes().len().is_multiple_of(BANK) {
        return rom.shared_bytes();
    }
    let mut image = rom.bytes().to_vec();
    image.resize(image.len().next_multiple_of(BANK), 0);
    image.into()
}

impl Tigervision {
    pub(super) fn new(scheme: Scheme, size: usize) -> Self {
        let ram_size = if scheme == Scheme::ThreeE { 0x400 * usize::from(RAM_BANKS) } else { 0 };
        Self { size: size as u32, bank: 0, ram_bank: None, ram: vec![0; ram_size].into() }
    }

    pub(super) fn reset(&mut self, _image: &[u8], rng: &mut Mt19937, _now: u32) {
        for byte in &mut self.ram {
            *byte = rng.next_u32() as u8;
        }
        self.bank = 0;
        self.ram_bank = None;
    }

    pub(super) fn remap(&self, map: &mut Map) {
        map.set_half(0, BANK as u32 * u32::from(self.bank));
        map.set_half(1, self.size.saturating_sub(BANK as u32));
        map.reads = if self.ram_bank.is_some() { Span::new(0x800, 0x1000) } else { Span::ALL };
        map.writes = Span::NONE;
    }

    pub(super) fn peek(&self, map: &Map, image: &[u8], address: u16) -> u8 {
        match (self.ram_bank, address & 0xFFF) {
            (Some(bank), a @ 0x000..0x800) => self.ram[0x400 * usize::from(bank) + usize::from(a & 0x3FF)],
            _ => map.byte(image, address),
        }
    }

    // Reference: the page $0000–$003F shows the start of the bank when it is read, not the TIA.
    pub(super) fn read_low(&self, map: &Map, image: &[u8], address: u16) -> Option<u8> {
        (address & 0x1FFF < 0x40).then(|| self.peek(map, image, address & 0x3F))
    }

    pub(super) fn write_low(&mut self, map: &mut Map, address: u16, value: u8) -> bool {
        if address & 0x1FFF < 0x40 {
            self.select(map, address, value);
        }
        true
    }

    // Reference: the first 64 bytes of the window switch like those of the TIA, and every write into the
    // window reaches the TIA, except those into RAM.
    pub(super) fn write(&mut self, map: &mut Map, address: u16, value: u8) -> bool {
        match (self.ram_bank, address & 0xFFF) {
            (Some(bank), a @ 0x400..0x800) => {
                self.ram[0x400 * usize::from(bank) + usize::from(a & 0x3FF)] = value;
                false
            }
            (_, a) => {
                self.select(map, a, value);
                true
            }
        }
    }

    fn select(&mut self, map: &mut Map, a: u16, value: u8) {
        match (self.ram.is_empty(), a & 0xFFF) {
            (true, 0x00..0x40) | (false, 0x3F) => {
                self.bank = if self.has_bank(value) { value } else { self.bank_in_turn(value) };
                self.ram_bank = None;
            }
            (false, 0x3E) => self.ram_bank = Some(value % RAM_BANKS),
            _ => return,
        }
        self.remap(map);
    }

    /// Whether any byte of the bank lies in the image.
    fn has_bank(&self, bank: u8) -> bool {
        BANK as u32 * u32::from(bank) < self.size
    }

    fn bank_in_turn(&self, value: u8) -> u8 {
        let whole_banks = self.size / BANK as u32;
        (u32::from(value) % whole_banks.max(1)) as u8
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.bank, self.ram_bank.map_or(0, |bank| 1 + bank)]);
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        let bank = fields.u8("bank")?;
        self.bank = check("bank", self.has_bank(bank), bank)?;
        let ram_banks = if self.ram.is_empty() { 0 } else { RAM_BANKS };
        self.ram_bank = fields.below("RAM bank", 1 + ram_banks)?.checked_sub(1);
        fields.fill(&mut self.ram)
    }
}
