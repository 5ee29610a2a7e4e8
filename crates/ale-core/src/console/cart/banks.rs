//! Cartridges that show one 4 KiB bank at a time, with RAM in the first bytes or without.
//!
//! | scheme | banks | hot spots | bank after reset | RAM: write port, read port |
//! |---|---|---|---|---|
//! | 2K, 4K | 1 | – | 0 | – |
//! | FE | 2 | A13 of the address | – | – |
//! | F8 (swapped) | 2 | $FF8 $FF9 | 1 (0) | F8SC: $000 $080 |
//! | F6 | 4 | $FF6 … $FF9 | 0 | F6SC: $000 $080 |
//! | F4 | 8 | $FF4 … $FFB | 0 | F4SC: $000 $080 |
//! | FASC | 3 | $FF8 … $FFA | 2 | $000 $100 |
//! | MB | 16 | $FF0 steps to the next | 1 | – |
//! | UA | 2 | $0220 $0240, outside the window | 0 | – |

use std::sync::Arc;

use super::Scheme;
use super::map::{Map, Span};
use super::state::Fields;
use crate::error::Error;
use crate::rng::Mt19937;
use crate::rom::Rom;

#[derive(Debug, PartialEq)]
pub(super) struct Banks {
    pub(super) wiring: Wiring,
    pub(super) bank: u8,
    pub(super) ram: Box<[u8]>,
}

/// What distinguishes the schemes of this family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wiring {
    banks: u8,
    first_bank: u8,
    switch: Switch,
    ram_size: u16,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Switch {
    /// One bank only.
    None,
    /// A13 of the address.
    A13,
    /// Touching window offset `first` + n selects bank n.
    Select { first: u16 },
    /// As `Select`, by reads only.
    SelectByRead { first: u16 },
    /// Touching the window offset selects the next bank.
    Step { at: u16 },
    /// Touching $0220 or $0240 selects bank 0 or 1.
    LowPages,
}

impl Wiring {
    const fn of(scheme: Scheme) -> Self {
        use Switch::{A13, LowPages, Select, SelectByRead, Step};
        match scheme {
            Scheme::Fe => Self::new(2, 0, A13, 0),
            Scheme::F8 => Self::new(2, 1, Select { first: 0xFF8 }, 0),
            Scheme::F8Swapped => Self::new(2, 0, Select { first: 0xFF8 }, 0),
            Scheme::F8Sc => Self::new(2, 1, Select { first: 0xFF8 }, 128),
            Scheme::F6 => Self::new(4, 0, Select { first: 0xFF6 }, 0),
            Scheme::F6Sc => Self::new(4, 0, Select { first: 0xFF6 }, 128),
            Scheme::F4 => Self::new(8, 0, Select { first: 0xFF4 }, 0),
            // Reference: writes to the hot spots of F4SC have no effect.
            Scheme::F4Sc => Self::new(8, 0, SelectByRead { first: 0xFF4 }, 128),
            Scheme::Fasc => Self::new(3, 2, Select { first: 0xFF8 }, 256),
            Scheme::Mb => Self::new(16, 1, Step { at: 0xFF0 }, 0),
            Scheme::Ua => Self::new(2, 0, LowPages, 0),
            _ => Self::new(1, 0, Switch::None, 0),
        }
    }

    const fn new(banks: u8, first_bank: u8, switch: Switch, ram_size: u16) -> Self {
        Self { banks, first_bank, switch, ram_size }
    }
}

/// The image of a one-bank or many-bank cartridge: at least one whole window.
pub(super) fn window_or_more(rom: &Rom, scheme: Scheme) -> Arc<[u8]> {
    match scheme {
        Scheme::Stub4A50 | Scheme::Stub0840 => [0; 4096].into(),
        Scheme::TwoK => rom.bytes()[..2048].repeat(2).into(),
        _ => rom.shared_bytes(),
    }
}

impl Banks {
    pub(super) fn new(scheme: Scheme) -> Self {
        let wiring = Wiring::of(scheme);
        let ram = vec![0; usize::from(wiring.ram_size)].into();
        Self { wiring, bank: wiring.first_bank, ram }
    }

    pub(super) fn reset(&mut self, _image: &[u8], rng: &mut Mt19937, _now: u32) {
        self.bank = self.wiring.first_bank;
        for byte in &mut self.ram {
            *byte = rng.next_u32() as u8;
        }
    }

    pub(super) fn remap(&self, map: &mut Map) {
        map.set_window(0x1000 * u32::from(self.bank));
        if self.wiring.switch == Switch::A13 {
            map.set_window_without_a13(0x1000);
        }
        let (read_end, write_end) = match self.wiring.switch {
            Switch::None | Switch::A13 | Switch::LowPages => (0x1000, 0x1000),
            Switch::Select { first } => (first, first),
            Switch::SelectByRead { first } => (first, 0x1000),
            Switch::Step { at } => (at, at),
        };
        map.reads = Span::new(2 * self.wiring.ram_size, read_end);
        map.writes = Span::new(self.wiring.ram_size, write_end);
    }

    pub(super) fn read(&mut self, map: &mut Map, image: &[u8], address: u16) -> u8 {
        if let Some(bank) = self.bank_after_access(address) {
            self.select(map, bank);
        }
        self.byte(image, self.bank, address)
    }

    pub(super) fn write(&mut self, map: &mut Map, address: u16, value: u8) {
        if let Some(byte) = self.ram.get_mut(usize::from(address & 0xFFF)) {
            *byte = value;
        } else if let Some(bank) = self.bank_after_access(address) {
            self.select(map, bank);
        }
    }

    pub(super) fn touch_low(&mut self, map: &mut Map, address: u16) {
        match (self.wiring.switch, address & 0x1FFF) {
            (Switch::LowPages, 0x0220) => self.select(map, 0),
            (Switch::LowPages, 0x0240) => self.select(map, 1),
            _ => {}
        }
    }

    /// A hot spot shows its byte of the bank it would select.
    pub(super) fn peek(&self, image: &[u8], address: u16) -> u8 {
        self.byte(image, self.bank_after_access(address).unwrap_or(self.bank), address)
    }

    fn byte(&self, image: &[u8], bank: u8, address: u16) -> u8 {
        let a = address & 0xFFF;
        let port = a.checked_sub(self.wiring.ram_size).and_then(|index| self.ram.get(usize::from(index)));
        port.copied().unwrap_or_else(|| image[0x1000 * usize::from(bank) + usize::from(a)])
    }

    fn bank_after_access(&self, address: u16) -> Option<u8> {
        let a = address & 0xFFF;
        match self.wiring.switch {
            Switch::Select { first } | Switch::SelectByRead { first } => {
                a.checked_sub(first).map(|bank| bank as u8).filter(|&bank| bank < self.wiring.banks)
            }
            Switch::Step { at } => (a == at).then_some((self.bank + 1) % self.wiring.banks),
            Switch::None | Switch::A13 | Switch::LowPages => None,
        }
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.push(self.bank);
        out.extend_from_slice(&self.ram);
    }

    pub(super) fn restore(&mut self, fields: &mut Fields) -> Result<(), Error> {
        self.bank = fields.below("bank", self.wiring.banks)?;
        fields.fill(&mut self.ram)
    }

    fn select(&mut self, map: &mut Map, bank: u8) {
        self.bank = bank;
        map.set_window(0x1000 * u32::from(bank));
    }
}
