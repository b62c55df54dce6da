//! Data set and start state of Flores 2010, Table 1.

use crate::models::ParameterError;
use crate::range::{finite, fraction, not_negative, positive, require};
use serde::{Deserialize, Serialize};

/// What turns the crank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drive {
    /// Nothing: the crank has a speed at the start only, as in eqs. (89)–(97).
    #[default]
    Free,
    /// An ideal motor that keeps the speed of the crank: a rheonomic bilateral constraint.
    ConstantSpeed,
}

/// Data of a slider-crank mechanism; the defaults are those of Flores 2010, Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SliderCrankParameters {
    /// Length l₁ of the crank, m; positive; default 0.153. Its centre of mass is in the middle.
    pub crank_length: f64,
    /// Length l₂ of the connecting rod, m; positive; default 0.306. Its centre of mass is in the
    /// middle.
    pub rod_length: f64,
    /// Half the length of the slider, a, m; positive; default 0.05.
    pub slider_half_length: f64,
    /// Half the width of the slider, b, m; positive; default 0.025.
    pub slider_half_width: f64,
    /// Clearance c on either side of the slider, m; default 1e-3. Positive and less than
    /// √(a² + b²) − b, so that the slider cannot turn over in the guide.
    pub clearance: f64,
    /// Mass m₁ of the crank, kg; positive; default 0.038.
    pub crank_mass: f64,
    /// Mass m₂ of the connecting rod, kg; positive; default 0.038.
    pub rod_mass: f64,
    /// Mass m₃ of the slider, kg; positive; default 0.076.
    pub slider_mass: f64,
    /// Moment of inertia J₁ of the crank, through its centre of mass, kg m²; positive; default
    /// 7.4e-5.
    pub crank_inertia: f64,
    /// Moment of inertia J₂ of the connecting rod, kg m²; positive; default 5.9e-4.
    pub rod_inertia: f64,
    /// Moment of inertia J₃ of the slider, kg m²; positive; default 2.7e-6.
    pub slider_inertia: f64,
    /// Gravity g along −y in the plane of the mechanism, m/s²; not negative; default 9.81.
    pub gravity: f64,
    /// Normal coefficient of restitution ε_N of all corners; 0 to 1; default 0.4.
    pub restitution: f64,
    /// Tangential coefficient of restitution ε_T of all corners; 0 to 1; default 0.
    pub tangential_restitution: f64,
    /// Coefficient of friction µ of all corners; not negative; default 0.01.
    pub friction_coefficient: f64,
    /// What turns the crank; default free.
    pub drive: Drive,
    /// Speed of the crank with drive = "constant-speed", rad/s; finite; default 150.
    pub crank_speed: f64,
}

impl Default for SliderCrankParameters {
    fn default() -> Self {
        Self {
            crank_length: 0.153,
            rod_length: 0.306,
            slider_half_length: 0.05,
            slider_half_width: 0.025,
            clearance: 1e-3,
            crank_mass: 0.038,
            rod_mass: 0.038,
            slider_mass: 0.076,
            crank_inertia: 7.4e-5,
            rod_inertia: 5.9e-4,
            slider_inertia: 2.7e-6,
            gravity: 9.81,
            restitution: 0.4,
            tangential_restitution: 0.0,
            friction_coefficient: 0.01,
            drive: Drive::Free,
            crank_speed: 150.0,
        }
    }
}

impl SliderCrankParameters {
    /// Whether every value lies in its range; the error names key, value and range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, value) in [
            ("crank_length", self.crank_length),
            ("rod_length", self.rod_length),
            ("slider_half_length", self.slider_half_length),
            ("slider_half_width", self.slider_half_width),
            ("crank_mass", self.crank_mass),
            ("rod_mass", self.rod_mass),
            ("slider_mass", self.slider_mass),
            ("crank_inertia", self.crank_inertia),
            ("rod_inertia", self.rod_inertia),
            ("slider_inertia", self.slider_inertia),
        ] {
            positive(key, value)?;
        }
        let b = self.slider_half_width;
        let most = self.slider_half_length.hypot(b) - b;
        require(
            self.clearance > 0.0 && self.clearance < most,
            "clearance",
            self.clearance,
            format!("positive and less than {most}, or the slider could turn over in the guide"),
        )?;
        not_negative("gravity", self.gravity)?;
        fraction("restitution", self.restitution)?;
        fraction("tangential_restitution", self.tangential_restitution)?;
        not_negative("friction_coefficient", self.friction_coefficient)?;
        finite("crank_speed", self.crank_speed)
    }

    /// Corners of the slider in its own frame, by key: eqs. (98)–(105).
    pub(crate) fn corners(&self) -> [[f64; 2]; 4] {
        let (a, b) = (self.slider_half_length, self.slider_half_width);
        [[-a, b], [a, b], [-a, -b], [a, -b]]
    }

    /// Half the width d/2 = b + c of the guide, m.
    pub(crate) fn half_guide(&self) -> f64 {
        self.slider_half_width + self.clearance
    }
}

/// Start state; the defaults are those of Flores 2010, Table 1: crank and rod in line, the slider
/// in the middle of the guide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SliderCrankStart {
    /// Angle θ₁ of the crank, rad; finite; default 0.
    pub theta1: f64,
    /// Angle θ₂ of the connecting rod against the guide, rad; finite; default 0. With θ₁ it
    /// places the slider within the guide: |l₁ sinθ₁ + l₂ sinθ₂| ≤ c.
    pub theta2: f64,
    /// Angle θ₃ of the slider against the guide, rad; default 0. All corners lie in the guide.
    pub theta3: f64,
    /// Speed ω₁ of the crank, rad/s; finite; default 150.
    pub omega1: f64,
    /// Speed ω₂ of the connecting rod, rad/s; finite; default −75.
    pub omega2: f64,
    /// Speed ω₃ of the slider, rad/s; finite; default 0.
    pub omega3: f64,
}

impl Default for SliderCrankStart {
    fn default() -> Self {
        Self { theta1: 0.0, theta2: 0.0, theta3: 0.0, omega1: 150.0, omega2: -75.0, omega3: 0.0 }
    }
}

impl SliderCrankStart {
    /// Whether every value is finite and the slider lies in the guide of a mechanism with these
    /// data; the error names key, value and range.
    pub fn validate(&self, parameters: &SliderCrankParameters) -> Result<(), ParameterError> {
        for (key, value) in [
            ("theta1", self.theta1),
            ("theta2", self.theta2),
            ("theta3", self.theta3),
            ("omega1", self.omega1),
            ("omega2", self.omega2),
            ("omega3", self.omega3),
        ] {
            finite(key, value)?;
        }
        let p = parameters;
        let height = p.crank_length * self.theta1.sin() + p.rod_length * self.theta2.sin();
        // A slider that lies on a wall may be outside by rounding.
        let rounding = 1e-12 * (p.crank_length + p.rod_length);
        require(
            height.abs() <= p.clearance + rounding,
            "theta2",
            self.theta2,
            format!(
                "such that the slider lies in the guide: its height \
                 l1 sin(theta1) + l2 sin(theta2) is {height} and must be between {} and {}",
                -p.clearance, p.clearance
            ),
        )?;
        let most = largest_tilt(parameters, height.abs());
        require(
            self.theta3.abs() <= most + 1e-9,
            "theta3",
            self.theta3,
            format!("between {} and {most}, or a corner is inside the wall of the guide", -most),
        )
    }
}

/// Largest tilt of the slider with all corners in the guide, its centre `height` off the middle:
/// the root of height + a sinθ + b cosθ = b + c, which grows up to θ = arctan(a/b).
fn largest_tilt(parameters: &SliderCrankParameters, height: f64) -> f64 {
    let (a, b) = (parameters.slider_half_length, parameters.slider_half_width);
    let (mut low, mut high) = (0.0, (a / b).atan());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let reach = height + a * middle.sin() + b * middle.cos();
        if reach <= parameters.half_guide() { low = middle } else { high = middle }
    }
    low
}
