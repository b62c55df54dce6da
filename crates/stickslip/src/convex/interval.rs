//! The interval: forces with two limits, which may differ or be infinite.

use super::{ConvexSet, product};
use crate::range::require;
use serde::{Deserialize, Deserializer, Serialize};

/// C(s) = [s·lower, s·upper] with lower ≤ 0 ≤ upper: a brake that is stronger one way, a rope that
/// tears, a contact that adheres.
///
/// A bound may be infinite; it then does not scale, so that C(0) is the cone of the unbounded
/// directions, the limit s → 0. In files an infinite bound is `null` or left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end of C(1), at most 0, possibly −∞.
    #[serde(default = "minus_infinity", deserialize_with = "lower_bound")]
    pub lower: f64,
    /// Upper end of C(1), at least 0, possibly +∞.
    #[serde(default = "plus_infinity", deserialize_with = "upper_bound")]
    pub upper: f64,
}

fn minus_infinity() -> f64 {
    f64::NEG_INFINITY
}

fn plus_infinity() -> f64 {
    f64::INFINITY
}

fn lower_bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY))
}

fn upper_bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// A bound of C(scale).
fn scaled(scale: f64, bound: f64) -> f64 {
    if bound.is_infinite() { bound } else { scale * bound }
}

impl ConvexSet for Interval {
    fn dim(&self) -> usize {
        1
    }

    fn validate(&self) -> Result<(), String> {
        require(self.lower <= 0.0, "lower", self.lower, "at most 0")?;
        Ok(require(self.upper >= 0.0, "upper", self.upper, "at least 0")?)
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        x[0] = x[0].max(scaled(scale, self.lower)).min(scaled(scale, self.upper));
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        (d_x[0], d_scale[0]) = if x[0] < scaled(scale, self.lower) {
            (0.0, self.lower)
        } else if x[0] > scaled(scale, self.upper) {
            (0.0, self.upper)
        } else if scaled(scale, self.lower) == scaled(scale, self.upper) {
            // A point.
            (0.0, 0.0)
        } else {
            (1.0, 0.0)
        };
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let v = velocity[0];
        let bound = if v > 0.0 { self.upper } else { self.lower };
        if v == 0.0 { 0.0 } else { product(scaled(scale, bound), v) }
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let v = velocity[0];
        let bound = if v > 0.0 { self.upper } else { self.lower };
        out[0] = if v == 0.0 { 0.0 } else { scaled(scale, bound) };
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let bound = if x[0] > 0.0 { self.upper } else { self.lower };
        // A finite number over an infinite bound is 0, as it should be.
        if x[0] == 0.0 { 0.0 } else { (x[0] / bound).abs() }
    }
}
