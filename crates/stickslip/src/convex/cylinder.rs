//! The cylinder disk × interval: sliding and drilling friction without coupling.

use super::{Ball, ConvexSet, product};
use crate::range::not_negative;
use serde::{Deserialize, Serialize};

/// C(s) = { (x, y, z) : |(x, y)| ≤ s·radius, |z| ≤ s·half_height }: the crudest approximation of
/// Coulomb-Contensou friction (Möller 2009, eq. 54), radius μ and half height μ R̄.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius of C(1), finite and not negative.
    pub radius: f64,
    /// Half of the height of C(1), finite and not negative.
    pub half_height: f64,
}

impl Cylinder {
    fn disk(&self) -> Ball {
        Ball { dim: 2, radius: self.radius }
    }

    fn interval(&self) -> Ball {
        Ball { dim: 1, radius: self.half_height }
    }
}

impl ConvexSet for Cylinder {
    fn dim(&self) -> usize {
        3
    }

    fn validate(&self) -> Result<(), String> {
        not_negative("radius", self.radius)?;
        Ok(not_negative("half_height", self.half_height)?)
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        let (tangential, torque) = x.split_at_mut(2);
        self.disk().prox(scale, tangential);
        self.interval().prox(scale, torque);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let mut disk = [0.0; 4];
        self.disk().prox_derivative(scale, &x[..2], &mut disk, &mut d_scale[..2]);
        let mut height = [0.0; 1];
        self.interval().prox_derivative(scale, &x[2..], &mut height, &mut d_scale[2..]);
        d_x.copy_from_slice(&[disk[0], disk[1], 0.0, disk[2], disk[3], 0.0, 0.0, 0.0, height[0]]);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let sum =
            self.disk().support(1.0, &velocity[..2]) + self.interval().support(1.0, &velocity[2..]);
        product(scale, sum)
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        self.disk().support_point(scale, &velocity[..2], &mut out[..2]);
        self.interval().support_point(scale, &velocity[2..], &mut out[2..]);
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        self.disk().gauge(&x[..2]).max(self.interval().gauge(&x[2..]))
    }
}
