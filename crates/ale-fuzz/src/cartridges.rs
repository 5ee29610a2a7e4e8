//! Cartridges with random programs, and hands that hold random things.

use ale_core::console::cart::Scheme;
use ale_core::console::{DEFAULT_SEED, Properties, Television};
use ale_core::rng::Mt19937;
use ale_core::{Console, Rom};

/// Sizes that are a cartridge whatever the bytes.
pub const SIZES: [usize; 14] =
    [2048, 4096, 8192, 8448, 10_240, 10_495, 10_496, 12_288, 16_384, 16_896, 32_768, 65_536, 131_072, 84_480];

/// As many bytes of any value.
pub fn random_bytes(size: usize, rng: &mut Mt19937) -> Vec<u8> {
    (0..size).map(|_| rng.next_u32() as u8).collect()
}

/// Takes the opcodes out that jam, so that a random program runs for longer.
pub fn remove_jams(image: &mut [u8]) {
    for byte in image {
        if *byte & 0x1F == 0x12 || *byte & 0x9F == 0x02 {
            *byte = 0xEA;
        }
    }
}

/// Random bytes that run for longer: without jams, and with vectors into the window.
pub fn random_program(size: usize, rng: &mut Mt19937) -> Rom {
    let mut bytes = random_bytes(size, rng);
    remove_jams(&mut bytes);
    for page in bytes.chunks_exact_mut(2048) {
        page[0x7FD] |= 0x10;
        page[0x7FF] |= 0x10;
    }
    Rom::new(bytes)
}

/// A machine of each scheme, with a random program.
///
/// # Panics
/// When a scheme takes none of the sizes.
pub fn one_of_each_scheme(rng: &mut Mt19937) -> Vec<Console> {
    let mut consoles = Vec::new();
    for scheme in Scheme::ALL {
        let properties = Properties {
            cartridge_type: Some(scheme.name().to_owned()),
            television: Some(Television::Ntsc),
            ..Properties::default()
        };
        let mut load = |&size| Console::load(&random_program(size, rng), &properties, DEFAULT_SEED).ok();
        let console = SIZES.iter().find_map(&mut load);
        let console = console.unwrap_or_else(|| panic!("no size of {} is accepted", scheme.name()));
        assert_eq!(console.scheme(), scheme);
        consoles.push(console);
    }
    consoles
}

/// Moves everything that a player can move.
pub fn hold(console: &mut Console, rng: &mut Mt19937) {
    let input = console.input_mut();
    input.joysticks = [rng.next_u32() as u8, rng.next_u32() as u8];
    input.paddle_fire[0] = rng.below(2) == 0;
    input.paddle_resistance = std::array::from_fn(|_| rng.next_u32() as i32);
    input.reset = rng.below(5) == 0;
    input.select = rng.below(5) == 0;
    input.left_difficulty_a = [None, Some(false), Some(true)][rng.below(3) as usize];
}
