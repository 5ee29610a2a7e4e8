//! Vector environments behind handles of XLA: what is common to all worlds.
//!
//! Compiled programs and the callbacks that stand in for them give the same arguments and get the same columns:
//!
//! | call | arguments | results |
//! |---|---|---|
//! | reset | mask: bool, one for each sub-environment; seeds: none, one to count from, or one for each reset | [`XlaBatch::reset_columns`] |
//! | step | actions: int32, a row each; what else the world takes | [`XlaBatch::step_columns`] |

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ale_batch::{Choice, Error};
use ale_xla::{Array, ArrayMut, Code, DType, Fault, Target};
use numpy::{PyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// One array of a result.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<i64>,
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, dtype: DType, dims: &[usize]) -> Self {
        Self { name: name.into(), dtype, dims: dims.iter().map(|&dim| dim as i64).collect() }
    }

    fn len(&self) -> usize {
        self.dims.iter().product::<i64>() as usize * self.dtype.size()
    }

    /// As Python is told: name, numpy's type, shape.
    fn described(&self) -> (String, &'static str, Vec<i64>) {
        let dtype = match self.dtype {
            DType::Bool => "bool",
            DType::I32 => "int32",
            DType::U32 => "uint32",
            DType::F32 => "float32",
            _ => "uint8",
        };
        (self.name.clone(), dtype, self.dims.clone())
    }
}

/// A batch that XLA can call.
pub(crate) trait XlaBatch: Send + 'static {
    fn num_envs(&self) -> usize;

    /// Where the sub-environments stand in a larger whole; added to a seed that is counted from.
    fn first_env_index(&self) -> i64;

    fn reset_columns(&self) -> Vec<Column>;

    fn step_columns(&self) -> Vec<Column>;

    /// Resets by `choices`, one for each sub-environment, and writes every byte of every column.
    fn xla_reset(&mut self, choices: &[Choice], columns: &mut [&mut [u8]]) -> Result<(), Fault>;

    /// Steps and writes every byte of every column. Arguments are checked before anything has changed.
    fn xla_step(&mut self, arguments: &[Array<'_>], columns: &mut [&mut [u8]]) -> Result<(), Fault>;
}

/// What is behind the handle of one vector environment.
struct Endpoint<B: XlaBatch> {
    batch: Arc<Mutex<B>>,
    reset: Vec<Column>,
    step: Vec<Column>,
    choices: Mutex<Vec<Choice>>,
}

/// Most columns of a result, without the handle.
const MOST_COLUMNS: usize = 31;

impl<B: XlaBatch> Endpoint<B> {
    fn new(batch: &Arc<Mutex<B>>) -> Self {
        let (reset, step) = {
            let batch = lock(batch);
            (batch.reset_columns(), batch.step_columns())
        };
        Self { batch: Arc::clone(batch), reset, step, choices: Mutex::new(Vec::new()) }
    }
}

impl<B: XlaBatch> Target for Endpoint<B> {
    fn reset(&self, arguments: &[Array<'_>], results: &mut [ArrayMut<'_>]) -> Result<(), Fault> {
        let [mask, seeds] = arguments else {
            return Err(Fault::invalid(format!("{} arguments; accepted: mask and seeds", arguments.len())));
        };
        with_columns(&self.reset, results, |columns| {
            let mut batch = lock(&self.batch);
            let mut choices = lock(&self.choices);
            read_choices(&mut choices, &*batch, mask, seeds)?;
            batch.xla_reset(&choices, columns)
        })
    }

    fn step(&self, arguments: &[Array<'_>], results: &mut [ArrayMut<'_>]) -> Result<(), Fault> {
        with_columns(&self.step, results, |columns| lock(&self.batch).xla_step(arguments, columns))
    }
}

/// What a panic left behind is poisoned by the batch itself, which says so in its next call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of results that are what the columns say.
fn with_columns(
    columns: &[Column],
    results: &mut [ArrayMut<'_>],
    call: impl FnOnce(&mut [&mut [u8]]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if results.len() != columns.len() {
        let (have, want) = (results.len(), columns.len());
        return Err(Fault::invalid(format!("{have} results; accepted: {want}")));
    }
    let mut bytes: [&mut [u8]; MOST_COLUMNS] = Default::default();
    for ((bytes, result), column) in bytes.iter_mut().zip(results).zip(columns) {
        if result.dtype != column.dtype || result.dims != column.dims {
            return Err(Fault::invalid(format!(
                "the result {} is {:?}{:?}; accepted: {:?}{:?}",
                column.name, result.dtype, result.dims, column.dtype, column.dims
            )));
        }
        *bytes = &mut *result.bytes;
    }
    call(&mut bytes[..columns.len()])
}

/// What a reset does to each sub-environment.
fn read_choices(
    choices: &mut Vec<Choice>,
    batch: &impl XlaBatch,
    mask: &Array<'_>,
    seeds: &Array<'_>,
) -> Result<(), Fault> {
    let num_envs = batch.num_envs();
    if mask.dtype != DType::Bool || mask.dims != [num_envs as i64] {
        let text = format!("the mask is {:?}{:?}; accepted: Bool[{num_envs}]", mask.dtype, mask.dims);
        return Err(Fault::invalid(text));
    }
    if seeds.dtype != DType::I32 || seeds.dims.len() > 1 {
        let text = format!("seeds are {:?}{:?}; accepted: I32[] or I32[resets]", seeds.dtype, seeds.dims);
        return Err(Fault::invalid(text));
    }
    let resets = mask.bytes.iter().filter(|&&byte| byte != 0).count();
    let counted = seeds.dims.is_empty();
    let mut given = ints(seeds);
    let count = given.len();
    if !counted && count != 0 && count != resets {
        let text = format!(
            "`seed` must have one entry per sub-environment being reset, expected shape ({resets},), got ({count},)"
        );
        return Err(Fault::invalid(text));
    }
    let first = if counted { given.next() } else { None };
    choices.clear();
    let mut number = batch.first_env_index();
    for &byte in mask.bytes {
        choices.push(if byte == 0 {
            Choice::Leave
        } else {
            let seed = first
                .map(|first| i64::from(first).saturating_add(number))
                .or_else(|| given.next().map(i64::from));
            number = number.saturating_add(1);
            match seed {
                Some(seed) if seed > i64::from(i32::MAX) => {
                    return Err(Fault::new(
                        Code::OutOfRange,
                        format!("seed {seed}; accepted: 32-bit integers"),
                    ));
                }
                Some(seed @ 0..) => Choice::Seed(seed as u64),
                _ => Choice::Reset,
            }
        });
    }
    Ok(())
}

/// The numbers of an argument of type int32.
pub(crate) fn ints<'a>(array: &Array<'a>) -> impl ExactSizeIterator<Item = i32> + use<'a> {
    array.bytes.chunks_exact(4).map(|bytes| i32::from_ne_bytes(bytes.try_into().unwrap_or_default()))
}

/// The numbers of an argument of type float32.
pub(crate) fn floats<'a>(array: &Array<'a>) -> impl ExactSizeIterator<Item = f32> + use<'a> {
    array.bytes.chunks_exact(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap_or_default()))
}

/// Writes a column of type int32.
pub(crate) fn write_ints(column: &mut [u8], numbers: impl Iterator<Item = i32>) {
    for (bytes, number) in column.chunks_exact_mut(4).zip(numbers) {
        bytes.copy_from_slice(&number.to_ne_bytes());
    }
}

/// Writes a column of type bool.
pub(crate) fn write_flags(column: &mut [u8], flags: impl Iterator<Item = bool>) {
    for (byte, flag) in column.iter_mut().zip(flags) {
        *byte = u8::from(flag);
    }
}

/// The fault that stands for an error of a batch.
pub(crate) fn fault(error: &Error) -> Fault {
    let code = match error {
        Error::Order(_) => Code::FailedPrecondition,
        Error::Action { .. } => Code::OutOfRange,
        Error::Config(_) | Error::Count(_) | Error::Env { .. } => Code::InvalidArgument,
        _ => Code::Internal,
    };
    Fault::new(code, error.to_string())
}

/// Columns of a result: name, numpy's type, shape.
pub(crate) type Described = Vec<(String, &'static str, Vec<i64>)>;

/// What programs of XLA know a vector environment by. Dropping it ends its handle.
pub(crate) struct Known<B: XlaBatch> {
    endpoint: Arc<Endpoint<B>>,
    /// Once it was asked for.
    handle: Mutex<Option<ale_xla::Handle>>,
}

impl<B: XlaBatch> Known<B> {
    pub(crate) fn new(batch: &Arc<Mutex<B>>) -> Self {
        Self { endpoint: Arc::new(Endpoint::new(batch)), handle: Mutex::default() }
    }

    /// Eight bytes that stand for the environment.
    pub(crate) fn handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut known = lock(&self.handle);
        let handle = match *known {
            Some(handle) => handle,
            None => py
                .detach(|| ale_xla::register(Arc::clone(&self.endpoint) as Arc<dyn Target>))
                .map_err(|fault| PyRuntimeError::new_err(fault.text))?,
        };
        *known = Some(handle);
        Ok(PyBytes::new(py, &handle))
    }

    /// Ends the handle: programs that use it get an error from now on.
    pub(crate) fn close(&self) {
        if let Some(handle) = lock(&self.handle).take() {
            ale_xla::close(handle);
        }
    }

    /// The columns that a reset and a step give.
    pub(crate) fn columns(&self) -> (Described, Described) {
        let described = |columns: &[Column]| columns.iter().map(Column::described).collect();
        (described(&self.endpoint.reset), described(&self.endpoint.step))
    }

    /// The reset of a program that calls back into Python.
    pub(crate) fn reset<'py>(
        &self,
        py: Python<'py>,
        arguments: &[XlaArgument<'py>],
    ) -> PyResult<Results<'py>> {
        called_back(py, &self.endpoint, arguments, false)
    }

    /// The step of a program that calls back into Python.
    pub(crate) fn step<'py>(
        &self,
        py: Python<'py>,
        arguments: &[XlaArgument<'py>],
    ) -> PyResult<Results<'py>> {
        called_back(py, &self.endpoint, arguments, true)
    }
}

impl<B: XlaBatch> Drop for Known<B> {
    fn drop(&mut self) {
        self.close();
    }
}

/// The columns of a result as bytes.
pub(crate) type Results<'py> = Vec<Bound<'py, PyArray1<u8>>>;

/// The call that a program of XLA makes, made from Python.
fn called_back<'py, B: XlaBatch>(
    py: Python<'py>,
    endpoint: &Endpoint<B>,
    arguments: &[XlaArgument<'py>],
    step: bool,
) -> PyResult<Results<'py>> {
    let arrays = arguments.iter().map(XlaArgument::owned).collect::<PyResult<Vec<_>>>()?;
    let results = py.detach(|| {
        let columns = if step { &endpoint.step } else { &endpoint.reset };
        let mut memory: Vec<Vec<u8>> = columns.iter().map(|column| vec![0; column.len()]).collect();
        let mut results: Vec<ArrayMut<'_>> = memory
            .iter_mut()
            .zip(columns)
            .map(|(bytes, column)| ArrayMut { dtype: column.dtype, dims: &column.dims, bytes })
            .collect();
        let given: Vec<Array<'_>> =
            arrays.iter().map(|(dtype, dims, bytes)| Array { dtype: *dtype, dims, bytes }).collect();
        let done =
            if step { endpoint.step(&given, &mut results) } else { endpoint.reset(&given, &mut results) };
        done.map(|()| memory)
    });
    let memory = results.map_err(|fault| PyRuntimeError::new_err(fault.text))?;
    Ok(memory.into_iter().map(|bytes| PyArray1::from_vec(py, bytes)).collect())
}

/// An argument of a call from Python.
#[derive(FromPyObject)]
pub(crate) enum XlaArgument<'py> {
    Flags(PyReadonlyArrayDyn<'py, bool>),
    Ints(PyReadonlyArrayDyn<'py, i32>),
    Floats(PyReadonlyArrayDyn<'py, f32>),
}

impl XlaArgument<'_> {
    fn owned(&self) -> PyResult<(DType, Vec<i64>, Vec<u8>)> {
        let dims = |shape: &[usize]| shape.iter().map(|&dim| dim as i64).collect();
        Ok(match self {
            Self::Flags(array) => {
                let bytes = array.as_slice()?.iter().map(|&flag| u8::from(flag)).collect();
                (DType::Bool, dims(array.shape()), bytes)
            }
            Self::Ints(array) => {
                let bytes = array.as_slice()?.iter().flat_map(|number| number.to_ne_bytes()).collect();
                (DType::I32, dims(array.shape()), bytes)
            }
            Self::Floats(array) => {
                let bytes = array.as_slice()?.iter().flat_map(|number| number.to_ne_bytes()).collect();
                (DType::F32, dims(array.shape()), bytes)
            }
        })
    }
}

/// Addresses of the handlers that reset and step, for XLA.
#[pyfunction]
pub(crate) fn xla_handlers() -> (usize, usize) {
    (ale_xla::reset_address(), ale_xla::step_address())
}
