//! The keys of `[[contact]]` and `[default_contact]`.

use super::quantity::{
    AngularDamping, Damping, Force, Length, Measure, NotNegative, Number, Positive, Profile,
    Quantity, Slowness, Stiffness, Strength, Time, Vector, Velocity, ZeroToOne,
};
use crate::system::{ContactChoice, ElementConstants, FrictionChoice};
use schemars::JsonSchema;
use serde::Deserialize;

/// Laws for the contacts between two partners.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
#[schemars(rename = "Contact")]
pub struct ContactRule {
    /// Name; a named contact has columns of its own in the tables.
    pub name: Option<String>,
    /// The partners: names of bodies, of their shapes (`<body>.<shape>`) or of materials, or `any`.
    #[schemars(length(min = 2, max = 2))]
    pub between: Vec<String>,
    /// Whether the partners touch at all; default true.
    pub enabled: Option<bool>,
    /// The laws.
    #[serde(flatten)]
    pub law: LawKeys,
}

/// The laws of a contact. What a rule does not give is that of `[default_contact]`, and zero if that does not
/// give it either; nothing is averaged over materials.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
#[schemars(rename = "Law")]
pub struct LawKeys {
    /// Form of the friction set; default coulomb.
    #[serde(default)]
    pub law: LawName,
    /// Coefficient of restitution, 0 to 1, also as a table or expression of the speed of approach v;
    /// default 0.
    pub restitution: Option<Strength>,
    /// What restitution means in an impact; default newton.
    #[serde(default)]
    pub impact: ImpactName,
    /// Tangential coefficient of restitution, 0 to 1; default 0; for newton only.
    #[serde(default)]
    pub tangential_restitution: Quantity<Number, ZeroToOne>,
    /// Coefficient of friction, also as a table or expression of the speed of sliding; default 0.
    pub friction: Option<Strength>,
    /// Coefficient at rest, with `kinetic_friction`; in place of `friction`.
    pub static_friction: Option<Quantity<Number, NotNegative>>,
    /// Coefficient of fast sliding, with `static_friction`.
    pub kinetic_friction: Option<Quantity<Number, NotNegative>>,
    /// Speed, m/s, over which friction falls from static to kinetic: kinetic + (static - kinetic)
    /// exp(-v/speed); default 0: at once.
    pub stribeck_speed: Option<Quantity<Velocity, NotNegative>>,
    /// Radius of the contact area, m; for the contensou laws. 0: there is none, friction is Coulomb's.
    pub contact_radius: Option<Quantity<Length, NotNegative>>,
    /// Moment of pure drilling over friction times normal force, m; for the law ellipsoid. 0: there is none,
    /// friction is Coulomb's.
    pub mean_radius: Option<Quantity<Length, NotNegative>>,
    /// Coefficient of friction across `axis`; for the law orthotropic.
    pub friction_across: Option<Quantity<Number, Positive>>,
    /// Coefficient where the other body slides against `axis`, as seen from `axis_body`; for the law orthotropic;
    /// default that along it.
    pub friction_backward: Option<Quantity<Number, NotNegative>>,
    /// The same of `friction_across`.
    pub friction_across_backward: Option<Quantity<Number, NotNegative>>,
    /// Pressure over the contact area as an expression of r, the radius over `contact_radius`, or as a table of
    /// r from 0 to 1 and pressure; only ratios count; for the law contensou-profile.
    pub pressure: Option<Profile>,
    /// Vertices [along, across], counter-clockwise, of the friction that `axis_body` can exert on the other
    /// body, over the normal force; for the law polygon.
    pub vertices: Option<Vec<[Quantity<Number>; 2]>>,
    /// The same vertices as pairs [angle from the axis, coefficient], angles ascending; for the law polygon.
    pub polar: Option<Vec<[Measure; 2]>>,
    /// Axis along which `friction` counts, in the frame of `axis_body`; for the laws orthotropic and polygon.
    pub axis: Option<Vector<Number>>,
    /// The body to which `axis` is fixed; for the laws orthotropic and polygon.
    pub axis_body: Option<String>,
    /// Pull, N, that each point of contact bears before it opens; friction counts the normal force from
    /// there; default 0; not for the `ode-*` integrators.
    #[serde(default)]
    pub adhesion: Quantity<Force, NotNegative>,
    /// Friction, N, of each point of contact without normal force; default 0.
    #[serde(default)]
    pub cohesion: Quantity<Force, NotNegative>,
    /// Rolling friction arm, m: the moment is at most the arm times the normal force; default 0.
    #[serde(default)]
    pub rolling_arm: Quantity<Length, NotNegative>,
    /// Viscous rolling friction, N m s/rad; default 0.
    #[serde(default)]
    pub rolling_viscosity: Quantity<AngularDamping, NotNegative>,
    /// Coefficient of dry contour friction of disks (Le Saux 2005); default 0.
    #[serde(default)]
    pub contour_friction: Quantity<Number, NotNegative>,
    /// Viscous contour friction of disks (Le Saux 2005), N s/m; default 0.
    #[serde(default)]
    pub contour_viscosity: Quantity<Damping, NotNegative>,
    /// The elements in place of the laws.
    #[serde(flatten)]
    pub elements: ElementKeys,
}

/// Constants of the elements that stand for the laws under the `ode-*` integrators. What is not given
/// follows from masses, speeds and step.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct ElementKeys {
    /// Stiffness in front of the law, N/m; for the `ode-*` integrators.
    pub stiffness: Option<Quantity<Stiffness, Positive>>,
    /// Relaxation time, s: stiffness times it is the damper; for the `ode-*` integrators.
    pub relaxation_time: Option<Quantity<Time, Positive>>,
    /// Contact time, s, at most the relaxation time: the shorter, the less a contact rebounds; for the
    /// `ode-*` integrators.
    pub contact_time: Option<Quantity<Time, Positive>>,
    /// Arm at which a moment of friction counts as a force, m; for the `ode-*` integrators.
    pub arm: Option<Quantity<Length, Positive>>,
    /// Which element stands for unilateral contact; default xiong; for the `ode-*` integrators.
    pub contact_element: Option<ContactChoice>,
    /// Which element stands for friction; default xiong; for the `ode-*` integrators.
    pub friction_element: Option<FrictionChoice>,
    /// Viscosity of the elements viscoelastic and viscoelastic-push, N s/m; default 0.
    pub viscosity: Option<Quantity<Damping, NotNegative>>,
    /// Damping of the element hunt-crossley, s/m; default 0.
    pub damping: Option<Quantity<Slowness, NotNegative>>,
    /// Speed within which the elements smooth and tanh let bodies creep, m/s; default 1e-2.
    pub smoothing_speed: Option<Quantity<Velocity, Positive>>,
}

impl ElementKeys {
    /// The values.
    pub(crate) fn constants(&self) -> ElementConstants {
        ElementConstants {
            stiffness: self.stiffness.map(|given| given.value),
            relaxation_time: self.relaxation_time.map(|given| given.value),
            contact_time: self.contact_time.map(|given| given.value),
            arm: self.arm.map(|given| given.value),
            contact: self.contact_element,
            friction: self.friction_element,
            viscosity: self.viscosity.map(|given| given.value),
            damping: self.damping.map(|given| given.value),
            smoothing_speed: self.smoothing_speed.map(|given| given.value),
        }
    }
}

/// Keys that say one thing together: a rule that gives one of them takes none of the others.
pub(super) const FRICTION: [&str; 4] =
    ["friction", "static_friction", "kinetic_friction", "stribeck_speed"];

/// The form of the friction set and what belongs to it: a rule of another form takes nothing of it.
pub(super) const FORM: [&str; 10] = [
    "contact_radius",
    "mean_radius",
    "pressure",
    "friction_across",
    "friction_backward",
    "friction_across_backward",
    "vertices",
    "polar",
    "axis",
    "axis_body",
];

/// The law of which `friction` is a factor on the set and no coefficient.
pub(super) const FACTOR: &str = "polygon";

/// Forms of the friction set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawName {
    /// Isotropic, without resistance to drilling.
    #[default]
    Coulomb,
    /// Coulomb-Contensou with the pressure of Hertz.
    ContensouHertz,
    /// Coulomb-Contensou with uniform pressure.
    ContensouUniform,
    /// Coulomb-Contensou with parabolic pressure.
    ContensouParabolic,
    /// Coulomb-Contensou with the pressure of the key `pressure`.
    ContensouProfile,
    /// The ellipsoid of Möller 2009.
    Ellipsoid,
    /// Different coefficients along and across an axis.
    Orthotropic,
    /// A convex polygon in the contact plane; `friction` is a factor on it, default 1.
    Polygon,
}

/// Laws of impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactName {
    /// The velocity of approach comes back times the restitution.
    #[default]
    Newton,
    /// The normal percussion of compression comes back times the restitution.
    Poisson,
    /// All laws hold of the mean of the velocities before and after, weighted by the restitution.
    Moreau,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rules_inherit_together_are_keys_of_laws() {
        let schema = schemars::schema_for!(LawKeys).to_value();
        let keys = schema["properties"].as_object().unwrap();
        for key in FRICTION.iter().chain(&FORM) {
            assert!(keys.contains_key(*key), "{key}");
        }
        assert_eq!(serde_json::to_value(LawName::Polygon).unwrap(), FACTOR);
    }
}
