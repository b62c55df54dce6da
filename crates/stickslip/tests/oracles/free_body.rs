//! A free rigid body of revolution in quaternion coordinates.
//!
//! ```text
//! q = (x, y, z, e₀, e₁, e₂, e₃),   u = (v, Ω),   q̇ = (v, ½ H̄ᵀ Ω)        Le Saux 2005, (2.37)
//! M = diag(m I, A, A, C),   h = (0, 0, −mg, −Ω × Θ Ω)                   Le Saux 2005, (2.38)
//! ```
//!
//! v is the velocity of the centre of mass in the inertial frame, Ω the angular velocity in the
//! *body* frame. In the body frame M is constant and the spin of a fast top is nearly constant,
//! so that a step changes u little: with the inertial angular velocity the same step of the
//! Tippe-Top is fifty times less accurate.

use stickslip::kinematics::vector::{apply, apply_transposed, cross};
use stickslip::kinematics::{Matrix3, Quaternion, Vector3, quaternion};
use stickslip::system::{Energy, State};

/// Number of coordinates.
pub const COORDINATES: usize = 7;
/// The one block of the mass matrix.
pub const BLOCKS: [usize; 1] = [6];
/// Number of velocities.
pub const VELOCITIES: usize = 6;

/// Inertia of the body and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about any axis across the axis of revolution, kg m².
    pub transverse: f64,
    /// Moment of inertia about the axis of revolution, kg m².
    pub axial: f64,
    /// Gravity, m/s², downwards.
    pub gravity: f64,
}

/// Quaternion part of the coordinates.
pub fn orientation(at: &State) -> Quaternion {
    [at.q[3], at.q[4], at.q[5], at.q[6]]
}

/// Velocity of the centre of mass, inertial frame.
pub fn velocity(at: &State) -> Vector3 {
    [at.u[0], at.u[1], at.u[2]]
}

/// Body-fixed angular velocity.
pub fn angular_velocity(at: &State) -> Vector3 {
    [at.u[3], at.u[4], at.u[5]]
}

/// Writes the direction of the velocity, along the inertial unit vector e, of the point of the
/// body at `arm` (inertial frame, from the centre of mass): e·(v + ω × r) = e·v + Rᵀ(r × e)·Ω.
pub fn point_direction(r: &Matrix3, arm: &Vector3, e: &Vector3, row: &mut [f64]) {
    row[..3].copy_from_slice(e);
    row[3..6].copy_from_slice(&apply_transposed(r, &cross(arm, e)));
}

/// Writes the direction of the angular velocity along the inertial unit vector e, which is row
/// `axis` of R.
pub fn turn_direction(r: &Matrix3, axis: usize, row: &mut [f64]) {
    row[..3].fill(0.0);
    row[3..6].copy_from_slice(&r[axis]);
}

/// Writes q̇ = F(q) v.
pub fn coordinate_rate(at: &State, v: &[f64], q_dot: &mut [f64]) {
    q_dot[..3].copy_from_slice(&v[..3]);
    q_dot[3..7].copy_from_slice(&quaternion::rate(&orientation(at), &[v[3], v[4], v[5]]));
}

/// Writes F⁺ᵀ w, the gradient of a function whose rate is wᵀu.
pub fn coordinate_gradient(at: &State, w: &[f64], out: &mut [f64]) {
    out[..3].copy_from_slice(&w[..3]);
    out[3..7].copy_from_slice(&quaternion::gradient(&orientation(at), &[w[3], w[4], w[5]]));
}

/// Makes the quaternion a unit quaternion.
pub fn normalize(q: &mut [f64]) {
    let unit = quaternion::normalized(&[q[3], q[4], q[5], q[6]]);
    q[3..7].copy_from_slice(&unit);
}

impl FreeBody {
    /// Writes M (6×6) and h.
    pub fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let diagonal =
            [self.mass, self.mass, self.mass, self.transverse, self.transverse, self.axial];
        mass.fill(0.0);
        for (i, entry) in diagonal.iter().enumerate() {
            mass[i * VELOCITIES + i] = *entry;
        }
        let [o1, o2, o3] = angular_velocity(at);
        let gyroscopic = (self.transverse - self.axial) * o3;
        forces[0] = 0.0;
        forces[1] = 0.0;
        forces[2] = -self.mass * self.gravity;
        forces[3] = gyroscopic * o2;
        forces[4] = -gyroscopic * o1;
        forces[5] = 0.0;
    }

    /// Kinetic and potential energy; the potential is zero at height zero.
    pub fn energy(&self, at: &State) -> Energy {
        let [v1, v2, v3] = velocity(at);
        let [o1, o2, o3] = angular_velocity(at);
        let kinetic = 0.5 * self.mass * (v1 * v1 + v2 * v2 + v3 * v3)
            + 0.5 * self.transverse * (o1 * o1 + o2 * o2)
            + 0.5 * self.axial * o3 * o3;
        Energy { kinetic, potential: self.mass * self.gravity * at.q[2] }
    }

    /// Angular momentum about the centre of mass, inertial frame, kg m²/s.
    pub fn angular_momentum(&self, at: &State) -> Vector3 {
        let [o1, o2, o3] = angular_velocity(at);
        let r = quaternion::rotation(&orientation(at));
        apply(&r, &[self.transverse * o1, self.transverse * o2, self.axial * o3])
    }
}
