//! The stratified bootstrap of aggregates: a replicate draws trials with replacement within every game.

use rayon::prelude::*;

use crate::counter::{below, word};
use crate::strata::Strata;

/// An aggregate of normalised scores.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// Mean over games of the mean over trials.
    Mean,
    /// Median over games of the mean over trials.
    Median,
    /// Mean of the values between the quartiles: the lowest and the highest ⌊N/4⌋ are dropped.
    InterquartileMean,
    /// γ minus the mean of min(z, γ).
    OptimalityGap(f64),
    /// An Atari-k estimate, 10^(Σ c·log10(1 + max(0, z))) − 1, with one coefficient per game and z in percent.
    Estimate(Vec<f64>),
}

/// What a replicate redraws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The trials of every game.
    Trials,
    /// The trials, and the games as well: another question.
    Games,
}

/// The value of an aggregate for `count` replicates.
///
/// # Errors
/// The interquartile mean of games with different numbers of trials, or an estimate with a wrong number of
/// coefficients.
pub fn metric_replicates(
    strata: &Strata,
    metric: &Metric,
    count: usize,
    seed: u64,
    over: Over,
) -> Result<Vec<f64>, String> {
    match metric {
        Metric::InterquartileMean if !strata.is_matrix() => {
            return Err("the interquartile mean needs the same number of trials for every game".into());
        }
        Metric::Estimate(coefficients) if coefficients.len() != strata.games() => {
            return Err(format!("{} coefficients for {} games", coefficients.len(), strata.games()));
        }
        Metric::Estimate(_) if over == Over::Games => {
            return Err("an estimate needs its games as they are".into());
        }
        _ => {}
    }
    let ranked = Ranked::new(strata);
    let values = (0..count).into_par_iter().map_init(
        || Scratch::new(strata),
        |scratch, replicate| {
            scratch.draw(strata, &ranked, seed, replicate, over, metric);
            scratch.value(&ranked, metric)
        },
    );
    Ok(values.collect())
}

/// The scores from low to high, and the place of each.
struct Ranked {
    sorted: Vec<f64>,
    place: Vec<u32>,
}

impl Ranked {
    fn new(strata: &Strata) -> Self {
        let order = strata.order();
        let mut place = vec![0; order.len()];
        for (rank, &index) in order.iter().enumerate() {
            place[index] = rank as u32;
        }
        Self { sorted: order.iter().map(|&index| strata.values()[index]).collect(), place }
    }
}

/// The memory of a worker, used again for every replicate.
struct Scratch {
    /// How often each place was drawn: a replicate is sorted without sorting.
    counts: Vec<u32>,
    /// Mean of each game.
    means: Vec<f64>,
    /// The games of a replicate.
    games: Vec<u32>,
}

impl Scratch {
    fn new(strata: &Strata) -> Self {
        let games = (0..strata.games() as u32).collect();
        Self { counts: vec![0; strata.values().len()], means: vec![0.0; strata.games()], games }
    }

    fn draw(
        &mut self,
        strata: &Strata,
        ranked: &Ranked,
        seed: u64,
        replicate: usize,
        over: Over,
        metric: &Metric,
    ) {
        let number = strata.games();
        let mut times = vec![1_u32; if over == Over::Games { number } else { 0 }];
        if over == Over::Games {
            times.fill(0);
            for (place, game) in self.games.iter_mut().enumerate() {
                *game = below(word(seed.wrapping_add(2), (replicate * number + place) as u64), number) as u32;
                times[*game as usize] += 1;
            }
        }
        if *metric == Metric::InterquartileMean {
            self.counts.fill(0);
            strata.draw(seed, replicate, |game, value| {
                self.counts[ranked.place[value] as usize] += times.get(game).copied().unwrap_or(1);
            });
            return;
        }
        let ceiling = if let Metric::OptimalityGap(gamma) = metric { *gamma } else { f64::INFINITY };
        self.means.fill(0.0);
        strata.draw(seed, replicate, |game, value| self.means[game] += strata.values()[value].min(ceiling));
        for (game, mean) in self.means.iter_mut().enumerate() {
            *mean /= strata.of(game).len() as f64;
        }
        if over == Over::Games {
            let drawn: Vec<f64> = self.games.iter().map(|&game| self.means[game as usize]).collect();
            self.means = drawn;
        }
    }

    fn value(&mut self, ranked: &Ranked, metric: &Metric) -> f64 {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        match metric {
            Metric::Mean => mean(&self.means),
            Metric::Median => median(&mut self.means),
            Metric::InterquartileMean => trimmed_mean(&ranked.sorted, &self.counts),
            Metric::OptimalityGap(gamma) => gamma - mean(&self.means),
            Metric::Estimate(coefficients) => {
                let logs = self.means.iter().map(|z| (1.0 + z.max(0.0)).log10());
                10_f64.powf(logs.zip(coefficients).map(|(log, c)| c * log).sum()) - 1.0
            }
        }
    }
}

/// The median; an even count gives the mean of the middle two.
fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (low, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if low.len() == middle && values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

/// The mean of the values between the quartiles, from sorted values and how often each counts.
fn trimmed_mean(sorted: &[f64], counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let cut = total / 4;
    let (mut seen, mut sum) = (0, 0.0);
    for (value, &count) in sorted.iter().zip(counts) {
        let before = seen;
        seen += count;
        let taken = seen.min(total - cut).saturating_sub(before.max(cut));
        sum += value * taken as f64;
    }
    sum / (total - 2 * cut) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden() -> Strata {
        let games = [vec![0.1, 0.2, 0.4], vec![0.9, 1.1, 1.0], vec![2.0, 1.0, 5.0], vec![-0.2, 0.0, 0.1]];
        Strata::new(&games).expect("finite scores")
    }

    fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
        values.sort_by(f64::total_cmp);
        let h = (values.len() - 1) as f64 * q;
        let low = h.floor() as usize;
        values[low] + (h - h.floor()) * (values[(low + 1).min(values.len() - 1)] - values[low])
    }

    #[test]
    fn intervals_are_those_of_the_specification() {
        for (metric, low, high) in [
            (Metric::InterquartileMean, 0.533_333_333_3, 0.683_333_333_3),
            (Metric::Mean, 0.575, 1.533_333_333_3),
        ] {
            let values = metric_replicates(&golden(), &metric, 2000, 7, Over::Trials).expect("a matrix");
            assert!((quantile(values.clone(), 0.025) - low).abs() < 1e-9);
            assert!((quantile(values, 0.975) - high).abs() < 1e-9);
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        for metric in [Metric::Mean, Metric::Median, Metric::InterquartileMean, Metric::OptimalityGap(1.0)] {
            for over in [Over::Trials, Over::Games] {
                let run = |threads| {
                    crate::with_threads(threads, || metric_replicates(&golden(), &metric, 500, 3, over))
                        .expect("threads")
                        .expect("a matrix")
                };
                assert_eq!(run(1), run(3));
            }
        }
    }

    #[test]
    fn the_trimmed_mean_equals_sorting_and_cutting() {
        let sorted = [-1.0, 0.5, 0.5, 2.0, 7.0];
        for counts in [[1, 1, 1, 1, 1], [0, 3, 0, 2, 4], [2, 0, 0, 0, 1], [9, 1, 0, 0, 0]] {
            let mut all = Vec::new();
            for (value, &count) in sorted.iter().zip(&counts) {
                all.extend(std::iter::repeat_n(*value, count as usize));
            }
            let cut = all.len() / 4;
            let kept = &all[cut..all.len() - cut];
            let expected = kept.iter().sum::<f64>() / kept.len() as f64;
            assert!((trimmed_mean(&sorted, &counts) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn medians_of_even_and_odd_counts() {
        assert!((median(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-15);
        assert!((median(&mut [4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-15);
        assert!((median(&mut [4.0]) - 4.0).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        let ragged = Strata::new(&[vec![1.0], vec![1.0, 2.0]]).expect("finite scores");
        assert!(metric_replicates(&ragged, &Metric::InterquartileMean, 9, 0, Over::Trials).is_err());
        assert!(metric_replicates(&ragged, &Metric::Estimate(vec![1.0]), 9, 0, Over::Trials).is_err());
        assert!(Strata::new(&[]).is_err());
        assert!(Strata::new(&[vec![]]).is_err());
        assert!(Strata::new(&[vec![f64::NAN]]).is_err());
    }
}
