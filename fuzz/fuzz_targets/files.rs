//! Bytes of Crafter games, and calls of a batch of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| (ale_fuzz::find("files").expect("a target").run)(data));
