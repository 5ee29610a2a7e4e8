//! The value function: a row of weights for each feature, lazy traces, and sums that follow what changes.
//!
//! ```text
//! gains[m]         what a weight has gained by a trace that was set at step m
//! closed[a]        what a weight of action a has gained by traces that ended, if its feature stayed on
//! base[t][a]       the same for steps before the first trace that a feature sees that came at step t
//! sums[a]          sum over the features that are on, without traces that live
//! Q(F, a)        = sums[a] + joined[a] * gains[opened[a]] + sum over m of unjoined[m][a] * gains[m]
//! ```
//!
//! All features that stay on share their traces: the last choice of action `a` set the trace of all of them. So a choice
//! touches no row. What a row gained in its stay, `closed[a] - base[since][a]`, is written when its feature goes, together
//! with the marks of traces that still live. A feature that comes with such a mark counts in `unjoined` until its action
//! is chosen again; `waiting` lists it for that moment. The work of a decision grows with the features that come and go,
//! not with those that are on.

mod file;

use std::array::from_fn;

use super::Features;
use super::slots::Slots;

/// Decisions after which all rows are written and the sums are formed anew.
const PERIOD: usize = 1024;
/// Gains that are kept before they are added to all weights, 8 bytes each.
const MAX_GAINS: usize = 1 << 20;

/// The number of a gain, as rows keep it.
pub(super) trait Mark: Copy + Default + std::fmt::Debug + Send + Sync + 'static {
    /// No gain has a greater number.
    const MOST: usize;
    fn of(gain: usize) -> Self;
    fn gain(self) -> usize;
}

impl Mark for u16 {
    const MOST: usize = Self::MAX as usize;

    fn of(gain: usize) -> Self {
        gain as Self
    }

    fn gain(self) -> usize {
        self.into()
    }
}

impl Mark for u32 {
    const MOST: usize = Self::MAX as usize;

    fn of(gain: usize) -> Self {
        gain as Self
    }

    fn gain(self) -> usize {
        self as usize
    }
}

/// What is kept of a feature. With 18 actions and marks of 16 bits: two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row<const A: usize, M> {
    weights: [f32; A],
    /// Where the gain of each weight is.
    marks: [M; A],
    /// Bit n: the weight of action n has a mark.
    marked: u32,
    /// The step at which the feature came, while it is on.
    since: u32,
    /// How often it is on.
    count: f32,
}

/// Calls `each` for the number of every bit.
#[inline]
fn for_each_bit(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[derive(Debug, Clone)]
pub(super) struct Weights<const A: usize, M> {
    num_features: usize,
    actions: usize,
    slots: Slots,
    pub(super) rows: Vec<Row<A, M>>,
    /// `(discount * trace_decay)^age` for every age at which a trace lives; empty when traces never die.
    decay: Vec<f64>,
    /// What a weight gains by its trace, by the step at which the trace was set. Index 0 stands for no trace.
    gains: Vec<f64>,
    /// The first gain of this episode.
    episode: usize,
    /// Gains before this one are final, and `unjoined` has none of them.
    alive: usize,
    /// Rows of the features that are on.
    on: Vec<u32>,
    /// By row: `stamp` for those that are on.
    seen: Vec<u8>,
    stamp: u8,
    sums: [f64; A],
    closed: [f64; A],
    /// Bit n: `opened[n]` is the step of the last choice of action n, and its trace lives.
    open: u32,
    opened: [usize; A],
    /// Features that were on when the trace was opened, by their counts.
    joined: [f64; A],
    /// The step that `base` begins with.
    period: usize,
    base: Vec<[f64; A]>,
    /// By the mark, modulo the length: features that came with it, by their counts.
    unjoined: Vec<[f64; A]>,
    /// By the action: rows that came with a mark, and when.
    waiting: Vec<Vec<(u32, u32)>>,
    /// Counts were given at least once.
    counted: bool,
    found: Vec<u32>,
    coming: Vec<u32>,
    going: Vec<u32>,
}

impl<const A: usize, M: Mark> Weights<A, M> {
    pub(super) fn new(num_features: usize, actions: usize, decay: Vec<f64>) -> Self {
        let window = (decay.len() + 2).next_power_of_two();
        Self {
            num_features,
            actions,
            slots: Slots::new(num_features),
            rows: Vec::new(),
            decay,
            gains: vec![0.0],
            episode: 1,
            alive: 1,
            on: Vec::new(),
            seen: Vec::new(),
            stamp: 1,
            sums: [0.0; A],
            closed: [0.0; A],
            open: 0,
            opened: [0; A],
            joined: [0.0; A],
            period: 1,
            base: Vec::new(),
            unjoined: vec![[0.0; A]; window],
            waiting: vec![Vec::new(); actions],
            counted: false,
            found: Vec::new(),
            coming: Vec::new(),
            going: Vec::new(),
        }
    }

    /// The traces of the episode before end.
    pub(super) fn begin(&mut self) {
        self.episode = self.gains.len();
        self.let_traces_die();
        self.write_all();
        if self.gains.len() >= Self::limit() {
            self.fold_final_gains();
        }
    }

    fn limit() -> usize {
        MAX_GAINS.min(M::MOST - 2 * PERIOD)
    }

    /// The features that are on change to these.
    pub(super) fn look(&mut self, active: Features<'_>) {
        if self.gains.len() - self.period >= PERIOD {
            self.write_all();
            if self.gains.len() >= Self::limit() {
                self.fold_final_gains();
            }
        }
        self.let_traces_die();
        while self.base.len() + self.period <= self.gains.len() {
            self.base.push(self.closed);
        }
        let mut found = std::mem::take(&mut self.found);
        self.slots.find(active.indices, &mut found);
        self.add_rows();
        let (before, now) = self.next_stamp();
        self.counted |= !active.counts.is_empty();
        if self.counted {
            self.set_counts(&found, active.counts, before);
        }
        let (mut coming, mut going) = (std::mem::take(&mut self.coming), std::mem::take(&mut self.going));
        // Branches would be mispredicted: every number is written, and the place moves on when it is wanted.
        coming.resize(found.len(), 0);
        let (mut new, mut kept) = (0, 0);
        for place in 0..found.len() {
            let row = found[place];
            let seen = std::mem::replace(&mut self.seen[row as usize], now);
            coming[new] = row;
            let once = usize::from(seen != now);
            new += once & usize::from(seen != before);
            found[kept] = row;
            kept += once;
        }
        found.truncate(kept);
        going.resize(self.on.len(), 0);
        let mut gone = 0;
        for &row in &self.on {
            going[gone] = row;
            gone += usize::from(self.seen[row as usize] != now);
        }
        self.write(&going[..gone]);
        if gone == self.on.len() {
            self.sums = [0.0; A];
        }
        self.read(&coming[..new]);
        std::mem::swap(&mut self.on, &mut found);
        (self.found, self.coming, self.going) = (found, coming, going);
    }

    fn add_rows(&mut self) {
        let (weights, marks) = ([0.0; A], [M::default(); A]);
        let row = Row { weights, marks, marked: 0, since: 0, count: 1.0 };
        self.rows.resize(self.slots.features().len(), row);
        self.seen.resize(self.rows.len(), 0);
    }

    /// Stamps of the features that were on, and of those that will be.
    fn next_stamp(&mut self) -> (u8, u8) {
        if self.stamp == u8::MAX {
            self.seen.fill(0);
            for &row in &self.on {
                self.seen[row as usize] = 1;
            }
            self.stamp = 1;
        }
        self.stamp += 1;
        (self.stamp - 1, self.stamp)
    }

    /// A feature that is on more or less often than before goes and comes.
    fn set_counts(&mut self, found: &[u32], counts: &[u32], before: u8) {
        for (place, &row) in found.iter().enumerate() {
            let count = counts.get(place).map_or(1.0, |&count| count as f32);
            let on = self.seen[row as usize] == before;
            if on && self.rows[row as usize].count.to_bits() != count.to_bits() {
                self.write(&[row]);
                self.seen[row as usize] = 0;
            }
            self.rows[row as usize].count = count;
        }
    }

    /// Features go: writes what their rows have gained, and takes them out of the sums.
    fn write(&mut self, list: &[u32]) {
        let Self { rows, gains, base, closed, opened, joined, unjoined, .. } = self;
        let (open, alive, period, window) = (self.open, self.alive, self.period, unjoined.len() - 1);
        let mut sums = self.sums;
        for &row in list {
            let row = &mut rows[row as usize];
            let (base, since) = (&base[row.since as usize - period], row.since as usize);
            let count = f64::from(row.count);
            let mut values: [f64; A] = from_fn(|a| f64::from(row.weights[a]) + (closed[a] - base[a]));
            for_each_bit(row.marked, |action| {
                let mark = row.marks[action].gain();
                if mark < alive {
                    values[action] += gains[mark];
                    row.marked &= !(1 << action);
                } else {
                    unjoined[mark & window][action] -= count;
                }
            });
            for_each_bit(open, |action| {
                if opened[action] >= since {
                    row.marks[action] = M::of(opened[action]);
                    row.marked |= 1 << action;
                    joined[action] -= count;
                }
            });
            for action in 0..A {
                sums[action] -= count * values[action];
                row.weights[action] = values[action] as f32;
            }
        }
        self.sums = sums;
    }

    /// Features come.
    fn read(&mut self, list: &[u32]) {
        let now = self.gains.len();
        self.widen(now + 1 - self.alive);
        let Self { rows, gains, unjoined, waiting, .. } = self;
        let (alive, window) = (self.alive, unjoined.len() - 1);
        let mut sums = self.sums;
        for &number in list {
            let row = &mut rows[number as usize];
            row.since = now as u32;
            let count = f64::from(row.count);
            for_each_bit(row.marked, |action| {
                let mark = row.marks[action].gain();
                if mark < alive {
                    row.weights[action] = (f64::from(row.weights[action]) + gains[mark]) as f32;
                    row.marked &= !(1 << action);
                } else {
                    unjoined[mark & window][action] += count;
                    waiting[action].push((number, now as u32));
                }
            });
            for (sum, weight) in sums.iter_mut().zip(&row.weights) {
                *sum += count * f64::from(*weight);
            }
        }
        self.sums = sums;
    }

    /// Makes room for so many marks that live.
    fn widen(&mut self, window: usize) {
        let len = self.unjoined.len();
        if window > len {
            let mut wide = vec![[0.0; A]; window.next_power_of_two()];
            let mask = wide.len() - 1;
            for mark in self.alive..self.alive + len {
                wide[mark & mask] = self.unjoined[mark & (len - 1)];
            }
            self.unjoined = wide;
        }
    }

    /// All features go.
    fn write_all(&mut self) {
        let on = std::mem::take(&mut self.on);
        self.write(&on);
        self.on = on;
        self.on.clear();
        self.next_stamp();
        self.waiting.iter_mut().for_each(Vec::clear);
        (self.sums, self.closed, self.joined, self.open) = ([0.0; A], [0.0; A], [0.0; A], 0);
        self.base.clear();
        self.period = self.gains.len();
    }

    /// Gains that the next update does not change become part of the sums.
    fn let_traces_die(&mut self) {
        let oldest = match self.decay.len() {
            0 => self.episode,
            life => self.episode.max(self.gains.len().saturating_sub(life)),
        };
        let window = self.unjoined.len();
        for mark in self.alive..oldest.min(self.alive + window) {
            let counts = std::mem::replace(&mut self.unjoined[mark & (window - 1)], [0.0; A]);
            for (sum, count) in self.sums.iter_mut().zip(counts) {
                *sum += count * self.gains[mark];
            }
        }
        self.alive = self.alive.max(oldest);
        for_each_bit(self.open, |action| {
            if self.opened[action] < oldest {
                self.close(action);
            }
        });
    }

    /// The trace of an action ends, for all features that are on.
    fn close(&mut self, action: usize) {
        let gain = self.gains[self.opened[action]];
        self.open &= !(1 << action);
        self.sums[action] += std::mem::take(&mut self.joined[action]) * gain;
        self.closed[action] += gain;
        // Features that came later had no part in it.
        let later = self.opened[action] + 1 - self.period;
        for base in self.base.iter_mut().skip(later) {
            base[action] = self.closed[action];
        }
    }

    /// The traces that features brought end.
    fn fold_waiting(&mut self, action: usize) {
        let Self { rows, gains, seen, waiting, unjoined, sums, .. } = self;
        for (number, since) in waiting[action].drain(..) {
            let row = &mut rows[number as usize];
            let on = seen[number as usize] == self.stamp && row.since == since;
            if !on || row.marked >> action & 1 == 0 {
                continue;
            }
            row.marked &= !(1 << action);
            let mark = row.marks[action].gain();
            let (count, window) = (f64::from(row.count), unjoined.len() - 1);
            let before = f64::from(row.weights[action]);
            row.weights[action] = (before + gains[mark]) as f32;
            let in_sums = if mark < self.alive {
                before + gains[mark]
            } else {
                unjoined[mark & window][action] -= count;
                before
            };
            sums[action] += count * (f64::from(row.weights[action]) - in_sums);
        }
    }

    /// Sets the trace of an action for all features that are on.
    pub(super) fn set_trace(&mut self, action: usize, clear_others: bool) {
        let ended = if clear_others { u32::MAX >> (32 - self.actions) } else { 1 << action };
        for_each_bit(ended & self.open, |action| self.close(action));
        for_each_bit(ended, |action| self.fold_waiting(action));
        self.open |= 1 << action;
        self.opened[action] = self.gains.len();
        self.joined[action] = self.on_count();
        self.gains.push(0.0);
    }

    fn on_count(&self) -> f64 {
        if self.counted {
            self.on.iter().map(|&row| f64::from(self.rows[row as usize].count)).sum()
        } else {
            self.on.len() as f64
        }
    }

    /// Counts the traces of a feature that was on when it was saved.
    fn count_marks(&mut self, number: u32) {
        let row = &self.rows[number as usize];
        let window = self.unjoined.len() - 1;
        for_each_bit(row.marked, |action| {
            let mark = row.marks[action].gain();
            if mark >= self.alive {
                self.unjoined[mark & window][action] += f64::from(row.count);
            }
        });
        for_each_bit(self.open, |action| {
            if self.opened[action] >= row.since as usize {
                self.joined[action] += f64::from(row.count);
            }
        });
    }

    /// All traces that live move their weights.
    pub(super) fn update(&mut self, step: f64) {
        let live = &mut self.gains[self.episode..];
        if self.decay.is_empty() {
            for gain in live.iter_mut() {
                *gain += step;
            }
        }
        for (gain, decay) in live.iter_mut().rev().zip(&self.decay) {
            *gain += step * decay;
        }
    }

    /// The values of all actions.
    pub(super) fn values(&self) -> [f64; A] {
        let mut values = self.sums;
        let window = self.unjoined.len() - 1;
        for mark in self.alive..self.gains.len() {
            for (value, count) in values.iter_mut().zip(&self.unjoined[mark & window]) {
                *value += count * self.gains[mark];
            }
        }
        for_each_bit(self.open, |action| {
            values[action] += self.joined[action] * self.gains[self.opened[action]];
        });
        values
    }

    /// The weight of a feature and an action, whether it is on or not.
    pub(super) fn weight(&self, feature: u32, action: usize) -> f64 {
        let Some(number) = self.slots.get(feature) else {
            return 0.0;
        };
        let row = &self.rows[number as usize];
        let mut weight = f64::from(row.weights[action]);
        if row.marked >> action & 1 == 1 {
            weight += self.gains[row.marks[action].gain()];
        }
        if self.seen[number as usize] == self.stamp {
            let since = row.since as usize;
            weight += self.closed[action] - self.base[since - self.period][action];
            if self.open >> action & 1 == 1 && self.opened[action] >= since {
                weight += self.gains[self.opened[action]];
            }
        }
        weight
    }

    /// Makes final gains part of the weights, and numbers the others anew. No feature is on.
    fn fold_final_gains(&mut self) {
        let gone = self.alive - 1;
        for row in &mut self.rows {
            for_each_bit(row.marked, |action| {
                let mark = row.marks[action].gain();
                if mark <= gone {
                    row.weights[action] = (f64::from(row.weights[action]) + self.gains[mark]) as f32;
                    row.marked &= !(1 << action);
                } else {
                    row.marks[action] = M::of(mark - gone);
                }
            });
        }
        self.gains.drain(1..=gone);
        (self.episode, self.alive) = (self.episode.saturating_sub(gone).max(1), 1);
        self.period = self.gains.len();
    }
}
