//! Least squares of a few columns from their products: Cholesky's method on the stack.

/// The most columns of a model.
pub(crate) const MOST: usize = 16;
/// A pivot up to this means that the columns are linearly dependent.
const LEAST_PIVOT: f64 = 1e-12;

/// Solves `a·w = b` for a symmetric positive matrix, of which the lower triangle counts; `None` if it is degenerate.
///
/// The size is a constant, so that the loops are unrolled: 5 columns take a fifth of the time of a loop.
#[inline]
#[expect(clippy::needless_range_loop, reason = "indices are what the textbook shows")]
pub(crate) fn cholesky<const N: usize>(mut a: [[f64; N]; N], b: &[f64; N]) -> Option<[f64; N]> {
    let mut inverse = [0.0; N];
    for j in 0..N {
        let mut pivot = a[j][j];
        for k in 0..j {
            pivot -= a[j][k] * a[j][k];
        }
        if pivot <= LEAST_PIVOT {
            return None;
        }
        inverse[j] = 1.0 / pivot.sqrt();
        for i in j + 1..N {
            let mut value = a[i][j];
            for k in 0..j {
                value -= a[i][k] * a[j][k];
            }
            a[i][j] = value * inverse[j];
        }
    }
    let mut w = [0.0; N];
    for i in 0..N {
        let mut value = b[i];
        for k in 0..i {
            value -= a[i][k] * w[k];
        }
        w[i] = value * inverse[i];
    }
    for i in (0..N).rev() {
        let mut value = w[i];
        for k in i + 1..N {
            value -= a[k][i] * w[k];
        }
        w[i] = value * inverse[i];
    }
    Some(w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved_and_a_degenerate_one_refused() {
        let w = cholesky([[4.0, 0.0], [2.0, 3.0]], &[2.0, 5.0]).expect("positive");
        assert!((w[0] + 0.5).abs() < 1e-12 && (w[1] - 2.0).abs() < 1e-12);
        assert!(cholesky([[4.0, 0.0], [2.0, 1.0]], &[2.0, 5.0]).is_none());
    }
}
