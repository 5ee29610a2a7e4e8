//! Arguments with the reference's rules of conversion: each refuses everything else with a `TypeError`.

use std::path::PathBuf;

use ale_core::Action;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyInt, PyList};

use crate::errors::incompatible;

/// A 32-bit integer; `bool` and numpy integers are integers.
#[derive(Clone, Copy)]
pub(crate) struct Int(pub i32);
/// An integer from 0 to 2^32 - 1.
#[derive(Clone, Copy)]
pub(crate) struct Unsigned(pub u32);
/// An integer from 0 to 255.
#[derive(Clone, Copy)]
pub(crate) struct Byte(pub u8);
/// `True` or `False` and nothing else.
#[derive(Clone, Copy)]
pub(crate) struct Flag(pub bool);
/// A number, narrowed to 32 bits.
#[derive(Clone, Copy)]
pub(crate) struct Real(pub f32);
/// A `str`.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(pub &'a str);
/// A `str` or `os.PathLike`.
pub(crate) struct FilePath(pub PathBuf);
/// A member of `Action` or its number, also one that is no move of the joystick.
#[derive(Clone, Copy)]
pub(crate) struct ActionNumber(pub u32);
/// A member of `LoggerMode` or its number.
#[derive(Clone, Copy)]
pub(crate) struct LogLevel(pub u8);
/// How many threads: 0 to [`MOST_THREADS`].
#[derive(Clone, Copy)]
pub(crate) struct Threads(pub usize);
/// Of how many replicates a bootstrap is: 1 to [`MOST_REPLICATES`].
#[derive(Clone, Copy)]
pub(crate) struct Replicates(pub usize);
/// An argument that may be missing, where `None` is not the same as missing.
pub(crate) enum Optional<'py> {
    /// Not given.
    Missing,
    /// Whatever was given.
    Given(Bound<'py, PyAny>),
}

fn refused(accepted: &str, object: Borrowed<'_, '_, PyAny>) -> PyErr {
    let given = object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    let shown = object.repr().map_or_else(|_| String::new(), |repr| format!(" {repr}"));
    incompatible(accepted, &format!("{given}{}", shown.chars().take(80).collect::<String>()))
}

macro_rules! arguments {
    ($($name:ident($object:ident) = $value:expr, $accepted:literal;)*) => {$(
        impl<'py> FromPyObject<'_, 'py> for $name {
            type Error = PyErr;
            fn extract($object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                $value.map(Self).ok_or_else(|| refused($accepted, $object))
            }
        }
    )*};
}

arguments! {
    Int(object) = object.extract().ok(), "int of 32 bits";
    Unsigned(object) = object.extract().ok(), "int from 0 to 4294967295";
    Byte(object) = object.extract().ok(), "int from 0 to 255";
    Flag(object) = object.cast::<PyBool>().ok().map(|flag| flag.is_true()), "bool";
    Real(object) = object.extract::<f64>().ok().map(|number| number as f32), "float";
    FilePath(object) = object.extract().ok(), "str or os.PathLike";
    ActionNumber(object) = action_number(object), "Action or int from 0 to 4294967295";
    LogLevel(object) = log_level(object), "LoggerMode or int from 0 to 2";
}

/// Each has a stack and memory of its own.
const MOST_THREADS: usize = 4096;
const MOST_REPLICATES: usize = 10_000_000;

fn within(name: &str, object: Borrowed<'_, '_, PyAny>, least: usize, most: usize) -> PyResult<usize> {
    let number = object.extract::<i128>()?;
    usize::try_from(number)
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| PyValueError::new_err(format!("{name} is {number}; accepted: {least} to {most}")))
}

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        within("threads", object, 0, MOST_THREADS).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for Replicates {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        within("replications", object, 1, MOST_REPLICATES).map(Self)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text<'a> {
    type Error = PyErr;
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|_| refused("str", object))
    }
}

impl<'py> FromPyObject<'_, 'py> for Optional<'py> {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(object.to_owned()))
    }
}

fn action_number(object: Borrowed<'_, '_, PyAny>) -> Option<u32> {
    if object.is_instance_of::<PyInt>() {
        return object.extract().ok();
    }
    let members = members(object.py()).ok()?;
    members
        .iter()
        .position(|member| member.is(object))
        .map(|index| index as u32)
        .or_else(|| object.extract().ok())
}

fn log_level(object: Borrowed<'_, '_, PyAny>) -> Option<u8> {
    let value = object.extract::<u8>().or_else(|_| {
        let class = object.py().import("ale_rs.enums")?.getattr("LoggerMode")?;
        if !object.is_instance(&class)? {
            return Err(refused("LoggerMode", object));
        }
        object.getattr("value")?.extract()
    });
    value.ok().filter(|&level| level < 3)
}

/// The members of the Python class `Action`, in order.
fn members(py: Python<'_>) -> PyResult<&Vec<Py<PyAny>>> {
    static MEMBERS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    MEMBERS.get_or_try_init(py, || {
        let class = py.import("ale_rs.enums")?.getattr("Action")?;
        (0..Action::ALL.len()).map(|number| Ok(class.call1((number,))?.unbind())).collect()
    })
}

/// One member of the Python class `Action`.
pub(crate) fn action_member(py: Python<'_>, action: Action) -> PyResult<Py<PyAny>> {
    Ok(members(py)?[action as usize].clone_ref(py))
}

/// A list of members of the Python class `Action`.
pub(crate) fn action_list<'py>(py: Python<'py>, actions: &[Action]) -> PyResult<Bound<'py, PyList>> {
    let members = members(py)?;
    PyList::new(py, actions.iter().map(|&action| members[action as usize].bind(py)))
}
