//! The native module of `ale_rs`: conversion between Python and `ale-core`, nothing else.
#![allow(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]

mod arguments;
mod arrays;
mod batch;
mod buffers;
mod caller_buffers;
mod crafter;
mod crafter_info;
mod crafter_rows;
mod crafter_vector;
mod crafter_xla;
mod engine;
mod env;
mod errors;
mod features;
mod games;
mod learning;
mod logger;
mod pictures;
mod planning;
mod planning_states;
mod replay;
mod roms;
mod seal;
mod signals;
mod state;
mod stats;
mod vector_env;
mod vector_info;
mod vector_options;
mod vector_rows;
mod vector_xla;
mod watch;
mod xla;

/// Native half of the Python package `ale_rs`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use crate::crafter::{CrafterGame, CrafterTextures, crafter_names};
    #[pymodule_export]
    use crate::crafter_vector::{CrafterVectorEnv, CrafterVectorSnapshot};
    #[pymodule_export]
    use crate::engine::jit_status;
    #[pymodule_export]
    use crate::env::AleInterface;
    #[pymodule_export]
    use crate::features::{
        FeatureSets, ObjectClasses, background, features_of_each, ntsc_palette, object_classes,
    };
    #[pymodule_export]
    use crate::games::{GameFacts, GameProbe, game_by_md5, game_by_name, game_names, read_sheet};
    #[pymodule_export]
    use crate::learning::{NativeBrute, NativeSarsa, NativeTrial};
    #[pymodule_export]
    use crate::pictures::gif_data;
    #[pymodule_export]
    use crate::planning::{NativePlanner, background_of_env};
    #[pymodule_export]
    use crate::planning_states::NativeStates;
    #[pymodule_export]
    use crate::replay::NativeReplay;
    #[pymodule_export]
    use crate::roms::{embedded_roms, known_roms, multiplayer_roms};
    #[pymodule_export]
    use crate::seal::{seal, unseal};
    #[pymodule_export]
    use crate::state::{AleState, Snapshot};
    #[pymodule_export]
    use crate::stats::{bootstrap_improvement, bootstrap_metric, bootstrap_profile, search_subsets};
    #[pymodule_export]
    use crate::vector_env::{VectorEnv, VectorSnapshot};
    #[pymodule_export]
    use crate::xla::xla_handlers;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // A build without optimisation is many times slower; the package warns of it at import.
        module.add("OPTIMISED", !cfg!(debug_assertions))?;
        module.add("EXTRA_INFO", PyTuple::new(module.py(), crate::vector_info::extra_names())?)?;
        // The stub says what there is; a second list of names would have to agree with it.
        module.delattr("__all__")
    }
}
