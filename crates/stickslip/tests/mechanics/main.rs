//! The mechanics of the Tippe-Top and the rolling disk, and the analysis of their steady motions.

#![allow(clippy::unwrap_used)] // helpers of tests may fail like tests

#[path = "../oracles/mod.rs"]
mod oracles;

mod disk_analysis;
mod disk_decay;
mod kinematics;
mod rolling_disk;
mod smooth_motion;
mod support;
mod tippe_top;
mod top_stability;
