//! Unilateral contact as a function of the gap: the element of Xiong 2013, sec. 4.2, and those that
//! it is compared with.

use crate::range::{OutOfRange, not_negative, positive};

/// Unilateral contact as an ordinary differential equation (Xiong 2013, eq. 24, 25):
///
/// ```text
/// f = K max(0, e − β (g + e)/α),      ė = max(−e/β, −(g + e)/α)
/// ```
///
/// with the gap g and the compression e of a spring K with a damper K·β; α makes the equation
/// explicit and filters the damper. The force is continuous and never pulls. It depends on the gap
/// alone, not on its rate. In the open state e relaxes to zero.
///
/// How much an impact dissipates depends on α/β, and on β√(K/M) with the mass M behind the contact:
/// see [`effective_restitution`](super::effective_restitution). α = β is perfectly elastic, and an
/// element with α > β puts energy in at every impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnilateralContact {
    /// Stiffness K, N/m; above 0.
    pub stiffness: f64,
    /// Relaxation time β, s; above 0. K·β is the viscosity of the contact.
    pub relaxation_time: f64,
    /// Contact time α, s; above 0, and at most β for a contact that dissipates.
    pub contact_time: f64,
}

impl UnilateralContact {
    /// Force, N, for the gap, m, and the compression e, m (eq. 25).
    pub fn force(&self, gap: f64, e: f64) -> f64 {
        self.stiffness * (e - self.relaxation_time * (gap + e) / self.contact_time).max(0.0)
    }

    /// Rate ė, m/s (eq. 24).
    pub fn rate(&self, gap: f64, e: f64) -> f64 {
        (-e / self.relaxation_time).max(-(gap + e) / self.contact_time)
    }

    /// Largest gap at which there still is a force, m: zero unless α > β.
    pub fn reach(&self, e: f64) -> f64 {
        (e * (self.contact_time / self.relaxation_time - 1.0)).max(0.0)
    }

    /// Whether the constants lie in their ranges. α > β is allowed: see [`note`](Self::note).
    pub fn validate(&self) -> Result<(), OutOfRange> {
        positive("stiffness", self.stiffness)?;
        positive("relaxation_time", self.relaxation_time)?;
        positive("contact_time", self.contact_time)
    }

    /// What a user should know of these constants, if anything.
    pub fn note(&self) -> Option<String> {
        let (alpha, beta) = (self.contact_time, self.relaxation_time);
        (alpha > beta).then(|| {
            format!(
                "contact_time is {alpha} s and longer than relaxation_time, {beta} s: the contact \
                 puts energy in at every impact (restitution above 1)"
            )
        })
    }
}

/// Linear spring and damper that act while the gap is negative (Xiong 2013, eq. 15 and 16):
/// f = −K g − B ġ. The force jumps at impact and, with `suction`, pulls at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearContact {
    /// Stiffness K, N/m; above 0.
    pub stiffness: f64,
    /// Viscosity B, N s/m; not negative.
    pub viscosity: f64,
    /// Whether the force may pull, as in eq. 15; otherwise it is cut off at zero, eq. 16.
    pub suction: bool,
}

impl LinearContact {
    /// Force, N, for the gap, m, and its rate, m/s.
    pub fn force(&self, gap: f64, gap_rate: f64) -> f64 {
        if gap > 0.0 {
            return 0.0;
        }
        let force = -self.stiffness * gap - self.viscosity * gap_rate;
        if self.suction { force } else { force.max(0.0) }
    }
}

/// Contact after Hunt and Crossley (1975): f = K δⁿ (1 + c δ̇) with the penetration δ. Continuous, but
/// it pulls where the bodies part faster than 1/c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuntCrossley {
    /// Stiffness K, N/mⁿ; above 0.
    pub stiffness: f64,
    /// Exponent n; at least 1; 3/2 for spheres.
    pub exponent: f64,
    /// Damping c, s/m; not negative. For slow impacts of speed v the restitution is 1 − ⅔ c v.
    pub damping: f64,
}

impl HuntCrossley {
    /// Force, N, for the gap, m, and its rate, m/s.
    pub fn force(&self, gap: f64, gap_rate: f64) -> f64 {
        if gap > 0.0 {
            return 0.0;
        }
        self.stiffness * (-gap).powf(self.exponent) * (1.0 - self.damping * gap_rate)
    }
}

/// Any of the contact elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // each variant is documented at its type
#[non_exhaustive]
pub enum ContactElement {
    Xiong(UnilateralContact),
    Linear(LinearContact),
    HuntCrossley(HuntCrossley),
}

impl ContactElement {
    /// Number of internal states.
    pub fn states(&self) -> usize {
        usize::from(matches!(self, ContactElement::Xiong(_)))
    }

    /// Largest gap at which there is a force, m.
    pub fn reach(&self, states: &[f64]) -> f64 {
        match self {
            ContactElement::Xiong(contact) => contact.reach(states[0]),
            _ => 0.0,
        }
    }

    /// Force, N, for gap and rate of the gap; writes the rates of the internal states.
    pub fn evaluate(&self, gap: f64, gap_rate: f64, states: &[f64], rates: &mut [f64]) -> f64 {
        match self {
            ContactElement::Xiong(contact) => {
                rates[0] = contact.rate(gap, states[0]);
                contact.force(gap, states[0])
            }
            ContactElement::Linear(contact) => contact.force(gap, gap_rate),
            ContactElement::HuntCrossley(contact) => contact.force(gap, gap_rate),
        }
    }

    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        match self {
            ContactElement::Xiong(contact) => contact.validate(),
            ContactElement::Linear(contact) => {
                positive("stiffness", contact.stiffness)?;
                not_negative("viscosity", contact.viscosity)
            }
            ContactElement::HuntCrossley(contact) => {
                positive("stiffness", contact.stiffness)?;
                super::require(
                    contact.exponent >= 1.0 && contact.exponent <= 10.0,
                    "exponent",
                    contact.exponent,
                    "1 to 10",
                )?;
                not_negative("damping", contact.damping)
            }
        }
    }
}
