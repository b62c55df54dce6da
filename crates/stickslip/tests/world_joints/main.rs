//! Joints and forces of a world, on bodies without shapes.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail like tests

mod bad_input;
mod clearance;
mod equations;
mod forces;
mod free_coordinate;
mod mechanisms;
mod more_joints;
mod support;
