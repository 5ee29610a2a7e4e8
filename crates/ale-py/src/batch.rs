//! What the vector environments of all worlds need: names of options, locks, snapshots.

use std::sync::{Mutex, MutexGuard, TryLockError};

use ale_batch::{Autoreset, Choice, Error, Simulator, VectorEnv, VectorSnapshot, check_sealed};
use numpy::{PyReadonlyArray1, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The autoreset mode of a name of gymnasium's.
pub(crate) fn autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "NextStep" => Ok(Autoreset::NextStep),
        "SameStep" => Ok(Autoreset::SameStep),
        "Disabled" => Ok(Autoreset::Disabled),
        _ => Err(PyValueError::new_err(format!("Invalid autoreset_mode: {name}"))),
    }
}

/// What a reset does with each sub-environment: 0 leaves it, 1 resets it, 2 resets it with its seed.
pub(crate) fn choices(
    kinds: &PyReadonlyArray1<'_, u8>,
    seeds: &PyReadonlyArray1<'_, i64>,
    num_envs: usize,
) -> PyResult<Vec<Choice>> {
    let (kinds, seeds) = (kinds.as_array(), seeds.as_array());
    if kinds.len() != num_envs || seeds.len() != num_envs {
        let (have, also) = (kinds.len(), seeds.len());
        return Err(PyValueError::new_err(format!(
            "{have} choices and {also} seeds for {num_envs} sub-environments"
        )));
    }
    let choice = |(kind, seed): (&u8, &i64)| match kind {
        0 => Choice::Leave,
        1 => Choice::Reset,
        _ => Choice::Seed(*seed as u64),
    };
    Ok(kinds.iter().zip(seeds).map(choice).collect())
}

/// The bytes of the caller's array, if there is one.
pub(crate) fn own_slice<'a>(
    own: Option<&'a mut PyReadwriteArrayDyn<'_, u8>>,
) -> PyResult<Option<&'a mut [u8]>> {
    Ok(own.map(|array| array.as_slice_mut()).transpose()?)
}

/// What a vector environment has behind its lock, for one call.
///
/// # Errors
/// While another thread is in a call, and after a call that panicked.
pub(crate) fn exclusive<T>(inner: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    inner.try_lock().map_err(|error| {
        PyRuntimeError::new_err(match error {
            TryLockError::WouldBlock => {
                "another thread is in a call of this vector environment; make one for each thread"
            }
            TryLockError::Poisoned(_) => {
                "an earlier call of this vector environment ended in a panic, a defect of this library, and its state is \
                 unknown; make a new one"
            }
        })
    })
}

/// Some sub-environments as they were at one moment, or the bytes of them until an environment reads them.
pub(crate) enum Snapshot<S> {
    Worlds(VectorSnapshot<S>),
    Bytes { ids: Vec<usize>, bytes: Vec<u8> },
}

impl<S: Simulator> Snapshot<S> {
    /// Bytes that are whole.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> PyResult<Self> {
        let ids = check_sealed(&bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::Bytes { ids, bytes })
    }

    /// The numbers of the sub-environments it has.
    pub(crate) fn ids(&self) -> Vec<usize> {
        match self {
            Self::Worlds(snapshot) => snapshot.ids().collect(),
            Self::Bytes { ids, .. } => ids.clone(),
        }
    }

    /// All of it as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Worlds(snapshot) => snapshot.to_bytes(),
            Self::Bytes { bytes, .. } => bytes.clone(),
        }
    }

    /// Brings sub-environments of `env` back: those with the same numbers, or those in `ids`.
    pub(crate) fn restore_into(&self, env: &mut VectorEnv<S>, ids: Option<&[usize]>) -> Result<(), Error> {
        match self {
            Self::Worlds(snapshot) => env.restore(snapshot, ids),
            Self::Bytes { bytes, .. } => env.restore(&env.parse_snapshot(bytes)?, ids),
        }
    }
}
