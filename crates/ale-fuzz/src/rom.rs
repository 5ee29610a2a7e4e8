//! ROM bytes with random inputs: an error that tells the size, or a machine that runs the same whichever way it is
//! drawn, copied or saved.

use ale_core::console::cart::Scheme;
use ale_core::console::{Properties, Television};
use ale_core::game::Game;
use ale_core::rng::Mt19937;
use ale_core::{Console, Error, Rom};

use crate::cartridges::{SIZES, hold, remove_jams};
use crate::input::Input;

/// What a cartridge is made of: sizes, schemes, norms, then the program.
struct Cartridge {
    image: Vec<u8>,
    properties: Properties,
    seed: u32,
    frames: usize,
    measured: bool,
}

impl Cartridge {
    fn read(mut input: Input<'_>) -> Self {
        let (size, scheme, norm) = (input.byte(), input.byte(), input.byte());
        let (fill, look, frames) = (input.byte(), input.byte(), input.byte());
        let seed = input.u32();
        let norms = [Television::Ntsc, Television::Pal, Television::Pal60, Television::Secam];
        let measured = norm % 16 == 15;
        let schemes = Scheme::ALL;
        let named = usize::from(scheme).checked_sub(64).map(|n| schemes[n % schemes.len()].name().to_owned());
        // Joysticks in the ports of one of our games, paddles in those of the other.
        let game = Game::by_name(if look & 8 == 0 { "glowdelve" } else { "windfall" });
        let usual = game.ok().and_then(|game| game.properties().cloned()).unwrap_or_default();
        let properties = Properties {
            cartridge_type: named,
            swap_ports: look & 16 != 0,
            swap_paddles: look & 32 != 0,
            television: (!measured).then(|| norms[usize::from(norm) % 4]),
            height: [210, 1, 250, 300, 0, 65_535, 180, 228][usize::from(look & 7)],
            ystart: [34, 0, 64, 300, 301, 20, 34, 34][usize::from(fill >> 5)],
            hmove_blanks: look & 64 == 0,
            ..usual
        };
        let frames = 1 + usize::from(frames % 6);
        Self { image: image(size, fill, seed, input.rest()), properties, seed, frames, measured }
    }
}

/// The program as it is, or in every 4 KiB of a cartridge of a usual size, with vectors to its start.
fn image(size: u8, fill: u8, seed: u32, program: &[u8]) -> Vec<u8> {
    if size >= 240 {
        return program.to_vec();
    }
    let mut rng = Mt19937::new(seed);
    let mut image = vec![[0x00, 0xFF, 0xEA][usize::from(fill % 3)]; SIZES[usize::from(size) % SIZES.len()]];
    if fill & 4 != 0 {
        image.fill_with(|| rng.next_u32() as u8);
    }
    if fill & 8 != 0 {
        remove_jams(&mut image);
    }
    let bank = if fill & 16 == 0 { 4096 } else { 2048 };
    for part in image.chunks_mut(bank) {
        let len = program.len().min(part.len());
        part[..len].copy_from_slice(&program[..len]);
        if let Some([.., low, high, _, _]) = part.last_chunk_mut::<4>() {
            (*low, *high) = (0x00, if bank == 4096 { 0xF0 } else { 0xF8 });
        }
    }
    image
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let cartridge = Cartridge::read(Input::new(data));
    let rom = Rom::new(cartridge.image);
    let mut fast = match Console::load(&rom, &cartridge.properties, cartridge.seed) {
        Ok(console) => console,
        Err(error @ (Error::RomSize { .. } | Error::Config(_))) => {
            let text = error.to_string();
            assert!(text.contains("accepted") || text.contains("this image has"), "{error}");
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    let mut literal = fast.clone();
    let mut blind = fast.clone();
    literal.set_literal_drawing(true);
    blind.set_drawing(false);
    let mut rng = Mt19937::new(cartridge.seed);
    for frame in 0..if cartridge.measured { 1 } else { cartridge.frames } {
        let held = rng.clone();
        for console in [&mut fast, &mut literal, &mut blind] {
            rng.clone_from(&held);
            hold(console, &mut rng);
            console.run_frame();
        }
        assert!(fast.screen() == literal.screen(), "frame {frame}: the picture");
        assert!(fast.previous_screen() == literal.previous_screen(), "frame {frame}: the picture before");
        assert!(fast.machine() == literal.machine(), "frame {frame}: drawn literally");
        assert!(fast.machine() == blind.machine(), "frame {frame}: not drawn");
        match rng.below(8) {
            0 => {
                let bytes = fast.save_bytes();
                blind.restore_bytes(&bytes).expect("its own bytes");
                assert!(blind == fast, "frame {frame}: restored");
            }
            1 => {
                for console in [&mut fast, &mut literal, &mut blind] {
                    console.system_reset();
                }
            }
            2 => {
                let (index, value) = (rng.next_u32() as usize, rng.next_u32() as u8);
                for console in [&mut fast, &mut literal, &mut blind] {
                    console.write_ram(index, value);
                    console.make_sound(&mut [0; 512]);
                }
            }
            3 => _ = (0..=0xFFFF).step_by(7).map(|address| u32::from(fast.peek(address))).sum::<u32>(),
            _ => {}
        }
    }
}

/// Where to begin: programs that draw, loop, jam and switch banks.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let kernel = [
        0x78, 0xD8, 0xA2, 0xFF, 0x9A, // SEI, CLD, LDX #$FF, TXS
        0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, 0x85,
        0x02, // LDA #2, STA VSYNC, STA WSYNC three times
        0xA9, 0x00, 0x85, 0x00, 0xA0, 0xC0, // LDA #0, STA VSYNC, LDY #192
        0x84, 0x09, 0x84, 0x1B, 0x85, 0x02, 0x84, 0x0D, 0x85, 0x10, 0x85,
        0x2A, // COLUBK, GRP0, WSYNC, PF0, RESP0, HMOVE
        0x88, 0xD0, 0xF1, 0x4C, 0x05, 0xF0, // DEY, BNE, JMP to VSYNC
    ];
    let mut seeds = Vec::new();
    for (size, scheme) in (0..14).map(|size| (size, 0)).chain((0..23).map(|n| (1 + n % 13, 64 + n))) {
        let mut seed = vec![size, scheme, 0, 2, 0, 3, size, scheme, 7, 1];
        seed.extend(kernel);
        seeds.push(seed);
    }
    for code in [
        &[0x4C, 0x00, 0xF0][..],                                 // a loop of one jump
        &[0x02],                                                 // a jam
        &[0xAD, 0x84, 0x02, 0xD0, 0xFB, 0x4C, 0x00, 0xF0],       // waits for the timer
        &[0x85, 0x02, 0x4C, 0x00, 0xF0],                         // nothing but WSYNC
        &[0xAD, 0xF8, 0xFF, 0xAD, 0xF9, 0xFF, 0x4C, 0x00, 0xF0], // hotspots
        &[0x85, 0x3F, 0x85, 0x3E, 0xE6, 0x80, 0x4C, 0x00, 0xF0], // writes below the cartridge
        &[0x6C, 0xFF, 0x00],                                     // a jump through the end of a page
    ] {
        for (size, norm) in [(1, 0), (2, 1), (8, 15)] {
            let mut seed = vec![size, 0, norm, 12, 0, 5, 9, 9, 9, 9];
            seed.extend(code);
            seeds.push(seed);
        }
    }
    for game in ale_core::embedded::GAMES {
        let mut seed = vec![240, 0, 0, 0, 0, 5, 1, 2, 3, 4];
        seed.extend(game.image);
        seeds.push(seed);
    }
    seeds
}
