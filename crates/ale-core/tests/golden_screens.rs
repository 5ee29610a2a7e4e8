//! Measured pictures, RAM and sound of the reference, replayed on a bare console.

mod support;

use ale_core::console::Television;
use ale_core::{Action, Rom};
use serde_json::Value;
use support::{Player, crc32, find_rom, golden, torture_rom};

/// Checksums over all frames up to now.
#[derive(Default)]
struct Chain {
    screen: u32,
    ram: u32,
    audio: u32,
}

fn hex(value: &Value) -> Option<u32> {
    value.as_str().map(|text| u32::from_str_radix(text, 16).expect("a checksum"))
}

fn check(name: &str, player: &Player, chain: &Chain, checkpoint: &Value) {
    let frames = &checkpoint["frames"];
    let now = [crc32(0, player.console.screen()), crc32(0, player.console.ram())];
    assert_eq!(Some(now[1]), hex(&checkpoint["ram_crc32"]), "RAM of {name} at frame {frames}");
    assert_eq!(Some(now[0]), hex(&checkpoint["screen_crc32"]), "screen of {name} at frame {frames}");
    assert_eq!(Some(chain.ram), hex(&checkpoint["chain_ram"]), "all RAM of {name} up to frame {frames}");
    assert_eq!(
        Some(chain.screen),
        hex(&checkpoint["chain_screen"]),
        "all screens of {name} up to frame {frames}"
    );
    assert_eq!(
        Some(chain.audio),
        hex(&checkpoint["chain_audio"]),
        "all sound of {name} up to frame {frames}"
    );
}

/// Plays `actions`, each for seven frames, and compares at the checkpoints.
fn replay(name: &str, rom: &Rom, entry: &Value, literal: bool) {
    let list = |key: &str| entry[key].as_array().cloned().unwrap_or_default();
    let action = |value: &Value| value.as_u64().and_then(|n| Action::from_number(n as usize));
    let starting: Vec<Option<Action>> = list("starting_actions").iter().map(action).collect();
    let actions: Vec<Action> = list("actions").iter().filter_map(action).collect();
    let resets: Vec<u64> = list("resets_before_frame").iter().filter_map(Value::as_u64).collect();
    let checkpoints = list("checkpoints");
    let last = checkpoints.iter().filter_map(|c| c["frames"].as_u64()).max().expect("checkpoints");

    let mut player = Player::load(rom);
    player.console.set_literal_drawing(literal);
    player.reset(&starting);
    assert_eq!(player.console.height() as u64, entry["screen_height"].as_u64().expect("a height"), "{name}");
    let pal = player.console.television() == Television::Pal;
    assert_eq!(if pal { "PAL" } else { "NTSC" }, entry["television"].as_str().expect("a norm"), "{name}");
    let mut chain = Chain::default();
    check(name, &player, &chain, &checkpoints[0]);
    for frame in 0..last {
        if resets.contains(&frame) {
            player.reset(&starting);
        }
        let held = actions.get(frame as usize / 7 % actions.len().max(1)).copied();
        player.act(held.unwrap_or_default());
        let mut sound = [0; 512];
        player.console.make_sound(&mut sound);
        chain.screen = crc32(chain.screen, player.console.screen());
        chain.ram = crc32(chain.ram, player.console.ram());
        chain.audio = crc32(chain.audio, &sound);
        for checkpoint in checkpoints.iter().filter(|c| c["frames"].as_u64() == Some(frame + 1)) {
            check(name, &player, &chain, checkpoint);
        }
    }
}

fn torture(literal: bool) {
    let golden = golden();
    let roms = golden["torture"].as_array().expect("torture programs");
    assert_eq!(roms.len(), 56);
    for entry in roms {
        let (name, rom) = torture_rom(entry);
        replay(&name, &rom, entry, literal);
    }
}

#[test]
fn the_torture_programs_look_as_measured() {
    torture(false);
}

#[test]
fn the_torture_programs_drawn_pixel_by_pixel_look_as_measured() {
    torture(true);
}

#[test]
fn the_games_look_play_and_sound_as_measured() {
    let golden = golden();
    let games = golden["games"].as_object().expect("games");
    let mut played = 0;
    for (name, entry) in games {
        if entry["console_level"] != Value::Bool(true) {
            continue;
        }
        let Some(rom) = find_rom(entry["rom_md5"].as_str().expect("an MD5")) else { continue };
        replay(name, &rom, entry, false);
        played += 1;
    }
    if played == 0 {
        eprintln!("no game ROM found; ALE_ROM_DIR names the folder that has them");
    }
}
