//! A console goes on identically from a clone and from its bytes, whatever it was doing.

mod support;

use ale_core::rng::Mt19937;
use ale_core::{Action, Console, Rom};
use support::{Player, all_roms, torture_roms};

/// What a player sees and hears: screen, RAM and sound.
type Seen = (Vec<u8>, [u8; 128], [u8; 512]);

fn watch(player: &mut Player, action: Action) -> Seen {
    player.act(action);
    let mut sound = [0; 512];
    player.console.make_sound(&mut sound);
    (player.console.screen().to_vec(), *player.console.ram(), sound)
}

/// Random actions, each held for a few frames.
struct Actions(Mt19937, Action);

impl Actions {
    fn new(seed: u32) -> Self {
        Self(Mt19937::new(seed), Action::Noop)
    }

    fn next(&mut self) -> Action {
        if self.0.below(5) == 0 {
            self.1 = Action::from_number(self.0.below(18) as usize).unwrap_or_default();
        }
        self.1
    }
}

/// Goes on from `player`, from a clone of it, and from its bytes in a console that was elsewhere.
fn goes_on(name: &str, player: &Player, elsewhere: &Console, seed: u32, frames: usize) {
    let bytes = player.console.save_bytes();
    let mut restored = player.clone();
    restored.console.clone_from(elsewhere);
    restored.console.restore_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(restored.console.save_bytes(), bytes, "{name}: bytes of the restored console");
    assert!(restored.console == player.console, "{name}: the restored console is equal");
    let mut players = [player.clone(), player.clone(), restored];
    let mut actions = Actions::new(seed);
    for frame in 0..frames {
        let action = actions.next();
        let [original, clone, restored] = players.each_mut().map(|player| watch(player, action));
        assert_eq!(clone, original, "{name}: a clone, {frame} frames later");
        assert_eq!(restored, original, "{name}: restored from bytes, {frame} frames later");
        // A system reset draws from the machine's generator.
        if frame == frames / 2 {
            for player in &mut players {
                player.console.system_reset();
            }
        }
    }
    let [original, clone, restored] = players.map(|player| player.console.save_bytes());
    assert_eq!(clone, original, "{name}: everything of a clone at the end");
    assert_eq!(restored, original, "{name}: everything restored from bytes at the end");
}

/// Plays on from power-on and compares at `points` random frames.
fn compare(name: &str, rom: &Rom, points: u32, frames: usize) {
    let seed = support::crc32(0, name.as_bytes());
    let mut rng = Mt19937::new(seed);
    let mut player = Player::load(rom);
    let elsewhere = player.console.clone();
    player.reset(&[]);
    let mut actions = Actions::new(seed ^ 1);
    for point in 0..points {
        for _ in 0..rng.below(40) {
            player.act(actions.next());
        }
        goes_on(name, &player, &elsewhere, seed ^ point, frames);
    }
}

#[test]
fn the_torture_programs_go_on_from_clones_and_bytes() {
    for (name, rom) in torture_roms() {
        compare(&name, &rom, 2, 8);
    }
}

#[test]
fn the_games_go_on_from_clones_and_bytes() {
    let roms = all_roms();
    for (name, rom) in &roms {
        compare(name, rom, 2, 12);
    }
    if roms.is_empty() {
        eprintln!("no game ROM found; ALE_ROM_DIR names the folder that has them");
    }
}

#[test]
fn the_games_go_on_in_the_middle_of_unfinished_frames() {
    for (name, rom) in all_roms() {
        if !["qbert", "tetris", "entombed", "tic_tac_toe_3d", "maze_craze"].contains(&name) {
            continue;
        }
        let mut player = Player::load(&rom);
        let elsewhere = player.console.clone();
        player.console.system_reset();
        let mut actions = Actions::new(7);
        let mut found = 0;
        for frame in 0..600 {
            match frame {
                60..70 => player.press_reset(),
                _ => player.act(actions.next()),
            }
            if player.console.unfinished() {
                goes_on(name, &player, &elsewhere, frame, 6);
                found += 1;
            }
            if found == 3 {
                break;
            }
        }
        assert!(found > 0, "{name} has no unfinished frame");
    }
}
