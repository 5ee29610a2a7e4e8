//! Call sequences of a vector environment.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| (ale_fuzz::find("vector").expect("a target").run)(data));
