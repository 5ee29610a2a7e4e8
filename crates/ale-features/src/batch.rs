//! Features of many inputs on several threads.
//!
//! Inputs are cut into chunks, which threads take in turn. A finished chunk goes to the end of the result as soon as all
//! chunks before it have; the thread that finds it next in line copies it while the others compute. Nothing waits.

use std::mem::take;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::input::{Error, Input, InputKind, Screen};
use crate::{Active, FeatureSet};

/// Chunks that a thread gets, about: fewer end unevenly, more look at more screens twice.
const CHUNKS_PER_THREAD: usize = 4;
/// Inputs of a chunk at most, so that its features stay in the caches until they are copied.
const LONGEST_CHUNK: usize = 64;

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
    /// No lists; the memory stays.
    pub fn clear(&mut self) {
        self.active.clear();
        self.offsets.truncate(1);
    }

    /// Appends the features of one input.
    fn push(&mut self, set: &mut dyn FeatureSet, bytes: &[u8]) -> Result<(), Error> {
        set.append(input(set.input(), bytes)?, &mut self.active)?;
        self.offsets.push(self.active.indices.len());
        Ok(())
    }

    /// Appends other lists.
    fn extend(&mut self, others: &Self) {
        let before = self.active.indices.len();
        self.active.indices.extend_from_slice(&others.active.indices);
        self.active.counts.extend_from_slice(&others.active.counts);
        self.offsets.extend(others.offsets[1..].iter().map(|offset| offset + before));
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

/// Memory of a batch that the next one uses again.
#[derive(Debug, Default)]
pub struct Memory {
    /// Becomes the result of the next batch.
    pub result: Rows,
    chunks: Vec<Rows>,
}

/// Features of the consecutive inputs of an episode. Each of the equal `sets`, all at the start of an episode, belongs to
/// one thread; where it goes on at another place it first looks at the input before.
///
/// # Errors
/// When an input is none for these sets.
pub fn consecutive(
    sets: Vec<Box<dyn FeatureSet>>,
    inputs: &[&[u8]],
    memory: &mut Memory,
    run: RunParts<'_>,
) -> Result<Rows, Error> {
    let length = length_of_chunks(inputs.len(), sets.len());
    if let [first, _, ..] = &*sets
        && let Some(counts) = counts(&**first, inputs)?
    {
        return in_place(sets, inputs, &counts, length, memory, run);
    }
    let sets: Vec<_> = sets.into_iter().map(|set| Mutex::new((0, set))).collect();
    in_chunks(inputs.len(), length, sets.len(), memory, run, |thread, chunk, rows| {
        let (next, set) = &mut *lock(&sets[thread]);
        if *next != chunk.start {
            set.reset();
            let before = inputs[chunk.start - 1];
            set.active(input(set.input(), before)?, &mut rows.active)?;
            rows.clear();
        }
        *next = chunk.end;
        inputs[chunk].iter().try_for_each(|bytes| rows.push(&mut **set, bytes))
    })
}

/// How many features each input has, for sets that know it beforehand.
fn counts(set: &dyn FeatureSet, inputs: &[&[u8]]) -> Result<Option<Vec<usize>>, Error> {
    inputs.iter().map(|bytes| set.count(input(set.input(), bytes)?)).collect()
}

/// Features of inputs whose numbers of features are known: threads write them where they belong.
fn in_place(
    sets: Vec<Box<dyn FeatureSet>>,
    inputs: &[&[u8]],
    counts: &[usize],
    length: usize,
    memory: &mut Memory,
    run: RunParts<'_>,
) -> Result<Rows, Error> {
    let Rows { active: Active { mut indices, counts: unused }, mut offsets } = take(&mut memory.result);
    indices.resize(counts.iter().sum(), 0);
    offsets.truncate(1);
    let mut rest = &mut *indices;
    let mut chunks = Vec::new();
    for (inputs, counts) in inputs.chunks(length).zip(counts.chunks(length)) {
        let (here, behind) = rest.split_at_mut(counts.iter().sum());
        chunks.push(Mutex::new(Some((inputs, counts, here))));
        rest = behind;
    }
    offsets.extend(counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end)
    }));
    let failure = Mutex::new(None);
    let number = AtomicUsize::new(0);
    let sets: Vec<_> = sets.into_iter().map(Mutex::new).collect();
    run(sets.len(), &|thread| {
        let set = &mut *lock(&sets[thread]);
        while let Some(chunk) = chunks.get(number.fetch_add(1, Ordering::Relaxed)) {
            let Some((inputs, counts, mut here)) = lock(chunk).take() else { continue };
            for (bytes, count) in inputs.iter().zip(counts) {
                let (row, behind) = here.split_at_mut(*count);
                if let Err(error) = input(set.input(), bytes).and_then(|input| set.write(input, row)) {
                    *lock(&failure) = Some(error);
                    return;
                }
                here = behind;
            }
        }
    });
    drop(chunks);
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    let rows = Rows { active: Active { indices, counts: unused }, offsets };
    failure.map_or(Ok(rows), Err)
}

/// Features of one input for each set, on so many threads.
///
/// # Errors
/// When an input is none for its set.
pub fn of_each(
    pairs: Vec<(&mut Box<dyn FeatureSet>, &[u8])>,
    threads: usize,
    memory: &mut Memory,
    run: RunParts<'_>,
) -> Result<Rows, Error> {
    let (count, length) = (pairs.len(), length_of_chunks(pairs.len(), threads));
    let mut pairs = pairs.into_iter();
    let next = || Some(pairs.by_ref().take(length).collect()).filter(|part: &Vec<_>| !part.is_empty());
    let parts: Vec<_> = std::iter::from_fn(next).map(Mutex::new).collect();
    in_chunks(count, length, threads, memory, run, |_, chunk, rows| {
        let mut part = lock(&parts[chunk.start / length]);
        part.iter_mut().try_for_each(|(set, bytes)| rows.push(&mut ***set, bytes))
    })
}

/// How long chunks are; a thread alone has one.
fn length_of_chunks(inputs: usize, threads: usize) -> usize {
    match threads {
        0 | 1 => inputs.max(1),
        _ => inputs.div_ceil(threads.saturating_mul(CHUNKS_PER_THREAD)).clamp(1, LONGEST_CHUNK),
    }
}

/// What all threads of a batch share.
struct Joining {
    result: Rows,
    /// Finished chunks that are not yet part of the result, each at its number.
    waiting: Vec<Option<Rows>>,
    /// The chunk that comes next.
    next: usize,
    /// A thread is copying.
    busy: bool,
    failure: Option<Error>,
    spare: Vec<Rows>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets threads compute chunks of inputs and joins them in their order.
fn in_chunks(
    inputs: usize,
    length: usize,
    threads: usize,
    memory: &mut Memory,
    run: RunParts<'_>,
    compute: impl Fn(usize, std::ops::Range<usize>, &mut Rows) -> Result<(), Error> + Sync,
) -> Result<Rows, Error> {
    let chunks = inputs.div_ceil(length);
    let mut result = take(&mut memory.result);
    result.clear();
    if chunks <= 1 {
        compute(0, 0..inputs, &mut result)?;
        return Ok(result);
    }
    let waiting = std::iter::repeat_with(|| None).take(chunks).collect();
    let spare = take(&mut memory.chunks);
    let joining = Mutex::new(Joining { result, waiting, next: 0, busy: false, failure: None, spare });
    let number = AtomicUsize::new(0);
    run(threads.clamp(1, chunks.max(1)), &|thread| {
        loop {
            let chunk = number.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks || lock(&joining).failure.is_some() {
                return;
            }
            let mut rows = lock(&joining).spare.pop().unwrap_or_default();
            rows.clear();
            let place = chunk * length;
            match compute(thread, place..inputs.min(place + length), &mut rows) {
                Ok(()) => join(&joining, chunk, rows),
                Err(error) => lock(&joining).failure = Some(error),
            }
        }
    });
    let Joining { result, failure, spare, .. } = joining.into_inner().unwrap_or_else(PoisonError::into_inner);
    memory.chunks = spare;
    failure.map_or(Ok(result), Err)
}

/// Puts a finished chunk in line, and copies what is next in line, if no other thread does.
fn join(joining: &Mutex<Joining>, chunk: usize, rows: Rows) {
    let mut shared = lock(joining);
    shared.waiting[chunk] = Some(rows);
    if shared.busy {
        return;
    }
    shared.busy = true;
    loop {
        let next = shared.next;
        let Some(rows) = shared.waiting.get_mut(next).and_then(Option::take) else { break };
        let mut result = take(&mut shared.result);
        drop(shared);
        result.extend(&rows);
        shared = lock(joining);
        shared.result = result;
        shared.next += 1;
        shared.spare.push(rows);
    }
    shared.busy = false;
}
