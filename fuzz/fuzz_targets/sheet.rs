//! Fact sheets.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| (ale_fuzz::find("sheet").expect("a target").run)(data));
