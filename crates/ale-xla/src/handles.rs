//! Handles: eight bytes that stand for a target.
//!
//! A handle is a slot and a generation, both 32 bits, little-endian. A slot's generation goes up when its target is
//! closed, so that a stale or forged handle finds nothing. Generations begin at a random number in each process, so
//! that a handle of another process finds nothing either.

use std::hash::{BuildHasher, RandomState};
use std::process;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::Target;
use crate::fault::{Code, Fault};

/// Bytes of a handle.
pub type Handle = [u8; 8];

struct Slot {
    generation: u32,
    target: Option<Arc<dyn Target>>,
}

struct Handles {
    process: u32,
    slots: RwLock<Vec<Slot>>,
    first_generation: u32,
}

fn handles() -> &'static Handles {
    static HANDLES: OnceLock<Handles> = OnceLock::new();
    HANDLES.get_or_init(|| Handles {
        process: process::id(),
        slots: RwLock::new(Vec::new()),
        // Half of the numbers are left for later generations.
        first_generation: (RandomState::new().hash_one(process::id()) as u32 >> 1).max(1),
    })
}

/// A handle for this target, good until [`close`].
///
/// # Errors
/// [`Code::FailedPrecondition`] when all slots were used up.
pub fn register(target: Arc<dyn Target>) -> Result<Handle, Fault> {
    let handles = handles();
    let mut slots = handles.slots.write().unwrap_or_else(PoisonError::into_inner);
    // A slot whose generation cannot go up any more is not used again.
    let free = slots.iter().position(|slot| slot.target.is_none() && slot.generation < u32::MAX);
    let index = if let Some(index) = free {
        slots[index].target = Some(target);
        index
    } else {
        slots.push(Slot { generation: handles.first_generation, target: Some(target) });
        slots.len() - 1
    };
    let number = u32::try_from(index)
        .map_err(|_| Fault::new(Code::FailedPrecondition, "there are too many environments"))?;
    Ok(bytes(number, slots[index].generation))
}

/// Ends a handle. A call that runs keeps its target until it returns. Closing twice does nothing.
pub fn close(handle: Handle) {
    let (index, generation) = parts(handle);
    let mut slots = handles().slots.write().unwrap_or_else(PoisonError::into_inner);
    let target = match slots.get_mut(index) {
        Some(slot) if slot.generation == generation && slot.target.is_some() => {
            slot.generation += 1;
            slot.target.take()
        }
        _ => None,
    };
    drop(slots);
    drop(target); // may wait for workers; not under the lock
}

/// The target of a handle.
pub(crate) fn find(handle: Handle) -> Result<Arc<dyn Target>, Fault> {
    let handles = handles();
    if handles.process != process::id() {
        let text = "the environment was made in another process; make it after the fork, in the process that plays it";
        return Err(Fault::new(Code::FailedPrecondition, text));
    }
    let (index, generation) = parts(handle);
    let slots = handles.slots.read().unwrap_or_else(PoisonError::into_inner);
    match slots.get(index) {
        Some(Slot { generation: current, target: Some(target) }) if *current == generation => {
            Ok(Arc::clone(target))
        }
        _ => {
            let text = format!(
                "the handle {handle:?} stands for no open environment; take the one that xla() returns"
            );
            Err(Fault::new(Code::NotFound, text))
        }
    }
}

fn bytes(index: u32, generation: u32) -> Handle {
    ((u64::from(generation) << 32) | u64::from(index)).to_le_bytes()
}

fn parts(handle: Handle) -> (usize, u32) {
    let number = u64::from_le_bytes(handle);
    (number as u32 as usize, (number >> 32) as u32)
}
