//! Data set and start state of Leine 2003, sec. 5.4.

use crate::models::{ContactLaws, FrictionLaw, ParameterError};
use crate::range::{finite, fraction, not_negative, positive, require};
use serde::{Deserialize, Serialize};

/// How the orientation of the top is described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coordinates {
    /// Unit quaternions, with the body-fixed angular velocity.
    #[default]
    Quaternion,
    /// Euler angles of Leine 2003, eq. 5.4.
    Euler,
}

/// Data of a Tippe-Top; the defaults are those of Leine 2003, sec. 5.4.
///
/// Any consistent units will do; those named here are the ones of the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TippeTopParameters {
    /// Coordinates; default quaternion.
    pub coordinates: Coordinates,
    /// Mass m, kg; positive; default 6e-3.
    pub mass: f64,
    /// Moment of inertia I₁ across the axis, through S, kg m²; positive; default 8e-7.
    pub inertia_transverse: f64,
    /// Moment of inertia I₃ about the axis, kg m²; positive, at most 2 I₁; default 7e-7.
    pub inertia_axial: f64,
    /// Gravity g, m/s²; not negative; default 9.81.
    pub gravity: f64,
    /// Distance a₁ of the centre of mass S below the centre M of the body, m; default 3e-3.
    /// Smaller in magnitude than the radius of the body.
    pub body_offset: f64,
    /// Distance a₂ of S below the centre N of the tip of the stick, m; not negative; default 1.6e-2.
    pub stick_offset: f64,
    /// Radius r₁ of the body, m; positive; default 1.5e-2.
    pub body_radius: f64,
    /// Radius r₂ of the tip of the stick, m; positive; default 5e-3.
    pub stick_radius: f64,
    /// Law of friction of both contacts; default contensou-hertz.
    pub friction: FrictionLaw,
    /// Coefficient of friction µ of both contacts; not negative; default 0.3.
    pub friction_coefficient: f64,
    /// Radius R of both contact areas, m; not negative, 0 means Coulomb friction; default 5e-4.
    pub contact_radius: f64,
    /// Coefficient of restitution ε_N of both contacts; 0 to 1; default 0.
    pub restitution: f64,
    /// Velocity of the floor along x and y, m/s; finite; default 0, 0.
    pub floor_velocity: [f64; 2],
}

impl Default for TippeTopParameters {
    fn default() -> Self {
        Self {
            coordinates: Coordinates::Quaternion,
            mass: 6e-3,
            inertia_transverse: 8e-7,
            inertia_axial: 7e-7,
            gravity: 9.81,
            body_offset: 0.3e-2,
            stick_offset: 1.6e-2,
            body_radius: 1.5e-2,
            stick_radius: 0.5e-2,
            friction: FrictionLaw::ContensouHertz,
            friction_coefficient: 0.3,
            contact_radius: 5e-4,
            restitution: 0.0,
            floor_velocity: [0.0; 2],
        }
    }
}

impl TippeTopParameters {
    /// Whether every value lies in its range; the error names key, value and range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        positive("mass", self.mass)?;
        positive("inertia_transverse", self.inertia_transverse)?;
        positive("inertia_axial", self.inertia_axial)?;
        require(
            self.inertia_axial <= 2.0 * self.inertia_transverse,
            "inertia_axial",
            self.inertia_axial,
            format!("at most twice inertia_transverse ({})", self.inertia_transverse),
        )?;
        not_negative("gravity", self.gravity)?;
        positive("body_radius", self.body_radius)?;
        positive("stick_radius", self.stick_radius)?;
        require(
            self.body_offset.abs() < self.body_radius,
            "body_offset",
            self.body_offset,
            format!("smaller in magnitude than body_radius ({})", self.body_radius),
        )?;
        not_negative("stick_offset", self.stick_offset)?;
        not_negative("friction_coefficient", self.friction_coefficient)?;
        not_negative("contact_radius", self.contact_radius)?;
        fraction("restitution", self.restitution)?;
        finite("floor_velocity", self.floor_velocity[0])?;
        finite("floor_velocity", self.floor_velocity[1])
    }

    /// The laws of both contacts.
    pub fn contact_laws(&self) -> ContactLaws {
        ContactLaws {
            friction: self.friction,
            friction_coefficient: self.friction_coefficient,
            contact_radius: self.contact_radius,
            restitution: self.restitution,
        }
    }

    /// Offset a_i and radius r_i of the body (key 0) and of the stick (key 1).
    pub(crate) fn contact_geometry(&self) -> [(f64, f64); 2] {
        [(self.body_offset, self.body_radius), (self.stick_offset, self.stick_radius)]
    }
}

/// Start state; the defaults are those of Leine 2003, sec. 5.4: slightly tilted, the body on the
/// floor, spinning fast about its axis. All values must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TippeTopStart {
    /// Position x_S of the centre of mass, m; default 0.
    pub x: f64,
    /// Position y_S, m; default 0.
    pub y: f64,
    /// Height z_S, m; default 1.2015e-2, as printed: a gap of 1.2e-8 m.
    pub z: f64,
    /// Nutation θ, rad; default 0.1.
    pub theta: f64,
    /// Precession φ, rad; default 0.
    pub phi: f64,
    /// Spin angle ψ, rad; default 0.
    pub psi: f64,
    /// Velocity ẋ_S, m/s; default 0.
    pub x_dot: f64,
    /// Velocity ẏ_S, m/s; default 0.
    pub y_dot: f64,
    /// Velocity ż_S, m/s; default 0.
    pub z_dot: f64,
    /// Rate θ̇, rad/s; default 0.
    pub theta_dot: f64,
    /// Rate φ̇, rad/s; default 0.
    pub phi_dot: f64,
    /// Rate ψ̇, rad/s; default 180.
    pub psi_dot: f64,
}

impl Default for TippeTopStart {
    fn default() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            z: 1.2015e-2,
            theta: 0.1,
            phi: 0.0,
            psi: 0.0,
            x_dot: 0.0,
            y_dot: 0.0,
            z_dot: 0.0,
            theta_dot: 0.0,
            phi_dot: 0.0,
            psi_dot: 180.0,
        }
    }
}

impl TippeTopStart {
    /// Whether every value is finite; the error names key and value.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let values = [
            ("x", self.x),
            ("y", self.y),
            ("z", self.z),
            ("theta", self.theta),
            ("phi", self.phi),
            ("psi", self.psi),
            ("x_dot", self.x_dot),
            ("y_dot", self.y_dot),
            ("z_dot", self.z_dot),
            ("theta_dot", self.theta_dot),
            ("phi_dot", self.phi_dot),
            ("psi_dot", self.psi_dot),
        ];
        values.into_iter().try_for_each(|(key, value)| finite(key, value))
    }
}
