//! Planar bodies with joints and clearances: mechanisms in maximal coordinates.
//!
//! Every body has its three coordinates (x, y, φ). Ideal joints are bilateral constraints in the
//! same inclusion problem as the contacts: permanent candidates with their position error, which
//! the projection of constraint violation removes. Clearance joints are unilateral contacts with
//! friction.
//!
//! | element | constrains |
//! |---|---|
//! | [`JointKind::Revolute`] | two points to each other |
//! | [`JointKind::Prismatic`] | a point to a line, and the angle |
//! | [`JointKind::Fixed`] | a point and the angle |
//! | [`JointKind::Distance`] | the distance of two points |
//! | [`JointKind::Motor`] | the relative angular speed |
//! | [`ClearanceKind::Translational`] | four corners of a slider to a guide, unilaterally |
//! | [`ClearanceKind::Revolute`] | a pin to its hole, unilaterally |

mod clearance;
mod joint;
mod planar_body;
mod system;

pub use clearance::{Clearance, ClearanceKind, ClearanceLaws};
pub use joint::{Joint, JointKind};
pub use planar_body::{Mount, PlanarBody, Pose};
pub use system::{PlanarError, PlanarSystem};
