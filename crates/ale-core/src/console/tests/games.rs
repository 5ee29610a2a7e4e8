//! The first frames of games as measured with the reference, where a folder of ROMs is given by `ALE_ROM_DIR`.

use std::path::PathBuf;

use super::{Console, DEFAULT_SEED, Properties, Rom, Television, booted, cycles, pc};
use crate::action::pressed::{FIRE, UP};
use crate::catalogue;

/// A game right after the environment has loaded it.
struct Loaded {
    name: &'static str,
    /// What the environment presses first: buttons and frames.
    starting: &'static [(u8, u32)],
    cycles: u32,
    pc: u16,
    /// A, X, Y, SP, P.
    registers: [u8; 5],
    /// Value, log2 of the divider, cycle.
    timer: (u32, u32, i32),
    /// CRC-32 of RAM.
    ram: u32,
    /// The same after 1, 60 and 600 frames of nothing, where measured.
    later: Option<[u32; 3]>,
}

// Games whose modes the environment sets at a reset are not here: that takes frames of its own.
#[rustfmt::skip]
const LOADED: [Loaded; 9] = [
    Loaded { name: "kaboom", starting: &[(FIRE, 1)], cycles: 19_912, pc: 0xF36C, registers: [0x00, 0x08, 0x82, 0xFF, 0xB4],
        timer: (33, 6, 17_611), ram: 0x1818_C89F, later: None },
    Loaded { name: "montezuma_revenge", starting: &[], cycles: 19_912, pc: 0xB7B7, registers: [0x00, 0xB3, 0x8F, 0xFF, 0x32],
        timer: (33, 3, 19_614), ram: 0xBFBD_AB7F, later: Some([0x7152_EC9D, 0x85E4_90E8, 0x444B_336A]) },
    Loaded { name: "pitfall2", starting: &[(UP, 1)], cycles: 19_912, pc: 0xF95D, registers: [0x00, 0x7F, 0x82, 0xFF, 0x36],
        timer: (35, 6, 17_479), ram: 0x6C57_939B, later: Some([0xD096_C349, 0x1C87_0CE7, 0xC8CA_13FC]) },
    Loaded { name: "elevator_action", starting: &[(FIRE, 16)], cycles: 19_912, pc: 0xDDC6, registers: [0x0A, 0x00, 0xFF, 0xFF, 0x36],
        timer: (35, 6, 17_488), ram: 0x14E9_C3C2, later: Some([0xD36E_9146, 0xC944_C857, 0x4BC7_0DC5]) },
    Loaded { name: "robotank", starting: &[], cycles: 19_912, pc: 0xF27F, registers: [0x00, 0x82, 0x82, 0xFF, 0xB4],
        timer: (30, 6, 17_785), ram: 0x5DBD_51A2, later: Some([0xDB04_5882, 0x26AA_5685, 0x7A9B_E5CE]) },
    Loaded { name: "wizard_of_wor", starting: &[], cycles: 19_988, pc: 0xF85B, registers: [0x00, 0xFF, 0x3E, 0xFF, 0x37],
        timer: (42, 3, 19_582), ram: 0x6393_7A52, later: None },
    Loaded { name: "qbert", starting: &[], cycles: 600_074, pc: 0xB64D, registers: [0x00, 0x00, 0xFF, 0xFF, 0x36],
        timer: (50, 6, 6), ram: 0xC2A8_FA9D, later: None },
    Loaded { name: "tetris", starting: &[], cycles: 603_695, pc: 0xFCDF, registers: [0x00, 0x11, 0x00, 0xFF, 0x37],
        timer: (36, 6, 18_016), ram: 0xE218_E161, later: Some([0x01A4_743C, 0xE9B8_D527, 0xCF8B_73A8]) },
    Loaded { name: "road_runner", starting: &[], cycles: 20_064, pc: 0x9030, registers: [0xFF, 0x00, 0x00, 0xFF, 0x32],
        timer: (46, 6, 16_898), ram: 0x3C95_0C58, later: None },
];

/// The ROM of a game, if there is a folder of them.
fn game(name: &str) -> Option<Rom> {
    let found = || {
        let directory = std::env::var_os("ALE_ROM_DIR").map(PathBuf::from)?;
        let md5 = catalogue::find(name)?.md5;
        let rom = Rom::new(std::fs::read(directory.join(format!("{name}.bin"))).ok()?);
        (rom.md5_hex() == md5).then_some(rom)
    };
    let rom = found();
    if rom.is_none() {
        eprintln!("skipped {name}: not in the folder that ALE_ROM_DIR names");
    }
    rom
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
    })
}

/// One frame with these buttons of the first joystick or paddle held.
fn press(console: &mut Console, buttons: u8) {
    let input = console.input_mut();
    input.reset = false;
    input.joysticks[0] = buttons;
    input.paddle_fire[0] = buttons & FIRE != 0;
    console.run_frame();
}

#[test]
fn games_are_as_measured_after_loading_and_later() {
    for game_state in LOADED {
        let Some(rom) = game(game_state.name) else { continue };
        let name = game_state.name;
        let mut console = booted(&rom, &Properties::of(&rom));
        for &(buttons, frames) in game_state.starting {
            (0..frames).for_each(|_| press(&mut console, buttons));
        }
        let (cpu, timer) = (&console.machine.cpu, &console.machine.board.riot.timer);
        assert_eq!([cpu.a, cpu.x, cpu.y, cpu.sp, cpu.p()], game_state.registers, "{name}: registers");
        assert_eq!((timer.value, timer.shift, timer.set), game_state.timer, "{name}: timer");
        assert_eq!(
            (cycles(&console), pc(&console)),
            (game_state.cycles, game_state.pc),
            "{name}: cycles and PC"
        );
        assert_eq!(crc32(console.ram()), game_state.ram, "{name}: RAM");
        let mut frames = 0;
        for (until, ram) in [1, 60, 600].into_iter().zip(game_state.later.into_iter().flatten()) {
            (frames..until).for_each(|_| press(&mut console, 0));
            frames = until;
            assert_eq!(crc32(console.ram()), ram, "{name}: RAM after {until} frames");
        }
    }
}

#[test]
fn the_first_frames_of_games_take_as_long_as_measured() {
    for (name, first, played) in [
        ("breakout", (5779, 0xF34D), 5779),
        ("elevator_action", (3499, 0xDDC6), 2815),
        ("montezuma_revenge", (16_723, 0xB7B7), 5247),
        ("pitfall2", (21_437, 0xF95D), 21_513),
        ("robotank", (3727, 0xF27F), 3727),
        ("qbert", (3271, 0xB6C4), 3271),
    ] {
        let Some(rom) = game(name) else { continue };
        // With a television given, the frames after load are those that would have measured it.
        let properties = Properties { television: Some(Television::Ntsc), ..Properties::of(&rom) };
        let mut console = Console::load(&rom, &properties, DEFAULT_SEED).expect(name);
        console.run_frame();
        assert_eq!((cycles(&console), pc(&console)), first, "{name}: first measured frame");
        console.run_frame();
        assert_eq!(cycles(&console), 19_912, "{name}: second measured frame");
        let mut console = Console::load(&rom, &Properties::of(&rom), DEFAULT_SEED).expect(name);
        console.system_reset();
        for expected in [played, 19_912] {
            let input = console.input_mut();
            input.left_difficulty_a = Some(false);
            input.right_difficulty_a = Some(false);
            input.paddle_resistance = [408_823, 408_823, 0, 0];
            console.run_frame();
            assert_eq!(cycles(&console), expected, "{name}: first frames of play");
        }
    }
}
