//! A panic inside one sub-environment: it is named, it alone is lost, and the others go on as if nothing had happened.

use std::time::{Duration, Instant};

use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::vector::{
    self, Autoreset, Batch, BatchOptions, Choice, EnvSpec, Error, Observation, RAM, VectorEnv, VectorOptions,
};
use ale_core::{Action, Rom, embedded};

const ENVS: usize = 4;
/// The one that breaks down.
const LOST: usize = 2;

fn load(config: &VectorOptions) -> VectorEnv {
    let spec = EnvSpec {
        rom: Rom::new(embedded::find("glowdelve").expect("an embedded game").image),
        game: Game::by_name("glowdelve").expect("it has a sheet"),
        mode: None,
        difficulty: None,
    };
    vector::load(&vec![spec; ENVS], VectorOptions { ram: true, ..config.clone() }).expect("it is a cartridge")
}

fn never() -> impl FnMut() -> bool {
    || false
}

fn seeds() -> [Choice; ENVS] {
    std::array::from_fn(|index| Choice::Seed(index as u64))
}

fn step(env: &mut VectorEnv, batch: &mut Batch, number: usize) -> Result<(), Error> {
    let actions: Vec<_> = (0..ENVS).map(|index| (env.options().actions[(number + index) % 6], 1.0)).collect();
    env.step(&actions, batch.rows(), &mut never())
}

fn names_the_lost_one(result: Result<(), Error>) {
    let Err(Error::Worker(text)) = result else { panic!("{result:?}") };
    assert!(text.starts_with(&format!("sub-environment {LOST} failed")), "{text}");
    assert!(text.contains("it was told to"), "{text}");
}

fn configs() -> Vec<VectorOptions> {
    let size = Size { height: 21, width: 16 };
    let frames = Observation::Frames { size, color: false, stack: 2, padded: false };
    let mut configs = Vec::new();
    for num_threads in [1, 3] {
        for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
            for observation in [frames, Observation::Screen { color: true }, Observation::Ram] {
                let batch = BatchOptions { num_threads, autoreset, ..BatchOptions::default() };
                configs.push(VectorOptions { batch, observation, entropy: 3, ..VectorOptions::default() });
            }
        }
    }
    configs
}

/// A row of one batch is that of another.
fn same_row(got: &Batch, expected: &Batch, row: usize) -> bool {
    let len = got.obs[0].len() / ENVS;
    got.records[row] == expected.records[row]
        && got.obs[0][row * len..][..len] == expected.obs[0][row * len..][..len]
        && got.extra[RAM][row * 128..][..128] == expected.extra[RAM][row * 128..][..128]
}

#[test]
fn the_others_go_on_and_the_lost_one_starts_anew() {
    for config in configs() {
        let (mut env, mut twin) = (load(&config), load(&config));
        let (mut batch, mut expected) = (env.new_batch(), twin.new_batch());
        env.reset(&seeds(), batch.rows(), &mut never()).expect("a full reset");
        twin.reset(&seeds(), expected.rows(), &mut never()).expect("a full reset");
        for number in 0..5 {
            step(&mut env, &mut batch, number).expect("all are well");
            step(&mut twin, &mut expected, number).expect("all are well");
        }
        env.break_next(LOST).expect("there is one");
        names_the_lost_one(step(&mut env, &mut batch, 5));
        step(&mut twin, &mut expected, 5).expect("all are well");
        let mut lengths = Vec::new();
        for number in 6..20 {
            step(&mut env, &mut batch, number).expect("the lost one begins again");
            step(&mut twin, &mut expected, number).expect("all are well");
            for row in (0..ENVS).filter(|&row| row != LOST) {
                assert!(same_row(&batch, &expected, row), "{config:?}: row {row} of step {number}");
            }
            lengths.push(batch.records[LOST].now.episode_length);
        }
        assert_eq!(lengths, (0..14).collect::<Vec<_>>(), "{config:?}: a new episode");
        // With a seed it is what it always was.
        env.reset(&seeds(), batch.rows(), &mut never()).expect("a full reset");
        twin.reset(&seeds(), expected.rows(), &mut never()).expect("a full reset");
        step(&mut env, &mut batch, 0).expect("all are well");
        step(&mut twin, &mut expected, 0).expect("all are well");
        assert!((0..ENVS).all(|row| same_row(&batch, &expected, row)), "{config:?}: after a reset");
    }
}

#[test]
fn what_broke_down_cannot_be_looked_at() {
    for config in configs() {
        let mut env = load(&config);
        let mut batch = env.new_batch();
        env.reset(&seeds(), batch.rows(), &mut never()).expect("a full reset");
        let before = env.snapshot(&[LOST]).expect("it is well");
        env.break_next(LOST).expect("there is one");
        names_the_lost_one(step(&mut env, &mut batch, 0));
        for result in [
            env.look_at(LOST, |_, _| ()),
            env.snapshot(&[0, LOST]).map(|_| ()),
            env.branch(LOST, &[0]),
            env.observe(batch.rows(), &mut never()),
        ] {
            let text = result.expect_err("it is broken").to_string();
            assert!(text.contains(&format!("sub-environment {LOST}")) && text.contains("anew"), "{text}");
        }
        env.look_at(0, |_, _| ()).expect("the others are well");
        // A snapshot from before heals it, and so does a copy of another one.
        env.restore(&before, None).expect("the same game");
        step(&mut env, &mut batch, 0).expect("all are well");
        env.break_next(LOST).expect("there is one");
        names_the_lost_one(step(&mut env, &mut batch, 1));
        env.branch(0, &[LOST]).expect("the same game");
        env.observe(batch.rows(), &mut never()).expect("all are well");
    }
}

#[test]
fn with_autoreset_disabled_the_lost_one_waits_for_a_reset() {
    let config = VectorOptions {
        batch: BatchOptions { autoreset: Autoreset::Disabled, ..BatchOptions::default() },
        ..VectorOptions::default()
    };
    let mut env = load(&config);
    let mut batch = env.new_batch();
    env.reset(&seeds(), batch.rows(), &mut never()).expect("a full reset");
    env.break_next(LOST).expect("there is one");
    names_the_lost_one(step(&mut env, &mut batch, 0));
    let text = step(&mut env, &mut batch, 1).expect_err("it is over").to_string();
    assert!(text.contains(&format!("sub-environments {LOST} are over")), "{text}");
    let mut choices = [Choice::Leave; ENVS];
    choices[LOST] = Choice::Reset;
    env.reset(&choices, batch.rows(), &mut never()).expect("it starts anew");
    step(&mut env, &mut batch, 2).expect("all are well");
}

#[test]
fn a_worker_that_breaks_down_does_not_hold_up_who_waits() {
    for batch_size in [1, 2, ENVS] {
        let batch = BatchOptions { batch_size, num_threads: 2, ..BatchOptions::default() };
        let mut env = load(&VectorOptions { batch, ..VectorOptions::default() });
        env.break_next(LOST).expect("there is one");
        env.send_reset(&seeds()).expect("all begin");
        let mut failures = 0;
        let mut seen = [0; ENVS];
        // To tell of a panic takes a while, and the others do not wait for it.
        let deadline = Instant::now() + Duration::from_secs(120);
        while failures == 0 || seen[LOST] == 0 {
            assert!(Instant::now() < deadline, "{failures} failures, {seen:?}");
            let mut batch = env.new_batch();
            match env.recv(batch.rows(), &mut never()) {
                Ok(()) => batch.records.iter().for_each(|record| seen[record.env_id as usize] += 1),
                Err(Error::Worker(text)) => {
                    assert!(text.contains(&format!("sub-environment {LOST} failed")), "{text}");
                    failures += 1;
                }
                Err(error) => panic!("{error}"),
            }
            env.send(None, &vec![(Action::Noop, 1.0); batch_size]).expect("all can go on");
        }
        assert_eq!(failures, 1);
    }
}

#[test]
fn only_what_exists_breaks_down() {
    let mut env = load(&VectorOptions::default());
    assert_eq!(env.break_next(ENVS), Err(Error::Env { index: ENVS, last: ENVS - 1 }));
}
