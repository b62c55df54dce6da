//! The Tippe-Top of Leine 2003, sec. 5: a spherical body with a stick, on a floor.
//!
//! The axis of revolution b runs from the centre M of the body (radius r₁) to the centre N of
//! the hemispherical tip of the stick (radius r₂); the centre of mass S lies a₁ below M and a₂
//! below N. Both touch the floor at points that always lie straight below their centres:
//!
//! ```text
//! r_SC,i = a_i b − r_i e_z,      g_i = z + a_i cosθ − r_i,      i = 1 body, 2 stick   (5.11)–(5.14)
//! ```
//!
//! [`TippeTop`] has quaternion coordinates and is the better of the two systems;
//! [`TippeTopEuler`] has the Euler angles of the paper, singular at θ = 0 and θ = π. Both list
//! the candidates with key 0, "body", and key 1, "stick", in the one group of laws.

mod drawing;
mod euler;
mod parameters;
mod quaternion;

pub use euler::TippeTopEuler;
pub use parameters::{Coordinates, TippeTopParameters, TippeTopStart};
pub use quaternion::TippeTop;

/// Key of the contact between body and floor.
pub const BODY: u64 = 0;
/// Key of the contact between stick and floor.
pub const STICK: u64 = 1;

/// Names of the contacts, by key.
pub const CONTACT_NAMES: [&str; 2] = ["body", "stick"];

/// What is reported of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TippeTopOutput {
    /// Nutation θ, rad: 0 upright, π on the stick.
    pub theta: f64,
    /// Precession φ, rad.
    pub phi: f64,
    /// Spin angle ψ, rad.
    pub psi: f64,
    /// Spin ω·e_z about the vertical, rad/s.
    pub spin: f64,
    /// Jellett's J = H·(r₁ e_z − a₁ b), N m² s, with the angular momentum H about the centre of
    /// mass. Coulomb friction at the body conserves it; a drilling torque τ_N there gives
    /// dJ/dt = τ_N (r₁ − a₁ cosθ).
    pub jellett: f64,
    /// Gap between body and floor, m.
    pub body_gap: f64,
    /// Gap between stick and floor, m.
    pub stick_gap: f64,
}
