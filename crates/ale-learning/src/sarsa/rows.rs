//! The weights: for each feature a row with one weight and one mark for every action.

use super::Features;

/// Sets with at most this many features have a row for each; larger ones get rows on first sight.
const DENSE: usize = 1 << 21;
/// A key of the table that stands for nothing.
const EMPTY: u32 = u32::MAX;
/// Rows that are summed up in 32 bits before the sum goes into 64.
const BLOCK: usize = 32;

/// Which row belongs to a feature.
#[derive(Debug, Clone)]
enum Slots {
    /// The one with its index.
    Dense,
    /// Open addressing: feature and row, by a multiplicative hash.
    Hashed(Vec<(u32, u32)>),
}

/// Rows of weights, and those of the decision now.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    slots: Slots,
    /// Numbers in a row: the actions, rounded up to whole vectors.
    stride: usize,
    weights: Vec<f32>,
    /// Where the gain of each weight is.
    marks: Vec<u32>,
    /// Bit n: the weight of action n has a mark.
    marked: Vec<u32>,
    /// The features of rows that were given out on first sight.
    features: Vec<u32>,
    /// Rows of the features that are active now.
    found: Vec<u32>,
    actions: usize,
}

fn slot_of(feature: u32, slots: usize) -> usize {
    (u64::from(feature).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (slots - 1)
}

impl Rows {
    pub(super) fn new(features: usize, actions: usize) -> Self {
        let stride = actions.next_multiple_of(4);
        let (slots, rows) = if features <= DENSE {
            (Slots::Dense, features)
        } else {
            (Slots::Hashed(vec![(EMPTY, 0); 1 << 12]), 0)
        };
        Self {
            slots,
            stride,
            weights: vec![0.0; rows * stride],
            marks: vec![0; rows * stride],
            marked: vec![0; rows],
            features: Vec::new(),
            found: Vec::new(),
            actions,
        }
    }

    pub(super) fn in_use(&self) -> usize {
        self.marked.len()
    }

    /// Looks the rows of these features up; new features get one.
    pub(super) fn find(&mut self, features: &[u32]) {
        self.found.clear();
        if let Slots::Dense = self.slots {
            self.found.extend_from_slice(features);
            return;
        }
        for &feature in features {
            let row = match self.row(feature) {
                Some(row) => row,
                None => self.insert(feature),
            };
            self.found.push(row);
        }
    }

    fn row(&self, feature: u32) -> Option<u32> {
        let Slots::Hashed(table) = &self.slots else {
            return ((feature as usize) < self.marked.len()).then_some(feature);
        };
        let mut slot = slot_of(feature, table.len());
        loop {
            match table[slot] {
                (EMPTY, _) => return None,
                (found, row) if found == feature => return Some(row),
                _ => slot = (slot + 1) & (table.len() - 1),
            }
        }
    }

    fn insert(&mut self, feature: u32) -> u32 {
        let row = self.features.len() as u32;
        self.features.push(feature);
        self.weights.resize(self.weights.len() + self.stride, 0.0);
        self.marks.resize(self.marks.len() + self.stride, 0);
        self.marked.push(0);
        if let Slots::Hashed(table) = &mut self.slots {
            if self.features.len() * 2 > table.len() {
                *table = vec![(EMPTY, 0); table.len() * 2];
                for (row, &feature) in self.features.iter().enumerate() {
                    place(table, feature, row as u32);
                }
            } else {
                place(table, feature, row);
            }
        }
        row
    }

    /// The values of all actions. Gains that do not change any more, those before `oldest`, become part of the weights.
    pub(super) fn settled_values(
        &mut self,
        counts: &[u32],
        gains: &[f64],
        oldest: usize,
        values: &mut [f64],
    ) {
        values.fill(0.0);
        match self.stride {
            4 => self.settled_sums::<4>(counts, gains, oldest, values),
            8 => self.settled_sums::<8>(counts, gains, oldest, values),
            20 => self.settled_sums::<20>(counts, gains, oldest, values),
            _ => self.settled_sums_of_any(counts, gains, oldest, values),
        }
    }

    fn settled_sums<const STRIDE: usize>(
        &mut self,
        counts: &[u32],
        gains: &[f64],
        oldest: usize,
        values: &mut [f64],
    ) {
        let Self { weights, marks, marked, found, .. } = self;
        let (weights, _) = weights.as_chunks_mut::<STRIDE>();
        let (marks, _) = marks.as_chunks::<STRIDE>();
        let counted = !counts.is_empty();
        for (block, rows) in found.chunks(BLOCK).enumerate() {
            let mut sums = [0.0_f32; STRIDE];
            for (place, &row) in rows.iter().enumerate() {
                let row = row as usize;
                let count = if counted { counts[block * BLOCK + place] as f32 } else { 1.0 };
                let mut bits = marked[row];
                while bits != 0 {
                    let action = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let mark = marks[row][action] as usize;
                    let gain = gains[mark];
                    if mark < oldest {
                        weights[row][action] += gain as f32;
                        marked[row] &= !(1 << action);
                    } else {
                        values[action] += gain * f64::from(count);
                    }
                }
                for (sum, weight) in sums.iter_mut().zip(&weights[row]) {
                    *sum += weight * count;
                }
            }
            for (value, sum) in values.iter_mut().zip(sums) {
                *value += f64::from(sum);
            }
        }
    }

    /// The same for numbers of actions that have no code of their own.
    fn settled_sums_of_any(&mut self, counts: &[u32], gains: &[f64], oldest: usize, values: &mut [f64]) {
        let Self { weights, marks, marked, found, stride, .. } = self;
        for (place, &row) in found.iter().enumerate() {
            let row = row as usize;
            let count = counts.get(place).map_or(1.0, |&count| f64::from(count));
            let weights = &mut weights[row * *stride..][..*stride];
            let marks = &marks[row * *stride..][..*stride];
            for (action, value) in values.iter_mut().enumerate() {
                if marked[row] >> action & 1 == 1 {
                    let mark = marks[action] as usize;
                    if mark < oldest {
                        weights[action] += gains[mark] as f32;
                        marked[row] &= !(1 << action);
                    } else {
                        *value += gains[mark] * count;
                    }
                }
                *value += f64::from(weights[action]) * count;
            }
        }
    }

    /// Sets the trace of `action` for the features that were looked up; the value of the action just before.
    pub(super) fn set_marks(
        &mut self,
        action: usize,
        mark: u32,
        counts: &[u32],
        gains: &[f64],
        clear_others: bool,
    ) -> f64 {
        let mut value = 0.0;
        let bit = 1 << action;
        for (place, &row) in self.found.iter().enumerate() {
            let row = row as usize;
            let first = row * self.stride;
            let marked = self.marked[row];
            let settled = if clear_others { marked } else { marked & bit };
            let mut bits = settled;
            while bits != 0 {
                let at = first + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.weights[at] += gains[self.marks[at] as usize] as f32;
            }
            self.marked[row] = marked & !settled | bit;
            self.marks[first + action] = mark;
            let count = counts.get(place).map_or(1.0, |&count| f64::from(count));
            value += f64::from(self.weights[first + action]) * count;
        }
        value
    }

    /// The values of all actions, and nothing is changed.
    pub(super) fn values(&self, active: Features<'_>, gains: &[f64], values: &mut [f64]) {
        values.fill(0.0);
        for (place, &feature) in active.indices.iter().enumerate() {
            let count = active.counts.get(place).map_or(1.0, |&count| f64::from(count));
            for (action, value) in values.iter_mut().enumerate() {
                *value += self.weight(feature, action, gains) * count;
            }
        }
    }

    pub(super) fn weight(&self, feature: u32, action: usize, gains: &[f64]) -> f64 {
        let Some(row) = self.row(feature) else {
            return 0.0;
        };
        let at = row as usize * self.stride + action;
        let gain =
            if self.marked[row as usize] >> action & 1 == 1 { gains[self.marks[at] as usize] } else { 0.0 };
        f64::from(self.weights[at]) + gain
    }

    /// Makes all gains part of the weights.
    pub(super) fn settle(&mut self, gains: &[f64]) {
        for (row, marked) in self.marked.iter_mut().enumerate() {
            while *marked != 0 {
                let at = row * self.stride + marked.trailing_zeros() as usize;
                *marked &= *marked - 1;
                self.weights[at] += gains[self.marks[at] as usize] as f32;
            }
        }
    }

    /// Number, feature, weights, bits and marks of every row that was ever touched.
    pub(super) fn touched(&self) -> impl Iterator<Item = (u32, &[f32], u32, &[u32])> {
        (0..self.marked.len()).filter_map(|row| {
            let range = row * self.stride..row * self.stride + self.actions;
            let (weights, marks) = (&self.weights[range.clone()], &self.marks[range]);
            let dense = matches!(self.slots, Slots::Dense);
            let feature = if dense { row as u32 } else { self.features[row] };
            let zero = dense && self.marked[row] == 0 && weights.iter().all(|weight| weight.to_bits() == 0);
            (!zero).then_some((feature, weights, self.marked[row], marks))
        })
    }

    /// Puts a row back that [`Rows::touched`] gave.
    pub(super) fn put(&mut self, feature: u32, weights: &[f32], marked: u32, marks: &[u32]) {
        let row = self.row(feature).unwrap_or_else(|| self.insert(feature)) as usize;
        let range = row * self.stride..row * self.stride + self.actions;
        self.weights[range.clone()].copy_from_slice(weights);
        self.marks[range].copy_from_slice(marks);
        self.marked[row] = marked;
    }
}

fn place(table: &mut [(u32, u32)], feature: u32, row: u32) {
    let mut slot = slot_of(feature, table.len());
    while table[slot].0 != EMPTY {
        slot = (slot + 1) & (table.len() - 1);
    }
    table[slot] = (feature, row);
}
