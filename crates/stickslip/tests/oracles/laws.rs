//! Which laws act at a contact of a model, as plain data.

use std::ops::Range;
use stickslip::convex::Pressure;
use stickslip::models::FrictionLaw;
use stickslip::system::{ForceLaw, LawGroup, hertz_mean_radius};

/// Resistance against the rate of one or two components: a dry part that scales with the normal
/// force, and a viscous part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resistance {
    /// Dry part, as a multiple of the normal force: dimensionless against a velocity (contour),
    /// a length in m against an angular velocity (rolling).
    pub dry: f64,
    /// Viscous part: N s/m against a velocity, N m s against an angular velocity.
    pub viscous: f64,
}

impl Resistance {
    /// `None` if both parts are zero: there is no such law.
    pub fn new(dry: f64, viscous: f64) -> Option<Self> {
        (dry > 0.0 || viscous > 0.0).then_some(Self { dry, viscous })
    }

    /// Number of laws: the dry and the viscous part act side by side, each with a force of its own
    /// against the same velocity.
    fn parts(&self) -> usize {
        usize::from(self.dry > 0.0) + usize::from(self.viscous > 0.0)
    }
}

/// The laws of one contact. Its components stand in this order:
///
/// 1. normal: rate of the gap, m/s; force in N;
/// 2. tangential: two components along the inertial x and y axes, m/s; N;
/// 3. drilling, if there is a contact radius and the law is not Coulomb's: relative spin ω·e_z,
///    rad/s; torque in N m;
/// 4. contour, where given: velocity of the contact point along the contour, m/s; N; once for the
///    dry and once for the viscous part;
/// 5. rolling, where given: two components of the angular velocity along the inertial x and y
///    axes, rad/s; N m; once for the dry and once for the viscous part.
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
    /// Contour friction (Le Saux 2005, eq. 2.33).
    pub contour: Option<Resistance>,
    /// Classical rolling friction (Le Saux 2005, eq. 5.42).
    pub rolling: Option<Resistance>,
}

/// Where the components of a contact stand; absent ones are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Index of the drilling component.
    pub drilling: Option<usize>,
    /// Indices of the contour components, one per part.
    pub contour: Range<usize>,
    /// Indices of the rolling components, two per part.
    pub rolling: Range<usize>,
    /// Number of all components.
    pub dim: usize,
}

impl ContactLaws {
    /// Whether there is a drilling component.
    pub fn has_drilling(&self) -> bool {
        self.friction != FrictionLaw::Coulomb && self.contact_radius > 0.0
    }

    /// Order of the components.
    pub fn components(&self) -> Components {
        let mut dim = 3;
        let mut take = |count: usize| {
            dim += count;
            dim - count..dim
        };
        let drilling = take(usize::from(self.has_drilling()));
        let drilling = self.has_drilling().then_some(drilling.start);
        let contour = take(self.contour.map_or(0, |r| r.parts()));
        let rolling = take(2 * self.rolling.map_or(0, |r| r.parts()));
        Components { drilling, contour, rolling, dim }
    }

    /// The laws themselves, in the order of their components.
    pub fn group(&self) -> LawGroup {
        let (mu, radius) = (self.friction_coefficient, self.contact_radius);
        let friction = match self.friction {
            _ if !self.has_drilling() => ForceLaw::coulomb(mu, 0.0),
            FrictionLaw::ContensouUniform => {
                ForceLaw::coulomb_contensou(mu, radius, Pressure::Uniform)
            }
            FrictionLaw::ContensouParabolic => {
                ForceLaw::coulomb_contensou(mu, radius, Pressure::Parabolic)
            }
            FrictionLaw::Ellipsoid => ForceLaw::contensou_ellipsoid(mu, hertz_mean_radius(radius)),
            FrictionLaw::Coulomb | FrictionLaw::ContensouHertz => {
                ForceLaw::coulomb_contensou(mu, radius, Pressure::Hertz)
            }
        };
        let mut laws =
            vec![("normal", ForceLaw::signorini(self.restitution)), ("friction", friction)];
        if let Some(contour) = self.contour {
            if contour.dry > 0.0 {
                laws.push(("contour", ForceLaw::contour_friction(contour.dry)));
            }
            if contour.viscous > 0.0 {
                let law = ForceLaw::contour_friction_viscous(contour.viscous);
                laws.push(("contour-viscous", law));
            }
        }
        if let Some(rolling) = self.rolling {
            if rolling.dry > 0.0 {
                laws.push(("rolling", ForceLaw::rolling_friction(rolling.dry)));
            }
            if rolling.viscous > 0.0 {
                let law = ForceLaw::rolling_friction_viscous(rolling.viscous);
                laws.push(("rolling-viscous", law));
            }
        }
        LawGroup::new(laws)
    }
}
