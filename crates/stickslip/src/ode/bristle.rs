//! Friction models with bristles that creep: LuGre and Dahl.

use crate::range::{OutOfRange, not_negative, positive};

/// The LuGre model without Stribeck effect (Xiong 2013, eq. 12):
///
/// ```text
/// ȧ = v − K |v| a/F,      f = K a + B ȧ + D v
/// ```
///
/// B = D = 0 is the model of Dahl. Under a load that oscillates below F both drift without bound;
/// they are here for comparison. The limit F must be above 0, so they serve laws of constant
/// strength only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LuGre {
    /// Stiffness K of the bristles, N/m; above 0.
    pub stiffness: f64,
    /// Viscosity B of the bristles, N s/m; not negative.
    pub bristle_viscosity: f64,
    /// Viscosity D of the sliding, N s/m; not negative.
    pub viscosity: f64,
}

impl LuGre {
    /// The model of Dahl.
    pub fn dahl(stiffness: f64) -> Self {
        Self { stiffness, bristle_viscosity: 0.0, viscosity: 0.0 }
    }

    /// Writes the rate ȧ, m/s, for the limit F > 0, N, deflection a, m, and velocity v, m/s (eq. 12a).
    pub fn rate(&self, limit: f64, a: &[f64], v: &[f64], rate: &mut [f64]) {
        let speed = length(v);
        for ((r, a_i), v_i) in rate.iter_mut().zip(a).zip(v) {
            *r = v_i - self.stiffness * speed * a_i / limit;
        }
    }

    /// Writes the force f against the sliding, N, for the rate of the same state (eq. 12b).
    pub fn force(&self, a: &[f64], v: &[f64], rate: &[f64], force: &mut [f64]) {
        for (i, f) in force.iter_mut().enumerate() {
            *f = self.stiffness * a[i] + self.bristle_viscosity * rate[i] + self.viscosity * v[i];
        }
    }

    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        positive("stiffness", self.stiffness)?;
        not_negative("bristle_viscosity", self.bristle_viscosity)?;
        not_negative("viscosity", self.viscosity)
    }
}

pub(crate) fn length(v: &[f64]) -> f64 {
    match v {
        [x] => x.abs(),
        [x, y] => x.hypot(*y),
        _ => v.iter().fold(0.0_f64, |sum, x| sum.hypot(*x)),
    }
}
