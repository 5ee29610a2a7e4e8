//! ROM bytes with random inputs.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| (ale_fuzz::find("rom").expect("a target").run)(data));
