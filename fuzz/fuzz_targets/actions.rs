//! Action streams with resets, mode changes, snapshots and restores.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| (ale_fuzz::find("actions").expect("a target").run)(data));
