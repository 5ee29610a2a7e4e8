//! Every set against its definition on the screens and the RAM of games.
//!
//! Without more, the games of our own. `ALE_ROM_DIR` names a folder of `<game>.bin` and adds three of them, drawn with a
//! fresh seed; `ALE_FEATURE_SCREENS=100` takes all of them, with so many screens each (`make features-exact`). Screens are
//! taken over a whole run: two consecutive ones out of every twenty. All cores work, a game each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ale_core::env::{Env, EnvConfig};
use ale_core::game::Game;
use ale_core::{Action, Rom, embedded};
use ale_features::disco::Discovery;
use ale_features::{
    Active, BPros, BProst, Background, Basic, Bass, BlobProst, Disco, FeatureSet, Histogram, Input, Lsh, Ram,
    Screen,
};
use ale_sim::rng::Xoshiro256;
use twins::disco::Pixels;
use twins::{COLUMNS, Facts, ROWS};

#[allow(dead_code, reason = "the other tests use the rest")]
mod twins;

const FRAMES: u32 = 5;
const SAMPLED_GAMES: usize = 3;
const SAMPLED_SCREENS: usize = 12;
/// Decisions of which background and classes are gathered.
const SURVEYED: usize = 150;
/// Of so many consecutive decisions two are compared.
const APART: usize = 20;

/// Screens and RAM after decisions of random play.
struct Recording {
    screens: Vec<Vec<u8>>,
    rams: Vec<[u8; 128]>,
}

fn play(
    rom: &Rom,
    game: &Arc<Game>,
    seed: u64,
    decisions: usize,
    keeps: impl Fn(usize) -> bool,
) -> Recording {
    let mut env = Env::load(rom, game, &EnvConfig::default()).expect("the game starts");
    let mut rng = Xoshiro256::new(seed);
    let mut recording = Recording { screens: Vec::new(), rams: Vec::new() };
    for number in 0..decisions {
        let action = Action::ALL[rng.below(18) as usize];
        for _ in 0..FRAMES {
            env.act(action, 1.0);
        }
        if env.game_over() {
            env.reset().expect("the game starts again");
        }
        if keeps(number) {
            recording.screens.push(env.screen().to_vec());
            recording.rams.push(*env.ram());
        }
    }
    recording
}

fn active(set: &mut dyn FeatureSet, pixels: &[u8]) -> Active {
    let mut out = Active::default();
    set.active(Input::Screen(Screen::new(pixels).expect("a screen")), &mut out).expect("a set of screens");
    out
}

fn sorted(mut indices: Vec<u32>) -> Vec<u32> {
    indices.sort_unstable();
    indices
}

fn facts(set: &mut dyn FeatureSet, pixels: &[u8]) -> Facts {
    let indices = active(set, pixels).indices;
    let fact = |index: &u32| set.describe(*index).map(|fact| (fact.kind, fact.numbers)).expect("a fact");
    let facts: Facts = indices.iter().map(fact).collect();
    assert_eq!(facts.len(), indices.len(), "an index came twice");
    facts
}

/// All sets on all screens of a recording. What the screens have below row 209 is no part of the definitions.
fn compare(
    name: &str,
    recording: &Recording,
    background: &Background,
    disco: &mut Disco,
    lsh: &mut dyn FeatureSet,
    tables: &twins::LshTables,
) {
    let back = background.screen().pixels().to_vec();
    let (mut basic, mut bass) = (Basic::new(background.clone()), Bass::new(background.clone()));
    let mut fronts = [BPros::new(None), BPros::new(Some(background.clone()))];
    let (mut prost, mut blob_prost) = (BProst::new(None), BlobProst::default());
    let shapes = shapes_of(disco);
    let (mut tiles_before, mut blobs_before, mut instances_before) = (None, None, Vec::new());
    for (number, (tall, ram)) in recording.screens.iter().zip(&recording.rams).enumerate() {
        let place = format!("{name}, screen {number}");
        let pixels = &tall[..ROWS * COLUMNS];
        assert_eq!(facts(&mut basic, tall), twins::basic(pixels, Some(&back)), "Basic: {place}");
        let expected: Vec<u32> = twins::bass(pixels, &back).into_iter().collect();
        assert_eq!(sorted(active(&mut bass, tall).indices), expected, "BASS: {place}");
        let expected: Vec<u32> = twins::lsh(pixels, tables).into_iter().collect();
        assert_eq!(sorted(active(lsh, tall).indices), expected, "LSH: {place}");
        let mut out = Active::default();
        Ram.active(Input::Ram(ram), &mut out).expect("RAM");
        assert_eq!(sorted(out.indices), twins::ram(ram).into_iter().collect::<Vec<_>>(), "RAM: {place}");
        let places = twins::tile_places(pixels, None);
        let front = twins::tile_places(pixels, Some(&back));
        for (set, places) in fronts.iter_mut().zip([&places, &front]) {
            assert_eq!(facts(set, tall), twins::offsets(places, None), "B-PROS: {place}");
        }
        let expected = twins::offsets(&places, tiles_before.as_ref());
        assert_eq!(facts(&mut prost, tall), expected, "B-PROST: {place}");
        tiles_before = Some(places);
        let blobs = twins::blob_places(pixels);
        let expected = twins::offsets(&blobs, blobs_before.as_ref());
        assert_eq!(facts(&mut blob_prost, tall), expected, "Blob-PROST: {place}");
        blobs_before = Some(blobs);
        let found = active(disco, tall);
        let fact =
            |index: &u32| disco.describe(*index).map(|fact| (fact.kind, fact.numbers)).expect("a fact");
        let found: BTreeMap<_, _> =
            found.indices.iter().map(fact).zip(found.counts.iter().copied()).collect();
        let mut instances = twins::disco::instances(pixels, &back, &shapes);
        twins::disco::set_velocities(&mut instances, &instances_before);
        assert_eq!(found, twins::disco::facts(&instances, shapes.len()), "DISCO: {place}");
        instances_before = instances;
    }
}

fn shapes_of(disco: &Disco) -> Vec<Vec<Pixels>> {
    let of_shape = |(width, bits): (usize, Vec<bool>)| -> Pixels {
        let set = bits.iter().enumerate().filter(|(_, set)| **set);
        set.map(|(at, _)| ((at / width) as i32, (at % width) as i32)).collect()
    };
    (0..disco.classes().len()).map(|class| disco.classes().shapes(class).map(of_shape).collect()).collect()
}

fn folder() -> Option<PathBuf> {
    std::env::var_os("ALE_ROM_DIR").map(PathBuf::from).filter(|folder| folder.is_dir())
}

fn games(rng: &mut Xoshiro256, all: bool) -> Vec<(Rom, Arc<Game>)> {
    let ours = embedded::GAMES.iter().map(|game| (Rom::new(game.image), game.name));
    let mut games: Vec<_> =
        ours.map(|(rom, name)| (rom, Game::by_name(name).expect("a game of our own"))).collect();
    let Some(folder) = folder() else {
        eprintln!("games of our own only: ALE_ROM_DIR names no folder of ROMs");
        return games;
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths.sort();
    let mut others: Vec<(Rom, Arc<Game>)> = Vec::new();
    for path in paths {
        let rom = Rom::new(std::fs::read(&path).expect("a file"));
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if let Ok(game) = Game::for_rom(&rom.md5_hex(), &name).map_or_else(|| Game::by_name(&name), Ok) {
            others.push((rom, game));
        }
    }
    while !all && others.len() > SAMPLED_GAMES {
        others.swap_remove(rng.below(others.len() as u64) as usize);
    }
    games.extend(others);
    games
}

#[test]
fn every_set_equals_its_definition_on_the_screens_of_games() {
    let asked = std::env::var("ALE_FEATURE_SCREENS").ok();
    let screens = asked.as_ref().map_or(SAMPLED_SCREENS, |text| text.parse().expect("a number of screens"));
    let fresh = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = fresh.expect("after 1970").as_secs();
    println!("fresh seed: {seed}");
    let mut rng = Xoshiro256::new(seed);
    let games = games(&mut rng, asked.is_some());
    let (lsh, tables) = (Lsh::new(0), twins::lsh_tables(0));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((rom, game)) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
            compare_game(rom, game, seed, screens, &lsh, &tables);
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    println!("{} games, {screens} screens each", games.len());
}

fn compare_game(
    rom: &Rom,
    game: &Arc<Game>,
    seed: u64,
    screens: usize,
    lsh: &Lsh,
    tables: &twins::LshTables,
) {
    let survey = play(rom, game, seed, SURVEYED, |_| true);
    let mut histogram = Histogram::default();
    let screen = |pixels| Screen::new(pixels).expect("a screen");
    survey.screens.iter().for_each(|pixels| histogram.add(screen(pixels)));
    let background = histogram.background();
    let mut discovery = Discovery::new(background.clone());
    for pixels in &survey.screens {
        discovery.observe(screen(pixels));
    }
    let mut disco = Disco::new(Arc::new(discovery.finish()));
    let recording = play(rom, game, seed + 1, screens * APART / 2, |number| number % APART < 2);
    assert_eq!(recording.screens.len(), screens.next_multiple_of(2));
    let begun = std::time::Instant::now();
    compare(game.name(), &recording, &background, &mut disco, &mut *lsh.fork(), tables);
    let rows = recording.screens[0].len() / COLUMNS;
    println!("{}: {rows} rows, {:.1} s", game.name(), begun.elapsed().as_secs_f64());
}
