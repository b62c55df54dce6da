//! The whole space: bilateral constraints.

use super::{ConvexSet, at_least_one};
use serde::{Deserialize, Serialize};

/// All of Rⁿ, a cone: the force of an ideal joint takes any value and the velocity vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeSpace {
    /// Number of components n ≥ 1.
    pub dim: usize,
}

impl ConvexSet for FreeSpace {
    fn dim(&self) -> usize {
        self.dim
    }

    fn validate(&self) -> Result<(), String> {
        Ok(at_least_one(self.dim)?)
    }

    fn prox(&self, _scale: f64, _x: &mut [f64]) {}

    fn prox_derivative(&self, _scale: f64, _x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        d_x.fill(0.0);
        for i in 0..self.dim {
            d_x[i * self.dim + i] = 1.0;
        }
        d_scale.fill(0.0);
    }

    fn support(&self, _scale: f64, velocity: &[f64]) -> f64 {
        if velocity.iter().any(|v| *v != 0.0) { f64::INFINITY } else { 0.0 }
    }

    fn support_point(&self, _scale: f64, velocity: &[f64], out: &mut [f64]) {
        for (o, v) in out.iter_mut().zip(velocity) {
            *o = if *v == 0.0 { 0.0 } else { f64::INFINITY.copysign(*v) };
        }
    }

    fn gauge(&self, _x: &[f64]) -> f64 {
        0.0
    }
}
