//! Replicates of performance profiles and of the probability of improvement.

use rayon::prelude::*;

use crate::strata::Strata;

/// For each replicate and each τ the share of scores above it (or at least it); games weigh equally.
///
/// `by_game` counts games by the mean of their trials instead of single trials. Row after row, one per replicate.
pub fn profile_replicates(
    strata: &Strata,
    taus: &[f64],
    at_least: bool,
    by_game: bool,
    count: usize,
    seed: u64,
) -> Vec<f64> {
    let passes = |value: f64, tau: f64| if at_least { value >= tau } else { value > tau };
    // How many of the sorted τ a score passes; a suffix sum turns these counts into shares.
    let mut order: Vec<usize> = (0..taus.len()).collect();
    order.sort_by(|&a, &b| taus[a].total_cmp(&taus[b]));
    let passed = |value: f64| order.partition_point(|&index| passes(value, taus[index]));
    let places: Vec<usize> = strata.values().iter().map(|&value| passed(value)).collect();
    let games = strata.games();
    let rows = (0..count).into_par_iter().map_init(
        || (vec![0.0; taus.len() + 1], vec![0.0; games]),
        |(weights, sums), replicate| {
            weights.fill(0.0);
            if by_game {
                sums.fill(0.0);
                strata.draw(seed, replicate, |game, value| sums[game] += strata.values()[value]);
                for (game, sum) in sums.iter().enumerate() {
                    weights[passed(sum / strata.of(game).len() as f64)] += 1.0;
                }
            } else {
                strata.draw(seed, replicate, |game, value| {
                    weights[places[value]] += 1.0 / strata.of(game).len() as f64;
                });
            }
            let mut row = vec![0.0; taus.len()];
            let mut above = 0.0;
            for place in (0..taus.len()).rev() {
                above += weights[place + 1];
                row[order[place]] = above / games as f64;
            }
            row
        },
    );
    rows.collect::<Vec<_>>().concat()
}

/// The probability that X improves on Y for each replicate: per game over all pairs of trials, ½ for a tie. Both sides
/// are drawn independently, Y with the next seed.
///
/// # Errors
/// The two sides have different numbers of games.
pub fn improvement_replicates(x: &Strata, y: &Strata, count: usize, seed: u64) -> Result<Vec<f64>, String> {
    if x.games() != y.games() {
        return Err(format!("{} games against {}", x.games(), y.games()));
    }
    let values = (0..count).into_par_iter().map_init(
        || (vec![Vec::new(); x.games()], vec![Vec::new(); y.games()]),
        |(left, right), replicate| {
            for (side, strata, seed) in [(&mut *left, x, seed), (&mut *right, y, seed.wrapping_add(1))] {
                side.iter_mut().for_each(Vec::clear);
                strata.draw(seed, replicate, |game, value| side[game].push(strata.values()[value]));
            }
            let share = |(a, b): (&Vec<f64>, &Vec<f64>)| {
                let wins: f64 = a.iter().flat_map(|v| b.iter().map(move |w| win(*v, *w))).sum();
                wins / (a.len() * b.len()) as f64
            };
            left.iter().zip(&*right).map(share).sum::<f64>() / left.len() as f64
        },
    );
    Ok(values.collect())
}

/// 1 for a higher score, ½ for a tie.
fn win(x: f64, y: f64) -> f64 {
    match x.partial_cmp(&y) {
        Some(std::cmp::Ordering::Greater) => 1.0,
        Some(std::cmp::Ordering::Equal) => 0.5,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(games: &[Vec<f64>]) -> Strata {
        Strata::new(games).expect("finite scores")
    }

    #[test]
    fn a_profile_counts_ties_only_when_asked_to() {
        let constant = strata(&[vec![0.5, 0.5], vec![1.0, 1.0]]);
        let taus = [1.0, 0.5, 0.0];
        assert_eq!(profile_replicates(&constant, &taus, false, false, 1, 0), [0.0, 0.5, 1.0]);
        assert_eq!(profile_replicates(&constant, &taus, true, false, 1, 0), [0.5, 1.0, 1.0]);
        assert_eq!(profile_replicates(&constant, &taus, true, true, 1, 0), [0.5, 1.0, 1.0]);
    }

    #[test]
    fn improvement_over_itself_is_a_half_for_constants() {
        let constant = strata(&[vec![0.5, 0.5], vec![1.0, 1.0]]);
        assert_eq!(improvement_replicates(&constant, &constant, 2, 9).expect("same games"), [0.5, 0.5]);
        assert!(improvement_replicates(&constant, &strata(&[vec![1.0]]), 2, 9).is_err());
    }
}
