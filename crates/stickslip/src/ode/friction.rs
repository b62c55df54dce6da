//! Dry friction with a spring and a damper in front of it (Xiong 2013, sec. 4.1).

use crate::range::{OutOfRange, positive};

/// Dry friction f ∈ F sgn(v) as an ordinary differential equation (Xiong 2013, eq. 18):
///
/// ```text
/// f = K sat(F/K, a + β v),      ȧ = (sat(F/K, a + β v) − a)/β
/// ```
///
/// It is equivalent to a massless slider with exact dry friction behind a spring K and a damper
/// K·β, a being the deflection of the spring. A load below F is carried without any drift, which
/// sets it apart from [`LuGre`](super::LuGre). The same formulas hold in one or more directions of
/// sliding. The force f acts against the sliding, M p̈ = f_e − f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegularisedFriction {
    /// Stiffness K, N/m; above 0. The larger, the closer to rigid.
    pub stiffness: f64,
    /// Relaxation time β, s; above 0. K·β is the viscosity that damps the spring, and β the time in
    /// which a sliding element forgets its deflection.
    pub relaxation_time: f64,
}

impl RegularisedFriction {
    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        positive("stiffness", self.stiffness)?;
        positive("relaxation_time", self.relaxation_time)
    }
}
