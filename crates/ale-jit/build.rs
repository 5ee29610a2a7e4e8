//! Sets `cfg(backend = "x64")` where there is a code generator for the processor and the feature `no-jit` is off.

use std::env::var_os;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(backend, values(\"x64\"))");
    let is_x64 = var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "x86_64");
    // Miri does not run machine code.
    if is_x64 && var_os("CARGO_CFG_MIRI").is_none() && var_os("CARGO_FEATURE_NO_JIT").is_none() {
        println!("cargo::rustc-cfg=backend=\"x64\"");
    }
}
