//! The axis-aligned ellipsoid: sliding and drilling friction, coupled approximately.

use super::ball::norm;
use super::secular::{FLAT, MAX_DIM, project, project_derivative};
use super::{Ball, ConvexSet, product};
use crate::range::not_negative;
use serde::{Deserialize, Serialize};

/// C(s) = { x ∈ Rⁿ : Σ (x_i/a_i)² ≤ s² } with the semi-axes a_i, n ≤ 4.
///
/// The friction ellipsoid of Möller 2009, eq. 55 has the semi-axes (μ, μ, μ R̄). A semi-axis 0
/// makes it flat: that component of the force vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "EllipsoidRecord", into = "EllipsoidRecord")]
pub struct Ellipsoid {
    dim: usize,
    axes: [f64; MAX_DIM],
}

/// What its semi-axes are called.
const AXES: [&str; MAX_DIM] = ["semi_axes[0]", "semi_axes[1]", "semi_axes[2]", "semi_axes[3]"];

/// How files name an ellipsoid.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EllipsoidRecord {
    semi_axes: Vec<f64>,
}

impl TryFrom<EllipsoidRecord> for Ellipsoid {
    type Error = String;
    fn try_from(record: EllipsoidRecord) -> Result<Self, String> {
        Self::new(&record.semi_axes)
    }
}

impl From<Ellipsoid> for EllipsoidRecord {
    fn from(set: Ellipsoid) -> Self {
        EllipsoidRecord { semi_axes: set.semi_axes().to_vec() }
    }
}

impl Ellipsoid {
    /// Ellipsoid with one to four semi-axes, each finite, not negative, and either 0 or at least
    /// 1e-100 of the longest.
    pub fn new(semi_axes: &[f64]) -> Result<Self, String> {
        let dim = semi_axes.len();
        if !(1..=MAX_DIM).contains(&dim) {
            return Err(format!("semi_axes has {dim} entries, it must have 1 to {MAX_DIM}"));
        }
        let mut axes = [0.0; MAX_DIM];
        axes[..dim].copy_from_slice(semi_axes);
        let set = Self { dim, axes };
        set.validate()?;
        Ok(set)
    }

    /// Three-dimensional ellipsoid of revolution about its third axis. Not checked: see
    /// [`validate`](ConvexSet::validate).
    pub fn spheroid(equatorial: f64, polar: f64) -> Self {
        Self { dim: 3, axes: [equatorial, equatorial, polar, 0.0] }
    }

    /// The ellipsoid with each semi-axis multiplied by its factor.
    pub(crate) fn stretched(&self, factors: &[f64]) -> Self {
        let mut set = *self;
        for (axis, factor) in set.axes.iter_mut().zip(factors) {
            *axis *= factor;
        }
        set
    }

    /// The semi-axes of C(1).
    pub fn semi_axes(&self) -> &[f64] {
        &self.axes[..self.dim]
    }
}

impl ConvexSet for Ellipsoid {
    fn dim(&self) -> usize {
        self.dim
    }

    fn validate(&self) -> Result<(), String> {
        let longest = self.semi_axes().iter().fold(0.0_f64, |m, a| m.max(*a));
        for (index, axis) in self.semi_axes().iter().enumerate() {
            not_negative(AXES[index], *axis)?;
            if *axis > 0.0 && *axis <= FLAT * longest {
                return Err(format!(
                    "semi_axes[{index}] is {axis}, it must be 0 or more than {FLAT:e} of the longest, {longest}"
                ));
            }
        }
        Ok(())
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        project(self.semi_axes(), scale, x);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        project_derivative(self.semi_axes(), scale, x, d_x, d_scale);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let mut stretched = [0.0; MAX_DIM];
        for i in 0..self.dim {
            stretched[i] = product(self.axes[i], velocity[i]);
        }
        product(scale, norm(&stretched))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        // The image of the unit ball: A ê with ê the direction of A v.
        let mut stretched = [0.0; MAX_DIM];
        for i in 0..self.dim {
            stretched[i] = product(self.axes[i], velocity[i]);
        }
        let ball = Ball { dim: self.dim, radius: 1.0 };
        ball.support_point(1.0, &stretched[..self.dim], out);
        for (o, axis) in out.iter_mut().zip(&self.axes) {
            *o = scale * (axis * *o);
        }
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let mut shrunk = [0.0; MAX_DIM];
        for i in 0..self.dim {
            if x[i] != 0.0 {
                shrunk[i] = x[i] / self.axes[i];
            }
        }
        norm(&shrunk)
    }
}
