//! The rolling disk of Le Saux 2005: an infinitely thin disk on a table.
//!
//! Three points of the contour can touch the table: C₁, the lowest, and C₂, C₃, a third of the
//! contour away to either side (2.13), (2.14). A disk that leans touches at C₁ alone; a disk that
//! lies flat stands on all three.
//!
//! ```text
//! g₁ = z − r cosβ,      g₂ = g₃ = z + ½ r cosβ,      cosβ = √(1 − R₃₃²)               (2.15)
//! ```
//!
//! The lowest point of a flat disk is not defined; it is then the one that it was last, fixed to
//! the disk (2.24), and [`State::memory`](stickslip::system::State::memory) holds it.
//!
//! Coordinates are the ones of the paper (2.3), (2.7): centre of mass and unit quaternion, inertial
//! velocity and *body-fixed* angular velocity. The mass matrix is constant in them.
//!
//! Orientation in the angles of sec. 5: R = R_z(α) R_x(β − π/2) R_z(γ), sinβ = R₃₃: the disk
//! stands upright at β = 0 and lies flat at β = ±π/2.

mod frame;
mod parameters;
mod system;

pub use frame::DiskOutput;
pub use parameters::{DiskMotion, DiskParameters, DiskPreset, DiskStart, PRESETS};
pub use system::{RollingDisk, RollingMotion};

/// Key of the lowest point C₁; C₂ and C₃ follow.
pub const RIM: u64 = 0;

/// Names of the contacts, by key.
pub const CONTACT_NAMES: [&str; 3] = ["rim", "rim-2", "rim-3"];

/// Group of laws of C₁ when it is the only point that touches: normal, friction, contour, rolling.
pub const LEANING: usize = 0;
/// Group of laws when the disk lies flat: normal and friction. The points are then fixed to the
/// disk: nothing moves along the contour (2.25), and three points that carry cannot roll.
pub const FLAT: usize = 1;
