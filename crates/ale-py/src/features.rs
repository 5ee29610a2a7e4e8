//! Feature sets: screens and RAM in, arrays of indices out.

use ale_core::game::Game;
use ale_core::{Action, Rom};
use ale_features::batch::{Memory, Rows, RunParts, consecutive, of_each};
use ale_features::{
    Active, BPros, BProst, Background, Basic, Bass, BlobProst, Classes, Disco, FeatureSet, Input, InputKind,
    Lsh, Ram, Screen,
};
use ale_learning::survey::Survey;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arguments::Threads;
use crate::buffers::{BufferPool, index_array};
use crate::errors::to_py_err;

/// One set of features with what it remembers of the previous decision.
#[pyclass(module = "ale_rs._native")]
pub(crate) struct FeatureSets {
    set: Box<dyn FeatureSet>,
    active: Active,
    memory: Arc<Recycled>,
}

/// Memory of batches: that of the threads, and that of arrays which no Python object holds any more.
struct Recycled {
    threads: Mutex<Memory>,
    indices: Arc<BufferPool<Vec<u32>>>,
}

impl FeatureSets {
    /// The same set, for a planner.
    pub(crate) fn fork(&self) -> Box<dyn FeatureSet> {
        self.set.fork()
    }
}

impl Default for Recycled {
    fn default() -> Self {
        Self { threads: Mutex::default(), indices: BufferPool::of(1) }
    }
}

impl Recycled {
    fn threads(&self) -> MutexGuard<'_, Memory> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a batch run on the workers of the process; without them on this thread.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        counts: bool,
        batch: impl Send + FnOnce(&mut Memory, RunParts<'_>) -> Result<Rows, ale_features::Error>,
    ) -> PyResult<Csr<'py>> {
        let run = |parts: usize, work: &(dyn Fn(usize) + Sync)| {
            if ale_batch::run_parts(parts, work).is_err() {
                (0..parts).for_each(work);
            }
        };
        // Two calls at once share nothing: the second one finds no memory here.
        let mut memory = take(&mut *self.threads());
        memory.result.active.indices = self.indices.take().unwrap_or_default();
        let rows = py.detach(|| batch(&mut memory, &run)).map_err(refused);
        *self.threads() = memory;
        let rows = rows?;
        let offsets: Vec<i64> = rows.offsets.iter().map(|&offset| offset as i64).collect();
        let counts = counts.then(|| PyArray1::from_vec(py, rows.active.counts));
        let indices = index_array(py, rows.active.indices, &self.indices)?;
        Ok((indices, PyArray1::from_vec(py, offsets), counts))
    }
}

/// Any error of the features as `ValueError`.
fn refused(error: ale_features::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The pixels or bytes of one input, checked for the kind that the set looks at.
fn input<'a>(kind: InputKind, shape: &[usize], bytes: &'a [u8]) -> PyResult<Input<'a>> {
    match (kind, shape) {
        (InputKind::Ram, [128]) => Input::ram(bytes).map_err(refused),
        (InputKind::Screen, [rows, 160]) if *rows >= ale_features::ROWS => {
            Screen::new(bytes).map(Input::Screen).map_err(refused)
        }
        _ => {
            let accepted = accepted(kind);
            Err(PyValueError::new_err(format!("an array of shape {shape:?}; accepted: {accepted}")))
        }
    }
}

fn accepted(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Ram => "the 128 bytes of RAM, shape [128]",
        InputKind::Screen => {
            "a screen of palette indices (ALEInterface.getScreen(), obs_type=\"indices\"), shape [210, 160] or taller"
        }
    }
}

/// An array of bytes; what else came is told.
fn bytes_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, u8>> {
    let Ok(array) = array.cast::<PyArrayDyn<u8>>() else {
        let class = array.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
        let given =
            array.getattr("dtype").map_or_else(|_| class.clone(), |dtype| format!("{class} of {dtype}"));
        return Err(PyTypeError::new_err(format!("{given}; accepted: a numpy array of uint8")));
    };
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err(
            "an array that is not contiguous; accepted: numpy.ascontiguousarray(it)",
        ));
    }
    array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))
}

fn background_of(array: &Bound<'_, PyAny>) -> PyResult<Background> {
    let array = bytes_of(array)?;
    match array.shape() {
        [rows, 160] if *rows >= ale_features::ROWS => Background::new(array.as_slice()?).map_err(refused),
        shape => Err(PyValueError::new_err(format!(
            "a background of shape {shape:?}; accepted: palette indices, shape [210, 160] or taller"
        ))),
    }
}

fn row_of(found: ale_features::FoundBox) -> [i32; 7] {
    let [left, top, width, height] = found.bounds.map(i32::from);
    let (x, y) = found.velocity;
    [i32::from(found.of), left, top, width, height, x.into(), y.into()]
}

/// The classes of objects of a game.
#[pyclass(module = "ale_rs._native", frozen)]
pub(crate) struct ObjectClasses(Arc<Classes>);

#[pymethods]
impl ObjectClasses {
    /// Classes from their bytes.
    #[new]
    fn new(data: &[u8]) -> PyResult<Self> {
        Classes::from_bytes(data)
            .map(|classes| Self(Arc::new(classes)))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    fn background<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.background().screen().pixels())
    }

    /// The shapes of a class: width, and a byte for each pixel of the box.
    fn shapes<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
        if index >= self.0.len() {
            let text = format!("there is no class {index}; there are {} classes, from 0 on", self.0.len());
            return Err(PyIndexError::new_err(text));
        }
        let bytes = |pixels: Vec<bool>| pixels.into_iter().map(u8::from).collect::<Vec<_>>();
        let shapes = self.0.shapes(index);
        Ok(shapes.map(|(width, pixels)| (width, PyBytes::new(py, &bytes(pixels)))).collect())
    }
}

#[pymethods]
impl FeatureSets {
    /// The set with this name; `background`, `seed` and `classes` where it has them.
    #[new]
    #[pyo3(signature = (name, background=None, seed=0, classes=None))]
    fn new(
        name: &str,
        background: Option<&Bound<'_, PyAny>>,
        seed: u64,
        classes: Option<&ObjectClasses>,
    ) -> PyResult<Self> {
        let background = background.map(background_of).transpose()?;
        let needed = || PyValueError::new_err(format!("{name} needs a background"));
        let no_classes = || PyValueError::new_err(format!("{name} needs classes"));
        let set: Box<dyn FeatureSet> = match name {
            "basic" => Box::new(Basic::new(background.ok_or_else(needed)?)),
            "bass" => Box::new(Bass::new(background.ok_or_else(needed)?)),
            "ram" => Box::new(Ram),
            "lsh" => Box::new(Lsh::new(seed)),
            "disco" => Box::new(Disco::new(Arc::clone(&classes.ok_or_else(no_classes)?.0))),
            "b-pros" => Box::new(BPros::new(background)),
            "b-prost" => Box::new(BProst::new(background)),
            "blob-prost" => Box::new(BlobProst::default()),
            _ => return Err(PyKeyError::new_err(name.to_owned())),
        };
        Ok(Self { set, active: Active::default(), memory: Arc::default() })
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }

    #[getter]
    fn has_bias(&self) -> bool {
        self.set.has_bias()
    }

    /// Indices of the active features, and how often each is on where the set counts.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn active<'py>(
        &mut self,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<u32>>>)> {
        let array = bytes_of(array)?;
        let input = input(self.set.input(), array.shape(), array.as_slice()?)?;
        self.set.active(input, &mut self.active).map_err(refused)?;
        let counts = self.set.counts().then(|| PyArray1::from_slice(py, &self.active.counts));
        Ok((PyArray1::from_slice(py, &self.active.indices), counts))
    }

    /// The boxes of blobs or objects on the screen of the last call: colour or class, first column, first row, width,
    /// height, and the velocity in columns and rows.
    fn boxes(&self, screen: &Bound<'_, PyAny>) -> PyResult<Vec<[i32; 7]>> {
        let array = bytes_of(screen)?;
        match input(self.set.input(), array.shape(), array.as_slice()?)? {
            Input::Screen(screen) => Ok(self.set.boxes(screen).into_iter().map(row_of).collect()),
            Input::Ram(_) => Ok(Vec::new()),
        }
    }

    fn reset(&mut self) {
        self.set.reset();
    }

    /// A word and numbers.
    fn describe<'py>(&self, py: Python<'py>, index: i64) -> PyResult<Bound<'py, PyTuple>> {
        let found = u32::try_from(index).ok().and_then(|index| self.set.describe(index));
        let Some(fact) = found else {
            let last = self.set.len() as i64 - i64::from(!self.set.has_bias());
            return Err(PyIndexError::new_err(format!("there is no feature {index}; accepted: 0 to {last}")));
        };
        let mut parts = vec![fact.kind.into_pyobject(py)?.into_any()];
        for number in fact.numbers {
            parts.push(number.into_pyobject(py)?.into_any());
        }
        PyTuple::new(py, parts)
    }

    /// The features of consecutive screens of one episode: indices, where each screen's begin, and counts.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        screens: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Csr<'py>> {
        let screens = bytes_of(screens)?;
        let [count, shape @ ..] = screens.shape() else {
            return Err(PyValueError::new_err("an array without dimensions; accepted: a stack of inputs"));
        };
        let kind = self.set.input();
        let size: usize = shape.iter().product();
        let bytes = screens.as_slice()?;
        if let Some(first) = bytes.chunks_exact(size.max(1)).next() {
            input(kind, shape, first)?;
        } else if *count > 0 {
            return Err(PyValueError::new_err(format!("a stack of shape {:?}", screens.shape())));
        }
        let inputs: Vec<&[u8]> = bytes.chunks_exact(size.max(1)).collect();
        let forks = (0..threads.0.clamp(1, inputs.len().max(1))).map(|_| self.set.fork()).collect();
        let work = |memory: &mut Memory, run: RunParts<'_>| consecutive(forks, &inputs, memory, run);
        self.memory.batch(py, self.set.counts(), work)
    }
}

/// Indices, offsets and counts.
type Csr<'py> = (Bound<'py, PyArrayDyn<u32>>, Bound<'py, PyArray1<i64>>, Option<Bound<'py, PyArray1<u32>>>);

/// The features of one input for each set, each with its own memory.
#[pyfunction]
pub(crate) fn features_of_each<'py>(
    py: Python<'py>,
    mut sets: Vec<PyRefMut<'py, FeatureSets>>,
    screens: &Bound<'py, PyAny>,
    threads: Threads,
) -> PyResult<Csr<'py>> {
    let screens = bytes_of(screens)?;
    let [count, shape @ ..] = screens.shape() else {
        return Err(PyValueError::new_err("an array without dimensions; accepted: a stack of inputs"));
    };
    if *count != sets.len() {
        let text = format!("{count} inputs for {} sets; accepted: one input for each set", sets.len());
        return Err(PyValueError::new_err(text));
    }
    let counts = sets.iter().any(|set| set.set.counts());
    if counts && !sets.iter().all(|set| set.set.counts()) {
        return Err(PyValueError::new_err("sets that count beside sets that do not; accepted: one kind"));
    }
    let size: usize = shape.iter().product();
    let bytes = screens.as_slice()?;
    let memory = sets.first().map_or_else(Arc::default, |set| Arc::clone(&set.memory));
    let mut pairs = Vec::with_capacity(*count);
    for (set, bytes) in sets.iter_mut().zip(bytes.chunks_exact(size.max(1))) {
        input(set.set.input(), shape, bytes)?;
        pairs.push((&mut set.set, bytes));
    }
    memory.batch(py, counts, |memory, run| of_each(pairs, threads.0, memory, run))
}

/// The background of a game; `report` is called with the number of screens seen.
#[pyfunction]
pub(crate) fn background<'py>(
    py: Python<'py>,
    rom: Vec<u8>,
    name: &str,
    screens: u32,
    seed: u64,
    trajectory: Vec<usize>,
    report: Py<PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (rom, game) = game_of(rom, name)?;
    let actions = actions_of(&trajectory)?;
    let mut raised = None;
    let survey = Survey { screens, seed, trajectory: &actions };
    let found = py.detach(|| survey.background(&rom, &game, |seen| go_on(&report, seen, &mut raised)));
    match raised {
        Some(error) => Err(error),
        None => Ok(PyBytes::new(py, found.map_err(to_py_err)?.screen().pixels())),
    }
}

/// The classes of objects of a game; `report` is called with the number of screens seen.
#[pyfunction]
pub(crate) fn object_classes(
    py: Python<'_>,
    rom: Vec<u8>,
    name: &str,
    screens: u32,
    seed: u64,
    report: Py<PyAny>,
) -> PyResult<ObjectClasses> {
    let (rom, game) = game_of(rom, name)?;
    let mut raised = None;
    let survey = Survey { screens, seed, trajectory: &[] };
    let found = py.detach(|| survey.classes(&rom, &game, |seen| go_on(&report, seen, &mut raised)));
    match raised {
        Some(error) => Err(error),
        None => Ok(ObjectClasses(Arc::new(found.map_err(to_py_err)?))),
    }
}

/// Red, green and blue of the 256 palette indices of an NTSC television.
#[pyfunction]
pub(crate) fn ntsc_palette(py: Python<'_>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, ale_core::palette::NTSC.rgb.as_flattened())
}

fn game_of(rom: Vec<u8>, name: &str) -> PyResult<(Rom, Arc<Game>)> {
    let rom = Rom::new(rom);
    let game =
        Game::for_rom(&rom.md5_hex(), name).map_or_else(|| Game::by_name(name), Ok).map_err(to_py_err)?;
    Ok((rom, game))
}

fn actions_of(numbers: &[usize]) -> PyResult<Vec<Action>> {
    let actions: Option<Vec<Action>> = numbers.iter().map(|&number| Action::from_number(number)).collect();
    actions
        .filter(|actions| actions.iter().all(|&action| (action as usize) < 18))
        .ok_or_else(|| PyValueError::new_err("a trajectory with an unknown action; accepted: 0 to 17"))
}

/// Calls back into Python and remembers what it raised, Ctrl-C included.
fn go_on(report: &Py<PyAny>, seen: u32, raised: &mut Option<PyErr>) -> bool {
    let result = Python::attach(|py| {
        py.check_signals()?;
        report.call1(py, (seen,)).map(|_| ())
    });
    *raised = result.err();
    raised.is_none()
}
