//! Reading the recorded measurements, and playing the games that they are of.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(unreachable_pub, reason = "a module of several test files")]

use std::path::Path;

use ale_crafter::{Chance, Game, Kind, Options, Outcome, hash_integer};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/crafter.json");
    serde_json::from_slice(&std::fs::read(path).expect("the file is there")).expect("it is JSON")
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

pub fn integer(value: &Value) -> i64 {
    value.as_i64().expect("an integer")
}

pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string");
        text
    })
}

/// A double in the notation of C: `-0x1.8p-3`.
pub fn hex_double(value: &Value) -> f64 {
    let text = value.as_str().expect("text");
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let (mantissa, exponent) =
        text.strip_prefix("0x").and_then(|rest| rest.split_once('p')).expect("hexadecimal");
    let (whole, fraction) = mantissa.split_once('.').expect("a point");
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).expect("digits");
    let exponent: i32 = exponent.parse().expect("an exponent");
    sign * digits as f64 * 2f64.powi(exponent - 4 * fraction.len() as i32)
}

pub fn semantic(game: &Game) -> Vec<u8> {
    let mut map = vec![0; game.world().materials().len()];
    game.world().semantic_into(&mut map);
    map
}

pub fn objects_json(game: &Game) -> String {
    let rows: Vec<String> = game
        .world()
        .objects()
        .iter()
        .map(|object| {
            let name = match object.kind {
                Kind::Player => "player",
                Kind::Cow => "cow",
                Kind::Zombie => "zombie",
                Kind::Skeleton => "skeleton",
                Kind::Arrow => "arrow",
                Kind::Plant => "plant",
            };
            format!("[\"{name}\",{},{}]", object.x, object.y)
        })
        .collect();
    format!("[{}]", rows.join(","))
}

/// Counts the words drawn from a game's generator by following it with one of its own.
#[derive(Default)]
pub struct WordCounter {
    episode: Option<(u64, u64, Chance)>,
    words: i64,
}

impl WordCounter {
    pub fn count(&mut self, game: &Game) -> i64 {
        let key = (game.episode(), u64::from(ale_crafter::world_seed(game.base(), game.episode())));
        if self.episode.as_ref().is_none_or(|(episode, seed, _)| (*episode, *seed) != key) {
            self.episode = Some((key.0, key.1, Chance::new(key.1 as u32)));
            self.words = 0;
        }
        let (_, _, chance) = self.episode.as_mut().expect("just set");
        let goal = game.chance().generator();
        while chance.generator().parts().1 != goal.parts().1
            || chance.generator().parts().0[0] != goal.parts().0[0]
            || chance.generator() != goal
        {
            chance.skip_words(1);
            self.words += 1;
        }
        self.words
    }
}

/// A game whose picture is drawn, or its noise skipped, after every step.
pub struct Drawn(Game);

impl Drawn {
    pub fn get(&self) -> &Game {
        &self.0
    }

    pub fn get_mut(&mut self) -> &mut Game {
        &mut self.0
    }

    pub fn draw(&mut self) {
        self.0.finish_picture();
    }
}

/// A recorded game, played again.
pub struct Play<'a> {
    pub game: Drawn,
    pub t: i64,
    episode: &'a Value,
    lcg: u64,
}

impl<'a> Play<'a> {
    pub fn new(episode: &'a Value, options: Options) -> Self {
        let seed = integer(&episode["seed"]);
        let mut game = Game::new(options.check().expect("options of the reference"), hash_integer(seed));
        game.reset();
        Self { game: Drawn(game), t: 0, episode, lcg: seed as u64 }
    }

    fn action(&mut self) -> u8 {
        match self.episode["rule"].as_str().expect("a rule") {
            "lcg" => {
                self.lcg = (self.lcg * 1_103_515_245 + 12_345) % (1 << 31);
                ((self.lcg >> 16) % 17) as u8
            }
            "script" => self.episode["actions"].as_str().expect("letters").as_bytes()[self.t as usize] - b'a',
            _ => 0,
        }
    }

    pub fn step(&mut self) -> Outcome {
        let action = self.action();
        self.t += 1;
        self.game.0.step(action)
    }
}

/// Plays a recorded game and compares everything that was recorded.
pub fn compare_game(episode: &Value) {
    let about = format!("seed {}, rule {}", episode["seed"], episode["rule"]);
    let checkpoints = list(&episode["checkpoints"]);
    let mut play = Play::new(episode, Options::default());
    let (mut roll, mut rewards, mut words) = (Sha256::new(), Vec::new(), WordCounter::default());
    let mut checkpoint = checkpoints.iter().peekable();
    let mut sum = 0.0;
    while let Some(next) = checkpoint.peek() {
        let outcome = play.step();
        play.game.draw();
        let game = play.game.get();
        roll.update(semantic(game));
        sum += outcome.reward;
        if outcome.reward != 0.0 {
            rewards.push((play.t, outcome.reward));
        }
        if play.t == integer(&next["t"]) {
            let about = format!("{about}, t {}", play.t);
            assert_eq!(game.steps() as i64, integer(&next["step"]), "{about}");
            assert_eq!(words.count(game), integer(&next["rng_words"]), "{about}");
            let inventory: Vec<i64> = list(&next["inventory"]).iter().map(integer).collect();
            assert_eq!(game.player().inventory.map(i64::from).to_vec(), inventory, "{about}");
            let counts: Vec<i64> = list(&next["achievements"]).iter().map(integer).collect();
            assert_eq!(game.player().achievements.map(i64::from).to_vec(), counts, "{about}");
            assert_eq!(
                game.position(),
                (integer(&next["player_pos"][0]) as i32, integer(&next["player_pos"][1]) as i32)
            );
            let facing = game.player().facing.offset();
            assert_eq!(
                [facing.0, facing.1].map(i64::from).to_vec(),
                [integer(&next["facing"][0]), integer(&next["facing"][1])]
            );
            assert_eq!(game.player().sleeping, next["sleeping"], "{about}");
            assert_eq!(game.world().objects().len() as i64, integer(&next["objects"]), "{about}");
            assert_eq!(sha256(&semantic(game)), next["semantic_sha256"], "{about}");
            assert_eq!(hex(&roll.clone().finalize()), next["semantic_roll_sha256"], "{about}");
            assert!((sum - next["reward_sum"].as_f64().expect("a sum")).abs() < 1e-6, "{about}");
            checkpoint.next();
        }
        if (outcome.dead || outcome.over) && episode["reset_on_done"] == true {
            play.game.get_mut().reset();
        }
    }
    let recorded: Vec<(i64, f64)> = list(&episode["rewards"])
        .iter()
        .map(|pair| (integer(&pair[0]), pair[1].as_f64().expect("a number")))
        .collect();
    assert_eq!(rewards.len(), recorded.len(), "{about}");
    for (ours, theirs) in rewards.iter().zip(&recorded) {
        assert!(ours.0 == theirs.0 && (ours.1 - theirs.1).abs() < 1e-9, "{about}: {ours:?} {theirs:?}");
    }
}
