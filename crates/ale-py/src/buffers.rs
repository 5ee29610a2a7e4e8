//! Rust memory as numpy arrays without a copy, used again when no Python object holds them any more.
//!
//! An array's base object owns the memory; when the last array, view or tensor is gone, the memory goes back to the
//! pool it came from.

use std::mem::take;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::ndarray::ArrayView;
use numpy::{Element, PyArrayDyn};
use pyo3::prelude::*;

/// Memory that waits to be used again.
pub(crate) struct BufferPool<T> {
    spare: Mutex<Vec<T>>,
    /// More than this is given back to the system: a user may have held thousands and let go of all at once.
    most: usize,
}

const SPARE: usize = 4;

impl<T> BufferPool<T> {
    pub(crate) fn new() -> Arc<Self> {
        Self::of(SPARE)
    }

    /// Memory for so many arrays at most waits.
    pub(crate) fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { spare: Mutex::new(Vec::with_capacity(most)), most })
    }

    /// Used memory, if there is some.
    pub(crate) fn take(&self) -> Option<T> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(crate) fn put(&self, memory: T) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < self.most {
            spare.push(memory);
        }
    }
}

/// What JAX asks of memory that it borrows instead of copying it.
const ALIGNMENT: usize = 64;

/// Bytes whose address is a multiple of 64, so that JAX, `DLPack` and torch borrow them.
#[derive(Default)]
pub(crate) struct AlignedBytes {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    pub(crate) fn new(len: usize) -> Self {
        let memory = vec![0; len + ALIGNMENT - 1];
        let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
        Self { memory, start, len }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..][..self.len]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.len]
    }
}

/// The numbers of a batch in columns: all integers, then all fractions, then all flags.
#[derive(Default)]
pub(crate) struct Columns {
    pub(crate) ints: Vec<i32>,
    pub(crate) floats: Vec<f32>,
    pub(crate) flags: Vec<bool>,
}

/// The numbers of a batch of Crafter worlds, a row each.
#[derive(Default)]
pub(crate) struct CrafterColumns {
    pub(crate) ints: Vec<i32>,
    pub(crate) longs: Vec<i64>,
    pub(crate) doubles: Vec<f64>,
    pub(crate) counts: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) flags: Vec<bool>,
}

/// Memory that arrays share, with the pool it goes to when they are gone.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct Memory(Pooled);

enum Pooled {
    Bytes(Vec<u8>, Arc<BufferPool<Vec<u8>>>),
    Aligned(AlignedBytes, Arc<BufferPool<AlignedBytes>>),
    Columns(Columns, Arc<BufferPool<Columns>>),
    Crafter(CrafterColumns, Arc<BufferPool<CrafterColumns>>),
    Indices(Vec<u32>, Arc<BufferPool<Vec<u32>>>),
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &mut self.0 {
            Pooled::Bytes(bytes, pool) => pool.put(take(bytes)),
            Pooled::Aligned(bytes, pool) => pool.put(take(bytes)),
            Pooled::Columns(columns, pool) => pool.put(take(columns)),
            Pooled::Crafter(columns, pool) => pool.put(take(columns)),
            Pooled::Indices(indices, pool) => pool.put(take(indices)),
        }
    }
}

/// An array of aligned bytes; they go to `pool` when no array holds it any more.
pub(crate) fn aligned_array<'py>(
    py: Python<'py>,
    bytes: AlignedBytes,
    pool: &Arc<BufferPool<AlignedBytes>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let owner = Bound::new(py, Memory(Pooled::Aligned(bytes, Arc::clone(pool))))?;
    let Pooled::Aligned(bytes, _) = &owner.get().0 else { unreachable!("it was made a line above") };
    Ok(view(&owner, bytes, shape))
}

/// An array of bytes; they go to `pool` when no array holds it any more.
pub(crate) fn byte_array<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    pool: &Arc<BufferPool<Vec<u8>>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let owner = Bound::new(py, Memory(Pooled::Bytes(bytes, Arc::clone(pool))))?;
    let Pooled::Bytes(bytes, _) = &owner.get().0 else { unreachable!("it was made a line above") };
    Ok(view(&owner, bytes, shape))
}

/// An array of indices; their memory goes to `pool` when no array holds it any more.
pub(crate) fn index_array<'py>(
    py: Python<'py>,
    indices: Vec<u32>,
    pool: &Arc<BufferPool<Vec<u32>>>,
) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
    let owner = Bound::new(py, Memory(Pooled::Indices(indices, Arc::clone(pool))))?;
    let Pooled::Indices(indices, _) = &owner.get().0 else { unreachable!("it was made a line above") };
    Ok(view(&owner, indices, &[indices.len()]))
}

/// Columns that arrays are made of, one by one.
pub(crate) struct SharedColumns<'py>(Bound<'py, Memory>);

impl<'py> SharedColumns<'py> {
    pub(crate) fn new(py: Python<'py>, columns: Columns, pool: &Arc<BufferPool<Columns>>) -> PyResult<Self> {
        Bound::new(py, Memory(Pooled::Columns(columns, Arc::clone(pool)))).map(Self)
    }

    /// An array of the part of the columns that `choose` gives.
    pub(crate) fn array<T: Element>(
        &self,
        choose: impl FnOnce(&Columns) -> &[T],
    ) -> Bound<'py, PyArrayDyn<T>> {
        let Pooled::Columns(columns, _) = &self.0.get().0 else { unreachable!("`new` made columns") };
        let part = choose(columns);
        view(&self.0, part, &[part.len()])
    }
}

/// Columns of Crafter worlds that arrays are made of, one by one.
pub(crate) struct SharedCrafter<'py>(Bound<'py, Memory>);

impl<'py> SharedCrafter<'py> {
    pub(crate) fn new(
        py: Python<'py>,
        columns: CrafterColumns,
        pool: &Arc<BufferPool<CrafterColumns>>,
    ) -> PyResult<Self> {
        Bound::new(py, Memory(Pooled::Crafter(columns, Arc::clone(pool)))).map(Self)
    }

    /// An array of this shape, of the part of the columns that `choose` gives.
    pub(crate) fn array<T: Element>(
        &self,
        shape: &[usize],
        choose: impl FnOnce(&CrafterColumns) -> &[T],
    ) -> Bound<'py, PyArrayDyn<T>> {
        let Pooled::Crafter(columns, _) = &self.0.get().0 else { unreachable!("`new` made columns") };
        view(&self.0, choose(columns), shape)
    }
}

/// An array that shows `memory`, which `owner` owns.
fn view<'py, T: Element>(
    owner: &Bound<'py, Memory>,
    memory: &[T],
    shape: &[usize],
) -> Bound<'py, PyArrayDyn<T>> {
    let view = ArrayView::from_shape(shape, memory).expect("a batch has the shape of its rows");
    // SAFETY: an owner is frozen, never reallocates its memory and does not look at it before it is dropped, which
    // the array prevents by holding it.
    #[expect(unsafe_code, reason = "numpy has no safe way to share memory that is used again")]
    unsafe {
        PyArrayDyn::borrow_from_array(&view, owner.clone().into_any())
    }
}
