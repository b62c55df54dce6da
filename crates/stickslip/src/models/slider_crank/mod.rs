//! The slider-crank mechanism with a translational clearance joint (Flores 2010, sec. 6).
//!
//! Crank, connecting rod and slider hang together by ideal revolute joints; the slider of length
//! 2a and width 2b moves in a guide of width d = 2b + 2c with the clearance c on either side. Its
//! four corners are the contact candidates, with keys 0 to 3:
//!
//! ```text
//!   corner1 (−a, b) ┌──────────────┐ corner2 (a, b)       upper wall  y = b + c
//!                   │    slider    │
//!  corner3 (−a, −b) └──────────────┘ corner4 (a, −b)      lower wall  y = −b − c
//! ```
//!
//! [`SliderCrank`] has the three angles of the paper as minimal coordinates; the scene
//! `slider-crank-world` is the same mechanism of bodies and joints.

mod drawing;
mod output;
mod parameters;
mod situation;
mod system;

pub use output::SliderCrankOutput;
pub use parameters::{Drive, SliderCrankParameters, SliderCrankStart};
pub use situation::Situation;
pub use system::SliderCrank;

/// Names of the corners, by key.
pub const CORNER_NAMES: [&str; 4] = ["corner1", "corner2", "corner3", "corner4"];

/// Keys of the corners.
pub const CORNERS: [u64; 4] = [0, 1, 2, 3];

/// Key of the drive of the crank, where it has a constant speed.
pub const DRIVE: u64 = 4;
