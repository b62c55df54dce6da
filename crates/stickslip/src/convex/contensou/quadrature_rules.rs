//! Points and weights on [0, 1].

use std::f64::consts::{FRAC_PI_2, PI};

/// Number of Gauss-Legendre points per regular panel.
pub(super) const GAUSS: usize = 16;

/// Gauss-Legendre points and weights on [0, 1], by Newton's method on the Legendre polynomial.
pub(super) fn gauss_legendre() -> [(f64, f64); GAUSS] {
    let n = GAUSS as f64;
    let mut rule = [(0.0, 0.0); GAUSS];
    for (k, point) in rule.iter_mut().enumerate() {
        let mut x = (PI * (k as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut p0, mut p1) = (1.0, x);
            for j in 2..=GAUSS {
                let j = j as f64;
                (p0, p1) = (p1, ((2.0 * j - 1.0) * x * p1 - (j - 1.0) * p0) / j);
            }
            slope = n * (x * p1 - p0) / (x * x - 1.0);
            x -= p1 / slope;
        }
        *point = (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope));
    }
    rule
}

/// Double-exponential (tanh-sinh) rule on [0, 1]; step and range reach round-off for
/// logarithmic and square-root singularities at the ends.
pub(super) fn double_exponential() -> Vec<(f64, f64, f64)> {
    const STEP: f64 = 0.0625;
    (-58_i32..=58)
        .map(|k| {
            let t = f64::from(k) * STEP;
            let s = FRAC_PI_2 * t.sinh();
            let from_left = 1.0 / (1.0 + (-2.0 * s).exp());
            let from_right = 1.0 / (1.0 + (2.0 * s).exp());
            let weight = STEP * PI * t.cosh() * from_left * from_right;
            (from_left, from_right, weight)
        })
        .collect()
}
