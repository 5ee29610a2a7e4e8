//! Steps and resets of 64 environments with the usual preprocessing, by one thread and by all.

use std::fmt::{self, Display};
use std::thread::available_parallelism;

use ale_core::Action;
use ale_core::vector::{self, Batch, BatchOptions, Choice, EnvSpec, VectorEnv, VectorOptions};
use divan::Bencher;
use divan::counter::ItemsCount;

use crate::cartridges::{self, Cartridge, Hand};

const ENVS: usize = 64;
const STEPS_BEFORE: usize = 30;

struct Case {
    cartridge: Cartridge,
    threads: usize,
}

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, "{}, {} thread{s}", self.cartridge, self.threads)
    }
}

fn cases() -> Vec<Case> {
    let most = available_parallelism().map_or(1, usize::from);
    let counts = if most > 1 { vec![1, most] } else { vec![1] };
    let mut cases = Vec::new();
    for cartridge in cartridges::few() {
        cases.extend(counts.iter().map(|&threads| Case { cartridge: cartridge.clone(), threads }));
    }
    cases
}

impl Case {
    /// All environments in the middle of play, and the memory of a batch.
    fn start(&self) -> (VectorEnv, Batch) {
        let Cartridge { rom, game } = self.cartridge.clone();
        let specs = vec![EnvSpec { rom, game, mode: None, difficulty: None }; ENVS];
        let batch = BatchOptions { num_threads: self.threads, ..BatchOptions::default() };
        let options = VectorOptions { batch, ..VectorOptions::default() };
        let mut env = vector::load(&specs, options).expect("the game starts");
        let mut batch = env.new_batch();
        reset(&mut env, &mut batch);
        let mut hand = Hand::new(&self.cartridge.game);
        for _ in 0..STEPS_BEFORE {
            step(&mut env, &mut batch, &mut hand);
        }
        (env, batch)
    }
}

fn reset(env: &mut VectorEnv, batch: &mut Batch) {
    let seeds: [Choice; ENVS] = std::array::from_fn(|index| Choice::Seed(index as u64));
    env.reset(&seeds, batch.rows(), &mut || false).expect("all are ready");
}

fn step(env: &mut VectorEnv, batch: &mut Batch, hand: &mut Hand) {
    let actions: [(Action, f32); ENVS] = std::array::from_fn(|_| (hand.next(), 1.0));
    env.step(&actions, batch.rows(), &mut || false).expect("all are ready");
}

/// One step: four frames of each environment.
#[divan::bench(args = cases(), max_time = 2)]
fn step_64(bencher: Bencher<'_, '_>, case: &Case) {
    let (mut env, mut batch) = case.start();
    let mut hand = Hand::new(&case.cartridge.game);
    let frames = env.options().options.frameskip as usize * ENVS;
    bencher.counter(ItemsCount::new(frames)).bench_local(|| step(&mut env, &mut batch, &mut hand));
}

/// New episodes everywhere.
#[divan::bench(args = cases(), max_time = 2)]
fn reset_64(bencher: Bencher<'_, '_>, case: &Case) {
    let (mut env, mut batch) = case.start();
    reset(&mut env, &mut batch);
    let first = batch.clone();
    bencher.bench_local(|| reset(&mut env, &mut batch));
    assert!(batch == first, "a reset with the same seeds gave something else");
}
