//! Runs the targets for as long as one likes: `ale-fuzz [--seconds N] [--seed S] [--corpus DIR] [TARGET...]`.
//!
//! An input that breaks a promise is written to `DIR/crash-<target>-<seed>-<number>`, and the next one follows.
//! With `--seconds 0` and a corpus the seed inputs are written, for cargo-fuzz.

use std::error::Error;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use ale_core::rng::Mt19937;
use ale_fuzz::{TARGETS, Target, find, mutate};

struct Options {
    seconds: u64,
    seed: u32,
    corpus: PathBuf,
    targets: Vec<Target>,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let seed = std::time::UNIX_EPOCH.elapsed()?.as_nanos() as u32;
        let mut options =
            Self { seconds: 60, seed, corpus: PathBuf::from("fuzz/corpus"), targets: Vec::new() };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--seconds" => options.seconds = value()?.parse()?,
                "--seed" => options.seed = value()?.parse()?,
                "--corpus" => options.corpus = PathBuf::from(value()?),
                name => {
                    let names = TARGETS.map(|target| target.name).join(", ");
                    let unknown = format!("there is no target {name:?}; accepted: {names}");
                    options.targets.push(find(name).ok_or(unknown)?);
                }
            }
        }
        if options.targets.is_empty() {
            options.targets = TARGETS.to_vec();
        }
        Ok(options)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(env::args().skip(1))?;
    fs::create_dir_all(&options.corpus)?;
    let share = Duration::from_secs(options.seconds) / options.targets.len() as u32;
    let mut broken = 0;
    for target in &options.targets {
        if share.is_zero() {
            write_seeds(*target, &options.corpus)?;
        } else {
            broken += hammer(*target, share, options.seed, &options.corpus)?;
        }
    }
    if broken == 0 { Ok(()) } else { Err(format!("{broken} inputs broke a promise").into()) }
}

fn write_seeds(target: Target, corpus: &Path) -> std::io::Result<()> {
    let directory = corpus.join(target.name);
    fs::create_dir_all(&directory)?;
    for (number, seed) in (target.seeds)().iter().enumerate() {
        fs::write(directory.join(format!("seed-{number:03}")), seed)?;
    }
    Ok(())
}

/// Runs one target for some time and tells how it went.
fn hammer(target: Target, time: Duration, seed: u32, corpus: &Path) -> std::io::Result<usize> {
    let mut rng = Mt19937::new(seed);
    let seeds = (target.seeds)();
    let (start, mut runs, mut broken, mut slowest) = (Instant::now(), 0_u32, 0, Duration::ZERO);
    while start.elapsed() < time {
        let input = mutate::mutated(&seeds, &mut rng);
        let began = Instant::now();
        if catch_unwind(|| (target.run)(&input)).is_err() {
            let path = corpus.join(format!("crash-{}-{seed}-{runs}", target.name));
            fs::write(&path, &input)?;
            println!("{}: {}", target.name, path.display());
            broken += 1;
        }
        slowest = slowest.max(began.elapsed());
        runs += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:8} {runs} executions in {seconds:.1} s ({:.0} per second), {broken} broken, the slowest {:.3} s, seed {seed}",
        target.name,
        f64::from(runs) / seconds,
        slowest.as_secs_f64()
    );
    Ok(broken)
}
