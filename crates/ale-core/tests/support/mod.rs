//! What the integration tests share: ROMs when the machine has them, checksums, and a player that
//! drives a bare console through the environment's protocol.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

pub mod program;

use std::path::PathBuf;

use ale_core::action::{Action, pressed};
use ale_core::catalogue;
use ale_core::console::Properties;
use ale_core::{Console, Rom};
use serde_json::Value;

/// CRC-32 as in zlib, continued from `crc`.
pub fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// The folder with the ROMs of an installed ale-py, if the caller named one in `ALE_ROM_DIR`.
pub fn rom_dir() -> Option<PathBuf> {
    std::env::var_os("ALE_ROM_DIR").map(PathBuf::from).filter(|dir| dir.is_dir())
}

/// The ROM with this MD5, whatever its file's name.
pub fn find_rom(md5: &str) -> Option<Rom> {
    let stem = catalogue::find_md5(md5)?.name;
    let rom = Rom::new(std::fs::read(rom_dir()?.join(format!("{stem}.bin"))).ok()?);
    (rom.md5_hex() == md5).then_some(rom)
}

/// All known ROMs that the machine has, with their names.
pub fn all_roms() -> Vec<(&'static str, Rom)> {
    catalogue::by_image().into_iter().filter_map(|game| Some((game.name, find_rom(game.md5)?))).collect()
}

/// A number that the caller may set in an environment variable.
pub fn number_from_environment(name: &str, usual: u32) -> u32 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no number")),
        Err(_) => usual,
    }
}

/// The measured pictures of the reference.
pub fn golden() -> Value {
    let text = include_str!("../../../../tests/golden/screens.json");
    serde_json::from_str(text).expect("the golden file is JSON")
}

/// A torture program of the golden file with its name.
pub fn torture_rom(entry: &Value) -> (String, Rom) {
    let mut image = vec![0xFF; 4096];
    let code = decode_base64(entry["code_base64"].as_str().expect("code"));
    image[..code.len()].copy_from_slice(&code);
    image[0xFFC..].copy_from_slice(&[0x00, 0xF0, 0x00, 0xF0]);
    (entry["name"].as_str().expect("a name").to_owned(), Rom::new(image))
}

/// All torture programs.
pub fn torture_roms() -> Vec<(String, Rom)> {
    golden()["torture"].as_array().expect("torture programs").iter().map(torture_rom).collect()
}

fn decode_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bits = 0_u32;
    let mut count = 0;
    let mut bytes = Vec::new();
    for c in text.bytes().filter(|&c| c != b'=') {
        bits = bits << 6 | u32::from(digit(c));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// A console with a hand on its controllers.
#[derive(Clone)]
pub struct Player {
    pub console: Console,
    paddle: i32,
}

impl Player {
    /// Power-on; the episode begins with [`Self::reset`].
    pub fn load(rom: &Rom) -> Self {
        let console = Console::load(rom, &Properties::of(rom), ale_core::console::DEFAULT_SEED);
        Self { console: console.expect("the ROM is a cartridge"), paddle: 0 }
    }

    /// One frame with an action held.
    pub fn act(&mut self, action: Action) {
        self.press(action.pressed(), false);
    }

    /// One frame with the RESET switch held.
    pub fn press_reset(&mut self) {
        self.press(0, true);
    }

    fn press(&mut self, bits: u8, reset: bool) {
        if bits & pressed::RIGHT != 0 {
            self.paddle -= 23_000;
        }
        if bits & pressed::LEFT != 0 {
            self.paddle += 23_000;
        }
        self.paddle = self.paddle.clamp(27_450, 790_196);
        let paddles = self.console.properties().has_paddles();
        let paddle = self.paddle;
        let input = self.console.input_mut();
        input.left_difficulty_a = Some(false);
        input.right_difficulty_a = Some(false);
        input.reset = reset;
        input.paddle_resistance = [paddle, 408_823, 0, 0];
        if paddles {
            input.paddle_fire[0] = bits & pressed::FIRE != 0;
        } else {
            input.joysticks[0] = bits;
        }
        self.console.run_frame();
    }

    /// The environment's reset without mode setting: 60 frames, two soft resets, starting actions.
    pub fn reset(&mut self, starting: &[Option<Action>]) {
        self.paddle = 408_823;
        self.console.system_reset();
        for _ in 0..60 {
            self.act(Action::Noop);
        }
        for _ in 0..8 {
            self.press_reset();
        }
        for action in starting {
            match action {
                Some(action) => self.act(*action),
                None => self.press_reset(),
            }
        }
    }
}
