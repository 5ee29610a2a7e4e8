//! The numbers of a batch as numpy columns and the `info` dictionary.

use ale_core::vector::{Info, Record};
use numpy::PyArrayDyn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffers::{Columns, SharedColumns};

/// A whole number of `info`: its name, and how it is read.
type Number = (&'static str, fn(&Info) -> i32);

/// The numbers that every `info` has.
pub(crate) const ALWAYS: [Number; 3] = [
    ("lives", |info| info.lives),
    ("frame_number", |info| info.frame_number),
    ("episode_frame_number", |info| info.episode_frame_number),
];

/// A number that `info` can have, and how it is read.
#[derive(Clone, Copy)]
enum Field {
    Int(fn(&Info) -> i32),
    Float(fn(&Info) -> f32),
    Flag(fn(&Info) -> bool),
}

/// The numbers that `extra_info` adds, by name.
const EXTRA: [(&str, Field); 5] = [
    ("raw_reward", Field::Int(|info| info.raw_reward)),
    ("episode_length", Field::Int(|info| info.episode_length)),
    ("executed_action", Field::Int(|info| info.executed_action)),
    ("episode_return", Field::Float(|info| info.episode_return)),
    ("game_over", Field::Flag(|info| info.game_over)),
];

/// The names that `extra_info` accepts.
pub(crate) fn extra_names() -> Vec<&'static str> {
    EXTRA.iter().map(|(name, _)| *name).chain(["ram", "sound"]).collect()
}

/// What `info` contains.
pub(crate) struct InfoSchema {
    fields: Vec<(&'static str, Field)>,
    pub(crate) ram: bool,
    pub(crate) sound: bool,
    /// What `env_id` counts from.
    first: i32,
}

impl InfoSchema {
    /// The schema with these names besides those that are always there.
    pub(crate) fn new(names: &[String], first: i32) -> PyResult<Self> {
        let fields = ALWAYS.map(|(name, read)| (name, Field::Int(read))).to_vec();
        let mut schema = Self { fields, ram: false, sound: false, first };
        for name in names {
            match (name.as_str(), EXTRA.iter().find(|(known, _)| known == name)) {
                ("ram", _) => schema.ram = true,
                ("sound", _) => schema.sound = true,
                (_, Some(field)) => schema.fields.push(*field),
                _ => {
                    let accepted = extra_names().join(", ");
                    let text = format!("extra_info has {name:?}; accepted: {accepted}");
                    return Err(PyValueError::new_err(text));
                }
            }
        }
        Ok(schema)
    }

    /// What `env_id` counts from.
    pub(crate) fn first(&self) -> i32 {
        self.first
    }

    /// Turns records into columns: rewards and flags, then every field as it is now and as it was at the end.
    pub(crate) fn fill(&self, records: &[Record], columns: &mut Columns) {
        let Columns { ints, floats, flags } = columns;
        ints.clear();
        floats.clear();
        flags.clear();
        ints.extend(records.iter().map(|record| record.reward));
        ints.extend(records.iter().map(|record| record.env_id.wrapping_add(self.first)));
        flags.extend(records.iter().map(|record| record.terminated));
        flags.extend(records.iter().map(|record| record.truncated));
        flags.extend(records.iter().map(|record| record.last.is_some()));
        let now = |record: &Record| record.now;
        let last = |record: &Record| record.last.unwrap_or_default();
        for info_of in [now, last] as [fn(&Record) -> Info; 2] {
            for (_, field) in &self.fields {
                match field {
                    Field::Int(read) => ints.extend(records.iter().map(|record| read(&info_of(record)))),
                    Field::Float(read) => floats.extend(records.iter().map(|record| read(&info_of(record)))),
                    Field::Flag(read) => flags.extend(records.iter().map(|record| read(&info_of(record)))),
                }
            }
        }
    }

    /// Reads the columns back in the order in which they were filled.
    pub(crate) fn reader<'a, 'py>(
        &'a self,
        columns: &'a SharedColumns<'py>,
        rows: usize,
    ) -> ColumnReader<'a, 'py> {
        ColumnReader { schema: self, columns, rows, ints: 0, floats: 0, flags: 0 }
    }
}

/// Gives one column after the other.
pub(crate) struct ColumnReader<'a, 'py> {
    schema: &'a InfoSchema,
    columns: &'a SharedColumns<'py>,
    rows: usize,
    ints: usize,
    floats: usize,
    flags: usize,
}

impl<'py> ColumnReader<'_, 'py> {
    pub(crate) fn int(&mut self) -> Bound<'py, PyArrayDyn<i32>> {
        let at = self.ints;
        self.ints += self.rows;
        self.columns.array(|columns| &columns.ints[at..][..self.rows])
    }

    pub(crate) fn flag(&mut self) -> Bound<'py, PyArrayDyn<bool>> {
        let at = self.flags;
        self.flags += self.rows;
        self.columns.array(|columns| &columns.flags[at..][..self.rows])
    }

    fn float(&mut self) -> Bound<'py, PyArrayDyn<f32>> {
        let at = self.floats;
        self.floats += self.rows;
        self.columns.array(|columns| &columns.floats[at..][..self.rows])
    }

    /// Puts the next column of every field into a dictionary.
    pub(crate) fn fields(&mut self, info: &Bound<'py, PyDict>) -> PyResult<()> {
        for (name, field) in &self.schema.fields {
            let column = match field {
                Field::Int(_) => self.int().into_any(),
                Field::Float(_) => self.float().into_any(),
                Field::Flag(_) => self.flag().into_any(),
            };
            info.set_item(name, column)?;
        }
        Ok(())
    }
}
