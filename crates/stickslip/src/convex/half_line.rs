//! The half line [0, ∞): unilateral contact (Signorini).

use super::ConvexSet;
use serde::{Deserialize, Serialize};

/// The half line [0, ∞), a cone: the normal force of a unilateral contact pushes and never pulls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HalfLine;

impl ConvexSet for HalfLine {
    fn dim(&self) -> usize {
        1
    }

    fn validate(&self) -> Result<(), String> {
        Ok(())
    }

    fn prox(&self, _scale: f64, x: &mut [f64]) {
        x[0] = x[0].max(0.0);
    }

    fn prox_derivative(&self, _scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        d_x[0] = if x[0] > 0.0 { 1.0 } else { 0.0 };
        d_scale[0] = 0.0;
    }

    fn support(&self, _scale: f64, velocity: &[f64]) -> f64 {
        if velocity[0] > 0.0 { f64::INFINITY } else { 0.0 }
    }

    fn support_point(&self, _scale: f64, velocity: &[f64], out: &mut [f64]) {
        out[0] = if velocity[0] > 0.0 { f64::INFINITY } else { 0.0 };
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        if x[0] < 0.0 { f64::INFINITY } else { 0.0 }
    }
}
