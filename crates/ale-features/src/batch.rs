//! Features of many inputs on several threads.

use std::sync::{Mutex, PoisonError};

use crate::input::{Error, Input, InputKind, Screen};
use crate::{Active, FeatureSet};

/// Lists of active features, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The features of all lists.
    pub active: Active,
    /// Where each list begins; one more at the end.
    pub offsets: Vec<usize>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { active: Active::default(), offsets: vec![0] }
    }
}

impl Rows {
    /// Appends the features of one input.
    fn push(&mut self, set: &mut dyn FeatureSet, bytes: &[u8]) -> Result<(), Error> {
        set.append(input(set.input(), bytes)?, &mut self.active)?;
        self.offsets.push(self.active.indices.len());
        Ok(())
    }

    /// All parts in their order.
    fn joined(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            let before = all.active.indices.len();
            all.active.indices.extend_from_slice(&part.active.indices);
            all.active.counts.extend_from_slice(&part.active.counts);
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

/// Calls a function with every number below the first argument, on several threads.
pub type RunParts<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Features of the consecutive inputs of an episode. Each of the equal `sets`, all at the start of an episode, works on
/// its own part and first looks at the input before that part.
///
/// # Errors
/// When an input is none for these sets.
pub fn consecutive(
    sets: Vec<Box<dyn FeatureSet>>,
    inputs: &[&[u8]],
    run: RunParts<'_>,
) -> Result<Rows, Error> {
    let length = inputs.len().div_ceil(sets.len().max(1)).max(1);
    let parts = sets.into_iter().enumerate().take_while(|(number, _)| number * length < inputs.len());
    spread(parts.collect(), run, |(number, mut set)| {
        let mut rows = Rows::default();
        let first = number * length;
        if let Some(before) = first.checked_sub(1) {
            set.active(input(set.input(), inputs[before])?, &mut Active::default())?;
        }
        for bytes in &inputs[first..(first + length).min(inputs.len())] {
            rows.push(&mut *set, bytes)?;
        }
        Ok(rows)
    })
}

/// Features of one input for each set, in so many parts.
///
/// # Errors
/// When an input is none for its set.
pub fn of_each(
    pairs: Vec<(&mut Box<dyn FeatureSet>, &[u8])>,
    parts: usize,
    run: RunParts<'_>,
) -> Result<Rows, Error> {
    let length = pairs.len().div_ceil(parts.max(1)).max(1);
    let mut pairs = pairs.into_iter();
    let next = || Some(pairs.by_ref().take(length).collect()).filter(|part: &Vec<_>| !part.is_empty());
    spread(std::iter::from_fn(next).collect(), run, |part| {
        let mut rows = Rows::default();
        for (set, bytes) in part {
            rows.push(&mut **set, bytes)?;
        }
        Ok(rows)
    })
}

/// Turns each part into rows.
fn spread<T: Send>(
    parts: Vec<T>,
    run: RunParts<'_>,
    work: impl Fn(T) -> Result<Rows, Error> + Sync,
) -> Result<Rows, Error> {
    let places: Vec<_> = parts.into_iter().map(|part| Mutex::new((Some(part), None))).collect();
    run(places.len(), &|number| {
        // No other worker has this place now.
        let mut place = places[number].lock().unwrap_or_else(PoisonError::into_inner);
        place.1 = place.0.take().map(&work);
    });
    let rows =
        places.into_iter().filter_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner).1);
    Ok(Rows::joined(rows.collect::<Result<_, _>>()?))
}
