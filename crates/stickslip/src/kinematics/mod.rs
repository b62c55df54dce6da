//! Rotations and small vectors, as plain functions on arrays.
//!
//! Vectors are `[f64; 3]`, unit quaternions `[f64; 4]` (e₀, e₁, e₂, e₃). No function panics, and
//! finite input of any size gives finite output.

pub mod euler;
pub mod quaternion;
pub mod vector;

pub use quaternion::Quaternion;
pub use vector::{Matrix3, Vector3};
