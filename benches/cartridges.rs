//! The cartridges that are measured: those of the library, and others where `ALE_ROM_DIR` says they are.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;

use ale_core::catalogue;
use ale_core::console::Properties;
use ale_core::console::cart::Scheme;
use ale_core::env::{Env, EnvConfig};
use ale_core::game::Game;
use ale_core::rng::Mt19937;
use ale_core::{Action, Rom, embedded};

/// Games with little and with much to draw, of all cartridge types that were sold often.
const WANTED: [&str; 16] = [
    "pong",              // 2K
    "breakout",          // 2K, paddles
    "freeway",           // 2K, a busy picture
    "space_invaders",    // 4K
    "seaquest",          // 4K
    "ms_pacman",         // F8
    "asteroids",         // F8
    "beam_rider",        // F8
    "hero",              // F8
    "elevator_action",   // F8SC
    "robotank",          // FE
    "montezuma_revenge", // E0
    "solaris",           // F6
    "road_runner",       // F6
    "darkchambers",      // F6SC
    "pitfall2",          // DPC
];
const FRAMES_BEFORE: u32 = 600;
const LONGEST_HOLD: u32 = 20;

/// A game and its image.
#[derive(Clone)]
pub(crate) struct Cartridge {
    pub(crate) rom: Rom,
    pub(crate) game: Arc<Game>,
}

impl Display for Cartridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = Scheme::detect(&self.rom, &Properties::of(&self.rom)).map_or("?", Scheme::name);
        write!(f, "{} ({scheme})", self.game.name())
    }
}

/// Our own games, and those of [`WANTED`] that this machine has.
pub(crate) fn all() -> Vec<Cartridge> {
    let ours = embedded::GAMES.iter().map(|game| (game.name, Rom::new(game.image)));
    let others = WANTED.iter().filter_map(|name| Some((*name, read(name)?)));
    let cartridge = |(name, rom)| Cartridge { rom, game: Game::by_name(name).expect("it has a fact sheet") };
    ours.chain(others).map(cartridge).collect()
}

/// One of the library, and one of others with much to save if there is one.
pub(crate) fn few() -> Vec<Cartridge> {
    let mut all = all();
    all.retain(|cartridge| ["glowdelve", "seaquest", "pitfall2"].contains(&cartridge.game.name()));
    all
}

fn directory() -> Option<PathBuf> {
    ["ALE_ROM_DIR", "ALE_ROMS_DIR"].iter().find_map(std::env::var_os).map(PathBuf::from)
}

/// The image of a game, if there is a file of its name with the right checksum.
fn read(name: &str) -> Option<Rom> {
    let rom = Rom::new(std::fs::read(directory()?.join(format!("{name}.bin"))).ok()?);
    (catalogue::name_of(&rom) == Some(name)).then_some(rom)
}

/// Says what is measured and how to measure more.
pub(crate) fn print_found() {
    let missing: Vec<_> = WANTED.iter().copied().filter(|name| read(name).is_none()).collect();
    println!("{} games", all().len());
    if !missing.is_empty() {
        println!("not found: {}; ALE_ROM_DIR is the directory of <game>.bin", missing.join(", "));
    }
}

impl Cartridge {
    /// In the middle of a game: ten seconds of held random actions, the same in every run.
    pub(crate) fn played(&self, config: &EnvConfig) -> Env {
        let mut env = Env::load(&self.rom, &self.game, config).expect("the game starts");
        let mut hand = Hand::new(&self.game);
        while env.frame_number() < u64::from(FRAMES_BEFORE) {
            env.act(hand.next(), 1.0);
            if env.game_over() {
                env.reset().expect("the game starts again");
            }
        }
        env
    }
}

/// Random actions, each held for a while.
pub(crate) struct Hand {
    rng: Mt19937,
    actions: Vec<Action>,
    held: Action,
    left: u32,
}

impl Hand {
    pub(crate) fn new(game: &Game) -> Self {
        let actions = game.minimal_actions().to_vec();
        Self { rng: Mt19937::new(1), actions, held: Action::Noop, left: 0 }
    }

    pub(crate) fn next(&mut self) -> Action {
        if self.left == 0 {
            self.held = self.actions[self.rng.below(self.actions.len() as u32) as usize];
            self.left = 1 + self.rng.below(LONGEST_HOLD);
        }
        self.left -= 1;
        self.held
    }
}
