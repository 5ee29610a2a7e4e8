//! The numbers of a batch of Crafter worlds as numpy columns and the `info` dictionary.

use ale_batch::Record;
use ale_crafter::Info;
use ale_crafter::tables::{ACHIEVEMENTS, ITEMS};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffers::{CrafterColumns, SharedCrafter};

/// The keys of `info`.
pub(crate) mod key {
    pub(crate) const INVENTORY: &str = "inventory";
    pub(crate) const ACHIEVEMENTS: &str = "achievements";
    pub(crate) const UNLOCKED: &str = "unlocked";
    pub(crate) const PLAYER_POS: &str = "player_pos";
    pub(crate) const REWARD: &str = "reward";
    pub(crate) const DISCOUNT: &str = "discount";
    pub(crate) const EPISODE_RETURN: &str = "episode_return";
    pub(crate) const EPISODE_LENGTH: &str = "episode_length";
}

type WorldRecord = Record<f64, Info>;

/// Where the columns of a batch lie: each kind of number has the columns of now, then those of the episodes' ends.
pub(crate) struct Columns {
    rows: usize,
}

impl Columns {
    /// Turns records into columns. Without `reward` the rewards that are returned are 0; those in `info` stay.
    pub(crate) fn fill(columns: &mut CrafterColumns, records: &[WorldRecord], reward: bool) -> Self {
        let CrafterColumns { ints, longs, doubles, counts, bytes, flags } = columns;
        ints.clear();
        longs.clear();
        doubles.clear();
        counts.clear();
        bytes.clear();
        flags.clear();
        ints.extend(records.iter().map(|record| record.env_id));
        doubles.extend(records.iter().map(|record| if reward { record.reward } else { 0.0 }));
        flags.extend(records.iter().map(|record| record.terminated));
        flags.extend(records.iter().map(|record| record.truncated));
        flags.extend(records.iter().map(|record| record.last.is_some()));
        for end in [false, true] {
            let infos = || records.iter().map(move |record| if end { last(record) } else { &record.now });
            doubles.extend(records.iter().map(|record| record.reward));
            doubles.extend(infos().map(|info| f64::from(u8::from(!info.dead))));
            doubles.extend(infos().map(|info| info.episode_return));
            longs.extend(infos().map(|info| info.episode_length as i64));
            longs.extend(infos().flat_map(|info| <[i32; 2]>::from(info.position)).map(i64::from));
            counts.extend(infos().flat_map(|info| info.achievements));
            bytes.extend(infos().flat_map(|info| info.inventory));
            flags.extend(
                infos().flat_map(|info| (0..ACHIEVEMENTS).map(move |bit| info.unlocked >> bit & 1 == 1)),
            );
        }
        Self { rows: records.len() }
    }

    /// Puts the columns of now, or those of the episodes' ends, into a dictionary.
    pub(crate) fn put<'py>(
        &self,
        info: &Bound<'py, PyDict>,
        shared: &SharedCrafter<'py>,
        end: bool,
    ) -> PyResult<()> {
        let rows = self.rows;
        let at = |width: usize| usize::from(end) * width * rows;
        let double = |number: usize| {
            shared.array(&[rows], |columns| &columns.doubles[rows + at(3) + number * rows..][..rows])
        };
        info.set_item(
            key::INVENTORY,
            shared.array(&[rows, ITEMS], |columns| &columns.bytes[at(ITEMS)..][..ITEMS * rows]),
        )?;
        info.set_item(
            key::ACHIEVEMENTS,
            shared.array(&[rows, ACHIEVEMENTS], |columns| {
                &columns.counts[at(ACHIEVEMENTS)..][..ACHIEVEMENTS * rows]
            }),
        )?;
        info.set_item(
            key::UNLOCKED,
            shared.array(&[rows, ACHIEVEMENTS], |columns| {
                &columns.flags[3 * rows + at(ACHIEVEMENTS)..][..ACHIEVEMENTS * rows]
            }),
        )?;
        info.set_item(
            key::PLAYER_POS,
            shared.array(&[rows, 2], |columns| &columns.longs[at(3) + rows..][..2 * rows]),
        )?;
        info.set_item(key::REWARD, double(0))?;
        info.set_item(key::DISCOUNT, double(1))?;
        info.set_item(key::EPISODE_RETURN, double(2))?;
        info.set_item(key::EPISODE_LENGTH, shared.array(&[rows], |columns| &columns.longs[at(3)..][..rows]))
    }

    /// The rewards that are returned.
    pub(crate) fn rewards<'py>(&self, shared: &SharedCrafter<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        shared.array(&[self.rows], |columns| &columns.doubles[..self.rows])
    }

    /// Terminations and truncations.
    pub(crate) fn flags<'py>(&self, shared: &SharedCrafter<'py>) -> [Bound<'py, PyArrayDyn<bool>>; 2] {
        [0, 1].map(|n| shared.array(&[self.rows], |columns| &columns.flags[n * self.rows..][..self.rows]))
    }

    /// Which rows have started another episode.
    pub(crate) fn ended<'py>(&self, shared: &SharedCrafter<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        shared.array(&[self.rows], |columns| &columns.flags[2 * self.rows..][..self.rows])
    }
}

/// What it was at the end of the episode, if it has ended; otherwise what it is now.
fn last(record: &WorldRecord) -> &Info {
    record.last.as_ref().unwrap_or(&record.now)
}

/// The episodes that ended in this step: what the recorder writes, a row each.
pub(crate) fn finished<'py>(py: Python<'py>, records: &[WorldRecord]) -> PyResult<Bound<'py, PyDict>> {
    let ended: Vec<_> = records.iter().filter(|record| record.terminated || record.truncated).collect();
    let episodes = PyDict::new(py);
    episodes.set_item("env_id", PyArray1::from_iter(py, ended.iter().map(|record| record.env_id)))?;
    let length = |record: &&WorldRecord| last(record).episode_length as i64;
    episodes.set_item("length", PyArray1::from_iter(py, ended.iter().map(length)))?;
    let sum = |record: &&WorldRecord| last(record).episode_return;
    episodes.set_item("reward", PyArray1::from_iter(py, ended.iter().map(sum)))?;
    let counts = ended.iter().flat_map(|record| last(record).achievements);
    let counts = PyArray1::from_iter(py, counts).reshape([ended.len(), ACHIEVEMENTS])?;
    episodes.set_item("achievements", counts)?;
    Ok(episodes)
}
