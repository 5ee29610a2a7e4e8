//! An environment: what is kept to save time changes nothing, and what is saved goes on exactly.

mod support;

use std::sync::Arc;

use ale_core::env::{Env, EnvConfig, State};
use ale_core::game::Game;
use ale_core::rng::Mt19937;
use ale_core::{Action, Rom, embedded};
use proptest::prelude::*;

fn embedded_game(name: &str) -> (Rom, Arc<Game>) {
    let game = embedded::find(name).expect("an embedded game");
    (Rom::new(game.image), Game::by_name(name).expect("its sheet"))
}

/// The embedded games, and some of the reference's if the machine has them: paddles, PAL, an extra chip, modes
/// that press SELECT, modes that act.
fn games() -> Vec<(Rom, Arc<Game>)> {
    let named = ["breakout", "air_raid", "pitfall2", "lost_luggage", "double_dunk", "adventure", "berzerk"];
    let found = support::all_roms().into_iter().filter(|(name, _)| named.contains(name));
    let others = found.map(|(name, rom)| (rom, Game::by_name(name).expect("a known game")));
    embedded::GAMES.iter().map(|game| embedded_game(game.name)).chain(others).collect()
}

fn load(game: &(Rom, Arc<Game>), seed: u32) -> Env {
    let config = EnvConfig { seed, sound: true, ..EnvConfig::default() };
    Env::load(&game.0, &game.1, &config).expect("a good ROM")
}

/// Everything of an environment: what it will do and what it shows.
fn all_of(env: &Env) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    (env.save_state(true).to_bytes(), env.screen().to_vec(), env.sound().to_vec())
}

fn play(env: &mut Env, acts: u32, seed: u32) -> Vec<i32> {
    let mut rng = Mt19937::new(seed);
    let mut rewards = Vec::new();
    for _ in 0..acts {
        let action = Action::from_number(rng.below(18) as usize).expect("below 18");
        rewards.push(env.act(action, f32::from(rng.below(10) as u8) / 5.0));
        if env.game_over() {
            env.reset().expect("a reachable mode");
        }
    }
    rewards
}

#[test]
fn loading_again_is_like_loading() {
    for game in &games() {
        let mut used = load(game, 1);
        play(&mut used, 200, 3);
        for seed in [7, 8] {
            let mut fresh = load(game, seed);
            used.reload(seed).expect("a reachable mode");
            assert!(all_of(&used) == all_of(&fresh), "{} after loading", game.1.name());
            for env in [&mut used, &mut fresh] {
                env.reset().expect("a reachable mode");
            }
            assert!(all_of(&used) == all_of(&fresh), "{} after a reset", game.1.name());
            assert_eq!(play(&mut used, 100, 9), play(&mut fresh, 100, 9));
            assert!(all_of(&used) == all_of(&fresh), "{} after a play", game.1.name());
        }
    }
}

#[test]
fn a_kept_start_belongs_to_its_mode_and_difficulty() {
    for game in &games() {
        let (modes, difficulties) = (game.1.modes(), game.1.difficulties());
        let choices =
            [(modes[0], difficulties[0]), (modes[modes.len() - 1], difficulties[difficulties.len() - 1])];
        let begin = |env: &mut Env, (mode, difficulty)| {
            env.set_mode(mode).expect("a mode");
            env.set_difficulty(difficulty).expect("a difficulty");
            env.reset().expect("a reachable mode");
        };
        let mut used = load(game, 5);
        for choice in [choices[0], choices[1], choices[0], choices[1]] {
            used.reload(5).expect("a reachable mode");
            begin(&mut used, choice);
            let mut fresh = load(game, 5);
            begin(&mut fresh, choice);
            assert!(all_of(&used) == all_of(&fresh), "{} {choice:?}", game.1.name());
        }
    }
}

#[test]
fn a_start_that_was_not_drawn_is_not_kept() {
    let game = embedded_game("glowdelve");
    let mut env = load(&game, 5);
    env.set_drawing(false);
    env.reset().expect("a reachable mode");
    env.reload(5).expect("a reachable mode");
    env.set_drawing(true);
    env.reset().expect("a reachable mode");
    let mut fresh = load(&game, 5);
    fresh.reset().expect("a reachable mode");
    assert!(all_of(&env) == all_of(&fresh));
}

#[test]
fn play_is_the_same_without_pictures() {
    for game in &games() {
        let (mut drawn, mut blind) = (load(game, 2), load(game, 2));
        blind.set_drawing(false);
        assert_eq!(play(&mut drawn, 300, 4), play(&mut blind, 300, 4), "{}", game.1.name());
        assert_eq!(drawn.ram(), blind.ram());
    }
}

#[test]
fn a_snapshot_brings_everything_back() {
    for game in &games() {
        let mut env = load(game, 2);
        play(&mut env, 150, 4);
        let snapshot = env.snapshot();
        let then = all_of(&env);
        let rewards = play(&mut env, 150, 5);
        let later = all_of(&env);
        let mut elsewhere = load(game, 99);
        play(&mut elsewhere, 20, 6);
        env.restore(&snapshot).expect("the same game");
        elsewhere.restore_bytes(&snapshot.to_bytes()).expect("the same game");
        for env in [&mut env, &mut elsewhere] {
            assert!(all_of(env) == then, "{}", game.1.name());
            assert_eq!(play(env, 150, 5), rewards);
            assert!(all_of(env) == later, "{}", game.1.name());
        }
    }
}

#[test]
fn a_state_goes_on_exactly_and_shows_itself_with_the_next_frame() {
    for game in &games() {
        let mut env = load(game, 2);
        play(&mut env, 150, 4);
        let state = env.save_state(true);
        let rewards = play(&mut env, 150, 5);
        let later = all_of(&env);
        let shown = env.screen().to_vec();
        for state in [state.clone(), State::from_bytes(&state.to_bytes()).expect("whole bytes")] {
            env.restore_state(&state).expect("the same game");
            assert!(env.screen() == shown, "{} right after", game.1.name());
            assert!(env.save_state(true) == state);
            assert_eq!(play(&mut env, 150, 5), rewards, "{}", game.1.name());
            assert!(all_of(&env) == later, "{}", game.1.name());
        }
    }
}

#[test]
fn a_state_of_another_game_is_refused_and_changes_nothing() {
    let (mut env, other) = (load(&embedded_game("glowdelve"), 1), load(&embedded_game("windfall"), 1));
    let before = all_of(&env);
    let error = env.restore_state(&other.save_state(true)).expect_err("another game").to_string();
    assert!(error.contains("\"windfall\"") && error.contains("\"glowdelve\""), "{error}");
    assert!(env.restore(&other.snapshot()).is_err());
    assert!(env.restore_bytes(&other.snapshot().to_bytes()).is_err());
    assert!(env.restore_state(&State::default()).is_err());
    assert!(all_of(&env) == before);
}

#[test]
fn every_frame_takes_two_draws_also_when_the_episode_is_over() {
    let game = embedded_game("glowdelve");
    let config = EnvConfig { frame_skip: 3, max_num_frames_per_episode: 4, ..EnvConfig::default() };
    let mut env = Env::load(&game.0, &game.1, &config).expect("a good ROM");
    let mut twin = env.generator().clone();
    let mut frames = 0;
    for _ in 0..3 {
        env.act_watched(Action::Right, 1.0, |_| frames += 1);
    }
    (0..18).for_each(|_| _ = twin.next_u32());
    assert!(*env.generator() == twin);
    assert_eq!((frames, env.episode_frame_number()), (9, 4));
    assert!(env.truncated() && env.game_over() && !env.terminal());
}

#[test]
fn a_frozen_action_is_no_action() {
    let config = EnvConfig { repeat_action_probability: 1.0, ..EnvConfig::default() };
    let game = embedded_game("glowdelve");
    let mut env = Env::load(&game.0, &game.1, &config).expect("a good ROM");
    env.act(Action::Fire, 1.0);
    assert_eq!(env.executed_action(), Action::Noop);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_refused_or_restored(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        length in any::<proptest::sample::Index>(),
    ) {
        let mut env = load(&embedded_game("windfall"), 1);
        let whole = env.save_state(true);
        // The bytes of the machine have no checksum of ours around them, so changes reach the readers.
        let mut machine = whole.machine().into_owned();
        for (index, value) in &changes {
            let index = index.index(machine.len());
            machine[index] = *value;
        }
        let _ = env.restore_state(&whole.with_machine(&machine));
        machine.truncate(length.index(machine.len()));
        prop_assert!(env.restore_state(&whole.with_machine(&machine)).is_err());
        env.act(Action::Fire, 1.0);
        let mut bytes = whole.to_bytes();
        let index = changes[0].0.index(bytes.len());
        bytes[index] ^= changes[0].1 | 1;
        prop_assert!(State::from_bytes(&bytes).is_err());
    }
}
