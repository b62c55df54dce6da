//! The ellipse with its own principal axes: orthotropic Coulomb friction.

use super::ball::norm;
use super::rotated::RotatedEllipsoid;
use super::secular::{FLAT, MAX_DIM};
use super::{Ball, ConvexSet, not_negative, product};
use serde::{Deserialize, Serialize};

/// C(s): an ellipse in the plane, with semi-axis s·friction\[0\] along the unit vector `axis` and
/// s·friction\[1\] across it. Wood along and across the grain, a tyre, a skate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OrthotropicRecord", into = "OrthotropicRecord")]
pub struct OrthotropicEllipse {
    friction: [f64; 2],
    axis: [f64; 2],
}

/// How files name an orthotropic ellipse.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrthotropicRecord {
    friction: [f64; 2],
    axis: [f64; 2],
}

impl TryFrom<OrthotropicRecord> for OrthotropicEllipse {
    type Error = String;
    fn try_from(record: OrthotropicRecord) -> Result<Self, String> {
        Self::new(record.friction, record.axis)
    }
}

impl From<OrthotropicEllipse> for OrthotropicRecord {
    fn from(set: OrthotropicEllipse) -> Self {
        OrthotropicRecord { friction: set.friction, axis: set.axis }
    }
}

impl OrthotropicEllipse {
    /// Ellipse with the friction coefficients along and across `axis`, a vector of any length
    /// except 0.
    pub fn new(friction: [f64; 2], axis: [f64; 2]) -> Result<Self, String> {
        let largest = axis[0].abs().max(axis[1].abs());
        if !(axis.iter().all(|v| v.is_finite()) && largest > 0.0) {
            return Err(format!("axis is {axis:?}, it must be finite and not zero"));
        }
        // A vector that is already of unit length stays what it is to the last bit, so that
        // saved problems read back equal.
        let length = norm(&axis);
        let axis = if (length - 1.0).abs() <= 2.0 * f64::EPSILON {
            axis
        } else {
            let rough = axis.map(|v| v / largest);
            rough.map(|v| v / norm(&rough))
        };
        let set = Self { friction, axis };
        set.validate()?;
        Ok(set)
    }

    /// The ellipse with both coefficients multiplied.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self { friction: self.friction.map(|f| factor * f), ..*self }
    }

    /// Friction coefficients along and across the axis.
    pub fn friction(&self) -> [f64; 2] {
        self.friction
    }

    /// Unit vector of the first principal axis.
    pub fn axis(&self) -> [f64; 2] {
        self.axis
    }

    fn kernel(&self) -> RotatedEllipsoid {
        let [c, s] = self.axis;
        let mut rotation = [[0.0; MAX_DIM]; MAX_DIM];
        rotation[0][..2].copy_from_slice(&[c, -s]);
        rotation[1][..2].copy_from_slice(&[s, c]);
        RotatedEllipsoid { dim: 2, rotation, axes: [self.friction[0], self.friction[1], 0.0, 0.0] }
    }

    /// Components along and across the axis.
    fn principal(&self, x: &[f64]) -> [f64; 2] {
        let [c, s] = self.axis;
        [c * x[0] + s * x[1], c * x[1] - s * x[0]]
    }
}

impl ConvexSet for OrthotropicEllipse {
    fn dim(&self) -> usize {
        2
    }

    fn validate(&self) -> Result<(), String> {
        let [along, across] = self.friction;
        not_negative("friction[0]", along)?;
        not_negative("friction[1]", across)?;
        let (low, high) = (along.min(across), along.max(across));
        if low > 0.0 && low <= FLAT * high {
            return Err(format!(
                "friction is {:?}, the smaller must be 0 or more than {FLAT:e} of the larger",
                self.friction
            ));
        }
        Ok(())
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        self.kernel().prox(scale, x);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        self.kernel().prox_derivative(scale, x, d_x, d_scale);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let v = self.principal(velocity);
        let stretched = [product(self.friction[0], v[0]), product(self.friction[1], v[1])];
        product(scale, norm(&stretched))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        // Only the direction counts: halve what could overflow in the sums.
        let v = self.principal(&[0.5 * velocity[0], 0.5 * velocity[1]]);
        let stretched = [product(self.friction[0], v[0]), product(self.friction[1], v[1])];
        let mut e = [0.0; 2];
        Ball { dim: 2, radius: 1.0 }.support_point(1.0, &stretched, &mut e);
        let along = scale * (self.friction[0] * e[0]);
        let across = scale * (self.friction[1] * e[1]);
        let [c, s] = self.axis;
        out[0] = c * along - s * across;
        out[1] = s * along + c * across;
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let z = self.principal(x);
        let part = |i: usize| if z[i] == 0.0 { 0.0 } else { z[i] / self.friction[i] };
        norm(&[part(0), part(1)])
    }

    fn contains(&self, scale: f64, x: &[f64], tolerance: f64) -> bool {
        if self.gauge(x) <= scale * (1.0 + tolerance) {
            return true;
        }
        // Across a flat ellipse the gauge has no finite value for a rounding error: measure the
        // distance instead.
        let mut p = [x[0], x[1]];
        self.prox(scale, &mut p);
        let distance = norm(&[x[0] - p[0], x[1] - p[1]]);
        distance <= tolerance * scale * self.friction[0].max(self.friction[1])
    }
}
