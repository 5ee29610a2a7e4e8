//! Games as bytes: a game that is read goes on like the one that was written; forged bytes give an error or a game.

use ale_crafter::{Game, Layers, NightNoise, Options, hash_integer};
use ale_sim::bytes::{seal, unseal};

const KIND: [u8; 8] = *b"crafter ";
const VERSION: u32 = 2;

fn game(noise: NightNoise, steps: u64) -> Game {
    let options = Options { noise, ..Options::default() };
    let mut game = Game::new(options, hash_integer(7));
    game.reset();
    play(&mut game, steps, 1);
    game
}

fn play(game: &mut Game, steps: u64, mut x: u64) {
    for _ in 0..steps {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        game.step((x >> 33) as u8 % 17);
    }
}

fn with_checksum(content: &[u8]) -> Vec<u8> {
    seal(KIND, VERSION, content)
}

#[test]
fn a_game_that_was_read_goes_on_like_the_one_that_was_written() {
    for noise in [NightNoise::World, NightNoise::Own] {
        for steps in [0, 5, 160, 420] {
            let mut written = game(noise, steps);
            let mut read = Game::from_bytes(&written.to_bytes()).expect("just written");
            assert_eq!(read, written);
            play(&mut written, 200, 99);
            play(&mut read, 200, 99);
            assert_eq!(read, written);
        }
    }
}

#[test]
fn a_game_before_its_first_episode_can_be_written() {
    let written = Game::new(Options::default(), 3);
    assert_eq!(Game::from_bytes(&written.to_bytes()), Ok(written));
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = game(NightNoise::World, 50).to_bytes();
    for len in [0, 5, 16, 100, bytes.len() - 1] {
        assert!(Game::from_bytes(&bytes[..len]).is_err());
    }
    let mut changed = bytes.clone();
    changed[200] ^= 1;
    let error = Game::from_bytes(&changed).expect_err("a byte was changed").to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn forged_bytes_with_a_right_checksum_give_an_error_or_a_game_that_plays() {
    let bytes = game(NightNoise::World, 30).to_bytes();
    let content = unseal(KIND, VERSION, &bytes).expect("just written");
    let (mut played, mut x) = (0, 12_345_u64);
    let mut layers = Layers::default();
    for round in 0..3000 {
        let mut forged = content.to_vec();
        for _ in 0..=round % 4 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Generators and maps are long; aim at the rest as often.
            let place = if round % 2 == 0 { x >> 33 } else { (x >> 33) % 90 } as usize % forged.len();
            forged[place] = (x >> 20) as u8;
        }
        if let Ok(mut game) = Game::from_bytes(&with_checksum(&forged)) {
            play(&mut game, 40, x);
            game.reset_with(&mut layers);
            played += 1;
        }
    }
    assert!(played > 100, "{played}");
}
