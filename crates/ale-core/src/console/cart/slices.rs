//! Parker Brothers (E0) and M-Network (E7): windows that show slices of the image independently.

use super::map::{Map, Span};
use super::state::Fields;
use crate::error::Error;
use crate::rng::Mt19937;

/// Eight slices of 1 KiB in four windows.
///
/// | hot spots | effect |
/// |---|---|
/// | $FE0 … $FE7 | slice 0 … 7 at $000 |
/// | $FE8 … $FEF | slice 0 … 7 at $400 |
/// | $FF0 … $FF7 | slice 0 … 7 at $800 |
///
/// Slice 7 is fixed at $C00.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct E0 {
    slices: [u8; 3],
}

impl E0 {
    pub(super) const fn new() -> Self {
        Self { slices: [4, 5, 6] }
    }

    pub(super) fn reset(&mut self, _image: &[u8], _rng: &mut Mt19937, _now: u32) {
        *self = Self::new();
    }

    pub(super) fn remap(&self, map: &mut Map) {
        for (kib, &slice) in self.slices.iter().enumerate() {
            map.set_kib(kib, 0x400 * u32::from(slice));
        }
        map.set_kib(3, 0x400 * 7);
        map.reads = Span::new(0, 0xFE0);
        map.writes = map.reads;
    }

    pub(super) fn read(&mut self, map: &mut Map, image: &[u8], address: u16) -> u8 {
        self.touch(map, address);
        map.byte(image, address)
    }

    pub(super) fn touch(&mut self, map: &mut Map, address: u16) {
        let a = address & 0xFFF;
        if (0xFE0..0xFF8).contains(&a) {
            let (kib, slice) = (usize::from(a - 0xFE0) / 8, (a & 7) as u8);
            self.slices[kib] = slice;
            map.set_kib(kib, 0x400 * u32::from(slice));
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.slices);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        for slice in &mut self.slices {
            *slice = fields.below("slice", 8)?;
        }
        Ok(())
    }
}

/// Eight slices of 2 KiB, and 2 KiB of RAM.
///
/// | hot spots | effect |
/// |---|---|
/// | $FE0 … $FE6 | slice 0 … 6 at $000 |
/// | $FE7 | the first KiB of RAM: write at $000, read at $400 |
/// | $FE8 … $FEB | 256 bytes of the second KiB of RAM: write at $800, read at $900 |
///
/// Slice 7 is fixed at $800; its first 512 bytes lie under the RAM ports.
#[derive(Debug, PartialEq)]
pub(super) struct E7 {
    pub(super) slice: u8,
    pub(super) ram_bank: u8,
    pub(super) ram: Box<[u8]>,
}

const LAST_SLICE: u8 = 7;

impl E7 {
    pub(super) fn new() -> Self {
        Self { slice: 0, ram_bank: 0, ram: vec![0; 2048].into() }
    }

    pub(super) fn reset(&mut self, _image: &[u8], rng: &mut Mt19937, _now: u32) {
        for byte in &mut self.ram {
            *byte = rng.next_u32() as u8;
        }
        self.slice = 0;
        self.ram_bank = 0;
    }

    pub(super) fn remap(&self, map: &mut Map) {
        map.set_half(0, 0x800 * u32::from(self.slice));
        map.set_half(1, 0x800 * u32::from(LAST_SLICE));
        map.reads = Span::new(0xA00, 0xFE0);
        map.writes = map.reads;
    }

    pub(super) fn read(&mut self, map: &mut Map, image: &[u8], address: u16) -> u8 {
        self.touch(map, address);
        self.peek(map, image, address)
    }

    /// Reading a write port shows the ROM under it.
    pub(super) fn peek(&self, map: &Map, image: &[u8], address: u16) -> u8 {
        match address & 0xFFF {
            a @ 0x400..0x800 if self.slice == LAST_SLICE => self.ram[usize::from(a - 0x400)],
            a @ 0x900..0xA00 => self.ram[self.small_bank() + usize::from(a - 0x900)],
            _ => map.byte(image, address),
        }
    }

    pub(super) fn write(&mut self, map: &mut Map, address: u16, value: u8) {
        let bank = self.small_bank();
        match address & 0xFFF {
            a @ 0x000..0x400 if self.slice == LAST_SLICE => self.ram[usize::from(a)] = value,
            a @ 0x800..0x900 => self.ram[bank + usize::from(a - 0x800)] = value,
            _ => self.touch(map, address),
        }
    }

    fn touch(&mut self, map: &mut Map, address: u16) {
        match address & 0xFFF {
            a @ 0xFE0..0xFE8 => {
                self.slice = (a & 7) as u8;
                self.remap(map);
            }
            a @ 0xFE8..0xFEC => self.ram_bank = (a & 3) as u8,
            _ => {}
        }
    }

    fn small_bank(&self) -> usize {
        0x400 + 0x100 * usize::from(self.ram_bank)
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.slice, self.ram_bank]);
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        self.slice = fields.below("slice", 8)?;
        self.ram_bank = fields.below("RAM bank", 4)?;
        fields.fill(&mut self.ram)
    }
}
