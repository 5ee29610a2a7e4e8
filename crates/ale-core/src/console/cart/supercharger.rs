//! The Supercharger (AR): 6 KiB of RAM that is loaded from tape, in three banks of 2 KiB, and 2 KiB of ROM.
//!
//! The reference has no defined behaviour for it: there, the counter of accesses that the RAM is written by does
//! not exist. So this is no playable Supercharger but a bounded one: the image is accepted, the first 6 KiB of the
//! first load lie in the RAM, banks switch and bytes are written as below, and the ROM is a stand-in that waits
//! for ever instead of a loader.
//!
//! | access (window offset) | effect |
//! |---|---|
//! | $000 … $0FF | the low byte of the address becomes the held byte, unless one waits to be written |
//! | $FF8 | the held byte becomes the configuration |
//! | fifth access after holding | the held byte is written there, if the configuration allows writing |
//!
//! Only accesses of the cartridge at another address than the one before count. Configuration: bit 1 allows
//! writing, bits 4–2 choose what lies at $000 and $800.

use std::sync::Arc;

use super::state::{Fields, check};
use crate::error::Error;
use crate::rng::Mt19937;

const BANK: usize = 0x800;
const RAM_SIZE: usize = 3 * BANK;
const WRITE_AFTER: u8 = 5;
/// The bank that is ROM.
const ROM: usize = 3;
/// Lower and upper bank by bits 4–2 of the configuration.
const BANKS: [[usize; 2]; 8] = [[2, ROM], [0, ROM], [2, 0], [0, 2], [2, ROM], [1, ROM], [2, 1], [1, 2]];

#[derive(Debug, PartialEq)]
pub(super) struct Supercharger {
    pub(super) configuration: u8,
    pub(super) held: u8,
    /// Accesses since a byte was held for writing.
    pub(super) waited: Option<u8>,
    pub(super) last: u16,
    pub(super) ram: Box<[u8]>,
}

/// The loads, and behind them the ROM: `JMP $F800`, with all vectors pointing to it.
pub(super) fn with_bios(loads: &[u8]) -> Arc<[u8]> {
    let mut rom = [0; BANK];
    rom[..3].copy_from_slice(&[0x4C, 0x00, 0xF8]);
    rom[BANK - 6..].copy_from_slice(&[0x00, 0xF8, 0x00, 0xF8, 0x00, 0xF8]);
    [loads, &rom].concat().into()
}

impl Supercharger {
    pub(super) fn new() -> Self {
        Self { configuration: 0, held: 0, waited: None, last: 0, ram: vec![0; RAM_SIZE].into() }
    }

    pub(super) fn reset(&mut self, image: &[u8], rng: &mut Mt19937, _now: u32) {
        for _ in 0..RAM_SIZE {
            rng.next_u32();
        }
        self.ram.copy_from_slice(&image[..RAM_SIZE]);
        (self.configuration, self.held, self.waited, self.last) = (0, 0, None, 0);
    }

    pub(super) fn read(&mut self, image: &[u8], address: u16) -> u8 {
        self.touch(address & 0xFFF);
        self.byte(image, address & 0xFFF)
    }

    /// A write is an access like any other; its value goes nowhere.
    pub(super) fn write(&mut self, _image: &[u8], address: u16) {
        self.touch(address & 0xFFF);
    }

    pub(super) fn peek(&self, image: &[u8], address: u16) -> u8 {
        self.byte(image, address & 0xFFF)
    }

    fn touch(&mut self, a: u16) {
        if a != self.last {
            self.last = a;
            self.waited = self.waited.map(|accesses| accesses + 1);
        }
        match (a, self.waited) {
            (0xFF8, _) => {
                self.configuration = self.held;
                self.waited = None;
            }
            (0x000..0x100, None) => {
                self.held = a as u8;
                self.waited = self.may_write().then_some(0);
            }
            (_, Some(WRITE_AFTER)) => {
                self.waited = None;
                let index = self.offset(a);
                if let (true, Some(byte)) = (self.may_write(), self.ram.get_mut(index)) {
                    *byte = self.held;
                }
            }
            _ => {}
        }
    }

    fn may_write(&self) -> bool {
        self.configuration & 2 != 0
    }

    /// Index into RAM, with the ROM behind it.
    fn offset(&self, a: u16) -> usize {
        let banks = BANKS[usize::from(self.configuration >> 2 & 7)];
        BANK * banks[usize::from(a >> 11)] + usize::from(a & 0x7FF)
    }

    fn byte(&self, image: &[u8], a: u16) -> u8 {
        let offset = self.offset(a);
        self.ram.get(offset).copied().unwrap_or_else(|| image[image.len() - BANK + offset % BANK])
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        let waited = self.waited.map_or(0, |accesses| 1 + accesses);
        out.extend_from_slice(&[self.configuration, self.held, waited]);
        out.extend_from_slice(&self.last.to_le_bytes());
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        self.configuration = fields.u8("configuration")?;
        self.held = fields.u8("held byte")?;
        self.waited = fields.below("accesses waited", 1 + WRITE_AFTER)?.checked_sub(1);
        let last = fields.u16("last access")?;
        self.last = check("last access", last < 0x1000, last)?;
        fields.fill(&mut self.ram)
    }
}
