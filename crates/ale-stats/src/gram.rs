//! Which rows a subset of columns has, and the products of all columns over these rows.
//!
//! A column's missing values are a pattern of bits; a subset's rows are the AND of its patterns. Few different row sets
//! occur, so that the products are computed once per row set and fold.

use std::collections::HashMap;

use rayon::prelude::*;

/// The most memory that the tables of all row sets may take.
const MOST_BYTES: usize = 2 << 30;

/// A set of rows as bits.
type Bits = Vec<u64>;

/// All row sets that can occur, and how they follow from each other.
#[derive(Debug)]
pub(crate) struct RowSets {
    /// The pattern of each column.
    pattern: Vec<usize>,
    /// `next[set * patterns + pattern]`: the rows of a set that have this pattern, too.
    next: Vec<usize>,
    patterns: usize,
    sets: Vec<Bits>,
}

impl RowSets {
    /// The row sets of columns with missing values (`NaN`). Set 0 has all rows.
    pub(crate) fn new(columns: &[Vec<f64>], rows: usize) -> Result<Self, String> {
        let mut patterns: Vec<Bits> = Vec::new();
        let pattern = columns.iter().map(|column| {
            let mut bits = vec![0; rows.div_ceil(64)];
            for (row, _) in column.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                bits[row / 64] |= 1 << (row % 64);
            }
            patterns.iter().position(|known| *known == bits).unwrap_or_else(|| {
                patterns.push(bits);
                patterns.len() - 1
            })
        });
        let pattern: Vec<usize> = pattern.collect();
        let mut all = vec![0; rows.div_ceil(64)];
        (0..rows).for_each(|row| all[row / 64] |= 1 << (row % 64));
        let (mut sets, mut next) = (vec![all.clone()], Vec::new());
        let mut known = HashMap::from([(all, 0)]);
        let per_set = 11 * 8 * (columns.len() + 1) * (columns.len() + 1);
        let mut at = 0;
        while at < sets.len() {
            for bits in &patterns {
                let both: Bits = sets[at].iter().zip(bits).map(|(a, b)| a & b).collect();
                let id = *known.entry(both).or_insert_with_key(|both| {
                    sets.push(both.clone());
                    sets.len() - 1
                });
                next.push(id);
            }
            if sets.len() * per_set > MOST_BYTES {
                return Err(format!(
                    "the games are missing in more than {} different sets of algorithms; leave out games or algorithms \
                     with many missing scores",
                    sets.len()
                ));
            }
            at += 1;
        }
        Ok(Self { pattern, next, patterns: patterns.len(), sets })
    }

    /// The rows of a set that have a column, too.
    #[inline]
    pub(crate) fn with(&self, set: usize, column: usize) -> usize {
        self.next[set * self.patterns + self.pattern[column]]
    }

    /// The rows of a set.
    pub(crate) fn rows(&self, set: usize) -> Vec<usize> {
        let bits = &self.sets[set];
        (0..bits.len() * 64).filter(|row| bits[row / 64] >> (row % 64) & 1 == 1).collect()
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }
}

/// Products of all columns and the target over the rows of one set: lower triangles.
#[derive(Debug)]
pub(crate) struct Gram {
    /// Over all rows.
    pub(crate) whole: Vec<f64>,
    /// Over the rows of each fold.
    pub(crate) folds: Vec<Vec<f64>>,
    /// Rows of each fold.
    pub(crate) sizes: Vec<usize>,
    /// The rows with their folds.
    pub(crate) rows: Vec<(usize, usize)>,
}

impl Gram {
    /// The tables of every set; `None` for sets with too few rows. The target is the last column.
    pub(crate) fn tables(
        sets: &RowSets,
        columns: &[Vec<f64>],
        target: &[f64],
        folds: &[Vec<usize>],
    ) -> Vec<Option<Self>> {
        (0..sets.len())
            .into_par_iter()
            .map(|set| {
                let rows = sets.rows(set);
                let fold_of = folds.get(rows.len()).filter(|fold| !fold.is_empty())?;
                Some(Self::new(&rows, fold_of, columns, target))
            })
            .collect()
    }

    fn new(rows: &[usize], fold_of: &[usize], columns: &[Vec<f64>], target: &[f64]) -> Self {
        let count = fold_of.iter().max().map_or(0, |last| last + 1);
        let width = columns.len() + 1;
        let mut folds = vec![vec![0.0; width * width]; count];
        let mut sizes = vec![0; count];
        let mut values = vec![0.0; width];
        for (&row, &fold) in rows.iter().zip(fold_of) {
            sizes[fold] += 1;
            values[width - 1] = target[row];
            columns.iter().zip(&mut values).for_each(|(column, value)| *value = column[row]);
            for (i, line) in folds[fold].chunks_exact_mut(width).enumerate() {
                // Columns that are missing in this row are never asked for with this set.
                line[..=i].iter_mut().zip(&values).for_each(|(sum, other)| *sum += values[i] * other);
            }
        }
        let mut whole = vec![0.0; width * width];
        for fold in &folds {
            whole.iter_mut().zip(fold).for_each(|(sum, part)| *sum += part);
        }
        Self { whole, folds, sizes, rows: rows.iter().copied().zip(fold_of.iter().copied()).collect() }
    }
}
