//! Code without one of its bounds: `scripts/jit_mutants.py` shows that a test fails for each of them.

use std::panic::Location;
use std::sync::LazyLock;

/// `ALE_JIT_MUTANT=flow.rs:187`: the place in the code generator whose bound is left out.
static MUTANT: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("ALE_JIT_MUTANT").ok());

/// Whether the bound that this place emits is left out.
pub(crate) fn removes(place: &Location) -> bool {
    MUTANT.as_ref().is_some_and(|mutant| {
        let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
        *mutant == format!("{file}:{}", place.line())
    })
}
