//! Every fuzz target on its seed corpus, on inputs that coverage-guided fuzzing found, on all that ever broke a promise,
//! and on some hundred inputs made from a fixed seed and from a fresh one. `ALE_FUZZ_SEED` repeats a fresh one,
//! `ALE_FUZZ_TIMES` makes it longer.

use std::env;
use std::path::Path;
use std::time::UNIX_EPOCH;

use ale_core::rng::Mt19937;
use ale_fuzz::{find, mutate};

fn number(name: &str) -> Option<u32> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no number")))
}

/// Tells which input it was when the target panics.
struct Told<'a>(&'a str, String);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("target {}: {}", self.0, self.1);
        }
    }
}

fn check(name: &'static str) {
    let target = find(name).expect("a target");
    let seeds = (target.seeds)();
    for (number, seed) in seeds.iter().enumerate() {
        let _told = Told(name, format!("seed input {number}"));
        (target.run)(seed);
    }
    let kept =
        ["regressions", "corpus"].map(|kept| Path::new(env!("CARGO_MANIFEST_DIR")).join(kept).join(name));
    for entry in kept.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let _told = Told(name, entry.path().display().to_string());
        (target.run)(&std::fs::read(entry.path()).expect("a file of this package"));
    }
    let now = UNIX_EPOCH.elapsed().map_or(0, |now| now.as_nanos() as u32);
    let fresh = number("ALE_FUZZ_SEED").unwrap_or(now);
    let inputs = target.bounded * number("ALE_FUZZ_TIMES").unwrap_or(1) as usize;
    for seed in [1, fresh] {
        let mut rng = Mt19937::new(seed);
        for number in 0..inputs / 2 {
            let input = mutate::mutated(&seeds, &mut rng);
            let _told = Told(name, format!("input {number} of ALE_FUZZ_SEED={seed}: {input:?}"));
            (target.run)(&input);
        }
    }
}

#[test]
fn rom_bytes_with_random_inputs() {
    check("rom");
}

#[test]
fn state_bytes() {
    check("state");
}

#[test]
fn fact_sheets() {
    check("sheet");
}

#[test]
fn action_streams() {
    check("actions");
}

#[test]
fn calls_of_a_vector_environment() {
    check("vector");
}

#[test]
fn bytes_and_calls_of_crafter() {
    check("crafter");
}

#[test]
fn files_of_learners_features_and_planners() {
    check("files");
}

#[test]
fn the_same_seed_makes_the_same_inputs() {
    let seeds = [vec![1, 2, 3], vec![]];
    let [mut one, mut other] = [3, 3].map(Mt19937::new);
    for _ in 0..100 {
        assert_eq!(mutate::mutated(&seeds, &mut one), mutate::mutated(&seeds, &mut other));
    }
}
