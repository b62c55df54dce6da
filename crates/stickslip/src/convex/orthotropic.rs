//! The ellipse with its own principal axes: orthotropic Coulomb friction.

use super::ball::norm;
use super::rotated::RotatedEllipsoid;
use super::secular::{FLAT, MAX_DIM};
use super::{Ball, ConvexSet, product};
use crate::range::not_negative;
use serde::{Deserialize, Serialize};

/// C(s): an ellipse in the plane, with semi-axis s·friction\[0\] along the unit vector `axis` and
/// s·friction\[1\] across it. Wood along and across the grain, a tyre, a skate.
///
/// Against these directions the semi-axes may be others, as of scales or fur: then it is four quarters of
/// ellipses, which meet with a common tangent, so that the set is convex and a point has its nearest point in
/// its own quarter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OrthotropicRecord", into = "OrthotropicRecord")]
pub struct OrthotropicEllipse {
    friction: [f64; 2],
    /// Against the axis and against the direction across it.
    backward: [f64; 2],
    axis: [f64; 2],
}

/// How files name an orthotropic ellipse.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrthotropicRecord {
    friction: [f64; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    backward: Option<[f64; 2]>,
    axis: [f64; 2],
}

impl TryFrom<OrthotropicRecord> for OrthotropicEllipse {
    type Error = String;
    fn try_from(record: OrthotropicRecord) -> Result<Self, String> {
        let backward = record.backward.unwrap_or(record.friction);
        Self::with_senses(record.friction, backward, record.axis)
    }
}

impl From<OrthotropicEllipse> for OrthotropicRecord {
    fn from(set: OrthotropicEllipse) -> Self {
        let backward = (!set.is_symmetric()).then_some(set.backward);
        OrthotropicRecord { friction: set.friction, backward, axis: set.axis }
    }
}

impl OrthotropicEllipse {
    /// Ellipse with the friction coefficients along and across `axis`, a vector of any length
    /// except 0.
    pub fn new(friction: [f64; 2], axis: [f64; 2]) -> Result<Self, String> {
        Self::with_senses(friction, friction, axis)
    }

    /// The same with other coefficients `backward` against the axis and against the direction across it.
    pub fn with_senses(
        friction: [f64; 2],
        backward: [f64; 2],
        axis: [f64; 2],
    ) -> Result<Self, String> {
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
        let set = Self { friction, backward, axis };
        set.validate()?;
        Ok(set)
    }

    /// The ellipse with both coefficients multiplied.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let [friction, backward] =
            [self.friction, self.backward].map(|all| all.map(|f| factor * f));
        Self { friction, backward, ..*self }
    }

    /// Whether both senses of each direction are alike.
    pub fn is_symmetric(&self) -> bool {
        self.friction == self.backward
    }

    /// Friction coefficients against the axis and against the direction across it.
    pub fn backward(&self) -> [f64; 2] {
        self.backward
    }

    /// The semi-axes of the quarter in which a vector lies, given by its principal components.
    fn quarter(&self, z: &[f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| if z[k] < 0.0 { self.backward[k] } else { self.friction[k] })
    }

    /// Friction coefficients along and across the axis.
    pub fn friction(&self) -> [f64; 2] {
        self.friction
    }

    /// Unit vector of the first principal axis.
    pub fn axis(&self) -> [f64; 2] {
        self.axis
    }

    /// The ellipse of the quarter in which x lies.
    fn kernel(&self, x: &[f64]) -> RotatedEllipsoid {
        let [c, s] = self.axis;
        let [along, across] = self.quarter(&self.principal(&[0.5 * x[0], 0.5 * x[1]]));
        let mut rotation = [[0.0; MAX_DIM]; MAX_DIM];
        rotation[0][..2].copy_from_slice(&[c, -s]);
        rotation[1][..2].copy_from_slice(&[s, c]);
        RotatedEllipsoid { dim: 2, rotation, axes: [along, across, 0.0, 0.0] }
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
        let [friction, backward] = [self.friction, self.backward];
        not_negative("friction[0]", friction[0])?;
        not_negative("friction[1]", friction[1])?;
        not_negative("backward[0]", backward[0])?;
        not_negative("backward[1]", backward[1])?;
        let all = [friction, backward].concat();
        let high = all.iter().fold(0.0_f64, |m, f| m.max(*f));
        if all.iter().any(|f| *f > 0.0 && *f <= FLAT * high) {
            return Err(format!(
                "friction is {friction:?}, backward {backward:?}; each must be 0 or more than {FLAT:e} of the \
                 largest"
            ));
        }
        Ok(())
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        self.kernel(x).prox(scale, x);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        self.kernel(x).prox_derivative(scale, x, d_x, d_scale);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let v = self.principal(velocity);
        let [along, across] = self.quarter(&v);
        let stretched = [product(along, v[0]), product(across, v[1])];
        product(scale, norm(&stretched))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        // Only the direction counts: halve what could overflow in the sums.
        let v = self.principal(&[0.5 * velocity[0], 0.5 * velocity[1]]);
        let [friction, friction_across] = self.quarter(&v);
        let stretched = [product(friction, v[0]), product(friction_across, v[1])];
        let mut e = [0.0; 2];
        Ball { dim: 2, radius: 1.0 }.support_point(1.0, &stretched, &mut e);
        let along = scale * (friction * e[0]);
        let across = scale * (friction_across * e[1]);
        let [c, s] = self.axis;
        out[0] = c * along - s * across;
        out[1] = s * along + c * across;
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let z = self.principal(x);
        let axes = self.quarter(&z);
        let part = |i: usize| if z[i] == 0.0 { 0.0 } else { z[i] / axes[i] };
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
        let largest = self.friction.iter().chain(&self.backward).fold(0.0_f64, |m, f| m.max(*f));
        distance <= tolerance * scale * largest
    }
}
