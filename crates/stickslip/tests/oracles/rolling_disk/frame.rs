//! The frame K of the disk and what is reported in it.

use crate::oracles::free_body::{angular_velocity, orientation};
use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector::{apply, dot};
use stickslip::kinematics::{Matrix3, Vector3};
use stickslip::system::State;
use stickslip_papers::disk_motion::feasibility;

/// Below this cosβ the disk counts as flat and its contact points are frozen: the direction of
/// (R₃₁, R₃₂) is then round-off. Also the height, over the radius, below which it lies on the table.
/// What the tolerance of a solver moves a disk at rest in one step is far less.
pub const FLAT_COSINE: f64 = 1e-9;

/// Orientation of the disk with its lowest point.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Rotation matrix.
    pub r: Matrix3,
    /// cosβ = √(1 − R₃₃²) ≥ 0. Computed as the length of (R₃₁, R₃₂), which for quaternions is
    /// 2 √((e₀² + e₃²)(e₁² + e₂²)): nothing cancels near the flat position.
    pub cos_beta: f64,
    /// Unit vector from the centre to C₁ in the body frame, along e_x^B and e_y^B: −e_z^K.
    pub lowest: [f64; 2],
    /// Whether the disk is flat and `lowest` is the remembered one.
    pub frozen: bool,
}

impl Frame {
    /// The frame of a state.
    pub fn new(at: &State) -> Self {
        let r = rotation(&orientation(at));
        let cos_beta = r[2][0].hypot(r[2][1]);
        let frozen = cos_beta < FLAT_COSINE;
        let lowest = if frozen {
            remembered(&at.memory)
        } else {
            [-r[2][0] / cos_beta, -r[2][1] / cos_beta]
        };
        Self { r, cos_beta, lowest, frozen }
    }

    /// sinβ = R₃₃.
    pub fn sin_beta(&self) -> f64 {
        self.r[2][2]
    }

    /// Vector from the centre of mass to C₁, C₂ or C₃ (point 0, 1, 2), inertial frame, for the
    /// radius 1 (2.13), (2.14).
    pub fn arm(&self, point: usize) -> Vector3 {
        let [c, s] = self.lowest;
        let (along, across) = match point {
            0 => (1.0, 0.0),
            1 => (-0.5, 0.75_f64.sqrt()),
            _ => (-0.5, -(0.75_f64.sqrt())),
        };
        apply(&self.r, &[along * c - across * s, along * s + across * c, 0.0])
    }

    /// Direction of γ̇, the rate at which the disk turns in the frame K, by Ω: the row of (2.23)
    /// without the radius.
    pub fn contour_direction(&self) -> Vector3 {
        if self.frozen {
            return [0.0; 3];
        }
        let slope = self.sin_beta() / self.cos_beta;
        [self.lowest[0] * slope, self.lowest[1] * slope, 1.0]
    }
}

/// The remembered direction; any direction will do if there is none.
fn remembered(memory: &[f64]) -> [f64; 2] {
    match memory {
        [c, s, ..] if c.hypot(*s) > 0.5 => [*c, *s],
        _ => [0.0, -1.0],
    }
}

/// What is reported of a state, in the angles of Le Saux 2005, sec. 5.1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiskOutput {
    /// Inclination β, rad: 0 upright, ±π/2 flat, with the sign of R₃₃. The start of the paper
    /// falls to the negative side.
    pub beta: f64,
    /// Rate α̇ about the vertical of the plane of the disk, rad/s; of a flat disk its spin.
    pub alpha_dot: f64,
    /// Rate β̇, rad/s.
    pub beta_dot: f64,
    /// Rate γ̇ of the disk in its plane, rad/s; 0 for a flat disk.
    pub gamma_dot: f64,
    /// Rate ψ̇ = −γ̇ of the contact point along the contour (2.18), rad/s.
    pub psi_dot: f64,
    /// Feasibility χ of rolling without slip (5.28), with the sign of β: feasible where |χ| ≤ 1.
    pub chi: f64,
    /// Speed |γ_T1| of slip at C₁ against the table, m/s.
    pub slip: f64,
    /// Gap of C₁, m.
    pub gap: f64,
}

impl Frame {
    /// Output of the state of this frame for a disk of this radius, friction coefficient and
    /// velocity of the table.
    pub fn output(&self, at: &State, radius: f64, friction: f64, floor: [f64; 2]) -> DiskOutput {
        let omega = angular_velocity(at);
        let spin = dot(&self.r[2], &omega);
        let gamma_dot = dot(&self.contour_direction(), &omega);
        // ω·e_z = α̇ + γ̇ sinβ holds also for a flat disk; off it, ω·e_z^K = α̇ cosβ is exact.
        let alpha_dot = if self.frozen {
            spin
        } else {
            -(self.lowest[0] * omega[0] + self.lowest[1] * omega[1]) / self.cos_beta
        };
        let beta = self.sin_beta().atan2(self.cos_beta);
        let w = apply(&self.r, &omega);
        let arm = self.arm(0);
        let slip_x = at.u[0] + radius * (w[1] * arm[2] - w[2] * arm[1]) - floor[0];
        let slip_y = at.u[1] + radius * (w[2] * arm[0] - w[0] * arm[2]) - floor[1];
        DiskOutput {
            beta,
            alpha_dot,
            beta_dot: self.lowest[1] * omega[0] - self.lowest[0] * omega[1],
            gamma_dot,
            psi_dot: -gamma_dot,
            chi: if self.frozen { 0.0 } else { feasibility(beta, alpha_dot, gamma_dot, friction) },
            slip: slip_x.hypot(slip_y),
            gap: at.q[2] - radius * self.cos_beta,
        }
    }
}
