//! Files of learners, features and planners: bytes that are refused with a reason, or what goes on as if it had never
//! been a file.

use std::cell::RefCell;

use ale_core::Action;
use ale_core::env::Env;
use ale_features::{Active, Background, Classes, Disco, FeatureSet, Input as Seen, Screen};
use ale_learning::brute::{self, Brute, Exploration};
use ale_learning::replay::{self, Padding, Replay, Shape, Transition};
use ale_learning::sarsa::{self, Features, Sarsa};
use ale_sim::bytes::{Writer, seal, unseal};
use crc32fast::hash;

use crate::input::Input;
use crate::worlds;

/// Features and actions of the learners, actions of the Brute.
const FEATURES: usize = 40;
const ACTIONS: usize = 3;
const FRAME: usize = 5;

thread_local! {
    static ENVS: RefCell<Vec<Env>> = RefCell::new(worlds::envs());
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    match input.below(5) {
        0 => sarsa(input),
        1 => brute(input),
        2 => replay(input),
        3 => classes(input),
        _ => core_state(input),
    }
}

/// Changes some bytes, or takes all from the input.
fn changed(mut content: Vec<u8>, mut input: Input<'_>) -> Vec<u8> {
    if input.below(8) == 0 {
        return input.rest().to_vec();
    }
    while !input.is_empty() {
        let (what, at) = (input.below(8), usize::from(input.u16()) % content.len().max(1));
        let value: &[u8] = match what {
            0 => {
                content.truncate(at);
                continue;
            }
            1 => &[0xFF; 4],
            2 => &[0xFF; 8],
            3 => &[0; 8],
            4 => &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
            5 => &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            _ => &[input.byte()],
        };
        let end = (at + value.len()).min(content.len());
        content[at..end].copy_from_slice(&value[..end - at]);
    }
    content
}

/// Changed content with a right seal.
fn resealed(whole: &[u8], version: u32, input: Input<'_>) -> Vec<u8> {
    let kind = *whole.first_chunk().expect("its own kind");
    let content = unseal(kind, version, whole).expect("its own bytes").to_vec();
    seal(kind, version, &changed(content, input))
}

/// A refusal tells more than that there was one.
fn told(error: &impl std::fmt::Display) {
    assert!(error.to_string().len() > 15, "{error}");
}

fn rewards(number: usize) -> f64 {
    [0.0, 1.0, -2.5][number % 3]
}

fn play_sarsa(learner: &mut Sarsa, rounds: usize) {
    let features = learner.config().num_features.min(FEATURES) as u32;
    let on: Vec<u32> = (0..features).collect();
    for round in 0..rounds {
        let seen =
            |step: usize| Features { indices: &on[..on.len().min(1 + (round + step) % 7)], counts: &[] };
        learner.begin(seen(0));
        for step in 1..6 {
            let action = learner.step(rewards(step), seen(step));
            assert!(action < learner.config().num_actions);
        }
        learner.end(rewards(round));
    }
    learner.begin(Features { indices: &on[..on.len().min(3)], counts: &[1, 2, 3][..on.len().min(3)] });
}

fn sarsa(mut input: Input<'_>) {
    let config = sarsa::Config {
        num_features: FEATURES,
        num_actions: ACTIONS,
        step_size: 0.5,
        discount: input.one_of(&[0.99, 1.0]),
        trace_decay: input.one_of(&[0.9, 1.0, 0.0]),
        exploration: 0.1,
        seed: 1,
        clear_other_actions: input.flag(),
    };
    let mut learner = Sarsa::new(config).expect("these are accepted");
    play_sarsa(&mut learner, input.below(3));
    match Sarsa::from_bytes(&resealed(&learner.to_bytes(), 2, input)) {
        Err(error) => told(&error),
        Ok(mut learner) => {
            play_sarsa(&mut learner, 3);
            let again = Sarsa::from_bytes(&learner.to_bytes()).expect("its own bytes");
            assert!(again.to_bytes() == learner.to_bytes(), "a learner is its bytes");
        }
    }
}

fn play_brute(learner: &mut Brute, rounds: usize) {
    for round in 0..rounds {
        learner.begin(round as u64 % 2);
        for step in 1..6 {
            let action = learner.step(rewards(step), step as u64 % 3);
            assert!(action < learner.config().num_actions);
            let _ = (learner.known(), learner.decision().and_then(|decision| learner.ending(decision)));
        }
        let mut values = vec![0.0; learner.config().num_actions];
        learner.q(&mut values);
        let _ = (learner.start_value(0), learner.histories().count());
        learner.end(rewards(round));
    }
}

fn brute(mut input: Input<'_>) {
    let config = brute::Config {
        num_actions: ACTIONS,
        discount: 0.99,
        exploration: input.one_of(&[Exploration::A, Exploration::B2]),
        max_nodes: 50,
        seed: 1,
    };
    let mut learner = Brute::new(config).expect("these are accepted");
    play_brute(&mut learner, input.below(6));
    match Brute::from_bytes(&resealed(&learner.to_bytes(), 1, input)) {
        Err(error) => told(&error),
        Ok(mut learner) => {
            play_brute(&mut learner, 6);
            Brute::from_bytes(&learner.to_bytes()).expect("its own bytes");
        }
    }
}

fn play_replay(replay: &mut Replay, count: usize) {
    let Shape { frame, stack, streams, .. } = replay.shape();
    // What a stranger's shape asks for may be more than there is.
    if frame > 1 << 12 || streams > 1 << 6 {
        return;
    }
    let frame = vec![7; frame];
    for number in 0..count {
        let stream = number % streams;
        let transition = Transition { action: number as i32, reward: 1.0, terminal: number % 5 == 4 };
        if replay.append(stream, transition, &frame).is_err() {
            replay.begin(stream, &frame).expect("a frame of its size");
        }
    }
    let rows = 4;
    let mut frames = vec![0; rows * (stack + 1) * frame.len()];
    let mut batch = replay::Batch {
        frames: &mut frames,
        actions: &mut [0; 4],
        rewards: &mut [0.0; 4],
        terminals: &mut [false; 4],
        slots: &mut [0; 4],
    };
    let _ = replay.sample(&mut batch);
}

fn replay(mut input: Input<'_>) {
    let shape = Shape {
        capacity: 24,
        frame: FRAME,
        stack: input.one_of(&[1, 4]),
        streams: input.one_of(&[1, 3]),
        padding: input.one_of(&[Padding::Zeros, Padding::First]),
    };
    let mut buffer = Replay::new(shape, 1).expect("these are accepted");
    play_replay(&mut buffer, 1 + input.below(60));
    let good = buffer.to_bytes();
    assert!(Replay::from_bytes(&good).as_ref() == Ok(&buffer), "a buffer is its bytes");
    let mut bytes = changed(good[..good.len() - 4].to_vec(), input);
    let sum = hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    match Replay::from_bytes(&bytes) {
        Err(error) => told(&error),
        Ok(mut replay) => {
            play_replay(&mut replay, 70);
            let again = Replay::from_bytes(&replay.to_bytes()).expect("its own bytes");
            assert!(again.to_bytes() == replay.to_bytes(), "a buffer is its bytes");
        }
    }
}

fn classes(input: Input<'_>) {
    let mut pixels = vec![0; 160 * 210];
    for at in 0..40 {
        pixels[160 * (20 + at / 8) + 12 + at % 8] = 30;
    }
    let background = Background::plain(0);
    let mut writer = Writer::new();
    writer.raw(background.screen().pixels()).u8(2);
    for size in [8_u8, 3] {
        writer.u32(1).u8(size).u8(5);
        for _ in 0..5 {
            writer.u8(u8::MAX >> (8 - size));
        }
    }
    // The background is long and any byte of it is good: what is behind it is changed.
    let all = writer.finish();
    let (before, behind) = all.split_at(160 * 210);
    let content = [before, &changed(behind.to_vec(), input)].concat();
    match Classes::from_bytes(&seal(*b"ale disc", 1, &content)) {
        Err(error) => told(&error),
        Ok(classes) => {
            assert!(
                Classes::from_bytes(&classes.to_bytes()).as_ref() == Ok(&classes),
                "classes are their bytes"
            );
            let mut disco = Disco::new(std::sync::Arc::new(classes));
            let mut active = Active::default();
            for _ in 0..2 {
                let screen = Screen::new(&pixels).expect("a screen");
                disco.active(Seen::Screen(screen), &mut active).expect("a screen is what it wants");
                assert!(active.indices.iter().all(|&index| (index as usize) < disco.len()));
            }
        }
    }
}

fn core_state(mut input: Input<'_>) {
    ENVS.with_borrow_mut(|envs| {
        let count = envs.len();
        let env = &mut envs[input.below(count)];
        let whole = env.clone();
        let good = env.core_state();
        let bytes = env.core_state_bytes(&good);
        match env.read_core_state(&changed(bytes, input)) {
            Err(error) => told(&error),
            Ok(state) => {
                let bytes = env.core_state_bytes(&state);
                let mut twin = whole.clone();
                twin.read_core_state(&bytes).expect("its own bytes");
                for _ in 0..3 {
                    assert_eq!(env.act(Action::Noop, 1.0), twin.act(Action::Noop, 1.0));
                }
                assert!(env.ram() == twin.ram(), "states that were read go on alike");
            }
        }
        *env = whole;
    });
}

/// Where to begin: one of each kind with a change of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for kind in 0..5 {
        for what in 0..8 {
            seeds.push(vec![kind, what, 1, 2, 3, 1, what, 40 + 8 * what, 0, 9, what, 3, 1, 200, 6, 90, 0, 1]);
        }
    }
    seeds
}
