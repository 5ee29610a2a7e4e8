//! The real images, where a directory of them is given by `ALE_ROM_DIR`.

use std::path::PathBuf;

use crate::catalogue::{GAMES, KnownGame, name_of};
use crate::console::Properties;
use crate::console::cart::{Cart, Scheme};
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
    for &KnownGame { name, md5, .. } in &GAMES {
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

/// What is not usual, as text.
fn differences(properties: &Properties) -> String {
    let usual = Properties::default();
    let mut words = Vec::new();
    let mut say = |differs: bool, word: String| words.extend(differs.then_some(word));
    say(properties.has_paddles(), format!("{:?}", properties.controllers));
    say(properties.swap_ports, "swapped ports".into());
    say(properties.swap_paddles, "swapped paddles".into());
    say(properties.left_difficulty_a, "left A".into());
    say(properties.right_difficulty_a, "right A".into());
    say(properties.television.is_some(), format!("{:?}", properties.television));
    say(properties.ystart != usual.ystart, format!("from {}", properties.ystart));
    say(properties.height != usual.height, format!("{} rows", properties.height));
    say(!properties.hmove_blanks, "no blanks".into());
    say(properties.cartridge_type.is_some(), "cartridge type".into());
    words.join(", ")
}

#[test]
fn real_images_have_their_properties() {
    for_each_rom(|name, rom| {
        let expected = match name {
            "amidar" => "left A, right A",
            "asteroids" | "battle_zone" | "darkchambers" | "ms_pacman" => "no blanks",
            "backgammon" | "blackjack" | "breakout" | "casino" | "kaboom" => "[Paddles, Joystick]",
            "carnival" => "from 26, 214 rows",
            "combat" => "from 39, 256 rows",
            "journey_escape" => "230 rows",
            "maze_craze" => "Some(Pal)",
            "pong" => "[Paddles, Paddles], swapped paddles",
            "pooyan" => "from 26, 220 rows",
            "qbert" => "from 40",
            "surround" | "wizard_of_wor" => "swapped ports",
            "up_n_down" => "from 30",
            "warlords" => "[Paddles, Paddles]",
            _ => "",
        };
        assert_eq!(differences(&Properties::of(rom)), expected, "{name}");
    });
}
