//! The recorded measurements of the reference: seeds, generator, noise, daylight, worlds and whole games.

mod recorded;

use ale_crafter::{Chance, Game, Options, Simplex, daylight, hash_integer, hash_pair, world_seed};
use recorded::{Play, golden, hex_double, integer, list, sha256};

#[test]
fn world_seeds_are_the_hash_of_seed_and_episode() {
    let golden = golden();
    for row in list(&golden["episode_seed"]) {
        let (seed, episode) = (integer(&row["seed"]), integer(&row["episode"]));
        let (base, hashed) = (hash_integer(seed), hash_integer(episode));
        assert_eq!(hash_pair(base, hashed), integer(&row["tuple_hash"]), "seed {seed}, episode {episode}");
        assert_eq!(i64::from(world_seed(base, episode as u64)), integer(&row["world_seed"]));
    }
}

#[test]
fn the_generator_draws_like_numpy() {
    let golden = golden();
    for row in list(&golden["mt19937"]) {
        let new = || Chance::new(integer(&row["seed"]) as u32);
        let mut chance = new();
        for hex in list(&row["uniform_hex_first3"]) {
            assert_eq!(chance.uniform().to_bits(), hex_double(hex).to_bits());
        }
        let mut chance = new();
        for value in list(&row["randint_0_4_first10"]) {
            assert_eq!(i64::from(chance.pick(4)), integer(value));
        }
        let mut chance = new();
        for (n, pair) in [7, 1, 100, 2_147_483_647].into_iter().zip(list(&row["sequence"])) {
            assert_eq!(i64::from(chance.pick(n)), integer(&pair[1]));
        }
    }
}

#[test]
fn noise_is_equal_to_the_last_bit() {
    let golden = golden();
    for row in list(&golden["simplex"]) {
        let noise = Simplex::new(integer(&row["seed"]));
        assert_eq!(sha256(noise.permutation()), row["permutation_sha256_u8"]);
        for sample in list(&row["samples"]) {
            let z = sample["z"].as_f64().expect("a number");
            let value = noise.at(hex_double(&sample["x"]), hex_double(&sample["y"]), z);
            assert_eq!(value.to_bits(), hex_double(&sample["value"]).to_bits(), "{sample}");
        }
    }
}

#[test]
fn daylight_is_equal_to_the_last_bit() {
    let golden = &golden()["daylight"];
    for (step, hex) in golden["samples"].as_object().expect("a table") {
        let ours = daylight(step.parse().expect("a step"));
        assert_eq!(ours.to_bits(), hex_double(hex).to_bits(), "step {step}");
    }
    let bytes: Vec<u8> = (0..=10_000).flat_map(|step| daylight(step).to_le_bytes()).collect();
    assert_eq!(sha256(&bytes), golden["sha256_f64le_steps_0_to_10000"]);
}

#[test]
fn worlds_are_those_of_the_reference() {
    let golden = golden();
    for row in list(&golden["worlds"]) {
        let mut game = Game::new(Options::default(), hash_integer(integer(&row["seed"])));
        for _ in 0..integer(&row["episode"]) {
            game.reset();
        }
        let materials: Vec<u8> = game.world().materials().iter().map(|&material| material as u8).collect();
        let column: Vec<i64> = list(&row["column32"]).iter().map(integer).collect();
        assert_eq!(materials[32 * 64..33 * 64].iter().map(|&m| i64::from(m)).collect::<Vec<_>>(), column);
        assert_eq!(sha256(&materials), row["material_sha256"]);
        assert_eq!(sha256(&recorded::semantic(&game)), row["semantic_sha256"]);
        assert_eq!(sha256(recorded::objects_json(&game).as_bytes()), row["objects_sha256"]);
        let mut words = recorded::WordCounter::default();
        assert_eq!(words.count(&game), integer(&row["rng_words"]));
    }
}

#[test]
fn single_steps_use_the_recorded_number_of_words() {
    let golden = golden();
    let rows = list(&golden["trace"][0]["rows"]);
    let script =
        list(&golden["episodes"]).iter().find(|e| e["rule"] == "script" && e["seed"] == 0).expect("recorded");
    let mut play = Play::new(script, Options::default());
    let mut words = recorded::WordCounter::default();
    for row in rows {
        while play.t < integer(&row[0]) {
            play.step();
        }
        play.game.draw();
        assert_eq!(words.count(play.game.get()), integer(&row[2]), "step {}", row[0]);
        let hash = sha256(&recorded::semantic(play.game.get()));
        assert_eq!(Some(&hash[..12]), row[6].as_str(), "step {}", row[0]);
    }
}

#[test]
fn whole_games_are_those_of_the_reference() {
    let golden = golden();
    for episode in list(&golden["episodes"]) {
        recorded::compare_game(episode);
    }
}
