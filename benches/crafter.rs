//! Crafter: a world, a step, and what shows it, by one thread.

use ale_crafter::{Atlas, Game, Layers, Options, Renderer, Textures, hash_integer, symbolic_len};
use divan::Bencher;

/// Steps of play after which it is day, or night.
const DAY: u64 = 60;
const NIGHT: u64 = 210;
const ACTIONS: u64 = 17;

fn played(seed: i64, steps: u64) -> Game {
    let mut game = Game::new(Options { length: 0, ..Options::default() }, hash_integer(seed));
    game.reset_with(&mut Layers::new(game.options().area));
    (0..steps).for_each(|step| _ = game.step((step * 7 % ACTIONS) as u8));
    game
}

#[divan::bench]
fn world(bencher: Bencher<'_, '_>) {
    let mut game = played(0, 0);
    let mut layers = Layers::new(game.options().area);
    bencher.bench_local(|| game.reset_with(&mut layers));
}

/// Steps without a picture; at night its noise is skipped.
#[divan::bench(args = [DAY, NIGHT])]
fn step(bencher: Bencher<'_, '_>, at: u64) {
    let game = played(1, at);
    bencher.with_inputs(|| game.clone()).bench_local_refs(|game| game.step(0));
}

#[divan::bench(args = [DAY, NIGHT])]
fn picture(bencher: Bencher<'_, '_>, at: u64) {
    let game = played(1, at);
    let atlas = Atlas::new(&Textures::own(), game.options());
    let mut renderer = Renderer::new(game.options());
    let mut out = vec![0; renderer.picture_len()];
    bencher.with_inputs(|| game.clone()).bench_local_refs(|game| renderer.observe(game, &atlas, &mut out));
}

#[divan::bench]
fn symbols(bencher: Bencher<'_, '_>) {
    let game = played(1, DAY);
    let mut out = vec![0; size_of::<f32>() * symbolic_len(game.options())];
    bencher.bench_local(|| game.symbolic_into(&mut out));
}
