//! Sets of features: each on the screens, or the RAM, of 100 decisions of every game, by one thread.

use std::sync::{Arc, LazyLock};

use ale_core::env::EnvConfig;
use ale_features::{
    Active, BPros, BProst, Background, Basic, Bass, BlobProst, Disco, FeatureSet, Input, Lsh, Ram, Screen,
};
use ale_learning::survey::Survey;
use divan::Bencher;
use divan::counter::ItemsCount;

use crate::cartridges::{self, Cartridge, Hand};

const NAMES: [&str; 8] = ["basic", "bass", "ram", "lsh", "disco", "b-pros", "b-prost", "blob-prost"];
const DECISIONS: usize = 100;
const FRAMES: u32 = 5;
/// Screens of a background and of classes: shortened, their number changes no speed.
const SURVEYED: u32 = 2000;

/// What the sets look at in a game.
struct Recording {
    screens: Vec<Vec<u8>>,
    rams: Vec<[u8; 128]>,
    background: Background,
    disco: Disco,
}

impl Recording {
    fn new(cartridge: &Cartridge) -> Self {
        let mut env = cartridge.played(&EnvConfig::default());
        let mut hand = Hand::new(&cartridge.game);
        let (mut screens, mut rams) = (Vec::new(), Vec::new());
        for _ in 0..DECISIONS {
            for _ in 0..FRAMES {
                env.act(hand.next(), 1.0);
            }
            if env.game_over() {
                env.reset().expect("the game starts again");
            }
            screens.push(env.screen().to_vec());
            rams.push(*env.console().ram());
        }
        let survey = Survey { screens: SURVEYED, seed: 0, trajectory: &[] };
        let classes = survey.classes(&cartridge.rom, &cartridge.game, |_| true).expect("a game of 210 rows");
        let background = classes.background().clone();
        Self { screens, rams, background, disco: Disco::new(Arc::new(classes)) }
    }

    fn set(&self, name: &str) -> Box<dyn FeatureSet> {
        match name {
            "basic" => Box::new(Basic::new(self.background.clone())),
            "bass" => Box::new(Bass::new(self.background.clone())),
            "ram" => Box::new(Ram),
            "lsh" => Box::new(Lsh::new(0)),
            "disco" => Box::new(self.disco.clone()),
            "b-pros" => Box::new(BPros::new(None)),
            "b-prost" => Box::new(BProst::new(None)),
            _ => Box::new(BlobProst::default()),
        }
    }

    /// Looks at everything; gives the number of active features.
    fn look(&self, name: &str, set: &mut dyn FeatureSet, out: &mut Active) -> usize {
        set.reset();
        let mut found = 0;
        for (screen, ram) in self.screens.iter().zip(&self.rams) {
            let input = match name {
                "ram" => Input::Ram(ram),
                _ => Input::Screen(Screen::new(screen).expect("a screen")),
            };
            set.active(input, out).expect("what the set looks at");
            found += out.indices.len();
        }
        found
    }
}

static RECORDINGS: LazyLock<Vec<Recording>> =
    LazyLock::new(|| cartridges::all().iter().map(Recording::new).collect());

#[divan::bench(args = NAMES, sample_count = 20, sample_size = 1)]
fn features(bencher: Bencher<'_, '_>, name: &str) {
    let mut sets: Vec<_> = RECORDINGS.iter().map(|recording| recording.set(name)).collect();
    let mut out = Active::default();
    let mut look = || -> usize {
        RECORDINGS.iter().zip(&mut sets).map(|(it, set)| it.look(name, &mut **set, &mut out)).sum()
    };
    let found = look();
    assert_eq!(look(), found, "{name} gives other features for the same screens");
    bencher.counter(ItemsCount::new(RECORDINGS.len() * DECISIONS)).bench_local(look);
}
