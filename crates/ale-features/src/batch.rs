//! Features of many inputs on several threads.

use crate::input::{Error, Input, InputKind, Screen};
use crate::{Active, FeatureSet};

/// Lists of active features, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Indices of all lists.
    pub indices: Vec<u32>,
    /// Counts of all lists; empty for sets that do not count.
    pub counts: Vec<u32>,
    /// Where each list begins; one more at the end.
    pub offsets: Vec<usize>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { indices: Vec::new(), counts: Vec::new(), offsets: vec![0] }
    }
}

impl Rows {
    fn push(&mut self, active: &Active) {
        self.indices.extend_from_slice(&active.indices);
        self.counts.extend_from_slice(&active.counts);
        self.offsets.push(self.indices.len());
    }

    /// All parts in their order.
    fn joined(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            let before = all.indices.len();
            all.indices.extend_from_slice(&part.indices);
            all.counts.extend_from_slice(&part.counts);
            all.offsets.extend(part.offsets[1..].iter().map(|offset| offset + before));
        }
        all
    }
}

/// Bytes as what this kind of set looks at.
fn input(kind: InputKind, bytes: &[u8]) -> Result<Input<'_>, Error> {
    match kind {
        InputKind::Ram => Input::ram(bytes),
        InputKind::Screen => Screen::new(bytes).map(Input::Screen),
    }
}

/// Features of the consecutive inputs of an episode. Each of the equal `sets`, all at the start of an episode, works on
/// its own part in its own thread and first looks at the input before that part.
///
/// # Errors
/// When an input is none for these sets.
///
/// # Panics
/// When a worker did.
pub fn consecutive(sets: Vec<Box<dyn FeatureSet>>, inputs: &[&[u8]]) -> Result<Rows, Error> {
    let length = inputs.len().div_ceil(sets.len().max(1)).max(1);
    let work = |(number, mut set): (usize, Box<dyn FeatureSet>)| {
        let mut rows = Rows::default();
        let mut active = Active::default();
        let first = (number * length).min(inputs.len());
        let part = &inputs[first..(first + length).min(inputs.len())];
        if let (Some(before), false) = (first.checked_sub(1), part.is_empty()) {
            set.active(input(set.input(), inputs[before])?, &mut active)?;
        }
        for bytes in part {
            set.active(input(set.input(), bytes)?, &mut active)?;
            rows.push(&active);
        }
        Ok(rows)
    };
    spread(sets.into_iter().enumerate().collect(), work)
}

/// Features of one input for each set, on so many threads.
///
/// # Errors
/// When an input is none for its set.
///
/// # Panics
/// When a worker did.
pub fn of_each(pairs: Vec<(&mut Box<dyn FeatureSet>, &[u8])>, threads: usize) -> Result<Rows, Error> {
    let length = pairs.len().div_ceil(threads.max(1)).max(1);
    let mut parts = Vec::new();
    let mut pairs = pairs.into_iter();
    loop {
        let part: Vec<_> = pairs.by_ref().take(length).collect();
        if part.is_empty() {
            break;
        }
        parts.push(part);
    }
    spread(parts, |part| {
        let mut rows = Rows::default();
        let mut active = Active::default();
        for (set, bytes) in part {
            set.active(input(set.input(), bytes)?, &mut active)?;
            rows.push(&active);
        }
        Ok(rows)
    })
}

/// Each part in its own thread, the last one in this.
fn spread<T: Send>(mut parts: Vec<T>, work: impl Fn(T) -> Result<Rows, Error> + Sync) -> Result<Rows, Error> {
    let last = parts.pop();
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || work(part))).collect();
        let last = last.map(work);
        let mut rows = Vec::new();
        for other in others {
            rows.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        rows.extend(last.transpose()?);
        Ok(Rows::joined(rows))
    })
}
