//! Steps of many environments do not allocate. Alone in its process and without a harness, because the allocator counts
//! for all threads.

use std::alloc::System;

use ale_core::game::Game;
use ale_core::vector::{
    self, Autoreset, Batch, BatchOptions, Choice, EnvSpec, Observation, VectorEnv, VectorOptions, Wrappers,
};
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
const NOOP: (Action, f32) = (Action::Noop, 1.0);

/// Allocations and their bytes in steps of a game in the middle of play.
#[derive(Debug, Default)]
struct Count {
    steps: usize,
    allocations: usize,
    bytes: usize,
    calm: u32,
}

impl Count {
    fn step(&mut self, step: impl FnOnce() -> bool) {
        let region = Region::new(ALLOCATOR);
        let any_end = step();
        let change = region.change();
        // The start of an episode may allocate.
        self.calm = if any_end { 0 } else { self.calm + 1 };
        if self.calm > SETTLED {
            self.steps += 1;
            self.allocations += change.allocations + change.reallocations;
            self.bytes += change.bytes_allocated;
        }
    }
}

fn load(name: &str, config: &VectorOptions) -> VectorEnv {
    let image = embedded::GAMES.iter().find(|game| game.name == name).expect("it is embedded").image;
    let game = Game::by_name(name).expect("it has a sheet");
    let specs = vec![EnvSpec { rom: Rom::new(image), game, mode: None, difficulty: None }; ENVS];
    vector::load(&specs, config.clone()).expect("the game starts")
}

fn any_end(batch: &Batch) -> bool {
    batch.records.iter().any(|record| record.terminated || record.truncated)
}

/// Steps of all in one call, or as they come when the batch is smaller.
fn play(env: &mut VectorEnv) -> Count {
    let mut count = Count::default();
    let mut batch = env.new_batch();
    let seeds: [Choice; ENVS] = std::array::from_fn(|index| Choice::Seed(index as u64));
    if env.synchronous() {
        env.reset(&seeds, batch.rows(), &mut || false).expect("all are ready");
        for _ in 0..STEPS {
            count.step(|| {
                env.step(&[NOOP; ENVS], batch.rows(), &mut || false).expect("all are ready");
                any_end(&batch)
            });
        }
        return count;
    }
    env.send_reset(&seeds).expect("all are ready");
    for _ in 0..STEPS {
        count.step(|| {
            env.recv(batch.rows(), &mut || false).expect("some are at work");
            env.send(None, &[NOOP; ENVS][..batch.records.len()]).expect("they have come back");
            any_end(&batch)
        });
    }
    count
}

const WRAPPERS: Wrappers = Wrappers {
    frames: (1, 2),
    noop_max: 30,
    terminal_on_life_loss: true,
    action_repeat_probability: 0.0,
    max_num_frames_per_episode: 0,
};

fn main() {
    let base = VectorOptions { ram: true, ..VectorOptions::default() };
    let two = BatchOptions { num_threads: 2, ..BatchOptions::default() };
    let one = BatchOptions { num_threads: 1, ..two };
    let with = |batch: BatchOptions| VectorOptions { batch, ..base.clone() };
    let screen = |color| Observation::Screen { color };
    let configs = [
        ("one thread", with(one)),
        ("two threads", with(two)),
        ("another episode at once", with(BatchOptions { autoreset: Autoreset::SameStep, ..two })),
        ("screens", VectorOptions { observation: screen(true), ..with(two) }),
        ("gray screens", VectorOptions { observation: screen(false), ..with(one) }),
        ("RAM and sound", VectorOptions { observation: Observation::Ram, sound: true, ..with(two) }),
        ("threads on cores", with(BatchOptions { thread_affinity_offset: Some(0), ..two })),
        ("shared threads", with(BatchOptions { shared_pool: true, ..two })),
        ("wrappers", VectorOptions { wrappers: Some(WRAPPERS), ..with(two) }),
        ("small batches", with(BatchOptions { batch_size: 3, ..two })),
    ];
    // All are kept: threads allocate once more when they end, some time later.
    let mut kept = Vec::new();
    for game in ["glowdelve", "windfall"] {
        for (name, config) in &configs {
            let mut env = load(game, config);
            let count = play(&mut env);
            println!("{game}, {name}: {count:?}");
            let late = usize::from(config.batch.num_threads > 1);
            assert!(
                count.allocations <= late * WORKSPACE && count.bytes <= late * WORKSPACE_BYTES,
                "{game}, {name}"
            );
            assert!(count.steps > STEPS / 4, "{game}, {name}: too few steps");
            kept.push(env);
        }
    }
}
