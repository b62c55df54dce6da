//! Which laws act at the contacts of the top, as plain data.

use crate::convex::Pressure;
use crate::system::{ForceLaw, LawGroup, hertz_mean_radius};
use serde::{Deserialize, Serialize};

/// Law of sliding and drilling friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLaw {
    /// Coulomb friction alone: no resistance against drilling.
    Coulomb,
    /// Coulomb-Contensou friction with the pressure σ ∝ √(1 − ρ²/R²) of Hertz, which Leine 2003
    /// and Le Saux 2005 call parabolic.
    #[default]
    ContensouHertz,
    /// Coulomb-Contensou friction with a uniform pressure (Leine 2003, sec. 2).
    ContensouUniform,
    /// Coulomb-Contensou friction with the truly parabolic pressure σ ∝ 1 − ρ²/R².
    ContensouParabolic,
    /// The ellipsoid that approximates the ball of the Hertz pressure (Möller 2009, eq. 55).
    Ellipsoid,
}

/// The laws of one contact. Its components stand in this order:
///
/// 1. normal: rate of the gap, m/s; force in N;
/// 2. tangential: two components along the inertial x and y axes, m/s; N;
/// 3. drilling, if there is a contact radius and the law is not Coulomb's: relative spin ω·e_z,
///    rad/s; torque in N m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLaws {
    /// Law of sliding and drilling.
    pub friction: FrictionLaw,
    /// Coefficient of sliding friction µ.
    pub friction_coefficient: f64,
    /// Radius R of the contact area, m; the drilling torque scales with it.
    pub contact_radius: f64,
    /// Newton's coefficient of restitution in the normal direction.
    pub restitution: f64,
}

impl ContactLaws {
    /// Whether there is a drilling component.
    pub fn has_drilling(&self) -> bool {
        self.friction != FrictionLaw::Coulomb && self.contact_radius > 0.0
    }

    /// The laws themselves, in the order of their components.
    pub fn group(&self) -> LawGroup {
        let (mu, radius) = (self.friction_coefficient, self.contact_radius);
        let contensou = |pressure| ForceLaw::coulomb_contensou(mu, radius, pressure);
        let friction = match self.friction {
            _ if !self.has_drilling() => ForceLaw::coulomb(mu, 0.0),
            FrictionLaw::ContensouUniform => contensou(Pressure::Uniform),
            FrictionLaw::ContensouParabolic => contensou(Pressure::Parabolic),
            FrictionLaw::Ellipsoid => ForceLaw::contensou_ellipsoid(mu, hertz_mean_radius(radius)),
            FrictionLaw::Coulomb | FrictionLaw::ContensouHertz => contensou(Pressure::Hertz),
        };
        LawGroup::new([("normal", ForceLaw::signorini(self.restitution)), ("friction", friction)])
    }
}
