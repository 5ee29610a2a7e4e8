//! The real images, where a directory of them is given by `ALE_ROM_DIR`.

use std::path::PathBuf;

use crate::console::cart::{Cart, Scheme};
use crate::console::known::{known_roms, name_of};
use crate::console::{Properties, Television};
use crate::rom::Rom;

const TWO_K: &str = "basic_math blackjack bowling boxing breakout combat fishing_derby flag_capture freeway \
    human_cannonball kaboom miniature_golf othello pong skiing space_war surround tennis tetris tic_tac_toe_3d";
const F8: &str = "asterix asteroids battle_zone beam_rider centipede crazy_climber earthworld et galaxian \
    gravitar hero joust kangaroo krull kung_fu_master mario_bros mr_do ms_pacman phoenix private_eye \
    sir_lancelot time_pilot up_n_down zaxxon";

fn scheme_of(name: &str) -> Scheme {
    let among = |names: &str| names.split_whitespace().any(|other| other == name);
    match name {
        "crossbow" | "double_dunk" | "road_runner" | "solaris" => Scheme::F6,
        "elevator_action" => Scheme::F8Sc,
        "darkchambers" | "klax" => Scheme::F6Sc,
        "jamesbond" | "montezuma_revenge" | "tutankham" => Scheme::E0,
        "robotank" => Scheme::Fe,
        "pitfall2" => Scheme::Dpc,
        _ if among(TWO_K) => Scheme::TwoK,
        _ if among(F8) => Scheme::F8,
        _ => Scheme::FourK,
    }
}

/// Calls `check` with each image found; says so when there is none.
fn for_each_rom(mut check: impl FnMut(&str, &Rom)) {
    let Some(directory) = std::env::var_os("ALE_ROM_DIR").map(PathBuf::from) else {
        eprintln!("skipped: ALE_ROM_DIR names no directory of ROM images");
        return;
    };
    for (name, md5) in known_roms() {
        let path = directory.join(name).with_extension("bin");
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        };
        let rom = Rom::new(bytes);
        assert_eq!(rom.md5_hex(), md5, "{name} is another version of the game");
        check(name, &rom);
    }
}

#[test]
fn every_real_image_has_its_scheme_and_loads() {
    for_each_rom(|name, rom| {
        let scheme = Scheme::detect(rom, &Properties::of(rom)).expect(name);
        assert_eq!(scheme, scheme_of(name), "{name}");
        assert!(Cart::load(rom, scheme).is_ok(), "{name}");
        assert_eq!(name_of(rom), Some(name));
    });
}

#[test]
fn real_images_have_their_properties() {
    for_each_rom(|name, rom| {
        let properties = Properties::of(rom);
        assert_eq!(properties.cartridge_type, None, "{name}");
        let paddles = ["backgammon", "blackjack", "breakout", "casino", "kaboom", "pong", "warlords"];
        assert_eq!(properties.has_paddles(), paddles.contains(&name), "{name}");
        let television = (name == "maze_craze").then_some(Television::Pal);
        assert_eq!(properties.television, television, "{name}");
    });
}
