//! The numbers of a batch as numpy columns and the `info` dictionary.

use ale_core::vector::{Info, Record};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffers::{Columns, SharedColumns};

/// A fact that `info` can have, and how it is read.
#[derive(Clone, Copy)]
enum Fact {
    Int(fn(&Info) -> i32),
    Float(fn(&Info) -> f32),
    Flag(fn(&Info) -> bool),
}

/// The facts by name. The first three are always there.
const FACTS: [(&str, Fact); 8] = [
    ("lives", Fact::Int(|facts| facts.lives)),
    ("frame_number", Fact::Int(|facts| facts.frame_number)),
    ("episode_frame_number", Fact::Int(|facts| facts.episode_frame_number)),
    ("raw_reward", Fact::Int(|facts| facts.raw_reward)),
    ("episode_length", Fact::Int(|facts| facts.episode_length)),
    ("executed_action", Fact::Int(|facts| facts.executed_action)),
    ("episode_return", Fact::Float(|facts| facts.episode_return)),
    ("game_over", Fact::Flag(|facts| facts.game_over)),
];
const ALWAYS: usize = 3;

/// What `info` contains.
pub(crate) struct InfoPlan {
    facts: Vec<(&'static str, Fact)>,
    pub(crate) ram: bool,
    pub(crate) sound: bool,
    /// What `env_id` counts from.
    first: i32,
}

impl InfoPlan {
    /// The plan with these names besides those that are always there.
    pub(crate) fn new(names: &[String], first: i32) -> PyResult<Self> {
        let mut plan = Self { facts: FACTS[..ALWAYS].to_vec(), ram: false, sound: false, first };
        for name in names {
            match (name.as_str(), FACTS[ALWAYS..].iter().find(|(known, _)| known == name)) {
                ("ram", _) => plan.ram = true,
                ("sound", _) => plan.sound = true,
                (_, Some(fact)) => plan.facts.push(*fact),
                _ => {
                    let known: Vec<_> = FACTS[ALWAYS..].iter().map(|(known, _)| *known).collect();
                    let accepted = known.join(", ");
                    let text = format!("extra_info has {name:?}; accepted: ram, sound, {accepted}");
                    return Err(PyValueError::new_err(text));
                }
            }
        }
        Ok(plan)
    }

    /// Turns records into columns: rewards and flags, then every fact as it is now and as it was at the end.
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
        for facts_of in [now, last] as [fn(&Record) -> Info; 2] {
            for (_, fact) in &self.facts {
                match fact {
                    Fact::Int(read) => ints.extend(records.iter().map(|record| read(&facts_of(record)))),
                    Fact::Float(read) => floats.extend(records.iter().map(|record| read(&facts_of(record)))),
                    Fact::Flag(read) => flags.extend(records.iter().map(|record| read(&facts_of(record)))),
                }
            }
        }
    }

    /// Reads the columns back in the order in which they were filled.
    pub(crate) fn reader<'a, 'py>(&'a self, columns: &'a SharedColumns<'py>, rows: usize) -> Reader<'a, 'py> {
        Reader { plan: self, columns, rows, ints: 0, floats: 0, flags: 0 }
    }
}

/// Gives one column after the other.
pub(crate) struct Reader<'a, 'py> {
    plan: &'a InfoPlan,
    columns: &'a SharedColumns<'py>,
    rows: usize,
    ints: usize,
    floats: usize,
    flags: usize,
}

impl<'py> Reader<'_, 'py> {
    pub(crate) fn int(&mut self) -> Bound<'py, PyAny> {
        let at = self.ints;
        self.ints += self.rows;
        self.columns.array(|columns| &columns.ints[at..][..self.rows]).into_any()
    }

    pub(crate) fn flag(&mut self) -> Bound<'py, PyAny> {
        let at = self.flags;
        self.flags += self.rows;
        self.columns.array(|columns| &columns.flags[at..][..self.rows]).into_any()
    }

    fn float(&mut self) -> Bound<'py, PyAny> {
        let at = self.floats;
        self.floats += self.rows;
        self.columns.array(|columns| &columns.floats[at..][..self.rows]).into_any()
    }

    /// Puts the next column of every fact into a dictionary.
    pub(crate) fn facts(&mut self, info: &Bound<'py, PyDict>) -> PyResult<()> {
        for (name, fact) in &self.plan.facts {
            let column = match fact {
                Fact::Int(_) => self.int(),
                Fact::Float(_) => self.float(),
                Fact::Flag(_) => self.flag(),
            };
            info.set_item(name, column)?;
        }
        Ok(())
    }
}
