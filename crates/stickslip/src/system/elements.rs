//! What a system says of the elements that the ODE route puts in place of its laws.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Element in place of dry friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FrictionChoice {
    /// Xiong 2013, eq. 18.
    #[default]
    Xiong,
    /// LuGre without Stribeck effect (eq. 12), with B = K β and D = 0; for friction of constant strength.
    Lugre,
    /// Dahl: LuGre with B = D = 0; for friction of constant strength.
    Dahl,
    /// Linear within `smoothing_speed` (eq. 50).
    Smooth,
    /// tanh(v/smoothing_speed).
    Tanh,
}

/// Element in place of unilateral contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ContactChoice {
    /// Xiong 2013, eq. 24, 25.
    #[default]
    Xiong,
    /// Spring and damper that may pull (eq. 15), with B = `viscosity`.
    Viscoelastic,
    /// Spring and damper without suction (eq. 16), with B = `viscosity`.
    ViscoelasticPush,
    /// Hunt and Crossley, with the exponent 3/2 and c = `damping`.
    HuntCrossley,
}

/// Constants of elements (Xiong 2013); what is none follows from masses, speeds and step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementConstants {
    /// Stiffness K, N/m; above 0.
    pub stiffness: Option<f64>,
    /// Relaxation time β, s; above 0.
    pub relaxation_time: Option<f64>,
    /// Contact time α, s; above 0.
    pub contact_time: Option<f64>,
    /// Arm at which a moment of friction counts as a force, m; above 0.
    pub arm: Option<f64>,
    /// Which element stands for unilateral contact; none is Xiong's.
    pub contact: Option<ContactChoice>,
    /// Which element stands for friction; none is Xiong's.
    pub friction: Option<FrictionChoice>,
    /// Viscosity B of the viscoelastic contacts, N s/m; not negative; none is 0.
    pub viscosity: Option<f64>,
    /// Damping c of Hunt and Crossley, s/m; not negative; none is 0.
    pub damping: Option<f64>,
    /// Speed within which friction is smoothed, m/s; above 0; none is [`SMOOTHING_SPEED`].
    pub smoothing_speed: Option<f64>,
}

/// Speed within which friction is smoothed where none is given, m/s.
pub const SMOOTHING_SPEED: f64 = 1e-2;

impl ElementConstants {
    /// These, and those of `others` where nothing is said.
    pub fn or(self, others: Self) -> Self {
        Self {
            stiffness: self.stiffness.or(others.stiffness),
            relaxation_time: self.relaxation_time.or(others.relaxation_time),
            contact_time: self.contact_time.or(others.contact_time),
            arm: self.arm.or(others.arm),
            contact: self.contact.or(others.contact),
            friction: self.friction.or(others.friction),
            viscosity: self.viscosity.or(others.viscosity),
            damping: self.damping.or(others.damping),
            smoothing_speed: self.smoothing_speed.or(others.smoothing_speed),
        }
    }
}

/// The elements of a group of laws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupElements {
    /// What the group is called: a rule of contacts, or a kind of joints.
    pub label: String,
    /// The constants that are given.
    pub constants: ElementConstants,
    /// Whether a contact may ever have these laws.
    pub is_used: bool,
    /// Whether the stiffness counts per mass behind each component, against the lightest body: for
    /// joints, whose components may be forces or moments.
    pub by_mass: bool,
}
