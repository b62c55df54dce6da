//! What is reported of the mechanism.

use super::SliderCrankParameters;

/// The columns of a table.
pub(super) const COLUMNS: [(&str, &str, &str); 12] = [
    ("theta1", "rad", ""),
    ("theta2", "rad", ""),
    ("theta3", "rad", ""),
    ("omega1", "rad/s", "theta1"),
    ("omega2", "rad/s", "theta2"),
    ("omega3", "rad/s", "theta3"),
    ("slider_x", "m", ""),
    ("slider_y", "m", ""),
    ("corner1", "", ""),
    ("corner2", "", ""),
    ("corner3", "", ""),
    ("corner4", "", ""),
];

/// What is reported of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SliderCrankOutput {
    /// Angles θ₁, θ₂, θ₃ of crank, connecting rod and slider, rad.
    pub theta: [f64; 3],
    /// Their speeds, rad/s.
    pub omega: [f64; 3],
    /// Centre of the slider, m.
    pub slider: [f64; 2],
    /// Dimensionless motion of the corners (Flores 2010, eq. 115, corrected): (y − b)/c of the
    /// upper and (y + b)/c of the lower ones. Corners 1 and 2 touch the wall at 1, corners 3 and
    /// 4 at −1.
    pub corners: [f64; 4],
}

impl SliderCrankOutput {
    pub(super) fn new(
        parameters: &SliderCrankParameters,
        theta: [f64; 3],
        omega: [f64; 3],
        slider: [f64; 2],
    ) -> Self {
        let (sin, cos) = theta[2].sin_cos();
        let corners = parameters.corners().map(|[x, y]| {
            // Written so that θ₃ = 0 gives y/c without cancellation.
            (slider[1] + x * sin + y * (cos - 1.0)) / parameters.clearance
        });
        Self { theta, omega, slider, corners }
    }

    pub(super) fn append(&self, out: &mut Vec<f64>) {
        out.extend(self.theta);
        out.extend(self.omega);
        out.extend(self.slider);
        out.extend(self.corners);
    }
}
