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
//! [`TippeTopEuler`] has the Euler angles of the paper, singular at θ = 0 and θ = π; as a world
//! (`scenes/tippe-top.toml`) the top has quaternions and is the better of the two.

mod drawing;
mod euler;
mod parameters;

pub use euler::TippeTopEuler;
pub use parameters::{Coordinates, TippeTopParameters, TippeTopStart};

/// Key of the contact between body and floor.
pub const BODY: u64 = 0;
/// Key of the contact between stick and floor.
pub const STICK: u64 = 1;

/// Names of the contacts, by key.
pub const CONTACT_NAMES: [&str; 2] = ["body", "stick"];
