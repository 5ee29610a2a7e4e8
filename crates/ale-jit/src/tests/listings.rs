//! Golden listings: the code of short programs, so that a change of what is emitted shows in a diff.
//!
//! `ALE_JIT_LISTINGS=write cargo test -p ale-jit listings` writes them anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::disassembly::listing;
use super::programs::programs;
use crate::codegen::compile;
use crate::display::CLOCKS;
use crate::{EntryPoint, Instruction};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/listings").join(format!("{name}.txt"))
}

/// The code of a program: instructions, exits and slow paths, and the functions it has of its own.
fn listed(instructions: &[Instruction], with_functions: bool) -> String {
    let entry_points = vec![EntryPoint::default(); 0x1000];
    let compiled = compile(instructions, &entry_points);
    let mut names = BTreeMap::from([(0, "enter".to_owned())]);
    for (number, &entry) in compiled.entries.iter().enumerate() {
        names.entry(entry as usize).or_insert_with(|| format!("op{number}"));
    }
    let first = compiled.entries.iter().copied().min().unwrap_or_default() as usize;
    let functions = compiled.functions.clone();
    let end = compiled.bytes.len();
    let parts =
        if with_functions { [0..first, first..end] } else { [first..functions.start, functions.end..end] };
    let constants =
        [(entry_points.as_ptr() as u64, "entry_points"), (CLOCKS.as_ptr() as u64, "music_clocks")];
    listing(&compiled.bytes, &parts, &names, &constants)
}

#[test]
fn listings_are_those_of_the_golden_files() {
    let writes = std::env::var("ALE_JIT_LISTINGS").is_ok_and(|value| value == "write");
    let mut wrong = Vec::new();
    let programs = programs();
    assert!(programs.len() >= 40, "{} programs", programs.len());
    for (name, instructions) in programs {
        let found = listed(&instructions, name.ends_with("functions"));
        if writes {
            std::fs::write(file(name), &found).expect("the folder is there");
        }
        let golden = std::fs::read_to_string(file(name)).unwrap_or_default();
        if golden != found {
            let differs = golden.lines().zip(found.lines()).position(|(one, other)| one != other);
            wrong.push(format!("{name}: line {:?}", differs.map(|line| line + 1)));
        }
    }
    assert!(wrong.is_empty(), "other code than in tests/listings: {wrong:#?}");
}
