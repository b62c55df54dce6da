//! The mechanics of the Tippe-Top and the rolling disk, and the analysis of their steady motions.

mod disk_analysis;
mod disk_decay;
mod kinematics;
mod rolling_disk;
mod support;
mod tippe_top;
mod top_stability;
