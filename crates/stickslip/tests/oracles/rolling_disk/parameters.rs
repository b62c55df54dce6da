//! Data set, start state and the four simulations of Le Saux 2005, sec. 4.

use crate::oracles::{ContactLaws, FrictionLaw, ParameterError, Resistance};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;

/// Data of a disk; the defaults are those of Le Saux 2005, sec. 4, with every friction of
/// simulation 4.
///
/// Any consistent units will do; those named here are the ones of the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiskParameters {
    /// Mass m, kg; positive; default 0.3048.
    pub mass: f64,
    /// Moment of inertia A about a diameter, kg m²; positive; default 1.0716e-4.
    pub inertia_transverse: f64,
    /// Moment of inertia C about the axis, kg m²; positive, at most 2 A (up to 0.1 %, for printed
    /// values are rounded); default 2.1433e-4.
    pub inertia_axial: f64,
    /// Gravity g, m/s²; not negative; default 9.81.
    pub gravity: f64,
    /// Radius r, m; positive; default 3.75e-2.
    pub radius: f64,
    /// Law of friction of all three points; default contensou-hertz.
    pub friction: FrictionLaw,
    /// Coefficient of friction µ_T = µ_F; not negative; default 0.3.
    pub friction_coefficient: f64,
    /// Radius of the contact area (ε in the paper), m; not negative, 0 means Coulomb friction;
    /// default 2e-3.
    pub contact_radius: f64,
    /// Coefficient of restitution; 0 to 1; default 0.
    pub restitution: f64,
    /// Dry contour friction µ_R, dimensionless: force along the contour over normal force
    /// (2.33); not negative; default 3e-4.
    pub contour: f64,
    /// Viscous contour friction c, N s/m (5.39); not negative; default 0.
    pub contour_viscous: f64,
    /// Dry classical rolling friction µ_R, m: rolling torque over normal force (5.42); not
    /// negative; default 0.
    pub rolling: f64,
    /// Viscous classical rolling friction c, N m s (5.48); not negative; default 0.
    pub rolling_viscous: f64,
    /// Velocity of the table along x and y, m/s; finite; default 0, 0.
    pub floor_velocity: [f64; 2],
}

/// The data of Le Saux 2005, sec. 4.
const PAPER: DiskParameters = DiskParameters {
    mass: 0.3048,
    inertia_transverse: 1.0716e-4,
    inertia_axial: 2.1433e-4,
    gravity: 9.81,
    radius: 3.75e-2,
    friction: FrictionLaw::ContensouHertz,
    friction_coefficient: 0.3,
    contact_radius: 2e-3,
    restitution: 0.0,
    contour: 0.3e-3,
    contour_viscous: 0.0,
    rolling: 0.0,
    rolling_viscous: 0.0,
    floor_velocity: [0.0; 2],
};

impl Default for DiskParameters {
    fn default() -> Self {
        PAPER
    }
}

impl DiskParameters {
    /// The laws of a group: [`LEANING`](super::LEANING) or [`FLAT`](super::FLAT).
    pub fn contact_laws(&self, group: usize) -> ContactLaws {
        let leaning = group == super::LEANING;
        let only_leaning = |law: Option<Resistance>| law.filter(|_| leaning);
        ContactLaws {
            friction: self.friction,
            friction_coefficient: self.friction_coefficient,
            contact_radius: self.contact_radius,
            restitution: self.restitution,
            contour: only_leaning(Resistance::new(self.contour, self.contour_viscous)),
            rolling: only_leaning(Resistance::new(self.rolling, self.rolling_viscous)),
        }
    }
}

/// Kind of start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskMotion {
    /// Upright and rolling without slip, with a turn about the horizontal diameter
    /// (Le Saux 2005, eq. 4.1 and 4.2).
    #[default]
    Rolling,
    /// Leaning, the centre of mass at rest: the stationary rolling of Le Saux 2005, eq. 5.14.
    Stationary,
}

/// Start state; the defaults are those of Le Saux 2005, sec. 4. It rolls without slip on the
/// table, also if the table moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiskStart {
    /// Kind of start; default rolling.
    pub motion: DiskMotion,
    /// Angular speed ‖ω‖ of a rolling start, rad/s; finite; default 10.
    pub angular_speed: f64,
    /// Angle δ of a rolling start between angular velocity and axis, rad; finite; default 0.035.
    pub tilt: f64,
    /// Inclination β of a stationary start, rad; between −π/2 and π/2, not 0; default 1.3.
    pub beta: f64,
    /// Angle by which all of the start is turned about the vertical, rad; finite; default 0.
    pub heading: f64,
    /// Position of the centre of mass, m; finite; default 0.
    pub x: f64,
    /// Position of the centre of mass, m; finite; default 0.
    pub y: f64,
}

impl Default for DiskStart {
    fn default() -> Self {
        Self {
            motion: DiskMotion::Rolling,
            angular_speed: 10.0,
            tilt: 0.035,
            beta: 1.3,
            heading: 0.0,
            x: 0.0,
            y: 0.0,
        }
    }
}

/// One of the four simulations of Le Saux 2005, sec. 4; all have the default start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskPreset {
    /// Name by which it is run.
    pub name: &'static str,
    /// What it shows.
    pub caption: &'static str,
    /// Its data.
    pub parameters: DiskParameters,
    /// Simulated time, s.
    pub duration: f64,
}

/// The four simulations of Le Saux 2005, sec. 4.1 to 4.4.
pub const PRESETS: [DiskPreset; 4] = [
    DiskPreset {
        name: "rolling-disk-coulomb",
        caption: "Le Saux 2005, sec. 4.1: Coulomb friction; pure rolling, no loss of energy",
        parameters: DiskParameters { friction: FrictionLaw::Coulomb, contour: 0.0, ..PAPER },
        duration: 80.0,
    },
    DiskPreset {
        name: "rolling-disk-coulomb-contour",
        caption: "Le Saux 2005, sec. 4.2: Coulomb and contour friction; rolls, slides, stops",
        parameters: DiskParameters { friction: FrictionLaw::Coulomb, ..PAPER },
        duration: 70.0,
    },
    DiskPreset {
        name: "rolling-disk-contensou",
        caption: "Le Saux 2005, sec. 4.3: Coulomb-Contensou friction; slides, never quite stops",
        parameters: DiskParameters { contour: 0.0, ..PAPER },
        duration: 30.0,
    },
    DiskPreset {
        name: "rolling-disk-contensou-contour",
        caption: "Le Saux 2005, sec. 4.4: Coulomb-Contensou and contour friction; slides, stops",
        parameters: PAPER,
        duration: 15.0,
    },
];
