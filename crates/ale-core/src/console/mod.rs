//! LAYER 1, the machine: an Atari 2600 that knows no game, score or agent.

mod board;
pub mod cart;
mod codec;
mod counters;
pub mod cpu;
pub mod input;
pub mod jit;
pub mod properties;
mod riot;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod tia;

pub use counters::Counters;
pub use input::Input;
pub use properties::{Properties, Television};
pub(crate) use state::MachineCore;
pub use tia::Picture;

use std::sync::Arc;

use self::board::{Board, Checkpoint, Wires};
use self::cart::{Cart, Scheme};
use self::cpu::Cpu;
use self::input::Levels;
use self::riot::Riot;
use self::run::DecodedRom;
use self::tia::{LINE, Tia};
use crate::error::Error;
use crate::frame::MAX_HEIGHT;
use crate::rng::Mt19937;
use crate::rom::Rom;

/// Seed of the machine's own generator unless the caller wants another.
pub const DEFAULT_SEED: u32 = 4_753_849;
/// A frame call ends after this many instructions even if the frame has not.
const MAX_INSTRUCTIONS: u32 = 25_000;
/// After several rollbacks in a row, at most so many frames run exactly at once.
const MAX_EXACT_FRAMES: u8 = 4;
/// Frames run at power-on to find out the television norm.
const MEASURED_FRAMES: u32 = 60;

/// A powered-on Atari 2600. Cloning it is an exact snapshot; the ROM is shared.
#[derive(Debug)]
pub struct Console {
    rom: Rom,
    /// The ROM as the cartridge maps it.
    image: Arc<[u8]>,
    /// The same, decoded.
    program: Option<Arc<DecodedRom>>,
    properties: Arc<Properties>,
    television: Television,
    machine: Machine,
    picture: Picture,
    /// So many of the next frames run exactly, without speculation.
    exact_frames: u8,
    /// Speculative frames in a row that were rolled back.
    rollbacks: u8,
    /// The board as the frame began; here so that no frame allocates.
    checkpoint: Option<Box<Checkpoint>>,
    counters: Counters,
}

/// All of a console that decides how it goes on, without its pictures.
///
/// It is small, so planners keep many of them: [`Console::machine`] and [`Console::set_machine`].
#[derive(Debug, Clone)]
pub struct Machine {
    /// Set from outside between frames.
    input: Input,
    cpu: Cpu,
    board: Board,
}

impl Clone for Console {
    fn clone(&self) -> Self {
        Self {
            rom: self.rom.clone(),
            image: Arc::clone(&self.image),
            program: self.program.clone(),
            properties: Arc::clone(&self.properties),
            television: self.television,
            machine: self.machine.clone(),
            picture: self.picture.clone(),
            exact_frames: self.exact_frames,
            rollbacks: self.rollbacks,
            checkpoint: None,
            counters: Counters::default(),
        }
    }

    /// Copies into the memory that is there already.
    fn clone_from(&mut self, source: &Self) {
        self.rom.clone_from(&source.rom);
        self.image.clone_from(&source.image);
        self.program.clone_from(&source.program);
        self.properties.clone_from(&source.properties);
        self.television = source.television;
        self.machine.clone_from(&source.machine);
        self.picture.clone_from(&source.picture);
    }
}

impl Console {
    /// Power-on: builds the machine, finds out the television norm, ends with a system reset.
    ///
    /// # Errors
    /// [`Error::RomSize`] when the image cannot be a cartridge, [`Error::Config`] when the
    /// properties ask for a picture that does not fit, or when `ALE_RS_JIT` makes no sense.
    pub fn load(rom: &Rom, properties: &Properties, seed: u32) -> Result<Self, Error> {
        Self::load_with_jit(rom, properties, seed, true)
    }

    /// [`Console::load`] that compiles the program only if this and `ALE_RS_JIT` agree to it.
    ///
    /// # Errors
    /// See [`Console::load`].
    pub fn load_with_jit(rom: &Rom, properties: &Properties, seed: u32, jit: bool) -> Result<Self, Error> {
        let jit = jit::is_on_by_environment()? && jit;
        let height = usize::from(properties.height);
        if height == 0 || height > MAX_HEIGHT || usize::from(properties.ystart) > MAX_HEIGHT {
            return Err(Error::Config(format!(
                "a picture of {height} rows from line {} on does not fit; \
                 accepted: 1 to {MAX_HEIGHT} rows from line 0 to {MAX_HEIGHT}",
                properties.ystart
            )));
        }
        let scheme = Scheme::detect(rom, properties)?;
        let (cart, image) = Cart::load(rom, scheme)?;
        let program = DecodedRom::decode(&image, &cart.plain(&image), jit).map(Arc::new);
        let mut rng = Mt19937::new(seed);
        let board = Board {
            cycles: 0,
            latch: 0,
            last_was_read: true,
            riot: Riot::new(&mut rng),
            tia: Tia::new(properties),
            cart,
            levels: Levels::new(properties),
            rng,
        };
        let mut console = Self {
            rom: rom.clone(),
            image,
            program,
            properties: Arc::new(properties.clone()),
            television: properties.television.unwrap_or(Television::Ntsc),
            machine: Machine { input: Input::default(), cpu: Cpu::new(), board },
            picture: Picture::new(height.max(200)),
            exact_frames: 0,
            rollbacks: 0,
            checkpoint: None,
            counters: Counters::default(),
        };
        if properties.television.is_none() {
            console.television = console.measure_television();
        }
        console.set_television();
        console.system_reset();
        Ok(console)
    }

    /// Runs the game with nothing pressed and counts its lines.
    fn measure_television(&mut self) -> Television {
        self.system_reset();
        let mut long_frames = 0;
        for frame in 0..MEASURED_FRAMES {
            self.run_frame();
            let board = &self.machine.board;
            if frame >= 30 && board.tia.lines(board.cycles) > 285 {
                long_frames += 1;
            }
        }
        if long_frames >= 15 { Television::Pal } else { Television::Ntsc }
    }

    /// The line limit, colour loss and height of the norm.
    fn set_television(&mut self) {
        let tia = &mut self.machine.board.tia;
        tia.overlong = (self.television.max_scanline() + 1) * LINE as u32;
        tia.color_loss = matches!(self.television, Television::Pal | Television::Pal60);
        let height = self.television.picture_height(self.properties.height);
        if tia.height != i32::from(height) {
            tia.height = i32::from(height);
            self.picture = Picture::new(usize::from(height));
        }
    }

    /// The full system reset: everything but RAM, sound and the generator's sequence.
    pub fn system_reset(&mut self) {
        self.machine.board.reset(&self.image);
        self.picture.clear();
        let Machine { cpu, board, .. } = &mut self.machine;
        cpu.reset(&mut Wires { board, image: &self.image, picture: &mut self.picture });
    }

    /// Runs one television frame (at most 25,000 instructions) with the inputs as they are.
    pub fn run_frame(&mut self) {
        let Machine { board, input, .. } = &mut self.machine;
        board.levels.set(input, &self.properties);
        let begins = !board.tia.partial;
        if begins {
            self.picture.swap();
            let passed = (board.cycles as i32).wrapping_mul(3).wrapping_sub(board.tia.frame_start);
            board.rebase();
            board.tia.begin_frame((passed as u32 % LINE as u32) as i32);
        }
        if !self.run_frame_speculative(begins) {
            self.run_frame_exact();
        }
        let tia = &mut self.machine.board.tia;
        let drawn = tia.drawing;
        self.picture.frame_done(drawn, self.frame_filled());
        self.counters.frames += 1;
        self.counters.scanline_cache_hits += self.picture.take_hit_rows();
    }

    /// Runs a whole frame on the assumption that it does not end within the picture, so that scanlines may be composed as
    /// wholes. Nearly all frames do so; the others are rolled back, and `false` is given.
    fn run_frame_speculative(&mut self, begins: bool) -> bool {
        if self.exact_frames > 0 || !begins || !self.machine.board.tia.can_speculate() {
            self.exact_frames = self.exact_frames.saturating_sub(1);
            return false;
        }
        let Machine { cpu, board, .. } = &mut self.machine;
        match &mut self.checkpoint {
            Some(checkpoint) => board.checkpoint_into(checkpoint),
            None => self.checkpoint = Some(Box::new(board.checkpoint())),
        }
        let cpu_checkpoint = cpu.clone();
        board.tia.speculative = true;
        self.run();
        let Machine { cpu, board, .. } = &mut self.machine;
        let done = board.tia.finish_speculative(board.cycles, &mut self.picture);
        board.tia.speculative = false;
        if done {
            self.rollbacks = 0;
            board.tia.last_lines = board.tia.lines(board.cycles);
            board.tia.greyed = false;
        } else if let Some(checkpoint) = &self.checkpoint {
            self.counters.rolled_back_frames += 1;
            *cpu = cpu_checkpoint;
            board.rollback(checkpoint);
            // One rollback may be an exception. After two, more are likely.
            self.exact_frames = self.rollbacks;
            self.rollbacks = (self.rollbacks + 1).min(MAX_EXACT_FRAMES);
        }
        done
    }

    /// Runs a frame call, however it begins and ends, with the exact renderer.
    fn run_frame_exact(&mut self) {
        self.counters.exact_frames += 1;
        self.machine.board.tia.mark_all_dirty();
        self.run();
        let board = &mut self.machine.board;
        let (tia, cycles) = (&mut board.tia, board.cycles);
        tia.finish(&mut self.picture);
        if tia.partial {
            tia.grey_out(cycles, &mut self.picture);
        } else {
            tia.last_lines = tia.lines(cycles);
            tia.greyed = false;
        }
    }

    fn run(&mut self) {
        let Machine { cpu, board, .. } = &mut self.machine;
        board.tia.partial = true;
        board.tia.stop = false;
        let mut wires = Wires { board, image: &self.image, picture: &mut self.picture };
        run::run(cpu, &mut wires, self.program.as_deref(), MAX_INSTRUCTIONS, &mut self.counters);
    }

    /// The inputs; set them between frames.
    pub fn input_mut(&mut self) -> &mut Input {
        &mut self.machine.input
    }

    /// The 128 bytes of RIOT RAM.
    pub fn ram(&self) -> &[u8; 128] {
        &self.machine.board.riot.ram
    }

    /// Writes one byte of RAM; `index` counts from 0 (address $80) to 127.
    pub fn write_ram(&mut self, index: usize, value: u8) {
        self.machine.board.riot.ram[index & 0x7F] = value;
        self.machine.board.latch = value;
    }

    /// Leaves the last byte of RAM on the data bus, as reading all of RAM does.
    ///
    /// Reference: its environment reads RAM through the bus after each emulation. A program that has run
    /// astray into the TIA's addresses executes what is left there.
    pub fn leave_ram_on_bus(&mut self) {
        self.machine.board.latch = self.machine.board.riot.ram[127];
    }

    /// The byte a read of `address` would give now, without moving the machine.
    pub fn peek(&self, address: u16) -> u8 {
        self.machine.board.peek(&self.image, address)
    }

    /// Rows of the picture.
    pub fn height(&self) -> usize {
        self.picture.rows()
    }

    /// Lines of the last finished frame; 262 is the standard of NTSC.
    pub fn lines(&self) -> u32 {
        self.machine.board.tia.last_lines
    }

    /// The television norm, given by the properties or measured at power-on.
    pub fn television(&self) -> Television {
        self.television
    }

    /// The current picture buffer: `height` rows of 160 palette indices.
    pub fn screen(&self) -> &[u8] {
        self.picture.current()
    }

    /// The other picture buffer, that of the frame before.
    pub fn previous_screen(&self) -> &[u8] {
        self.picture.previous()
    }

    /// Whether pixels are stored from now on. Without them play is the same, only the pictures are not.
    pub fn set_drawing(&mut self, on: bool) {
        self.machine.board.tia.drawing = on;
    }

    /// Pixels are stored as the shades of their colours from now on; `None`: as their colours. Black has the shade 0.
    pub fn set_shades(&mut self, shades: Option<&'static [u8; 256]>) {
        self.machine.board.tia.set_shades(shades);
    }

    /// Whether the last frame drew every pixel of the picture.
    ///
    /// If not, the rest shows what this buffer held before, two frames ago. A frame that took several
    /// calls (see [`Self::unfinished`]) counts as a whole: drawing has to be on for all of them.
    pub fn frame_filled(&self) -> bool {
        let tia = &self.machine.board.tia;
        tia.drawn >= tia.window[1] && !tia.partial
    }

    /// Turns the JIT on or off for this console. The results are the same.
    pub fn set_jit(&mut self, on: bool) {
        let plain = self.machine.board.cart.plain(&self.image);
        self.program = DecodedRom::decode(&self.image, &plain, on).map(Arc::new);
    }

    /// Whether the program runs as JIT code.
    pub fn has_jit(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.jit.is_some())
    }

    /// What the engine did since the console was built.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A reset in the middle of play, and whether the reset cache ended it.
    pub(crate) fn count_reset(&mut self, is_hit: bool) {
        self.counters.resets += 1;
        self.counters.reset_cache_hits += u64::from(is_hit);
    }

    /// Draws pixel by pixel from now on: slow, and the same picture. For tests of the renderer.
    pub fn set_literal_drawing(&mut self, on: bool) {
        self.machine.board.tia.literal = on;
    }

    /// Makes the next 512 sound samples from the audio registers as they are now.
    pub fn make_sound(&mut self, samples: &mut [u8; 512]) {
        self.machine.board.tia.audio.make_samples(samples);
    }

    /// The cartridge.
    pub fn rom(&self) -> &Rom {
        &self.rom
    }

    /// The facts the machine was built with.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The bank switching scheme of the cartridge.
    pub fn scheme(&self) -> Scheme {
        self.machine.board.cart.scheme()
    }

    /// Whether the CPU met an instruction that stops it until the next system reset.
    pub fn jammed(&self) -> bool {
        self.machine.cpu.jammed()
    }

    /// Whether the last call ended before its frame did; the next call continues the same frame.
    pub fn unfinished(&self) -> bool {
        self.machine.board.tia.partial
    }

    /// The picture buffers.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// From now on the picture buffers do not count as exact: see [`Picture::forget`].
    pub fn forget_picture(&mut self) {
        self.picture.forget();
    }

    /// Both pictures become black.
    pub(crate) fn clear_picture(&mut self) {
        self.picture.clear();
    }

    /// Draws into other picture buffers from now on; those in use go out. Play does not depend on them.
    pub fn swap_picture(&mut self, picture: &mut Picture) {
        std::mem::swap(&mut self.picture, picture);
    }

    /// All that decides how the console goes on, without the pictures.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Goes on from a [`Machine`] of the same cartridge. The pictures stay as they are until they
    /// are drawn anew.
    pub fn set_machine(&mut self, machine: &Machine) {
        self.machine.clone_from(machine);
    }
}
