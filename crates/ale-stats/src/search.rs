//! The subset of columns whose linear model without intercept predicts a target best under cross-validation.
//!
//! Exhaustive: every subset is solved from precomputed products. A bound spares most of the cross-validation:
//! out-of-fold residuals are (I − H)⁻¹ times in-sample ones with eigenvalues of I − H in (0, 1], so that the mean of the
//! fold means is at least SSE / (folds · largest fold).

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::gram::{Gram, RowSets};
use crate::solve::{MOST, cholesky};

/// What ranks subsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean over folds of the mean squared error on the fold left out.
    CrossValidatedSquares,
    /// Mean over folds of the mean absolute error on the fold left out.
    CrossValidatedAbsolute,
    /// Mean squared error on the rows that the model was fitted to.
    InSample,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// One column per game, one value per algorithm; `NaN` for a missing one.
    pub columns: &'a [Vec<f64>],
    /// The target of each algorithm.
    pub target: &'a [f64],
    /// `folds[n]`: the fold of each of n rows; empty where n rows are too few.
    pub folds: &'a [Vec<usize>],
    /// Columns to choose from, in the order that breaks ties.
    pub pool: &'a [usize],
    /// Columns that every subset has.
    pub always: &'a [usize],
    /// How many columns to choose from the pool.
    pub choose: usize,
    /// Whether a subset needs coefficients of at least 0.
    pub non_negative: bool,
    /// What ranks subsets.
    pub measure: Measure,
    /// How many of the best subsets to return.
    pub keep: usize,
}

/// A subset that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its columns: those chosen, then those that are always there.
    pub columns: Vec<usize>,
    /// The measure that ranked it.
    pub error: f64,
}

/// The best subsets, the best first, and how many were solved and how many passed the sign rule.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best subsets.
    pub best: Vec<Found>,
    /// Subsets that there are.
    pub subsets: u64,
    /// Subsets whose coefficients are all at least 0.
    pub non_negative: u64,
}

/// Searches all subsets. The result is the same for any number of threads; ties go to the subset that comes first.
///
/// # Errors
/// The search makes no sense, or its tables would not fit.
pub fn search(what: &Search<'_>) -> Result<Outcome, String> {
    check(what)?;
    // Only the columns that can occur, in the order of subsets: products need their lower triangles only.
    let used = || what.pool.iter().chain(what.always);
    let columns: Vec<Vec<f64>> = used().map(|&column| what.columns[column].clone()).collect();
    let sets = RowSets::new(&columns, what.target.len())?;
    let tables = Gram::tables(&sets, &columns, what.target, what.folds);
    let limit = AtomicU64::new(f64::INFINITY.to_bits());
    let tables = Tables { what, columns: &columns, sets: &sets, grams: &tables, limit: &limit };
    macro_rules! by_size {
        ($($size:literal)*) => {
            match what.choose + what.always.len() {
                $($size => run::<$size>(&tables),)*
                size => unreachable!("{size} games were refused"),
            }
        };
    }
    let (best, subsets, non_negative) = by_size!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    let names = |chosen: &[usize]| {
        chosen.iter().map(|&place| what.pool[place]).chain(what.always.iter().copied()).collect()
    };
    let best = best.into_iter().map(|(error, chosen)| Found { columns: names(&chosen), error }).collect();
    Ok(Outcome { best, subsets, non_negative })
}

/// What all workers share.
struct Tables<'a> {
    what: &'a Search<'a>,
    /// The columns of the pool, then those that are always there.
    columns: &'a [Vec<f64>],
    sets: &'a RowSets,
    grams: &'a [Option<Gram>],
    /// No subset with a larger error can be among the best: bits of a float that is at least 0.
    limit: &'a AtomicU64,
}

/// The best subsets (error and places in the pool), all subsets, those that pass the sign rule.
type Ranked = (Vec<(f64, Vec<usize>)>, u64, u64);

fn run<const N: usize>(tables: &Tables<'_>) -> Ranked {
    let Tables { what, sets, .. } = tables;
    let pool = what.pool.len();
    let start = (pool..pool + what.always.len()).fold(0, |set, column| sets.with(set, column));
    // Tasks are the choices of the first two columns: enough of them for any number of threads.
    let mut tasks = Vec::new();
    combinations(pool, what.choose.min(2), &mut |chosen| tasks.push(chosen.to_vec()));
    let parts = tasks.par_iter().map(|first| {
        let mut columns = [0; N];
        for (place, column) in columns[what.choose..].iter_mut().enumerate() {
            *column = pool + place;
        }
        let mut worker = Worker::<N> { tables, best: Vec::new(), columns, subsets: 0, non_negative: 0 };
        worker.columns[..first.len()].copy_from_slice(first);
        let set = first.iter().fold(start, |set, &column| sets.with(set, column));
        worker.descend(set, first.len(), first.last().map_or(0, |last| last + 1));
        (worker.best, worker.subsets, worker.non_negative)
    });
    let empty = || (Vec::new(), 0, 0);
    let (mut best, subsets, non_negative) = parts.reduce(empty, |mut a, b| {
        a.0.extend(b.0);
        rank(&mut a.0, what.keep);
        (a.0, a.1 + b.1, a.2 + b.2)
    });
    rank(&mut best, what.keep);
    (best, subsets, non_negative)
}

fn check(what: &Search<'_>) -> Result<(), String> {
    let rows = what.target.len();
    let size = what.choose + what.always.len();
    if size == 0 || size > MOST {
        return Err(format!("a subset of {size} games; from 1 to {MOST} are possible"));
    }
    if what.choose > what.pool.len() {
        return Err(format!("{} games to choose from {}", what.choose, what.pool.len()));
    }
    if what.keep == 0 {
        return Err("no subset is to be kept".into());
    }
    if what.columns.iter().any(|column| column.len() != rows) || what.folds.len() != rows + 1 {
        return Err("columns, target and folds have different lengths".into());
    }
    if what.target.iter().chain(what.columns.iter().flatten()).any(|value| value.is_infinite())
        || what.target.iter().any(|value| value.is_nan())
    {
        return Err("values must be finite".into());
    }
    let mut seen = vec![false; what.columns.len()];
    for &column in what.pool.iter().chain(what.always) {
        if column >= seen.len() || std::mem::replace(&mut seen[column], true) {
            return Err(format!("game {column} is listed twice or does not exist"));
        }
    }
    if what.folds.iter().enumerate().any(|(n, fold)| !fold.is_empty() && fold.len() != n) {
        return Err("a list of folds has the wrong length".into());
    }
    if let Some(fold) = what.folds.iter().find_map(|folds| folds.iter().find(|fold| **fold >= folds.len())) {
        return Err(format!("fold {fold} is not below the number of rows"));
    }
    Ok(())
}

/// All combinations of `depth` numbers below `n`, in lexicographic order.
fn combinations(n: usize, depth: usize, take: &mut impl FnMut(&[usize])) {
    fn descend(n: usize, depth: usize, chosen: &mut Vec<usize>, take: &mut impl FnMut(&[usize])) {
        if chosen.len() == depth {
            return take(chosen);
        }
        for place in chosen.last().map_or(0, |last| last + 1)..n {
            chosen.push(place);
            descend(n, depth, chosen, take);
            chosen.pop();
        }
    }
    descend(n, depth, &mut Vec::new(), take);
}

/// Sorts by error, then by the order of the pool, and cuts.
fn rank(best: &mut Vec<(f64, Vec<usize>)>, keep: usize) {
    best.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    best.truncate(keep);
}

struct Worker<'a, const N: usize> {
    tables: &'a Tables<'a>,
    best: Vec<(f64, Vec<usize>)>,
    /// The subset that is looked at: columns of the pool in rising order, then those that are always there.
    columns: [usize; N],
    subsets: u64,
    non_negative: u64,
}

impl<const N: usize> Worker<'_, N> {
    fn descend(&mut self, set: usize, chosen: usize, from: usize) {
        let what = self.tables.what;
        if chosen == what.choose {
            self.solve(set);
            return;
        }
        for place in from..=what.pool.len() - (what.choose - chosen) {
            self.columns[chosen] = place;
            self.descend(self.tables.sets.with(set, place), chosen + 1, place + 1);
        }
    }

    fn solve(&mut self, set: usize) {
        self.subsets += 1;
        let what = self.tables.what;
        let Some(gram) = &self.tables.grams[set] else { return };
        let width = self.tables.columns.len() + 1;
        let (a, b) = gather(&gram.whole, width, &self.columns);
        let Some(w) = cholesky(a, &b) else { return };
        if w.iter().all(|&coefficient| coefficient >= 0.0) {
            self.non_negative += 1;
        } else if what.non_negative {
            return;
        }
        let limit = f64::from_bits(self.tables.limit.load(Ordering::Relaxed));
        let squares = gram.whole[width * width - 1] - w.iter().zip(&b).map(|(w, b)| w * b).sum::<f64>();
        let error = match what.measure {
            Measure::InSample => squares / gram.rows.len() as f64,
            Measure::CrossValidatedSquares => {
                let largest = gram.sizes.iter().copied().max().unwrap_or(1);
                // A relative slack, so that rounding never drops a subset that ties with the best.
                if squares / (gram.sizes.len() * largest) as f64 > limit * (1.0 + 1e-9) {
                    return;
                }
                cross_validate(gram, width, &self.columns, limit)
            }
            Measure::CrossValidatedAbsolute => self.absolute(gram, width),
        };
        if error <= limit {
            // Rounding can make the error of a perfect fit negative.
            self.take(error.max(0.0));
        }
    }

    fn take(&mut self, error: f64) {
        let Tables { what, limit, .. } = self.tables;
        self.best.push((error, self.columns[..what.choose].to_vec()));
        rank(&mut self.best, what.keep);
        if self.best.len() == what.keep {
            limit.fetch_min(self.best[what.keep - 1].0.to_bits(), Ordering::Relaxed);
        }
    }

    /// Mean over folds of the mean absolute error, row by row.
    fn absolute(&self, gram: &Gram, width: usize) -> f64 {
        let Tables { what, columns, .. } = self.tables;
        let mut sum = 0.0;
        for (fold, table) in gram.folds.iter().enumerate() {
            let Some(w) = without(gram, table, width, &self.columns) else { return f64::INFINITY };
            let mut errors = 0.0;
            for &(row, _) in gram.rows.iter().filter(|(_, own)| *own == fold) {
                let predicted: f64 = self.columns.iter().zip(&w).map(|(&c, w)| columns[c][row] * w).sum();
                errors += (what.target[row] - predicted).abs();
            }
            sum += errors / gram.sizes[fold] as f64;
        }
        sum / gram.folds.len() as f64
    }
}

/// Products of some columns with each other and with the target, which is the last line of the table.
#[inline]
fn gather<const N: usize>(table: &[f64], width: usize, columns: &[usize; N]) -> ([[f64; N]; N], [f64; N]) {
    let (mut a, mut b) = ([[0.0; N]; N], [0.0; N]);
    let last = &table[(width - 1) * width..];
    for i in 0..N {
        let line = &table[columns[i] * width..(columns[i] + 1) * width];
        for j in 0..=i {
            a[i][j] = line[columns[j]];
        }
        b[i] = last[columns[i]];
    }
    (a, b)
}

/// The coefficients of the model fitted without a fold.
fn without<const N: usize>(
    gram: &Gram,
    fold: &[f64],
    width: usize,
    columns: &[usize; N],
) -> Option<[f64; N]> {
    let (mut a, mut b) = gather(&gram.whole, width, columns);
    let (less, fewer) = gather(fold, width, columns);
    for i in 0..N {
        for j in 0..=i {
            a[i][j] -= less[i][j];
        }
        b[i] -= fewer[i];
    }
    cholesky(a, &b)
}

/// Mean over folds of the mean squared error; infinite as soon as it exceeds the limit.
fn cross_validate<const N: usize>(gram: &Gram, width: usize, columns: &[usize; N], limit: f64) -> f64 {
    let folds = gram.folds.len() as f64;
    let most = limit * folds * (1.0 + 1e-9);
    let mut sum = 0.0;
    for (fold, size) in gram.folds.iter().zip(&gram.sizes) {
        let Some(w) = without(gram, fold, width, columns) else { return f64::INFINITY };
        let (a, b) = gather(fold, width, columns);
        let mut error = fold[width * width - 1];
        for i in 0..N {
            let mixed: f64 = (0..i).map(|j| a[i][j] * w[j]).sum();
            error += w[i] * (a[i][i] * w[i] + 2.0 * (mixed - b[i]));
        }
        sum += error / *size as f64;
        if sum > most {
            return f64::INFINITY;
        }
    }
    sum / folds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty rows, seven columns, some values missing.
    fn table() -> (Vec<Vec<f64>>, Vec<f64>, Vec<Vec<usize>>) {
        let value = |i: u64| (crate::counter::word(5, i) >> 40) as f64 / (1 << 24) as f64;
        let columns: Vec<Vec<f64>> = (0..7)
            .map(|c| {
                (0..40).map(|r| if (r * 7 + c) % 11 == 3 { f64::NAN } else { value(r * 7 + c) }).collect()
            })
            .collect();
        let target = (0..40).map(|r| value(1000 + r) + 0.5 * value(r * 7)).collect();
        let folds = (0..=40).map(|n| if n < 8 { vec![] } else { (0..n).map(|i| i % 4).collect() }).collect();
        (columns, target, folds)
    }

    fn what<'a>(
        parts: &'a (Vec<Vec<f64>>, Vec<f64>, Vec<Vec<usize>>),
        pool: &'a [usize],
        measure: Measure,
    ) -> Search<'a> {
        let (columns, target, folds) = parts;
        Search {
            columns,
            target,
            folds,
            pool,
            always: &[],
            choose: 3,
            non_negative: false,
            measure,
            keep: 35,
        }
    }

    #[test]
    fn the_bound_drops_nothing_that_would_have_been_kept() {
        let parts = table();
        let pool = [0, 1, 2, 3, 4, 5, 6];
        for measure in [Measure::CrossValidatedSquares, Measure::CrossValidatedAbsolute, Measure::InSample] {
            let all = search(&what(&parts, &pool, measure)).expect("a search");
            assert_eq!((all.subsets, all.best.len()), (35, 35));
            let few = search(&Search { keep: 4, ..what(&parts, &pool, measure) }).expect("a search");
            assert_eq!(few.best[..], all.best[..4]);
            let one = crate::with_threads(1, || search(&Search { keep: 1, ..what(&parts, &pool, measure) }));
            assert_eq!(one.expect("a thread").expect("a search").best[..], all.best[..1]);
        }
    }

    #[test]
    fn searches_that_make_no_sense_are_refused() {
        let parts = table();
        let pool = [0, 1, 2, 3, 4, 5, 6];
        let good = what(&parts, &pool, Measure::InSample);
        for bad in [
            Search { choose: 8, ..good.clone() },
            Search { choose: 0, ..good.clone() },
            Search { always: &[0], ..good.clone() },
            Search { always: &[9], ..good.clone() },
            Search { keep: 0, ..good.clone() },
            Search { folds: &parts.2[1..], ..good.clone() },
            Search { target: &parts.1[1..], ..good.clone() },
        ] {
            assert!(search(&bad).is_err());
        }
    }

    #[test]
    fn all_combinations_come_in_order() {
        let mut found = Vec::new();
        combinations(4, 2, &mut |chosen| found.push(chosen.to_vec()));
        assert_eq!(found, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }
}
