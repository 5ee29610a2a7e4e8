//! How light it is: `1 - |cos(pi * (frac(step / 300) + 0.3))|^3`, each operation rounded on its own.
//!
//! Pictures depend on the last bit, so cosine and cube are computed in double-double arithmetic (a sum of two doubles,
//! 106 bits) and rounded once; no mathematical library of a platform is asked.

use std::sync::LazyLock;

/// Steps of a day.
const PERIOD: u64 = 300;
const TABLE: usize = 10_001;

/// The daylight of a step: 1 at noon, 0 at midnight.
pub fn daylight(step: u64) -> f64 {
    static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..TABLE as u64).map(compute).collect());
    VALUES.get(step as usize).copied().unwrap_or_else(|| compute(step))
}

fn compute(step: u64) -> f64 {
    let progress = (step as f64 / PERIOD as f64).fract() + 0.3;
    let cos = cosine(std::f64::consts::PI * progress).abs();
    1.0 - cube(cos)
}

/// An unevaluated sum of two doubles, the second below half a unit in the last place of the first.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }

    fn product(a: f64, b: f64) -> Self {
        let p = a * b;
        Self(p, a.mul_add(b, -p))
    }

    fn add(self, other: Self) -> Self {
        let Self(s, e) = Self::sum(self.0, other.0);
        Self::sum(s, e + self.1 + other.1)
    }

    fn mul(self, other: Self) -> Self {
        let Self(p, e) = Self::product(self.0, other.0);
        Self::sum(p, e + (self.0 * other.1 + self.1 * other.0))
    }

    fn div(self, divisor: f64) -> Self {
        let q = self.0 / divisor;
        let Self(p, e) = Self::product(q, divisor);
        Self::sum(q, ((self.0 - p) - e + self.1) / divisor)
    }
}

/// The cosine, correctly rounded, of an argument in 0 to 6.
fn cosine(x: f64) -> f64 {
    const PI: Double = Double(std::f64::consts::PI, 1.224_646_799_147_353_2e-16);
    // Distance to the nearest multiple of pi; the sign is left out, since only the absolute value is used.
    let turns = (x / PI.0).round();
    let multiple = PI.mul(Double(-turns, 0.0));
    let r = Double(x, 0.0).add(multiple);
    let square = r.mul(r);
    // 1 - r^2/2! + r^4/4! - ...: |r| is at most pi/2, so 20 terms leave less than 1e-39.
    let (mut sum, mut term) = (Double(1.0, 0.0), Double(1.0, 0.0));
    for n in 1..=20 {
        let Double(a, b) = term.mul(square).div(f64::from((2 * n - 1) * (2 * n)));
        term = Double(-a, -b);
        sum = sum.add(term);
    }
    sum.0
}

fn cube(x: f64) -> f64 {
    Double::product(x, x).mul(Double(x, 0.0)).0
}
