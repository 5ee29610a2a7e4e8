//! Steps of many worlds do not allocate, nor do new episodes. Alone in its process and without a harness, because the
//! allocator counts for all threads.

use std::alloc::System;

use ale_batch::{Autoreset, BatchOptions, Choice, Layout, VectorEnv};
use ale_crafter::{Crafter, Options, Playing, Sights, Textures};
use ale_sim::rng::Xoshiro256;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const WORLDS: usize = 16;
const ACTIONS: u64 = 17;
/// Random play lives for some 170 steps: nights, deaths and new worlds are among these.
const STEPS: usize = 1500;

/// Allocations of as many steps as there were before them, and how many episodes ended in them.
fn count(sights: Sights, num_threads: usize, autoreset: Autoreset) -> (usize, usize) {
    let options = Options::default();
    let layout = Layout::new(sights.obs(&options), sights.extra(&options), autoreset == Autoreset::SameStep);
    let playing = Playing::new(&Textures::own(), &options, sights, WORLDS);
    let worlds = (0..WORLDS as i64).map(|base| Crafter::new(options, base, sights)).collect();
    let batch_options = BatchOptions { num_threads, autoreset, ..BatchOptions::default() };
    let mut env = VectorEnv::new(worlds, layout, playing, &batch_options).expect("there are some");
    let mut batch = env.new_batch();
    env.reset(&[Choice::Reset; WORLDS], batch.rows(), &mut || false).expect("worlds");
    let mut rng = Xoshiro256::new(7);
    let mut play = || {
        let mut ends = 0;
        for _ in 0..STEPS {
            let actions: [u8; WORLDS] = std::array::from_fn(|_| rng.below(ACTIONS) as u8);
            env.step(&actions, batch.rows(), &mut || false).expect("all are ready");
            ends += batch.records.iter().filter(|record| record.terminated).count();
        }
        ends
    };
    play();
    let region = Region::new(ALLOCATOR);
    let ends = play();
    let change = region.change();
    // Threads that end allocate, perhaps while the next batch is counted: these stay.
    std::mem::forget(env);
    (change.allocations + change.reallocations, ends)
}

fn main() {
    let all = Sights { pixels: true, semantic: true, symbolic: true, map: true };
    let kinds = [
        ("pixels", Sights { pixels: true, ..Sights::default() }),
        ("semantic", Sights { semantic: true, ..Sights::default() }),
        ("symbolic", Sights { symbolic: true, ..Sights::default() }),
        ("everything", all),
    ];
    for (name, sights) in kinds {
        for threads in [1, 2] {
            for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
                let (allocations, ends) = count(sights, threads, autoreset);
                println!(
                    "{name}, {threads} threads, {autoreset:?}: {allocations} allocations, {ends} episodes"
                );
                assert!(ends > WORLDS, "too few episodes ended");
                assert_eq!(allocations, 0);
            }
        }
    }
}
