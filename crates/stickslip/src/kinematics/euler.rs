//! Euler angles z-x-z: precession φ, nutation θ, spin ψ (Leine 2003, sec. 5.1).
//!
//! ```text
//! R = R_z(φ) R_x(θ) R_z(ψ)
//! e₀ = cos θ/2 cos (φ+ψ)/2,   e₁ = sin θ/2 cos (φ−ψ)/2
//! e₃ = cos θ/2 sin (φ+ψ)/2,   e₂ = sin θ/2 sin (φ−ψ)/2
//! ```
//!
//! Only φ+ψ has a meaning at θ = 0 and only φ−ψ at θ = π; the quaternion keeps both apart, so
//! that θ and the meaningful combination are exact there.

use super::quaternion::Quaternion;
use super::vector::Vector3;
use std::f64::consts::{PI, TAU};

/// Euler angles or their rates, rad or rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EulerAngles {
    /// Nutation θ about the nodal axis: the tilt of the axis of revolution.
    pub theta: f64,
    /// Precession φ about the vertical.
    pub phi: f64,
    /// Spin angle ψ about the axis of revolution.
    pub psi: f64,
}

impl EulerAngles {
    /// The unit quaternion of the same rotation.
    pub fn to_quaternion(self) -> Quaternion {
        let (s, c) = (0.5 * self.theta).sin_cos();
        let (s_sum, c_sum) = (0.5 * (self.phi + self.psi)).sin_cos();
        let (s_dif, c_dif) = (0.5 * (self.phi - self.psi)).sin_cos();
        [c * c_sum, s * c_dif, s * s_dif, c * s_sum]
    }

    /// Angles of the rotation p/|p|: 0 ≤ θ ≤ π, and φ, ψ in [−π, π].
    pub fn from_quaternion(p: &Quaternion) -> Self {
        let theta = 2.0 * p[1].hypot(p[2]).atan2(p[0].hypot(p[3]));
        let half_sum = p[3].atan2(p[0]);
        let half_difference = p[2].atan2(p[1]);
        Self {
            theta,
            phi: wrapped(half_sum + half_difference),
            psi: wrapped(half_sum - half_difference),
        }
    }

    /// Body-fixed angular velocity Ω at these angles for the given rates (Leine 2003, eq. 5.3).
    pub fn angular_velocity(self, rates: Self) -> Vector3 {
        let (s_theta, c_theta) = self.theta.sin_cos();
        let (s_psi, c_psi) = self.psi.sin_cos();
        [
            rates.phi * s_theta * s_psi + rates.theta * c_psi,
            rates.phi * s_theta * c_psi - rates.theta * s_psi,
            rates.psi + rates.phi * c_theta,
        ]
    }

    /// Rates of the angles for the body-fixed angular velocity Ω: the inverse of (5.3).
    ///
    /// At θ = 0 and π the precession has no rate of its own; all of the turn about the vertical is
    /// then counted as spin, φ̇ = 0.
    pub fn rates(self, omega_body: &Vector3) -> Self {
        let (s_theta, c_theta) = self.theta.sin_cos();
        let (s_psi, c_psi) = self.psi.sin_cos();
        let theta = omega_body[0] * c_psi - omega_body[1] * s_psi;
        let across = omega_body[0] * s_psi + omega_body[1] * c_psi;
        let quotient = across / s_theta;
        let phi = if quotient.is_finite() { quotient } else { 0.0 };
        Self { theta, phi, psi: omega_body[2] - phi * c_theta }
    }
}

/// The angle in [−π, π] that differs by whole turns.
fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}
