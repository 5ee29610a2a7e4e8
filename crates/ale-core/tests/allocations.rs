//! Steps of many environments do not allocate. Alone in its process and without a harness, because the allocator counts
//! for all threads.

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
/// Working memory that a thread takes when it first gets something to do; on a busy machine that may be late.
const WORKSPACE: usize = 8;
const WORKSPACE_BYTES: usize = 100_000;

/// Steps, their allocations and their bytes, of a game in the middle of play. The environment is kept: threads of a pool
/// that is dropped allocate once more when they end, some time later.
fn allocated(name: &str, threads: usize, kept: &mut Vec<VectorEnv>) -> (usize, usize, usize) {
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
    kept.push(env);
    println!("{name}, threads: {threads}: {allocations} allocations of {bytes} bytes in {steps} steps");
    (steps, allocations, bytes)
}

fn main() {
    let mut kept = Vec::new();
    for game in ["glowdelve", "windfall"] {
        let (steps, allocations, bytes) = allocated(game, 1, &mut kept);
        assert!(steps > STEPS / 4, "{game}: only {steps} steps");
        assert_eq!((allocations, bytes), (0, 0), "{game}: {steps} steps");
        let (steps, allocations, bytes) = allocated(game, 2, &mut kept);
        assert!(
            allocations <= WORKSPACE && bytes <= WORKSPACE_BYTES,
            "{game}: {allocations} allocations of {bytes} bytes in {steps} steps"
        );
    }
}
