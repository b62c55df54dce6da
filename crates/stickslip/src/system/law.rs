//! Force laws: a convex set with its reservoir, restitution and viscosity.

use super::SpeedCurve;
use crate::convex::{
    Ball, ContensouBall, ConvexSet, Cylinder, Ellipsoid, FreeSpace, HalfLine, OrthotropicEllipse,
    Pressure, Set,
};
use crate::problem::Reservoir;
use crate::range;
use serde::{Deserialize, Serialize};

/// What scales the set of a force law, in terms of forces. A time step of length Δt turns forces
/// into percussions: see [`ForceLaw::reservoir`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForceReservoir {
    /// The set is a cone and does not scale (contact, joints, viscous laws).
    Unbounded,
    /// A constant force, N. Its percussion over a step is force·Δt: such a law transmits no
    /// impulse.
    Force(f64),
    /// The normal force of the same contact; in an impact its normal percussion.
    Normal,
    /// That and a constant force, N, which gives no percussion in an impact: cohesion over the friction
    /// coefficient.
    NormalPlus(f64),
}

impl ForceReservoir {
    /// Whether it grows with the normal force.
    pub fn takes_normal(self) -> bool {
        matches!(self, ForceReservoir::Normal | ForceReservoir::NormalPlus(_))
    }

    /// The force that scales the set, at the normal force of the contact.
    pub(crate) fn scale(self, normal: f64) -> f64 {
        // Forces are percussions of a step of 1 s.
        self.over(1.0).scale(normal)
    }

    /// The reservoir of percussions over a step of length `dt` in s.
    fn over(self, dt: f64) -> Reservoir {
        match self {
            ForceReservoir::Unbounded => Reservoir::Unbounded,
            ForceReservoir::Force(force) => Reservoir::Constant(force * dt),
            ForceReservoir::Normal => Reservoir::Normal,
            ForceReservoir::NormalPlus(force) => Reservoir::NormalPlus(force * dt),
        }
    }
}

/// How the percussion of an impact follows from the restitution ε of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImpactLaw {
    /// Newton: γ⁺ = −ε γ⁻ along the normal; along the tangents with a restitution of their own.
    #[default]
    Newton,
    /// Poisson: in a second phase the normal percussion of the compression is given back ε times.
    Poisson,
    /// Moreau: all laws hold of (γ⁺ + ε γ⁻)/(1 + ε) with one ε.
    Moreau,
}

/// A set-valued force law between relative velocity γ and force, or percussion Λ, of one contact:
///
/// ```text
/// ξ = γ_E + ε γ_A + Λ/(c Δt),      −ξ ∈ N_{s·C}(Λ)
/// ```
///
/// with γ_A, γ_E at the start and end of the step, ε the restitution and c the viscosity. The
/// viscous part acts in series with the set: a free space with viscosity is the linear damper
/// λ = −c γ, a friction disk with viscosity is a damper that slips at its limit.
///
/// ```
/// use stickslip::problem::Reservoir;
/// use stickslip::system::ForceLaw;
///
/// let friction = ForceLaw::coulomb(0.3, 0.0);
/// assert_eq!(friction.reservoir(1e-3), Reservoir::Normal);
/// assert!(friction.validate().is_ok());
/// let refused = ForceLaw::signorini(1.5).validate();
/// assert_eq!(refused, Err("restitution is 1.5, it must be between 0 and 1".to_owned()));
/// ```
///
/// Units: a component along a length has force N, percussion N s, velocity m/s; a component about
/// an axis has moment N m, N m s, rad/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForceLaw {
    /// Admissible forces at unit reservoir.
    pub set: Set,
    /// What scales the set.
    pub reservoir: ForceReservoir,
    /// Newton's coefficient of restitution ε, 0 to 1, for all components.
    #[serde(default)]
    pub restitution: f64,
    /// Restitution as a function of the speed of approach, of the normal law of a contact; none: it is
    /// the same at all speeds. With a curve `restitution` is the largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution_curve: Option<SpeedCurve>,
    /// What the restitution means, of the normal law of a contact.
    #[serde(default, skip_serializing_if = "is_newton")]
    pub impact: ImpactLaw,
    /// Pull, N, that a closed contact bears before it opens, of its normal law: the force goes down to
    /// −adhesion, and the friction of the contact counts from there. It gives no percussion in an impact.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub adhesion: f64,
    /// Viscosity c > 0, N s/m (N m s for moments); none for a law without viscous part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
    /// How its strength depends on the speed of the contact point (its first two components): the set
    /// is multiplied by curve/[reference](SpeedCurve::reference). None: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<SpeedCurve>,
    /// Whether all components are moments about axes, N m, and not forces, N.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moment: bool,
}

impl ForceLaw {
    fn dry(set: Set, reservoir: ForceReservoir, restitution: f64) -> Self {
        Self {
            set,
            reservoir,
            restitution,
            restitution_curve: None,
            impact: ImpactLaw::Newton,
            adhesion: 0.0,
            viscosity: None,
            curve: None,
            moment: false,
        }
    }

    fn viscous(dim: usize, viscosity: f64) -> Self {
        Self { viscosity: Some(viscosity), ..Self::bilateral(dim) }
    }

    /// Unilateral contact (Signorini) with Newton's law of impact: one component, the normal
    /// force ≥ 0.
    pub fn signorini(restitution: f64) -> Self {
        Self::dry(Set::HalfLine(HalfLine), ForceReservoir::Unbounded, restitution)
    }

    /// Coulomb friction in one direction, |λ_T| ≤ friction·λ_N, with tangential restitution.
    pub fn coulomb_1d(friction: f64, restitution: f64) -> Self {
        Self::dry(Set::Ball(Ball { dim: 1, radius: friction }), ForceReservoir::Normal, restitution)
    }

    /// Isotropic Coulomb friction in a plane, |λ_T| ≤ friction·λ_N, with tangential restitution.
    pub fn coulomb(friction: f64, restitution: f64) -> Self {
        Self::dry(Set::Ball(Ball { dim: 2, radius: friction }), ForceReservoir::Normal, restitution)
    }

    /// Coulomb friction in a plane with different coefficients along and across `axis`, a vector
    /// in the coordinates of the contact plane.
    pub fn orthotropic_coulomb(
        friction: [f64; 2],
        axis: [f64; 2],
        restitution: f64,
    ) -> Result<Self, String> {
        Self::two_way_coulomb(friction, friction, axis, restitution)
    }

    /// The same with other coefficients `backward` of forces against the axis and against the direction across
    /// it.
    pub fn two_way_coulomb(
        friction: [f64; 2],
        backward: [f64; 2],
        axis: [f64; 2],
        restitution: f64,
    ) -> Result<Self, String> {
        let set = OrthotropicEllipse::with_senses(friction, backward, axis)?;
        Ok(Self::dry(Set::OrthotropicEllipse(set), ForceReservoir::Normal, restitution))
    }

    /// Coulomb-Contensou friction (Leine 2003, eq. 2.20 and 3.22): sliding and drilling coupled by
    /// the exact friction ball of a pressure distribution over a contact disk. Two forces (N) and
    /// the drilling moment (N m, not divided by the radius); `contact_radius` in m.
    pub fn coulomb_contensou(friction: f64, contact_radius: f64, pressure: Pressure) -> Self {
        let set = ContensouBall { friction, contact_radius, pressure };
        Self::dry(Set::Contensou(set), ForceReservoir::Normal, 0.0)
    }

    /// Sliding and drilling friction coupled by an ellipsoid (Möller 2009, eq. 55): two forces (N)
    /// and the drilling moment (N m, not divided by a radius). `mean_radius` R̄ in m: pure drilling
    /// has the moment friction·R̄·λ_N, with R̄ = 3πR/16 for the pressure of Hertz on a contact of
    /// radius R ([`hertz_mean_radius`](super::hertz_mean_radius)) and 2R/3 for uniform pressure.
    pub fn contensou_ellipsoid(friction: f64, mean_radius: f64) -> Self {
        let set = Ellipsoid::spheroid(friction, friction * mean_radius);
        Self::dry(Set::Ellipsoid(set), ForceReservoir::Normal, 0.0)
    }

    /// Sliding and drilling friction without coupling (Möller 2009, eq. 54); components and units
    /// as [`contensou_ellipsoid`](Self::contensou_ellipsoid).
    pub fn contensou_cylinder(friction: f64, mean_radius: f64) -> Self {
        let set = Cylinder { radius: friction, half_height: friction * mean_radius };
        Self::dry(Set::Cylinder(set), ForceReservoir::Normal, 0.0)
    }

    /// Dry contour friction (Le Saux 2005, eq. 2.33): a force against the velocity with which the
    /// contact point moves along the contour of the body, |λ_R| ≤ friction·λ_N. One component, N
    /// and m/s; `friction` has no unit.
    pub fn contour_friction(friction: f64) -> Self {
        Self::coulomb_1d(friction, 0.0)
    }

    /// Viscous contour friction λ_R = −viscosity·γ_R (Le Saux 2005, sec. 5.5.1): one component,
    /// `viscosity` in N s/m, independent of the normal force.
    pub fn contour_friction_viscous(viscosity: f64) -> Self {
        Self::viscous(1, viscosity)
    }

    /// Classical dry rolling friction (Le Saux 2005, eq. 5.42): a moment against the angular
    /// velocity in the contact plane, |M_R| ≤ arm·λ_N. Two components, N m and rad/s; `arm` is a
    /// length, m.
    pub fn rolling_friction(arm: f64) -> Self {
        Self { moment: true, ..Self::coulomb(arm, 0.0) }
    }

    /// Classical viscous rolling friction M_R = −viscosity·ω_R (Le Saux 2005, sec. 5.5.2): two
    /// components, `viscosity` in N m s, independent of the normal force.
    pub fn rolling_friction_viscous(viscosity: f64) -> Self {
        Self { moment: true, ..Self::viscous(2, viscosity) }
    }

    /// Bilateral constraint: a force of any size that keeps `dim` relative velocities at zero.
    pub fn bilateral(dim: usize) -> Self {
        Self::dry(Set::FreeSpace(FreeSpace { dim }), ForceReservoir::Unbounded, 0.0)
    }

    /// Dry friction of constant strength in `dim` directions, |λ| ≤ force (N; N m for moments): a
    /// brake, a slider under pretension.
    pub fn dry_friction(dim: usize, force: f64) -> Self {
        Self::dry(Set::Ball(Ball { dim, radius: 1.0 }), ForceReservoir::Force(force), 0.0)
    }

    /// The unit of the force of a component: sets that couple sliding and drilling have a moment
    /// about the normal behind two forces.
    pub fn component_unit(&self, component: usize) -> &'static str {
        let drills = matches!(self.set, Set::Contensou(_) | Set::Ellipsoid(_) | Set::Cylinder(_));
        if self.moment || (drills && component == 2) { "N m" } else { "N" }
    }

    /// Whether it keeps its relative velocities at zero by a force of any size.
    pub fn is_rigid(&self) -> bool {
        matches!(self.set, Set::FreeSpace(_)) && self.viscosity.is_none()
    }

    /// Number of components.
    pub fn dim(&self) -> usize {
        self.set.dim()
    }

    /// Restitution ε for a speed of approach (m/s, negative where the contact opens), at time t.
    pub fn restitution_at(&self, approach: f64, t: f64) -> f64 {
        match &self.restitution_curve {
            Some(curve) => curve.sliding(approach.max(0.0), t),
            None => self.restitution,
        }
    }

    /// ε by which the velocity before an impact counts in the law: none by Poisson's law, which acts by
    /// percussions.
    pub fn velocity_restitution(&self, approach: f64, t: f64) -> f64 {
        if self.impact == ImpactLaw::Poisson { 0.0 } else { self.restitution_at(approach, t) }
    }

    /// Whether impacts give something back.
    pub fn rebounds(&self) -> bool {
        self.restitution > 0.0
    }

    /// Friction with cohesion, N: up to cohesion + μ λ_N, μ > 0 the coefficient of the set in the direction of
    /// largest friction; in the others less, in proportion.
    pub fn with_cohesion(self, cohesion: f64, friction: f64) -> Self {
        match cohesion > 0.0 && friction > 0.0 {
            true => Self { reservoir: ForceReservoir::NormalPlus(cohesion / friction), ..self },
            false => self,
        }
    }

    /// The law with a strength that depends on the speed; its set must be that of the curve's
    /// [reference](SpeedCurve::reference).
    pub fn with_curve(self, curve: Option<SpeedCurve>) -> Self {
        Self { curve, ..self }
    }

    /// Factor of the set at rest, and while it slides with the speed `v`, m/s; at v = 0 the limit.
    pub fn factors(&self, v: f64, t: f64) -> [f64; 2] {
        match &self.curve {
            Some(curve) => {
                let reference = curve.reference();
                [curve.at_rest(t) / reference, curve.sliding(v, t) / reference]
            }
            None => [1.0; 2],
        }
    }

    /// The reservoir of percussions over a step of length `dt` in s: a constant force gives
    /// force·dt.
    pub fn reservoir(&self, dt: f64) -> Reservoir {
        self.reservoir.over(dt)
    }

    /// What the viscous part adds to each diagonal entry of this law in the Delassus matrix over a
    /// step of length `dt` in s: 1/(viscosity·dt), 1/kg; 0 without viscosity.
    pub fn compliance(&self, dt: f64) -> f64 {
        self.viscosity.map_or(0.0, |viscosity| 1.0 / (viscosity * dt))
    }

    /// Checks the parameters; otherwise a sentence that names the parameter, its value and what is
    /// allowed.
    pub fn validate(&self) -> Result<(), String> {
        self.set.validate()?;
        if let Some(curve) = &self.curve {
            curve.validate().map_err(|text| format!("friction: {text}"))?;
        }
        range::fraction("restitution", self.restitution)?;
        if let Some(curve) = &self.restitution_curve {
            curve.validate_restitution().map_err(|text| format!("restitution: {text}"))?;
        }
        range::not_negative("adhesion", self.adhesion)?;
        if let ForceReservoir::Force(force) | ForceReservoir::NormalPlus(force) = self.reservoir {
            range::not_negative("force", force)?;
        }
        Ok(self.viscosity.map_or(Ok(()), |viscosity| range::positive("viscosity", viscosity))?)
    }
}

fn is_zero(force: &f64) -> bool {
    *force == 0.0
}

fn is_newton(law: &ImpactLaw) -> bool {
    *law == ImpactLaw::Newton
}
