//! The machine as a whole: frames, waits, limits, undriven bits and the generator, on programs of a few bytes.

mod frames;
mod games;
mod goldens;

use super::{Console, DEFAULT_SEED, Properties, Television};
use crate::rom::Rom;

/// A 4 KiB image with `code` at $F000, where reset and BRK begin.
fn rom(code: &[u8]) -> Rom {
    let mut image = vec![0xFF; 4096];
    image[..code.len()].copy_from_slice(code);
    image[0xFFC..].copy_from_slice(&[0x00, 0xF0, 0x00, 0xF0]);
    Rom::new(image)
}

/// The machine after its reset, with no frame run yet.
fn fresh(code: &[u8]) -> Console {
    with_television(code, Television::Ntsc)
}

fn with_television(code: &[u8], television: Television) -> Console {
    let properties = Properties { television: Some(television), ..Properties::default() };
    Console::load(&rom(code), &properties, DEFAULT_SEED).expect("4 KiB")
}

/// The machine after one frame call.
fn after_a_frame(code: &[u8]) -> Console {
    let mut console = fresh(code);
    console.run_frame();
    console
}

fn cycles(console: &Console) -> u32 {
    console.machine.board.cycles
}

fn pc(console: &Console) -> u16 {
    console.machine.cpu.pc
}

/// This many cycles of nothing (at least 2).
fn wait(cycles: usize) -> Vec<u8> {
    let mut code = vec![0xEA; cycles / 2]; // NOP
    if cycles % 2 == 1 {
        code.pop();
        code.extend([0x24, 0x80]); // BIT $80
    }
    code
}

/// Power-on, the environment's reset, and 68 frames: 60 of nothing and 8 with RESET held.
fn booted(rom: &Rom, properties: &Properties) -> Console {
    let mut console = Console::load(rom, properties, DEFAULT_SEED).expect("a cartridge");
    console.system_reset();
    for frame in 0..68 {
        let input = console.input_mut();
        input.left_difficulty_a = Some(false);
        input.right_difficulty_a = Some(false);
        input.paddle_resistance = [408_823, 408_823, 0, 0];
        input.reset = frame >= 60;
        console.run_frame();
    }
    console
}
