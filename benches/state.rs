//! Copies of a machine and of an environment, in memory and as bytes.

use ale_core::console::Machine;
use ale_core::env::{Env, EnvConfig};
use ale_core::{Action, Console};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use crate::cartridges::{self, Cartridge};

/// How large the copies are.
pub(crate) fn print_sizes() {
    println!("a machine without pictures: {} bytes", size_of::<Machine>());
    for cartridge in cartridges::few() {
        let env = cartridge.played(&EnvConfig::default());
        let (console, snapshot) = (env.console().save_bytes().len(), env.snapshot().to_bytes().len());
        println!("{cartridge}: {console} bytes saved, {snapshot} with the environment");
    }
}

fn played(cartridge: &Cartridge) -> Env {
    cartridge.played(&EnvConfig::default())
}

/// The machine in the middle of a game, and the same a frame later.
fn two_moments(cartridge: &Cartridge) -> (Console, Console) {
    let before = played(cartridge).console().clone();
    let mut after = before.clone();
    after.run_frame();
    assert!(before != after, "{cartridge} does not move");
    (before, after)
}

#[divan::bench(args = cartridges::few())]
fn console_clone(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (console, _) = two_moments(cartridge);
    assert!(console.clone() == console);
    bencher.bench_local(|| black_box(&console).clone());
}

#[divan::bench(args = cartridges::few())]
fn console_clone_from(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (console, mut target) = two_moments(cartridge);
    target.clone_from(&console);
    assert!(target == console);
    bencher.bench_local(|| black_box(&mut target).clone_from(black_box(&console)));
}

/// What a planner keeps: all that decides how play goes on.
#[divan::bench(args = cartridges::few())]
fn machine_snapshot(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (console, other) = two_moments(cartridge);
    let mut kept = other.machine().clone();
    kept.clone_from(console.machine());
    assert!(kept == *console.machine());
    bencher.bench_local(|| black_box(&mut kept).clone_from(black_box(&console).machine()));
}

#[divan::bench(args = cartridges::few())]
fn machine_restore(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (mut console, mut other) = two_moments(cartridge);
    let machine = console.machine().clone();
    other.set_machine(&machine);
    console.run_frame();
    other.run_frame();
    assert!(console.ram() == other.ram(), "{cartridge} goes on in another way");
    bencher.bench_local(|| black_box(&mut other).set_machine(black_box(&machine)));
}

/// The same of an environment, with what reward and chance depend on.
#[divan::bench(args = cartridges::few())]
fn moment_snapshot(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = played(cartridge);
    let mut kept = env.moment();
    bencher.bench_local(|| black_box(&env).write_moment(black_box(&mut kept)));
}

#[divan::bench(args = cartridges::few())]
fn moment_restore(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let mut env = played(cartridge);
    let kept = env.moment();
    let mut twin = env.clone();
    twin.act(Action::Fire, 1.0);
    twin.go_to(&kept);
    for _ in 0..30 {
        assert_eq!(twin.act(Action::Noop, 1.0), env.act(Action::Noop, 1.0), "{cartridge}");
        assert!(twin.ram() == env.ram(), "{cartridge} goes on in another way");
    }
    bencher.bench_local(|| black_box(&mut env).go_to(black_box(&kept)));
}

#[divan::bench(args = cartridges::few())]
fn save_bytes(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (console, _) = two_moments(cartridge);
    let len = console.save_bytes().len();
    bencher.counter(BytesCount::new(len)).bench_local(|| black_box(&console).save_bytes());
}

#[divan::bench(args = cartridges::few())]
fn restore_bytes(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let (console, mut target) = two_moments(cartridge);
    let bytes = console.save_bytes();
    target.restore_bytes(&bytes).expect("they were just saved");
    assert!(target == console);
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| black_box(&mut target).restore_bytes(black_box(&bytes)));
}

#[divan::bench(args = cartridges::few())]
fn env_snapshot(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let env = played(cartridge);
    bencher.bench_local(|| black_box(&env).snapshot());
}

#[divan::bench(args = cartridges::few())]
fn env_restore(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
    let mut env = played(cartridge);
    let snapshot = env.snapshot();
    env.act(Action::Noop, 1.0);
    env.restore(&snapshot).expect("it is of the same game");
    assert!(env.console() == snapshot.env().console());
    bencher.bench_local(|| black_box(&mut env).restore(black_box(&snapshot)));
}
