//! The games in `roms/` are games: they start, score, cost lives, end, and use all of the console.

use ale_core::env::{Env, EnvConfig};
use ale_core::game::Game;
use ale_core::{Action, Rom, embedded};

const STATE: usize = 0x01;
const LIVES: usize = 0x03;
const BASKET_X: usize = 0x0A;
const PLAYER: [usize; 2] = [0x0A, 0x0B];
const PLAYING: u8 = 1;
const OVER: u8 = 2;

fn env(name: &str) -> Env {
    let game = Game::by_name(name).expect("an embedded game");
    let image = embedded::find(name).expect("an embedded game").image;
    let config = EnvConfig { repeat_action_probability: 0.0, ..EnvConfig::default() };
    Env::load(&Rom::new(image), &game, &config).expect("it is a cartridge")
}

fn score(env: &Env) -> u32 {
    env.ram()[4..7].iter().fold(0, |sum, byte| sum * 100 + u32::from(byte >> 4) * 10 + u32::from(byte & 15))
}

/// Actions that look random and are the same in every run.
fn careless(game: &Game) -> impl Iterator<Item = Action> {
    let actions = game.minimal_actions().to_vec();
    let mut number = 1_u32;
    std::iter::repeat_with(move || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        actions[(number >> 16) as usize % actions.len()]
    })
    .flat_map(|action| [action; 6])
}

#[test]
fn reset_starts_a_game_in_every_mode_and_difficulty() {
    for own in embedded::GAMES {
        let mut env = env(own.name);
        assert_eq!(env.height(), 210, "{}", own.name);
        for mode in 0..4 {
            for difficulty in 0..2 {
                env.set_mode(mode).expect("a mode");
                env.set_difficulty(difficulty).expect("a difficulty");
                env.reset().expect("the mode is reached");
                assert_eq!(env.ram()[STATE..=LIVES], [PLAYING, mode as u8, 4], "{}", own.name);
                assert_eq!(env.lives(), 4);
                assert_eq!(score(&env), 0);
                assert!(!env.terminal());
            }
        }
        assert!(env.set_mode(4).is_err());
        assert!(env.set_difficulty(2).is_err());
    }
}

#[test]
fn careless_play_scores_and_ends_and_the_end_stays() {
    for own in embedded::GAMES {
        let mut env = env(own.name);
        let mut lives = env.lives();
        let mut total = 0;
        for action in careless(&env.game().clone()).take(20_000) {
            total += env.act(action, 1.0);
            assert!(env.lives() == lives || env.lives() == lives - 1, "{}", own.name);
            lives = env.lives();
            if env.terminal() {
                break;
            }
        }
        assert!(env.terminal(), "{} goes on for ever", own.name);
        assert_eq!(env.ram()[STATE], OVER);
        assert_eq!(lives, 0);
        assert!(total > 0, "{} gives nothing", own.name);
        assert_eq!(total, score(&env) as i32);

        let mut console = env.console().clone();
        (0..600).for_each(|_| console.run_frame());
        assert_eq!(console.ram()[STATE], OVER);
        assert_eq!(console.ram()[LIVES], 0);
        env.reset().expect("a new game");
        assert!(!env.terminal());
    }
}

#[test]
fn every_frame_has_262_lines() {
    for own in embedded::GAMES {
        let mut env = env(own.name);
        for (frame, action) in careless(&env.game().clone()).take(4_000).enumerate() {
            if env.terminal() {
                env.set_mode(frame as u32 % 4).expect("a mode");
                env.reset().expect("a new game");
            }
            env.act(action, 1.0);
            assert_eq!(env.console().lines(), 262, "{}: frame {frame}", own.name);
        }
    }
}

#[test]
fn other_actions_make_another_game() {
    for own in embedded::GAMES {
        let mut env = env(own.name);
        let mut ends = Vec::new();
        for action in [Action::Noop, Action::Fire, Action::Left, Action::Right] {
            env.reset().expect("a new game");
            for _ in 0..400 {
                env.act(action, 1.0);
            }
            ends.push(env.ram().to_vec());
        }
        for (index, end) in ends.iter().enumerate() {
            assert!(!ends[..index].contains(end), "{}: two actions do the same", own.name);
        }
    }
}

#[test]
fn the_difficulty_switch_changes_the_game() {
    for own in embedded::GAMES {
        let ends = [0, 1].map(|difficulty| {
            let mut env = env(own.name);
            env.set_difficulty(difficulty).expect("a difficulty");
            env.reset().expect("a new game");
            let game = env.game().clone();
            for action in careless(&game).take(300) {
                env.act(action, 1.0);
            }
            (env.ram().to_vec(), env.screen().to_vec())
        });
        assert_ne!(ends[0].0, ends[1].0, "{}", own.name);
        assert_ne!(ends[0].1, ends[1].1, "{}", own.name);
    }
}

#[test]
fn the_delver_obeys_all_four_directions() {
    let mut env = env("glowdelve");
    let place = |env: &Env| PLAYER.map(|cell| i32::from(env.ram()[cell]));
    let [x, y] = place(&env);
    for (action, direction) in
        [(Action::Right, [1, 0]), (Action::Left, [-1, 0]), (Action::Down, [0, 1]), (Action::Up, [0, -1])]
    {
        env.reset().expect("a new game");
        env.act(action, 1.0);
        env.act(action, 1.0);
        let [new_x, new_y] = place(&env);
        assert_eq!([(new_x - x).signum(), (new_y - y).signum()], direction, "{action:?}");
    }
}

#[test]
fn the_whole_range_of_the_paddle_moves_the_basket() {
    let mut env = env("windfall");
    let mut sweep = |action| {
        let mut places = vec![env.ram()[BASKET_X]];
        for _ in 0..36 {
            env.act(action, 1.0);
            places.push(env.ram()[BASKET_X]);
        }
        places
    };
    let left = sweep(Action::Left);
    assert!(left.is_sorted_by(|a, b| a >= b), "{left:?}");
    assert_eq!(left.last(), Some(&10));
    let right = sweep(Action::Right);
    assert!(right.is_sorted(), "{right:?}");
    assert_eq!(right.last(), Some(&136));
    // 23,000 of the 762,746 between the ends are 3 or 4 pixels; no part of the range is dead.
    let moving = right.windows(2).filter(|pair| pair[1] > pair[0]).count();
    assert!(moving >= 32, "{right:?}");
}
