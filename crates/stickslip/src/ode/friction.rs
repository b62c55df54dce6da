//! Dry friction with a spring and a damper in front of it (Xiong 2013, sec. 4.1 and 4.3).

use super::contact::UnilateralContact;
use super::{ConstantError, positive};
use crate::convex::sat;

/// Dry friction f ∈ F sgn(v) as an ordinary differential equation (Xiong 2013, eq. 18):
///
/// ```text
/// f = K sat(F/K, a + β v),      ȧ = (sat(F/K, a + β v) − a)/β
/// ```
///
/// It is equivalent to a massless slider with exact dry friction behind a spring K and a damper
/// K·β, a being the deflection of the spring. A load below F is carried without any drift, which
/// sets it apart from [`LuGre`](super::LuGre). The same formulas hold in one or more directions of
/// sliding: slices have one entry per direction. The force f acts against the sliding, M p̈ = f_e − f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegularisedFriction {
    /// Stiffness K, N/m; above 0. The larger, the closer to rigid.
    pub stiffness: f64,
    /// Relaxation time β, s; above 0. K·β is the viscosity that damps the spring, and β the time in
    /// which a sliding element forgets its deflection.
    pub relaxation_time: f64,
}

impl RegularisedFriction {
    /// Writes the force f, N, for the friction limit F ≥ 0, N, deflection a, m, and velocity v,
    /// m/s (eq. 18b).
    pub fn force(&self, limit: f64, a: &[f64], v: &[f64], force: &mut [f64]) {
        for ((f, a_i), v_i) in force.iter_mut().zip(a).zip(v) {
            *f = a_i + self.relaxation_time * v_i;
        }
        sat(limit / self.stiffness, force);
        force.iter_mut().for_each(|f| *f *= self.stiffness);
    }

    /// Writes the rate ȧ, m/s, that belongs to the force of the same state (eq. 18a).
    pub fn rate(&self, a: &[f64], force: &[f64], rate: &mut [f64]) {
        for ((r, a_i), f) in rate.iter_mut().zip(a).zip(force) {
            *r = (f / self.stiffness - a_i) / self.relaxation_time;
        }
    }

    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), ConstantError> {
        positive("stiffness", self.stiffness)?;
        positive("relaxation_time", self.relaxation_time)
    }
}

/// Unilateral contact with dry friction (Xiong 2013, eq. 29, 30): the force of the contact, which
/// needs its gap only, limits the force of the friction element.
///
/// ```text
/// f_N = K₁ max(0, e − β₁ (g + e)/α),      f_T = K₂ sat(µ f_N/K₂, a + β₂ v)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionalContact {
    /// The contact, with e.
    pub contact: UnilateralContact,
    /// The friction, with a.
    pub friction: RegularisedFriction,
    /// Coefficient of friction µ; not negative.
    pub coefficient: f64,
}

impl FrictionalContact {
    /// Returns the normal force, N, and writes the friction force (eq. 30).
    pub fn force(&self, gap: f64, e: f64, a: &[f64], v: &[f64], friction: &mut [f64]) -> f64 {
        let normal = self.contact.force(gap, e);
        self.friction.force(self.coefficient * normal, a, v, friction);
        normal
    }

    /// Returns ė and writes ȧ for the friction force of the same state (eq. 29).
    pub fn rate(&self, gap: f64, e: f64, a: &[f64], friction: &[f64], rate: &mut [f64]) -> f64 {
        self.friction.rate(a, friction, rate);
        self.contact.rate(gap, e)
    }
}
