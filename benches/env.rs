//! The layers above the machine: the game's facts, acting, resets, pictures for a network.

use ale_core::env::EnvConfig;
use ale_core::frame::WIDTH;
use ale_core::preprocess::{Pooled, Resize, Scratch, Size, Stack};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use crate::cartridges::{self, Cartridge, Hand};

const SIDE: usize = 84;

/// Score, reward, lives and end, from RAM.
#[divan::bench(args = cartridges::all(), max_time = 0.2)]
fn observe(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = cartridge.played(&EnvConfig::default());
    let mut state = *env.game_state();
    bencher.bench_local(|| cartridge.game.observe(black_box(&mut state), black_box(env.console())));
}

/// An act of four frames, the screen drawn in each.
#[divan::bench(args = cartridges::all(), max_time = 0.3)]
fn act(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let mut env = cartridge.played(&EnvConfig { frame_skip: 4, ..EnvConfig::default() });
    let start = env.snapshot();
    let mut hand = Hand::new(&cartridge.game);
    bencher.counter(ItemsCount::new(4_u32)).bench_local(|| {
        if env.game_over() {
            env.restore(&start).expect("it is of the same game");
        }
        env.act(hand.next(), 1.0)
    });
}

/// A new episode with another seed.
#[divan::bench(args = cartridges::few())]
fn reload(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let mut env = cartridge.played(&EnvConfig::default());
    let mut seed = 0;
    bencher.bench_local(|| {
        seed += 1;
        env.reload(seed)
    });
}

/// A new episode that goes on with the RAM of the last one, frame by frame.
#[divan::bench(args = cartridges::few())]
fn reset(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = cartridge.played(&EnvConfig::default());
    bencher.with_inputs(|| env.clone()).bench_local_refs(ale_core::env::Env::reset);
}

#[divan::bench(args = cartridges::few())]
fn screen_to_gray(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = cartridge.played(&EnvConfig::default());
    let mut gray = vec![0; env.screen().len()];
    bencher.bench_local(|| env.write_gray(black_box(&mut gray)));
}

/// The maximum of two frames in gray, shrunk to 84 x 84.
#[divan::bench(args = cartridges::all(), max_time = 0.2)]
fn resize(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = cartridge.played(&EnvConfig::default());
    let (source, target) = (Size { height: env.height(), width: WIDTH }, Size { height: SIDE, width: SIDE });
    let resize = Resize::new(source, target, 1);
    let mut scratch = Scratch::default();
    let mut stack = Stack::new(4, SIDE * SIDE);
    let console = env.console();
    bencher.bench_local(|| {
        let picture = Pooled::new(console.screen(), Some(console.previous_screen()), &env.palette().gray);
        resize.apply(black_box(&picture), stack.push(), &mut scratch);
    });
}

/// Four frames as one observation.
#[divan::bench]
fn stack(bencher: Bencher<'_, '_>) {
    let stack = Stack::new(4, SIDE * SIDE);
    let mut out = vec![0; 4 * SIDE * SIDE];
    bencher.bench_local(|| black_box(&stack).write(black_box(&mut out)));
}
