//! A program of our own in every cartridge type: 262 lines, a playfield and a player on each, two bank switches.

use ale_core::Rom;
use ale_core::console::cart::Scheme;
use ale_core::console::{Console, DEFAULT_SEED, Properties};

/// Types that no program runs in: two are known by name only, the Supercharger has no loader.
const IDLE: [Scheme; 3] = [Scheme::Ar, Scheme::Stub4A50, Scheme::Stub0840];
const KIB: usize = 1024;

/// All types that a program runs in.
pub(crate) fn schemes() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.into_iter().filter(|scheme| !IDLE.contains(scheme))
}

/// A console with the program, after its first frames.
pub(crate) fn console(scheme: Scheme) -> Console {
    let cartridge_type = Some(scheme.name().to_owned());
    let properties = Properties { cartridge_type, ..Properties::default() };
    let rom = Rom::new(program(scheme).repeat(size(scheme) / KIB));
    let mut console = Console::load(&rom, &properties, DEFAULT_SEED).expect("the size is right");
    for _ in 0..4 {
        console.run_frame();
    }
    assert!(!console.jammed() && console.lines() == 262, "{scheme:?} does not run the program");
    console
}

const fn size(scheme: Scheme) -> usize {
    match scheme {
        Scheme::TwoK | Scheme::Cv => 2 * KIB,
        Scheme::FourK => 4 * KIB,
        Scheme::Dpc => 10 * KIB,
        Scheme::Fasc => 12 * KIB,
        Scheme::F6 | Scheme::F6Sc | Scheme::E7 => 16 * KIB,
        Scheme::F4 | Scheme::F4Sc => 32 * KIB,
        Scheme::Mb => 64 * KIB,
        Scheme::Mc => 128 * KIB,
        _ => 8 * KIB,
    }
}

/// Two instructions of three bytes that make the cartridge work.
const fn accesses(scheme: Scheme) -> [[u8; 3]; 2] {
    match scheme {
        Scheme::F8 | Scheme::F8Swapped | Scheme::F8Sc => [[0x2C, 0xF8, 0xFF], [0x2C, 0xF9, 0xFF]], // BIT $FFF8
        Scheme::F6 | Scheme::F6Sc => [[0x2C, 0xF6, 0xFF], [0x2C, 0xF9, 0xFF]],
        Scheme::F4 | Scheme::F4Sc => [[0x2C, 0xF4, 0xFF], [0x2C, 0xFB, 0xFF]],
        Scheme::Fasc => [[0x2C, 0xF8, 0xFF], [0x2C, 0xFA, 0xFF]],
        Scheme::E0 | Scheme::E7 => [[0x2C, 0xE0, 0xFF], [0x2C, 0xE1, 0xFF]],
        Scheme::Fe => [[0x2C, 0x00, 0xDC], [0x2C, 0x00, 0xFC]],
        Scheme::Mb => [[0x2C, 0xF0, 0xFF], [0x2C, 0xF0, 0xFF]],
        Scheme::ThreeF => [[0x8D, 0x3F, 0x00], [0x8D, 0x3F, 0x00]], // STA $003F
        Scheme::ThreeE => [[0x8D, 0x3E, 0x00], [0x8D, 0x3F, 0x00]],
        Scheme::Mc => [[0x8D, 0x3C, 0x00], [0x8D, 0x3D, 0x00]],
        Scheme::Ua => [[0x2C, 0x20, 0x02], [0x2C, 0x40, 0x02]],
        Scheme::Cv => [[0x2C, 0x00, 0xF0], [0x8D, 0x00, 0xF4]], // its RAM, read and written
        Scheme::Dpc => [[0x2C, 0x08, 0xF0], [0x2C, 0x00, 0xF0]], // a data fetcher and the random number
        _ => [[0x2C, 0x00, 0xFC], [0x2C, 0x00, 0xFC]],
    }
}

/// The program in one KiB. It lies in every KiB of the image, so that switching banks changes nothing, and uses
/// the TIA at $40, since some cartridges keep the page at $00 for themselves.
fn program(scheme: Scheme) -> Vec<u8> {
    let mut code = vec![
        0xD8, 0xA2, 0xFF, 0x9A, // $FC00 start: CLD, LDX #$FF, TXS
        0xA9, 0x02, 0x85, 0x40, // $FC04 frame: LDA #2, STA VSYNC
        0x85, 0x42, 0x85, 0x42, 0x85, 0x42, // STA WSYNC three times
        0xA9, 0x00, 0x85, 0x40, // LDA #0, STA VSYNC
        0xA2, 0x24, 0x85, 0x42, 0xCA, 0xD0, 0xFB, // LDX #36, loop: STA WSYNC, DEX, BNE loop
        0xA2, 0xC0, // LDX #192
        0x85, 0x42, 0x86, 0x49, // line: STA WSYNC, STX COLUBK
        0xBD, 0x00, 0xFC, 0x85, 0x4E, // LDA $FC00,X, STA PF1
        0xE6, 0x80, 0xA5, 0x80, 0x85, 0x5B, // INC $80, LDA $80, STA GRP0
        0x86, 0x46, // STX COLUP0
    ];
    code.extend(accesses(scheme).concat());
    code.extend([
        0xCA, 0xD0, 0xE6, // DEX, BNE line
        0xA2, 0x1F, 0x85, 0x42, 0xCA, 0xD0, 0xFB, // LDX #31, loop: STA WSYNC, DEX, BNE loop
        0x4C, 0x04, 0xFC, // JMP frame
    ]);
    code.resize(KIB, 0);
    code[KIB - 6..].copy_from_slice(&[0x00, 0xFC, 0x00, 0xFC, 0x00, 0xFC]);
    code
}
