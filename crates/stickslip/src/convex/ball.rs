//! The Euclidean ball in any dimension: isotropic Coulomb friction.

use super::{ConvexSet, at_least_one, product};
use crate::range::not_negative;
use serde::{Deserialize, Serialize};

/// C(s) = { x ∈ Rⁿ : |x| ≤ s·radius }: with s the normal percussion and the friction coefficient
/// as radius, Coulomb friction in one (interval) or two dimensions (friction disk).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Number of components n ≥ 1.
    pub dim: usize,
    /// Radius of C(1), finite and not negative.
    pub radius: f64,
}

/// Euclidean norm without overflow or underflow of the squares.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let sum: f64 = x.iter().map(|v| v * v).sum();
    if sum > 1e-280 && sum < 1e280 {
        return sum.sqrt();
    }
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * x.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// A divisor that makes the length of x harmless, and the length of x/divisor: the unit vector is
/// (x_i/divisor)/length, precise even where |x| itself is denormal or overflows.
fn safe_length(x: &[f64], length: f64) -> (f64, f64) {
    if length.is_normal() {
        return (1.0, length);
    }
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    (largest, x.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt())
}

impl ConvexSet for Ball {
    fn dim(&self) -> usize {
        self.dim
    }

    fn validate(&self) -> Result<(), String> {
        at_least_one(self.dim)?;
        Ok(not_negative("radius", self.radius)?)
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        let radius = scale * self.radius;
        let length = norm(x);
        if length > radius && length.is_normal() {
            let factor = radius / length;
            for v in x.iter_mut() {
                *v *= factor;
            }
        } else if length > radius {
            let (divisor, length) = safe_length(x, length);
            for v in x.iter_mut() {
                *v = *v / divisor * (radius / length);
            }
        }
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let n = self.dim;
        let radius = scale * self.radius;
        let length = norm(x);
        d_x.fill(0.0);
        if length <= radius {
            // A ball of radius 0 is a point: nothing moves along it, not even from within.
            if radius > 0.0 {
                for i in 0..n {
                    d_x[i * n + i] = 1.0;
                }
            }
            d_scale.fill(0.0);
            return;
        }
        // prox = radius e with e = x/|x|, so d prox = (radius/|x|)(I − e eᵀ) dx + e d(radius).
        let factor = radius / length;
        let (divisor, length) = safe_length(x, length);
        for i in 0..n {
            let e_i = x[i] / divisor / length;
            // 1 − e_i² as the sum of the others: without cancellation, and exactly 0 for n = 1.
            let mut others = 0.0;
            for j in 0..n {
                if j != i {
                    let e_j = x[j] / divisor / length;
                    others += e_j * e_j;
                    d_x[i * n + j] = -factor * e_i * e_j;
                }
            }
            d_x[i * n + i] = factor * others;
            d_scale[i] = self.radius * e_i;
        }
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        product(scale * self.radius, norm(velocity))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let length = norm(velocity);
        if length == 0.0 {
            out.fill(0.0);
            return;
        }
        let radius = scale * self.radius;
        let (divisor, length) = safe_length(velocity, length);
        for (o, v) in out.iter_mut().zip(velocity) {
            *o = radius * (v / divisor / length);
        }
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let length = norm(x);
        if length == 0.0 { 0.0 } else { length / self.radius }
    }
}
